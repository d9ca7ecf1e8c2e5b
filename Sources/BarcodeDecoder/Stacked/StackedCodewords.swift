// The codewords of a symbol as they were read, the doubtful ones known, and their correction.

import BarcodeTypes

/// Codewords read, and how sure each of them is.
@safe struct StackedCodewords {
  /// The most codewords of a PDF417 symbol (ISO/IEC 15438 §4.3.1).
  static let countMax = 928

  let values: ScratchArray<UInt16>
  private let confidences: ScratchArray<UInt16>
  private let original: ScratchArray<UInt16>
  private let erasures: ScratchArray<UInt16>
  private(set) var count = 0
  private let reedSolomon: ReedSolomon929

  /// Nil if the arena is full.
  init?(arena: inout Arena) {
    let count = StackedCodewords.countMax
    guard let values = ScratchArray<UInt16>(count, arena: &arena),
      let confidences = ScratchArray<UInt16>(count, arena: &arena),
      let original = ScratchArray<UInt16>(count, arena: &arena),
      let erasures = ScratchArray<UInt16>(count, arena: &arena), let reedSolomon = ReedSolomon929(arena: &arena)
    else { return nil }
    self.values = values
    self.confidences = confidences
    self.original = original
    self.erasures = erasures
    self.reedSolomon = reedSolomon
  }

  mutating func removeAll() { count = 0 }

  /// Appends a codeword; `confidence` is as `CodewordMatch.confidence`.
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

  /// Codewords less sure than a confidence.
  func doubtfulCount(below confidence: Int) -> Int {
    var doubtful = 0
    for index in 0..<count where Int(confidences[index]) < confidence { doubtful += 1 }
    return doubtful
  }

  /// Corrects the codewords, with more and more of the doubtful ones taken as erased.
  ///
  /// - Parameter margin: check codewords that must stay unused.
  /// - Returns: codewords changed, or nil if they are beyond repair.
  mutating func correct(checkCount: Int, margin: Int, _ budget: inout WorkBudget) -> Int? {
    // Where there is nothing, all codewords are 0, which no check codeword contradicts.
    guard doubtfulCount(below: 16) + margin <= checkCount, !isAllZero else { return nil }
    for index in 0..<count { original[index] = values[index] }
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
        values, count: count, checkCount: checkCount, erasures: erasures, erasureCount: erasureCount, margin: margin)
      if let changed { return changed }
    }
    return nil
  }

  /// A codeword as it was read, before it was corrected.
  func originalValue(_ index: Int) -> Int { Int(original[index]) }
}
