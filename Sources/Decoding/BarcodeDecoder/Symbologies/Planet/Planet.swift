// PLANET from bars of two heights: USPS, Confirm service guide.

import BarcodeTypes

/// Reads PLANET from bars.
enum Planet {
  /// Reads the bars of a symbol, or returns nil.
  static func read(_ bars: PostBars, into text: ScratchArray<UInt8>) -> LinearCandidate? {
    guard let count = PostDigits.read(bars, areLong: false, into: text), count == 11 || count == 13 else { return nil }
    var candidate = LinearCandidate(.planet, aimModifier: 0x30)
    candidate.byteCount = count
    return candidate
  }
}
