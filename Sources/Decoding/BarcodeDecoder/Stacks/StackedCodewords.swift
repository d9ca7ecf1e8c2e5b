// The codewords read from a symbol, with their confidence, and their correction.

import BarcodeTypes

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

  init(arena: inout Arena) throws(ArenaFull) {
    let count = StackedCodewords.countMax
    values = try ScratchArray(count, arena: &arena)
    confidences = try ScratchArray(count, arena: &arena)
    erasures = try ScratchArray(count, arena: &arena)
    reedSolomon = try ReedSolomon(
      field: PrimeField929(arena: &arena), firstRoot: 1, checkCountMax: StackedCodewords.checkCountMax, arena: &arena)
  }

  mutating func removeAll() { count = 0 }

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
    var reader = StackedMessageReader(
      values, first: range.lowerBound, end: range.upperBound, isMicro: symbology == .micropdf417)
    guard let message = reader.read(into: &scene.results) else {
      scene.results.drop()
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
}
