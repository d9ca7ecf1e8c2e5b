// What a host may say to the station, and what it hears back over a serial line. Lines of plain words, so that a terminal
// program is all it takes to try it; the parser holds one short line and nothing more, whatever the line carries.

/// A command to the station: a line on a serial port, or `POST /NAME` to the console.
public enum HostCommand: String, CaseIterable, Sendable {
  /// Opens a session, as a touch on the idle screen does.
  case open
  /// Opens a session, as the trigger does that is pressed and let go of.
  case trigger
  /// Closes the session, dialog or review, as the cancel button does.
  case cancel
  /// The same by its older word.
  case stop
  /// Switches the torch on or off, as the torch button does.
  case torch
  /// Switches the torch on; without effect if it is on already.
  case torchOn = "torch-on"
  /// Switches the torch off; without effect if it is off already.
  case torchOff = "torch-off"
  /// Lets sessions open again after `disable`.
  case enable
  /// Closes the session and opens none until `enable`.
  case disable
  /// Confirms the result under review, as the confirm button does.
  case confirm
  /// Moves the focus to the next result under review, as the next button does.
  case next
  /// Turns the housing's screen by a quarter clockwise, as its key does.
  case turn
  /// Asks how the station is.
  case status
}

/// What the host hears about a command.
public enum HostAnswer: Equatable, Sendable {
  /// The command was carried out, or begun.
  case done(HostCommand)
  /// The command was heard, and there was nothing for it to do: nothing to confirm, no torch, no session to close.
  case nothing(HostCommand)
  /// The answer to `status`: words and `name=value` pairs of printable ASCII, separated by blanks.
  case status(String)
  /// So much else waits that the command was not taken; it may be sent again.
  case busy(HostCommand)
  /// The line is no command.
  case unknown
  /// The line was longer than any command, and was passed over whole.
  case tooLong
  /// The line is a command without the prefix that it needs, so it may be the echo of a scan; it was passed over.
  case prefixMissing

  /// DLE: an answer begins with it, so that a host tells answers from scans. The data of scans contains it only where
  /// control characters are sent as they are.
  public static let mark: UInt8 = 0x10

  /// The bytes on the line: DLE, the words, CR and LF.
  public var bytes: [UInt8] { [Self.mark] + Array(words.utf8) + [0x0D, 0x0A] }

  private var words: String {
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

/// Takes the host's bytes one by one and gives its commands.
///
/// A command is a word of `HostCommand` in ASCII letters, upper or lower case, blanks around it passed over, ended by CR, LF
/// or both. Empty lines say nothing. The prefix starts a new line wherever it comes.
public struct HostCommandParser: Equatable, Sendable {
  /// The most bytes of a line; the longest command has 9.
  public static let lineByteCountMax = 32
  /// SYN, the prefix where none is configured.
  public static let usualPrefix: UInt8 = 0x16

  /// Whether a byte can begin a command: a control character that nothing else on a line uses. NUL, ACK, TAB, LF, CR, DLE, XON,
  /// XOFF, NAK and GS have meanings of their own.
  public static func isPrefix(_ byte: UInt8) -> Bool {
    (byte < 0x20 || byte == 0x7F) && ![0x00, 0x06, 0x09, 0x0A, 0x0D, 0x10, 0x11, 0x13, 0x15, 0x1D].contains(byte)
  }

  /// What a line from a host says.
  public enum Line: Equatable, Sendable {
    case command(HostCommand)
    case unknown
    case tooLong
  }

  private let prefix: UInt8?
  private var line: [UInt8] = []
  private var isTooLong = false
  private var beginsWithPrefix = false
  /// Whether the line that ended last began with the prefix.
  public private(set) var lastLineHasPrefix = false
  /// The line that ended last, without blanks around it, in lower case; of one that is too long its beginning.
  public private(set) var lastLine: [UInt8] = []

  public init(prefix: UInt8? = nil) {
    self.prefix = prefix
    line.reserveCapacity(Self.lineByteCountMax)
  }

  /// - Returns: what a line was, with its last byte; nil before.
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

  /// An ASCII letter in lower case; any other byte as it is.
  public static func lowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

  /// Forgets the line that has begun: the cable was pulled in its middle.
  public mutating func forget() {
    line.removeAll(keepingCapacity: true)
    isTooLong = false
    beginsWithPrefix = false
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
