// Settings that lines to hosts share, serial or TCP: how a scan is put into bytes, how the host answers, what it may command;
// and those of the serial sink.

public import BarcodeMessage
public import DeliveryModel
public import Devices

/// How a scan is put into the bytes of a line; see `LineFrame` for the rules.
public struct FramingSettings: Equatable, Sendable {
  /// The end of a scan on the line.
  public enum Suffix: String, Sendable, CaseIterable {
    case none, cr, lf, crlf, tab

    /// The bytes.
    public var bytes: [UInt8] {
      switch self {
      case .none: []
      case .cr: [0x0D]
      case .lf: [0x0A]
      case .crlf: [0x0D, 0x0A]
      case .tab: [0x09]
      }
    }
  }

  public typealias ControlCharacterRule = BarcodeMessage.ControlCharacterRule

  /// The treatment of bytes from 0x80 up.
  public enum NonASCIIRule: String, Sendable, CaseIterable {
    /// The text as UTF-8.
    case utf8
    /// The text as ISO/IEC 8859-1; characters that it lacks become `replacement`.
    case latin1
    /// Each character outside ASCII becomes `replacement`.
    case replace
    /// The symbol's own bytes, without conversion to text.
    case raw
  }

  /// Sent first, such as STX (0x02).
  public var prefix: [UInt8] = []
  /// Whether the AIM symbology identifier, such as `]E0`, comes before the data.
  public var sendsAIMIdentifier = false
  /// Whether the letter of the symbology, the code character of its AIM identifier such as `E`, comes before the data.
  public var sendsSymbologyLetter = false
  /// Whether the scan's id, 36 characters, and a space come before the data: a host that takes each id once has each scan once.
  public var sendsID = false
  /// Sent after the data and before the suffix, such as ETX (0x03).
  public var trailer: [UInt8] = []
  public var suffix = Suffix.cr
  public var controlCharacters = ControlCharacterRule.separatorOnly
  public var nonASCII = NonASCIIRule.utf8
  /// Replaces a character that cannot be sent: one ASCII byte.
  public var replacement = UInt8(ascii: "?")

  public init() {}
}

/// The host's answer to each frame on a line.
public struct AcknowledgementSettings: Equatable, Sendable {
  /// The byte that says the frame was taken: ACK.
  public var positive: UInt8 = 0x06
  /// The byte that asks for the frame again: NAK.
  public var negative: UInt8 = 0x15
  /// How long to wait for either.
  public var limit = Duration.seconds(2)
  /// How late an answer may come: after a frame with an open answer the next one waits until the host has been silent for so
  /// long, and for twice `limit`.
  public var lateLimit = Duration.seconds(3)
  /// Whether each frame carries a digit that the host repeats behind its answer. Answers then belong to their frames, however late
  /// they come.
  public var isNumbered = false
  /// How often a frame is sent in one attempt when the host says NAK or nothing.
  public var sendCountMax = 3

  public init() {}
}

/// Bytes that a line carries while there is no scan to send.
public struct Heartbeat: Equatable, Sendable {
  /// Sent as they are; a host must be able to tell them from a frame.
  public var bytes: [UInt8]
  /// How long the line is silent before each; told to within a second.
  public var interval: Duration

  public init(bytes: [UInt8], interval: Duration) {
    self.bytes = bytes
    self.interval = interval
  }
}

/// The settings of a sink that sends text over a line and may hear the host over it.
public protocol HostLineSettings: SinkSettings {
  var framing: FramingSettings { get set }
  /// nil: the host does not answer.
  var acknowledgement: AcknowledgementSettings? { get set }
  var acceptsCommands: Bool { get set }
  var commandPrefix: UInt8? { get set }
  /// Time for the line to take one write.
  var writeLimit: Duration { get }
  /// Whether the line is open, and read, also while there is no scan to send.
  var isKeptOpen: Bool { get }
  /// nil: the line is silent while there is no scan to send.
  var heartbeat: Heartbeat? { get }
  /// Scans that go out in one write; more than one only where the host does not answer.
  var batching: BatchSettings { get }
}

extension HostLineSettings {
  public var textFraming: FramingSettings? { framing }
  public var isKeptOpen: Bool { acceptsCommands }
  public var heartbeat: Heartbeat? { nil }
  public var batching: BatchSettings { BatchSettings() }
}

/// A host on a serial line.
public struct SerialSettings: HostLineSettings {
  /// The sink's name: its state in the outbox, its metrics and its log lines go by it.
  public var name = "serial"
  /// The device: a path (those under `/dev/serial/by-path` keep their meaning when adapters are swapped) or `usb:` and the
  /// adapter's vendor, product and serial number.
  public var device: String
  public var line = SerialLineSettings()
  public var framing = FramingSettings()
  /// nil: the host does not answer, and a frame counts as delivered when the line has taken it.
  public var acknowledgement: AcknowledgementSettings?
  /// Whether the host may command the station over the line; see `HostCommand`.
  public var acceptsCommands = false
  /// The byte before each of the host's commands, which no scan contains: an echo of a label is then never a command. nil: a command
  /// counts only if nothing was sent for as long as an echo may take.
  public var commandPrefix: UInt8? = HostCommandParser.usualPrefix
  /// Time for the line to take one frame.
  public var writeLimit = Duration.seconds(5)
  public var retry = RetrySettings.serial

  public init(device: String) { self.device = device }
}

extension SerialSettings {
  public var target: String { "serial \(device)" }
  public var serialDevice: String? { device }

  public func makeSink(_ surroundings: SinkSurroundings) throws(DeliveryProblem) -> any ScanSink {
    LineSink(
      settings: self, port: surroundings.serialPort(self), logger: surroundings.logger, onRequest: surroundings.onRequest)
  }
}
