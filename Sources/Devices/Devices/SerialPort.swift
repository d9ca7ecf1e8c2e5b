// The serial line as the rest of the station sees it. Serial cables are pulled more often than any other, so every wait has
// a deadline, and every failure says whether the device is missing, taken or gone. A port that hid this behind a blocking
// read could hold up the station.

/// A serial line that is opened, written, read and closed by one owner at a time.
public protocol SerialPort: Sendable {
  /// The device's usual name, such as `/dev/ttyUSB0`; used in messages.
  var name: String { get }

  /// Opens the device and configures the line. No effect if it is open. Bytes received before are discarded.
  func open() async throws(SerialPortFailure)

  /// Writes all bytes and waits until the driver has sent them.
  ///
  /// After a failure, it is unknown how many bytes were sent; a retry sends the whole message again.
  func write(_ bytes: [UInt8], within limit: Duration) async throws(SerialPortFailure)

  /// The received bytes, at most 4096; waits for the first of them.
  ///
  /// - Returns: an empty array if nothing came within the limit, if the task was cancelled, or if another task
  ///   needs the port meanwhile.
  func read(within limit: Duration) async throws(SerialPortFailure) -> [UInt8]

  /// Closes the device. No effect if it is closed.
  func close() async
}

/// The line's parameters. The defaults, 9600 8N1, are what point-of-sale hosts expect of an unconfigured scanner.
public struct SerialLineSettings: Equatable, Sendable {
  /// The parity bit.
  public enum Parity: String, Sendable, CaseIterable { case none, even, odd }
  /// How the host pauses the line.
  public enum FlowControl: String, Sendable, CaseIterable {
    case none
    /// RTS and CTS.
    case hardware
    /// XON and XOFF; these two bytes cannot be sent as data then.
    case software
  }

  /// Bits per second, one of `supportedBaudRates`.
  public var baudRate = 9600
  /// 7 or 8.
  public var dataBits = 8
  public var parity = Parity.none
  /// 1 or 2.
  public var stopBits = 1
  public var flowControl = FlowControl.none

  /// The rates that termios names and that scanners' hosts use.
  public static let supportedBaudRates = [
    1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600,
  ]

  public init() {}
}

/// A failed operation of a serial port.
public struct SerialPortFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The cause, for programs.
  public enum Cause: Equatable, Sendable {
    /// The device does not exist.
    case missing
    /// This user may not open the device.
    case denied
    /// Another program holds it.
    case busy
    /// The path is not a serial device.
    case notASerialDevice
    /// The device does not support these line settings.
    case unsupportedSettings
    /// The device disappeared while open.
    case vanished
    /// The line did not accept the bytes in time: flow control holds it, or the cable is out.
    case timedOut
    /// The port is not open.
    case closed
    /// More than one device has this name.
    case ambiguous
    /// Another error of the operating system.
    case system
  }

  public var cause: Cause
  /// The failed operation, such as `open`.
  public var operation: String
  public var device: String
  /// The errno; 0 if there was no system error.
  public var code: Int32

  public init(_ cause: Cause, operation: String, device: String, code: Int32 = 0) {
    self.cause = cause
    self.operation = operation
    self.device = device
    self.code = code
  }

  public var description: String {
    let number = code == 0 ? "" : " (errno \(code))"
    return "\(device): \(operation) failed: \(summary)\(number)"
  }

  /// The failure in a few words.
  public var summary: String {
    switch cause {
    case .missing: "there is no such device"
    case .denied: "permission denied"
    case .busy: "another program holds the device"
    case .notASerialDevice: "this is not a serial device"
    case .unsupportedSettings: "the device does not take these line settings"
    case .vanished: "the device has gone away"
    case .timedOut: "the line did not take the bytes in time"
    case .closed: "the port is not open"
    case .ambiguous: "more than one device is called so"
    case .system: "the operating system reported an error"
    }
  }

  /// The remedy.
  public var remedy: String {
    switch cause {
    case .missing, .vanished: "plug the adapter in, or set the device path to one under /dev/serial/by-path"
    case .denied: "add the user to the group dialout, or allow the device in the unit's DeviceAllow"
    case .busy: "stop the other program (often ModemManager or a getty) or choose another device"
    case .notASerialDevice: "set the device path to a tty such as /dev/ttyUSB0 or /dev/ttyGS0"
    case .unsupportedSettings: "choose a baud rate, parity and flow control that the adapter has"
    case .timedOut: "check the cable, and that flow control is the same on both ends"
    case .closed: "open the port first"
    case .ambiguous: "add the serial number, as in usb:0403:6001:A50285BI, or choose the device by its path"
    case .system: "see the kernel log (dmesg) for the device"
    }
  }
}
