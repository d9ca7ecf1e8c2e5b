// From decided modules to corrected data codewords: the primary message in a block of its own, and the secondary message in
// two interleaved blocks (ISO/IEC 16023 §4.10).

/// The result of correcting a symbol's codewords.
struct MaxiCodeCorrection: BitwiseCopyable {
  /// 2...6.
  var mode: Int
  /// Number of data codewords, from the start of `MaxiCodeCodewordReader.data`.
  var dataCount: Int
  var cost = Correction()
}

/// Extracts codewords from decided modules and corrects them.
@safe struct MaxiCodeCodewordReader {
  private static let codewordCount = 144
  /// The primary message.
  private static let primary = (dataCount: 10, checkCount: 10)
  /// Number of codewords in each block of the secondary message, and of its check codewords with standard and enhanced
  /// correction.
  private static let blockCount = 62
  private static let checkCount = (standard: 20, enhanced: 28)

  /// The data codewords of the last symbol, those of the primary message first.
  let data: ScratchArray<UInt16>
  private let codewords: ScratchArray<UInt16>
  private let certainty: ScratchArray<Int16>
  private let block: CodewordBlock
  private let reedSolomon: ReedSolomon<GaloisField>

  init(arena: inout Arena) throws(ArenaFull) {
    data = try ScratchArray(MaxiCodeCodewordReader.codewordCount, arena: &arena)
    codewords = try ScratchArray(MaxiCodeCodewordReader.codewordCount, arena: &arena)
    certainty = try ScratchArray(MaxiCodeCodewordReader.codewordCount, arena: &arena)
    block = try CodewordBlock(MaxiCodeCodewordReader.blockCount, arena: &arena)
    let field = try GaloisField(polynomial: MaxiCodeTables.polynomial, arena: &arena)
    reedSolomon = try ReedSolomon(
      field: field, firstRoot: 1, checkCountMax: MaxiCodeCodewordReader.checkCount.enhanced, arena: &arena)
  }

  /// Reads and corrects all codewords.
  ///
  /// - Parameters:
  ///   - values: the values of all modules, row by row; positive for dark.
  ///   - usesErasures: whether to try a block that cannot be corrected again with its least certain codewords erased.
  /// - Returns: nil if a block cannot be corrected, or the symbol's mode does not exist.
  func read(_ values: ScratchArray<Int16>, layout: MaxiCodeLayout, usesErasures: Bool) -> MaxiCodeCorrection? {
    for index in 0..<MaxiCodeCodewordReader.codewordCount {
      var collector = CodewordCollector()
      for bit in 0..<6 { collector.add(values[layout.place(ofBit: index * 6 + bit)]) }
      codewords[index] = UInt16(collector.codeword)
      certainty[index] = collector.least
    }
    let primary = MaxiCodeCodewordReader.primary
    var result = MaxiCodeCorrection(mode: 0, dataCount: primary.dataCount)
    guard
      correct(
        first: 0, stride: 1, count: primary.dataCount + primary.checkCount, checkCount: primary.checkCount,
        usesErasures: usesErasures, &result)
    else { return nil }
    for index in 0..<primary.dataCount { data[index] = codewords[index] }
    result.mode = Int(data[0]) & 15
    guard result.mode >= 2, result.mode <= 6 else { return nil }
    let first = primary.dataCount + primary.checkCount
    let checkCount =
      result.mode == 5 ? MaxiCodeCodewordReader.checkCount.enhanced : MaxiCodeCodewordReader.checkCount.standard
    for turn in 0..<2 {
      guard
        correct(
          first: first + turn, stride: 2, count: MaxiCodeCodewordReader.blockCount, checkCount: checkCount,
          usesErasures: usesErasures, &result)
      else { return nil }
    }
    let secondaryCount = 2 * (MaxiCodeCodewordReader.blockCount - checkCount)
    for index in 0..<secondaryCount { data[primary.dataCount + index] = codewords[first + index] }
    result.dataCount += secondaryCount
    return result
  }

  /// Corrects the codewords of a block; false if that is impossible.
  private func correct(
    first: Int, stride: Int, count: Int, checkCount: Int, usesErasures: Bool, _ result: inout MaxiCodeCorrection
  ) -> Bool {
    for position in 0..<count {
      block.codewords[position] = codewords[first + position * stride]
      block.certainty[position] = certainty[first + position * stride]
    }
    guard
      let cost = block.correct(
        reedSolomon, count: count, checkCount: checkCount, correctionMax: checkCount / 2, step: usesErasures ? 1 : 0)
    else { return false }
    for position in 0..<count { codewords[first + position * stride] = block.codewords[position] }
    result.cost.add(cost)
    return true
  }
}
