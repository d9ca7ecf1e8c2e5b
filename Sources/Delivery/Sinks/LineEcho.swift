// The lines that a modem, a terminal or a loopback plug sends back: a label may say `disable`, and a bad line may leave out some of
// its characters.

import Devices

/// The lines that went out lately. Nothing that comes in soon after them is a command by its words alone.
struct LineEcho {
  private struct Line {
    let bytes: [UInt8]
    let time: Duration
  }

  private var lines: [Line] = []
  private var lastTime: Duration?

  /// How long an echo may take.
  static let span = Duration.seconds(10)
  /// Lines that are remembered; more than a line of 115200 bits a second carries in that time.
  static let lineCountMax = 4096

  mutating func sent(_ bytes: [UInt8], at time: Duration) {
    lastTime = time
    lines.removeAll { time - $0.time > Self.span }
    for part in bytes.split(whereSeparator: { $0 == 0x0D || $0 == 0x0A }) {
      if lines.count == Self.lineCountMax { lines.removeFirst() }
      let blank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
      let words = part.reversed().drop(while: blank).reversed()
      lines.append(Line(bytes: words.map(HostCommandParser.lowercase), time: time))
    }
  }

  /// Whether nothing was sent that could come back now.
  func isQuiet(at time: Duration) -> Bool { lastTime.map { time - $0 > Self.span } ?? true }

  /// Whether a line is one that was sent, or the end of one.
  ///
  /// - Parameter line: without blanks around it, in lower case.
  func contains(_ line: [UInt8], at time: Duration) -> Bool {
    lines.contains { time - $0.time <= Self.span && $0.bytes.suffix(line.count) == line[...] }
  }
}
