// The codewords of QR Code, Micro QR Code and rMQR Code: formats by their best agreement, and Reed-Solomon correction of the
// blocks (ISO/IEC 18004:2015 §7.5, §7.6, §12; ISO/IEC 23941:2022 §7.5, §7.6).

/// The result of correcting a symbol's codewords.
struct QRCorrection: BitwiseCopyable {
  /// Number of data codewords, from the start of `QRCodewordReader.data`.
  var dataCount: Int
  var cost = Correction()
}

/// Collects the codewords of a symbol and corrects them. Each symbology adds the order of its modules.
@safe struct QRCodewordReader {
  /// The most check codewords in a block: 68 in Model 1, 30 in the other symbols of the family.
  static let checkCountMax = 68
  /// Number of codewords erased per further attempt.
  private static let erasureStep = 2

  /// The corrected data codewords of the last symbol.
  let data: ScratchArray<UInt16>
  /// All codewords of the symbol, corrected once `correct` has succeeded.
  let codewords: ScratchArray<UInt16>
  /// The least certain bit of each codeword.
  private let certainty: ScratchArray<Int16>
  private let block: CodewordBlock
  private let reedSolomon: ReedSolomon<GaloisField>

  init(arena: inout Arena) throws(ArenaFull) {
    // The field of §7.5.2: x⁸ + x⁴ + x³ + x² + 1.
    let field = try GaloisField(polynomial: 0x11D, arena: &arena)
    reedSolomon = try ReedSolomon(field: field, firstRoot: 0, checkCountMax: QRCodewordReader.checkCountMax, arena: &arena)
    data = try ScratchArray(QRTables.codewordCountMax, arena: &arena)
    codewords = try ScratchArray(QRTables.codewordCountMax, arena: &arena)
    certainty = try ScratchArray(QRTables.codewordCountMax, arena: &arena)
    block = try CodewordBlock(256, arena: &arena)
  }

  /// The word of a code that agrees best with the bits as read (positive values are 1), and the measure of that agreement.
  /// Nil if none agrees.
  static func bestWord(
    _ words: Range<Int>, bitCount: Int, code: (Int) -> Int, value: (Int) -> Int
  ) -> (word: Int, sum: Int)? {
    var best: (word: Int, sum: Int)?
    for word in words {
      let bits = code(word)
      var sum = 0
      for bit in 0..<bitCount { sum += bits >> bit & 1 == 1 ? value(bit) : -value(bit) }
      if sum > best?.sum ?? 0 { best = (word, sum) }
    }
    return best
  }

  /// Number of bits that differ from the values as read.
  static func wrongCount(_ bits: Int, bitCount: Int, _ value: (Int) -> Int) -> Int {
    var wrong = 0
    for bit in 0..<bitCount where (value(bit) > 0) != (bits >> bit & 1 == 1) { wrong += 1 }
    return wrong
  }

  /// Corrects the collected codewords, block by block, into `data`; nil if a block cannot be corrected.
  func correct(_ blocks: QRBlocks, usesErasures: Bool) -> QRCorrection? {
    var result = QRCorrection(dataCount: 0)
    for index in 0..<blocks.count {
      let dataCount = blocks.dataCount + (index >= blocks.shortCount ? 1 : 0)
      let count = dataCount + blocks.checkCount
      gather(index, blocks: blocks, count: count)
      guard
        let cost = block.correct(
          reedSolomon, count: count, checkCount: blocks.checkCount, correctionMax: blocks.correctionMax,
          step: usesErasures ? QRCodewordReader.erasureStep : 0)
      else { return nil }
      result.cost.add(cost)
      for position in 0..<dataCount { data[result.dataCount + position] = block.codewords[position] }
      for position in 0..<count {
        codewords[sequence(index, position: position, blocks: blocks, count: count)] = block.codewords[position]
      }
      result.dataCount += dataCount
    }
    return result
  }

  /// Stores the last collected codeword.
  func finishCodeword(_ collector: inout CodewordCollector) {
    codewords[collector.count] = UInt16(collector.codeword)
    certainty[collector.count] = collector.least
    collector = CodewordCollector(count: collector.count + 1)
  }

  /// The place of a block's codeword in the symbol's sequence (§7.6).
  @inline(__always) func sequence(_ index: Int, position: Int, blocks: QRBlocks, count: Int) -> Int {
    let dataCount = count - blocks.checkCount
    if position < blocks.dataCount { return position * blocks.count + index }
    if position < dataCount { return blocks.dataCount * blocks.count + index - blocks.shortCount }
    return blocks.dataCodewordCount + (position - dataCount) * blocks.count + index
  }

  private func gather(_ index: Int, blocks: QRBlocks, count: Int) {
    for position in 0..<count {
      let place = sequence(index, position: position, blocks: blocks, count: count)
      block.codewords[position] = codewords[place]
      block.certainty[position] = certainty[place]
    }
  }
}
