// The serial line as the rest of the station sees it. Every wait has a deadline and every failure says whether the device
// is missing, taken or gone, because a serial cable is pulled more often than any other; a port that hides this behind a
// blocking read could hold up the station.

/// A serial line that is opened, written, read and closed by one owner at a time.
public protocol SerialPort: Sendable {
  /// The device as people know it, such as `/dev/ttyUSB0`; used in messages.
  var name: String { get }

  /// Opens the device and sets the line. Does nothing when it is open. Bytes that came in before are discarded.
  func open() async throws(SerialPortFailure)

  /// Writes all bytes and waits until the driver has sent them.
  ///
  /// A failure leaves unknown how many bytes went out; whoever writes again writes the whole message again.
  func write(_ bytes: [UInt8], within limit: Duration) async throws(SerialPortFailure)

  /// The bytes that have come in, at most 4096; waits for the first of them.
  ///
  /// - Returns: an empty array when nothing came within the limit, when the task was cancelled, or when somebody else wants
  ///   the port meanwhile.
  func read(within limit: Duration) async throws(SerialPortFailure) -> [UInt8]

  /// Closes the device. Does nothing when it is closed.
  func close() async
}

/// How the line is set. The defaults are 9600 8N1, what point-of-sale hosts expect of a scanner that nobody configured.
public struct SerialLineSettings: Equatable, Sendable {
  /// The parity bit.
  public enum Parity: String, Sendable, CaseIterable { case none, even, odd }
  /// How the host holds the line.
  public enum FlowControl: String, Sendable, CaseIterable {
    case none
    /// RTS and CTS.
    case hardware
    /// XON and XOFF; those two bytes can then not be sent as data.
    case software
  }

  /// Bits a second, one of `supportedBaudRates`.
  public var baudRate = 9600
  /// 7 or 8.
  public var dataBits = 8
  public var parity = Parity.none
  /// 1 or 2.
  public var stopBits = 1
  public var flowControl = FlowControl.none

  /// The rates that termios has names for and scanners' hosts use.
  public static let supportedBaudRates = [
    1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600,
  ]

  public init() {}
}

/// Why a serial port did not do what was asked.
public struct SerialPortFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// What went wrong, for programs.
  public enum Cause: Equatable, Sendable {
    /// There is no such device.
    case missing
    /// The device may not be opened by this user.
    case denied
    /// Another program holds it.
    case busy
    /// What was opened is not a serial device.
    case notASerialDevice
    /// The device does not take these line settings.
    case unsupportedSettings
    /// The device went away while it was open.
    case vanished
    /// The line did not take the bytes in time: flow control holds it, or the cable is out.
    case timedOut
    /// The port is not open.
    case closed
    /// More than one device has the name.
    case ambiguous
    /// Another error of the operating system.
    case system
  }

  public var cause: Cause
  /// What was tried, such as `open`.
  public var operation: String
  public var device: String
  /// The errno, 0 when there is none.
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

  /// What happened, in a few words.
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

  /// What to do about it.
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
