// From decided modules to data bits: the spiral of the layers, Reed-Solomon over the field of the symbol's size, and removal
// of the stuffed bits that keep codewords from being all light or all dark (ISO/IEC 24778 §7.3.2 to §7.3.5).

/// The result of correcting a symbol's codewords.
struct AztecCorrection: BitwiseCopyable {
  /// Number of data bits, from the start of `AztecCodewordReader.bits`.
  var bitCount: Int
  var cost = Correction()
}

/// Extracts codewords from decided modules and corrects them.
@safe struct AztecCodewordReader {
  /// The data bits of the last symbol, one per element.
  let bits: ScratchArray<UInt8>
  private let block: CodewordBlock
  /// The codewords as read.
  private let seen: ScratchArray<UInt16>
  /// The value of each bit of the layers, in the order of the spiral.
  private let spiral: ScratchArray<Int16>

  /// The most attempts with more and more codewords erased.
  private static let erasureTrialCountMax = 8
  /// Check codewords used in a quick first attempt if there are more; half of their capacity stays unused.
  private static let quickCheckCount = 32
  /// Check codewords that erasures must leave unused.
  private static let erasureSpareCount = 2
  /// How much of everything read a correction near its limit may contradict, in thousandths. On the corpus and 120 stress
  /// pictures, true corrections contradict up to 16, corrections into a wrong block 45 and more.
  private static let contradictionMax = 25

  init(arena: inout Arena) throws(ArenaFull) {
    bits = try ScratchArray(AztecFormat.bitCountMax, arena: &arena)
    block = try CodewordBlock(AztecFormat.codewordCountMax, arena: &arena)
    seen = try ScratchArray(AztecFormat.codewordCountMax, arena: &arena)
    spiral = try ScratchArray(AztecFormat.bitCountMax, arena: &arena)
  }

  /// Reads and corrects all codewords.
  ///
  /// - Parameters:
  ///   - values: the values of all modules of the symbol, from its top left.
  ///   - usesErasures: whether to try codewords that cannot be corrected again with the least certain ones erased.
  /// - Returns: nil if they cannot be corrected or hold no data.
  func read(
    _ values: ScratchArray<Int16>, mode: AztecMode, usesErasures: Bool, arena: inout Arena, budget: inout WorkBudget
  ) -> AztecCorrection? {
    let format = mode.format
    let count = format.codewordCount
    let checkCount = count - mode.dataCount
    let mark = arena.mark
    defer { arena.release(to: mark) }
    guard
      let field = try? GaloisField(polynomial: AztecTables.polynomial(bits: format.codewordBits), arena: &arena),
      let reedSolomon = try? ReedSolomon(field: field, firstRoot: 1, checkCountMax: checkCount, arena: &arena)
    else { return nil }
    unwind(values, format: format)
    collect(mode)
    var erased = 0
    let trialCount = usesErasures ? AztecCodewordReader.trialCount(count: count, checkCount: checkCount) : 0
    for trial in 0...trialCount {
      guard budget.spend(count + count * checkCount / 12) else { return nil }
      for place in 0..<count { block.codewords[place] = seen[place] }
      let changed = correct(reedSolomon, count: count, checkCount: checkCount, erased: erased)
      if let changed, isBelievable(mode, erased: erased), let bitCount = unstuff(mode) {
        let load = erased == 0 ? changed * 200 / checkCount : 100
        return AztecCorrection(
          bitCount: bitCount, cost: Correction(correctedCount: changed, loadPercent: min(100, load)))
      }
      // Leave check codewords for detecting errors.
      let wanted = (trial + 1) * max(1, (checkCount - AztecCodewordReader.erasureSpareCount) / (trialCount + 1))
      guard trial < trialCount, wanted <= checkCount - AztecCodewordReader.erasureSpareCount else { return nil }
      block.eraseMore(wanted - erased, count: count, known: erased)
      erased = wanted
    }
    return nil
  }

  /// Corrects the codewords. For a long block it first uses only the roots of a few check codewords, which is much faster
  /// and sufficient for few errors.
  private func correct(_ reedSolomon: ReedSolomon<GaloisField>, count: Int, checkCount: Int, erased: Int) -> Int? {
    // A code is a subset of every code with fewer of its roots.
    let few = AztecCodewordReader.quickCheckCount
    if erased == 0, checkCount > few,
      let changed = reedSolomon.correct(
        block.codewords, count: count, checkCount: few, erasures: block.erasures, erasureCount: 0, correctionMax: few / 4)
    {
      return changed
    }
    return reedSolomon.correct(
      block.codewords, count: count, checkCount: checkCount, erasures: block.erasures, erasureCount: erased,
      correctionMax: (checkCount - erased - (erased > 0 ? AztecCodewordReader.erasureSpareCount : 0)) / 2)
  }

  /// Number of attempts with erasures; fewer if each takes long.
  private static func trialCount(count: Int, checkCount: Int) -> Int {
    count * checkCount > 40_000 ? 2 : erasureTrialCountMax
  }

  /// Puts the modules in order: from the outermost layer inwards, each layer down its left side, along the bottom, up the
  /// right side and back along the top, in pairs of modules with the outer one first.
  private func unwind(_ values: ScratchArray<Int16>, format: AztecFormat) {
    let size = format.size
    var place = 0
    for layer in 0..<format.layers {
      let low = 2 * layer
      let high = format.baseSize - 1 - low
      let sideLength = high - low - 1
      for side in 0..<4 {
        for along in 0..<sideLength {
          for depth in 0..<2 {
            let column: Int
            let row: Int
            switch side {
            case 0: (column, row) = (low + depth, low + along)
            case 1: (column, row) = (low + along, high - depth)
            case 2: (column, row) = (high - depth, high - along)
            default: (column, row) = (high - along, low + depth)
            }
            spiral[place] = values[format.coordinate(ofBase: row) * size + format.coordinate(ofBase: column)]
            place += 1
          }
        }
      }
    }
  }

  /// Collects the codewords with their certainties, skipping the first bits that do not fill a codeword.
  private func collect(_ mode: AztecMode) {
    let format = mode.format
    let width = format.codewordBits
    var place = format.bitCount % width
    for index in 0..<format.codewordCount {
      var collector = CodewordCollector()
      for _ in 0..<width {
        collector.add(spiral[place])
        place += 1
      }
      let codeword = collector.codeword
      seen[index] = UInt16(codeword)
      // No data codeword is all light or all dark, so such a codeword is certainly wrong.
      let isWrong = index < mode.dataCount && (codeword == 0 || codeword == 1 << width - 1)
      block.certainty[index] = isWrong ? 0 : collector.least
    }
  }

  /// Whether a correction leaves enough check codewords unused, or changed only bits that were read with little certainty.
  /// In the second case, a symbol drawn from the corrected codewords must look like the one in the picture.
  private func isBelievable(_ mode: AztecMode, erased: Int) -> Bool {
    let format = mode.format
    let width = format.codewordBits
    let checkCount = format.codewordCount - mode.dataCount
    var errors = 0
    for place in 0..<format.codewordCount where block.codewords[place] != seen[place] { errors += 1 }
    // By chance, a wrong block becomes a valid one once in 2 to the power of `width` per unused check codeword.
    if erased == 0, (checkCount - 2 * errors) * width >= 32 { return true }
    let start = format.bitCount % width
    var wrong = 0
    var total = 1
    for index in 0..<(format.codewordCount * width) {
      let value = Int(spiral[start + index])
      let isDark = block.codewords[index / width] >> UInt16(width - 1 - index % width) & 1 == 1
      total += abs(value)
      if (value > 0) != isDark { wrong += abs(value) }
    }
    return wrong * 1000 <= total * AztecCodewordReader.contradictionMax
  }

  /// Extracts the data bits, dropping the bit after equal bits that fill the rest of a codeword (§7.3.3). Nil if a codeword
  /// is all light or all dark.
  private func unstuff(_ mode: AztecMode) -> Int? {
    let width = mode.format.codewordBits
    let full = 1 << width - 1
    var count = 0
    for index in 0..<mode.dataCount {
      let codeword = Int(block.codewords[index])
      if codeword == 0 || codeword == full { return nil }
      let kept = codeword == 1 || codeword == full - 1 ? width - 1 : width
      for bit in 0..<kept {
        bits[count] = UInt8(codeword >> (width - 1 - bit) & 1)
        count += 1
      }
    }
    return count
  }
}
