// The roles of the modules of a Han Xin symbol (ISO/IEC 20830 §5.7, Annex A): four position detection patterns, function
// information beside them, alignment lines and assistant alignment patterns.

/// The modules of one version.
@safe struct HanXinLayout {
  /// Modules per side of the largest version.
  static let sizeMax = 189
  /// Bits of the function information, in two copies.
  static let informationBitCount = 28
  /// Modules per side of a position detection pattern.
  static let finderSize = 7
  /// The rows of the position detection patterns, the left module in bit 6: top left, top right and bottom left, bottom right.
  private static let finders: [3 of [7 of UInt8]] = [
    [0x7F, 0x40, 0x5F, 0x50, 0x57, 0x57, 0x57], [0x7F, 0x01, 0x7D, 0x05, 0x75, 0x75, 0x75],
    [0x75, 0x75, 0x75, 0x05, 0x7D, 0x01, 0x7F],
  ]

  /// The `ModuleRole` of each module, row by row.
  let modules: ScratchArray<UInt8>
  private(set) var version = 0
  private(set) var size = 0

  init(arena: inout Arena) throws(ArenaFull) {
    modules = try ScratchArray(HanXinLayout.sizeMax * HanXinLayout.sizeMax, arena: &arena)
  }

  /// Sets the roles of a version.
  mutating func prepare(version: Int) {
    guard version != self.version else { return }
    self.version = version
    size = HanXinTables.size(version: version)
    modules.fill(ModuleRole.data, count: size * size)
    placeFinders()
    if version > 3 { placeAlignment() }
  }

  /// The module of a bit of the function information in a copy, 0 or 1: row and column.
  static func informationPlace(_ bit: Int, copy: Int, size: Int) -> (row: Int, column: Int) {
    let last = size - 1
    let place: (row: Int, column: Int)
    switch bit {
    case 0..<9: place = (8, bit)
    case 9..<17: place = (16 - bit, 8)
    case 17..<26: place = (bit - 17, last - 8)
    default: place = (8, last - 8 + bit - 25)
    }
    return copy == 0 ? place : (last - place.row, last - place.column)
  }

  /// Whether a module of a pattern is dark: that at the top left, top right or bottom right.
  static func isFinderDark(_ corner: Int, row: Int, column: Int) -> Bool {
    finders[corner][row] >> UInt8(6 - column) & 1 == 1
  }

  private func placeFinders() {
    let last = size - 1
    for corner in 0..<4 {
      let isRight = corner & 1 == 1
      let isBottom = corner >= 2
      // The function information and the separator around it.
      for along in 0..<9 {
        for across in 0..<9 {
          let role = max(along, across) == 7 ? ModuleRole.light : ModuleRole.information
          let row = isBottom ? last - along : along
          modules[row * size + (isRight ? last - across : across)] = role
        }
      }
      let finder = HanXinLayout.finders[corner == 0 ? 0 : corner == 3 ? 2 : 1]
      let top = isBottom ? size - HanXinLayout.finderSize : 0
      let left = isRight ? size - HanXinLayout.finderSize : 0
      for row in 0..<HanXinLayout.finderSize {
        for column in 0..<HanXinLayout.finderSize {
          modules[(top + row) * size + left + column] =
            finder[row] >> UInt8(6 - column) & 1 == 1 ? ModuleRole.dark : ModuleRole.light
        }
      }
    }
  }

  private func place(_ column: Int, _ row: Int, isDark: Bool) {
    guard column >= 0, column < size, row >= 0, row < size, modules[row * size + column] == ModuleRole.data else { return }
    modules[row * size + column] = isDark ? ModuleRole.dark : ModuleRole.light
  }

  /// Every other cell of a lattice has a dark line along its top and right sides and a light line inside it; assistant patterns,
  /// a dark module among light ones, end the lattice's lines on the sides of the symbol.
  private func placeAlignment() {
    let (distance, count) = HanXinTables.alignment(version: version)
    let rest = size - 1 - count * distance
    func length(_ index: Int) -> Int { index < count ? distance : rest }
    for index in 0...(count + 1) {
      let along = min(index, count) * distance + (index > count ? rest : 0)
      let isOdd = index & 1 == 1
      if isOdd ? count & 1 == 0 : count & 1 == 1 {
        placeAssistant(0, along)
        placeAssistant(size - 1 - along, size - 1)
      }
      if isOdd {
        placeAssistant(size - 1, along)
        placeAssistant(size - 1 - along, 0)
      }
    }
    for row in 0...(count + 1) {
      let y = min(row, count) * distance + (row > count ? rest : 0)
      for column in 0...(count + 1) where (row + column) & 1 == 0 && row + column > 0 {
        let x = size - 1 - min(column, count) * distance - (column > count ? rest : 0)
        placeLines(x, y, width: length(column), height: length(row))
      }
    }
  }

  private func placeAssistant(_ x: Int, _ y: Int) {
    for row in -1...1 {
      for column in -1...1 { place(x + column, y + row, isDark: row == 0 && column == 0) }
    }
  }

  private func placeLines(_ x: Int, _ y: Int, width: Int, height: Int) {
    for along in 0...width {
      place(x - along, y, isDark: true)
      place(x - along - 1, y + 1, isDark: false)
    }
    for along in 1..<max(1, height) {
      place(x, y + along, isDark: true)
      place(x - 1, y + along + 1, isDark: false)
    }
  }
}
