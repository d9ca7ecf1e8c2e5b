// Texts of numeric symbologies: the number of digits, check digit and add-on.

import BarcodeTypes

/// The number that a numeric symbology encodes, in libzint's form, or a clear error.
struct DigitText {
  /// The digits without check digit; with an add-on, followed by `+` and the add-on.
  let text: String

  /// Checks a text such as `4006381333931` or, with an add-on, `4006381333931 12`.
  ///
  /// - Parameter count: the number of digits including the check digit, which may be omitted.
  init(retail text: String, _ symbology: Symbology, count: Int) throws(SymbolPrinterError) {
    let parts = text.split(omittingEmptySubsequences: false) { $0 == " " || $0 == "+" }
    guard parts.count <= 2 else {
      throw .notEncodable(symbology, character: " ", allowed: "digits, and an add-on after one space")
    }
    var digits = try DigitText.digits(parts[0], symbology)
    guard digits.count == count || digits.count == count - 1 else {
      throw .wrongDigitCount(symbology, expected: "\(count - 1) or \(count) digits", count: digits.count)
    }
    if digits.count == count {
      let expected = DigitText.checkDigit(Array(digits.dropLast()))
      guard digits.last == expected else { throw .wrongCheckDigit(symbology, expected: expected) }
      digits.removeLast()
    }
    var result = digits.map(String.init).joined()
    if parts.count == 2 {
      let addOn = try DigitText.digits(parts[1], symbology)
      guard addOn.count == 2 || addOn.count == 5 else {
        throw .wrongDigitCount(symbology, expected: "an add-on of 2 or 5 digits", count: addOn.count)
      }
      result += "+" + addOn.map(String.init).joined()
    }
    self.text = result
  }

  /// Checks a UPC-E number: number system 0 or 1, six digits, and the check digit, which may be omitted.
  init(upce text: String) throws(SymbolPrinterError) {
    let parts = text.split(omittingEmptySubsequences: false) { $0 == " " || $0 == "+" }
    let digits = try DigitText.digits(parts[0], .upce)
    guard digits.count == 7 || digits.count == 8 else {
      throw .wrongDigitCount(.upce, expected: "7 or 8 digits", count: digits.count)
    }
    guard digits[0] <= 1 else {
      throw .notEncodable(.upce, character: Character("\(digits[0])"), allowed: "numbers that begin with 0 or 1")
    }
    if digits.count == 8 {
      let expected = DigitText.checkDigit(DigitText.expanded(Array(digits.prefix(7))))
      guard digits[7] == expected else { throw .wrongCheckDigit(.upce, expected: expected) }
    }
    // The add-on follows the rules of all retail symbols; a valid number replaces the main one.
    let rest = text.dropFirst(parts[0].count)
    let addOn = try DigitText(retail: "00000000" + rest, .upce, count: 8).text.dropFirst(7)
    self.text = digits.prefix(7).map(String.init).joined() + addOn
  }

  /// Checks that the number of digits is even, for a symbology of pairs.
  init(pairs text: String, _ symbology: Symbology) throws(SymbolPrinterError) {
    let digits = try DigitText.digits(text[...], symbology)
    guard digits.count % 2 == 0 else {
      throw .wrongDigitCount(symbology, expected: "an even number of digits, such as 0\(text)", count: digits.count)
    }
    self.text = text
  }

  /// GS1's check digit: alternating weights 3 and 1 from the right, up to the next multiple of ten (GS1 General
  /// Specifications §7.9.1).
  static func checkDigit(_ digits: [Int]) -> Int {
    var sum = 0
    for (place, digit) in digits.reversed().enumerated() { sum += place % 2 == 0 ? 3 * digit : digit }
    return (10 - sum % 10) % 10
  }

  /// The eleven UPC-A digits of seven UPC-E digits, depending on the last one (ISO/IEC 15420, zero suppression).
  private static func expanded(_ digits: [Int]) -> [Int] {
    let body = digits.dropFirst()
    let d = Array(body)
    let middle: [Int]
    switch d[5] {
    case 0, 1, 2: middle = [d[0], d[1], d[5], 0, 0, 0, 0, d[2], d[3], d[4]]
    case 3: middle = [d[0], d[1], d[2], 0, 0, 0, 0, 0, d[3], d[4]]
    case 4: middle = [d[0], d[1], d[2], d[3], 0, 0, 0, 0, 0, d[4]]
    default: middle = [d[0], d[1], d[2], d[3], d[4], 0, 0, 0, 0, d[5]]
    }
    return [digits[0]] + middle
  }

  private static func digits(_ text: Substring, _ symbology: Symbology) throws(SymbolPrinterError) -> [Int] {
    var digits: [Int] = []
    for character in text {
      guard character.isASCII, let digit = character.wholeNumberValue else {
        throw .notEncodable(symbology, character: character, allowed: "digits")
      }
      digits.append(digit)
    }
    return digits
  }
}
