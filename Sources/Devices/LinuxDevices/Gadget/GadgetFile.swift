// The device file of an HID function of the kernel's USB gadgets (Documentation/usb/gadget_hid.rst).

import Devices

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An open HID function: one report at a time goes to the host.
///
/// The host fetches each report, and only then gets the next one. A host that does not fetch is asleep, not plugged in, or does not
/// listen.
final class GadgetFile {
  let name: String
  let descriptor: Int32

  /// The longest time for the host to fetch what asks whether it listens: it then asks at least every 10 ms.
  static let listeningLimit = Duration.milliseconds(500)
  /// The longest time within a scan: a host that falls asleep and wakes up in this time gets the rest.
  static let fetchLimit = Duration.seconds(10)

  /// How long one wait for the host lasts before cancellation is looked at.
  private static let step = Duration.milliseconds(100)

  init(_ name: String) throws(InputFailure) {
    self.name = name
    descriptor = open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure(name, "open", errno) }
  }

  deinit { _ = close(descriptor) }

  /// Hands a report to the kernel; no bytes make an empty transfer, which hosts fetch and ignore.
  ///
  /// - Throws: also that the host has not fetched an earlier report.
  func write(_ report: [UInt8]) throws(InputFailure) {
    let count = Glibc.write(descriptor, report, report.count)
    // The kernel keeps one report.
    if count < 0, errno == EAGAIN { throw silence(mayHaveArrived: false) }
    guard count == report.count else { throw Self.failure(name, "write", count < 0 ? errno : EIO) }
  }

  /// Sends a report and waits until the host has fetched it.
  func send(_ report: [UInt8], within limit: Duration) throws(InputFailure) {
    try write(report)
    var wish = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    var waited = Duration.zero
    while poll(&wish, 1, Int32(Self.step / .milliseconds(1))) != 1 {
      waited += Self.step
      guard waited < limit, !Task.isCancelled else { throw silence(mayHaveArrived: true) }
    }
  }

  private func silence(mayHaveArrived: Bool) -> InputFailure {
    InputFailure(
      "\(name): the host does not fetch reports",
      remedy: "wake the host, start its program, or check the cable: sudo reticle gadget status",
      mayHaveArrived: mayHaveArrived)
  }

  private static func failure(_ name: String, _ operation: String, _ code: Int32) -> InputFailure {
    let remedy =
      switch code {
      case ENOENT, ENODEV, ENXIO: "set up the USB functions: sudo reticle gadget install"
      case EACCES, EPERM: "let the station's user write the device: reload the rules of the package (udevadm trigger)"
      case ESHUTDOWN: "plug the cable into the host: sudo reticle gadget status"
      default: "see the kernel log (dmesg) for the device"
      }
    return InputFailure("\(name): \(operation) failed: \(String(cString: strerror(code)).lowercased())", remedy: remedy)
  }
}
