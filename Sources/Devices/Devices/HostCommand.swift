// A host's commands to the station, and the answers over a serial line. Lines are plain words, so that a terminal program
// suffices to try them; the parser holds one short line at most, regardless of input.

/// A command to the station: a line on a serial port, or `POST /NAME` to the console.
public enum HostCommand: String, CaseIterable, Sendable {
  /// Opens a session, like a touch on the idle screen.
  case open
  /// Opens a session, like a trigger that is pressed and released.
  case trigger
  /// Closes the session, dialog or review, like the cancel button.
  case cancel
  /// Former spelling of the same command.
  case stop
  /// Switches the torch on or off, like the torch button.
  case torch
  /// Switches the torch on; no effect if it is on already.
  case torchOn = "torch-on"
  /// Switches the torch off; no effect if it is off already.
  case torchOff = "torch-off"
  /// Lets sessions open again after `disable`.
  case enable
  /// Closes the session and opens none until `enable`.
  case disable
  /// Confirms the result under review, like the confirm button.
  case confirm
  /// Moves the focus to the next result under review, like the next button.
  case next
  /// Turns the screen, with its housing, a quarter clockwise, like its key.
  case turn
  /// Asks for the station's state.
  case status
}

/// The answer to a command.
public enum HostAnswer: Equatable, Sendable {
  /// The command was carried out or started.
  case done(HostCommand)
  /// The command was understood but had no effect: nothing to confirm, no torch, no session to close.
  case nothing(HostCommand)
  /// The answer to `status`: words and `name=value` pairs of printable ASCII, separated by blanks.
  case status(String)
  /// The command was refused because too many events wait; the host may send it again.
  case busy(HostCommand)
  /// The line is not a command.
  case unknown
  /// The line was longer than any command, and was ignored.
  case tooLong
  /// The command lacks the required prefix, so it may be the echo of a scan; it was ignored.
  case prefixMissing

  /// DLE: every answer begins with it, so that a host can distinguish answers from scans. Scans contain it only where
  /// control characters are sent unchanged.
  public static let mark: UInt8 = 0x10

  /// The bytes on the line: DLE, the words, CR and LF.
  public var bytes: [UInt8] { [Self.mark] + Array(words.utf8) + [0x0D, 0x0A] }

  /// The answer in words.
  public var words: String {
    switch self {
    case .done(let command): "\(command.rawValue) ok"
    case .nothing(let command): "\(command.rawValue) nothing"
    case .status(let text):
      "status " + String(text.unicodeScalars.map { (0x20..<0x7F).contains($0.value) ? Character($0) : "?" })
    case .busy(let command): "\(command.rawValue) busy"
    case .unknown: "error unknown command"
    case .tooLong: "error line too long"
    case .prefixMissing: "error prefix missing"
    }
  }
}

/// Parses the host's bytes, one by one, into commands.
///
/// A command is a word of `HostCommand` in ASCII letters of either case, surrounded by optional blanks and ended by CR, LF
/// or both. Empty lines are ignored. The prefix starts a new line wherever it comes.
public struct HostCommandParser: Equatable, Sendable {
  /// The most bytes of a line; the longest command has 9.
  public static let lineByteCountMax = 32
  /// SYN, the default prefix.
  public static let usualPrefix: UInt8 = 0x16

  /// Whether a byte can be the prefix: a control character with no other use on a line. NUL, ACK, TAB, LF, CR, DLE, XON,
  /// XOFF, NAK and GS have other meanings.
  public static func isPrefix(_ byte: UInt8) -> Bool {
    (byte < 0x20 || byte == 0x7F) && ![0x00, 0x06, 0x09, 0x0A, 0x0D, 0x10, 0x11, 0x13, 0x15, 0x1D].contains(byte)
  }

  /// The meaning of a line from a host.
  public enum Line: Equatable, Sendable {
    case command(HostCommand)
    case unknown
    case tooLong
  }

  private let prefix: UInt8?
  private var line: [UInt8] = []
  private var isTooLong = false
  private var beginsWithPrefix = false
  /// Whether the last complete line began with the prefix.
  public private(set) var lastLineHasPrefix = false
  /// The last complete line, without surrounding blanks, in lower case; if it was too long, its beginning.
  public private(set) var lastLine: [UInt8] = []

  public init(prefix: UInt8? = nil) {
    self.prefix = prefix
    line.reserveCapacity(Self.lineByteCountMax)
  }

  /// - Returns: the meaning of a line, with its last byte; nil before that.
  public mutating func take(_ byte: UInt8) -> Line? {
    if byte == prefix {
      forget()
      beginsWithPrefix = true
      return nil
    }
    guard byte == 0x0D || byte == 0x0A else {
      if line.count < Self.lineByteCountMax { line.append(byte) } else { isTooLong = true }
      return nil
    }
    defer { forget() }
    lastLineHasPrefix = beginsWithPrefix
    let word = line.drop { Self.isBlank($0) }.reversed().drop { Self.isBlank($0) }.reversed()
    lastLine = word.map(Self.lowercase)
    if isTooLong { return .tooLong }
    guard !word.isEmpty else { return nil }
    return HostCommand.allCases.first { Array($0.rawValue.utf8) == lastLine }.map { .command($0) } ?? .unknown
  }

  /// An ASCII letter in lower case; any other byte unchanged.
  public static func lowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

  /// Discards an incomplete line: the cable was pulled in the middle.
  public mutating func forget() {
    line.removeAll(keepingCapacity: true)
    isTooLong = false
    beginsWithPrefix = false
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
