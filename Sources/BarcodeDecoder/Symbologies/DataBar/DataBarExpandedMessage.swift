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
  ///
  /// - Safety: `text` must have room for `LinearCandidate.byteCountMax` bytes.
  @unsafe mutating func write(into text: UnsafeMutablePointer<UInt8>) -> Int? {
    // The linkage flag: a two-dimensional component above the symbol is not part of its text.
    _ = take(1)
    if take(1) == 1 {
      _ = take(2)
      unsafe appendIdentifier(0x01, text)
      let first = take(4)
      unsafe appendItemNumber(first, text)
      unsafe writeGeneralField(into: text)
    } else if take(1) == 0 {
      _ = take(2)
      unsafe writeGeneralField(into: text)
    } else {
      unsafe writeCompressed(into: text)
    }
    // A separator at the end has nothing to separate.
    if byteCount > 0, unsafe text[byteCount - 1] == DataBarExpandedMessage.separator { byteCount -= 1 }
    return isWrong || byteCount == 0 ? nil : byteCount
  }

  /// Decodes the methods that begin with 01: a trade item of variable measure, whose number begins with 9, and its measure.
  @unsafe private mutating func writeCompressed(into text: UnsafeMutablePointer<UInt8>) {
    let kind = take(2)
    if kind < 2 {
      unsafe appendVariableItem(text)
      let weight = take(15)
      if kind == 0 {
        unsafe appendIdentifier(0x3103, text)
        unsafe append(weight, digitCount: 6, text)
      } else {
        unsafe appendIdentifier(weight < 10_000 ? 0x3202 : 0x3203, text)
        unsafe append(weight < 10_000 ? weight : weight - 10_000, digitCount: 6, text)
      }
    } else if kind == 2 {
      // 01100 and 01101: a price.
      let hasCurrency = take(1) == 1
      _ = take(2)
      unsafe appendVariableItem(text)
      unsafe append(hasCurrency ? 393 : 392, digitCount: 3, text)
      unsafe append(take(2), digitCount: 1, text)
      if hasCurrency { unsafe appendThreeDigits(text) }
      unsafe writeGeneralField(into: text)
    } else {
      // 0111000 to 0111111: a weight and a date.
      let method = take(3)
      unsafe appendVariableItem(text)
      let weight = take(20)
      unsafe append(method & 1 == 0 ? 310 : 320, digitCount: 3, text)
      unsafe append(weight / 100_000, digitCount: 1, text)
      unsafe append(weight % 100_000, digitCount: 6, text)
      let date = take(16)
      guard date != DataBarExpandedMessage.noDate else { return }
      guard date < DataBarExpandedMessage.noDate else { return isWrong = true }
      unsafe append(method / 2 * 2 + 11, digitCount: 2, text)
      unsafe append(date / (12 * 32), digitCount: 2, text)
      unsafe append(date / 32 % 12 + 1, digitCount: 2, text)
      unsafe append(date % 32, digitCount: 2, text)
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

  @unsafe private mutating func append(byte: Int, _ text: UnsafeMutablePointer<UInt8>) {
    guard byteCount < LinearCandidate.byteCountMax else { return isWrong = true }
    unsafe text[byteCount] = UInt8(truncatingIfNeeded: byte)
    byteCount += 1
  }

  @unsafe private mutating func append(_ number: Int, digitCount: Int, _ text: UnsafeMutablePointer<UInt8>) {
    var unit = 1
    for _ in 1..<digitCount { unit *= 10 }
    for _ in 0..<digitCount {
      unsafe append(byte: 0x30 + number / unit % 10, text)
      unit /= 10
    }
  }

  /// Appends an application identifier of two or four digits, given as a hexadecimal number.
  @unsafe private mutating func appendIdentifier(_ identifier: Int, _ text: UnsafeMutablePointer<UInt8>) {
    if identifier > 0xFF { unsafe append(byte: 0x30 + identifier >> 12, text) }
    if identifier > 0xFF { unsafe append(byte: 0x30 + identifier >> 8 & 0xF, text) }
    unsafe append(byte: 0x30 + identifier >> 4 & 0xF, text)
    unsafe append(byte: 0x30 + identifier & 0xF, text)
  }

  /// Appends three digits from ten bits.
  @unsafe private mutating func appendThreeDigits(_ text: UnsafeMutablePointer<UInt8>) {
    let digits = take(10)
    if digits > 999 { isWrong = true }
    unsafe append(digits, digitCount: 3, text)
  }

  @unsafe private mutating func appendVariableItem(_ text: UnsafeMutablePointer<UInt8>) {
    unsafe appendIdentifier(0x01, text)
    unsafe appendItemNumber(9, text)
  }

  /// Appends a GTIN of 14 digits: the first digit, twelve more from 40 bits, and the check digit.
  @unsafe private mutating func appendItemNumber(_ first: Int, _ text: UnsafeMutablePointer<UInt8>) {
    if first > 9 { isWrong = true }
    let start = byteCount
    unsafe append(first, digitCount: 1, text)
    for _ in 0..<4 { unsafe appendThreeDigits(text) }
    guard byteCount == start + 13 else { return isWrong = true }
    unsafe append(byte: GTIN.checkDigit(text + start), text)
  }

  /// Decodes the remaining bits, beginning in numeric encodation.
  @unsafe private mutating func writeGeneralField(into text: UnsafeMutablePointer<UInt8>) {
    var encodation = Encodation.numeric
    while position < bitCount, !isWrong {
      switch encodation {
      case .numeric: encodation = unsafe takeNumeric(text)
      case .alphanumeric: encodation = unsafe takeCharacter(text, isAlphanumeric: true)
      case .iso646: encodation = unsafe takeCharacter(text, isAlphanumeric: false)
      }
    }
  }

  /// Reads two digits, or FNC1, from seven bits; a single last digit may have four.
  @unsafe private mutating func takeNumeric(_ text: UnsafeMutablePointer<UInt8>) -> Encodation {
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
      unsafe appendDigit(take(4) - 1, text)
      position = bitCount
      return .numeric
    }
    let pair = take(7) - 8
    unsafe appendDigit(pair / 11, text)
    unsafe appendDigit(pair % 11, text)
    return .numeric
  }

  @unsafe private mutating func appendDigit(_ digit: Int, _ text: UnsafeMutablePointer<UInt8>) {
    unsafe append(
      byte: digit == DataBarExpandedMessage.functionOne ? Int(DataBarExpandedMessage.separator) : 0x30 + digit, text)
  }

  /// Reads a character of alphanumeric or ISO/IEC 646 encodation: a latch, a digit or FNC1, whose bits are the same in both,
  /// or another character.
  @unsafe private mutating func takeCharacter(_ text: UnsafeMutablePointer<UInt8>, isAlphanumeric: Bool) -> Encodation {
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
        unsafe append(byte: 0x30 + five - 5, text)
        return same
      }
      // FNC1 switches the field to numeric, as an identifier follows. Some encoders add a numeric latch, which strictly by
      // the standard would make the identifier's digits alphanumeric.
      unsafe append(byte: Int(DataBarExpandedMessage.separator), text)
      if position + 7 <= bitCount, peek(4) == 0 { position += 3 }
      return .numeric
    }
    let character = isAlphanumeric ? takeAlphanumeric() : takeISO646()
    guard let character else {
      isWrong = true
      return same
    }
    unsafe append(byte: Int(character), text)
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
