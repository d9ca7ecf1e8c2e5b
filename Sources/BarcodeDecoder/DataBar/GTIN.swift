// The trade item number of the symbols that carry nothing else.

/// Global Trade Item Numbers of 14 digits.
enum GTIN {
  /// The check digit of 13 digits, in ASCII: weights 3 and 1 in turn (GS1 General Specifications §7.9.1).
  ///
  /// - Safety: `digits` must have 13 of them.
  @unsafe static func checkDigit(_ digits: UnsafePointer<UInt8>) -> Int {
    var sum = 0
    for index in 0..<13 { unsafe sum += Int(digits[index] & 0xF) * (index & 1 == 0 ? 3 : 1) }
    return 0x30 + (10 - sum % 10) % 10
  }

  /// Writes a number as an element string with application identifier 01, 16 bytes, its check digit computed.
  ///
  /// - Parameter number: 13 digits.
  /// - Safety: `text` must have room for 16 bytes.
  @unsafe static func write(_ number: Int, into text: UnsafeMutablePointer<UInt8>) {
    unsafe text[0] = 0x30
    unsafe text[1] = 0x31
    var rest = number
    for index in 0..<13 {
      unsafe text[14 - index] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
      rest /= 10
    }
    unsafe text[15] = UInt8(truncatingIfNeeded: checkDigit(text + 2))
  }
}
