// From decided modules of a QR symbol to corrected codewords: format and version information with their error correction,
// the mask, the order of the bits (ISO/IEC 18004:2015 §7.7 to §7.10, §12).

/// The content of the format information (§7.9).
struct QRFormat: BitwiseCopyable {
  var level: QRCorrectionLevel
  var mask: Int
  /// The agreement of both copies with it: the sum of the modules' values.
  var agreement: Int

  /// The two modules that hold a bit of it, 0 for the least significant one (Figure 25).
  @inline(__always) static func places(
    ofBit bit: Int, size: Int
  ) -> (first: (row: Int, column: Int), second: (row: Int, column: Int)) {
    (
      first: (row: bit < 6 ? bit : bit < 8 ? bit + 1 : 8, column: bit < 8 ? 8 : bit == 8 ? 7 : 14 - bit),
      second: bit < 8 ? (row: 8, column: size - 1 - bit) : (row: size - 15 + bit, column: 8)
    )
  }
}

extension QRCodewordReader {
  /// The format information with the best agreement of both copies together; nil if neither copy is within three bits of it,
  /// the code's correction capacity.
  ///
  /// - Parameters:
  ///   - isMirrored: whether rows and columns are exchanged.
  ///   - isModel1: whether it has the mask of Model 1.
  func readFormat(
    _ values: ScratchArray<Int16>, size: Int, isMirrored: Bool = false, isModel1: Bool = false
  ) -> QRFormat? {
    let (down, across) = isMirrored ? (1, size) : (size, 1)
    let mask = isModel1 ? QRModel1.formatMask : 0
    var first: [15 of Int32] = .init(repeating: 0)
    var second: [15 of Int32] = .init(repeating: 0)
    for bit in 0..<15 {
      let places = QRFormat.places(ofBit: bit, size: size)
      first[bit] = Int32(values[places.first.row * down + places.first.column * across])
      second[bit] = Int32(values[places.second.row * down + places.second.column * across])
    }
    guard
      let (best, sum) = QRCodewordReader.bestWord(
        0..<32, bitCount: 15, code: { QRTables.formatBits($0) ^ mask }, value: { Int(first[$0] + second[$0]) })
    else { return nil }
    let bits = QRTables.formatBits(best) ^ mask
    let firstWrong = QRCodewordReader.wrongCount(bits, bitCount: 15) { Int(first[$0]) }
    let secondWrong = QRCodewordReader.wrongCount(bits, bitCount: 15) { Int(second[$0]) }
    guard min(firstWrong, secondWrong) <= 3 else { return nil }
    return QRFormat(level: QRCorrectionLevel(formatBits: best >> 3), mask: best & 7, agreement: sum)
  }

  /// The version in the version information, 7 to 40; nil if neither copy is within three bits of a valid word.
  func readVersion(_ values: ScratchArray<Int16>, size: Int) -> Int? {
    func value(_ bit: Int, copy: Int) -> Int { versionBit(values, size: size, bit: bit, copy: copy) }
    guard
      let (best, _) = QRCodewordReader.bestWord(
        7..<(QRTables.versionMax + 1), bitCount: 18, code: QRTables.versionBits,
        value: { value($0, copy: 0) + value($0, copy: 1) })
    else { return nil }
    for copy in 0..<2
    where QRCodewordReader.wrongCount(QRTables.versionBits(best), bitCount: 18, { value($0, copy: copy) }) <= 3 {
      return best
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
  ///   - usesErasures: whether to try a block that cannot be corrected again with its least certain codewords erased.
  /// - Returns: nil if a block cannot be corrected.
  func read(
    _ values: ScratchArray<Int16>, layout: QRLayout, format: QRFormat, usesErasures: Bool
  ) -> QRCorrection? {
    let blocks = QRTables.blocks(version: layout.version, level: format.level)
    collect(values, layout: layout, mask: format.mask, count: blocks.codewordCount)
    return correct(blocks, usesErasures: usesErasures)
  }

  /// Collects codewords in the order of §7.7.3.
  private func collect(_ values: ScratchArray<Int16>, layout: QRLayout, mask: Int, count: Int) {
    var collector = CodewordCollector()
    layout.walk { row, column in
      guard collector.count < count else { return }
      collector.add(
        values[row * layout.size + column], isMasked: QRTables.isMasked(mask, row: row, column: column))
      if collector.bitCount == 8 { finishCodeword(&collector) }
    }
    while collector.count < count {
      collector.least = 0
      finishCodeword(&collector)
    }
  }
}

extension QRLayout {
  /// Visits the modules that hold codewords in the order of §7.7.3: two columns at a time from the right, alternately up and down,
  /// skipping the timing column.
  @inline(__always) func walk(_ visit: (_ row: Int, _ column: Int) -> Void) {
    var isUpward = true
    var right = size - 1
    while right > 0 {
      if right == 6 { right = 5 }
      for step in 0..<size {
        let row = isUpward ? size - 1 - step : step
        for column in stride(from: right, through: right - 1, by: -1) {
          if modules[row * size + column] == ModuleRole.data { visit(row, column) }
        }
      }
      isUpward.toggle()
      right -= 2
    }
  }
}
