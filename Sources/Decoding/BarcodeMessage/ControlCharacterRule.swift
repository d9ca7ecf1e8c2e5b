// The treatment of control characters in a symbol's data on the way to a host.

/// The treatment of control characters in the data: 0x00…0x1F and 0x7F.
public enum ControlCharacterRule: String, Sendable, CaseIterable {
  /// Sent unchanged. GS1 hosts expect the separator 0x1D; but a code can then contain bytes that look like a suffix.
  case send
  /// The GS1 separator 0x1D is sent, all others are removed.
  case separatorOnly = "separator only"
  /// All are removed.
  case remove
  /// Each becomes `\x` and two hexadecimal digits; a backslash is doubled.
  case escape

  /// The bytes sent for an ASCII character of the data; empty if it is removed.
  public func bytes(for character: UInt8) -> [UInt8] {
    let isControl = character < 0x20 || character == 0x7F
    switch self {
    case .send: return [character]
    case .separatorOnly: return isControl && character != 0x1D ? [] : [character]
    case .remove: return isControl ? [] : [character]
    case .escape:
      if character == UInt8(ascii: "\\") { return [character, character] }
      guard isControl else { return [character] }
      let digits = Array("0123456789ABCDEF".utf8)
      return [UInt8(ascii: "\\"), UInt8(ascii: "x"), digits[Int(character >> 4)], digits[Int(character & 15)]]
    }
  }
}
