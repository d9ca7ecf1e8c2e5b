// The trade item number and its check digit.

/// Global Trade Item Numbers of 14 digits.
enum GTIN {
  /// The check digit for 13 digits, in ASCII, that begin with `first`, with alternating weights 3 and 1 (GS1 General Specifications §7.9.1).
  static func checkDigit(_ digits: ScratchArray<UInt8>, from first: Int) -> Int {
    var sum = 0
    for index in 0..<13 { sum += Int(digits[first + index] & 0xF) * (index & 1 == 0 ? 3 : 1) }
    return 0x30 + (10 - sum % 10) % 10
  }

  /// Whether the last of `count` digits is the check digit of the others: GS1 General Specifications §7.9.
  static func hasCheckDigit(_ text: ScratchArray<UInt8>, count: Int) -> Bool {
    var sum = 0
    for index in 0..<count {
      let digit = Int(text[count - 1 - index]) - 0x30
      sum += index & 1 == 1 ? 3 * digit : digit
    }
    return sum % 10 == 0
  }

  /// Writes a number, with its computed check digit, as an element string with application identifier 01: 16 bytes.
  ///
  /// - Parameter number: 13 digits.
  static func write(_ number: Int, into text: ScratchArray<UInt8>) {
    text[0] = 0x30
    text[1] = 0x31
    var rest = number
    for index in 0..<13 {
      text[14 - index] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
      rest /= 10
    }
    text[15] = UInt8(truncatingIfNeeded: checkDigit(text, from: 2))
  }
}
