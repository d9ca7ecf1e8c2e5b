// A log record in its two forms: a line for people, and fields for the journal. Values may come from a barcode, a device or
// a receiver: the line escapes them; in the journal their length precedes them.

import BarcodeMessage
import Glibc
import Logging

/// A log record with all of its fields.
struct LogRecord {
  /// The most bytes in a field's value; longer ones are cut.
  static let valueByteCountMax = 64 << 10

  var level: Logger.Level
  var label: String
  var message: String
  /// Sorted by name.
  var fields: [(name: String, value: String)]
  var file = ""
  var line: UInt = 0

  /// The message and its fields in one line, without control characters: `message: key=value key=value`.
  var text: String {
    let words = fields.map { "\($0.name)=\(TerminalText.safe(Self.cut($0.value)))" }
    let message = TerminalText.safe(Self.cut(message))
    return words.isEmpty ? message : "\(message): \(words.joined(separator: " "))"
  }

  /// A line for standard error, with its line feed.
  ///
  /// - Parameter time: the time stamp as written.
  func line(at time: String) -> String { "\(time) \(level.rawValue) \(label): \(text)\n" }

  /// The entry in the native protocol of systemd's journal: `NAME=value` and a line feed or, for values that contain line
  /// feeds, the name, a line feed, the value's length as 64 bits little-endian, the value, and a line feed.
  var journalEntry: [UInt8] {
    var entry: [UInt8] = []
    Self.append("MESSAGE", text, to: &entry)
    Self.append("PRIORITY", "\(level.journalPriority)", to: &entry)
    Self.append("SYSLOG_IDENTIFIER", "reticle", to: &entry)
    Self.append("LOGGER", label, to: &entry)
    if !file.isEmpty {
      Self.append("CODE_FILE", file, to: &entry)
      Self.append("CODE_LINE", "\(line)", to: &entry)
    }
    for field in fields { Self.append("RETICLE_" + Self.journalName(field.name), field.value, to: &entry) }
    return entry
  }

  private static func append(_ name: String, _ value: String, to entry: inout [UInt8]) {
    let bytes = Array(cut(value).utf8)
    entry += Array(name.utf8)
    if bytes.contains(0x0A) {
      entry.append(0x0A)
      entry += (0..<8).map { UInt8(truncatingIfNeeded: UInt64(bytes.count) >> (8 * UInt64($0))) }
    } else {
      entry.append(UInt8(ascii: "="))
    }
    entry += bytes
    entry.append(0x0A)
  }

  /// A field's name in the journal's format: at most 64 capital letters, digits and underscores.
  static func journalName(_ name: String) -> String {
    let bytes = name.utf8.prefix(56).map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
      default: UInt8(ascii: "_")
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func cut(_ value: String) -> String {
    guard value.utf8.count > valueByteCountMax else { return value }
    return String(decoding: value.utf8.prefix(valueByteCountMax), as: UTF8.self)
  }
}

extension Logger.Level {
  /// The level of syslog(3).
  var journalPriority: Int32 {
    switch self {
    case .trace, .debug: LOG_DEBUG
    case .info: LOG_INFO
    case .notice: LOG_NOTICE
    case .warning: LOG_WARNING
    case .error: LOG_ERR
    case .critical: LOG_CRIT
    }
  }
}
