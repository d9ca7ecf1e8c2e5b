// A keyboard of this machine through uinput: its desktop sees it as it sees one that is plugged in.

import CLinux
public import Devices

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A keyboard that the kernel's uinput makes. It is there from its opening to its closing.
///
/// The kernel takes every event at once, and drops those that a program does not read in time: evdev keeps 64 per reader.
public actor UinputKeyboard: KeyboardPort {
  public nonisolated let name: String
  private nonisolated let executor: BlockingExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var descriptor: Int32 = -1
  private var capsLockIsOn = false

  /// - Parameter device: `/dev/uinput`.
  public init(device: String) {
    name = device
    executor = BlockingExecutor(label: "keyboard \(device)")
  }

  deinit { if descriptor >= 0 { _ = Glibc.close(descriptor) } }

  public func open() throws(InputFailure) {
    guard descriptor < 0 else { return }
    let opened = Glibc.open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard opened >= 0 else { throw failure("open", errno) }
    let result = clinux_make_keyboard(opened, "Reticle")
    guard result == 0 else {
      _ = Glibc.close(opened)
      throw failure("make a keyboard", -result)
    }
    descriptor = opened
    capsLockIsOn = false
    KeyboardSettling.time.sleep()
  }

  public func readCapsLock() throws(InputFailure) -> Bool? {
    let state = clinux_read_caps_lock(descriptor, capsLockIsOn ? 1 : 0)
    guard state >= 0 else { throw failure("read Caps Lock", -state) }
    capsLockIsOn = state == 1
    return capsLockIsOn
  }

  public func send(_ events: [KeyEvent], pause: Duration) throws(InputFailure) {
    var strokes = StrokeCount()
    for (index, event) in events.enumerated() {
      if strokes.isBetween, Task.isCancelled { throw .stopping(name, mayHaveArrived: index > 0) }
      strokes.count(event)
      let result = clinux_send_key(descriptor, event.key, event.isDown ? 1 : 0)
      guard result == 0 else {
        var failure = failure("type", -result)
        failure.mayHaveArrived = index > 0
        // The kernel releases the keys of a keyboard that is pulled out.
        close()
        throw failure
      }
      if !event.isDown { pause.sleep() }
    }
  }

  public func close() {
    guard descriptor >= 0 else { return }
    // The kernel pulls the keyboard out with the last descriptor.
    _ = Glibc.close(descriptor)
    descriptor = -1
  }

  private func failure(_ operation: String, _ code: Int32) -> InputFailure {
    let remedy =
      switch code {
      case ENOENT, ENODEV, ENXIO: "load the kernel's module uinput (modprobe uinput)"
      case EACCES, EPERM: "let the station's user write the device: reload the rules of the package (udevadm trigger)"
      default: "see the kernel log (dmesg) for the device"
      }
    return InputFailure("\(name): \(operation) failed: \(String(cString: strerror(code)).lowercased())", remedy: remedy)
  }
}

/// The time that a desktop has to notice a new keyboard: it loses keys that are typed before.
enum KeyboardSettling {
  static let time = Duration.seconds(1)
}

/// Tells when no key is down.
struct StrokeCount {
  private var downCount = 0
  var isBetween: Bool { downCount == 0 }

  mutating func count(_ event: KeyEvent) { downCount += event.isDown ? 1 : -1 }
}

extension InputFailure {
  static func stopping(_ name: String, mayHaveArrived: Bool) -> Self {
    Self("\(name): the station stops", remedy: "start it again", mayHaveArrived: mayHaveArrived)
  }
}

extension Duration {
  /// Blocks the thread for this time, up to an hour.
  func sleep() {
    let microseconds = components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    if microseconds > 0 { usleep(UInt32(clamping: min(microseconds, 3_600_000_000))) }
  }
}
