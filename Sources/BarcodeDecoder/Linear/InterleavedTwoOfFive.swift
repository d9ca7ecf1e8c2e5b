// Interleaved 2 of 5 and ITF-14 from the edges of a line: ISO/IEC 16390, GS1 General Specifications §5.3.
//
// Five bars are one digit and the five spaces between them the next. Start and stop are so short that a line that leaves the
// symbol through its side reads a shorter code; so a symbol counts only whole, from one quiet zone to the other, with every
// element in place, and only if many lines say the same.

import BarcodeTypes

/// Wide elements of the digits: ISO/IEC 16390 table 1.
private let interleavedPatterns: [10 of UInt16] = [0x06, 0x11, 0x09, 0x18, 0x05, 0x14, 0x0C, 0x03, 0x12, 0x0A]

/// Reads Interleaved 2 of 5 from element rows.
enum InterleavedTwoOfFive {
  private static let digitCountMax = 80
  /// Free narrow elements that must be before and after; the standard asks for 10.
  private static let quietModules: Int32 = 7

  /// Reads a symbol that begins with the dark edge `first`, or returns nil.
  ///
  /// - Safety: `text` must have room for `LinearCandidate.byteCountMax` bytes.
  @unsafe static func read(
    _ row: ElementRow, from first: Int, _ settings: DecoderSettings, into text: UnsafeMutablePointer<UInt8>
  ) -> LinearCandidate? {
    let pairsMin = max(1, settings.itfDigitCountMin / 2)
    guard first &+ 7 &+ 10 &* pairsMin < row.count else { return nil }
    let start = unsafe row.edges[first &+ 4] &- row.edges[first]
    let narrow = start / 4
    guard narrow > 205, row.seenGapBefore(first) >= narrow &* quietModules, let last = end(row, from: first, narrow),
      let scale = scale(row, first, last)
    else { return nil }
    let pairCount = (last &- first &- 7) / 10
    guard pairCount >= pairsMin, 2 &* pairCount <= digitCountMax,
      row.seenGapAfter(last) >= scale.narrow &* quietModules, isStartAndStop(row, first, last, scale)
    else { return nil }
    var misfit: Int32 = 0
    var element = first &+ 4
    var span: Int32 = 0
    for pair in 0..<pairCount {
      let width = unsafe row.edges[element &+ 10] &- row.edges[element]
      if pair > 0 { guard width &* 5 > span &* 4, width &* 4 < span &* 5 else { return nil } }
      span = width
      guard let bars = match(row, element, isDark: true, scale), let spaces = match(row, element &+ 1, isDark: false, scale)
      else { return nil }
      misfit &+= bars.misfit &+ spaces.misfit
      unsafe text[2 &* pair] = UInt8(truncatingIfNeeded: 0x30 &+ bars.index)
      unsafe text[2 &* pair &+ 1] = UInt8(truncatingIfNeeded: 0x30 &+ spaces.index)
      element &+= 10
    }
    guard var candidate = unsafe finish(text, count: 2 &* pairCount, settings) else { return nil }
    unsafe candidate.start = row.edges[first]
    unsafe candidate.end = row.edges[last]
    candidate.misfit = misfit / Int32(2 * pairCount)
    return candidate
  }

  /// The light edge at which the symbol ends: the first one with a quiet zone after it, if the number of elements is right.
  private static func end(_ row: ElementRow, from first: Int, _ narrow: Int32) -> Int? {
    var last = first &+ 17
    while last < row.count {
      if row.gapAfter(last) >= narrow &* quietModules { return (last &- first &- 7) % 10 == 0 ? last : nil }
      last &+= 2
    }
    return nil
  }

  /// The measures of narrow and wide elements, from start and stop and the mean of all pairs: each has six narrow and four wide ones.
  private static func scale(_ row: ElementRow, _ first: Int, _ last: Int) -> TwoWidthScale? {
    let narrowBar = (row.width(first) &+ row.width(first &+ 2)) / 2
    let narrowSpace = (row.width(first &+ 1) &+ row.width(first &+ 3)) / 2
    var bars: Int32 = 0
    var spaces: Int32 = 0
    let pairCount = Int32((last &- first &- 7) / 10)
    for element in (first &+ 4)..<(last &- 3) {
      if (element &- first) & 1 == 0 { bars &+= row.width(element) } else { spaces &+= row.width(element) }
    }
    return TwoWidthScale(
      narrowBar: narrowBar, wideBar: (bars / pairCount &- 3 &* narrowBar) / 2, narrowSpace: narrowSpace,
      wideSpace: (spaces / pairCount &- 3 &* narrowSpace) / 2)
  }

  /// Whether the four elements of the start are narrow, and the stop is a wide bar, a narrow space and a narrow bar.
  private static func isStartAndStop(_ row: ElementRow, _ first: Int, _ last: Int, _ scale: TwoWidthScale) -> Bool {
    let middle = ((scale.ratio &+ 256) / 2 &* scale.narrow) >> 8
    let off = (scale.spread &* scale.narrow) >> 8
    func width(_ element: Int) -> Int32 { row.width(element) &- ((element &- first) & 1 == 0 ? off : 0 &- off) }
    for index in 0..<4 where width(first &+ index) >= middle || width(first &+ index) &* 5 < 2 &* scale.narrow {
      return false
    }
    let stop = last &- 3
    return width(stop) > middle && width(stop) < 2 &* middle && width(stop &+ 1) < middle && width(stop &+ 2) < middle
  }

  private static func match(_ row: ElementRow, _ element: Int, isDark: Bool, _ scale: TwoWidthScale) -> TwoWidthMatch? {
    row.matchTwoWidths(
      at: element, count: 5, step: 2, beginsDark: isDark, scale, patterns: { interleavedPatterns[$0] }, from: 0, to: 9)
  }

  /// Checks what the settings want checked. 14 digits with a right check digit are an ITF-14.
  @unsafe private static func finish(
    _ text: UnsafeMutablePointer<UInt8>, count: Int, _ settings: DecoderSettings
  ) -> LinearCandidate? {
    let isChecked = unsafe EANUPC.hasCheckDigit(text, count: count)
    guard settings.itfCheck == .none || isChecked else { return nil }
    // Symbology identifier: 0 no check, 1 verified, 3 verified and dropped.
    if count == 14, isChecked, settings.symbologies.contains(.itf14) {
      var candidate = LinearCandidate(.itf14, aimModifier: 0x31)
      candidate.byteCount = count
      return candidate
    }
    guard settings.symbologies.contains(.itf) else { return nil }
    let modifier: UInt8 = settings.itfCheck == .none ? 0x30 : (settings.itfCheck == .verify ? 0x31 : 0x33)
    var candidate = LinearCandidate(.itf, aimModifier: modifier)
    candidate.byteCount = settings.itfCheck == .verifyAndDrop ? count - 1 : count
    return candidate
  }
}
