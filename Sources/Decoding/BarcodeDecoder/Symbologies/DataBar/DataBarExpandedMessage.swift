// Decodes the characters of a GS1 DataBar Expanded symbol to element strings: ISO/IEC 24724 §7.2.5.
//
// A character has twelve bits. They hold the linkage flag, the encodation method, the fields of that method, and for some
// methods a general purpose field in three encodations.

/// Decodes the bits of a symbol to bytes.
struct DataBarExpandedMessage {
  /// The encodation of the general purpose field: §7.2.5.5.
  private enum Encodation { case numeric, alphanumeric, iso646 }

  /// FNC1 as a separator: GS of ASCII.
  private static let separator: UInt8 = 0x1D
  /// The value of FNC1 among digits.
  private static let functionOne = 10
  /// The value of a date field without a date.
  private static let noDate = 38_400

  private let values: [22 of UInt16]
  private let bitCount: Int
  private var position = 0
  private var byteCount = 0
  /// Whether the message breaks a rule.
  private var isWrong = false

  /// - Parameter count: number of characters, including the check character at the beginning.
  init(_ values: [22 of UInt16], count: Int) {
    self.values = values
    bitCount = (count - 1) * 12
  }

  /// Writes the element strings and returns their number of bytes, or nil if the message is invalid.
  mutating func write(into text: ScratchArray<UInt8>) -> Int? {
    // The linkage flag: a two-dimensional component above the symbol is not part of its text.
    _ = take(1)
    if take(1) == 1 {
      _ = take(2)
      appendIdentifier(0x01, text)
      let first = take(4)
      appendItemNumber(first, text)
      writeGeneralField(into: text)
    } else if take(1) == 0 {
      _ = take(2)
      writeGeneralField(into: text)
    } else {
      writeCompressed(into: text)
    }
    // A separator at the end has nothing to separate.
    if byteCount > 0, text[byteCount - 1] == DataBarExpandedMessage.separator { byteCount -= 1 }
    return isWrong || byteCount == 0 ? nil : byteCount
  }

  /// Decodes the methods that begin with 01: a trade item of variable measure, whose number begins with 9, and its measure.
  private mutating func writeCompressed(into text: ScratchArray<UInt8>) {
    let kind = take(2)
    if kind < 2 {
      appendVariableItem(text)
      let weight = take(15)
      if kind == 0 {
        appendIdentifier(0x3103, text)
        append(weight, digitCount: 6, text)
      } else {
        appendIdentifier(weight < 10_000 ? 0x3202 : 0x3203, text)
        append(weight < 10_000 ? weight : weight - 10_000, digitCount: 6, text)
      }
    } else if kind == 2 {
      // 01100 and 01101: a price.
      let hasCurrency = take(1) == 1
      _ = take(2)
      appendVariableItem(text)
      append(hasCurrency ? 393 : 392, digitCount: 3, text)
      append(take(2), digitCount: 1, text)
      if hasCurrency { appendThreeDigits(text) }
      writeGeneralField(into: text)
    } else {
      // 0111000 to 0111111: a weight and a date.
      let method = take(3)
      appendVariableItem(text)
      let weight = take(20)
      append(method & 1 == 0 ? 310 : 320, digitCount: 3, text)
      append(weight / 100_000, digitCount: 1, text)
      append(weight % 100_000, digitCount: 6, text)
      let date = take(16)
      guard date != DataBarExpandedMessage.noDate else { return }
      guard date < DataBarExpandedMessage.noDate else { return isWrong = true }
      append(method / 2 * 2 + 11, digitCount: 2, text)
      append(date / (12 * 32), digitCount: 2, text)
      append(date / 32 % 12 + 1, digitCount: 2, text)
      append(date % 32, digitCount: 2, text)
    }
  }

  /// Reads the next `count` bits. Bits past the end are zeros and make the symbol invalid.
  private mutating func take(_ count: Int) -> Int {
    if position + count > bitCount { isWrong = true }
    let bits = peek(count)
    position += count
    return bits
  }

  /// The next `count` bits; bits past the end are zeros.
  private func peek(_ count: Int) -> Int {
    var bits = 0
    for index in position..<(position + count) {
      bits <<= 1
      if index < bitCount { bits |= Int(values[index / 12 + 1]) >> (11 - index % 12) & 1 }
    }
    return bits
  }

  private mutating func append(byte: Int, _ text: ScratchArray<UInt8>) {
    guard byteCount < LinearCandidate.byteCountMax else { return isWrong = true }
    text[byteCount] = UInt8(truncatingIfNeeded: byte)
    byteCount += 1
  }

  private mutating func append(_ number: Int, digitCount: Int, _ text: ScratchArray<UInt8>) {
    var unit = 1
    for _ in 1..<digitCount { unit *= 10 }
    for _ in 0..<digitCount {
      append(byte: 0x30 + number / unit % 10, text)
      unit /= 10
    }
  }

  /// Appends an application identifier of two or four digits, given as a hexadecimal number.
  private mutating func appendIdentifier(_ identifier: Int, _ text: ScratchArray<UInt8>) {
    if identifier > 0xFF { append(byte: 0x30 + identifier >> 12, text) }
    if identifier > 0xFF { append(byte: 0x30 + identifier >> 8 & 0xF, text) }
    append(byte: 0x30 + identifier >> 4 & 0xF, text)
    append(byte: 0x30 + identifier & 0xF, text)
  }

  /// Appends three digits from ten bits.
  private mutating func appendThreeDigits(_ text: ScratchArray<UInt8>) {
    let digits = take(10)
    if digits > 999 { isWrong = true }
    append(digits, digitCount: 3, text)
  }

  private mutating func appendVariableItem(_ text: ScratchArray<UInt8>) {
    appendIdentifier(0x01, text)
    appendItemNumber(9, text)
  }

  /// Appends a GTIN of 14 digits: the first digit, twelve more from 40 bits, and the check digit.
  private mutating func appendItemNumber(_ first: Int, _ text: ScratchArray<UInt8>) {
    if first > 9 { isWrong = true }
    let start = byteCount
    append(first, digitCount: 1, text)
    for _ in 0..<4 { appendThreeDigits(text) }
    guard byteCount == start + 13 else { return isWrong = true }
    append(byte: GTIN.checkDigit(text, from: start), text)
  }

  /// Decodes the remaining bits, beginning in numeric encodation.
  private mutating func writeGeneralField(into text: ScratchArray<UInt8>) {
    var encodation = Encodation.numeric
    while position < bitCount, !isWrong {
      switch encodation {
      case .numeric: encodation = takeNumeric(text)
      case .alphanumeric: encodation = takeCharacter(text, isAlphanumeric: true)
      case .iso646: encodation = takeCharacter(text, isAlphanumeric: false)
      }
    }
  }

  /// Reads two digits, or FNC1, from seven bits; a single last digit may have four.
  private mutating func takeNumeric(_ text: ScratchArray<UInt8>) -> Encodation {
    if peek(4) == 0 {
      position += 4
      return .alphanumeric
    }
    if position + 7 > bitCount {
      // Fewer than four bits are padding only if they are all zero.
      guard position + 4 <= bitCount else {
        isWrong = true
        return .numeric
      }
      appendDigit(take(4) - 1, text)
      position = bitCount
      return .numeric
    }
    let pair = take(7) - 8
    appendDigit(pair / 11, text)
    appendDigit(pair % 11, text)
    return .numeric
  }

  private mutating func appendDigit(_ digit: Int, _ text: ScratchArray<UInt8>) {
    append(
      byte: digit == DataBarExpandedMessage.functionOne ? Int(DataBarExpandedMessage.separator) : 0x30 + digit, text)
  }

  /// Reads a character of alphanumeric or ISO/IEC 646 encodation: a latch, a digit or FNC1, whose bits are the same in both,
  /// or another character.
  private mutating func takeCharacter(_ text: ScratchArray<UInt8>, isAlphanumeric: Bool) -> Encodation {
    let same = isAlphanumeric ? Encodation.alphanumeric : .iso646
    if peek(3) == 0 {
      position += 3
      return .numeric
    }
    let five = peek(5)
    // An incomplete latch at the end is padding.
    if five == 0b00100 {
      position += 5
      return isAlphanumeric ? .iso646 : .alphanumeric
    }
    if five < 16 {
      position += 5
      guard five >= 5, position <= bitCount else {
        isWrong = true
        return same
      }
      guard five == 15 else {
        append(byte: 0x30 + five - 5, text)
        return same
      }
      // FNC1 switches the field to numeric, as an identifier follows. Some encoders add a numeric latch, which strictly by
      // the standard would make the identifier's digits alphanumeric.
      append(byte: Int(DataBarExpandedMessage.separator), text)
      if position + 7 <= bitCount, peek(4) == 0 { position += 3 }
      return .numeric
    }
    let character = isAlphanumeric ? takeAlphanumeric() : takeISO646()
    guard let character else {
      isWrong = true
      return same
    }
    append(byte: Int(character), text)
    return same
  }

  /// Reads a capital letter or one of five signs from six bits.
  private mutating func takeAlphanumeric() -> UInt8? {
    let bits = take(6)
    switch bits {
    case 32...57: return UInt8(truncatingIfNeeded: bits + 33)
    case 58: return 0x2A
    case 59...62: return UInt8(truncatingIfNeeded: bits - 59 + 0x2C)
    default: return nil
    }
  }

  /// Reads a letter from seven bits, or a sign from eight.
  private mutating func takeISO646() -> UInt8? {
    let letter = peek(7)
    if letter < 116 {
      position += 7
      guard position <= bitCount, letter >= 64 else { return nil }
      return UInt8(truncatingIfNeeded: letter < 90 ? letter + 1 : letter + 7)
    }
    let sign = take(8)
    switch sign {
    case 232: return 0x21
    case 233: return 0x22
    // % & ' ( ) * + , - . /
    case 234...244: return UInt8(truncatingIfNeeded: sign - 234 + 0x25)
    // : ; < = > ?
    case 245...250: return UInt8(truncatingIfNeeded: sign - 245 + 0x3A)
    case 251: return 0x5F
    case 252: return 0x20
    default: return nil
    }
  }
}
