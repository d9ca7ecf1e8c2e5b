// Code 39 as equally wide characters, for its grey values: ISO/IEC 16388 §4.2.

import BarcodeTypes

enum Code39Characters: CellCharacters {
  private static let startStop = 43

  /// Five bars and four spaces, and the gap.
  static var counts: (values: Int, elements: Int) { (44, 10) }
  static var characterCounts: ClosedRange<Int> { 3...32 }
  /// Twice to three times as wide as narrow ones.
  static var ratios: ClosedRange<Int> { 8...12 }
  static var gap: Int { 4 }
  static var lastBar: Int { 0 }
  static var modulus: Int { 1 }

  static func isWanted(_ settings: DecoderSettings) -> Bool { settings.wantsCode39 }

  static func width(of element: Int, in value: Int, ratio: Int) -> Int {
    element < 9 && code39Patterns[value] >> UInt16(truncatingIfNeeded: 8 - element) & 1 == 1 ? ratio : 4
  }

  static func range(at place: Int, of count: Int) -> Range<Int> {
    place == 0 || place == count - 1 ? startStop..<startStop + 1 : 0..<startStop
  }

  static func weight(at place: Int, of count: Int) -> Int { 0 }

  static func write(
    _ values: ScratchArray<UInt8>, count: Int, _ settings: DecoderSettings, into text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    for index in 0..<(count - 2) { text[index] = values[index + 1] }
    return Code39.finish(text, count: count - 2, settings)
  }
}
