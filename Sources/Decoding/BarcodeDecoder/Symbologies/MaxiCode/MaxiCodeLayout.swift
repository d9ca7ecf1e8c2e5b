// The places and roles of the modules of a MaxiCode symbol (ISO/IEC 16023 §4.2, Figure 5): hexagons in 33 rows, every other
// one offset by half a module to the right, around a bullseye of rings.

/// The part of a symbol that a grid covers: the whole symbol without a number of columns and rows on each side.
struct MaxiCodePart: Equatable, BitwiseCopyable {
  let columnInset: Int
  /// Even, so that odd rows stay odd.
  let rowInset: Int

  static let whole = MaxiCodePart(columnInset: 0, rowInset: 0)

  /// The whole symbol has one more column on the right of the bullseye than on its left.
  var columns: Int { columnInset == 0 ? MaxiCodeLayout.columns : MaxiCodeLayout.columns - 1 - 2 * columnInset }
  var rows: Int { MaxiCodeLayout.rows - 2 * rowInset }
}

/// The modules of a symbol and of parts of it.
@safe struct MaxiCodeLayout {
  static let columns = 30
  static let rows = 33
  static let bitCount = 864
  /// Offset of odd rows to the right, in 1/256 modules.
  static let oddRowShift = 128
  /// The bullseye's centre, in module coordinates.
  static let centerU = 14 * 256 + 128
  static let centerV = 16 * 256 + 128
  /// The distance between rows, in 1/256 of that between columns: the square root of 3/4.
  static let rowPitch = 222

  /// The `ModuleRole` of each module of the last prepared part, row by row.
  let modules: ScratchArray<UInt8>
  /// The roles of the modules of the whole symbol.
  private let roles: ScratchArray<UInt8>
  /// The index of the module of each codeword bit, counted row by row.
  private let places: ScratchArray<UInt16>

  init(arena: inout Arena) throws(ArenaFull) {
    let count = MaxiCodeLayout.columns * MaxiCodeLayout.rows
    modules = try ScratchArray(count, arena: &arena)
    roles = try ScratchArray(count, arena: &arena)
    places = try ScratchArray(MaxiCodeLayout.bitCount, arena: &arena)
    placeBits()
    roles.fill(ModuleRole.information, count: count)
    for bit in 0..<MaxiCodeLayout.bitCount { roles[Int(places[bit])] = ModuleRole.data }
    addRings()
    for mark in MaxiCodeLayout.marks.indices {
      roles[MaxiCodeLayout.place(ofMark: mark)] =
        MaxiCodeLayout.isMarkDark(mark) ? ModuleRole.dark : ModuleRole.light
    }
    // Two modules in the upper right corner are dark and hold no data.
    roles[MaxiCodeLayout.columns - 2] = ModuleRole.dark
    roles[MaxiCodeLayout.columns - 1] = ModuleRole.dark
  }

  /// The module of a codeword bit; bit 0 is the most significant bit of the first codeword.
  @inline(__always) func place(ofBit bit: Int) -> Int { Int(places[bit]) }

  /// Copies the roles of a part of the symbol.
  func prepare(_ part: MaxiCodePart) {
    for row in 0..<part.rows {
      for column in 0..<part.columns {
        modules[row * part.columns + column] =
          roles[(row + part.rowInset) * MaxiCodeLayout.columns + column + part.columnInset]
      }
    }
  }

  // MARK: Orientation marks

  static let markCount = 18
  /// The modules that encode the symbol's orientation, three in each of six directions from the bullseye: row, column and
  /// whether it is dark (§4.2.3).
  static let marks: [18 of UInt16] = [
    9 << 8 | 10 << 1 | 1, 9 << 8 | 11 << 1 | 1, 10 << 8 | 11 << 1 | 1, 9 << 8 | 17 << 1, 10 << 8 | 17 << 1,
    10 << 8 | 18 << 1,
    15 << 8 | 7 << 1 | 1, 16 << 8 | 7 << 1, 16 << 8 | 8 << 1 | 1, 16 << 8 | 20 << 1 | 1, 16 << 8 | 21 << 1,
    17 << 8 | 20 << 1 | 1,
    22 << 8 | 10 << 1 | 1, 22 << 8 | 11 << 1, 23 << 8 | 10 << 1 | 1, 22 << 8 | 17 << 1 | 1, 23 << 8 | 16 << 1,
    23 << 8 | 17 << 1 | 1,
  ]

  static func isMarkDark(_ index: Int) -> Bool { marks[index] & 1 == 1 }

  static func place(ofMark index: Int) -> Int {
    Int(marks[index] >> 8) * columns + Int(marks[index] >> 1 & 0x7F)
  }

  /// The offset of a module's centre from the bullseye's, in 1/256 of the distance between columns.
  static func offset(of place: Int) -> (x: Int, y: Int) {
    let row = place / columns
    let column = place % columns
    return (column * 256 + 128 + (row & 1) * oddRowShift - centerU, (row * 256 + 128 - centerV) * rowPitch / 256)
  }

  // MARK: Rings

  /// Sets the roles of modules whose centre lies well inside one of the bullseye's rings. By four times the square of the
  /// distance from the centre in modules, 0, 12 and 48 are light, and 4, 28 and 64 are dark. The radii are 0.58, 1.34, 2.11,
  /// 2.88, 3.64 and 4.40 modules (§4.2.2).
  private func addRings() {
    for row in 0..<MaxiCodeLayout.rows {
      for column in 0..<MaxiCodeLayout.columns {
        let across = 2 * (column - 14) + (row & 1)
        let down = row - 16
        let place = row * MaxiCodeLayout.columns + column
        switch across * across + 3 * down * down {
        case 0, 12, 48: roles[place] = ModuleRole.light
        case 4, 28, 64: roles[place] = ModuleRole.dark
        default: break
        }
      }
    }
  }

  // MARK: Codewords

  /// Number of codeword bits of the primary message, whose modules are close to the bullseye.
  private static let primaryBitCount = 120
  /// The first bit of the codewords in the two rightmost columns.
  private static let edgeFirstBit = 816

  /// The modules of the primary message.
  private static let primaryPlaces: [120 of UInt16] = [
    469, 529, 286, 316, 347, 346, 673, 672, 703, 702, 647, 676, 283, 282, 313, 312, 370, 610, 618, 379, 378, 409, 408, 439,
    705,
    704, 559, 589, 588, 619, 458, 518, 640, 701, 675, 674, 285, 284, 315, 314, 310, 340, 531, 289, 288, 319, 349, 348, 456,
    486,
    517, 516, 471, 470, 369, 368, 399, 398, 429, 428, 549, 548, 579, 578, 609, 608, 649, 648, 679, 678, 709, 708, 639, 638,
    669,
    668, 699, 698, 279, 278, 309, 308, 339, 338, 381, 380, 411, 410, 441, 440, 561, 560, 591, 590, 621, 620, 547, 546, 577,
    576,
    607, 606, 367, 366, 397, 396, 427, 426, 291, 290, 321, 320, 351, 350, 651, 650, 681, 680, 711, 710,
  ]

  /// Places the codewords of the secondary message. They are in blocks of two columns and three rows, row by row,
  /// alternately from left to right and from right to left. Blocks that would cover the primary message are left out.
  private func placeBits() {
    for bit in 0..<MaxiCodeLayout.primaryBitCount { places[bit] = MaxiCodeLayout.primaryPlaces[bit] }
    var bit = MaxiCodeLayout.primaryBitCount
    for blockRow in 0..<(MaxiCodeLayout.rows / 3) {
      for index in 0..<14 {
        let blockColumn = blockRow & 1 == 0 ? index : 13 - index
        if MaxiCodeLayout.isPrimary(blockColumn, blockRow) { continue }
        for module in 0..<6 {
          let row = 3 * blockRow + module / 2
          places[bit] = UInt16(row * MaxiCodeLayout.columns + 2 * blockColumn + 1 - module % 2)
          bit += 1
        }
      }
    }
    precondition(bit == MaxiCodeLayout.edgeFirstBit)
    for row in 1..<MaxiCodeLayout.rows {
      let first = row * MaxiCodeLayout.columns + MaxiCodeLayout.columns - 2
      if row & 1 == 0 {
        places[bit] = UInt16(first + 1)
        bit += 1
      }
      places[bit] = UInt16(first)
      bit += 1
    }
  }

  /// Whether a block is in the area of the primary message and the bullseye.
  private static func isPrimary(_ column: Int, _ row: Int) -> Bool {
    switch row {
    case 3, 7: column >= 4 && column < 11
    case 4, 5, 6: column >= 3 && column < 11
    default: false
    }
  }
}
