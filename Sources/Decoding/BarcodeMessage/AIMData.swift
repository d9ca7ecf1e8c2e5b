// The data sent after an AIM symbology identifier. Hosts that request the identifier distinguish EAN and UPC by it alone,
// and look articles up by 13 digits.

/// The data for an AIM symbology identifier (ISO/IEC 15424, Annex: EAN and UPC).
///
/// `]E0` precedes the 13 digits of an EAN-13, to which UPC-A and UPC-E are padded; `]E3` precedes these with the 2 or 5
/// digits of an add-on; `]E4` precedes the 8 digits of an EAN-8, whose add-on follows its own identifier, `]E1` or `]E2`.
/// The data of all other symbologies are their text.
///
/// - Parameters:
///   - text: the text of `SymbolContent`: 12 digits for UPC-A, 8 for UPC-E, an add-on after a space.
///   - identifier: the AIM identifier of the symbol.
///   - isZeroSuppressed: whether it is a UPC-E.
public func dataBehindAIMIdentifier(_ identifier: String, text: String, isZeroSuppressed: Bool) -> String {
  guard identifier.hasPrefix("]E") else { return text }
  let parts = text.split(separator: " ", maxSplits: 1)
  guard let main = parts.first else { return text }
  let addOn = parts.count > 1 ? String(parts[1]) : ""
  if identifier == "]E4" { return addOn.isEmpty ? text : main + (addOn.utf8.count == 2 ? "]E1" : "]E2") + addOn }
  let whole = isZeroSuppressed ? unsuppressedGTIN12(main) ?? String(main) : String(main)
  return (whole.utf8.count == 12 ? "0" : "") + whole + addOn
}

/// The 12 digits of the GTIN in a UPC-E of 8 digits; nil if the text is not one.
public func gtin12(ofZeroSuppressed text: String) -> String? { unsuppressedGTIN12(text[...]) }

/// The 12 digits of the UPC-A that a UPC-E of 8 digits (number system, six digits, check digit) represents, or nil if `text`
/// is not one. The check digit is the same in both. (GS1 General Specifications, zero-suppressed GTIN-12)
func unsuppressedGTIN12(_ text: Substring) -> String? {
  let digits = Array(text)
  guard digits.count == 8, digits.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
  let six = digits[1...6]
  // The last of the six digits determines where the zeros were.
  let body: String
  switch six.last {
  case "0", "1", "2": body = "\(String(six.prefix(2)))\(digits[6])0000\(String(six.dropFirst(2).prefix(3)))"
  case "3": body = "\(String(six.prefix(3)))00000\(String(six.dropFirst(3).prefix(2)))"
  case "4": body = "\(String(six.prefix(4)))00000\(digits[5])"
  default: body = "\(String(six.prefix(5)))0000\(digits[6])"
  }
  return "\(digits[0])\(body)\(digits[7])"
}
