// Pharmacode with one track from the edges of a line: Laetus, the Pharmacode guide.
//
// A number from 3 to 131070 is written with base 2 and the digits 1 and 2, narrow and wide bars, the lowest one at the right. There
// is neither a start nor a check, so every element must have its exact width, the quiet zones must be wide, and many lines must
// agree. A symbol read from the other side is another number: it counts only from left to right, or from top to bottom.

import BarcodeTypes

/// Reads Pharmacode from element rows.
enum Pharmacode {
  private static let barCountMax = 16
  /// The least number of bars, although the guide allows two: fewer are found in any texture.
  static let barCountMin = 6
  /// The widths of bars, as shares of a space in 256ths: a narrow bar has half of it, a wide one three halves, before ink spread.
  private static let narrowWidths: ClosedRange<Int32> = 64...192
  private static let wideWidths: ClosedRange<Int32> = 300...500
  /// The greatest difference of bars of one kind, and of spaces, as a share of a space in 256ths; if all bars are of one kind, which
  /// stripes of any kind are, too, their greatest difference from the exact width.
  private static let (deviationMax, equalDeviationMax): (Int32, Int32) = (64, 20)
  private static let (narrowWidth, wideWidth): (Int32, Int32) = (128, 384)
  /// Minimum quiet zone on each side, in spaces; the guide asks for six millimetres, which are six spaces.
  private static let quietSpaces: Int32 = 5

  /// Reads a symbol that begins with the dark edge `first`, or returns nil.
  static func read(_ row: ElementRow, from first: Int, into text: ScratchArray<UInt8>) -> LinearCandidate? {
    guard row.isUpright, first + 2 * barCountMin <= row.count else { return nil }
    let space = row.width(first + 1)
    guard space > 2 * ElementRow.moduleMin, row.seenGapBefore(first) >= quietSpaces * space else { return nil }
    var last = first + 1
    while last < row.count, row.seenGapAfter(last) < quietSpaces * space {
      last += 2
      guard last - first < 2 * barCountMax else { return nil }
    }
    let barCount = (last - first + 1) / 2
    guard barCount >= barCountMin, last < row.count, let number = number(row, first, last) else { return nil }
    let count = DecimalDigits.write(number, into: text)
    var candidate = LinearCandidate(.pharmacode, aimModifier: 0x30)
    candidate.isUnprotected = true
    candidate.byteCount = count
    candidate.place(row, from: first, to: last, misfit: 0)
    // Two bars with their spaces.
    candidate.endPart = (modules: 2, of: barCount)
    return candidate
  }

  /// The number of the bars between two edges; nil if an element has no width of a Pharmacode.
  private static func number(_ row: ElementRow, _ first: Int, _ last: Int) -> Int? {
    let barCount = (last - first + 1) / 2
    var sum: Int32 = 0
    for bar in 0..<(barCount - 1) { sum += row.width(first + 2 * bar + 1) }
    let space = sum / Int32(truncatingIfNeeded: barCount - 1)
    var number = 0
    var (narrows, wides, spaces) = (WidthRange(), WidthRange(), WidthRange())
    for bar in 0..<barCount {
      let element = first + 2 * bar
      let width = (row.width(element) << 8) / space
      if bar < barCount - 1 {
        spaces.add((row.width(element + 1) << 8) / space)
      }
      if narrowWidths.contains(width) {
        narrows.add(width)
        number = 2 * number + 1
      } else if wideWidths.contains(width) {
        wides.add(width)
        number = 2 * number + 2
      } else {
        return nil
      }
    }
    guard narrows.extent <= deviationMax, wides.extent <= deviationMax, spaces.extent <= deviationMax else { return nil }
    guard narrows.isEmpty || wides.isEmpty else { return number }
    let isExact =
      (wides.isEmpty
        ? narrows.isNear(narrowWidth, within: equalDeviationMax) : wides.isNear(wideWidth, within: equalDeviationMax))
      && spaces.extent <= equalDeviationMax
    return isExact ? number : nil
  }
}

/// The widths of one kind of bar.
private struct WidthRange {
  private var least = Int32.max
  private var most = Int32.min

  var isEmpty: Bool { least > most }

  /// The difference of the widest and the thinnest.
  var extent: Int32 { isEmpty ? 0 : most - least }

  /// Whether all are near a width.
  func isNear(_ width: Int32, within deviation: Int32) -> Bool { least >= width - deviation && most <= width + deviation }

  mutating func add(_ width: Int32) {
    least = min(least, width)
    most = max(most, width)
  }
}
