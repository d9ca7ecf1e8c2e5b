// Royal Mail's 4-State Customer Code, inferred from public descriptions.
//
// An ascender begins a symbol, and a full bar ends it. The last character is a check: its row and column are those of the sums of the
// others' rows and columns, each counted from 1.

import BarcodeTypes

/// Reads RM4SCC from bars.
enum RM4SCC {
  /// The start and the stop.
  private static let frameCount = 2
  /// The least number of characters: the shortest postcode, and the check.
  private static let characterCountMin = 6

  /// Reads the bars of a symbol, or returns nil.
  static func read(_ bars: PostBars, into text: ScratchArray<UInt8>) -> LinearCandidate? {
    let (count, rest) = (bars.count - frameCount).quotientAndRemainder(dividingBy: FourStateCharacters.barCount)
    guard bars.kind == .fourStates, rest == 0, count >= characterCountMin, bars[0] == PostBars.ascender,
      bars[bars.count - 1] == PostBars.full
    else { return nil }
    var (rows, columns) = (0, 0)
    for index in 0..<count {
      guard let character = FourStateCharacters.character(bars, at: 1 + FourStateCharacters.barCount * index) else {
        return nil
      }
      if index == count - 1 {
        let side = FourStateCharacters.sideCount
        guard (rows + side - 1) % side == character.row, (columns + side - 1) % side == character.column else { return nil }
      }
      rows += character.row + 1
      columns += character.column + 1
      text[index] = FourStateCharacters.byte(row: character.row, column: character.column)
    }
    var candidate = LinearCandidate(.rm4scc, aimModifier: 0x30)
    candidate.byteCount = count - 1
    return candidate
  }
}
