// The Pharmazentralnummer, the number of a German medicine, as a Code 39: a minus sign and eight digits, or seven on older
// packages. From IFA's technical information.

import BarcodeTypes

/// Converts the values of a Code 39.
enum PZN {
  /// The value of the minus sign.
  private static let minus: UInt8 = 36
  private static let digitCounts = 7...8
  private static let modulus = 11

  /// Replaces the values of a Code 39 by the text: a minus sign and the digits. Nil if they are no PZN.
  static func convert(_ text: ScratchArray<UInt8>, count: Int) -> LinearCandidate? {
    let digitCount = count - 1
    guard digitCounts.contains(digitCount), text[0] == minus else { return nil }
    // The first digit of eight weighs 1, of seven 2. A sum that would need a check digit of 10 is not used.
    var sum = 0
    for index in 1...digitCount {
      guard text[index] <= 9 else { return nil }
      if index < digitCount { sum += Int(text[index]) * (index + digitCounts.upperBound - digitCount) }
    }
    guard sum % modulus == Int(text[digitCount]) else { return nil }
    text[0] = 0x2D
    for index in 1...digitCount { text[index] += 0x30 }
    var candidate = LinearCandidate(.pzn, aimModifier: 0x30)
    candidate.hasCheckDigit = true
    candidate.byteCount = count
    return candidate
  }
}
