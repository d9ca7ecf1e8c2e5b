// CEPNet from bars of two heights: Correios, guide to the code of addresses.

import BarcodeTypes

/// Reads CEPNet from bars.
enum CEPNet {
  /// Reads the bars of a symbol, or returns nil.
  static func read(_ bars: PostBars, into text: ScratchArray<UInt8>) -> LinearCandidate? {
    guard let count = PostDigits.read(bars, areLong: true, into: text), count == 8 else { return nil }
    var candidate = LinearCandidate(.cepnet, aimModifier: 0x30)
    candidate.byteCount = count
    return candidate
  }
}
