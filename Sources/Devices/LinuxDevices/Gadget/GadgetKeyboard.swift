// A keyboard of the USB host at the other end of this board's cable, through the HID function of the kernel's USB gadgets.

public import Devices

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A keyboard at a USB host.
public actor GadgetKeyboard: KeyboardPort {
  public nonisolated let name: String
  private nonisolated let executor: BlockingExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var port: GadgetPort
  private var capsLockIsOn: Bool?

  /// - Parameter device: `/dev/hidg0`, or another function with the report descriptor of `USBGadget.Function.keyboard`.
  public init(device: String) {
    name = device
    port = GadgetPort(device, .keyboard)
    executor = BlockingExecutor(label: "keyboard \(device)")
  }

  /// A report without keys asks whether the host listens, and releases keys that a killed station has left down.
  public func open() throws(InputFailure) {
    let isNew = port.file == nil
    let file = try port.open()
    try send(KeyboardReport(), to: file, within: GadgetFile.listeningLimit)
    guard isNew else { return }
    // The host may have found the keyboard just now.
    KeyboardSettling.time.sleep()
    try send(KeyboardReport(), to: file, within: GadgetFile.listeningLimit)
  }

  /// The kernel keeps the host's newest output report until it is read, and none that an earlier station has read.
  public func readCapsLock() -> Bool? {
    guard let file = port.file else { return nil }
    var lights: UInt8 = 0
    while read(file.descriptor, &lights, 1) == 1 { capsLockIsOn = lights & KeyboardReport.capsLockLight != 0 }
    return capsLockIsOn
  }

  public func send(_ events: [KeyEvent], pause: Duration) throws(InputFailure) {
    let file = try port.open()
    var report = KeyboardReport()
    var strokes = StrokeCount()
    for (index, event) in events.enumerated() {
      if strokes.isBetween, Task.isCancelled { throw .stopping(name, mayHaveArrived: index > 0) }
      strokes.count(event)
      report.apply(event)
      do throws(InputFailure) {
        try send(report, to: file, within: GadgetFile.fetchLimit)
      } catch {
        // The next `open` releases keys that the host has seen going down.
        var failure = error
        failure.mayHaveArrived = failure.mayHaveArrived || index > 0
        throw failure
      }
      if !event.isDown { pause.sleep() }
    }
    // The kernel counts a report that went with the cable as fetched, and refuses the next one.
    do throws(InputFailure) {
      try send(KeyboardReport(), to: file, within: GadgetFile.fetchLimit)
    } catch {
      var failure = error
      failure.mayHaveArrived = true
      throw failure
    }
  }

  public func close() { port.close() }

  private func send(_ report: KeyboardReport, to file: GadgetFile, within limit: Duration) throws(InputFailure) {
    try file.send(report.bytes, within: limit)
  }
}
