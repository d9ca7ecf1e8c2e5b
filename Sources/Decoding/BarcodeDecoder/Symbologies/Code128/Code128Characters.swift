// Code 128 as characters of eleven modules each, for its grey values: ISO/IEC 15417 §4.2.

import BarcodeTypes

enum Code128Characters: CellCharacters {
  /// The value of the stop character without its last bar.
  private static let stop = 106
  private static let stopWidths: UInt32 = 0x233111

  static var counts: (values: Int, elements: Int) { (107, 6) }
  /// Start, a character, check and stop.
  static var characterCounts: ClosedRange<Int> { 4...36 }
  static var ratios: ClosedRange<Int> { 4...4 }
  static var gap: Int { 0 }
  static var lastBar: Int { 8 }
  static var modulus: Int { 103 }

  static func isWanted(_ settings: DecoderSettings) -> Bool { settings.wants(.code128) }

  static func width(of element: Int, in value: Int, ratio: Int) -> Int {
    let widths = value == stop ? stopWidths : code128Widths[value]
    return Int(widths >> UInt32(truncatingIfNeeded: 20 - 4 * element) & 0xF) * 4
  }

  static func range(at place: Int, of count: Int) -> Range<Int> {
    place == 0 ? 103..<106 : (place == count - 1 ? stop..<stop + 1 : 0..<103)
  }

  /// The start and the first character count once, the next ones by their places; the check character is their sum.
  static func weight(at place: Int, of count: Int) -> Int {
    place == 0 ? 1 : (place == count - 1 ? 0 : (place == count - 2 ? modulus - 1 : place))
  }

  static func write(
    _ values: ScratchArray<UInt8>, count: Int, _ settings: DecoderSettings, into text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    var characters: [122 of UInt8] = .init(repeating: 0)
    for index in 0..<(count - 2) { characters[index] = values[index] }
    return Code128.decode(characters, count: count - 2, into: text)
  }
}
