// The three encodation schemes that pack three values into two codewords, with their shift sets (ISO/IEC 16022:2006
// Annex C and §5.2.7).

/// C40 for upper case, Text for lower case, X12 for ANSI X12 EDI.
enum DataMatrixTripleScheme {
  case c40, text, x12

  /// The meaning of a value.
  enum Meaning {
    /// A shift, which has no meaning alone.
    case none
    case invalid
    case upperShift
    case fnc1
    /// An ASCII character.
    case character(Int)
  }

  /// The meaning of a value from 0 to 39.
  ///
  /// - Parameter shift: the current shift set, 0 for none; the caller keeps it from value to value.
  func character(_ value: Int, shift: inout Int) -> Meaning {
    if self == .x12 { return DataMatrixTripleScheme.characterOfX12(value) }
    let set = shift
    shift = 0
    switch set {
    case 1: return value < 32 ? .character(value) : .invalid
    case 2: return DataMatrixTripleScheme.characterOfShift2(value)
    case 3: return characterOfShift3(value)
    default:
      if value < 3 {
        shift = value + 1
        return .none
      }
      if value == 3 { return .character(0x20) }
      if value < 14 { return .character(0x30 + value - 4) }
      return .character((self == .c40 ? 0x41 : 0x61) + value - 14)
    }
  }

  private static func characterOfX12(_ value: Int) -> Meaning {
    switch value {
    case 0: .character(0x0D)
    case 1: .character(0x2A)
    case 2: .character(0x3E)
    case 3: .character(0x20)
    case 4..<14: .character(0x30 + value - 4)
    default: .character(0x41 + value - 14)
    }
  }

  private static func characterOfShift2(_ value: Int) -> Meaning {
    switch value {
    case 0..<15: .character(33 + value)
    case 15..<22: .character(58 + value - 15)
    case 22..<27: .character(91 + value - 22)
    case 27: .fnc1
    case 30: .upperShift
    default: .invalid
    }
  }

  private func characterOfShift3(_ value: Int) -> Meaning {
    guard value < 32 else { return .invalid }
    if self == .text, value >= 1, value <= 26 { return .character(0x41 + value - 1) }
    return .character(96 + value)
  }
}
