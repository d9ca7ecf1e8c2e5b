// UPC-E prints a GTIN-12 short by leaving out zeros; hosts look articles up by the whole number.

/// The 12 digits of the UPC-A that a UPC-E of 8 digits (number system, six digits, check digit) stands for, or nil if `text`
/// is not one. The check digit is the same in both. (GS1 General Specifications, zero-suppressed GTIN-12)
func unsuppressedGTIN12(_ text: Substring) -> String? {
  let digits = Array(text)
  guard digits.count == 8, digits.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
  let six = digits[1...6]
  // The last of the six digits says where the zeros were.
  let body: String
  switch six.last {
  case "0", "1", "2": body = "\(String(six.prefix(2)))\(digits[6])0000\(String(six.dropFirst(2).prefix(3)))"
  case "3": body = "\(String(six.prefix(3)))00000\(String(six.dropFirst(3).prefix(2)))"
  case "4": body = "\(String(six.prefix(4)))00000\(digits[5])"
  default: body = "\(String(six.prefix(5)))0000\(digits[6])"
  }
  return "\(digits[0])\(body)\(digits[7])"
}
