// From decided modules of an rMQR symbol to corrected codewords: the format information with its error correction, the mask,
// the order of the bits, Reed-Solomon (ISO/IEC 23941:2022 §7.5 to §7.9, §11).

extension QRCodewordReader {
  /// The format information next to the finder pattern that agrees best, with modules `columns` per row, and the number of
  /// its wrong bits; nil if more than `wrongMax` are wrong.
  func readRectangularFormat(
    _ values: ScratchArray<Int16>, columns: Int, wrongMax: Int
  ) -> (format: RMQRFormat, wrongCount: Int)? {
    func value(_ bit: Int) -> Int {
      let place = RMQRLayout.formatPlace(bit)
      return Int(values[place.row * columns + place.column])
    }
    func code(_ data: Int) -> Int { RMQRFormat.formatBits(data) ^ RMQRFormat.finderMask }
    guard let (best, _) = QRCodewordReader.bestWord(0..<64, bitCount: 18, code: code, value: value) else { return nil }
    let wrong = QRCodewordReader.wrongCount(code(best), bitCount: 18, value)
    return wrong <= wrongMax ? (RMQRFormat(data: best), wrong) : nil
  }

  /// Reads and corrects all blocks into `data`; nil if a block cannot be corrected.
  func readRectangular(_ values: ScratchArray<Int16>, layout: RMQRLayout, usesErasures: Bool) -> QRCorrection? {
    let blocks = layout.format.blocks
    collectRectangular(values, layout: layout, count: blocks.codewordCount)
    return correct(blocks, usesErasures: usesErasures)
  }

  /// Collects codewords in the order of §7.7.3: two columns at a time from the second on the right, alternately up and down,
  /// with the mask of §7.8.2.
  private func collectRectangular(_ values: ScratchArray<Int16>, layout: RMQRLayout, count: Int) {
    var collector = CodewordCollector()
    var isUpward = true
    for right in stride(from: layout.columns - 2, to: 0, by: -2) {
      for step in 0..<layout.rows {
        let row = isUpward ? layout.rows - 1 - step : step
        for column in stride(from: right, through: right - 1, by: -1) {
          let index = row * layout.columns + column
          guard layout.modules[index] == ModuleRole.data, collector.count < count else { continue }
          collector.add(values[index], isMasked: QRTables.isMasked(4, row: row, column: column))
          if collector.bitCount == 8 { finishCodeword(&collector) }
        }
      }
      isUpward.toggle()
    }
    precondition(collector.count == count)
  }
}
