// The assignment of bits to modules: finder patterns around each region, and between them the codewords, as Annex F of the
// standard places them, in diagonals that leave the mapping matrix on one side and enter it again on the other.

/// The modules of a symbol size, row by row.
@safe struct DataMatrixLayout {
  /// Marks a module without a codeword in `bits`.
  static let noBit: UInt16 = 0xFFFF

  /// The index of the current size; -1 before the first.
  private(set) var index = -1
  private(set) var size = DataMatrixTables.size(0)
  /// `ModuleRole` of each module of the symbol.
  let roles: ScratchArray<UInt8>
  /// Eight times the codeword of each module of the symbol plus the number of its bit, 0 for the most significant one.
  let bits: ScratchArray<UInt16>
  /// The values of `bits` for the modules of the mapping matrix, while it is filled.
  private let mapping: ScratchArray<UInt16>

  init(arena: inout Arena) throws(ArenaFull) {
    let count = DataMatrixTables.sideMax * DataMatrixTables.sideMax
    roles = try ScratchArray(count, arena: &arena)
    bits = try ScratchArray(count, arena: &arena)
    mapping = try ScratchArray(count, arena: &arena)
  }

  /// Lays out a size, unless it is the current one.
  mutating func prepare(_ index: Int) {
    if index == self.index { return }
    self.index = index
    size = DataMatrixTables.size(index)
    placeCodewords()
    let height = size.regionHeight
    let width = size.regionWidth
    for row in 0..<size.rows {
      let inner = row % height
      for column in 0..<size.columns {
        let innerColumn = column % width
        let place = row * size.columns + column
        bits[place] = DataMatrixLayout.noBit
        // The L is dark; the opposite sides alternate, beginning with dark at the L.
        if innerColumn == 0 || inner == height - 1 {
          roles[place] = ModuleRole.dark
        } else if inner == 0 {
          roles[place] = innerColumn & 1 == 0 ? ModuleRole.dark : ModuleRole.light
        } else if innerColumn == width - 1 {
          roles[place] = inner & 1 == 1 ? ModuleRole.dark : ModuleRole.light
        } else {
          let mappingRow = row / height * (height - 2) + inner - 1
          let mappingColumn = column / width * (width - 2) + innerColumn - 1
          roles[place] = ModuleRole.data
          bits[place] = mapping[mappingRow * size.mappingColumns + mappingColumn]
        }
      }
    }
    markUnusedCorner()
  }

  /// Marks the four modules in the lower right corner of the mapping matrix that some sizes leave unused: they form a small
  /// chessboard (Annex F).
  private func markUnusedCorner() {
    let last = size.mappingRows * size.mappingColumns - 1
    guard mapping[last] == DataMatrixLayout.noBit else { return }
    for up in 0..<2 {
      for left in 0..<2 {
        let place = (size.rows - 2 - up) * size.columns + size.columns - 2 - left
        roles[place] = up == left ? ModuleRole.dark : ModuleRole.light
      }
    }
  }

  /// Fills the mapping matrix (Annex F.3): up and down the diagonals, with four special shapes at its corners.
  private func placeCodewords() {
    let rows = size.mappingRows
    let columns = size.mappingColumns
    mapping.fill(DataMatrixLayout.noBit, count: rows * columns)
    var codeword = 0
    var row = 4
    var column = 0
    while row < rows || column < columns {
      placeCorner(row: row, column: column, codeword: &codeword)
      while true {
        if row < rows, column >= 0, isFree(row, column) { placeShape(row: row, column: column, codeword: &codeword) }
        row -= 2
        column += 2
        if row < 0 || column >= columns { break }
      }
      row += 1
      column += 3
      while true {
        if row >= 0, column < columns, isFree(row, column) { placeShape(row: row, column: column, codeword: &codeword) }
        row += 2
        column -= 2
        if row >= rows || column < 0 { break }
      }
      row += 3
      column += 1
    }
  }

  private func isFree(_ row: Int, _ column: Int) -> Bool {
    mapping[row * size.mappingColumns + column] == DataMatrixLayout.noBit
  }

  /// Places a codeword in the standard shape, its last bit at the given module (Figure F.1).
  private func placeShape(row: Int, column: Int, codeword: inout Int) {
    set(row - 2, column - 2, codeword, 0)
    set(row - 2, column - 1, codeword, 1)
    set(row - 1, column - 2, codeword, 2)
    set(row - 1, column - 1, codeword, 3)
    set(row - 1, column, codeword, 4)
    set(row, column - 2, codeword, 5)
    set(row, column - 1, codeword, 6)
    set(row, column, codeword, 7)
    codeword += 1
  }

  /// Places a codeword in one of the four corner shapes (Figures F.2 to F.5), if the diagonals require it.
  private func placeCorner(row: Int, column: Int, codeword: inout Int) {
    let last = size.mappingRows - 1
    let right = size.mappingColumns - 1
    if row == last + 1, column == 0 {
      for bit in 0..<3 { set(last, bit, codeword, bit) }
      set(0, right - 1, codeword, 3)
      for bit in 4..<8 { set(bit - 4, right, codeword, bit) }
      codeword += 1
    }
    if row == last - 1, column == 0, (right + 1) % 4 != 0 {
      for bit in 0..<3 { set(last - 2 + bit, 0, codeword, bit) }
      for bit in 3..<7 { set(0, right - 6 + bit, codeword, bit) }
      set(1, right, codeword, 7)
      codeword += 1
    }
    if row == last - 1, column == 0, (right + 1) % 8 == 4 {
      for bit in 0..<3 { set(last - 2 + bit, 0, codeword, bit) }
      set(0, right - 1, codeword, 3)
      for bit in 4..<8 { set(bit - 4, right, codeword, bit) }
      codeword += 1
    }
    if row == last + 5, column == 2, (right + 1) % 8 == 0 {
      set(last, 0, codeword, 0)
      set(last, right, codeword, 1)
      for bit in 2..<5 { set(0, right - 4 + bit, codeword, bit) }
      for bit in 5..<8 { set(1, right - 7 + bit, codeword, bit) }
      codeword += 1
    }
  }

  /// Assigns a bit. A module outside the matrix enters it again on the other side, shifted.
  private func set(_ row: Int, _ column: Int, _ codeword: Int, _ bit: Int) {
    var row = row
    var column = column
    if row < 0 {
      row += size.mappingRows
      column += 4 - (size.mappingRows + 4) % 8
    }
    if column < 0 {
      column += size.mappingColumns
      row += 4 - (size.mappingColumns + 4) % 8
    }
    // ISO/IEC 21471 Annex E.
    if row >= size.mappingRows { row -= size.mappingRows }
    mapping[row * size.mappingColumns + column] = UInt16(codeword * 8 + bit)
  }
}
