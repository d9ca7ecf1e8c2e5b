// From decided modules to corrected data codewords, and from these back to the modules: a symbol that needed much correction
// must look like what was read from it.

import BarcodeTypes

/// What correcting a symbol took.
struct DataMatrixCorrection: BitwiseCopyable {
  var correctedCount: Int
  /// Of the fullest block: what was corrected, of what can be, in hundredths.
  var loadPercent: Int
  /// How much of all the difference from grey speaks against the corrected modules, in thousandths.
  var contradiction: Int
}

/// Reads the codewords of symbols.
@safe struct DataMatrixCodewordReader {
  /// Check codewords of a block from which on two codewords are erased at a time.
  private static let manyCheckCount = 21

  /// The data codewords of the symbol read last.
  let data: ScratchArray<UInt16>
  private let codewords: ScratchArray<UInt16>
  private let certainty: ScratchArray<Int16>
  private let block: CodewordBlock
  private let reedSolomon: ReedSolomon<GaloisField>

  init(arena: inout Arena) throws(ArenaFull) {
    let count = DataMatrixTables.codewordCountMax
    // Polynomial 301 and roots from 2 to the power 1 on: Annex E.
    data = try ScratchArray(count, arena: &arena)
    codewords = try ScratchArray(count, arena: &arena)
    certainty = try ScratchArray(count, arena: &arena)
    block = try CodewordBlock(256, arena: &arena)
    let field = try GaloisField(polynomial: 301, arena: &arena)
    reedSolomon = try ReedSolomon(
      field: field, firstRoot: 1, checkCountMax: DataMatrixTables.blockCheckCountMax, arena: &arena)
  }

  /// Reads and corrects all blocks into `data`.
  ///
  /// - Parameters:
  ///   - values: of all modules, row by row, above 0 dark.
  ///   - layout: prepared for the symbol's size.
  ///   - usesErasures: whether a block that can't be corrected is tried again with its least certain codewords erased.
  /// - Returns: nil if a block is beyond repair.
  func read(_ values: ScratchArray<Int16>, layout: DataMatrixLayout, usesErasures: Bool) -> DataMatrixCorrection? {
    if let result = correct(values, layout: layout, checkShift: 0, usesErasures: usesErasures) { return result }
    // Most printers of 144×144 let the check codewords go on with the block after the last data codeword's; the standard lets
    // them begin with the first block.
    guard layout.size.dataCount % layout.size.blockCount != 0 else { return nil }
    return correct(
      values, layout: layout, checkShift: layout.size.dataCount % layout.size.blockCount, usesErasures: usesErasures)
  }

  private func correct(
    _ values: ScratchArray<Int16>, layout: DataMatrixLayout, checkShift: Int, usesErasures: Bool
  ) -> DataMatrixCorrection? {
    let size = layout.size
    collect(values, layout: layout)
    var result = DataMatrixCorrection(correctedCount: 0, loadPercent: 0, contradiction: 0)
    for index in 0..<size.blockCount {
      let count = size.blockDataCount(index) + size.blockCheckCount
      gather(index, size: size, count: count, checkShift: checkShift)
      let step = !usesErasures ? 0 : size.blockCheckCount < DataMatrixCodewordReader.manyCheckCount ? 1 : 2
      guard
        let (changed, load) = block.correct(
          reedSolomon, count: count, checkCount: size.blockCheckCount, correctionMax: size.blockCheckCount / 2, step: step)
      else { return nil }
      result.correctedCount += changed
      result.loadPercent = max(result.loadPercent, load)
      for position in 0..<count {
        codewords[sequence(index, position, size, checkShift)] = block.codewords[position]
      }
    }
    for index in 0..<size.dataCount { data[index] = codewords[index] }
    result.contradiction = contradiction(values, layout: layout)
    return result
  }

  /// The codewords as the modules say, each with the least certain of its modules.
  private func collect(_ values: ScratchArray<Int16>, layout: DataMatrixLayout) {
    codewords.fill(0, count: layout.size.codewordCount)
    certainty.fill(Int16.max, count: layout.size.codewordCount)
    for place in 0..<(layout.size.rows * layout.size.columns) {
      let bit = layout.bits[place]
      if bit == DataMatrixLayout.noBit { continue }
      let codeword = Int(bit >> 3)
      let value = values[place]
      if value > 0 { codewords[codeword] |= 0x80 >> (bit & 7) }
      certainty[codeword] = min(certainty[codeword], BarcodeDecoder.certainty(of: value))
    }
  }

  /// Where a block's codeword lies among the symbol's: the blocks take turns.
  @inline(__always) private func sequence(_ index: Int, _ position: Int, _ size: DataMatrixSize, _ checkShift: Int) -> Int {
    let dataCount = size.blockDataCount(index)
    if position < dataCount { return position * size.blockCount + index }
    let first = size.dataCount % size.blockCount - checkShift
    return size.dataCount + (position - dataCount) * size.blockCount + (index - first + size.blockCount) % size.blockCount
  }

  private func gather(_ index: Int, size: DataMatrixSize, count: Int, checkShift: Int) {
    for position in 0..<count {
      let place = sequence(index, position, size, checkShift)
      block.codewords[position] = codewords[place]
      block.certainty[position] = certainty[place]
    }
  }

  /// How much of the modules' difference from grey contradicts the corrected codewords, in thousandths. Modules wrong by
  /// blur are little different from grey; those of a symbol that was never there are wrong with full weight.
  private func contradiction(_ values: ScratchArray<Int16>, layout: DataMatrixLayout) -> Int {
    var against = 0
    var all = 1
    for place in 0..<(layout.size.rows * layout.size.columns) {
      let bit = layout.bits[place]
      if bit == DataMatrixLayout.noBit { continue }
      let isDark = codewords[Int(bit >> 3)] & (0x80 >> (bit & 7)) != 0
      let value = abs(Int(values[place]))
      all += value
      if isDark != (values[place] > 0) { against += value }
    }
    return against * 1000 / all
  }
}
