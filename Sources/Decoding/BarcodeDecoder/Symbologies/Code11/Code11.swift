// Code 11 from the edges of a line: AIM USD-8, inferred from public descriptions.
//
// A character is three bars and two spaces, one or two of them wide, and a gap. One check character makes a weighted sum modulo
// 11 right, a second one covers the first; the symbol itself does not indicate how many it has.

import BarcodeTypes

/// Wide elements of the digits and of the minus sign.
private let code11Patterns: [11 of UInt16] = [0x01, 0x11, 0x09, 0x18, 0x05, 0x14, 0x0C, 0x03, 0x12, 0x10, 0x04]

/// Reads Code 11 from element rows.
enum Code11 {
  /// The start and the stop have the same elements: two wide ones in the middle and after it.
  private static let startStop: UInt16 = 0b00110
  private static let format = TwoWidthFormat(
    start: startStop << 1, startCount: 6, stop: startStop, stopCount: 5, characterCount: 6, patternCount: 5, isEven: false,
    lengthMin: 2)
  private static let modulus = 11
  /// The greatest weight of a character for the first check character and for the second.
  private static let weightMax = (first: 10, second: 9)

  /// Reads a symbol that begins with the dark edge `first`, or returns nil.
  static func read(
    _ row: ElementRow, from first: Int, _ settings: DecoderSettings, into text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    guard
      let symbol = row.readTwoWidths(
        from: first, format, into: text, patternCount: 11, pattern: { code11Patterns[$0] }),
      let checkCount = checkCount(text, count: symbol.count, settings.code11Check)
    else { return nil }
    let dataCount = symbol.count - checkCount
    let keepsCheck = settings.code11KeepsCheckDigits
    for index in 0..<symbol.count { text[index] = text[index] > 9 ? 0x2D : text[index] + 0x30 }
    // Symbology identifier: 0 one check character verified, 1 two, 3 verified and left out.
    var candidate = LinearCandidate(
      .code11, aimModifier: checkCount == 0 ? 0x30 : keepsCheck ? (checkCount == 2 ? 0x31 : 0x30) : 0x33)
    candidate.hasCheckDigit = checkCount == 2
    candidate.byteCount = keepsCheck ? symbol.count : dataCount
    candidate.limitedCount = settings.code11Check == .either ? symbol.count - 1 : dataCount
    candidate.place(row, from: first, to: symbol.last, misfit: symbol.misfit)
    candidate.endPart = symbol.endPart(of: candidate.moduleCount)
    return candidate
  }

  /// The number of right check characters; nil if they are not those that the settings require.
  private static func checkCount(_ text: ScratchArray<UInt8>, count: Int, _ check: Code11Check) -> Int? {
    func hasOne(_ count: Int) -> Bool { count > 1 && isChecked(text, count: count, weightMax: weightMax.first) }
    let hasTwo = count > 2 && hasOne(count - 1) && isChecked(text, count: count, weightMax: weightMax.second)
    switch check {
    case .none: return 0
    case .one: return hasOne(count) ? 1 : nil
    case .two: return hasTwo ? 2 : nil
    case .either: return hasTwo ? 2 : hasOne(count) ? 1 : nil
    }
  }

  /// Whether the last character is the sum modulo 11 of the characters before it, weighted from the right with 1 to `weightMax`
  /// in rotation.
  private static func isChecked(_ text: ScratchArray<UInt8>, count: Int, weightMax: Int) -> Bool {
    var sum = 0
    for place in 0..<(count - 1) { sum += Int(text[count - 2 - place]) * (place % weightMax + 1) }
    return sum % modulus == Int(text[count - 1])
  }
}
