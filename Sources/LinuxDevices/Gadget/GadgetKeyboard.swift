// A keyboard of the USB host at the other end of this board's cable, through the HID function of the kernel's USB gadgets
// (Documentation/usb/gadget_hid.rst).

public import Devices

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A keyboard at a USB host.
///
/// The host fetches each report, and only then gets the next one. A host that does not fetch is asleep, not plugged in, or does not
/// listen.
public actor GadgetKeyboard: KeyboardPort {
  public nonisolated let name: String
  private nonisolated let executor: BlockingExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var descriptor: Int32 = -1
  private var capsLockIsOn: Bool?

  /// The longest time for the host to fetch the report that asks whether it listens: it then asks at least every 10 ms.
  static let listeningLimit = Duration.milliseconds(500)
  /// The longest time within a text: a host that falls asleep and wakes up in this time gets the rest.
  static let fetchLimit = Duration.seconds(10)

  /// How long one wait for the host lasts before cancellation is looked at.
  private static let step = Duration.milliseconds(100)

  /// - Parameter device: `/dev/hidg0`, or another function with the report descriptor of `USBGadget.Function.keyboard`.
  public init(device: String) {
    name = device
    executor = BlockingExecutor(label: "keyboard \(device)")
  }

  deinit { if descriptor >= 0 { _ = Glibc.close(descriptor) } }

  /// A report without keys asks whether the host listens, and releases keys that a killed station has left down.
  public func open() throws(KeyboardFailure) {
    let isNew = descriptor < 0
    if isNew {
      let opened = Glibc.open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      guard opened >= 0 else { throw failure("open", errno) }
      descriptor = opened
    }
    try send(KeyboardReport(), within: Self.listeningLimit)
    guard isNew else { return }
    // The host may have found the keyboard just now.
    KeyboardSettling.time.sleep()
    try send(KeyboardReport(), within: Self.listeningLimit)
  }

  /// The kernel keeps the host's newest output report until it is read, and none that an earlier station has read.
  public func readCapsLock() -> Bool? {
    var lights: UInt8 = 0
    while read(descriptor, &lights, 1) == 1 { capsLockIsOn = lights & KeyboardReport.capsLockLight != 0 }
    return capsLockIsOn
  }

  public func send(_ events: [KeyEvent], pause: Duration) throws(KeyboardFailure) {
    var report = KeyboardReport()
    var strokes = StrokeCount()
    for (index, event) in events.enumerated() {
      if strokes.isBetween, Task.isCancelled { throw .stopping(name, mayHaveTyped: index > 0) }
      strokes.count(event)
      report.apply(event)
      do throws(KeyboardFailure) {
        try send(report, within: Self.fetchLimit)
      } catch {
        // The next `open` releases keys that the host has seen going down.
        var failure = error
        failure.mayHaveTyped = failure.mayHaveTyped || index > 0
        throw failure
      }
      if !event.isDown { pause.sleep() }
    }
    // The kernel counts a report that went with the cable as fetched, and refuses the next one.
    do throws(KeyboardFailure) {
      try send(KeyboardReport(), within: Self.fetchLimit)
    } catch {
      var failure = error
      failure.mayHaveTyped = true
      throw failure
    }
  }

  public func close() {
    guard descriptor >= 0 else { return }
    _ = Glibc.close(descriptor)
    descriptor = -1
  }

  /// Sends a report and waits until the host has fetched it.
  private func send(_ report: KeyboardReport, within limit: Duration) throws(KeyboardFailure) {
    let bytes = report.bytes
    let count = write(descriptor, bytes, bytes.count)
    // The kernel keeps one report: the host has not fetched an earlier one.
    if count < 0, errno == EAGAIN { throw silence(mayHaveTyped: false) }
    guard count == bytes.count else { throw failure("write", count < 0 ? errno : EIO) }
    var wish = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    var waited = Duration.zero
    while poll(&wish, 1, Int32(Self.step / .milliseconds(1))) != 1 {
      waited += Self.step
      guard waited < limit, !Task.isCancelled else { throw silence(mayHaveTyped: true) }
    }
  }

  private func silence(mayHaveTyped: Bool) -> KeyboardFailure {
    KeyboardFailure(
      "\(name): the host does not fetch keys", remedy: "wake the host, or check the cable: sudo reticle gadget status",
      mayHaveTyped: mayHaveTyped)
  }

  private func failure(_ operation: String, _ code: Int32) -> KeyboardFailure {
    let remedy =
      switch code {
      case ENOENT, ENODEV, ENXIO: "set up the USB functions: sudo reticle gadget install"
      case EACCES, EPERM: "let the station's user write the device: reload the rules of the package (udevadm trigger)"
      case ESHUTDOWN: "plug the cable into the host: sudo reticle gadget status"
      default: "see the kernel log (dmesg) for the device"
      }
    return KeyboardFailure("\(name): \(operation) failed: \(String(cString: strerror(code)).lowercased())", remedy: remedy)
  }
}
