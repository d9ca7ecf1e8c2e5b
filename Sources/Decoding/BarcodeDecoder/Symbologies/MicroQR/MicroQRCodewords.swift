// From decided modules of a Micro QR symbol to corrected codewords: the format information with its error correction, the
// mask, the order of the bits, Reed-Solomon (ISO/IEC 18004:2015 §7.5 to §7.9, §12).

extension QRCodewordReader {
  /// The most wrong bits accepted in the format information.
  private static let formatErrorMax = 2

  /// The format information that agrees best; nil if more than two bits differ from it. There is only one copy, so one bit
  /// of the correction capacity is kept for rejecting false candidates.
  func readMicroFormat(_ values: ScratchArray<Int16>, size: Int) -> MicroQRFormat? {
    func value(_ bit: Int) -> Int { microFormatValue(values, size: size, bit: bit) }
    guard
      let (best, _) = QRCodewordReader.bestWord(0..<32, bitCount: 15, code: MicroQRFormat.formatBits, value: value)
    else { return nil }
    let wrong = QRCodewordReader.wrongCount(MicroQRFormat.formatBits(best), bitCount: 15, value)
    guard wrong <= QRCodewordReader.formatErrorMax else { return nil }
    return MicroQRFormat(data: best, wrongBitCount: wrong)
  }

  /// Bit 0 is at the top of column 8, bit 7 at the crossing of row 8 and column 8, bit 14 at the left of row 8 (Figure 28).
  private func microFormatValue(_ values: ScratchArray<Int16>, size: Int, bit: Int) -> Int {
    let row = bit < 8 ? bit + 1 : 8
    let column = bit < 8 ? 8 : 15 - bit
    return Int(values[row * size + column])
  }

  /// Reads and corrects the block into `data`; a last codeword of four bits is the high half of its byte.
  ///
  /// - Returns: nil if the block cannot be corrected.
  func readMicro(
    _ values: ScratchArray<Int16>, layout: MicroQRLayout, format: MicroQRFormat, usesErasures: Bool
  ) -> QRCorrection? {
    collectMicro(values, layout: layout, format: format)
    guard let correction = correct(format.blocks, usesErasures: usesErasures && format.blocks.checkCount >= 8) else {
      return nil
    }
    if format.dataBitCount & 7 != 0 {
      let last = format.blocks.dataCount - 1
      // Some printers compute the check codewords with a last padding codeword of eight bits, whose second half is in no
      // module.
      data[last] = data[last] & 0xF0
    }
    return correction
  }

  /// Collects codewords in the order of §7.7.3: two columns at a time from the right, alternately up and down; the last data
  /// codeword of M1 and M3 has four modules.
  private func collectMicro(_ values: ScratchArray<Int16>, layout: MicroQRLayout, format: MicroQRFormat) {
    let size = layout.size
    let count = format.blocks.codewordCount
    let half = format.dataBitCount & 7 != 0 ? format.blocks.dataCount - 1 : -1
    var collector = CodewordCollector()
    var isUpward = true
    for right in stride(from: size - 1, to: 0, by: -2) {
      for step in 0..<size {
        let row = isUpward ? size - 1 - step : step
        for column in stride(from: right, through: right - 1, by: -1) {
          let index = row * size + column
          guard layout.modules[index] == ModuleRole.data, collector.count < count else { continue }
          collector.add(values[index], isMasked: QRTables.isMasked(format.mask, row: row, column: column))
          if collector.bitCount == 4, collector.count == half {
            collector.codeword <<= 4
            finishCodeword(&collector)
          } else if collector.bitCount == 8 {
            finishCodeword(&collector)
          }
        }
      }
      isUpward.toggle()
    }
  }
}
