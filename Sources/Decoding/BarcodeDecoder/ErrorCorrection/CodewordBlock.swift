// Reed-Solomon correction of a block of codewords: a block that cannot be corrected is tried again with its least certain
// codewords erased.

/// The codewords of a block as read, their certainty, and the erased ones.
@safe struct CodewordBlock {
  /// Check codewords that stay unused when codewords are erased: a wrong block becomes a valid one once in 16 million
  /// trials.
  private static let spareCheckCount = 3

  let codewords: ScratchArray<UInt16>
  /// The least certain bit of each codeword.
  let certainty: ScratchArray<Int16>
  let erasures: ScratchArray<UInt16>

  init(_ countMax: Int, arena: inout Arena) throws(ArenaFull) {
    codewords = try ScratchArray(countMax, arena: &arena)
    certainty = try ScratchArray(countMax, arena: &arena)
    erasures = try ScratchArray(countMax, arena: &arena)
  }

  /// Corrects the first `count` codewords. If that fails and `step` is above 0, erases `step` more of the least certain
  /// codewords on each further attempt.
  ///
  /// - Parameter erasedCount: number of the least certain codewords that are erased from the start.
  /// - Returns: nil if the codewords cannot be corrected.
  func correct<Field: FiniteField>(
    _ reedSolomon: ReedSolomon<Field>, count: Int, checkCount: Int, correctionMax: Int, step: Int, erasedCount: Int = 0
  ) -> Correction? {
    eraseMore(erasedCount, count: count, known: 0)
    if let changed = reedSolomon.correct(
      codewords, count: count, checkCount: checkCount, erasures: erasures, erasureCount: erasedCount,
      correctionMax: correctionMax)
    {
      return Correction(
        correctedCount: changed, loadPercent: (2 * changed - min(changed, erasedCount)) * 100 / checkCount)
    }
    let erasedMax = checkCount - CodewordBlock.spareCheckCount
    var erased = erasedCount
    while step > 0, erased + step <= erasedMax {
      eraseMore(step, count: count, known: erased)
      erased += step
      if let changed = reedSolomon.correct(
        codewords, count: count, checkCount: checkCount, erasures: erasures, erasureCount: erased,
        correctionMax: (erasedMax - erased) / 2)
      {
        return Correction(correctedCount: changed, loadPercent: 100)
      }
    }
    return nil
  }

  /// Erases `more` of the least certain of `count` codewords, in addition to the first `known` ones.
  func eraseMore(_ more: Int, count: Int, known: Int) {
    for erased in known..<(known + more) {
      var best = 0
      var least = Int32.max
      for position in 0..<count where Int32(certainty[position]) < least {
        var isKnown = false
        for erasure in 0..<erased where Int(erasures[erasure]) == position { isKnown = true }
        if isKnown { continue }
        best = position
        least = Int32(certainty[position])
      }
      erasures[erased] = UInt16(best)
    }
  }
}

/// Collects a codeword from modules, the first bit most significant.
struct CodewordCollector {
  /// Number of codewords completed before this one.
  var count = 0
  var codeword = 0
  var bitCount = 0
  /// The certainty of its least certain bit.
  var least = Int16.max

  @inline(__always) mutating func add(_ value: Int16, isMasked: Bool = false) {
    codeword = codeword << 1 | ((value > 0) != isMasked ? 1 : 0)
    bitCount += 1
    least = min(least, certainty(of: value))
  }
}

/// The certainty of a module's value: its absolute value.
@inline(__always) func certainty(of value: Int16) -> Int16 { value < 0 ? (value == Int16.min ? Int16.max : -value) : value }
