// What a line sends back of what was sent: a modem, a terminal or a loopback plug echoes scans, and a label may say `disable`.

import Devices

/// The lines that went out lately. A line that comes in and is one of them, or the end of one whose beginning got lost, is an echo
/// and no command.
struct SerialEcho {
  private struct Line {
    let bytes: [UInt8]
    let time: ContinuousClock.Instant
  }

  private var lines: [Line] = []

  /// How long an echo may take.
  static let span = Duration.seconds(10)
  /// Lines that are remembered; more than a line of 115200 bits a second carries in that time.
  static let lineCountMax = 4096

  mutating func sent(_ bytes: [UInt8], at time: ContinuousClock.Instant) {
    lines.removeAll { time - $0.time > Self.span }
    for part in bytes.split(whereSeparator: { $0 == 0x0D || $0 == 0x0A }) {
      if lines.count == Self.lineCountMax { lines.removeFirst() }
      let blank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
      let words = part.reversed().drop(while: blank).reversed()
      lines.append(Line(bytes: words.map(HostCommandParser.lowercase), time: time))
    }
  }

  /// - Parameters:
  ///   - line: without blanks around it, in lower case.
  ///   - isCommand: whether it is a command's word. A host may well say a word that an answer has begun with; what is no command
  ///     is an echo wherever it was cut.
  func contains(_ line: [UInt8], isCommand: Bool, at time: ContinuousClock.Instant) -> Bool {
    lines.contains {
      time - $0.time <= Self.span && (isCommand ? $0.bytes.suffix(line.count) == line[...] : $0.bytes.contains(line))
    }
  }
}
