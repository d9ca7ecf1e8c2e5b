// A MicroPDF417 symbol, from its sides to its message. Of the sizes with the right number of columns, the symbol has the one
// whose row address patterns fit best along both sides, and lies where they fit best.

import BarcodeTypes

/// Reads symbols between known sides.
@safe struct MicroPDF417SymbolReader {
  /// Check codewords left unused, so that no symbol is corrected into another one.
  private static let margin = 2
  /// Work units for reading a row address, and for placing a row.
  private static let addressCost = 35
  private static let placeCost = 20
  /// The most sizes tried.
  private static let sizeCountMax = 2
  /// Mean fit of the row addresses on either side from which a symbol is certain, see `RowAddressColumn.Placement`.
  private static let sureMeanMin = 48
  /// Greatest difference in height between the first rows expected on both sides, in rows.
  private static let skewMax = 4

  private var matcher: CodewordMatcher
  private var codewords: StackedCodewords
  private var left: RowAddressColumn
  private var right: RowAddressColumn

  init(arena: inout Arena) throws(ArenaFull) {
    matcher = try CodewordMatcher(arena: &arena)
    codewords = try StackedCodewords(arena: &arena)
    left = try RowAddressColumn(arena: &arena)
    right = try RowAddressColumn(arena: &arena)
  }

  /// A size, and its place in a grid whose rows are the heights at which the row addresses were read.
  private struct Placement {
    var size: MicroPDF417Size
    var left: RowAddressColumn.Placement
    var right: RowAddressColumn.Placement

    var score: Int { left.score + right.score }
  }

  /// Reads the symbol between two sides in a picture `scale` times smaller than the scene. Returns whether there was a
  /// symbol.
  mutating func read(
    _ sides: MicroPDF417Sides, _ region: StripeRegion, _ luma: LumaView, scale: Int, _ scene: inout Scene
  ) -> Bool {
    matcher.isInverted = sides.isInverted
    matcher.sharpening = 160
    var region = region
    region.slope = sides.slope
    let extent = SideExtent(sides.start, sides.stop, region, stepCountMax: RowAddressColumn.stepCountMax)
    guard extent.stepCount >= 4,
      var strip = StackedGrid(
        layout: MicroPDF417Size.layout(columnCount: sides.columnCount), rowCount: extent.stepCount,
        quad: extent.quad(sides.start, sides.stop)),
      readAddresses(&strip, luma, &scene.budget)
    else { return false }
    var scoreMax = Int.max
    var best: StackedGrid?
    for _ in 0..<MicroPDF417SymbolReader.sizeCountMax {
      guard let placement = place(strip, extent, sides, below: scoreMax, &scene.budget) else { break }
      scoreMax = placement.score
      guard let grid = makeGrid(strip, placement) else { continue }
      if read(grid, placement.size, luma, scale: scale, &scene) { return true }
      if isSure(placement), best == nil { best = grid }
    }
    if let best {
      scene.results.locate(.micropdf417, corners: best.quad.corners(scale: scale), moduleCount: best.layout.width)
    }
    return false
  }

  /// Whether a placement certainly belongs to a symbol, even if it is not read: the row addresses of all its rows fit on
  /// both sides.
  private func isSure(_ placement: Placement) -> Bool {
    placement.left.mean >= MicroPDF417SymbolReader.sureMeanMin && placement.right.mean >= MicroPDF417SymbolReader.sureMeanMin
  }

  /// Reads the row addresses of both sides at all heights of a grid, after measuring its outer columns. False if the budget
  /// is spent.
  private mutating func readAddresses(_ grid: inout StackedGrid, _ luma: LumaView, _ budget: inout WorkBudget) -> Bool {
    guard budget.spend(2 * grid.rowCount * MicroPDF417SymbolReader.addressCost) else { return false }
    grid.trackBoundaries(luma, isInverted: matcher.isInverted, from: .both, limit: 0, reach: StackedGrid.shortReach)
    left.read(grid, luma, column: 0, &matcher)
    right.read(grid, luma, column: grid.layout.columnCount - 1, &matcher)
    return true
  }

  /// The size that fits best among those with a score below `scoreMax`.
  private func place(
    _ grid: StackedGrid, _ extent: SideExtent, _ sides: MicroPDF417Sides, below scoreMax: Int, _ budget: inout WorkBudget
  ) -> Placement? {
    var best: Placement?
    let end = grid.rowCount << 8
    // The place among the row addresses at the upper and lower end of a side.
    func rows(_ line: RowLine, _ x: Int) -> (upper: Int, lower: Int) {
      (line.place(at: extent.v(of: grid.map(x, 0))), line.place(at: extent.v(of: grid.map(x, end))))
    }
    let leftRows = rows(sides.leftRows, 0)
    let rightRows = rows(sides.rightRows, grid.layout.width << 8)
    guard leftRows.upper != leftRows.lower, rightRows.upper != rightRows.lower else { return nil }
    /// The height at which a row address is expected to begin: of all its repetitions in the cycle, the one nearest to
    /// `wanted`.
    func height(ofRow row: Int, _ rows: (upper: Int, lower: Int), near wanted: Int) -> Int {
      let perHeight = rows.lower - rows.upper
      let there = rows.upper + (perHeight * wanted) / end - row << 16
      let cycle = MicroPDF417Tables.addressCount << 16
      let turns = (there + (there >= 0 ? cycle / 2 : -cycle / 2)) / cycle
      return (row << 16 + turns * cycle - rows.upper) * end / perHeight
    }
    for index in 0..<MicroPDF417Size.count {
      let size = MicroPDF417Tables.size(index)
      guard size.columnCount == sides.columnCount else { continue }
      let leftHeight = (size.rowCount << 16) * end / (leftRows.lower - leftRows.upper)
      let rightHeight = (size.rowCount << 16) * end / (rightRows.lower - rightRows.upper)
      // The symbol is near the middle of the heights.
      let leftFirst = height(ofRow: size.left, leftRows, near: (end - leftHeight) / 2)
      let rightFirst = height(ofRow: size.right, rightRows, near: leftFirst)
      guard abs(rightFirst - leftFirst) * size.rowCount < abs(leftHeight) * MicroPDF417SymbolReader.skewMax,
        budget.spend(2 * size.rowCount * MicroPDF417SymbolReader.placeCost),
        let onLeft = left.place(
          rowCount: size.rowCount, address: size.left, first: leftFirst, last: leftFirst + leftHeight),
        let onRight = right.place(
          rowCount: size.rowCount, address: size.right, first: rightFirst, last: rightFirst + rightHeight)
      else { continue }
      let placement = Placement(size: size, left: onLeft, right: onRight)
      if scoreMax > placement.score, placement.score > (best?.score ?? Int.min) { best = placement }
    }
    return best
  }

  private func makeGrid(_ strip: StackedGrid, _ placement: Placement) -> StackedGrid? {
    let right = strip.layout.width << 8
    let quad = SubpixelQuad(
      topLeft: strip.map(0, placement.left.first), topRight: strip.map(right, placement.right.first),
      bottomRight: strip.map(right, placement.right.last), bottomLeft: strip.map(0, placement.left.last))
    return StackedGrid(layout: strip.layout, rowCount: placement.size.rowCount, quad: quad)
  }

  /// Reads the codewords of a grid and their message.
  private mutating func read(
    _ flat: StackedGrid, _ size: MicroPDF417Size, _ luma: LumaView, scale: Int, _ scene: inout Scene
  ) -> Bool {
    var grid = flat
    grid.trackBoundaries(luma, isInverted: matcher.isInverted, from: .both, reach: StackedGrid.shortReach)
    let cells = CodewordCells(
      columnCount: size.columnCount, firstColumn: 1, gapBefore: MicroPDF417Size.centerColumn(size.columnCount),
      firstCluster: size.cluster(ofRow: 0))
    for attempt in 0..<(scene.effort == .still ? 3 : 1) {
      matcher.sharpening = attempt == 0 ? 160 : attempt == 1 ? 400 : 0
      let isRead = codewords.read(grid, cells, luma, &matcher, &scene.budget)
      guard isRead else { return false }
      scene.progress.reach(.codewords, agreement: codewords.certainPercent)
      guard
        let corrected = codewords.correct(
          checkCount: size.checkCount, margin: MicroPDF417SymbolReader.margin, &scene.budget)
      else { continue }
      if codewords.report(
        0..<(size.codewordCount - size.checkCount), as: .micropdf417,
        grid.appearance(luma, isInverted: matcher.isInverted, scale: scale), cost: (corrected, size.checkCount),
        lineCount: grid.rowCount, &scene)
      {
        return true
      }
    }
    return false
  }
}
