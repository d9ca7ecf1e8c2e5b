// Control characters in the data of a symbol, on their way to a host.

/// What becomes of control characters in the data: 0x00…0x1F and 0x7F.
public enum ControlCharacterRule: String, Sendable, CaseIterable {
  /// Sent as they are. GS1 hosts expect the separator 0x1D; but a code can then contain what looks like a suffix.
  case send
  /// The GS1 separator 0x1D is sent, every other one is left out.
  case separatorOnly = "separator only"
  /// All are left out.
  case remove
  /// Each becomes `\x` and two hexadecimal digits, and a backslash becomes two.
  case escape

  /// The bytes that stand for an ASCII character of the data; none if it is left out.
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
