// The message in the data codewords: segments of digits, letters, bytes and Kanji, with the modes that qualify them (ISO/IEC
// 18004:2015 §7.4). A stream that breaks a rule has no message; the reader never reads past its end.

import BarcodeTypes

/// Decodes the message of a symbol's data codewords into the results, without committing it. Its modifier (Annex F): "0" for
/// Model 1, "1" plain, "2" with ECI, "3" to "6" with FNC1 in first or second position, without or with ECI.
struct QRMessageReader {
  var bits: BitReader<UInt16>
  private let version: Int
  private var isModel1 = false
  private var interpretation = TextInterpretation.unspecified
  private var hasECI = false
  private var fnc1 = FNC1.none
  private var structuredAppend: StructuredAppend?

  init(_ codewords: ScratchArray<UInt16>, count: Int, version: Int, isModel1: Bool = false) {
    bits = BitReader(codewords, width: 8, bitCount: 8 * count)
    self.version = version
    self.isModel1 = isModel1
    // The message of Model 1 begins after the corner.
    if isModel1 { _ = bits.read(4) }
  }

  /// Reads the segments of another symbology, whose indicators and counts are read elsewhere.
  init(_ codewords: ScratchArray<UInt16>, bitCount: Int) {
    bits = BitReader(codewords, width: 8, bitCount: bitCount)
    version = 0
  }

  /// Nil if the codewords have no message, an empty one, or one too long for the store; the caller must then drop the
  /// appended bytes.
  mutating func read(into results: inout ResultStore) -> SymbolMessage? {
    while bits.remaining >= 4 {
      guard let mode = bits.read(4) else { return nil }
      if mode == 0 { break }
      guard readSegment(mode, into: &results) else { return nil }
    }
    guard results.pendingByteCount > 0 else { return nil }
    return message
  }

  /// The properties of the message, according to the segments already read.
  var message: SymbolMessage {
    let modifier = isModel1 ? 0 : UInt8(1 + 2 * fnc1.rawValue + (hasECI ? 1 : 0))
    return SymbolMessage(aimModifier: 0x30 + modifier, isGS1: fnc1 == .first, structuredAppend: structuredAppend)
  }

  /// Reads a segment after its mode indicator (Table 2).
  private mutating func readSegment(_ mode: Int, into results: inout ResultStore) -> Bool {
    switch mode {
    case 0b0001: return readDigits(countBits: countBits(10, 12, 14), into: &results)
    case 0b0010: return readAlphanumeric(countBits: countBits(9, 11, 13), into: &results)
    case 0b0100: return readBytes(countBits: countBits(8, 16, 16), into: &results)
    case 0b1000: return readKanji(countBits: countBits(8, 10, 12), into: &results)
    case 0b1101: return readHanzi(into: &results)
    case 0b0111: return readDesignator()
    case 0b0011: return readStructuredAppend()
    case 0b0101: return readFNC1(.first, into: &results)
    case 0b1001: return readFNC1(.second, into: &results)
    default: return false
    }
  }

  /// Number of bits of a character count (Table 3), by class of versions.
  private func countBits(_ small: Int, _ medium: Int, _ large: Int) -> Int {
    version < 10 ? small : version < 27 ? medium : large
  }

  /// Reads groups of three digits in 10 bits, two in 7, one in 4 (§7.4.3).
  mutating func readDigits(countBits: Int, into results: inout ResultStore) -> Bool {
    guard var count = bits.read(countBits), results.beginSegment(interpretation) else { return false }
    while count > 0 {
      let digits = min(3, count)
      guard let value = bits.read(digits == 3 ? 10 : digits == 2 ? 7 : 4) else { return false }
      guard value < (digits == 3 ? 1000 : digits == 2 ? 100 : 10) else { return false }
      if digits == 3, !results.append(0x30 + UInt8(value / 100)) { return false }
      if digits >= 2, !results.append(0x30 + UInt8(value / 10 % 10)) { return false }
      guard results.append(0x30 + UInt8(value % 10)) else { return false }
      count -= digits
    }
    return true
  }

  /// Reads pairs of characters in 11 bits, a last one in 6 (§7.4.4). With FNC1, a percent sign is the separator GS (0x1D),
  /// and two are a percent sign (§7.4.8.3).
  mutating func readAlphanumeric(countBits: Int, into results: inout ResultStore) -> Bool {
    guard var count = bits.read(countBits), results.beginSegment(interpretation) else { return false }
    var isPercentPending = false
    while count > 0 {
      let characters = min(2, count)
      guard let value = bits.read(characters == 2 ? 11 : 6), value < (characters == 2 ? 2025 : 45) else { return false }
      for index in 0..<characters {
        let code = characters == 2 && index == 0 ? value / 45 : value % 45
        let character = QRMessageReader.alphanumericCharacter(code)
        if fnc1 == .none || character != 0x25 {
          if isPercentPending, !results.append(0x1D) { return false }
          isPercentPending = false
          guard results.append(character) else { return false }
        } else if isPercentPending {
          isPercentPending = false
          guard results.append(0x25) else { return false }
        } else {
          isPercentPending = true
        }
      }
      count -= characters
    }
    return !isPercentPending || results.append(0x1D)
  }

  /// Table 5: digits, letters, then space $ % * + - . / :
  private static func alphanumericCharacter(_ code: Int) -> UInt8 {
    if code < 10 { return 0x30 + UInt8(code) }
    if code < 36 { return 0x41 + UInt8(code - 10) }
    let others: [9 of UInt8] = [0x20, 0x24, 0x25, 0x2A, 0x2B, 0x2D, 0x2E, 0x2F, 0x3A]
    return others[code - 36]
  }

  mutating func readBytes(countBits: Int, into results: inout ResultStore) -> Bool {
    guard let count = bits.read(countBits), count * 8 <= bits.remaining, results.beginSegment(interpretation)
    else { return false }
    for _ in 0..<count {
      guard let byte = bits.read(8), results.append(UInt8(byte)) else { return false }
    }
    return true
  }

  /// Reads characters of two bytes of Shift JIS in 13 bits (§7.4.6).
  mutating func readKanji(countBits: Int, into results: inout ResultStore) -> Bool {
    guard let count = bits.read(countBits), count * 13 <= bits.remaining, results.beginSegment(.eci(20))
    else { return false }
    for _ in 0..<count {
      guard let value = bits.read(13) else { return false }
      let compact = (value / 0xC0) << 8 | value % 0xC0
      let code = compact + (compact < 0x1F00 ? 0x8140 : 0xC140)
      guard code <= 0xFFFF, results.append(UInt8(code >> 8)), results.append(UInt8(code & 0xFF)) else { return false }
    }
    return true
  }

  /// Reads characters of two bytes of GB 2312 in 13 bits, after a subset indicator of 1 (GB/T 18284-2000).
  private mutating func readHanzi(into results: inout ResultStore) -> Bool {
    guard bits.read(4) == 1, let count = bits.read(countBits(8, 10, 12)), count * 13 <= bits.remaining,
      results.beginSegment(.eci(29))
    else { return false }
    for _ in 0..<count {
      guard let value = bits.read(13) else { return false }
      let compact = (value / 0x60) << 8 | value % 0x60
      let code = compact + (compact < 0x0A00 ? 0xA1A1 : 0xA6A1)
      guard code <= 0xFFFF, results.append(UInt8(code >> 8)), results.append(UInt8(code & 0xFF)) else { return false }
    }
    return true
  }

  /// Reads an ECI designator, one to three bytes long (Table 4); it applies until the next one.
  mutating func readDesignator() -> Bool {
    guard let first = bits.read(8) else { return false }
    let extra = first & 0x80 == 0 ? 0 : first & 0xC0 == 0x80 ? 1 : first & 0xE0 == 0xC0 ? 2 : -1
    guard extra >= 0 else { return false }
    var assignment = extra == 0 ? first : extra == 1 ? first & 0x3F : first & 0x1F
    for _ in 0..<extra {
      guard let byte = bits.read(8) else { return false }
      assignment = assignment << 8 | byte
    }
    guard assignment <= 999_999 else { return false }
    interpretation = .eci(UInt32(assignment))
    hasECI = true
    return true
  }

  /// Reads position, number of symbols less one, and parity (§8.2).
  private mutating func readStructuredAppend() -> Bool {
    guard let position = bits.read(4), let last = bits.read(4), let parity = bits.read(8), position <= last else {
      return false
    }
    structuredAppend = StructuredAppend(index: Int32(position), count: Int32(last + 1), identifier: UInt64(parity))
    return true
  }

  /// Reads FNC1, at most once per message (§7.4.8).
  mutating func readFNC1(_ position: FNC1, into results: inout ResultStore) -> Bool {
    guard fnc1 == .none else { return false }
    fnc1 = position
    return position == .first || readApplicationIndicator(into: &results)
  }

  /// Reads the application indicator of FNC1 in second position (§7.4.8.3): two digits, or a letter encoded as its code plus
  /// 100. It precedes the data in the payload.
  private mutating func readApplicationIndicator(into results: inout ResultStore) -> Bool {
    guard let value = bits.read(8), results.beginSegment(interpretation) else { return false }
    if value < 100 { return results.append(0x30 + UInt8(value / 10)) && results.append(0x30 + UInt8(value % 10)) }
    let letter = value - 100
    guard (letter >= 0x41 && letter <= 0x5A) || (letter >= 0x61 && letter <= 0x7A) else { return false }
    return results.append(UInt8(letter))
  }
}
