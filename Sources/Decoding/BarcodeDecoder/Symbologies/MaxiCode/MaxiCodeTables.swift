// The five code sets of MaxiCode (ISO/IEC 16023 Annex A).

enum MaxiCodeSet: UInt8 { case a, b, c, d, e }

/// The meaning of a codeword.
enum MaxiCodeMeaning: Equatable {
  case character(UInt8)
  /// Nine digits in the next five codewords.
  case number
  /// An Extended Channel Interpretation in the following codewords.
  case eci
  case pad
  /// The given number of next characters are of another set.
  case shift(MaxiCodeSet, Int)
  case latch(MaxiCodeSet)
}

enum MaxiCodeTables {
  /// The primitive polynomial of the field (§4.10).
  static let polynomial = 0b100_0011
  /// Fills up a message; at the beginning, it announces structured append.
  static let pad = 33

  // Characters without a rule, from the codeword in the name on.
  private static let set32B: [23 of UInt8] = [
    0x7B, 0, 0x7D, 0x7E, 0x7F, 0x3B, 0x3C, 0x3D, 0x3E, 0x3F, 0x5B, 0x5C, 0x5D, 0x5E, 0x5F, 0x20, 0x2C, 0x2E, 0x2F, 0x3A,
    0x40,
    0x21, 0x7C,
  ]
  private static let set37C: [11 of UInt8] = [0xAA, 0xAC, 0xB1, 0xB2, 0xB3, 0xB5, 0xB9, 0xBA, 0xBC, 0xBD, 0xBE]
  private static let set37D: [10 of UInt8] = [0xA1, 0xA8, 0xAB, 0xAF, 0xB0, 0xB4, 0xB7, 0xB8, 0xBB, 0xBF]
  private static let set38E: [10 of UInt8] = [0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA9, 0xAD, 0xAE, 0xB6]

  /// The meaning of a codeword, 0...63.
  static func meaning(_ codeword: Int, _ set: MaxiCodeSet) -> MaxiCodeMeaning {
    if codeword == 27 { return .eci }
    if codeword == 31 { return .number }
    if codeword >= 28, codeword <= 30, set != .e { return .character(UInt8(codeword)) }
    return switch set {
    case .a: meaningInA(codeword)
    case .b: meaningInB(codeword)
    case .c, .d, .e: codeword >= 58 ? controlOfUpperSets(codeword, set) : .characterOrPad(upperCharacter(codeword, set))
    }
  }

  private static func meaningInA(_ codeword: Int) -> MaxiCodeMeaning {
    switch codeword {
    case 0: .character(0x0D)
    case 1...26: .character(UInt8(0x40 + codeword))
    case pad: .pad
    case 59: .shift(.b, 1)
    case 60: .shift(.c, 1)
    case 61: .shift(.d, 1)
    case 62: .shift(.e, 1)
    case 63: .latch(.b)
    // Space, and the characters of ASCII from 34 to 58.
    default: .character(UInt8(codeword))
    }
  }

  private static func meaningInB(_ codeword: Int) -> MaxiCodeMeaning {
    switch codeword {
    case 0...26: .character(UInt8(0x60 + codeword))
    case pad, 55, 58: .pad
    case 32...54: .character(set32B[codeword - 32])
    case 56: .shift(.a, 2)
    case 57: .shift(.a, 3)
    case 59: .shift(.a, 1)
    case 60: .shift(.c, 1)
    case 61: .shift(.d, 1)
    case 62: .shift(.e, 1)
    default: .latch(.a)
    }
  }

  /// The meaning of the codewords from 58 on in the sets C, D and E; a shift to the current set latches it.
  private static func controlOfUpperSets(_ codeword: Int, _ set: MaxiCodeSet) -> MaxiCodeMeaning {
    switch codeword {
    case 58: .latch(.a)
    case 59: .character(0x20)
    case 60: set == .c ? .latch(.c) : .shift(.c, 1)
    case 61: set == .d ? .latch(.d) : .shift(.d, 1)
    case 62: set == .e ? .latch(.e) : .shift(.e, 1)
    default: .latch(.b)
    }
  }

  /// The characters of the sets C, D and E below 58; nil for a pad.
  private static func upperCharacter(_ codeword: Int, _ set: MaxiCodeSet) -> UInt8? {
    switch (set, codeword) {
    case (.c, 0...26): UInt8(0xC0 + codeword)
    case (.c, 32...36): UInt8(0xDB - 32 + codeword)
    case (.c, 37...47): set37C[codeword - 37]
    case (.c, _): UInt8(0x80 - 48 + codeword)
    case (.d, 0...26): UInt8(0xE0 + codeword)
    case (.d, 32...36): UInt8(0xFB - 32 + codeword)
    case (.d, 37...46): set37D[codeword - 37]
    case (.d, _): UInt8(0x8A - 47 + codeword)
    case (_, 0...26): UInt8(codeword)
    case (_, 28...29): nil
    case (_, 30): 0x1B
    case (_, 32...35): UInt8(0x1C - 32 + codeword)
    case (_, 36...37): UInt8(0x9F - 36 + codeword)
    case (_, 38...47): set38E[codeword - 38]
    default: UInt8(0x95 - 48 + codeword)
    }
  }
}

extension MaxiCodeMeaning {
  fileprivate static func characterOrPad(_ character: UInt8?) -> MaxiCodeMeaning {
    if let character { return .character(character) }
    return .pad
  }
}
