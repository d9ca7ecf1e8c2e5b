// A PDF417 symbol, from its sides to its message. Row indicators read at many heights of both sides give rows and shape, the
// boundaries of the columns bend the grid, and each cell gives its most likely codeword.

import BarcodeTypes

/// Reads symbols between known sides.
@safe struct PDF417SymbolReader {
  /// The most heights at which the row indicators are read.
  private static let stepCountMax = 480
  /// The most heights for which both sides are also taken together: symbols with more rows have enough of them on each side.
  private static let levelStepCountMax = 64
  /// Least confidence of a row indicator that counts, in 1/256.
  private static let voteConfidenceMin = 40
  /// Least rows per step, times 65536: a step is as high as a module is wide, and rows are up to 16 modules high.
  private static let rowsPerStepMin = 4096
  /// Check codewords left unused, so that no symbol is corrected into another one.
  private static let margin = 2

  private var matcher: CodewordMatcher
  private var codewords: StackedCodewords
  private let votes: ScratchArray<RowVote>
  /// The codewords that the votes come from.
  private let indicators: ScratchArray<UInt16>

  init(arena: inout Arena) throws(ArenaFull) {
    matcher = try CodewordMatcher(arena: &arena)
    codewords = try StackedCodewords(arena: &arena)
    votes = try ScratchArray(2 * PDF417SymbolReader.stepCountMax, arena: &arena)
    indicators = try ScratchArray(2 * PDF417SymbolReader.stepCountMax, arena: &arena)
  }

  /// The result of reading the row indicators of both sides.
  private struct Rows {
    /// The grid whose rows are the steps of the votes.
    var grid: StackedGrid
    /// Whether the grid includes the right row indicators and the stop pattern.
    var isComplete: Bool
    var left: StackedRowFit?
    var right: StackedRowFit?
    var shape: PDF417Shape
  }

  /// Reads the symbol between two sides in a picture `scale` times smaller than the scene. Returns whether there was a
  /// symbol.
  mutating func read(
    _ sides: PDF417Sides, _ region: StripeRegion, _ luma: LumaView, scale: Int, _ scene: inout Scene
  ) -> Bool {
    matcher.isInverted = sides.isInverted
    matcher.sharpening = 160
    guard let strip = makeStrip(sides, region) else { return false }
    let isComplete = sides.stop != nil
    if let rows = readRows(strip, isComplete: isComplete, luma, &scene.budget),
      read(rows, luma, scale: scale, &scene)
    {
      return true
    }
    // Few rows show on each side, and other bars may be near them: both sides together show the rows better.
    guard isComplete, strip.rowCount <= PDF417SymbolReader.levelStepCountMax,
      let rows = readRows(strip, isComplete: true, isLevel: true, luma, &scene.budget)
    else { return false }
    return read(rows, luma, scale: scale, &scene)
  }

  /// Reads the symbol whose rows are known, first as they are, then along those that the first attempt gives.
  private mutating func read(_ found: Rows, _ luma: LumaView, scale: Int, _ scene: inout Scene) -> Bool {
    var rows = found
    for round in 0..<2 {
      guard let grid = makeGrid(rows) else { return false }
      if read(grid, rows.shape, isComplete: rows.isComplete, luma, scale: scale, &scene) { return true }
      // Read once more along the rows found, which give the perspective better than the sides.
      guard round == 0,
        let steps = StackedGrid(layout: grid.layout, rowCount: 4 * rows.shape.rowCount, quad: grid.quad),
        let again = readRows(steps, isComplete: rows.isComplete, luma, &scene.budget)
      else { return false }
      rows = again
    }
    return false
  }

  /// The strip between the sides; without a stop pattern, only the start pattern and row indicators.
  private func makeStrip(_ sides: PDF417Sides, _ region: StripeRegion) -> StackedGrid? {
    let extent = SideExtent(sides.start, sides.stop, region, stepCountMax: PDF417SymbolReader.stepCountMax)
    guard extent.stepCount >= 4 else { return nil }
    guard let stop = sides.stop else {
      return StackedGrid(
        layout: layout(columnCount: 0, isComplete: false), rowCount: extent.stepCount,
        quad: extent.quad(sides.start, modules: sides.isReversed ? -35 : 35))
    }
    let columnCount = (SideExtent.moduleCount(sides.start, stop) - 69 + 8) / 17
    return StackedGrid(
      layout: layout(columnCount: max(1, min(30, columnCount)), isComplete: true), rowCount: extent.stepCount,
      quad: extent.quad(sides.start, stop))
  }

  /// Start pattern, row indicator, codewords, then row indicator and stop pattern, or the last bar of Compact PDF417.
  private func layout(columnCount: Int, isComplete: Bool) -> StackedLayout {
    var layout = StackedLayout()
    for _ in 0..<(columnCount + 2) { layout.append(17) }
    if isComplete { layout.append(17) }
    layout.append(isComplete ? 18 : 1)
    return layout
  }

  /// Reads the row indicators at all steps of a grid, and determines the rows and the shape of the symbol.
  ///
  /// - Parameter isLevel: whether to take the rows to be equally high, and at the same heights, on both sides.
  private mutating func readRows(
    _ flat: StackedGrid, isComplete: Bool, isLevel: Bool = false, _ luma: LumaView, _ budget: inout WorkBudget
  ) -> Rows? {
    var grid = flat
    guard grid.rowCount <= PDF417SymbolReader.stepCountMax else { return nil }
    grid.trackBoundaries(luma, isInverted: matcher.isInverted, from: isComplete ? .both : .left, limit: 2)
    let leftCount = readSide(grid, column: 1, firstVote: 0, luma, &budget)
    var left = StackedRowFit(votes, first: 0, count: leftCount, slopeMin: PDF417SymbolReader.rowsPerStepMin)
    var right: StackedRowFit?
    var rightCount = 0
    let rightFirst = isLevel ? leftCount : PDF417SymbolReader.stepCountMax
    if isComplete {
      rightCount = readSide(grid, column: grid.layout.columnCount - 2, firstVote: rightFirst, luma, &budget)
      right = StackedRowFit(
        votes, first: rightFirst, count: rightCount, slopeMin: PDF417SymbolReader.rowsPerStepMin)
    }
    if isLevel {
      left = StackedRowFit(votes, first: 0, count: leftCount + rightCount, slopeMin: PDF417SymbolReader.rowsPerStepMin)
      right = left
    }
    // The sides contradict each other: the one with less weight is wrong.
    if let a = left, let b = right,
      (a.slope > 0) != (b.slope > 0) || abs(a.slope) > 2 * abs(b.slope)
        || abs(b.slope) > 2 * abs(a.slope)
    {
      if a.weight > b.weight { right = nil } else { left = nil }
    }
    var counts = PDF417IndicatorVotes()
    if let left { count(left, first: 0, count: leftCount, isRight: false, &counts) }
    if let right { count(right, first: rightFirst, count: rightCount, isRight: true, &counts) }
    guard let shape = counts.shape else { return nil }
    return Rows(grid: grid, isComplete: isComplete, left: left, right: right, shape: shape)
  }

  /// Reads the row indicators of a side; returns the number of votes stored from `firstVote` on.
  private mutating func readSide(
    _ grid: StackedGrid, column: Int, firstVote: Int, _ luma: LumaView, _ budget: inout WorkBudget
  ) -> Int {
    let sampling = StackedSampling(lineOf: grid.size(grid.layout.start(column) << 8, grid.rowCount << 7).module)
    var count = 0
    for step in 0..<grid.rowCount {
      guard budget.spend(StackedCodewords.cellCost + matcher.takeWork()) else { return count }
      grid.read(luma, column: column, y: step << 8 + 128, sampling, into: matcher.values)
      matcher.prepareCodeword()
      let match = matcher.matchAny()
      guard match.value < 900, match.confidence >= PDF417SymbolReader.voteConfidenceMin else { continue }
      votes[firstVote + count] = RowVote(
        step: Int32(step), row: Int32(3 * (match.value / 30) + match.cluster), weight: Int32(min(256, match.confidence)))
      indicators[firstVote + count] = UInt16(match.value)
      count += 1
    }
    return count
  }

  /// Counts the symbol properties encoded in the votes that agree with the row fit.
  private func count(
    _ fit: StackedRowFit, first: Int, count: Int, isRight: Bool, _ counts: inout PDF417IndicatorVotes
  ) {
    for index in first..<(first + count) where fit.agrees(votes[index]) {
      counts.add(
        Int(indicators[index]), cluster: Int(votes[index].row) % 3, isRight: isRight, weight: Int(votes[index].weight))
    }
  }

  /// The grid of the whole symbol. Each side's rows follow its own indicators or, without any, those of the other side.
  /// Without a stop pattern, the left side is extrapolated.
  private func makeGrid(_ rows: Rows) -> StackedGrid? {
    guard var left = rows.left ?? rows.right else { return nil }
    var right = rows.right ?? left
    left.agree(with: &right, rowCount: rows.shape.rowCount)
    let layout = layout(columnCount: rows.shape.columnCount, isComplete: rows.isComplete)
    let known = rows.grid.layout.width
    func point(_ fit: StackedRowFit, ofRow row: Int, isRight: Bool) -> SubpixelPoint {
      let height = fit.height(ofRow: row)
      let near = rows.grid.map(0, height)
      guard isRight else { return near }
      let end = rows.grid.map(known << 8, height)
      guard !rows.isComplete else { return end }
      return SubpixelPoint(
        x: near.x + (end.x - near.x) * layout.width / known, y: near.y + (end.y - near.y) * layout.width / known)
    }
    let rowCount = rows.shape.rowCount
    let quad = SubpixelQuad(
      topLeft: point(left, ofRow: 0, isRight: false), topRight: point(right, ofRow: 0, isRight: true),
      bottomRight: point(right, ofRow: rowCount, isRight: true), bottomLeft: point(left, ofRow: rowCount, isRight: false))
    return StackedGrid(layout: layout, rowCount: rowCount, quad: quad)
  }

  /// Reads the codewords of a grid and their message.
  private mutating func read(
    _ flat: StackedGrid, _ shape: PDF417Shape, isComplete: Bool, _ luma: LumaView, scale: Int, _ scene: inout Scene
  ) -> Bool {
    var grid = flat
    grid.trackBoundaries(luma, isInverted: matcher.isInverted, from: isComplete ? .both : .left)
    let cells = CodewordCells(columnCount: shape.columnCount, firstColumn: 2, firstCluster: 0)
    for attempt in 0..<(scene.effort == .still ? 3 : 1) {
      matcher.sharpening = attempt == 0 ? 160 : attempt == 1 ? 400 : 0
      let isRead = codewords.read(grid, cells, luma, &matcher, &scene.budget)
      guard isRead else { return false }
      scene.progress.reach(.codewords, agreement: codewords.certainPercent)
      guard
        let corrected = codewords.correct(
          checkCount: shape.checkCount, margin: PDF417SymbolReader.margin, &scene.budget)
      else { continue }
      // The first codeword is the number of data codewords (§4.3.4).
      let dataCount = shape.codewordCount - shape.checkCount
      if codewords.values[0] == dataCount,
        codewords.report(
          1..<max(1, dataCount), as: .pdf417, grid.appearance(luma, isInverted: matcher.isInverted, scale: scale),
          cost: (corrected, shape.checkCount), lineCount: grid.rowCount, &scene)
      {
        return true
      }
    }
    return false
  }
}
