// A scanner of the USB host at the other end of this board's cable, through the HID function of the kernel's USB gadgets.

public import Devices

/// A scanner at a USB host.
///
/// A host may fetch reports only while one of its programs has the scanner open; Linux does so.
public actor GadgetScanner: ScannerPort {
  public nonisolated let name: String
  private nonisolated let executor: BlockingExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var file: GadgetFile?
  /// When the host last fetched a report.
  private var lastFetch: ContinuousClock.Instant?

  /// The pause before a report for a host that has begun to fetch just now: Linux discards what it fetches in the first 50 ms or so
  /// after a program has opened the device (`usbhid_open`).
  static let settlingTime = Duration.seconds(1)
  /// The pause for a host that fetches at once: one of its programs may have opened the device just before.
  static let shortSettlingTime = Duration.milliseconds(100)
  /// A host that fetches within this time was listening already. One that has fetched a report so recently still is: no program
  /// opens the device again that fast.
  static let listeningTime = Duration.milliseconds(50)

  /// - Parameter device: `/dev/hidg1`, or another function with the report descriptor of `USBGadget.Function.scanner`.
  public init(device: String) {
    name = device
    executor = BlockingExecutor(label: "scanner \(device)")
  }

  /// An empty transfer asks whether the host listens; it never shows to the host's programs.
  public func open() throws(InputFailure) {
    let isNew = file == nil
    let file = try openFile()
    if let lastFetch, ContinuousClock.now - lastFetch < Self.listeningTime { return }
    let asked = ContinuousClock.now
    try file.send([], within: GadgetFile.listeningLimit)
    guard isNew || ContinuousClock.now - asked > Self.listeningTime else { return Self.shortSettlingTime.sleep() }
    Self.settlingTime.sleep()
    try file.send([], within: GadgetFile.listeningLimit)
  }

  public func send(_ reports: [[UInt8]]) throws(InputFailure) {
    let file = try openFile()
    lastFetch = nil
    for (index, report) in reports.enumerated() {
      if Task.isCancelled { throw .stopping(name, mayHaveArrived: index > 0) }
      do throws(InputFailure) {
        try file.send(report, within: GadgetFile.fetchLimit)
      } catch {
        var failure = error
        failure.mayHaveArrived = failure.mayHaveArrived || index > 0
        throw failure
      }
    }
    // The kernel counts a report that went with the cable as fetched, and refuses the next transfer. Nothing waits for this one:
    // a program that closes the device after one scan has had that scan.
    do throws(InputFailure) {
      try file.write([])
    } catch {
      var failure = error
      failure.mayHaveArrived = true
      throw failure
    }
    lastFetch = .now
  }

  public func close() { file = nil }

  /// The keyboard's device would take a report for keys.
  private func openFile() throws(InputFailure) -> GadgetFile {
    if let file { return file }
    let devices = USBGadget().status?.devices ?? [:]
    if devices[.keyboard] == name {
      throw InputFailure(
        "\(name): it is the keyboard",
        remedy: devices[.scanner].map { "set the sink's device to \($0)" } ?? "sudo reticle gadget install keyboard hid-pos")
    }
    let opened = try GadgetFile(name)
    file = opened
    return opened
  }
}
