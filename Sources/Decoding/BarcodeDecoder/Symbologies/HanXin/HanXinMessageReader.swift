// The message in the data codewords of Han Xin Code (ISO/IEC 20830 §5.4): segments in modes for digits, text, bytes and the
// characters of GB 18030. A stream that breaks a rule has no message.

import BarcodeTypes

/// Decodes the message of a symbol into the results, without committing it.
struct HanXinMessageReader {
  private static let modeBits = 4
  /// Values from here on end a segment of digits and tell the length of its last group.
  private static let numericEnd = 1020
  /// The value of text mode that changes the set, and that which ends the segment.
  private static let text = (change: 62, end: 63)
  /// The values of the two-byte regions that go over to the other one, and that end the segment.
  private static let region = (change: 4094, end: 4095)
  private static let doubleByteEnd = 32767

  private var bits: BitReader<UInt8>
  private var interpretation = TextInterpretation.unspecified
  private var hasECI = false

  init(_ data: ScratchArray<UInt8>, count: Int) { bits = BitReader(data, width: 8, bitCount: count * 8) }

  /// Nil if the data have no message; the caller must then drop the appended bytes.
  mutating func read(into results: inout ResultStore) -> SymbolMessage? {
    while bits.remaining >= HanXinMessageReader.modeBits, let mode = bits.read(HanXinMessageReader.modeBits), mode != 0 {
      guard results.beginSegment(interpretation), readSegment(mode, into: &results) else { return nil }
    }
    guard results.pendingByteCount > 0 else { return nil }
    return SymbolMessage(aimModifier: hasECI ? 0x31 : 0x30)
  }

  private mutating func readSegment(_ mode: Int, into results: inout ResultStore) -> Bool {
    switch mode {
    case 1: readDigits(into: &results)
    case 2: readText(into: &results)
    case 3: readBytes(into: &results)
    case 4, 5: readRegions(isFirst: mode == 4, into: &results)
    case 6: readDoubleBytes(into: &results)
    case 7: readFourBytes(into: &results)
    case 8: readECI(into: &results)
    default: false
    }
  }

  /// Groups of three digits; the last one may have fewer.
  private mutating func readDigits(into results: inout ResultStore) -> Bool {
    guard var group = bits.read(10), group < 1000 else { return false }
    while let next = bits.read(10) {
      let count = next > HanXinMessageReader.numericEnd ? next - HanXinMessageReader.numericEnd : 3
      guard next < 1000 || next > HanXinMessageReader.numericEnd else { return false }
      var divisor = count == 3 ? 100 : count == 2 ? 10 : 1
      guard group < 10 * divisor else { return false }
      while divisor > 0 {
        guard results.append(UInt8(0x30 + group / divisor % 10)) else { return false }
        divisor /= 10
      }
      if next > HanXinMessageReader.numericEnd { return true }
      group = next
    }
    return false
  }

  private mutating func readText(into results: inout ResultStore) -> Bool {
    var isSecondSet = false
    while let value = bits.read(6) {
      if value == HanXinMessageReader.text.end { return true }
      if value == HanXinMessageReader.text.change {
        isSecondSet.toggle()
      } else if !results.append(HanXinTables.character(value, isSecondSet: isSecondSet)) {
        return false
      }
    }
    return false
  }

  private mutating func readBytes(into results: inout ResultStore) -> Bool {
    guard let count = bits.read(13), count * 8 <= bits.remaining else { return false }
    for _ in 0..<count {
      guard let byte = bits.read(8), results.append(UInt8(byte)) else { return false }
    }
    return true
  }

  /// The two regions of common characters, which may alternate.
  private mutating func readRegions(isFirst: Bool, into results: inout ResultStore) -> Bool {
    var isFirst = isFirst
    while let value = bits.read(12) {
      if value == HanXinMessageReader.region.end { return true }
      if value == HanXinMessageReader.region.change {
        isFirst.toggle()
        continue
      }
      guard let (lead, trail) = HanXinMessageReader.regionBytes(value, isFirst: isFirst),
        results.append(lead), results.append(trail)
      else { return false }
    }
    return false
  }

  private static func regionBytes(_ value: Int, isFirst: Bool) -> (UInt8, UInt8)? {
    // Rows of 94 characters: Chinese characters from row 0xB0 or 0xD8 on, then symbols of rows 0xA1 to 0xA3, then 0xA8.
    let lead: Int
    let trail: Int
    switch (isFirst, value) {
    case (true, 0xFCA...0xFE9): (lead, trail) = (0xA8, value - 0xFCA)
    case (true, 0xEB0..<0xFCA): (lead, trail) = (0xA1 + (value - 0xEB0) / 94, (value - 0xEB0) % 94)
    case (true, 0..<0xEB0): (lead, trail) = (0xB0 + value / 94, value % 94)
    case (false, 0..<0xEB0): (lead, trail) = (0xD8 + value / 94, value % 94)
    default: return nil
    }
    return (UInt8(lead), UInt8(0xA1 + trail))
  }

  private mutating func readDoubleBytes(into results: inout ResultStore) -> Bool {
    while let value = bits.read(15) {
      if value == HanXinMessageReader.doubleByteEnd { return true }
      let lead = 0x81 + value / 190
      let trail = 0x40 + value % 190
      // No trail byte is 0x7F.
      guard lead <= 0xFE, results.append(UInt8(lead)), results.append(UInt8(trail >= 0x7F ? trail + 1 : trail)) else {
        return false
      }
    }
    return false
  }

  /// One character of four bytes.
  private mutating func readFourBytes(into results: inout ResultStore) -> Bool {
    guard let value = bits.read(21), value < 0x7E * 12_600 else { return false }
    return results.append(UInt8(0x81 + value / 12_600)) && results.append(UInt8(0x30 + value / 1260 % 10))
      && results.append(UInt8(0x81 + value / 10 % 126)) && results.append(UInt8(0x30 + value % 10))
  }

  /// An Extended Channel Interpretation of one to three bytes.
  private mutating func readECI(into results: inout ResultStore) -> Bool {
    guard let first = bits.read(8) else { return false }
    var number = first
    if first & 0x80 != 0 {
      let isLong = first & 0x40 != 0
      guard !isLong || first & 0x20 == 0, let rest = bits.read(isLong ? 16 : 8) else { return false }
      number = isLong ? (first & 0x1F) << 16 | rest : (first & 0x3F) << 8 | rest
    }
    hasECI = true
    interpretation = .eci(UInt32(number))
    return results.beginSegment(interpretation)
  }
}
