// The message in the data bits of an rMQR symbol: the segments of QR Code, with indicators of three bits and counts that
// grow with the size (ISO/IEC 23941:2022 §7.4, Tables 2 and 3).

import BarcodeTypes

/// Decodes the message of a symbol's data codewords into the results, without committing it. Its modifier follows the rules
/// of QR Code.
struct RMQRMessageReader {
  private var segments: QRMessageReader
  private let format: RMQRFormat

  init(_ codewords: ScratchArray<UInt16>, count: Int, format: RMQRFormat) {
    segments = QRMessageReader(codewords, bitCount: 8 * count)
    self.format = format
  }

  /// Nil if the codewords have no message, an empty one, or one too long for the store; the caller must then drop the
  /// appended bytes.
  mutating func read(into results: inout ResultStore) -> SymbolMessage? {
    while segments.bits.remaining >= 3 {
      guard let mode = segments.bits.read(3) else { return nil }
      if mode == 0 { break }
      guard readSegment(mode, into: &results) else { return nil }
    }
    guard results.pendingByteCount > 0 else { return nil }
    return segments.message
  }

  /// Reads a segment after its mode indicator (Table 2).
  private mutating func readSegment(_ mode: Int, into results: inout ResultStore) -> Bool {
    switch mode {
    case 0b001: segments.readDigits(countBits: format.digitCountBits, into: &results)
    case 0b010: segments.readAlphanumeric(countBits: format.letterCountBits, into: &results)
    case 0b011: segments.readBytes(countBits: format.byteCountBits, into: &results)
    case 0b100: segments.readKanji(countBits: format.kanjiCountBits, into: &results)
    case 0b101: segments.readFNC1(.first, into: &results)
    case 0b110: segments.readFNC1(.second, into: &results)
    default: segments.readDesignator()
    }
  }
}
