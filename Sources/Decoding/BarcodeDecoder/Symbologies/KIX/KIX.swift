// The Netherlands' KIX, Klantenindex: PostNL's specification, inferred from public descriptions.
//
// It has the characters of RM4SCC, and neither a start nor a check. From the other side its bars are other characters, so it counts
// only from left to right.

import BarcodeTypes

/// Reads KIX from bars.
enum KIX {
  /// A postcode and a house number, up to a foreign address.
  private static let characterCounts = 7...18

  /// Reads the bars of a symbol, or returns nil.
  static func read(_ bars: PostBars, into text: ScratchArray<UInt8>) -> LinearCandidate? {
    let (count, rest) = bars.count.quotientAndRemainder(dividingBy: FourStateCharacters.barCount)
    guard bars.kind == .fourStates, bars.isUpright, rest == 0, characterCounts.contains(count) else { return nil }
    for index in 0..<count {
      guard let character = FourStateCharacters.character(bars, at: FourStateCharacters.barCount * index) else { return nil }
      text[index] = FourStateCharacters.byte(row: character.row, column: character.column)
    }
    var candidate = LinearCandidate(.kix, aimModifier: 0x30)
    candidate.byteCount = count
    return candidate
  }
}
