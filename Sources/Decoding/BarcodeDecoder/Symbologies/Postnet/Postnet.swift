// POSTNET from bars of two heights: USPS Domestic Mail Manual 708.4.

import BarcodeTypes

/// Reads POSTNET from bars.
enum Postnet {
  /// Reads the bars of a symbol, or returns nil.
  static func read(_ bars: PostBars, into text: ScratchArray<UInt8>) -> LinearCandidate? {
    guard let count = PostDigits.read(bars, areLong: true, into: text), count == 5 || count == 9 || count == 11 else {
      return nil
    }
    var candidate = LinearCandidate(.postnet, aimModifier: 0x30)
    candidate.byteCount = count
    return candidate
  }
}
