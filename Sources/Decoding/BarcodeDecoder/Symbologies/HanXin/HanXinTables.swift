// The numbers of Han Xin Code (ISO/IEC 20830): sizes, blocks, masks, alignment patterns and the characters of text mode.

import CSymbolTables

enum HanXinTables {
  static let versionMax = 84
  /// Codewords of the largest version.
  static let codewordCountMax = 3886
  /// The primitive polynomials of the fields of data codewords and of function information (§5.6, §5.8).
  static let polynomial = 0b1_0110_0011
  static let informationPolynomial = 0b1_0011
  /// The most check codewords, and codewords, of a block.
  static let checkCountMax = 32
  static let blockCountMax = 255
  /// Codewords are placed in this many passes over the stream, so that a stain hits several blocks (§5.8.2).
  static let passCount = 13

  /// Modules per side of a version, 1...84.
  static func size(version: Int) -> Int { 21 + 2 * version }

  /// The blocks of one of three groups: their number, and data and check codewords per block.
  ///
  /// - Parameter level: 0...3.
  static func blocks(version: Int, level: Int, group: Int) -> (count: Int, dataCount: Int, checkCount: Int) {
    func value(_ column: Int32) -> Int {
      Int(csymboltables_hanxin_blocks(Int32(version), Int32(level), Int32(group), column))
    }
    return (value(0), value(1), value(2))
  }

  /// Data and check codewords of a version together.
  static func codewordCount(version: Int) -> Int {
    var sum = 0
    for group in 0..<3 {
      let blocks = blocks(version: version, level: 0, group: group)
      sum += blocks.count * (blocks.dataCount + blocks.checkCount)
    }
    return sum
  }

  /// Whether a mask inverts a module; rows and columns count from 0 (§5.8.3).
  static func isMasked(_ mask: Int, row: Int, column: Int) -> Bool {
    let (i, j) = (row + 1, column + 1)
    switch mask {
    case 1: return (i + j) % 2 == 0
    case 2: return ((i + j) % 3 + j % 3) % 2 == 0
    case 3: return (i % j + j % i + i % 3 + j % 3) % 2 == 0
    default: return false
    }
  }

  /// The distance of alignment patterns from the right and from the top, and the number of whole distances in a side; the last
  /// distance is what remains (Annex A). Versions below 4 have none.
  static func alignment(version: Int) -> (distance: Int, count: Int) {
    let count =
      switch version {
      case ..<4: 0
      case ..<11: 1
      case ..<22: 2
      case ..<32: 3
      case ..<41: 4
      case ..<49: 5
      case ..<58: 6
      case ..<66: 7
      case ..<75: 8
      case ..<83: 9
      default: 10
      }
    return (Int(alignmentDistances[version - 1]), count)
  }

  private static let alignmentDistances: [84 of UInt8] = [
    0, 0, 0, 14, 16, 16, 17, 18, 19, 20, 14, 15, 16, 16, 17, 17, 18, 19, 20, 20, 21, 16, 17, 17, 18, 18, 19, 19, 20, 20, 21,
    17, 17, 18, 18, 19, 19, 19, 20, 20, 17, 17, 18, 18, 18, 19, 19, 19, 17, 17, 18, 18, 18, 18, 19, 19, 19, 17, 17, 18, 18,
    18, 18, 19, 19, 17, 17, 17, 18, 18, 18, 18, 19, 19, 17, 17, 17, 18, 18, 18, 18, 18, 17, 17,
  ]

  /// The character of a text mode value below 62: digits and letters in the first set, all other characters of ASCII in the
  /// second one.
  static func character(_ value: Int, isSecondSet: Bool) -> UInt8 {
    let character: Int
    if isSecondSet {
      switch value {
      case ..<28: character = value
      case ..<44: character = 0x20 + value - 28
      case ..<51: character = 0x3A + value - 44
      case ..<57: character = 0x5B + value - 51
      default: character = 0x7B + value - 57
      }
    } else {
      switch value {
      case ..<10: character = 0x30 + value
      case ..<36: character = 0x41 + value - 10
      default: character = 0x61 + value - 36
      }
    }
    return UInt8(character)
  }
}
