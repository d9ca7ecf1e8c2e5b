// Pharmacode with two tracks from bars: Laetus, the Pharmacode guide.
//
// A number from 4 to 64570080 is written with base 3 and the digits 1, 2 and 3: a bar in the lower half, in the upper half, and in
// both. There is neither a start nor a check; from the other side, the bars are another number.

import BarcodeTypes

/// Reads Pharmacode with two tracks from bars.
enum PharmacodeTwoTrack {
  /// The number of bars; the guide allows two, but fewer than four are found in any print.
  private static let barCounts = 4...16

  /// Reads the bars of a symbol, or returns nil.
  static func read(_ bars: PostBars, into text: ScratchArray<UInt8>) -> LinearCandidate? {
    guard bars.kind != .fourStates, bars.isExact, bars.isUpright, barCounts.contains(bars.count) else { return nil }
    // Without bars in one of the halves, the others end there or at its far side.
    var ends = PostBars.tracker
    if bars.kind == .twoStates {
      for index in 0..<bars.count { ends |= bars[index] }
      ends ^= PostBars.full
    }
    var number = 0
    for index in 0..<bars.count {
      let digit =
        switch bars[index] | ends {
        case PostBars.descender: 1
        case PostBars.ascender: 2
        default: 3
        }
      number = 3 * number + digit
    }
    var candidate = LinearCandidate(.pharmacodeTwoTrack, aimModifier: 0x30)
    candidate.byteCount = DecimalDigits.write(number, into: text)
    return candidate
  }
}
