// Leitcode and Identcode, the routing code and the number of a parcel in an Interleaved 2 of 5: Deutsche Post's data sheets.

import BarcodeTypes

/// Recognises the digits of an Interleaved 2 of 5.
enum PostalNumber {
  private static let (leitcodeCount, identcodeCount) = (14, 12)
  /// The weights of the digits before the check digit, from the right.
  private static let weights = (4, 9)

  /// The reading of digits whose number and check digit are those of a symbology that the settings ask for. An ITF-14 that is asked
  /// for, too, has the right check digit of its own.
  static func candidate(_ text: ScratchArray<UInt8>, count: Int, _ settings: DecoderSettings) -> LinearCandidate? {
    let symbology: Symbology
    switch count {
    case leitcodeCount where settings.wants(.leitcode): symbology = .leitcode
    case identcodeCount where settings.wants(.identcode): symbology = .identcode
    default: return nil
    }
    guard isChecked(text, count: count) else { return nil }
    if symbology == .leitcode, settings.wants(.itf14), GTIN.hasCheckDigit(text, count: count) { return nil }
    var candidate = LinearCandidate(symbology, aimModifier: 0x31)
    candidate.hasCheckDigit = true
    candidate.byteCount = count
    return candidate
  }

  /// Whether the check digit and the weighted sum of the digits before it are a multiple of 10.
  private static func isChecked(_ text: ScratchArray<UInt8>, count: Int) -> Bool {
    var sum = Int(text[count - 1] - 0x30)
    for place in 0..<(count - 1) {
      sum += Int(text[count - 2 - place] - 0x30) * (place & 1 == 0 ? weights.0 : weights.1)
    }
    return sum % 10 == 0
  }
}
