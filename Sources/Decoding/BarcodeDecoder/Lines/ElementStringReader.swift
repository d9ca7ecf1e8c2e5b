// The compaction of GS1 element strings in GS1 DataBar Expanded (ISO/IEC 24724 §7.2.5.5) and in the two-dimensional component of
// a GS1 Composite symbol (ISO/IEC 24723 §5): a general purpose field in three encodations, after fields of a method of its own.

import BarcodeTypes

/// Bits, the first one most significant.
protocol BitString {
  var count: Int { get }
  /// A bit by its place in `0..<count`, 0 or 1.
  func bit(_ index: Int) -> Int
}

/// Takes fields from bits and appends what they encode to a text.
struct ElementStringReader<Bits: BitString> {
  /// The encodations of the general purpose field.
  enum Encodation { case numeric, alphanumeric, iso646 }

  /// FNC1 as a separator: GS of ASCII.
  private static var separator: UInt8 { 0x1D }
  /// The value of FNC1 among digits.
  private static var functionOne: Int { 10 }

  private let bits: Bits
  private let text: ScratchArray<UInt8>
  /// Number of bits read.
  private var position = 0
  /// Number of bytes written to the text.
  private(set) var byteCount = 0
  /// Whether the bits break a rule, or the text has no room.
  var isWrong = false
  /// An identifier, written in hexadecimal digits, that follows the next separator; 0 for none.
  var identifierBehindSeparator = 0

  init(_ bits: Bits, into text: ScratchArray<UInt8>) {
    self.bits = bits
    self.text = text
  }

  /// Number of bits that are left.
  var remaining: Int { bits.count - position }

  /// Reads the next `count` bits. Bits past the end are zeros and make the text invalid.
  mutating func take(_ count: Int) -> Int {
    if count > remaining { isWrong = true }
    let value = peek(count)
    position += count
    return value
  }

  /// The next `count` bits; bits past the end are zeros.
  func peek(_ count: Int) -> Int {
    var value = 0
    for index in position..<(position + count) { value = value << 1 | (index < bits.count ? bits.bit(index) : 0) }
    return value
  }

  mutating func append(byte: Int) {
    guard byteCount < text.count else { return isWrong = true }
    text[byteCount] = UInt8(truncatingIfNeeded: byte)
    byteCount += 1
    if byte == Int(Self.separator), identifierBehindSeparator > 0 {
      let identifier = identifierBehindSeparator
      identifierBehindSeparator = 0
      append(identifier: identifier)
    }
  }

  mutating func append(_ number: Int, digitCount: Int) {
    var unit = 1
    for _ in 1..<digitCount { unit *= 10 }
    for _ in 0..<digitCount {
      append(byte: 0x30 + number / unit % 10)
      unit /= 10
    }
  }

  /// Appends an application identifier of two or four digits, given as a hexadecimal number.
  mutating func append(identifier: Int) {
    if identifier > 0xFF { append(byte: 0x30 + identifier >> 12) }
    if identifier > 0xFF { append(byte: 0x30 + identifier >> 8 & 0xF) }
    append(byte: 0x30 + identifier >> 4 & 0xF)
    append(byte: 0x30 + identifier & 0xF)
  }

  /// Appends year, month and day of a field of 16 bits.
  mutating func appendDate(_ date: Int) {
    append(date / (12 * 32), digitCount: 2)
    append(date / 32 % 12 + 1, digitCount: 2)
    append(date % 32, digitCount: 2)
  }

  /// Appends the check digit of the digits from a place in the text on.
  mutating func appendCheckDigit(from start: Int) { append(byte: GTIN.checkDigit(text, from: start)) }

  /// Decodes the remaining bits.
  mutating func writeGeneralField(from first: Encodation = .numeric) {
    var encodation = first
    while remaining > 0, !isWrong {
      switch encodation {
      case .numeric: encodation = takeNumeric()
      case .alphanumeric: encodation = takeCharacter(isAlphanumeric: true)
      case .iso646: encodation = takeCharacter(isAlphanumeric: false)
      }
    }
  }

  /// Removes a separator at a place, or inserts an identifier of two digits before the text there.
  mutating func replaceSeparator(at place: Int, byIdentifier identifier: Int) {
    guard place < byteCount else { return }
    if text[place] == Self.separator {
      for index in place..<(byteCount - 1) { text[index] = text[index + 1] }
      byteCount -= 1
      return
    }
    append(byte: 0)
    append(byte: 0)
    guard !isWrong else { return }
    for index in stride(from: byteCount - 1, to: place + 1, by: -1) { text[index] = text[index - 2] }
    text[place] = 0x30 + UInt8(truncatingIfNeeded: identifier >> 4)
    text[place + 1] = 0x30 + UInt8(truncatingIfNeeded: identifier & 0xF)
  }

  /// The number of bytes of the text; nil if it is invalid or empty. A separator at the end has nothing to separate.
  consuming func finish() -> Int? {
    if byteCount > 0, text[byteCount - 1] == Self.separator { byteCount -= 1 }
    return isWrong || byteCount == 0 ? nil : byteCount
  }

  /// Finishes a text of element strings. Each must begin with two digits, as every identifier does.
  consuming func finishIdentified() -> Int? {
    for index in 0..<byteCount where index == 0 || text[index - 1] == Self.separator {
      for place in index..<min(index + 2, byteCount) where text[place] < 0x30 || text[place] > 0x39 { isWrong = true }
    }
    return finish()
  }

  /// Reads two digits, or FNC1, from seven bits; a single last digit may have four.
  private mutating func takeNumeric() -> Encodation {
    if peek(4) == 0 {
      position += 4
      return .alphanumeric
    }
    if remaining < 7 {
      // Fewer than four bits are padding only if they are all zero.
      guard remaining >= 4 else {
        isWrong = true
        return .numeric
      }
      appendDigit(take(4) - 1)
      position = bits.count
      return .numeric
    }
    let pair = take(7) - 8
    appendDigit(pair / 11)
    appendDigit(pair % 11)
    return .numeric
  }

  private mutating func appendDigit(_ digit: Int) {
    append(byte: digit == Self.functionOne ? Int(Self.separator) : 0x30 + digit)
  }

  /// Reads a character of alphanumeric or ISO/IEC 646 encodation: a latch, a digit or FNC1, whose bits are the same in both,
  /// or another character.
  private mutating func takeCharacter(isAlphanumeric: Bool) -> Encodation {
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
      guard five >= 5, remaining >= 0 else {
        isWrong = true
        return same
      }
      guard five == 15 else {
        append(byte: 0x30 + five - 5)
        return same
      }
      // FNC1 switches the field to numeric, as an identifier follows. Some encoders add a numeric latch, which strictly by
      // the standard would make the identifier's digits alphanumeric.
      let hasIdentifier = identifierBehindSeparator == 0
      append(byte: Int(Self.separator))
      if hasIdentifier, remaining >= 7, peek(4) == 0, !isPadding(behind: 4) { position += 3 }
      return .numeric
    }
    let character = isAlphanumeric ? takeAlphanumeric() : takeISO646()
    guard let character else {
      isWrong = true
      return same
    }
    append(byte: Int(character))
    return same
  }

  /// Whether only padding follows after the next `count` bits: 00100, repeated and cut off.
  private func isPadding(behind count: Int) -> Bool {
    for index in (position + count)..<max(position + count, bits.count)
    where bits.bit(index) != ((index - position - count) % 5 == 2 ? 1 : 0) { return false }
    return true
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
      guard remaining >= 0, letter >= 64 else { return nil }
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
