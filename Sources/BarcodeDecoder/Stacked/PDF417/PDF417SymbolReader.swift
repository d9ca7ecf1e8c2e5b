// One PDF417 symbol, from its sides to its message: what the row indicators say at many heights of both sides gives rows and
// shape, the boundaries of the columns bend the grid, and each cell gives its most likely codeword.

import BarcodeTypes

/// Reads symbols between known sides.
@safe struct PDF417SymbolReader {
  /// Heights at which the row indicators are read at most.
  private static let stepCountMax = 480
  /// Least confidence of a row indicator that counts, in 1/256.
  private static let voteConfidenceMin = 40
  /// Least rows a step, which is as high as a module is wide, times 65536: rows are up to 16 modules high.
  private static let rowsPerStepMin = 4096
  /// Check codewords left unused, so that no symbol is corrected into another one.
  private static let margin = 2
  /// Work units of a cell that is read and matched.
  private static let cellCost = 130

  private var matcher: CodewordMatcher
  private var codewords: StackedCodewords
  private let votes: ScratchArray<RowVote>
  /// The codewords behind the votes.
  private let indicators: ScratchArray<UInt16>

  /// Nil if the arena is full.
  init?(arena: inout Arena) {
    guard let matcher = CodewordMatcher(arena: &arena), let codewords = StackedCodewords(arena: &arena),
      let votes = ScratchArray<RowVote>(2 * PDF417SymbolReader.stepCountMax, arena: &arena),
      let indicators = ScratchArray<UInt16>(2 * PDF417SymbolReader.stepCountMax, arena: &arena)
    else { return nil }
    self.matcher = matcher
    self.codewords = codewords
    self.votes = votes
    self.indicators = indicators
  }

  /// What the row indicators of one side say.
  private struct SideRows {
    /// Start pattern and row indicator, or row indicator and stop pattern; its rows are the steps of the votes.
    var grid: StackedGrid
    var fit: StackedRowFit?
    var firstVote: Int
    var voteCount: Int
  }

  /// Reads the symbol between two sides in a picture `scale` times smaller than the scene. Returns whether there was one.
  mutating func read(
    _ sides: PDF417Sides, _ region: StripeRegion, _ luma: LumaView, scale: Int, _ scene: inout Scene
  ) -> Bool {
    matcher.isInverted = sides.isInverted
    matcher.sharpening = 160
    let extent = SideExtent(sides.start, sides.stop, region, stepCountMax: PDF417SymbolReader.stepCountMax)
    let direction = sides.isReversed ? -1 : 1
    var layout = StackedLayout()
    layout.append(17)
    layout.append(17)
    guard
      var left = readSide(
        extent.quad(sides.start, from: 0, to: 34 * direction), layout, extent, isRight: false, luma, &scene.budget)
    else { return false }
    var right: SideRows?
    if let stop = sides.stop {
      var layout = StackedLayout()
      layout.append(17)
      layout.append(18)
      right = readSide(
        extent.quad(stop, from: -35 * direction, to: 0), layout, extent, isRight: true, luma, &scene.budget)
    }
    // Sides that contradict each other: the one with less to say is wrong.
    if let leftFit = left.fit, let rightFit = right?.fit, (leftFit.slope > 0) != (rightFit.slope > 0) {
      if leftFit.weight > rightFit.weight { right?.fit = nil } else { left.fit = nil }
    }
    guard let shape = shape(left, right), let grid = makeGrid(left, right, shape) else { return false }
    return read(grid, shape, isComplete: right != nil, luma, scale: scale, &scene)
  }

  /// Reads the row indicators of one side at all heights, and finds which rows they are.
  private mutating func readSide(
    _ quad: SubpixelQuad, _ layout: StackedLayout, _ extent: SideExtent, isRight: Bool, _ luma: LumaView,
    _ budget: inout WorkBudget
  ) -> SideRows? {
    guard extent.stepCount >= 4, var grid = StackedGrid(layout: layout, rowCount: extent.stepCount, quad: quad) else {
      return nil
    }
    grid.trackBoundaries(luma, isInverted: matcher.isInverted, from: isRight ? .right : .left)
    let sampling = StackedSampling(lineOf: grid.size(0, extent.stepCount << 7).module)
    let first = isRight ? PDF417SymbolReader.stepCountMax : 0
    var count = 0
    for step in 0..<extent.stepCount {
      guard budget.spend(3 * PDF417SymbolReader.cellCost) else { return nil }
      grid.read(luma, column: isRight ? 0 : 1, y: step << 8 + 128, sampling, into: matcher.values)
      matcher.prepareCodeword()
      let match = matcher.matchAny()
      guard match.value < 900, match.confidence >= PDF417SymbolReader.voteConfidenceMin else { continue }
      votes[first + count] = RowVote(
        step: Int32(step), row: Int32(3 * (match.value / 30) + match.cluster), weight: Int32(min(256, match.confidence)))
      indicators[first + count] = UInt16(match.value)
      count += 1
    }
    let fit = StackedRowFit(votes, first: first, count: count, slopeMin: PDF417SymbolReader.rowsPerStepMin)
    return SideRows(grid: grid, fit: fit, firstVote: first, voteCount: count)
  }

  /// What the votes that agree on the rows say of the symbol.
  private func shape(_ left: SideRows, _ right: SideRows?) -> PDF417Shape? {
    var counts = PDF417IndicatorVotes()
    count(left, isRight: false, &counts)
    if let right { count(right, isRight: true, &counts) }
    return counts.shape
  }

  private func count(_ side: SideRows, isRight: Bool, _ counts: inout PDF417IndicatorVotes) {
    guard let fit = side.fit else { return }
    for index in side.firstVote..<(side.firstVote + side.voteCount) where fit.agrees(votes[index]) {
      counts.add(
        Int(indicators[index]), cluster: Int(votes[index].row) % 3, isRight: isRight, weight: Int(votes[index].weight))
    }
  }

  /// The grid of the whole symbol: each side's rows where its indicators say, or those of the other side where it says
  /// nothing; without a stop pattern, the left side's pattern carried on.
  private func makeGrid(_ left: SideRows, _ right: SideRows?, _ shape: PDF417Shape) -> StackedGrid? {
    guard let leftFit = left.fit ?? right?.fit else { return nil }
    let rightFit = right?.fit ?? leftFit
    var layout = StackedLayout()
    for _ in 0..<(shape.columnCount + 2) { layout.append(17) }
    if right != nil { layout.append(17) }
    layout.append(right != nil ? 18 : 1)
    let top = leftFit.height(ofRow: 0)
    let bottom = leftFit.height(ofRow: shape.rowCount)
    func farPoint(ofRow row: Int) -> SubpixelPoint {
      if let right { return right.grid.map(35 << 8, rightFit.height(ofRow: row)) }
      let near = left.grid.map(0, leftFit.height(ofRow: row))
      let end = left.grid.map(34 << 8, leftFit.height(ofRow: row))
      return SubpixelPoint(
        x: near.x + (end.x - near.x) * layout.width / 34, y: near.y + (end.y - near.y) * layout.width / 34)
    }
    let quad = SubpixelQuad(
      topLeft: left.grid.map(0, top), topRight: farPoint(ofRow: 0),
      bottomRight: farPoint(ofRow: shape.rowCount), bottomLeft: left.grid.map(0, bottom))
    return StackedGrid(layout: layout, rowCount: shape.rowCount, quad: quad)
  }

  /// Reads the codewords of a grid and their message.
  private mutating func read(
    _ flat: StackedGrid, _ shape: PDF417Shape, isComplete: Bool, _ luma: LumaView, scale: Int, _ scene: inout Scene
  ) -> Bool {
    var grid = flat
    grid.trackBoundaries(luma, isInverted: matcher.isInverted, from: isComplete ? .both : .left)
    let size = grid.size(grid.layout.width << 7, shape.rowCount << 7)
    let sampling = StackedSampling(module: size.module, row: size.row)
    for attempt in 0..<(scene.settings.effort == .still ? 3 : 1) {
      matcher.sharpening = attempt == 0 ? 160 : attempt == 1 ? 400 : 0
      codewords.removeAll()
      guard scene.budget.spend(shape.codewordCount * PDF417SymbolReader.cellCost) else { return false }
      for row in 0..<shape.rowCount {
        for column in 0..<shape.columnCount {
          grid.read(luma, column: column + 2, y: row << 8 + 128, sampling, into: matcher.values)
          matcher.prepareCodeword()
          codewords.append(matcher.match(cluster: row % 3))
        }
      }
      guard
        let corrected = codewords.correct(
          checkCount: shape.checkCount, margin: PDF417SymbolReader.margin, &scene.budget)
      else { continue }
      if commit(grid, shape, corrected: corrected, scale: scale, &scene) { return true }
    }
    return false
  }

  /// Reports the message of the corrected codewords; the first one says how many of them are data (§4.3.4).
  private mutating func commit(
    _ grid: StackedGrid, _ shape: PDF417Shape, corrected: Int, scale: Int, _ scene: inout Scene
  ) -> Bool {
    let dataCount = shape.codewordCount - shape.checkCount
    guard codewords.values[0] == dataCount else { return false }
    var reader = StackedMessageReader(codewords.values, first: 1, end: dataCount, isMicro: false)
    guard let message = reader.read(into: &scene.results) else {
      scene.results.drop()
      return false
    }
    var symbol = DecodedSymbol(symbology: .pdf417, aimModifier: message.aimModifier, corners: grid.corners(scale: scale))
    symbol.isGS1 = message.isGS1
    symbol.structuredAppend = message.structuredAppend
    symbol.isInverted = matcher.isInverted
    symbol.isMirrored = grid.isMirrored
    symbol.correctedCodewordCount = UInt16(corrected)
    symbol.confidence = UInt8(max(1, 100 - 90 * corrected / max(1, shape.checkCount)))
    symbol.lineCount = UInt8(min(255, shape.rowCount))
    scene.results.commit(symbol)
    return true
  }
}
