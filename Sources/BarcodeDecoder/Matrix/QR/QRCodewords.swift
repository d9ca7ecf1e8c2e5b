// From decided modules to corrected codewords: format and version information by their own codes, the mask, the order of
// the bits, the blocks, Reed-Solomon (ISO/IEC 18004:2015 §7.5 to §7.10, §12).

/// What the format information says (§7.9).
struct QRFormat: BitwiseCopyable {
  var level: QRCorrectionLevel
  var mask: Int
  /// How well the 30 modules agree with it: 1000 when all do.
  var agreement: Int
}

/// What came of the codewords of a symbol.
struct QRCorrection: BitwiseCopyable {
  /// Data codewords, from the start of `QRCodewordReader.data`.
  var dataCount: Int
  /// Codewords that were wrong or filled in.
  var correctedCount: Int
  /// The greatest part of a block's check codewords that its correction took, in hundredths.
  var loadPercent: Int
}

/// A codeword on its way from modules, the first bit most significant.
struct QRCodewordCollector {
  /// Codewords finished before this one.
  var count = 0
  var codeword = 0
  var bitCount = 0
  /// The least certain of its bits.
  var least = Int16.max

  @inline(__always) mutating func add(_ value: Int16, isMasked: Bool) {
    codeword = codeword << 1 | ((value > 0) != isMasked ? 1 : 0)
    bitCount += 1
    least = min(least, value < 0 ? (value == Int16.min ? Int16.max : -value) : value)
  }
}

/// Takes codewords out of decided modules and corrects them.
@safe struct QRCodewordReader {
  /// The corrected data codewords of the symbol read last.
  let data: ScratchArray<UInt16>
  private let codewords: ScratchArray<UInt16>
  /// The least certain bit of each codeword.
  private let certainty: ScratchArray<Int16>
  private let block: ScratchArray<UInt16>
  private let erasures: ScratchArray<UInt16>
  private let reedSolomon: ReedSolomon

  /// Nil if the arena is full.
  init?(arena: inout Arena) {
    // The field of §7.5.2: x⁸ + x⁴ + x³ + x² + 1.
    guard let field = GaloisField(polynomial: 0x11D, arena: &arena),
      let reedSolomon = ReedSolomon(field: field, firstRoot: 0, checkCountMax: QRTables.checkCountMax, arena: &arena),
      let data = ScratchArray<UInt16>(QRTables.codewordCountMax, arena: &arena),
      let codewords = ScratchArray<UInt16>(QRTables.codewordCountMax, arena: &arena),
      let certainty = ScratchArray<Int16>(QRTables.codewordCountMax, arena: &arena),
      let block = ScratchArray<UInt16>(256, arena: &arena),
      let erasures = ScratchArray<UInt16>(QRTables.checkCountMax, arena: &arena)
    else { return nil }
    self.data = data
    self.codewords = codewords
    self.certainty = certainty
    self.block = block
    self.erasures = erasures
    self.reedSolomon = reedSolomon
  }

  /// The format information that both copies together agree with best; nil if neither is within three bits of it, which
  /// is what the code corrects.
  func readFormat(_ values: ScratchArray<Int16>, size: Int) -> QRFormat? {
    var first: [15 of Int32] = .init(repeating: 0)
    var second: [15 of Int32] = .init(repeating: 0)
    var total = 0
    for bit in 0..<15 {
      let row = bit < 6 ? bit : bit < 8 ? bit + 1 : 8
      let column = bit < 8 ? 8 : bit == 8 ? 7 : 14 - bit
      first[bit] = Int32(values[row * size + column])
      second[bit] = Int32(bit < 8 ? values[8 * size + size - 1 - bit] : values[(size - 15 + bit) * size + 8])
      total += Int(abs(first[bit])) + Int(abs(second[bit]))
    }
    var best = -1
    var bestSum = 0
    for data in 0..<32 {
      let bits = QRTables.formatBits(data)
      var sum = 0
      for bit in 0..<15 {
        let value = Int(first[bit] + second[bit])
        sum += bits >> bit & 1 == 1 ? value : -value
      }
      if sum > bestSum {
        best = data
        bestSum = sum
      }
    }
    guard best >= 0 else { return nil }
    let bits = QRTables.formatBits(best)
    var firstWrong = 0
    var secondWrong = 0
    for bit in 0..<15 {
      let isDark = bits >> bit & 1 == 1
      if (first[bit] > 0) != isDark { firstWrong += 1 }
      if (second[bit] > 0) != isDark { secondWrong += 1 }
    }
    guard min(firstWrong, secondWrong) <= 3 else { return nil }
    return QRFormat(
      level: QRCorrectionLevel(formatBits: best >> 3), mask: best & 7, agreement: bestSum * 1000 / max(1, total))
  }

  /// The version that the version information names, 7 to 40; nil if neither copy is within three bits of one.
  func readVersion(_ values: ScratchArray<Int16>, size: Int) -> Int? {
    var best = 0
    var bestSum = 0
    for version in 7...QRTables.versionMax {
      let bits = QRTables.versionBits(version)
      var sum = 0
      for bit in 0..<18 {
        let value = versionBit(values, size: size, bit: bit, copy: 0) + versionBit(values, size: size, bit: bit, copy: 1)
        sum += bits >> bit & 1 == 1 ? value : -value
      }
      if sum > bestSum {
        best = version
        bestSum = sum
      }
    }
    guard best > 0 else { return nil }
    let bits = QRTables.versionBits(best)
    for copy in 0..<2 {
      var wrong = 0
      for bit in 0..<18
      where (versionBit(values, size: size, bit: bit, copy: copy) > 0) != (bits >> bit & 1 == 1) { wrong += 1 }
      if wrong <= 3 { return best }
    }
    return nil
  }

  private func versionBit(_ values: ScratchArray<Int16>, size: Int, bit: Int, copy: Int) -> Int {
    let major = bit / 3
    let minor = size - 11 + bit % 3
    return Int(copy == 0 ? values[major * size + minor] : values[minor * size + major])
  }

  /// Reads and corrects all blocks into `data`.
  ///
  /// - Parameters:
  ///   - layout: prepared for the symbol's version.
  ///   - usesErasures: whether a block that can't be corrected is tried again with its least certain codewords erased.
  /// - Returns: nil if a block is beyond repair.
  func read(
    _ values: ScratchArray<Int16>, layout: QRLayout, format: QRFormat, usesErasures: Bool
  ) -> QRCorrection? {
    let blocks = QRTables.blocks(version: layout.version, level: format.level)
    collect(values, layout: layout, mask: format.mask, count: blocks.codewordCount)
    return correct(blocks, usesErasures: usesErasures)
  }

  /// Corrects the codewords collected, block by block, into `data`; nil if a block is beyond repair.
  func correct(_ blocks: QRBlocks, usesErasures: Bool) -> QRCorrection? {
    var result = QRCorrection(dataCount: 0, correctedCount: 0, loadPercent: 0)
    for index in 0..<blocks.count {
      let dataCount = blocks.dataCount + (index >= blocks.shortCount ? 1 : 0)
      let count = dataCount + blocks.checkCount
      gather(index, blocks: blocks, count: count)
      var changed = reedSolomon.correct(
        block, offset: 0, count: count, checkCount: blocks.checkCount, erasures: erasures, erasureCount: 0,
        correctionMax: blocks.correctionMax)
      var load = (changed ?? 0) * 200 / blocks.checkCount
      if changed == nil, usesErasures {
        changed = correctWithErasures(index, blocks: blocks, count: count)
        load = 100
      }
      guard let changed else { return nil }
      result.correctedCount += changed
      result.loadPercent = max(result.loadPercent, load)
      for position in 0..<dataCount { data[result.dataCount + position] = block[position] }
      result.dataCount += dataCount
    }
    return result
  }

  /// Codewords in the order of §7.7.3: two columns at a time from the right, up and down in turn, without the timing column.
  private func collect(_ values: ScratchArray<Int16>, layout: QRLayout, mask: Int, count: Int) {
    let size = layout.size
    var collector = QRCodewordCollector()
    var isUpward = true
    var right = size - 1
    while right > 0 {
      if right == 6 { right = 5 }
      for step in 0..<size {
        let row = isUpward ? size - 1 - step : step
        for column in stride(from: right, through: right - 1, by: -1) {
          let index = row * size + column
          guard layout.modules[index] == ModuleRole.data, collector.count < count else { continue }
          collector.add(values[index], isMasked: QRTables.isMasked(mask, row: row, column: column))
          if collector.bitCount == 8 { finishCodeword(&collector) }
        }
      }
      isUpward.toggle()
      right -= 2
    }
    while collector.count < count {
      collector.least = 0
      finishCodeword(&collector)
    }
  }

  /// Keeps the codeword that was collected last.
  func finishCodeword(_ collector: inout QRCodewordCollector) {
    codewords[collector.count] = UInt16(collector.codeword)
    certainty[collector.count] = collector.least
    collector = QRCodewordCollector(count: collector.count + 1)
  }

  /// Where a block's codeword lies among the symbol's (§7.6).
  @inline(__always) private func sequence(_ index: Int, position: Int, blocks: QRBlocks, count: Int) -> Int {
    let dataCount = count - blocks.checkCount
    if position < blocks.dataCount { return position * blocks.count + index }
    if position < dataCount { return blocks.dataCount * blocks.count + index - blocks.shortCount }
    return blocks.dataCodewordCount + (position - dataCount) * blocks.count + index
  }

  private func gather(_ index: Int, blocks: QRBlocks, count: Int) {
    for position in 0..<count {
      block[position] = codewords[sequence(index, position: position, blocks: blocks, count: count)]
    }
  }

  /// Tries a block with its two, four, … least certain codewords erased. Three check codewords stay unused: a wrong block is
  /// made a right one once in 16 million trials.
  private func correctWithErasures(_ index: Int, blocks: QRBlocks, count: Int) -> Int? {
    var erased = 0
    while erased + 2 <= blocks.checkCount - 3 {
      for _ in 0..<2 {
        erasures[erased] = UInt16(leastCertain(index, blocks: blocks, count: count, known: erased))
        erased += 1
      }
      gather(index, blocks: blocks, count: count)
      if let changed = reedSolomon.correct(
        block, offset: 0, count: count, checkCount: blocks.checkCount, erasures: erasures, erasureCount: erased,
        correctionMax: (blocks.checkCount - 3 - erased) / 2)
      {
        return changed
      }
    }
    return nil
  }

  /// The least certain codeword of a block that is not among the first `known` erasures.
  private func leastCertain(_ index: Int, blocks: QRBlocks, count: Int, known: Int) -> Int {
    var best = 0
    var least = Int32.max
    for position in 0..<count {
      let value = Int32(certainty[sequence(index, position: position, blocks: blocks, count: count)])
      if value >= least { continue }
      var isKnown = false
      for erasure in 0..<known where Int(erasures[erasure]) == position { isKnown = true }
      if isKnown { continue }
      best = position
      least = value
    }
    return best
  }
}
