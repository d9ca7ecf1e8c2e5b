// The start and stop patterns of a PDF417 symbol. They run through all rows, so scan lines averaged along them still show
// them where codewords can no longer be read. Each side is the straight line that most sightings agree with.

import BarcodeTypes

/// The sides of a PDF417 symbol in a region, seen in reading direction.
struct PDF417Sides: BitwiseCopyable {
  /// The outer edge of the start pattern.
  var start: SymbolSide
  /// The outer edge of the stop pattern; nil if it was not seen, or does not exist, as in Compact PDF417.
  var stop: SymbolSide?
  /// Whether reading goes against u.
  var isReversed: Bool
  /// Whether light and dark are exchanged.
  var isInverted: Bool
}

/// Looks for start and stop patterns in regions.
@safe struct PDF417Finder {
  /// Number of lines over a region.
  static let lineCountMax = 24
  /// Number of lines in a camera frame.
  private static let frameLineCount = 13
  /// Least number of sightings that make a side.
  private static let sightingCountMin = 3
  /// Widths of the elements, first a bar (ISO/IEC 15438 §4.2.4).
  private static let startPattern: [9 of Int32] = [8, 1, 1, 1, 1, 1, 1, 3, 0]
  private static let stopPattern: [9 of Int32] = [7, 1, 1, 3, 1, 1, 1, 2, 1]

  /// Lists of sightings, one after the other: see `list`.
  private let sightings: ScratchArray<SideSighting>
  private var counts: [8 of Int] = .init(repeating: 0)
  /// Number of patterns seen in the last region.
  private(set) var sightingCount = 0

  init(arena: inout Arena) throws(ArenaFull) {
    sightings = try ScratchArray(8 * StackedScanner.sightingCountMax, arena: &arena)
  }

  /// The index of the list of start or stop patterns, read along or against u, dark on light or light on dark.
  private static func list(isStop: Bool, isReversed: Bool, isInverted: Bool) -> Int {
    (isStop ? 4 : 0) + (isReversed ? 2 : 0) + (isInverted ? 1 : 0)
  }

  /// The sides of the symbol in a region, or nil.
  mutating func find(
    _ region: StripeRegion, _ scanner: inout StackedScanner, _ luma: LumaView, effort: Effort, _ budget: inout WorkBudget
  ) -> PDF417Sides? {
    let isFrame = effort == .frame
    let length = region.uMax - region.uMin
    guard
      scan(
        region, overhang: isFrame ? max(24 << 16, length / 8) : max(40 << 16, length / 2), &scanner, luma, effort, &budget)
    else {
      return nil
    }
    let near = sides()
    if near?.stop != nil || sightingCount < PDF417Finder.sightingCountMin { return near }
    // The region may be only a part of the symbol.
    _ = scan(region, overhang: max(100 << 16, length * 2), &scanner, luma, effort, &budget)
    return sides() ?? near
  }

  /// Collects the sightings on lines over a region. False if nothing is found.
  private mutating func scan(
    _ region: StripeRegion, overhang: Int, _ scanner: inout StackedScanner, _ luma: LumaView, _ effort: Effort,
    _ budget: inout WorkBudget
  ) -> Bool {
    counts = .init(repeating: 0)
    sightingCount = 0
    let isFrame = effort == .frame
    let lineCount = isFrame ? PDF417Finder.frameLineCount : PDF417Finder.lineCountMax
    let height = region.vMax - region.vMin + 16 << 16
    for line in 0..<lineCount {
      // Steps of 7 visit every line, and soon cover the whole height.
      let place = (line * 7 + lineCount / 2) % lineCount
      let v = region.vMin - 8 << 16 + height * (2 * place + 1) / (2 * lineCount)
      let isRead = scanner.read(region, v: v, overhang: overhang, rowCount: isFrame ? 4 : 6, luma, &budget)
      for rule in 0..<2 where isRead {
        scanner.findEdges(rule == 0 ? .vertex : .area)
        let before = sightingCount
        collect(scanner, scanner.row, region, isReversed: false)
        collect(scanner, scanner.reversed, region, isReversed: true)
        // A frame tries the second rule only if the first one has seen a pattern on any line.
        if sightingCount > before || (isFrame && sightingCount == 0) { break }
      }
      if sightingCount == 0, line + 1 >= StackedScanner.emptyLineCountMax(region, effort) { return false }
    }
    return sightingCount > 0
  }

  /// The way of reading with the most sightings of a start pattern, if there are enough.
  private func sides() -> PDF417Sides? {
    var best: PDF417Sides?
    var bestCount = 0
    for way in 0..<4 {
      let isReversed = way & 2 != 0
      let isInverted = way & 1 != 0
      let first = PDF417Finder.list(isStop: false, isReversed: isReversed, isInverted: isInverted)
      let last = PDF417Finder.list(isStop: true, isReversed: isReversed, isInverted: isInverted)
      guard let start = side(first) else { continue }
      var stop = side(last)
      if let seen = stop, (seen.offset > start.offset) == isReversed { stop = nil }
      let count = start.count + (stop?.count ?? 0)
      guard count > bestCount else { continue }
      best = PDF417Sides(start: start, stop: stop, isReversed: isReversed, isInverted: isInverted)
      bestCount = count
    }
    return best
  }

  private func side(_ list: Int) -> SymbolSide? {
    SymbolSide(
      sightings, first: list * StackedScanner.sightingCountMax, count: counts[list], countMin: PDF417Finder.sightingCountMin)
  }

  /// Keeps the patterns of a line in one direction.
  private mutating func collect(_ scanner: StackedScanner, _ row: ElementRow, _ region: StripeRegion, isReversed: Bool) {
    var index = 0
    while index + 8 < row.count {
      let isInverted = (index & 1 == 0) != row.beginsDark
      if let module = PDF417Finder.startModule(row, index) {
        let list = PDF417Finder.list(isStop: false, isReversed: isReversed, isInverted: isInverted)
        let sighting = unsafe scanner.sighting(row.edges[index], module: module, isReversed: isReversed, region)
        append(sighting, to: list)
      } else if index + 9 < row.count, let module = PDF417Finder.stopModule(row, index) {
        let list = PDF417Finder.list(isStop: true, isReversed: isReversed, isInverted: isInverted)
        let sighting = unsafe scanner.sighting(row.edges[index + 9], module: module, isReversed: isReversed, region)
        append(sighting, to: list)
      }
      index += 1
    }
  }

  private mutating func append(_ sighting: SideSighting, to list: Int) {
    guard counts[list] < StackedScanner.sightingCountMax else { return }
    sightings[list * StackedScanner.sightingCountMax + counts[list]] = sighting
    counts[list] += 1
    sightingCount += 1
  }

  /// The length of a module in samples times 256, if a start pattern begins at an edge.
  private static func startModule(_ row: ElementRow, _ index: Int) -> Int32? {
    guard row.width(index) > 3 * row.width(index + 1) else { return nil }
    let sum = unsafe row.edges[index + 8] - row.edges[index]
    let module = sum / 17
    guard row.gapBefore(index) * 2 > module * 3 else { return nil }
    return matches(row, index, startPattern, count: 8, module: module) ? module : nil
  }

  /// The length of a module in samples times 256, if a stop pattern begins at an edge.
  private static func stopModule(_ row: ElementRow, _ index: Int) -> Int32? {
    guard row.width(index) > 3 * row.width(index + 1) else { return nil }
    let sum = unsafe row.edges[index + 9] - row.edges[index]
    let module = sum / 18
    guard row.gapAfter(index + 9) * 2 > module * 3 else { return nil }
    return matches(row, index, stopPattern, count: 9, module: module) ? module : nil
  }

  /// Whether the distances of similar edges match a pattern to 0.6 modules; ink spread and overexposure do not change them.
  private static func matches(
    _ row: ElementRow, _ index: Int, _ pattern: [9 of Int32], count: Int, module: Int32
  ) -> Bool {
    guard module >= 256 else { return false }
    for element in 0..<(count - 1) {
      let expected = (pattern[element] + pattern[element + 1]) * module
      let distance = row.width(index + element) + row.width(index + element + 1)
      guard abs(distance - expected) * 5 < module * 3 else { return false }
    }
    return true
  }
}
