// One MicroPDF417 symbol, from its sides to its message. The row address patterns of both sides, read at many heights, count
// rows from an unknown one; of the sizes that have so many columns, the one whose addresses fit best is the symbol's.

import BarcodeTypes

/// Reads symbols between known sides.
@safe struct MicroPDF417SymbolReader {
  /// Heights at which row addresses are read at most.
  private static let stepCountMax = 480
  /// Least confidence of a row address that counts, in 1/256.
  private static let voteConfidenceMin = 16
  /// Least rows a step, times 65536.
  private static let rowsPerStepMin = 4096
  /// Check codewords left unused, so that no symbol is corrected into another one.
  private static let margin = 2
  /// Work units of a codeword that is read, without matching it, and of a row address.
  private static let cellCost = 30
  private static let addressCost = 30
  /// Sizes tried.
  private static let sizeCountMax = 2

  private var matcher: CodewordMatcher
  private var codewords: StackedCodewords
  private let votes: ScratchArray<RowVote>

  /// Nil if the arena is full.
  init?(arena: inout Arena) {
    guard let matcher = CodewordMatcher(arena: &arena), let codewords = StackedCodewords(arena: &arena),
      let votes = ScratchArray<RowVote>(2 * MicroPDF417SymbolReader.stepCountMax, arena: &arena)
    else { return nil }
    self.matcher = matcher
    self.codewords = codewords
    self.votes = votes
  }

  /// What the row addresses of both sides say.
  private struct Rows {
    /// Its rows are the steps of the votes.
    var grid: StackedGrid
    var left: StackedRowFit
    var right: StackedRowFit
    var leftCount: Int
    var rightCount: Int
  }

  /// A size, and the number of its first row on each side as the fits count them.
  private struct Placement {
    var size: MicroPDF417Size
    var leftRow: Int
    var rightRow: Int
    var score: Int
  }

  /// Reads the symbol between two sides in a picture `scale` times smaller than the scene. Returns whether there was one.
  mutating func read(
    _ sides: MicroPDF417Sides, _ region: StripeRegion, _ luma: LumaView, scale: Int, _ scene: inout Scene
  ) -> Bool {
    matcher.isInverted = sides.isInverted
    matcher.sharpening = 160
    var region = region
    region.slope = sides.slope
    let extent = SideExtent(
      sides.start, sides.stop, region, stepCountMax: MicroPDF417SymbolReader.stepCountMax)
    guard extent.stepCount >= 4,
      let strip = StackedGrid(
        layout: MicroPDF417Size.layout(columnCount: sides.columnCount), rowCount: extent.stepCount,
        quad: extent.quad(sides.start, sides.stop)),
      let rows = readRows(strip, extent, sides, luma, &scene.budget)
    else { return false }
    var scoreMax = Int.max
    for _ in 0..<MicroPDF417SymbolReader.sizeCountMax {
      guard let placement = place(rows, columnCount: sides.columnCount, below: scoreMax) else { return false }
      scoreMax = placement.score
      guard let grid = makeGrid(rows, placement) else { continue }
      if read(grid, placement.size, luma, scale: scale, &scene) { return true }
      // Once more along the rows found, which tell the perspective better than the sides do.
      guard
        let steps = StackedGrid(layout: grid.layout, rowCount: 4 * placement.size.rowCount, quad: grid.quad),
        let again = readRows(steps, extent, sides, luma, &scene.budget),
        let better = place(again, columnCount: sides.columnCount, below: Int.max), let grid = makeGrid(again, better)
      else { continue }
      if read(grid, better.size, luma, scale: scale, &scene) { return true }
    }
    return false
  }

  /// Reads the row addresses at all steps of a grid.
  private mutating func readRows(
    _ flat: StackedGrid, _ extent: SideExtent, _ sides: MicroPDF417Sides, _ luma: LumaView, _ budget: inout WorkBudget
  ) -> Rows? {
    var grid = flat
    grid.trackBoundaries(luma, isInverted: matcher.isInverted, from: .both, limit: 0, reach: StackedGrid.shortReach)
    let leftCount = readSide(grid, column: 0, firstVote: 0, extent, sides.leftRows, luma, &budget)
    let rightCount = readSide(
      grid, column: grid.layout.columnCount - 1, firstVote: MicroPDF417SymbolReader.stepCountMax, extent,
      sides.rightRows, luma, &budget)
    guard let left = fit(first: 0, count: leftCount),
      let right = fit(first: MicroPDF417SymbolReader.stepCountMax, count: rightCount),
      (left.slope > 0) == (right.slope > 0)
    else { return nil }
    return Rows(grid: grid, left: left, right: right, leftCount: leftCount, rightCount: rightCount)
  }

  private func fit(first: Int, count: Int) -> StackedRowFit? {
    StackedRowFit(
      votes, first: first, count: count, slopeMin: MicroPDF417SymbolReader.rowsPerStepMin,
      cycle: MicroPDF417Tables.addressCount)
  }

  /// Reads the row addresses of one side; returns how many votes there are from `firstVote` on.
  private mutating func readSide(
    _ grid: StackedGrid, column: Int, firstVote: Int, _ extent: SideExtent, _ line: RowLine, _ luma: LumaView,
    _ budget: inout WorkBudget
  ) -> Int {
    let x = (column == 0 ? 0 : grid.layout.width) << 8
    let sampling = StackedSampling(lineOf: grid.size(grid.layout.start(column) << 8, grid.rowCount << 7).module)
    var count = 0
    for step in 0..<grid.rowCount {
      guard budget.spend(MicroPDF417SymbolReader.addressCost) else { return count }
      grid.read(luma, column: column, y: step << 8 + 128, sampling, into: matcher.values)
      matcher.prepareAddress()
      let near = line.row(at: extent.v(of: grid.map(x, step << 8 + 128)))
      let match = matcher.matchAddress(from: near - 2, count: 5)
      guard match.confidence >= MicroPDF417SymbolReader.voteConfidenceMin,
        match.score * 2 > 10 * match.amplitude
      else { continue }
      votes[firstVote + count] = RowVote(
        step: Int32(step), row: Int32(match.value), weight: Int32(min(256, match.confidence)))
      count += 1
    }
    return count
  }

  /// The best place of a symbol on the rows, of those that score less than a limit.
  private func place(_ rows: Rows, columnCount: Int, below scoreMax: Int) -> Placement? {
    var best: Placement?
    let cycle = MicroPDF417Tables.addressCount
    let middle = rows.left.row(at: rows.grid.rowCount / 2) >> 16
    for index in 0..<MicroPDF417Size.count {
      let size = MicroPDF417Tables.size(index)
      guard size.columnCount == columnCount else { continue }
      // The first row nearest to where it is if the symbol is in the middle of the steps, and those a cycle away.
      let wanted = middle - size.rowCount / 2 - size.left
      let turns = (wanted + (wanted >= 0 ? cycle / 2 : -cycle / 2)) / cycle
      let leftRow = size.left + turns * cycle
      // The right side's first row is the one of its numbers that lies nearest to the left side's height.
      let level = rows.right.row(at: rows.left.height(ofRow: leftRow) >> 8) >> 16
      let away = level - size.right
      let rightTurns = (away + (away >= 0 ? cycle / 2 : -cycle / 2)) / cycle
      let rightRow = size.right + rightTurns * cycle
      let score =
        score(rows.left, first: 0, count: rows.leftCount, from: leftRow, rowCount: size.rowCount, rows.grid.rowCount)
        + score(
          rows.right, first: MicroPDF417SymbolReader.stepCountMax, count: rows.rightCount, from: rightRow,
          rowCount: size.rowCount, rows.grid.rowCount)
      let skew = abs(level - rightRow)
      let total = score * 64 - skew * 64
      if scoreMax > total, total > (best?.score ?? Int.min) {
        best = Placement(size: size, leftRow: leftRow, rightRow: rightRow, score: total)
      }
    }
    return best
  }

  /// How well the votes of a side agree with rows being there and nowhere else: steps in those rows that agree, less those
  /// that do not, less those elsewhere that do.
  private func score(
    _ fit: StackedRowFit, first: Int, count: Int, from firstRow: Int, rowCount: Int, _ stepCount: Int
  ) -> Int {
    var inside = 0
    var outside = 0
    for index in first..<(first + count) where fit.agrees(votes[index]) {
      let row = fit.row(at: Int(votes[index].step)) >> 16
      if row >= firstRow, row < firstRow + rowCount { inside += 1 } else { outside += 1 }
    }
    let steps = rowCount * 65_536 / max(1, abs(fit.slope))
    return 2 * inside - steps - outside
  }

  private func makeGrid(_ rows: Rows, _ placement: Placement) -> StackedGrid? {
    let rowCount = placement.size.rowCount
    let right = rows.grid.layout.width << 8
    let quad = SubpixelQuad(
      topLeft: rows.grid.map(0, rows.left.height(ofRow: placement.leftRow)),
      topRight: rows.grid.map(right, rows.right.height(ofRow: placement.rightRow)),
      bottomRight: rows.grid.map(right, rows.right.height(ofRow: placement.rightRow + rowCount)),
      bottomLeft: rows.grid.map(0, rows.left.height(ofRow: placement.leftRow + rowCount)))
    return StackedGrid(layout: rows.grid.layout, rowCount: rowCount, quad: quad)
  }

  /// Reads the codewords of a grid and their message.
  private mutating func read(
    _ flat: StackedGrid, _ size: MicroPDF417Size, _ luma: LumaView, scale: Int, _ scene: inout Scene
  ) -> Bool {
    var grid = flat
    grid.trackBoundaries(luma, isInverted: matcher.isInverted, from: .both, reach: StackedGrid.shortReach)
    let pixels = grid.size(grid.layout.width << 7, size.rowCount << 7)
    let sampling = StackedSampling(module: pixels.module, row: pixels.row)
    let center = MicroPDF417Size.centerColumn(size.columnCount)
    for attempt in 0..<(scene.effort == .still ? 3 : 1) {
      matcher.sharpening = attempt == 0 ? 160 : attempt == 1 ? 400 : 0
      codewords.removeAll()
      for row in 0..<size.rowCount {
        guard scene.budget.spend(size.columnCount * MicroPDF417SymbolReader.cellCost + matcher.takeWork()) else {
          return false
        }
        for column in 0..<size.columnCount {
          let cell = column + (center > 0 && column >= center ? 2 : 1)
          grid.read(luma, column: cell, y: row << 8 + 128, sampling, into: matcher.values)
          matcher.prepareCodeword()
          codewords.append(matcher.match(cluster: size.cluster(ofRow: row)))
        }
      }
      guard
        let corrected = codewords.correct(
          checkCount: size.checkCount, margin: MicroPDF417SymbolReader.margin, &scene.budget)
      else { continue }
      if commit(grid, size, corrected: corrected, luma, scale: scale, &scene) { return true }
    }
    return false
  }

  private mutating func commit(
    _ grid: StackedGrid, _ size: MicroPDF417Size, corrected: Int, _ luma: LumaView, scale: Int, _ scene: inout Scene
  ) -> Bool {
    var reader = StackedMessageReader(
      codewords.values, first: 0, end: size.codewordCount - size.checkCount, isMicro: true)
    guard let message = reader.read(into: &scene.results) else {
      scene.results.drop()
      return false
    }
    var symbol = DecodedSymbol(
      symbology: .micropdf417, aimModifier: message.aimModifier,
      corners: grid.corners(luma, isInverted: matcher.isInverted, scale: scale))
    symbol.isGS1 = message.isGS1
    symbol.structuredAppend = message.structuredAppend
    symbol.isInverted = matcher.isInverted
    symbol.isMirrored = grid.isMirrored
    symbol.correctedCodewordCount = UInt16(corrected)
    symbol.confidence = UInt8(max(1, 100 - 90 * corrected / max(1, size.checkCount)))
    symbol.lineCount = UInt8(min(255, size.rowCount))
    scene.results.commit(symbol)
    return true
  }
}
