// The message in the data bits of a Micro QR symbol: segments of digits, letters, bytes and Kanji, with indicators and
// counts that grow with the version (ISO/IEC 18004:2015 §7.4, Tables 2 and 3).

import BarcodeTypes

/// Decodes the message of a symbol's data codewords into the results, without committing it.
struct MicroQRMessageReader {
  private var segments: QRMessageReader
  private let version: Int

  init(_ codewords: ScratchArray<UInt16>, format: MicroQRFormat) {
    segments = QRMessageReader(codewords, bitCount: format.dataBitCount)
    version = format.version
  }

  /// Returns whether the bits are a message; if not, or if it is empty or too long for the store, the caller must drop the
  /// appended bytes.
  mutating func read(into results: inout ResultStore) -> Bool {
    // The terminator: 3, 5, 7 or 9 zeros, or fewer if there is no room.
    let terminator = 2 * version + 1
    while segments.bits.remaining > 0 {
      if segments.bits.isZero(min(terminator, segments.bits.remaining)) { return finish(terminator, results) }
      guard let mode = segments.bits.read(version - 1) else { return false }
      var isRead = false
      switch mode {
      case 0: isRead = segments.readDigits(countBits: version + 2, into: &results)
      case 1: isRead = segments.readAlphanumeric(countBits: version + 1, into: &results)
      case 2: isRead = version >= 3 && segments.readBytes(countBits: version + 1, into: &results)
      case 3: isRead = version >= 3 && segments.readKanji(countBits: version, into: &results)
      default: break
      }
      guard isRead else { return false }
    }
    return results.pendingByteCount > 0
  }

  /// Checks the padding. M1 has no error correction and few means to detect errors, so its padding must be as the standard
  /// requires: zeros up to the end of a codeword, then alternating padding codewords 11101100 and 00010001, with 0000 for a
  /// half codeword (§7.4.10).
  private mutating func finish(_ terminator: Int, _ results: ResultStore) -> Bool {
    guard results.pendingByteCount > 0 else { return false }
    guard version == 1 else { return true }
    _ = segments.bits.read(min(terminator, segments.bits.remaining))
    let toCodeword = segments.bits.remaining >= 4 ? (segments.bits.remaining - 4) & 7 : segments.bits.remaining
    guard segments.bits.read(toCodeword) == 0 else { return false }
    var padding = 0b1110_1100
    while segments.bits.remaining >= 8 {
      guard segments.bits.read(8) == padding else { return false }
      padding ^= 0b1111_1101
    }
    return segments.bits.isZero(segments.bits.remaining)
  }
}
