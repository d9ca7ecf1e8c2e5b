// Codabar from the edges of a line: EN 798, inferred from published tables.
//
// A character is four bars and three spaces, two or three of them wide, and a gap; A to D begin and end a symbol. There is
// no check character, so, as for Code 39, elements must be clear and more lines must agree.

import BarcodeTypes

/// Wide elements of the characters, in the order of `characters`.
private let codabarPatterns: [20 of UInt16] = [
  0x03, 0x06, 0x09, 0x60, 0x12, 0x42, 0x21, 0x24, 0x30, 0x48, 0x0C, 0x18, 0x45, 0x51, 0x54, 0x15, 0x1A, 0x29, 0x0B, 0x0E,
]

/// Reads Codabar from element rows.
enum Codabar {
  private static let characters: StaticString = "0123456789-$:/.+ABCD"
  private static let characterCountMax = 80
  /// Minimum quiet zone on each side, in narrow elements (the standard asks for 10).
  private static let quietModules: Int32 = 6
  /// An upper bound of the spaces inside a symbol, in narrow elements: wide ones have 3, gaps between characters up to 4.
  private static let spaceMax: Int32 = 4

  /// Reads a symbol that begins with the dark edge `first`, or returns nil.
  static func read(
    _ row: ElementRow, from first: Int, _ settings: DecoderSettings, into text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    // Start, one character and stop: 3 · 7 elements and 2 gaps.
    guard first + 23 < row.count, let scale = scale(row, first), row.gapBefore(first) >= scale.narrow * quietModules,
      let start = match(row, first, scale, from: 16)
    else { return nil }
    unsafe text[0] = characters.utf8Start[start.index]
    var count = 1
    var sum = start.index
    var misfit = start.misfit
    var element = first + 8
    var module = moduleOf(row.edge(first + 7) - row.edge(first), start.index, scale)
    while element + 7 < row.count {
      let gap = row.width(element - 1)
      guard gap * 4 > scale.narrow, gap < 4 * scale.narrow, let character = match(row, element, scale, from: 0) else {
        return nil
      }
      let next = moduleOf(row.edge(element + 7) - row.edge(element), character.index, scale)
      guard next * 4 > module * 3, next * 3 < module * 4 else { return nil }
      module = next
      misfit += character.misfit
      unsafe text[count] = characters.utf8Start[character.index]
      count += 1
      sum += character.index
      if character.index >= 16 {
        let last = element + 7
        let characterCount = count
        guard row.gapAfter(last) >= scale.narrow * quietModules, count > 2,
          !isPerhapsCut(row, first, last, scale),
          var candidate = finish(text, &count, sum: sum, settings)
        else { return nil }
        candidate.place(row, from: first, to: last, misfit: misfit / Int32(characterCount))
        candidate.isPerhapsPiece = !isWholeBar(row, first, scale) || !isWholeBar(row, last - 1, scale)
        candidate.isDarkOnly = candidate.isPerhapsPiece
        return candidate
      }
      guard count <= characterCountMax else { return nil }
      element += 8
    }
    return nil
  }

  /// Whether the picture's border may have cut the symbol. At one end, the picture shows no more free space than a symbol
  /// has inside, while the other end has a different amount. A picture cropped to its symbol has the same on both ends.
  private static func isPerhapsCut(_ row: ElementRow, _ first: Int, _ last: Int, _ scale: TwoWidthScale) -> Bool {
    let (before, after) = (row.seenGapBefore(first), row.seenGapAfter(last))
    let isCutBefore = first == 0 && row.paddingBefore > 0 && before < scale.narrow * spaceMax
    let isCutAfter = last + 1 == row.count && row.paddingAfter > 0 && after < scale.narrow * spaceMax
    return isCutBefore != isCutAfter || (isCutBefore && abs(before - after) >= scale.narrow)
  }

  /// Verifies and drops the check character as the settings require.
  ///
  /// - Parameter sum: sum of all values, including start, check and stop; a multiple of 16 if there is a check character (EN
  ///   798 annex A).
  private static func finish(
    _ text: ScratchArray<UInt8>, _ count: inout Int, sum: Int, _ settings: DecoderSettings
  ) -> LinearCandidate? {
    // Symbology identifier: 0 no check, 2 verified, 4 verified and dropped.
    var modifier: UInt8 = 0x30
    switch settings.checks[.codabar] {
    case .none: break
    case .verify: modifier = 0x32
    case .verifyAndDrop: modifier = 0x34
    }
    if settings.checks[.codabar] != .none {
      guard sum % 16 == 0, count > 3 else { return nil }
      if settings.checks[.codabar] == .verifyAndDrop {
        text[count - 2] = text[count - 1]
        count -= 1
      }
    }
    let limitedCount = count - 2
    if !settings.codabarKeepsStartAndStop {
      for index in 0..<(count - 2) { text[index] = text[index + 1] }
      count -= 2
    }
    var candidate = LinearCandidate(.codabar, aimModifier: modifier)
    candidate.byteCount = count
    candidate.limitedCount = limitedCount
    return candidate
  }

  /// The widths of narrow and wide elements in a start character. Every start character has one wide bar and two wide
  /// spaces.
  private static func scale(_ row: ElementRow, _ first: Int) -> TwoWidthScale? {
    var wideBar: Int32 = 0
    var bars: Int32 = 0
    for index in 0..<4 {
      let width = row.width(first + 2 * index)
      wideBar = max(wideBar, width)
      bars += width
    }
    var narrowSpace = Int32.max
    var spaces: Int32 = 0
    for index in 0..<3 {
      let width = row.width(first + 2 * index + 1)
      narrowSpace = min(narrowSpace, width)
      spaces += width
    }
    return TwoWidthScale(
      narrowBar: (bars - wideBar) / 3, wideBar: wideBar, narrowSpace: narrowSpace, wideSpace: (spaces - narrowSpace) / 2)
  }

  /// Whether a bar is at least three quarters as wide as a narrow one. A thinner bar at the end of a symbol may be the rest
  /// of a bar of another symbol that was cut off. (Blur leaves some of a symbol's own bars no more than two thirds.)
  private static func isWholeBar(_ row: ElementRow, _ element: Int, _ scale: TwoWidthScale) -> Bool {
    4 * (row.width(element) - (scale.spread * scale.narrow) >> 8) >= 3 * scale.narrow
  }

  /// The width of a narrow element, derived from the width of a character.
  private static func moduleOf(_ span: Int32, _ index: Int, _ scale: TwoWidthScale) -> Int32 {
    let wideCount = Int32(codabarPatterns[index].nonzeroBitCount)
    return (span << 8) / ((7 - wideCount) << 8 + wideCount * scale.ratio)
  }

  private static func match(_ row: ElementRow, _ element: Int, _ scale: TwoWidthScale, from low: Int) -> TwoWidthMatch? {
    row.matchTwoWidths(TwoWidthRun(first: element, count: 7), scale, low...19, pattern: { codabarPatterns[$0] })
  }
}
