// The numbers of DotCode (AIM ISS DotCode Symbology Specification 4.0): patterns of dots, order of dots, masks.

enum DotCodeTables {
  /// The most rows or columns. The standard has no limit; libzint's is 200, and larger symbols have not been seen.
  static let sideMax = 124
  /// The least rows and columns.
  static let sideMin = 5
  /// Dots of a codeword, and those that encode the mask.
  static let codewordDotCount = 9
  static let maskDotCount = 2
  /// Values of a codeword.
  static let codewordValueCount = 113
  /// The most codewords of the largest symbol, and of a block.
  static let codewordCountMax = sideMax * sideMax / 2 / codewordDotCount + 2
  static let blockCountMax = 112
  /// Each codeword is increased by this much more than the one before it, by mask.
  static let maskSteps: [4 of Int] = [0, 3, 7, 17]
  /// Dots in the corners, which come last.
  static let cornerCount = 6

  /// The pattern of each codeword, five of nine dots, the first one in bit 8 (Annex C).
  static let patterns: [113 of UInt16] = [
    341, 171, 173, 181, 213, 342, 346, 362, 426, 174, 182, 186, 214, 218, 234, 299, 301, 309, 331, 333, 339, 345, 357, 361,
    405, 421, 425, 87, 91, 93, 107, 109, 117, 151, 155, 157, 167, 179, 185, 203, 205, 211, 217, 229, 233, 302, 310, 314, 334,
    348, 358, 364, 370, 372, 406, 410, 422, 428, 434, 436, 458, 466, 468, 94, 110, 118, 122, 158, 188, 206, 220, 230, 236,
    242, 244, 279, 283, 285, 295, 307, 313, 327, 355, 369, 395, 397, 403, 409, 419, 433, 453, 457, 465, 47, 55, 59, 61, 79,
    103, 115, 121, 143, 199, 227, 241, 286, 316, 376, 398, 412, 440, 454, 460,
  ]

  /// The number of data codewords that a symbol has room for, with its check codewords: half as many, and three.
  static func dataCount(columns: Int, rows: Int) -> Int {
    let codewords = (columns * rows / 2 - maskDotCount) / codewordDotCount
    var count = max(0, (codewords - 3) * 2 / 3)
    while count > 0, count + count / 2 + 3 > codewords { count -= 1 }
    while count + 1 + (count + 1) / 2 + 3 <= codewords { count += 1 }
    return count
  }

  /// The dot in a corner that comes at a place from 0 to 5 among the last ones.
  static func corner(_ index: Int, columns: Int, rows: Int) -> (column: Int, row: Int) {
    let (right, bottom) = (columns - 1, rows - 1)
    if rows & 1 == 1 {
      switch index {
      case 0: return (right - 1, 0)
      case 1: return (right - 1, bottom)
      case 2: return (right, 1)
      case 3: return (right, bottom - 1)
      case 4: return (0, 0)
      default: return (0, bottom)
      }
    }
    switch index {
    case 0: return (right, bottom - 1)
    case 1: return (0, bottom - 1)
    case 2: return (right - 1, bottom)
    case 3: return (1, bottom)
    case 4: return (right, 0)
    default: return (0, 0)
    }
  }

  static func isCorner(_ column: Int, _ row: Int, columns: Int, rows: Int) -> Bool {
    for index in 0..<cornerCount where corner(index, columns: columns, rows: rows) == (column, row) { return true }
    return false
  }
}
