// Code 93 as characters of nine modules each, for its grey values: AIM USS Code 93, inferred from published tables.

import BarcodeTypes

enum Code93Characters: CellCharacters {
  private static let startStop = 47

  static var counts: (values: Int, elements: Int) { (48, 6) }
  /// Start, a character, two check characters and stop.
  static var characterCounts: ClosedRange<Int> { 5...40 }
  static var ratios: ClosedRange<Int> { 4...4 }
  static var gap: Int { 0 }
  static var lastBar: Int { 4 }
  static var modulus: Int { 47 }

  static func isWanted(_ settings: DecoderSettings) -> Bool { settings.wants(.code93) }

  /// The length of a run of equal modules.
  static func width(of element: Int, in value: Int, ratio: Int) -> Int {
    let pattern = code93Patterns[value]
    var run = 0
    var width = 0
    for module in 0..<9 {
      let bit = pattern >> UInt16(truncatingIfNeeded: 8 - module) & 1
      if module > 0, bit != pattern >> UInt16(truncatingIfNeeded: 9 - module) & 1 { run += 1 }
      if run == element { width += 4 }
    }
    return width
  }

  static func range(at place: Int, of count: Int) -> Range<Int> {
    place == 0 || place == count - 1 ? startStop..<startStop + 1 : 0..<startStop
  }

  /// The weights of the check character K: 1 to 15 from the right, and again; K is the sum of the others. `write` checks C.
  static func weight(at place: Int, of count: Int) -> Int {
    let distance = count - 3 - place
    return place == 0 || place == count - 1 ? 0 : (distance < 0 ? modulus - 1 : distance % 15 + 1)
  }

  static func write(
    _ values: ScratchArray<UInt8>, count: Int, _ settings: DecoderSettings, into text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    for index in 0..<(count - 2) { text[index] = values[index + 1] }
    return Code93.hasCheckCharacters(text, count: count - 2) ? Code93.finish(text, count: count - 4) : nil
  }
}
