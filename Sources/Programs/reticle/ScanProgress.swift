// The progress of a scan of many pictures on a terminal: one line that is overwritten, and erased before other output.

import Glibc
import PictureFiles

/// The line that shows the progress of a scan.
struct ScanProgress {
  /// The time before a scan first shows its progress, and the time between updates.
  private static let delayNanoseconds: UInt64 = 500_000_000
  private static let intervalNanoseconds: UInt64 = 100_000_000

  /// Whether standard error is a terminal that can go back to the beginning of a line.
  private let isShown: Bool
  private var isOnScreen = false
  private var next: UInt64
  /// Files that were answered.
  private(set) var doneCount = 0
  /// Nil where names come from standard input.
  private var totalCount: Int?

  /// - Parameter totalCount: counts the files to read; called only if progress is shown.
  init(totalCount: () -> Int?) {
    let terminal = getenv("TERM").map { String(cString: $0) } ?? ""
    isShown = isatty(STDERR_FILENO) != 0 && !terminal.isEmpty && terminal != "dumb"
    if isShown { self.totalCount = totalCount() }
    next = monotonicNanoseconds() + Self.delayNanoseconds
  }

  /// Shows the file and page being read, unless the last update is too recent.
  mutating func tell(_ file: String, page: Int = 1, of pageCount: Int = 1) {
    guard isShown, totalCount != 1 || pageCount > 1 else { return }
    let now = monotonicNanoseconds()
    guard now >= next else { return }
    next = now + Self.intervalNanoseconds
    let place = totalCount.map { "\(doneCount + 1) of \($0)" } ?? "\(doneCount + 1)"
    let pages = pageCount > 1 ? ", page \(page) of \(pageCount)" : ""
    let line = "\(place)\(pages): \(FileName.safe(file))"
    StandardOutput.writeError("\r\u{1B}[K" + Self.cut(line, to: Self.columnCount - 1))
    isOnScreen = true
  }

  /// Counts a file that was answered.
  mutating func count() { doneCount += 1 }

  /// Takes the line away, before anything else is written.
  mutating func clear() {
    guard isOnScreen else { return }
    StandardOutput.writeError("\r\u{1B}[K")
    isOnScreen = false
  }

  private static var columnCount: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return 80 }
    return Int(size.ws_col)
  }

  /// The beginning of a line, with at most two columns for a character.
  private static func cut(_ line: String, to columnCount: Int) -> String {
    var cut = ""
    var used = 0
    for character in line {
      used += character.isASCII ? 1 : 2
      guard used <= columnCount else { break }
      cut.append(character)
    }
    return cut
  }
}
