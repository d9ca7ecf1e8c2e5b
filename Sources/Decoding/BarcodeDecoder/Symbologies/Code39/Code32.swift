// Code 32, the Italian Pharmacode: nine digits of a medicine's number as six characters of a Code 39, inferred from the
// Ministry of Health's decree and public descriptions.
//
// The number is written with base 32, in digits and the consonants. Its last digit is a check digit.

import BarcodeTypes

/// Converts the values of a Code 39.
enum Code32 {
  private static let characterCount = 6
  private static let digitCount = 9
  /// One more than the greatest number.
  private static let limit = 1_000_000_000
  /// The values of Code 39 that base 32 omits: A, E, I and O.
  private static let vowels: [4 of UInt8] = [10, 14, 18, 24]
  /// The number of values up to Z.
  private static let alphanumericCount: UInt8 = 36

  /// Replaces the values of a Code 39 by the number as printed: A and nine digits. Nil if they are no Code 32.
  static func convert(_ text: ScratchArray<UInt8>, count: Int) -> LinearCandidate? {
    guard count == characterCount else { return nil }
    var number = 0
    for index in 0..<count {
      guard let digit = digit(text[index]) else { return nil }
      number = number << 5 + digit
    }
    guard number < limit, isChecked(number) else { return nil }
    text[0] = 0x41
    for place in (1...digitCount).reversed() {
      text[place] = UInt8(truncatingIfNeeded: 0x30 + number % 10)
      number /= 10
    }
    var candidate = LinearCandidate(.code32, aimModifier: 0x30)
    candidate.hasCheckDigit = true
    candidate.byteCount = digitCount + 1
    return candidate
  }

  /// The digit with base 32 that a value of Code 39 represents; nil for vowels and signs.
  private static func digit(_ value: UInt8) -> Int? {
    guard value < alphanumericCount else { return nil }
    var before = 0
    for index in vowels.indices {
      if vowels[index] == value { return nil }
      if vowels[index] < value { before += 1 }
    }
    return Int(value) - before
  }

  /// Whether the last digit is that of the sum of the others, where every second one is doubled and replaced by the sum of its
  /// digits.
  private static func isChecked(_ number: Int) -> Bool {
    var sum = 0
    var rest = number / 10
    for place in 0..<(digitCount - 1) {
      let digit = (rest % 10) << (place & 1 == 0 ? 1 : 0)
      sum += digit > 9 ? digit - 9 : digit
      rest /= 10
    }
    return sum % 10 == number % 10
  }
}
