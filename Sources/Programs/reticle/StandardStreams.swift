// Standard input and output, unbuffered: an answer is written when its line is complete, and a failed write is noticed.

import ArgumentParser
import Glibc
import PictureFiles

enum StandardOutput {
  /// Writes text and returns when the system has it. If the reader has gone, the program ends silently, like other filters;
  /// any other failure is reported and ends it with status 74 (EX_IOERR of sysexits.h).
  static func write(_ text: String) throws(ExitCode) {
    var text = text
    let failure = text.withUTF8 { writeAll(STDOUT_FILENO, UnsafeRawBufferPointer($0)) }
    try check(failure)
  }

  /// Writes bytes, like `write(_:)` for text.
  static func write(_ bytes: [UInt8]) throws(ExitCode) {
    try check(bytes.withUnsafeBytes { writeAll(STDOUT_FILENO, $0) })
  }

  /// Writes to standard error if possible; failures are ignored.
  static func writeError(_ text: String) {
    var text = text
    _ = text.withUTF8 { writeAll(STDERR_FILENO, UnsafeRawBufferPointer($0)) }
  }

  private static func check(_ failure: Int32) throws(ExitCode) {
    if failure == 0 { return }
    if failure != EPIPE { writeError("reticle: cannot write the answer: \(errorText(failure))\n") }
    throw ExitCode(74)
  }
}

/// Writes all bytes; returns 0, or the errno of the failure.
func writeAll(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32 {
  var written = 0
  while written < bytes.count {
    let count = Glibc.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
    if count >= 0 {
      written += count
    } else if errno != EINTR {
      return errno
    }
  }
  return 0
}

/// Lines from a descriptor, each as soon as it is complete.
struct LineReader {
  enum Line {
    /// A line without its terminator; never empty.
    case text(String)
    /// A line that was skipped because it exceeds the limit.
    case tooLong
  }

  /// The most bytes in a file name: the longest path that Linux accepts.
  static let lineByteCountMax = Int(PATH_MAX)
  static let tooLongMessage = "a line of standard input is longer than \(lineByteCountMax) bytes; give one file name a line"

  private let descriptor: Int32
  private let end: UInt8
  private let byteCountMax: Int
  private let areFileNames: Bool
  private var buffer = [UInt8](repeating: 0, count: 16 << 10)
  private var unread = 0..<0

  /// - Parameters:
  ///   - end: the byte that terminates a line.
  ///   - byteCountMax: the most bytes in a line; by default a file name's.
  ///   - areFileNames: whether to keep bytes that are not UTF-8, as in `FileName`; otherwise they become U+FFFD.
  init(
    descriptor: Int32, end: UInt8 = 0x0A, byteCountMax: Int = lineByteCountMax, areFileNames: Bool = false
  ) {
    self.areFileNames = areFileNames
    self.descriptor = descriptor
    self.end = end
    self.byteCountMax = byteCountMax
  }

  /// The first unread bytes that arrived together; empty at the end of the input.
  mutating func beginning() -> ArraySlice<UInt8> {
    if unread.isEmpty { _ = refill() }
    return buffer[unread]
  }

  /// The next non-empty line, or nil at the end of the input.
  mutating func next() -> Line? {
    var line: [UInt8] = []
    var isTooLong = false
    while true {
      if unread.isEmpty {
        let count = refill()
        if count == 0 {
          if isTooLong { return .tooLong }
          return line.isEmpty ? nil : .text(text(line))
        }
      }
      let end = buffer[unread].firstIndex(of: end)
      let part = unread.lowerBound..<(end ?? unread.upperBound)
      unread = (end.map { $0 + 1 } ?? unread.upperBound)..<unread.upperBound
      if line.count + part.count <= byteCountMax {
        line += buffer[part]
      } else {
        isTooLong = true
        line = []
      }
      if end == nil { continue }
      if isTooLong { return .tooLong }
      if self.end == 0x0A, line.last == 0x0D { line.removeLast() }
      if !line.isEmpty { return .text(text(line)) }
    }
  }

  private func text(_ line: [UInt8]) -> String {
    areFileNames ? FileName.text(line) : String(decoding: line, as: UTF8.self)
  }

  private mutating func refill() -> Int {
    while true {
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      unread = 0..<max(0, count)
      return unread.count
    }
  }
}

/// The monotonic clock, in nanoseconds.
func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// The system's text for an error number.
func errorText(_ number: Int32) -> String {
  var text = [CChar](repeating: 0, count: 128)
  guard strerror_r(number, &text, text.count) == 0 else { return "error \(number)" }
  return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
