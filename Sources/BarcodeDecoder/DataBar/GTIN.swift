// The trade item number, for symbols that carry nothing else.

/// Global Trade Item Numbers of 14 digits.
enum GTIN {
  /// The check digit for 13 digits, in ASCII, with alternating weights 3 and 1 (GS1 General Specifications §7.9.1).
  ///
  /// - Safety: `digits` must point to 13 digits.
  @unsafe static func checkDigit(_ digits: UnsafePointer<UInt8>) -> Int {
    var sum = 0
    for index in 0..<13 { unsafe sum += Int(digits[index] & 0xF) * (index & 1 == 0 ? 3 : 1) }
    return 0x30 + (10 - sum % 10) % 10
  }

  /// Writes a number, with its computed check digit, as an element string with application identifier 01: 16 bytes.
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
