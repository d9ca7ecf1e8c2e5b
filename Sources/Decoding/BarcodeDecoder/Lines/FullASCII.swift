// The full ASCII of Code 39 and Code 93: pairs of a shift character and a letter encode characters outside their set of 43.
// ISO/IEC 16388 annex A (inferred from published tables), AIM Code 93 (the same pairs).

enum FullASCII {
  /// The 43 characters in ASCII, in order of value.
  static let characters: StaticString = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%"

  /// The byte for a shift character, `$ % / +`, and a letter, both in ASCII; nil if they do not form a pair.
  static func byte(shift: UInt8, letter: UInt8) -> UInt8? {
    guard letter >= 0x41, letter <= 0x5A else { return nil }
    let place = letter - 0x41
    switch shift {
    case 0x24: return place + 1
    case 0x2B: return place + 0x61
    case 0x2F: return place < 15 ? place + 0x21 : (place == 25 ? 0x3A : nil)
    case 0x25:
      switch place {
      case 0..<5: return place + 27
      case 5..<10: return place - 5 + 59
      case 10..<15: return place - 10 + 91
      case 15..<20: return place - 15 + 123
      case 20: return 0
      case 21: return 0x40
      case 22: return 0x60
      default: return 0x7F
      }
    default: return nil
    }
  }

  static func isShift(_ byte: UInt8) -> Bool { byte == 0x24 || byte == 0x25 || byte == 0x2B || byte == 0x2F }
}
