// A scanner of the USB host at the other end of this board's cable, through the HID function of the kernel's USB gadgets.

public import Devices

/// A scanner at a USB host.
///
/// A host may fetch reports only while one of its programs has the scanner open; Linux does so.
public actor GadgetScanner: ScannerPort {
  public nonisolated let name: String
  private nonisolated let executor: BlockingExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var port: GadgetPort

  /// The time between two questions whether the host listens. Linux discards what it fetches in the first 50 ms or so after a program
  /// has opened the device (`usbhid_open`): a host that fetches both has had it open for longer.
  static let settlingTime = Duration.milliseconds(100)
  /// The longest time for a host that listens to fetch a report. One that takes longer may have discarded it.
  static let fetchLimit = Duration.milliseconds(300)

  /// - Parameter device: `/dev/hidg1`, or another function with the report descriptor of `USBGadget.Function.scanner`.
  public init(device: String) {
    name = device
    port = GadgetPort(device, .scanner)
    executor = BlockingExecutor(label: "scanner \(device)")
  }

  /// Two empty transfers ask whether the host listens; they never show to the host's programs.
  public func open() throws(InputFailure) {
    let file = try port.open()
    try file.send([], within: GadgetFile.listeningLimit)
    Self.settlingTime.sleep()
    try file.send([], within: Self.fetchLimit)
  }

  public func send(_ reports: [[UInt8]]) throws(InputFailure) {
    let file = try port.open()
    for (index, report) in reports.enumerated() {
      if Task.isCancelled { throw .stopping(name, mayHaveArrived: index > 0) }
      do throws(InputFailure) {
        try file.send(report, within: Self.fetchLimit)
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
  }

  public func close() { port.close() }
}
