// The codes 2 of 5 that are older than Interleaved 2 of 5: inferred from public descriptions.
//
// A digit is five elements, two of them wide: five bars with narrow spaces in Industrial and IATA, three bars and two spaces with
// a gap in Matrix and Data Logic. They differ in their starts and stops, and have no check digit by default.

import BarcodeTypes

/// Wide elements of the digits.
private let twoOfFivePatterns: [10 of UInt16] = [0x06, 0x11, 0x09, 0x18, 0x05, 0x14, 0x0C, 0x03, 0x12, 0x0A]

/// Reads the codes from element rows.
enum TwoOfFive {
  /// The short start and stop that IATA and Data Logic share with Interleaved 2 of 5.
  private static let short: (start: UInt16, startCount: Int, stop: UInt16, stopCount: Int) = (0b0000, 4, 0b100, 3)

  /// Reads a symbol that begins with the dark edge `first`, or returns nil.
  static func read(
    _ row: ElementRow, from first: Int, _ settings: DecoderSettings, into text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    if settings.wants(.matrix2of5), let found = read(.matrix2of5, row, from: first, settings, into: text) { return found }
    if settings.wants(.industrial2of5), let found = read(.industrial2of5, row, from: first, settings, into: text) {
      return found
    }
    if settings.wants(.iata2of5), let found = read(.iata2of5, row, from: first, settings, into: text) { return found }
    if settings.wants(.datalogic2of5), let found = read(.datalogic2of5, row, from: first, settings, into: text) {
      return found
    }
    return nil
  }

  private static func read(
    _ symbology: Symbology, _ row: ElementRow, from first: Int, _ settings: DecoderSettings,
    into text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    var format = format(of: symbology)
    format.lengthMin = max(1, settings.lengths[symbology].min)
    guard
      let symbol = row.readTwoWidths(
        from: first, format, into: text, patternCount: 10, pattern: { twoOfFivePatterns[$0] })
    else { return nil }
    let check = settings.checks[symbology]
    for index in 0..<symbol.count { text[index] += 0x30 }
    let isChecked = GTIN.hasCheckDigit(text, count: symbol.count)
    guard check == .none || isChecked else { return nil }
    // Symbology identifier: 0 no check, 1 verified, 3 verified and dropped; of codes without a letter of their own, 0.
    let hasModifiers = symbology == .iata2of5
    var candidate = LinearCandidate(
      symbology, aimModifier: !hasModifiers || check == .none ? 0x30 : check == .verify ? 0x31 : 0x33)
    candidate.hasCheckDigit = check != .none
    candidate.byteCount = check == .verifyAndDrop ? symbol.count - 1 : symbol.count
    candidate.limitedCount = symbol.count
    candidate.isUnprotected = check == .none
    candidate.place(row, from: first, to: symbol.last, misfit: symbol.misfit)
    candidate.endPart = symbol.endPart(of: candidate.moduleCount)
    return candidate
  }

  private static func format(of symbology: Symbology) -> TwoWidthFormat {
    switch symbology {
    case .industrial2of5:
      TwoWidthFormat(
        start: 0b101000, startCount: 6, stop: 0b10001, stopCount: 5, characterCount: 10, patternCount: 5, hasOnlyBars: true)
    case .iata2of5:
      TwoWidthFormat(
        start: short.start, startCount: short.startCount, stop: short.stop, stopCount: short.stopCount, characterCount: 10,
        patternCount: 5, hasOnlyBars: true)
    case .datalogic2of5:
      TwoWidthFormat(
        start: short.start, startCount: short.startCount, stop: short.stop, stopCount: short.stopCount, characterCount: 6,
        patternCount: 5)
    default:
      TwoWidthFormat(
        start: 0b100000, startCount: 6, stop: 0b10000, stopCount: 5, characterCount: 6, patternCount: 5, hasWiderEnds: true)
    }
  }
}
