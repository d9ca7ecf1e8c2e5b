// Whole symbols of narrow and wide elements: a start, characters of equally many elements, and a stop, between quiet zones.
// Start and stop of such symbologies are so short that pieces of other patterns end like them. A symbol therefore counts only
// if it is complete, with every element in place.

import BarcodeTypes

/// The elements of a symbology's symbols. Patterns have one bit per element, the first one uppermost, 1 for wide.
struct TwoWidthFormat: BitwiseCopyable {
  /// The elements of the start, with the space after it.
  let start: UInt16
  let startCount: Int
  /// The elements of the stop, which ends with a bar.
  let stop: UInt16
  let stopCount: Int
  /// The elements of a character, with the space after it.
  let characterCount: Int
  /// The elements of a character that differ between characters, at most 9: consecutive ones, or only bars.
  let patternCount: Int
  var hasOnlyBars = false
  /// Whether all characters are equally wide.
  var isEven = true
  /// Whether the first bar of the start and of the stop is wider than the wide ones of characters.
  var hasWiderEnds = false
  /// The least number of characters.
  var lengthMin = 1

  /// Minimum quiet zone on each side, in narrow elements; the specifications ask for 10.
  fileprivate static let quietModules: Int32 = 7
  /// Minimum quiet zone where the picture ends, visible in the picture itself: more than any space inside a symbol.
  fileprivate static let cutQuietModules: Int32 = 4
  /// A free space, in narrow elements, that no space inside a symbol reaches: wide ones have 3, half as much more under tilt.
  fileprivate static let endModules: Int32 = 5

  /// The width of the start in halves of narrow elements, if wide elements have two and a half.
  fileprivate var startHalves: Int32 {
    let wideCount = Int32(truncatingIfNeeded: start.nonzeroBitCount)
    return 2 * Int32(truncatingIfNeeded: startCount) &+ 3 * wideCount
  }
}

/// The characters of a symbol, whose pattern numbers are in the buffer that was passed to the reader.
struct TwoWidthSymbol: BitwiseCopyable {
  /// The edge at which the stop ends.
  let last: Int
  let count: Int
  /// The mean squared misfit of the characters, in square modules times 65536.
  let misfit: Int32

  /// The part of the symbol at either end that shows how light its paper is: a character, or a sixth of a short symbol.
  func endPart(of moduleCount: Int32) -> (modules: Int, of: Int) {
    (Int(moduleCount) / max(6, count + 2), Int(moduleCount))
  }
}

extension ElementRow {
  /// Reads a symbol that begins with the dark edge `first`, or returns nil.
  ///
  /// - Parameters:
  ///   - patternCount: the number of characters.
  ///   - pattern: the wide elements of a character.
  func readTwoWidths(
    from first: Int, _ format: TwoWidthFormat, into text: ScratchArray<UInt8>, patternCount: Int, pattern: (Int) -> UInt16
  ) -> TwoWidthSymbol? {
    let body = first + format.startCount
    guard body + format.lengthMin * format.characterCount + format.stopCount < count else { return nil }
    let narrow = 2 * (edge(body) - edge(first)) / format.startHalves
    guard narrow > ElementRow.moduleMin, gapBefore(first) >= narrow * TwoWidthFormat.endModules,
      let last = end(format, from: first, narrow)
    else { return nil }
    let stop = last - format.stopCount
    guard let scale = format.hasWiderEnds ? scale(from: body, to: stop) : scale(from: first, to: last) else { return nil }
    let bounds = ElementBounds(scale)
    guard isRun(from: first, format.startCount, format.start, bounds),
      isRun(from: stop, format.stopCount, format.stop, bounds)
    else { return nil }
    var misfit: Int32 = 0
    var span: Int32 = 0
    var length = 0
    for element in stride(from: body, to: stop, by: format.characterCount) {
      let width = edge(element + format.characterCount) - edge(element)
      if format.isEven, span > 0 { guard width * 4 > span * 3, width * 3 < span * 4 else { return nil } }
      span = width
      guard hasNarrowRest(format, element, bounds),
        let match = matchTwoWidths(
          TwoWidthRun(first: element, count: format.patternCount, step: format.hasOnlyBars ? 2 : 1), scale,
          0...(patternCount - 1), pattern: pattern),
        length < text.count
      else { return nil }
      misfit += match.misfit
      text[length] = UInt8(truncatingIfNeeded: match.index)
      length += 1
    }
    let (isCutBefore, isCutAfter) = (first == 0 && paddingBefore > 0, last + 1 == count && paddingAfter > 0)
    func isQuiet(_ gap: Int32, isCut: Bool) -> Bool {
      gap >= scale.narrow * (isCut ? TwoWidthFormat.cutQuietModules : TwoWidthFormat.quietModules)
    }
    guard isQuiet(seenGapBefore(first), isCut: isCutBefore), isQuiet(seenGapAfter(last), isCut: isCutAfter) else {
      return nil
    }
    return TwoWidthSymbol(last: last, count: length, misfit: misfit / Int32(truncatingIfNeeded: length))
  }

  /// The light edge at which the symbol ends: the first one with wide free space after it, if the number of elements is right.
  private func end(_ format: TwoWidthFormat, from first: Int, _ narrow: Int32) -> Int? {
    let outside = format.startCount + format.stopCount
    var last = first + outside + format.lengthMin * format.characterCount
    // An even number of elements would end with a space.
    if (last - first) & 1 == 0 { last -= 1 }
    while last < count {
      if gapAfter(last) >= narrow * TwoWidthFormat.endModules {
        let rest = last - first - outside
        return rest >= format.lengthMin * format.characterCount && rest % format.characterCount == 0 ? last : nil
      }
      last += 2
    }
    return nil
  }

  /// The widths of narrow and wide elements: those below and above the middle between the thinnest and the widest. If all bars, or
  /// all spaces, are narrow, their wide ones would be as much wider as those of the other kind.
  func scale(from first: Int, to last: Int) -> TwoWidthScale? {
    let bars = clusters(from: first, to: last)
    let spaces = clusters(from: first + 1, to: last)
    guard let excess = bars.excess ?? spaces.excess else { return nil }
    return TwoWidthScale(
      narrowBar: bars.narrow, wideBar: bars.narrow + (bars.excess ?? excess), narrowSpace: spaces.narrow,
      wideSpace: spaces.narrow + (spaces.excess ?? excess))
  }

  /// The mean width of the narrow ones among every second element, and how much wider the wide ones are, if there are any.
  private func clusters(from first: Int, to last: Int) -> (narrow: Int32, excess: Int32?) {
    var (least, most) = (Int32.max, Int32.min)
    for element in stride(from: first, to: last, by: 2) {
      least = min(least, width(element))
      most = max(most, width(element))
    }
    // Wide elements are at least half as wide again.
    let middle = 2 * most < 3 * least ? most : least / 2 + most / 2
    var sums: (narrow: Int32, wide: Int32) = (0, 0)
    var counts: (narrow: Int32, wide: Int32) = (0, 0)
    for element in stride(from: first, to: last, by: 2) {
      if width(element) <= middle {
        sums.narrow += width(element)
        counts.narrow += 1
      } else {
        sums.wide += width(element)
        counts.wide += 1
      }
    }
    let narrow = sums.narrow / max(1, counts.narrow)
    return (narrow, counts.wide > 0 ? sums.wide / counts.wide - narrow : nil)
  }

  /// Whether elements that begin with a bar are narrow and wide like a pattern.
  private func isRun(from first: Int, _ count: Int, _ pattern: UInt16, _ bounds: ElementBounds) -> Bool {
    for index in 0..<count {
      let isWide = pattern >> UInt16(truncatingIfNeeded: count - 1 - index) & 1 == 1
      guard bounds.isRight(width(first + index), isBar: index & 1 == 0, isWide: isWide) else { return false }
    }
    return true
  }

  /// Whether the elements of a character that are not part of its pattern are narrow.
  private func hasNarrowRest(_ format: TwoWidthFormat, _ first: Int, _ bounds: ElementBounds) -> Bool {
    var element = format.hasOnlyBars ? first + 1 : first + format.patternCount
    while element < first + format.characterCount {
      guard bounds.isRight(width(element), isBar: false, isWide: false) else { return false }
      element += format.hasOnlyBars ? 2 : 1
    }
    return true
  }
}

/// The limits between narrow and wide elements.
private struct ElementBounds {
  private let narrow: Int32
  private let off: Int32
  private let middle: Int32

  init(_ scale: TwoWidthScale) {
    narrow = scale.narrow
    off = (scale.spread * scale.narrow) >> 8
    middle = (((scale.ratio + 256) / 2) * scale.narrow) >> 8
  }

  /// Whether an element has the width of a narrow or a wide one. A narrow one has at least half its width, as a piece of a symbol
  /// can end anywhere in an element; a wide one at most three times the limit between them.
  func isRight(_ width: Int32, isBar: Bool, isWide: Bool) -> Bool {
    let measured = width - (isBar ? off : -off)
    return isWide ? measured > middle && measured < 3 * middle : measured < middle && measured * 2 > narrow
  }
}
