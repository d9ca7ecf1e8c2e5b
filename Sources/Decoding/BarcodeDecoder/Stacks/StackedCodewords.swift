// The codewords read from a symbol, with their confidence, and their correction.

import BarcodeTypes

/// The places of codewords in a grid.
struct CodewordCells: BitwiseCopyable {
  /// Columns of codewords.
  var columnCount: Int
  /// The grid's column of the first codeword, and the codeword before which a column of the grid is passed over; 0: none.
  var firstColumn: Int
  var gapBefore = 0
  /// The cluster of the first row's codewords, 0...2; each further row has the next one.
  var firstCluster: Int

  /// The grid's column of a codeword.
  func column(_ index: Int) -> Int { firstColumn + index + (gapBefore > 0 && index >= gapBefore ? 1 : 0) }
}

/// Codewords read, and the confidence of each.
@safe struct StackedCodewords {
  /// The most codewords of a PDF417 symbol (ISO/IEC 15438 §4.3.1).
  static let countMax = 928
  /// Check codewords of security level 8.
  private static let checkCountMax = 512

  let values: ScratchArray<UInt16>
  private let confidences: ScratchArray<UInt16>
  private let erasures: ScratchArray<UInt16>
  private(set) var count = 0
  private let reedSolomon: ReedSolomon<PrimeField929>
  /// The bits of a component and their text.
  private let bits: ScratchArray<UInt8>
  private let text: ScratchArray<UInt8>

  /// Work units for reading a cell without matching it.
  static let cellCost = 30
  /// The most bytes of a component's bits, six for five codewords, and of its text, two digits for seven bits.
  private static let componentByteCountMax = (bits: 1120, text: 2560)

  init(arena: inout Arena) throws(ArenaFull) {
    let count = StackedCodewords.countMax
    values = try ScratchArray(count, arena: &arena)
    confidences = try ScratchArray(count, arena: &arena)
    erasures = try ScratchArray(count, arena: &arena)
    bits = try ScratchArray(StackedCodewords.componentByteCountMax.bits, arena: &arena)
    text = try ScratchArray(StackedCodewords.componentByteCountMax.text, arena: &arena)
    reedSolomon = try ReedSolomon(
      field: PrimeField929(arena: &arena), firstRoot: 1, checkCountMax: StackedCodewords.checkCountMax, arena: &arena)
  }

  mutating func removeAll() { count = 0 }

  /// Reads the codewords of a grid, row by row. Returns false if the budget is spent.
  mutating func read(
    _ grid: StackedGrid, _ cells: CodewordCells, _ luma: LumaView, _ matcher: inout CodewordMatcher,
    _ budget: inout WorkBudget
  ) -> Bool {
    let size = grid.size(grid.layout.width << 7, grid.rowCount << 7)
    let sampling = StackedSampling(module: size.module, row: size.row)
    removeAll()
    for row in 0..<grid.rowCount {
      guard budget.spend(cells.columnCount * StackedCodewords.cellCost + matcher.takeWork()) else { return false }
      for index in 0..<cells.columnCount {
        grid.read(luma, column: cells.column(index), y: row << 8 + 128, sampling, into: matcher.values)
        matcher.prepareCodeword()
        append(matcher.match(cluster: (cells.firstCluster + row) % 3))
      }
    }
    return true
  }

  /// Appends a codeword, with its `CodewordMatch.confidence`.
  mutating func append(_ match: CodewordMatch) {
    guard count < StackedCodewords.countMax else { return }
    values[count] = UInt16(match.value)
    confidences[count] = UInt16(clamping: match.confidence)
    count += 1
  }

  private var isAllZero: Bool {
    for index in 0..<count where values[index] != 0 { return false }
    return true
  }

  /// Number of codewords below a confidence.
  func doubtfulCount(below confidence: Int) -> Int {
    var doubtful = 0
    for index in 0..<count where Int(confidences[index]) < confidence { doubtful += 1 }
    return doubtful
  }

  /// The share of the codewords that are not doubtful, in percent.
  var certainPercent: Int { (count - doubtfulCount(below: 48)) * 100 / max(1, count) }

  /// Corrects the codewords, treating more and more of the doubtful ones as erased.
  ///
  /// - Parameter margin: check codewords that must stay unused.
  /// - Returns: number of codewords changed, or nil if they cannot be corrected.
  mutating func correct(checkCount: Int, margin: Int, _ budget: inout WorkBudget) -> Int? {
    // An empty area reads as codewords that are all 0, which no check codeword contradicts.
    guard doubtfulCount(below: 16) + margin <= checkCount, !isAllZero else { return nil }
    var lastErasureCount = -1
    for threshold in 0..<7 {
      var erasureCount = 0
      for index in 0..<count where Int(confidences[index]) < threshold * 24 {
        erasures[erasureCount] = UInt16(index)
        erasureCount += 1
      }
      guard erasureCount + margin <= checkCount else { return nil }
      if erasureCount == lastErasureCount { continue }
      lastErasureCount = erasureCount
      guard budget.spend(checkCount * (count + 3 * checkCount) / 10) else { return nil }
      let changed = reedSolomon.correct(
        values, count: count, checkCount: checkCount, erasures: erasures, erasureCount: erasureCount,
        correctionMax: (checkCount - erasureCount - margin) / 2)
      if let changed { return changed }
    }
    return nil
  }

  /// Reports the message in a range of the codewords. Returns false if there is no message.
  ///
  /// - Parameter cost: the number of corrected codewords, and that of the check codewords.
  func report(
    _ range: Range<Int>, as symbology: Symbology, _ appearance: SymbolAppearance, cost: (corrected: Int, checkCount: Int),
    lineCount: Int, _ scene: inout Scene
  ) -> Bool {
    if !range.isEmpty, values[range.lowerBound] == StackedFunction.linkage {
      return reportComponent(range, as: symbology, isNarrow: false, appearance, cost: cost, &scene)
    }
    guard scene.wants(symbology) else { return false }
    var reader = StackedMessageReader(
      values, first: range.lowerBound, end: range.upperBound, isMicro: symbology == .micropdf417)
    guard let message = reader.read(into: &scene.results) else {
      scene.results.refuse()
      return false
    }
    var symbol = DecodedSymbol(
      symbology: symbology, aimModifier: message.aimModifier, corners: appearance.corners)
    symbol.isGS1 = message.isGS1
    symbol.structuredAppend = message.structuredAppend
    symbol.isInverted = appearance.isInverted
    symbol.isMirrored = appearance.isMirrored
    symbol.correctedCodewordCount = UInt16(cost.corrected)
    symbol.confidence = UInt8(max(1, 100 - 90 * cost.corrected / max(1, cost.checkCount)))
    symbol.lineCount = UInt8(min(255, lineCount))
    scene.results.commit(symbol)
    return true
  }

  /// Reports the two-dimensional component of a GS1 Composite symbol in a range of the codewords. Returns false if it has no
  /// message, or the settings ignore it.
  ///
  /// - Parameter isNarrow: whether it is a CC-A, whose codewords are bits; in others, they encode bytes after a flag.
  func reportComponent(
    _ range: Range<Int>, as symbology: Symbology, isNarrow: Bool, _ appearance: SymbolAppearance,
    cost: (corrected: Int, checkCount: Int), _ scene: inout Scene
  ) -> Bool {
    guard scene.settings.composite == .wait else { return false }
    var bits = ComponentBits(self.bits)
    if isNarrow {
      guard bits.append(base928: values, count: range.upperBound) else { return false }
    } else {
      guard range.count > 2, values[range.lowerBound] == StackedFunction.linkage else { return false }
      defer { scene.results.drop() }
      var reader = StackedMessageReader(values, first: range.lowerBound + 1, end: range.upperBound, isMicro: false)
      guard reader.read(into: &scene.results) != nil else { return false }
      for index in 0..<scene.results.pendingByteCount { bits.append(byte: scene.results.pendingByte(index)) }
    }
    guard let byteCount = ComponentMessage(bits, into: text).write() else { return false }
    for index in 0..<byteCount where !scene.results.append(text[index]) {
      scene.results.drop()
      return false
    }
    var symbol = DecodedSymbol(symbology: symbology, aimModifier: 0x30, corners: appearance.corners)
    symbol.isGS1 = true
    symbol.isInverted = appearance.isInverted
    symbol.isMirrored = appearance.isMirrored
    symbol.correctedCodewordCount = UInt16(cost.corrected)
    symbol.confidence = UInt8(max(1, 100 - 90 * cost.corrected / max(1, cost.checkCount)))
    scene.results.commit(symbol, isComponent: true)
    return true
  }
}
