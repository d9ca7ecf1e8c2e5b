// From decided modules to corrected data codewords, and back to the modules: after many corrections, the modules of the
// result must still resemble those that were read.

import BarcodeTypes

/// Measures of the correction of a symbol.
struct DataMatrixCorrection: BitwiseCopyable {
  var cost = Correction()
  /// By how many blocks the check codewords are shifted, see `DataMatrixCodewordReader.read`.
  var checkShift = 0
  /// The part of the total difference from grey that contradicts the corrected modules, in thousandths.
  var contradiction: Int
}

/// Reads the codewords of symbols.
@safe struct DataMatrixCodewordReader {
  /// The number of check codewords per block from which two codewords are erased at a time.
  private static let manyCheckCount = 21

  /// The data codewords of the last symbol read.
  let data: ScratchArray<UInt16>
  /// All codewords of the last symbol read, corrected.
  let codewords: ScratchArray<UInt16>
  private let certainty: ScratchArray<Int16>
  private let block: CodewordBlock
  private let reedSolomon: ReedSolomon<GaloisField>

  init(arena: inout Arena) throws(ArenaFull) {
    let count = DataMatrixTables.codewordCountMax
    // Annex E: polynomial 301, with roots from 2 to the power 1.
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
  ///   - usesErasures: whether a block that cannot be corrected is tried again with its least certain codewords erased.
  /// - Returns: nil if a block is beyond repair.
  func read(_ values: ScratchArray<Int16>, layout: DataMatrixLayout, usesErasures: Bool) -> DataMatrixCorrection? {
    if let result = correct(values, layout: layout, checkShift: 0, usesErasures: usesErasures) { return result }
    // Most printers of 144×144 continue the check codewords with the block after that of the last data codeword; in the
    // standard they begin with the first block.
    guard layout.size.dataCount % layout.size.blockCount != 0 else { return nil }
    return correct(
      values, layout: layout, checkShift: layout.size.dataCount % layout.size.blockCount, usesErasures: usesErasures)
  }

  private func correct(
    _ values: ScratchArray<Int16>, layout: DataMatrixLayout, checkShift: Int, usesErasures: Bool
  ) -> DataMatrixCorrection? {
    let size = layout.size
    collect(values, layout: layout)
    var result = DataMatrixCorrection(checkShift: checkShift, contradiction: 0)
    for index in 0..<size.blockCount {
      let count = size.blockDataCount(index) + size.blockCheckCount
      gather(index, size: size, count: count, checkShift: checkShift)
      let step = !usesErasures ? 0 : size.blockCheckCount < DataMatrixCodewordReader.manyCheckCount ? 1 : 2
      guard
        let cost = block.correct(
          reedSolomon, count: count, checkCount: size.blockCheckCount, correctionMax: size.blockCheckCount / 2, step: step)
      else { return nil }
      result.cost.add(cost)
      for position in 0..<count {
        codewords[sequence(index, position, size, checkShift)] = block.codewords[position]
      }
    }
    for index in 0..<size.dataCount { data[index] = codewords[index] }
    result.contradiction = contradiction(values, layout: layout)
    return result
  }

  /// Collects the codewords of the modules, each with the certainty of its least certain module.
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

  /// The index in the symbol of a block's codeword: the blocks are interleaved.
  @inline(__always) func sequence(_ index: Int, _ position: Int, _ size: DataMatrixSize, _ checkShift: Int) -> Int {
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

  /// The part of the modules' difference from grey that contradicts the corrected codewords, in thousandths. Modules wrong
  /// because of blur are close to grey; those of a falsely detected symbol are wrong with full weight.
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
