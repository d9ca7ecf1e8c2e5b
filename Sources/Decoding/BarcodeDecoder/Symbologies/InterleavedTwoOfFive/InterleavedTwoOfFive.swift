// Interleaved 2 of 5 and ITF-14 from the edges of a line: ISO/IEC 16390, GS1 General Specifications §5.3.
//
// Five bars encode one digit and the five spaces between them the next. Start and stop are so short that a line that leaves
// the symbol through its side reads a shorter code. A symbol therefore counts only if it is complete from quiet zone to
// quiet zone, with every element in place, and if many lines agree.

import BarcodeTypes

/// Wide elements of the digits: ISO/IEC 16390 table 1.
let interleavedPatterns: [10 of UInt16] = [0x06, 0x11, 0x09, 0x18, 0x05, 0x14, 0x0C, 0x03, 0x12, 0x0A]

/// Reads Interleaved 2 of 5 from element rows.
enum InterleavedTwoOfFive {
  /// A free space, in narrow elements, that no space inside a symbol reaches: wide ones have 3, half as much more under
  /// tilt.
  private static let endModules: Int32 = 5

  /// Reads a symbol that begins with the dark edge `first`, or returns nil.
  static func read(
    _ row: ElementRow, from first: Int, _ settings: DecoderSettings, into text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    let pairsMin = max(1, settings.lengths[.itf].min / 2)
    guard settings.wantsInterleaved, first + 7 + 10 * pairsMin < row.count else { return nil }
    let start = row.edge(first + 4) - row.edge(first)
    let narrow = start / 4
    guard narrow > ElementRow.moduleMin, row.gapBefore(first) >= narrow * endModules,
      let last = end(row, from: first, narrow),
      let scale = scale(row, first, last)
    else { return nil }
    let pairCount = (last - first - 7) / 10
    guard pairCount >= pairsMin, settings.lengths[.itf].contains(2 * pairCount), isStart(row, first, scale),
      isStop(row, last, scale)
    else { return nil }
    var misfit: Int32 = 0
    var element = first + 4
    var span: Int32 = 0
    for pair in 0..<pairCount {
      let width = row.edge(element + 10) - row.edge(element)
      if pair > 0 { guard width * 4 > span * 3, width * 3 < span * 4 else { return nil } }
      span = width
      guard let bars = match(row, element, isDark: true, scale), let spaces = match(row, element + 1, isDark: false, scale)
      else { return nil }
      misfit += bars.misfit + spaces.misfit
      text[2 * pair] = UInt8(truncatingIfNeeded: 0x30 + bars.index)
      text[2 * pair + 1] = UInt8(truncatingIfNeeded: 0x30 + spaces.index)
      element += 10
    }
    guard var candidate = finish(text, count: 2 * pairCount, settings),
      hasQuietZones(row, first, last, scale, isITF14: candidate.symbology == .itf14)
    else { return nil }
    candidate.place(row, from: first, to: last, misfit: misfit / Int32(2 * pairCount))
    // A pair of digits has 18 modules at a ratio of 3, start and stop have 9.
    candidate.endPart = (modules: 18, of: 9 + 9 * candidate.byteCount)
    candidate.isUnprotected = !candidate.hasCheckDigit
    return candidate
  }

  /// The light edge at which the symbol ends: the first one with wide free space after it, if the number of elements is
  /// right. Whether the space is a quiet zone is tested later with measures from that end, where tilt may have made
  /// everything smaller than at the start.
  private static func end(_ row: ElementRow, from first: Int, _ narrow: Int32) -> Int? {
    var last = first + 17
    while last < row.count {
      if row.gapAfter(last) >= narrow * endModules { return (last - first - 7) % 10 == 0 ? last : nil }
      last += 2
    }
    return nil
  }

  /// The widths of narrow and wide elements: in every pair of digits, the two widest bars and the two widest spaces are the
  /// wide ones. Pairs are scaled to equal width, so that tilt, which makes one end of a symbol smaller, does not blur the
  /// measures.
  private static func scale(_ row: ElementRow, _ first: Int, _ last: Int) -> TwoWidthScale? {
    let pairCount = (last - first - 7) / 10
    let total = row.edge(last - 3) - row.edge(first + 4)
    let mean = Int(total) / pairCount
    var narrows: (bar: Int, space: Int) = (0, 0)
    var wides: (bar: Int, space: Int) = (0, 0)
    for pair in 0..<pairCount {
      let element = first + 4 + 10 * pair
      let span = Int(row.edge(element + 10) - row.edge(element))
      guard span > 0 else { return nil }
      let bars = widest(row, element)
      let spaces = widest(row, element + 1)
      wides.bar += bars.wide * mean / span
      wides.space += spaces.wide * mean / span
      narrows.bar += bars.narrow * mean / span
      narrows.space += spaces.narrow * mean / span
    }
    return TwoWidthScale(
      narrowBar: Int32(clamping: narrows.bar / (3 * pairCount)), wideBar: Int32(clamping: wides.bar / (2 * pairCount)),
      narrowSpace: Int32(clamping: narrows.space / (3 * pairCount)),
      wideSpace: Int32(clamping: wides.space / (2 * pairCount)))
  }

  /// The sums of the two widest and of the other three of five elements: every second one from `element` on.
  private static func widest(_ row: ElementRow, _ element: Int) -> (wide: Int, narrow: Int) {
    var first = 0
    var second = 0
    var sum = 0
    for index in 0..<5 {
      let width = Int(row.width(element + 2 * index))
      sum += width
      if width > first {
        second = first
        first = width
      } else if width > second {
        second = width
      }
    }
    return (first + second, sum - first - second)
  }

  /// Whether four elements are all narrow, by the measures of the pair that follows.
  private static func isStart(_ row: ElementRow, _ first: Int, _ scale: TwoWidthScale) -> Bool {
    let measure = EndMeasure(scale, span: row.edge(first + 14) - row.edge(first + 4))
    for index in 0..<4 where !measure.isNarrow(row.width(first + index), isBar: index & 1 == 0) { return false }
    return true
  }

  /// Whether the three elements before an edge are a wide bar, a narrow space and a narrow bar, by the measures of the pair
  /// before them.
  private static func isStop(_ row: ElementRow, _ last: Int, _ scale: TwoWidthScale) -> Bool {
    let stop = last - 3
    let measure = EndMeasure(scale, span: row.edge(stop) - row.edge(stop - 10))
    return measure.isWide(row.width(stop)) && measure.isNarrow(row.width(stop + 1), isBar: false)
      && measure.isNarrow(row.width(stop + 2), isBar: true)
  }

  /// Whether there is free space before the start and after the stop, or the picture was cropped to the symbol.
  private static func hasQuietZones(
    _ row: ElementRow, _ first: Int, _ last: Int, _ scale: TwoWidthScale, isITF14: Bool
  ) -> Bool {
    let start = EndMeasure(scale, span: row.edge(first + 14) - row.edge(first + 4))
    let stop = EndMeasure(scale, span: row.edge(last - 3) - row.edge(last - 13))
    let startNarrow = (row.edge(first + 4) - row.edge(first)) / 4
    let stopNarrow = ((row.edge(last) - row.edge(last - 3)) << 8) / (scale.ratio + 512)
    let isCutBefore = first == 0 && row.paddingBefore > 0
    let isCutAfter = last + 1 == row.count && row.paddingAfter > 0
    let before = row.seenGapBefore(first)
    let after = row.seenGapAfter(last)
    // A line that cuts through a symbol may show what looks like one of its ends, but the free spaces on the two sides are
    // then hardly equal.
    if isCutBefore, isCutAfter, start.narrow >= EndMeasure.croppedNarrowMin,
      abs(before - after) * 2 < start.narrow, start.isWhole(bar: row.width(first)), stop.isWhole(bar: row.width(last - 1))
    {
      return true
    }
    return
      (start.isQuietZone(before, isCut: isCutBefore)
      || (isITF14 && isCutBefore && before << 8 > startNarrow * scale.ratio))
      && (stop.isQuietZone(after, isCut: isCutAfter)
        || (isITF14 && isCutAfter && after << 8 > stopNarrow * scale.ratio))
  }

  private static func match(_ row: ElementRow, _ element: Int, isDark: Bool, _ scale: TwoWidthScale) -> TwoWidthMatch? {
    row.matchTwoWidths(TwoWidthRun(first: element, count: 5, step: 2, beginsDark: isDark), scale, 0...9) {
      interleavedPatterns[$0]
    }
  }

  /// Digits from which a right check digit is evidence: one text in ten has it by chance, and the pieces of longer symbols
  /// that end like a symbol are short.
  private static let checkedCountMin = 8

  /// Checks the check digit as the settings require. 14 digits with a right check digit are an ITF-14.
  private static func finish(
    _ text: ScratchArray<UInt8>, count: Int, _ settings: DecoderSettings
  ) -> LinearCandidate? {
    if let candidate = PostalNumber.candidate(text, count: count, settings) { return candidate }
    let isChecked = GTIN.hasCheckDigit(text, count: count)
    guard settings.checks[.itf] == .none || isChecked else { return nil }
    // Symbology identifier: 0 no check, 1 verified, 3 verified and dropped.
    if count == 14, isChecked, settings.symbologies.contains(.itf14) {
      var candidate = LinearCandidate(.itf14, aimModifier: 0x31)
      candidate.hasCheckDigit = true
      candidate.byteCount = count
      return candidate
    }
    guard settings.symbologies.contains(.itf) else { return nil }
    let modifier: UInt8 = settings.checks[.itf] == .none ? 0x30 : (settings.checks[.itf] == .verify ? 0x31 : 0x33)
    var candidate = LinearCandidate(.itf, aimModifier: modifier)
    candidate.hasCheckDigit = isChecked && count >= checkedCountMin
    candidate.byteCount = settings.checks[.itf] == .verifyAndDrop ? count - 1 : count
    candidate.limitedCount = count
    return candidate
  }
}

/// The measures of narrow and wide elements at one end of a symbol.
private struct EndMeasure {
  /// Minimum quiet zone on each side, in narrow elements (the standard asks for 10).
  private static let quietModules: Int32 = 7
  /// Minimum quiet zone where the picture ends: more than any space inside a symbol. A little more than a wide space,
  /// measured at that end, is enough for an ITF-14, as its length and check digit support it.
  private static let cutQuietModules: Int32 = 4
  /// Least width of a narrow element that differs measurably from a cut one, in samples times 256: 1.75 pixels.
  static let croppedNarrowMin: Int32 = 896
  /// The width of a narrow element at that end, in samples times 256.
  let narrow: Int32
  private let off: Int32
  private let middle: Int32

  /// - Parameter span: the width of the pair of digits at that end, which has six narrow and four wide elements.
  init(_ scale: TwoWidthScale, span: Int32) {
    narrow = (span << 8) / (6 << 8 + 4 * scale.ratio)
    off = (scale.spread * narrow) >> 8
    middle = ((scale.ratio + 256) / 2 * narrow) >> 8
  }

  /// Whether an element is narrow, and at least half as wide as a narrow one: a piece of a symbol can end anywhere in an
  /// element.
  func isNarrow(_ width: Int32, isBar: Bool) -> Bool {
    let measured = width - (isBar ? off : -off)
    return measured < middle && measured * 2 > narrow
  }

  func isWide(_ bar: Int32) -> Bool { bar - off > middle && bar - off < 2 * middle }

  /// Whether the outermost bar is whole: a cut one hardly keeps two thirds.
  func isWhole(bar: Int32) -> Bool { (bar - off) * 3 > narrow * 2 }

  /// Whether free space is a quiet zone.
  ///
  /// - Parameter isCut: whether it ends at the picture's border.
  func isQuietZone(_ width: Int32, isCut: Bool) -> Bool {
    guard isCut else { return width >= narrow * EndMeasure.quietModules }
    return width >= narrow * EndMeasure.cutQuietModules && width > middle * 2
  }
}
