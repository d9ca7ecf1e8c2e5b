// Decides the modules from their grey values, with a confidence. Each module is sharpened against its neighbours, which
// undoes much of the defocus, and compared with the mean of 15×15 modules around it. On blurred, dark and unevenly lit
// symbols, sharpening by the whole difference reads half as many again as plain values, and 15 modules work better than
// narrower means or a single threshold for the symbol.

/// Signed values of a symbol's modules, row by row: positive for dark; a greater absolute value is more certain.
@safe struct ModuleValues {
  /// Half the width of the window of the mean, in modules.
  private static let reach = 7

  let values: ScratchArray<Int16>
  /// The mean grey value around each module.
  let means: ScratchArray<UInt8>
  private let columnSums: ScratchArray<Int32>

  init(arena: inout Arena) throws(ArenaFull) {
    values = try ScratchArray(DecoderLimits.sideModulesMax * DecoderLimits.sideModulesMax, arena: &arena)
    means = try ScratchArray(DecoderLimits.sideModulesMax * DecoderLimits.sideModulesMax, arena: &arena)
    columnSums = try ScratchArray(DecoderLimits.sideModulesMax, arena: &arena)
  }

  /// Decides all modules of a symbol.
  ///
  /// - Parameters:
  ///   - modules: grey values, columns · rows, row by row.
  ///   - sharpening: share of the difference from the mean of its four neighbours that is added to a module, in quarters.
  func decide(_ modules: ScratchArray<UInt8>, columns: Int, rows: Int, sharpening: Int, isInverted: Bool) {
    decide(modules, columns: columns, rows: rows, sharpening: sharpening, isInverted: isInverted, isHexagonal: false)
  }

  /// Decides all modules of a symbol of hexagons, which have six neighbours: odd rows lie half a module further right.
  func decideHexagons(_ modules: ScratchArray<UInt8>, columns: Int, rows: Int, sharpening: Int, isInverted: Bool) {
    decide(modules, columns: columns, rows: rows, sharpening: sharpening, isInverted: isInverted, isHexagonal: true)
  }

  @inline(__always) private func decide(
    _ modules: ScratchArray<UInt8>, columns: Int, rows: Int, sharpening: Int, isInverted: Bool, isHexagonal: Bool
  ) {
    precondition(columns > 1 && columns <= DecoderLimits.sideModulesMax && rows > 1 && rows <= DecoderLimits.sideModulesMax)
    precondition(modules.count >= columns * rows)
    let pixels = unsafe modules.base
    let reach = ModuleValues.reach
    let sign = isInverted ? 1 : -1
    columnSums.fill(0, count: columns)
    for row in 0..<min(reach, rows) { unsafe addRow(pixels, row: row, columns: columns, sign: 1) }
    for row in 0..<rows {
      if row + reach < rows { unsafe addRow(pixels, row: row + reach, columns: columns, sign: 1) }
      if row - reach - 1 >= 0 { unsafe addRow(pixels, row: row - reach - 1, columns: columns, sign: -1) }
      let height = min(rows - 1, row + reach) - max(0, row - reach) + 1
      var sum = 0
      for column in 0..<min(reach, columns) { sum += Int(columnSums[column]) }
      let up = row > 0 ? -columns : 0
      let down = row < rows - 1 ? columns : 0
      for column in 0..<columns {
        if column + reach < columns { sum += Int(columnSums[column + reach]) }
        if column - reach - 1 >= 0 { sum -= Int(columnSums[column - reach - 1]) }
        let width = min(columns - 1, column + reach) - max(0, column - reach) + 1
        let place = row &* columns &+ column
        let value = unsafe Int(pixels[place])
        let left = column > 0 ? place &- 1 : place
        let right = column < columns - 1 ? place &+ 1 : place
        var neighbours =
          unsafe Int(pixels[place &+ up]) &+ Int(pixels[place &+ down]) &+ Int(pixels[left]) &+ Int(pixels[right])
        if isHexagonal {
          let aside = row & 1 == 0 ? left : right
          neighbours = unsafe (neighbours &+ Int(pixels[aside &+ up]) &+ Int(pixels[aside &+ down])) &* 2 / 3
        }
        // In sixteenths of a grey level.
        let sharpened = 16 &* value &+ sharpening &* (4 &* value &- neighbours)
        let mean = 16 &* sum / (width &* height)
        means[place] = UInt8(truncatingIfNeeded: mean >> 4)
        values[place] = Int16(truncatingIfNeeded: sign &* (sharpened &- mean))
      }
    }
  }

  private func addRow(_ pixels: UnsafeMutablePointer<UInt8>, row: Int, columns: Int, sign: Int32) {
    let source = unsafe pixels + row * columns
    let sums = unsafe columnSums.base
    for column in 0..<columns { unsafe sums[column] = sums[column] &+ sign &* Int32(source[column]) }
  }

  /// Swaps rows and columns of a square symbol, which turns a mirrored symbol into a plain one.
  func transpose(size: Int) {
    for row in 1..<size {
      for column in 0..<row {
        let kept = values[row * size + column]
        values[row * size + column] = values[column * size + row]
        values[column * size + row] = kept
      }
    }
  }

  /// Swaps rows and columns of a square symbol about the diagonal from the bottom left to the top right, which turns a
  /// symbol mirrored about that diagonal into a plain one.
  func transposeAboutRisingDiagonal(size: Int) {
    for row in 0..<size {
      for column in 0..<(size - 1 - row) {
        let here = row * size + column
        let there = (size - 1 - column) * size + size - 1 - row
        let kept = values[here]
        values[here] = values[there]
        values[there] = kept
      }
    }
  }
}
