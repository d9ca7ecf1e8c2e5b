// File names as text. On Linux they are bytes, mostly UTF-8; each other byte is replaced with a character of its own, so that the
// name can be converted back.

import Glibc

/// Converts names of files between bytes and text without loss.
///
/// UTF-8 stays what it is. A byte that belongs to none becomes one of 128 private characters, U+10FE80 to U+10FEFF; so do the
/// four bytes of such a character, if a name has one.
public enum FileName {
  private static let base: UInt32 = 0x10_FE00
  private static let escapes: ClosedRange<UInt32> = base + 0x80...base + 0xFF

  /// The text of a name.
  public static func text(_ bytes: some Collection<UInt8>) -> String {
    let bytes = Array(bytes)
    if let text = String(validating: bytes, as: UTF8.self), !hasEscapes(text) { return text }
    var text = ""
    var index = 0
    while index < bytes.count {
      let count = min(max(1, (~bytes[index]).leadingZeroBitCount), bytes.count - index)
      if let character = String(validating: bytes[index..<index + count], as: UTF8.self), !hasEscapes(character) {
        text += character
        index += count
      } else {
        text.unicodeScalars.append(Unicode.Scalar(base + UInt32(bytes[index])) ?? "\u{FFFD}")
        index += 1
      }
    }
    return text
  }

  /// The text of a name that ends in a zero byte.
  public static func text(cString: UnsafePointer<CChar>) -> String {
    text(UnsafeRawBufferPointer(start: cString, count: strlen(cString)))
  }

  /// The bytes of a name.
  public static func bytes(_ text: String) -> [UInt8] {
    guard hasEscapes(text) else { return Array(text.utf8) }
    return text.unicodeScalars.flatMap { scalar in
      escapes.contains(scalar.value) ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(String(scalar).utf8)
    }
  }

  /// Whether the name is UTF-8.
  public static func isUTF8(_ text: String) -> Bool { !hasEscapes(text) }

  /// The text for people and for JSON, where a byte that belongs to no UTF-8 is what `replacement` says.
  public static func shown(_ text: String, replacement: (UInt8) -> String = { _ in "\u{FFFD}" }) -> String {
    guard hasEscapes(text) else { return text }
    var shown = ""
    for scalar in text.unicodeScalars {
      if escapes.contains(scalar.value) {
        shown += replacement(UInt8(truncatingIfNeeded: scalar.value))
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  /// Lends the name as the system takes it, up to its first zero byte.
  public static func withPath<Result>(_ text: String, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
    guard hasEscapes(text) else { return text.withCString(body) }
    let path = bytes(text).map { CChar(bitPattern: $0) } + [0]
    return path.withUnsafeBufferPointer { body($0.baseAddress!) }
  }

  private static func hasEscapes(_ text: String) -> Bool {
    text.utf8.contains(0xF4) && text.unicodeScalars.contains { escapes.contains($0.value) }
  }
}
