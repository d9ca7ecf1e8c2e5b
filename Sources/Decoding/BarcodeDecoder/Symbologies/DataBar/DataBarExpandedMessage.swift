// Decodes the characters of a GS1 DataBar Expanded symbol to element strings: ISO/IEC 24724 §7.2.5.
//
// A character has twelve bits. They hold the linkage flag, the encodation method, the fields of that method, and for some
// methods a general purpose field.

import BarcodeTypes

/// The bits of a symbol's characters.
struct DataBarExpandedBits: BitString {
  private let values: [22 of UInt16]
  let count: Int

  /// - Parameter count: number of characters, including the check character at the beginning.
  init(_ values: [22 of UInt16], count: Int) {
    self.values = values
    self.count = (count - 1) * 12
  }

  func bit(_ index: Int) -> Int { Int(values[index / 12 + 1]) >> (11 - index % 12) & 1 }

  /// Whether a two-dimensional component lies above the symbol.
  var isLinked: Bool { bit(0) == 1 }
}

/// Decodes the bits of a symbol to bytes.
struct DataBarExpandedMessage {
  /// The value of a date field without a date.
  private static let noDate = 38_400

  private var reader: ElementStringReader<DataBarExpandedBits>

  init(_ bits: DataBarExpandedBits, into text: ScratchArray<UInt8>) { reader = ElementStringReader(bits, into: text) }

  /// Writes the element strings and returns their number of bytes, or nil if the message is invalid.
  consuming func write() -> Int? {
    // The linkage flag.
    _ = reader.take(1)
    if reader.take(1) == 1 {
      _ = reader.take(2)
      reader.append(identifier: 0x01)
      let first = reader.take(4)
      appendItemNumber(first)
      reader.writeGeneralField()
    } else if reader.take(1) == 0 {
      _ = reader.take(2)
      reader.writeGeneralField()
    } else {
      writeCompressed()
    }
    return reader.finish()
  }

  /// Decodes the methods that begin with 01: a trade item of variable measure, whose number begins with 9, and its measure.
  private mutating func writeCompressed() {
    let kind = reader.take(2)
    if kind < 2 {
      appendVariableItem()
      let weight = reader.take(15)
      if kind == 0 {
        reader.append(identifier: 0x3103)
        reader.append(weight, digitCount: 6)
      } else {
        reader.append(identifier: weight < 10_000 ? 0x3202 : 0x3203)
        reader.append(weight < 10_000 ? weight : weight - 10_000, digitCount: 6)
      }
    } else if kind == 2 {
      // 01100 and 01101: a price.
      let hasCurrency = reader.take(1) == 1
      _ = reader.take(2)
      appendVariableItem()
      reader.append(hasCurrency ? 393 : 392, digitCount: 3)
      reader.append(reader.take(2), digitCount: 1)
      if hasCurrency { appendThreeDigits() }
      reader.writeGeneralField()
    } else {
      // 0111000 to 0111111: a weight and a date.
      let method = reader.take(3)
      appendVariableItem()
      let weight = reader.take(20)
      reader.append(method & 1 == 0 ? 310 : 320, digitCount: 3)
      reader.append(weight / 100_000, digitCount: 1)
      reader.append(weight % 100_000, digitCount: 6)
      let date = reader.take(16)
      guard date != DataBarExpandedMessage.noDate else { return }
      guard date < DataBarExpandedMessage.noDate else { return reader.isWrong = true }
      reader.append(method / 2 * 2 + 11, digitCount: 2)
      reader.appendDate(date)
    }
  }

  /// Appends three digits from ten bits.
  private mutating func appendThreeDigits() {
    let digits = reader.take(10)
    if digits > 999 { reader.isWrong = true }
    reader.append(digits, digitCount: 3)
  }

  private mutating func appendVariableItem() {
    reader.append(identifier: 0x01)
    appendItemNumber(9)
  }

  /// Appends a GTIN of 14 digits: the first digit, twelve more from 40 bits, and the check digit.
  private mutating func appendItemNumber(_ first: Int) {
    if first > 9 { reader.isWrong = true }
    let start = reader.byteCount
    reader.append(first, digitCount: 1)
    for _ in 0..<4 { appendThreeDigits() }
    guard reader.byteCount == start + 13 else { return reader.isWrong = true }
    reader.appendCheckDigit(from: start)
  }
}
