// Model 1 of QR Code, the original one, which still occurs on parts and in stock. It has the finder and timing patterns of
// the current model, but codewords in upright and horizontal blocks, extension patterns instead of alignment patterns, and
// another mask on the format information (ISO/IEC 18004:2000 Annex M).

/// The particulars of Model 1.
enum QRModel1 {
  static let versionMax = 14
  /// The difference between the masks of the format information: 0x2825 for Model 1, 0x5412 for Model 2.
  static let formatMask = 0x2825 ^ 0x5412

  /// The division into blocks (Table M.4), all of the same length.
  static func blocks(version: Int, level: QRCorrectionLevel) -> QRBlocks {
    let index = (version - 1) * 4 + level.rawValue
    return QRBlocks(
      shortCount: Int(blockCounts[index]), longCount: 0, dataCount: Int(dataCounts[index]),
      checkCount: Int(checkCounts[index]), correctionMax: Int(checkCounts[index]) / 2)
  }

  /// Calls `body` for each codeword in order, with its lower right module and its width in modules: two in the columns on
  /// the right and on the left, four in between. Its bits run from right to left and upwards. On the right and lower sides,
  /// extension patterns replace every other codeword.
  @inline(__always) static func forEachCodeword(version: Int, _ body: (_ column: Int, _ row: Int, _ width: Int) -> Void) {
    let last = QRTables.size(version: version) - 1
    for column in stride(from: last, through: last - 2, by: -2) {
      for row in stride(from: last, through: 12, by: -4) {
        let isExtension = column == last && row != last && row > 12 && (last - row) % 8 == 0
        if !isExtension { body(column, row, 2) }
      }
    }
    for column in stride(from: last - 4, through: 12, by: -4) {
      for row in stride(from: last, through: 8, by: -2) {
        let isExtension = row == last && column > 12 && (last - 4 - column) % 8 == 4
        // The format information is below the finder on the right.
        if !isExtension, column < last - 4 || row > 8 { body(column, row, 4) }
      }
      if column == last - 4 { continue }
      for row in stride(from: 5, through: 1, by: -2) { body(column, row, 4) }
    }
    for pair in 0..<4 {
      let column = pair == 0 ? 8 : 7 - 2 * pair
      for row in stride(from: last - 8, through: 12, by: -4) { body(column, row, 2) }
    }
  }

  /// Data and check codewords per block, and blocks per symbol: L, M, Q, H of versions 1 to 14 (Table M.4).
  private static let dataCounts: [56 of UInt8] = [
    19, 16, 13, 9, 36, 30, 24, 16, 57, 44, 36, 24, 80, 60, 50, 34, 108, 82, 68, 23, 136, 53, 43, 29, 170, 66, 54, 24,
    104, 80, 64, 29, 123, 93, 52, 34, 145, 111, 61, 31, 168, 64, 52, 29, 192, 73, 61, 33, 144, 83, 69, 32, 163, 92, 62, 35,
  ]
  private static let checkCounts: [56 of UInt8] = [
    7, 10, 13, 17, 10, 16, 22, 30, 15, 28, 36, 48, 20, 40, 50, 66, 26, 52, 66, 44, 34, 32, 42, 56, 42, 40, 52, 46,
    24, 48, 64, 56, 30, 60, 50, 68, 34, 68, 58, 58, 40, 40, 52, 54, 46, 46, 58, 62, 36, 52, 66, 58, 40, 60, 60, 66,
  ]
  private static let blockCounts: [56 of UInt8] = [
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 2, 2, 2, 1, 2, 2, 3,
    2, 2, 2, 3, 2, 2, 3, 3, 2, 2, 3, 4, 2, 4, 4, 5, 2, 4, 4, 5, 3, 4, 4, 6, 3, 4, 5, 6,
  ]
}

extension QRCodewordReader {
  /// Reads and corrects all blocks of a Model 1 symbol into `data`; nil if a block cannot be corrected.
  func readModel1(_ values: ScratchArray<Int16>, version: Int, format: QRFormat, usesErasures: Bool) -> QRCorrection? {
    let size = QRTables.size(version: version)
    let blocks = QRModel1.blocks(version: version, level: format.level)
    let count = blocks.codewordCount
    var collector = CodewordCollector()
    QRModel1.forEachCodeword(version: version) { right, bottom, width in
      guard collector.count < count else { return }
      for bit in 0..<8 {
        let (column, row) = (right - bit % width, bottom - bit / width)
        collector.add(values[row * size + column], isMasked: QRTables.isMasked(format.mask, row: row, column: column))
      }
      // The corner at the bottom right belongs to the extension patterns.
      if collector.count == 0 { collector.codeword &= 0xF }
      finishCodeword(&collector)
    }
    precondition(collector.count == count)
    return correct(blocks, usesErasures: usesErasures)
  }
}
