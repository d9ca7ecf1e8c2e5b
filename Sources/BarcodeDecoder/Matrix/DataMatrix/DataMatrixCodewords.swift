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
  /// Check codewords that stay unused when the least certain codewords are erased: a wrong block becomes a right one once in
  /// 16 million trials.
  private static let spareCheckCount = 3

  /// The data codewords of the symbol read last.
  let data: ScratchArray<UInt16>
  private let codewords: ScratchArray<UInt16>
  private let certainty: ScratchArray<Int16>
  private let block: ScratchArray<UInt16>
  private let erasures: ScratchArray<UInt16>
  private let reedSolomon: ReedSolomon

  /// Nil if the arena is full.
  init?(arena: inout Arena) {
    let count = DataMatrixTables.codewordCountMax
    // Polynomial 301 and roots from 2 to the power 1 on: Annex E.
    guard let data = ScratchArray<UInt16>(count, arena: &arena),
      let codewords = ScratchArray<UInt16>(count, arena: &arena),
      let certainty = ScratchArray<Int16>(count, arena: &arena), let block = ScratchArray<UInt16>(256, arena: &arena),
      let erasures = ScratchArray<UInt16>(256, arena: &arena),
      let field = GaloisField(polynomial: 301, arena: &arena),
      let reedSolomon = ReedSolomon(
        field: field, firstRoot: 1, checkCountMax: DataMatrixTables.blockCheckCountMax, arena: &arena)
    else { return nil }
    self.data = data
    self.codewords = codewords
    self.certainty = certainty
    self.block = block
    self.erasures = erasures
    self.reedSolomon = reedSolomon
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
      var changed = reedSolomon.correct(
        block, offset: 0, count: count, checkCount: size.blockCheckCount, erasures: erasures, erasureCount: 0,
        correctionMax: size.blockCheckCount / 2)
      var load = (changed ?? 0) * 200 / size.blockCheckCount
      if changed == nil, usesErasures {
        changed = correctWithErasures(index, size: size, count: count, checkShift: checkShift)
        load = 100
      }
      guard let changed else { return nil }
      result.correctedCount += changed
      result.loadPercent = max(result.loadPercent, load)
      for position in 0..<count {
        codewords[sequence(index, position, size, checkShift)] = block[position]
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
      certainty[codeword] = min(certainty[codeword], value < 0 ? (value == Int16.min ? Int16.max : -value) : value)
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
    for position in 0..<count { block[position] = codewords[sequence(index, position, size, checkShift)] }
  }

  /// Tries a block with its least certain codewords erased, one or two more each time.
  private func correctWithErasures(_ index: Int, size: DataMatrixSize, count: Int, checkShift: Int) -> Int? {
    let erasedMax = size.blockCheckCount - DataMatrixCodewordReader.spareCheckCount
    let step = size.blockCheckCount > 20 ? 2 : 1
    var erased = 0
    while erased + step <= erasedMax {
      for _ in 0..<step {
        erasures[erased] = UInt16(leastCertain(index, size: size, count: count, checkShift: checkShift, known: erased))
        erased += 1
      }
      gather(index, size: size, count: count, checkShift: checkShift)
      if let changed = reedSolomon.correct(
        block, offset: 0, count: count, checkCount: size.blockCheckCount, erasures: erasures, erasureCount: erased,
        correctionMax: (erasedMax - erased) / 2)
      {
        return changed
      }
    }
    return nil
  }

  /// The least certain codeword of a block that is not among the first `known` erasures.
  private func leastCertain(_ index: Int, size: DataMatrixSize, count: Int, checkShift: Int, known: Int) -> Int {
    var best = 0
    var least = Int32.max
    for position in 0..<count {
      let value = Int32(certainty[sequence(index, position, size, checkShift)])
      if value >= least { continue }
      var isKnown = false
      for erasure in 0..<known where Int(erasures[erasure]) == position { isKnown = true }
      if isKnown { continue }
      best = position
      least = value
    }
    return best
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
