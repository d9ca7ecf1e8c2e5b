// Where a symbol of equally wide characters may lie on a line, and how many it may have: edges with free space next to them are its
// ends, and the grey darkens where each character begins.

import BarcodeTypes

/// A number of characters between two ends.
struct CharacterLook: BitwiseCopyable {
  /// How much the grey darkens on average where characters begin, times 64.
  var step = 0
  var count = 0
  /// The ends in samples times 65536, and the perspective of a `TemplateModel`.
  var start = 0
  var end = 0
  var perspective = 0
  var isReversed = false
}

/// The edges at which a symbol may begin and end.
private struct SymbolEnds: BitwiseCopyable {
  /// Places in samples times 256.
  var start = 0
  var end = 0
  var edgeCount = 0
  /// The widest element between them, and the free space next to them.
  var widest = 0
  var free = 0

  var span: Int { end - start }

  /// The same ends on the line in the other direction.
  func reversed(_ length: Int) -> SymbolEnds {
    var ends = self
    (ends.start, ends.end) = (length - end, length - start)
    return ends
  }
}

/// The looks of a line at which characters begin best.
struct CharacterLooks {
  static let countMax = 8
  /// Pairs of edges that may be the ends: the borders of a label are farther from each other than those of its symbol.
  private static let endCount = 4
  /// Least number of elements between the ends.
  private static let elementCountMin = 12
  /// Elements of a symbol are at most this many times as wide as their mean.
  private static let widestFactor = 5
  /// Edges that are lower than this share of the highest one are noise in a quiet zone.
  private static let lowDivisor = 6
  /// Edges that noise may add to a symbol; of those that it has, one in `mergedFactor` is left after blur has merged others.
  private static let extraEdgeCountMax = 6
  private static let mergedFactor = 3
  /// Least pitch: 0.9 pixels per module, in samples times 256.
  private static let pitchMin = 460
  /// Least free space on either side, in halves of a module.
  private static let quietHalves = 9
  /// The widest element between the ends, in modules: blur merges narrow ones.
  private static let widestModules = 8
  /// The greatest perspective that is tried, and how far a step of it moves the middle of the symbol, in modules times 65536.
  private static let perspectiveMax = 9830
  private static let perspectiveStep = 1 << 15
  /// Instructions per edge in the search for ends, and per beginning of a character.
  private static let edgeWork = 20
  private static let beginningWork = 30

  private var looks: [8 of CharacterLook] = .init(repeating: CharacterLook())
  /// Instructions so far.
  private(set) var work = 0

  /// The looks in order, the best first; those without a step are empty.
  subscript(_ index: Int) -> CharacterLook { looks[index] }

  /// Collects the looks of a symbology in both directions of a line.
  ///
  /// - Parameter moduleCountMax: modules of the longest symbol.
  /// - Safety: `profile` and `reversed` must hold `count` samples.
  @unsafe mutating func collect<Symbol: CellCharacters>(
    _ symbol: Symbol.Type, _ row: ElementRow, _ profile: UnsafePointer<Int32>, reversed: UnsafePointer<Int32>, count: Int,
    moduleCountMax: Int
  ) {
    var (light, dark) = (Int32.min, Int32.max)
    for index in 0..<count {
      light = unsafe max(light, profile[index])
      dark = unsafe min(dark, profile[index])
    }
    let limit = Int(light - dark) / 2
    let ends = findEnds(row)
    for index in 0..<CharacterLooks.endCount where ends[index].edgeCount > 0 {
      unsafe look(
        symbol, profile, count: count, ends[index], limit: limit, moduleCountMax: moduleCountMax, isReversed: false)
      unsafe look(
        symbol, reversed, count: count, ends[index].reversed(Int(row.length)), limit: limit, moduleCountMax: moduleCountMax,
        isReversed: true)
    }
  }

  /// Looks for the numbers of characters, and the perspectives, for which the grey darkens most where characters begin.
  ///
  /// - Parameter limit: the greatest step that counts.
  @unsafe private mutating func look<Symbol: CellCharacters>(
    _ symbol: Symbol.Type, _ profile: UnsafePointer<Int32>, count sampleCount: Int, _ ends: SymbolEnds, limit: Int,
    moduleCountMax: Int, isReversed: Bool
  ) {
    let (start, end) = (ends.start << 8, ends.end << 8)
    let ratio = Symbol.middleRatio
    let cell = Symbol.cellWidth(ratio: ratio)
    for count in Symbol.characterCounts {
      let whole = Symbol.edgeCount(count)
      guard ends.edgeCount <= whole + CharacterLooks.extraEdgeCountMax else { continue }
      let width = Symbol.width(count: count, ratio: ratio)
      let pitch = ends.span * EdgeResponse.samplesPerModule / width
      guard ends.edgeCount * CharacterLooks.mergedFactor >= whole, pitch >= CharacterLooks.pitchMin,
        Symbol.width(count: count, ratio: Symbol.ratios.upperBound) <= moduleCountMax * EdgeResponse.samplesPerModule
      else { break }
      guard ends.free * 2 >= pitch * CharacterLooks.quietHalves, ends.widest <= CharacterLooks.widestModules * pitch
      else { continue }
      let step = (cell << 16) / width
      let (perspectiveStep, stepCount) = CharacterLooks.perspectives(moduleCount: width / EdgeResponse.samplesPerModule)
      let half = max(1, pitch >> 9)
      work += (2 * stepCount + 1) * count * CharacterLooks.beginningWork
      var best = CharacterLook(count: count, start: start, end: end, isReversed: isReversed)
      for index in -stepCount...stepCount {
        let perspective = index * perspectiveStep
        var sum = 0
        for place in 0..<count {
          let tau = place &* step
          let bent = tau &+ (((tau &* (65536 &- tau)) >> 16) &* perspective) >> 16
          let at = (start &+ ((end &- start) &* bent) >> 16) >> 16
          guard at >= half, at &+ half &+ 1 < sampleCount else { continue }
          let darkening = unsafe Int(profile[at &- half] &- profile[at &+ half &+ 1])
          sum &+= max(0 &- limit, min(limit, darkening))
        }
        if sum / count > best.step {
          best.step = sum / count
          best.perspective = perspective
        }
      }
      keep(best)
    }
  }

  /// The distance between perspectives that are tried, and their number on either side.
  static func perspectives(moduleCount: Int) -> (step: Int, count: Int) {
    // A quarter of the perspective moves the middle.
    let step = 4 * perspectiveStep / moduleCount
    return (step, perspectiveMax / step)
  }

  private mutating func keep(_ look: CharacterLook) {
    var place = CharacterLooks.countMax
    while place > 0, look.step > looks[place - 1].step {
      if place < CharacterLooks.countMax { looks[place] = looks[place - 1] }
      place -= 1
    }
    if place < CharacterLooks.countMax { looks[place] = look }
  }

  /// The edges farthest from each other with free space on both sides, an eighth wider than anything between them.
  private mutating func findEnds(_ row: ElementRow) -> [4 of SymbolEnds] {
    var best: [4 of SymbolEnds] = .init(repeating: SymbolEnds())
    guard row.count > CharacterLooks.elementCountMin else { return best }
    var highest: Int32 = 0
    for index in 0..<row.count { highest = max(highest, row.height(index)) }
    let low = highest / Int32(CharacterLooks.lowDivisor)
    var before = Int(row.paddingBefore) - Int(row.gapBefore(0) - row.seenGapBefore(0))
    for first in 0..<row.count where row.height(first) > low {
      let free = Int(row.edge(first)) - before
      before = Int(row.edge(first))
      guard (first & 1 == 0) == row.beginsDark else { continue }
      var widest = 0
      var last = first + 1
      while last < row.count, widest <= free {
        widest = max(widest, Int(row.width(last - 1)))
        if last - first > 1 { widest = max(widest, Int(row.width(last - 2))) }
        work += CharacterLooks.edgeWork
        let span = Int(row.edge(last)) - before
        let elementCount = last - first
        if row.height(last) > low, elementCount > CharacterLooks.elementCountMin,
          widest * elementCount <= CharacterLooks.widestFactor * span
        {
          let behind = freeBehind(row, last, low)
          work += CharacterLooks.edgeWork
          if min(free, behind) * 8 >= widest * 9 {
            let ends = SymbolEnds(
              start: before, end: before + span, edgeCount: elementCount + 1, widest: widest, free: min(free, behind))
            CharacterLooks.keep(ends, &best)
          }
        }
        last += 2
      }
    }
    return best
  }

  private static func keep(_ ends: SymbolEnds, _ best: inout [4 of SymbolEnds]) {
    var place = endCount
    while place > 0, ends.span > best[place - 1].span {
      if place < endCount { best[place] = best[place - 1] }
      place -= 1
    }
    if place < endCount { best[place] = ends }
  }

  /// The free space behind an edge, up to the next one that is not low.
  private func freeBehind(_ row: ElementRow, _ last: Int, _ low: Int32) -> Int {
    for next in (last + 1)..<max(last + 1, row.count) where row.height(next) > low {
      return Int(row.edge(next) - row.edge(last))
    }
    let end = row.count - 1
    return Int(row.edge(end) + row.gapAfter(end) - row.edge(last))
  }
}
