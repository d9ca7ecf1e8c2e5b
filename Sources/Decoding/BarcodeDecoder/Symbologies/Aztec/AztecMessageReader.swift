// The message in the data bits: characters of five tables, bytes, and the flags that qualify them (ISO/IEC 24778 §7.2.1,
// §8). A stream that breaks a rule has no message; the reader never reads past its end.

import BarcodeTypes

/// Decodes the message of a symbol's data bits into the results, without committing it. Its modifier (Annex F): "0" plain,
/// plus 1 or 2 with FNC1 in first or second position, plus 3 with ECI, plus 6 in structured append, written in hexadecimal.
struct AztecMessageReader {
  /// Padding at the end of the data is shorter than the longest codeword, so an incomplete code of up to this many bits is
  /// accepted there.
  private static let paddingBitCountMax = 11

  private var bits: BitReader<UInt8>
  private var mode = AztecTables.Mode.upper
  private var interpretation = TextInterpretation.unspecified
  private var hasECI = false
  private var fnc1 = FNC1.none
  private var isHeaderOpen = false
  private var structuredAppend: StructuredAppend?

  init(_ bits: ScratchArray<UInt8>, count: Int) {
    self.bits = BitReader(bits, width: 1, bitCount: count)
  }

  /// Nil if the bits have no message, an empty one, or one too long for the store; the caller must then drop the appended
  /// bytes.
  mutating func read(into results: inout ResultStore) -> SymbolMessage? {
    openHeader()
    while bits.remaining > 0 {
      let bitsBefore = bits.remaining
      guard let hasMore = readCode(mode, into: &results) else { return nil }
      if !hasMore {
        guard bitsBefore <= AztecMessageReader.paddingBitCountMax else { return nil }
        break
      }
    }
    guard results.pendingByteCount > 0, !isHeaderOpen else { return nil }
    let index = fnc1.rawValue + (hasECI ? 3 : 0) + (structuredAppend != nil ? 6 : 0)
    return SymbolMessage(
      aimModifier: UInt8(index < 10 ? 0x30 + index : 0x41 + index - 10), isGS1: fnc1 == .first,
      structuredAppend: structuredAppend)
  }

  /// A message that begins with a latch to Mixed and one back to Upper is part of a larger message (§8.2).
  private mutating func openHeader() {
    var ahead = bits
    guard ahead.read(10) == 0b11101_11101 else { return }
    bits = ahead
    isHeaderOpen = true
  }

  /// Reads a code of a table and the data that it announces; false if the bits ended first, nil if they break a rule.
  private mutating func readCode(_ table: AztecTables.Mode, into results: inout ResultStore) -> Bool? {
    guard let code = bits.read(AztecTables.codeBits(table)) else { return false }
    switch AztecTables.meaning(code, table) {
    case .characters(let first, let second):
      guard append(first, into: &results) else { return nil }
      if let second, !append(second, into: &results) { return nil }
      return true
    case .latch(let next):
      mode = next
      return true
    // After what was shifted to, the table is again the one that holds the shift, even if that was shifted to itself.
    case .shift(let next):
      mode = table
      return readCode(next, into: &results)
    case .binaryShift:
      mode = table
      return readBytes(into: &results)
    case .flag:
      return readFlag(into: &results)
    }
  }

  /// Reads a count in 5 bits, or in 11 bits beyond 31, then that many bytes.
  private mutating func readBytes(into results: inout ResultStore) -> Bool? {
    guard var count = bits.read(5) else { return false }
    if count == 0 {
      guard let more = bits.read(11) else { return false }
      count = more + 31
    }
    guard count * 8 <= bits.remaining else { return false }
    for _ in 0..<count {
      guard let byte = bits.read(8), append(UInt8(byte), into: &results) else { return nil }
    }
    return true
  }

  /// Reads FLG(n): 0 is FNC1, 1…6 announce an Extended Channel Interpretation with that many digits (§7.2.1.4), 7 is
  /// reserved.
  private mutating func readFlag(into results: inout ResultStore) -> Bool? {
    guard let digitCount = bits.read(3) else { return false }
    if digitCount == 0 { return noteFNC1(into: &results) ? true : nil }
    guard digitCount < 7 else { return nil }
    var assignment = 0
    for _ in 0..<digitCount {
      guard let code = bits.read(4) else { return false }
      guard code >= 2, code <= 11 else { return nil }
      assignment = assignment * 10 + code - 2
    }
    interpretation = .eci(UInt32(assignment))
    hasECI = true
    return true
  }

  /// FNC1 as the first character, or after a single letter or two digits, qualifies the message; elsewhere it is a
  /// separator.
  private mutating func noteFNC1(into results: inout ResultStore) -> Bool {
    guard fnc1 == .none, !isHeaderOpen else { return append(0x1D, into: &results) }
    switch results.pendingByteCount {
    case 0: fnc1 = .first
    case 1 where AztecMessageReader.isLetter(results.pendingByte(0)): fnc1 = .second
    case 2 where AztecMessageReader.isDigit(results.pendingByte(0)) && AztecMessageReader.isDigit(results.pendingByte(1)):
      fnc1 = .second
    default: return append(0x1D, into: &results)
    }
    return true
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte >= 0x41 && byte <= 0x5A || byte >= 0x61 && byte <= 0x7A
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  private mutating func append(_ byte: UInt8, into results: inout ResultStore) -> Bool {
    guard results.beginSegment(isHeaderOpen ? .unspecified : interpretation), results.append(byte) else { return false }
    return isHeaderOpen ? closeHeader(&results) : true
  }

  /// Removes the header once it is complete: an optional identifier between spaces, then the letter of this symbol's
  /// position and the letter of the number of symbols (§8.2). False if it is not a valid header.
  private mutating func closeHeader(_ results: inout ResultStore) -> Bool {
    let count = results.pendingByteCount
    var start = 0
    var identifier: UInt64 = 0
    if results.pendingByte(0) == 0x20 {
      start = 1
      while start < count, results.pendingByte(start) != 0x20 {
        identifier = identifier << 8 | UInt64(results.pendingByte(start))
        start += 1
      }
      start += 1
    }
    guard count >= start + 2 else { return true }
    let position = Int(results.pendingByte(start)) - 0x41
    let total = Int(results.pendingByte(start + 1)) - 0x41 + 1
    guard position >= 0, position < total, total <= 26 else { return false }
    structuredAppend = StructuredAppend(index: Int32(position), count: Int32(total), identifier: identifier)
    results.drop()
    isHeaderOpen = false
    return true
  }
}
