// The function patterns of an rMQR symbol: modules known in advance, and modules that hold codewords.

/// The modules of a size, row by row (ISO/IEC 23941:2022 §5.3).
@safe struct RMQRLayout {
  private(set) var format = RMQRFormat(data: 0)
  private(set) var columns = 0
  private(set) var rows = 0
  /// The role of each module. The format information counts as known, because the finder's copy has been read.
  let modules: ScratchArray<UInt8>

  init(arena: inout Arena) throws(ArenaFull) {
    modules = try ScratchArray(RMQRFormat.columnsMax * RMQRFormat.rowsMax, arena: &arena)
  }

  /// Lays out a size with an error correction level.
  mutating func prepare(_ format: RMQRFormat) {
    if columns > 0, format == self.format { return }
    self.format = format
    columns = format.columns
    rows = format.rows
    modules.fill(ModuleRole.data, count: columns * rows)
    markTiming()
    markAlignment()
    for row in 0..<min(8, rows) {
      for column in 0..<8 { mark(column, row, isDark: RMQRLayout.isFinderDark(column: column, row: row)) }
    }
    for row in 0..<5 {
      for column in 0..<5 {
        mark(columns - 1 - column, rows - 1 - row, isDark: max(abs(column - 2), abs(row - 2)) != 1)
      }
    }
    markCorners()
    let bits = RMQRFormat.formatBits(format.data)
    for bit in 0..<18 {
      let near = RMQRLayout.formatPlace(bit)
      mark(near.column, near.row, isDark: (bits ^ RMQRFormat.finderMask) >> bit & 1 == 1)
      let far = farFormatPlace(bit)
      mark(far.column, far.row, isDark: (bits ^ RMQRFormat.subFinderMask) >> bit & 1 == 1)
    }
  }

  /// Whether a module of the finder pattern or the separator around it is dark.
  @inline(__always) static func isFinderDark(column: Int, row: Int) -> Bool {
    let ring = max(abs(column - 3), abs(row - 3))
    return ring != 2 && ring != 4
  }

  /// The place of a bit of the format information next to the finder pattern: up columns 8 to 11, the least significant bit
  /// first (§7.9, Figure 26).
  static func formatPlace(_ bit: Int) -> (column: Int, row: Int) { (8 + bit / 5, 1 + bit % 5) }

  /// The place of a bit of the copy next to the finder sub-pattern: three columns of five modules, then three modules above
  /// the sub-pattern.
  func farFormatPlace(_ bit: Int) -> (column: Int, row: Int) {
    bit < 15 ? (columns - 8 + bit / 5, rows - 6 + bit % 5) : (columns - 5 + bit - 15, rows - 6)
  }

  private func mark(_ column: Int, _ row: Int, isDark: Bool) {
    modules[row * columns + column] = isDark ? ModuleRole.dark : ModuleRole.light
  }

  /// Modules alternate on all four sides.
  private func markTiming() {
    for column in 0..<columns {
      mark(column, 0, isDark: column & 1 == 0)
      mark(column, rows - 1, isDark: column & 1 == 0)
    }
    for row in 0..<rows {
      mark(0, row, isDark: row & 1 == 0)
      mark(columns - 1, row, isDark: row & 1 == 0)
    }
  }

  private func markAlignment() {
    for index in 0..<format.timingColumnCount {
      let column = format.timingColumn(index)
      for row in 0..<rows {
        let edge = min(row, rows - 1 - row)
        mark(column, row, isDark: edge < 3 ? edge != 1 : row & 1 == 0)
        guard edge < 3 else { continue }
        mark(column - 1, row, isDark: true)
        mark(column + 1, row, isDark: true)
      }
    }
  }

  /// Marks three dark modules around a light one at the top right, and at the bottom left if the finder leaves room.
  private func markCorners() {
    mark(columns - 2, 0, isDark: true)
    mark(columns - 1, 1, isDark: true)
    mark(columns - 2, 1, isDark: false)
    guard rows >= 9 else { return }
    mark(1, rows - 1, isDark: true)
    guard rows > 9 else { return }
    mark(0, rows - 2, isDark: true)
    mark(1, rows - 2, isDark: false)
  }
}
