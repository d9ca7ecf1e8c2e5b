// The numbers of ISO/IEC 24778: sizes, codewords, fields, and the five character tables.

/// The kind of a symbol and its layers, which determine its size.
struct AztecFormat: Equatable, BitwiseCopyable {
  /// Compact symbols have a core of 11×11 modules and no reference grid, full ones a core of 15×15.
  var isCompact: Bool
  /// 1…4 for a compact symbol, 1…32 for a full one; 0 for a rune.
  var layers: Int

  /// Modules per side of the largest symbol.
  static let sizeMax = 151
  /// Data bits of the largest symbol.
  static let bitCountMax = 19_968
  /// Most codewords of a symbol: that of 32 layers.
  static let codewordCountMax = 1664

  /// Number of rows and columns without the reference grid lines, by which layers are counted.
  var baseSize: Int { (isCompact ? 11 : 14) + 4 * layers }

  /// Modules per side (§7.3.1): a full symbol has reference grid lines through its centre and at every sixteenth module.
  var size: Int { isCompact ? baseSize : baseSize + 1 + 2 * ((baseSize / 2 - 1) / 15) }

  /// Number of modules of all layers.
  var bitCount: Int { ((isCompact ? 88 : 112) + 16 * layers) * layers }

  /// Bits of a codeword (§7.3.1, Table 1).
  var codewordBits: Int { layers <= 2 ? 6 : layers <= 8 ? 8 : layers <= 22 ? 10 : 12 }

  var codewordCount: Int { bitCount / codewordBits }

  /// The module coordinate of a base row or column; in full symbols, it skips the lines of the reference grid.
  @inline(__always) func coordinate(ofBase index: Int) -> Int {
    if isCompact { return index }
    let half = baseSize / 2
    let center = size / 2
    if index >= half { return center + (index - half) + (index - half) / 15 + 1 }
    let distance = half - 1 - index
    return center - distance - distance / 15 - 1
  }
}

enum AztecTables {
  /// The primitive polynomial of the field with 2^bits elements (§7.2.3 and §7.2.4): 4 bits for the mode message, 6, 8, 10
  /// or 12 for data.
  static func polynomial(bits: Int) -> Int {
    switch bits {
    case 4: 0b1_0011
    case 6: 0b100_0011
    case 8: 0b1_0010_1101
    case 10: 0b100_0000_1001
    default: 0b1_0000_0110_1001
    }
  }

  /// The code tables of a message (§7.2.1, Table 2).
  enum Mode { case upper, lower, mixed, punctuation, digit }

  /// The meaning of a code.
  enum Meaning {
    /// One or two characters.
    case characters(UInt8, UInt8?)
    case latch(Mode)
    case shift(Mode)
    case binaryShift
    case flag
  }

  /// Bits of a code.
  static func codeBits(_ mode: Mode) -> Int { mode == .digit ? 4 : 5 }

  /// The meaning of a code of letters from `first` on, with its own way to the other case.
  private static func letter(_ code: Int, first: Int, _ otherCase: Meaning) -> Meaning {
    switch code {
    case 0: .shift(.punctuation)
    case 1: .characters(0x20, nil)
    case 28: otherCase
    case 29: .latch(.mixed)
    case 30: .latch(.digit)
    case 31: .binaryShift
    default: .characters(UInt8(first + code - 2), nil)
    }
  }

  /// The meaning of a code below 2 to the power of its bits.
  static func meaning(_ code: Int, _ mode: Mode) -> Meaning {
    switch mode {
    case .upper: letter(code, first: 0x41, .latch(.lower))
    case .lower: letter(code, first: 0x61, .shift(.upper))
    case .mixed:
      switch code {
      case 0: .shift(.punctuation)
      case 28: .latch(.lower)
      case 29: .latch(.upper)
      case 30: .latch(.punctuation)
      case 31: .binaryShift
      default: .characters(mixedCharacters[code], nil)
      }
    case .punctuation:
      switch code {
      case 0: .flag
      case 2: .characters(0x0D, 0x0A)
      case 3: .characters(0x2E, 0x20)
      case 4: .characters(0x2C, 0x20)
      case 5: .characters(0x3A, 0x20)
      case 31: .latch(.upper)
      default: .characters(punctuationCharacters[code], nil)
      }
    case .digit:
      switch code {
      case 0: .shift(.punctuation)
      case 1: .characters(0x20, nil)
      case 12: .characters(0x2C, nil)
      case 13: .characters(0x2E, nil)
      case 14: .latch(.upper)
      case 15: .shift(.upper)
      default: .characters(UInt8(0x30 + code - 2), nil)
      }
    }
  }
}

/// Control characters 1…13, 27…31, then @ \ ^ _ ` | ~ DEL; 0 for codes without a character.
private let mixedCharacters: [32 of UInt8] = [
  0, 0x20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 27, 28, 29, 30, 31, 0x40, 0x5C, 0x5E, 0x5F, 0x60, 0x7C, 0x7E, 0x7F,
  0, 0, 0, 0,
]

/// CR, then ! to / in the order of ASCII, : ; < = > ? [ ] { }; 0 for codes without a character or with two.
private let punctuationCharacters: [32 of UInt8] = [
  0, 0x0D, 0, 0, 0, 0, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x2B, 0x2C, 0x2D, 0x2E, 0x2F, 0x3A,
  0x3B, 0x3C, 0x3D, 0x3E, 0x3F, 0x5B, 0x5D, 0x7B, 0x7D, 0,
]
