// The position detection patterns of Han Xin Code: any line through the square of three modules in their inner corner crosses
// dark, light, dark and light runs of one module on its way to two of the symbol's sides.

import BarcodeTypes

/// A position detection pattern: the middle of its square.
struct HanXinPattern: BitwiseCopyable {
  /// In 1/256 pixels of the searched picture.
  var center: SubpixelPoint
  /// In 1/256 pixels.
  var module: Int
  /// Number of rows in which it was found.
  var rowCount = 1
  /// Whether light paper follows its lines, as at all corners of a symbol but the bottom left one.
  var isOuter = false
}

/// Finds the patterns of a picture.
@safe struct HanXinFinder {
  /// The most patterns; a symbol has four, and data look like others.
  static let countMax = 256
  /// The distance of searched rows, in pixels: the square of a pattern with modules of a pixel and a half has two of them.
  private static let rowStep = 2
  /// The most patterns that are combined, those that most rows show.
  private static let keptCountMax = 40
  /// Modules across a pattern.
  private static let moduleCount = 7
  /// Least width of a pattern, in pixels.
  private static let widthMin = 9

  /// The patterns with light paper beyond their lines, as at three corners of a symbol.
  let patterns: ScratchArray<HanXinPattern>
  private(set) var count = 0
  /// The other patterns: the one at the bottom left has its lines inside.
  let inner: ScratchArray<HanXinPattern>
  private(set) var innerCount = 0

  init(arena: inout Arena) throws(ArenaFull) {
    patterns = try ScratchArray(HanXinFinder.countMax, arena: &arena)
    inner = try ScratchArray(HanXinFinder.countMax, arena: &arena)
  }

  /// Searches a picture.
  mutating func search(_ view: LumaView, _ thresholds: ThresholdMap, _ edges: inout RowEdges, _ budget: inout WorkBudget) {
    (count, innerCount) = (0, 0)
    for y in stride(from: 0, to: view.height, by: HanXinFinder.rowStep) {
      edges.find(view, y: y, thresholds: thresholds)
      guard budget.spend(view.width / 64 + edges.count / 3 + 1) else { return }
      guard edges.count > 5 else { continue }
      for first in stride(from: 0, to: edges.count - 5, by: 2) {
        if let pattern = pattern(edges, first, y, view, thresholds) { add(pattern) }
      }
    }
    keepTall()
  }

  /// The pattern that begins with a dark run; nil if no pattern does.
  private func pattern(
    _ edges: borrowing RowEdges, _ first: Int, _ y: Int, _ view: LumaView, _ thresholds: ThresholdMap
  ) -> HanXinPattern? {
    func place(_ index: Int) -> Int { Int(edges.places[first + index]) }
    let width = place(5) - place(0)
    guard width >= HanXinFinder.widthMin else { return nil }
    let isLeading = place(5) - place(4) > place(1) - place(0)
    let block = isLeading ? place(5) - place(4) : place(1) - place(0)
    // Runs may deviate by half a module and a pixel.
    let slack = width * 128 / HanXinFinder.moduleCount + 256
    guard abs(block * 256 - width * 256 * 3 / HanXinFinder.moduleCount) <= slack else { return nil }
    for run in 0..<3 {
      let index = isLeading ? run : run + 2
      guard abs((place(index + 1) - place(index)) * 256 - width * 256 / HanXinFinder.moduleCount) <= slack else {
        return nil
      }
    }
    let x = isLeading ? (place(4) + place(5)) / 2 : (place(0) + place(1)) / 2
    let threshold = Threshold(value: Int(thresholds.values[(y >> 3) * thresholds.columns + x >> 3]), isInverted: false)
    let blockMax = 2 * block
    guard let down = square(view, PixelWalk(x: x, y: y, dx: 0, dy: 1), threshold, blockMax: blockMax) else { return nil }
    let row = max(0, min(view.height - 1, y + (down.middle + 128) >> 8))
    guard let across = square(view, PixelWalk(x: x, y: row, dx: 1, dy: 0), threshold, blockMax: blockMax) else { return nil }
    let column = max(0, min(view.width - 1, x + (across.middle + 128) >> 8))
    guard abs(down.width - across.width) * 3 <= down.width + across.width + 768 else { return nil }
    // If the symbol is turned, the row or the column through the middle may leave the pattern beside its lines.
    var (hasLines, isOuter) = (down.hasLines, down.isOuter || across.isOuter)
    for slope in stride(from: -1, through: 1, by: 2) where !hasLines || !isOuter {
      guard
        let aslant = square(view, PixelWalk(x: column, y: row, dx: 1, dy: slope), threshold, blockMax: blockMax)
      else { continue }
      hasLines = hasLines || aslant.hasLines
      isOuter = isOuter || aslant.isOuter
    }
    guard hasLines else { return nil }
    return HanXinPattern(
      center: SubpixelPoint(x: x * 256 + across.middle, y: y * 256 + down.middle),
      module: (down.width + across.width) / 6, isOuter: isOuter)
  }

  /// Measures the square at the start of a walk along its line, both ways: its middle from the start, and its width, in 1/256
  /// steps; and whether light and dark lines follow on one side.
  private func square(
    _ view: LumaView, _ walk: PixelWalk, _ threshold: Threshold, blockMax: Int
  ) -> (middle: Int, width: Int, hasLines: Bool, isOuter: Bool)? {
    var ends: [2 of Int] = .init(repeating: 0)
    var steps: [2 of Int] = .init(repeating: 0)
    for side in 0..<2 {
      let line = PixelLine(view, side == 0 ? walk.reversed : walk, threshold)
      guard line.value(0) < 0, let step = line.change(after: 0, within: blockMax) else { return nil }
      ends[side] = line.crossing(before: step)
      steps[side] = step
    }
    let block = ends[0] + ends[1]
    // Runs may deviate by half a module and a pixel.
    let slack = block / 6 + 256
    var (hasLines, isOuter) = (false, false)
    for side in 0..<2 {
      let line = PixelLine(view, side == 0 ? walk.reversed : walk, threshold)
      var (last, place) = (steps[side], ends[side])
      var isRegular = true
      // Light, dark, light and dark: the last crossing ends the outer line.
      for _ in 0..<4 where isRegular {
        guard let next = line.change(after: last, within: blockMax) else {
          isRegular = false
          break
        }
        let crossing = line.crossing(before: next)
        isRegular = abs(crossing - place - block / 3) <= slack
        (last, place) = (next, crossing)
      }
      guard isRegular else { continue }
      hasLines = true
      // The quiet zone has three modules.
      if line.change(after: last, within: block * 2 / (3 * 256)) == nil { isOuter = true }
    }
    return ((ends[1] - ends[0]) / 2, block, hasLines, isOuter)
  }

  /// Keeps the patterns that were found in as many rows as a third of their square has, and the tallest of these.
  private mutating func keepTall() {
    var kept = 0
    for index in 0..<count where patterns[index].rowCount * HanXinFinder.rowStep * 256 >= patterns[index].module {
      let pattern = patterns[index]
      var place = kept
      while place > 0, patterns[place - 1].rowCount < pattern.rowCount {
        if place < HanXinFinder.keptCountMax { patterns[place] = patterns[place - 1] }
        place -= 1
      }
      if place < HanXinFinder.keptCountMax {
        patterns[place] = pattern
        kept = min(kept + 1, HanXinFinder.keptCountMax)
      }
    }
    count = kept
  }

  /// Adds a pattern, or joins it to a known one at its place.
  private mutating func add(_ pattern: HanXinPattern) {
    if pattern.isOuter {
      HanXinFinder.add(pattern, to: patterns, count: &count)
    } else {
      HanXinFinder.add(pattern, to: inner, count: &innerCount)
    }
  }

  private static func add(_ pattern: HanXinPattern, to list: ScratchArray<HanXinPattern>, count: inout Int) {
    for index in 0..<count {
      let known = list[index]
      guard abs(known.center.x - pattern.center.x) < known.module, abs(known.center.y - pattern.center.y) < known.module
      else { continue }
      list[index] = HanXinPattern(
        center: SubpixelPoint(
          x: (known.center.x * 3 + pattern.center.x) / 4, y: (known.center.y * 3 + pattern.center.y) / 4),
        module: (known.module * 3 + pattern.module) / 4, rowCount: known.rowCount + 1, isOuter: known.isOuter)
      return
    }
    guard count < list.count else { return }
    list[count] = pattern
    count += 1
  }
}
