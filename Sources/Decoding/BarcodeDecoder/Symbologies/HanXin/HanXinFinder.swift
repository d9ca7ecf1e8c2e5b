// The position detection patterns of Han Xin Code. A pattern has a square of three modules in its inner corner; on the way from there
// to the symbol's sides, lines cross light, dark, light and dark runs of one module. Rows of a rotated symbol may miss these runs, so
// the search looks for a square first, and then follows lines in eight directions.

import BarcodeTypes

/// A direction in the picture, in pixels.
struct PixelStep: BitwiseCopyable {
  var dx = 0
  var dy = 0

  static func + (a: PixelStep, b: PixelStep) -> PixelStep { PixelStep(dx: a.dx + b.dx, dy: a.dy + b.dy) }
}

/// The dark run at the start of a walk, both ways.
private struct DarkSpan {
  let walk: PixelWalk
  /// The greatest width of a run, in steps.
  let widthMax: Int
  /// Where the run ends backward and forward, in 1/256 steps, and in whole ones.
  private(set) var ends: [2 of Int] = .init(repeating: 0)
  private(set) var steps: [2 of Int] = .init(repeating: 0)

  /// Nil if the start is light, or the run too wide.
  init?(_ view: LumaView, _ walk: PixelWalk, _ threshold: Threshold, widthMax: Int) {
    self.walk = walk
    self.widthMax = widthMax
    for side in 0..<2 {
      let line = PixelLine(view, side == 0 ? walk.reversed : walk, threshold)
      guard line.value(0) < 0, let step = line.change(after: 0, within: widthMax) else { return nil }
      ends[side] = line.crossing(before: step)
      steps[side] = step
    }
  }

  /// The middle from the start, and the width, in 1/256 steps.
  var middle: Int { (ends[1] - ends[0]) / 2 }
  var width: Int { ends[0] + ends[1] }
}

/// The lines that follow a pattern's square.
private struct PatternLines {
  /// The number of spans with lines on a side.
  private(set) var count = 0
  /// Whether light paper follows them on one side.
  private(set) var isOuter = false
  /// The sum of the directions in which they lie.
  private(set) var outward = PixelStep()

  /// Looks for lines on both sides of the square's span.
  mutating func add(_ square: DarkSpan, _ view: LumaView, _ threshold: Threshold) {
    let block = square.width
    // Runs may deviate by half a module and a pixel.
    let slack = block / 6 + 256
    var hasLines = false
    for side in 0..<2 {
      let walk = side == 0 ? square.walk.reversed : square.walk
      let line = PixelLine(view, walk, threshold)
      var (last, place) = (square.steps[side], square.ends[side])
      var isRegular = true
      // Light, dark, light and dark: the last crossing ends the outer line.
      for _ in 0..<4 where isRegular {
        guard let next = line.change(after: last, within: square.widthMax) else {
          isRegular = false
          break
        }
        let crossing = line.crossing(before: next)
        isRegular = abs(crossing - place - block / 3) <= slack
        (last, place) = (next, crossing)
      }
      guard isRegular else { continue }
      hasLines = true
      outward = outward + PixelStep(dx: walk.dx, dy: walk.dy)
      // The quiet zone has three modules.
      if line.change(after: last, within: block * 2 / (3 * 256)) == nil { isOuter = true }
    }
    if hasLines { count += 1 }
  }
}

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
  /// The sum of the directions in which its lines lie, in steps of a pixel.
  var outward: PixelStep

  /// How far its lines lie in a direction, times the direction's length: the mean of its rows.
  func outward(_ x: Int, _ y: Int) -> Int { (outward.dx * x + outward.dy * y) / rowCount }
}

/// Finds the patterns of a picture.
@safe struct HanXinFinder {
  /// The most patterns; a symbol has four, and data look like others.
  static let countMax = 256
  /// The distance of searched rows, in pixels: the square of a pattern with modules of a pixel and a half has two of them.
  private static let rowStep = 2
  /// The most patterns that are combined, those that most rows show.
  private static let keptCountMax = 24
  /// Least number of directions, of a row, a column and two diagonals, that cross the lines.
  private static let lineCountMin = 2
  /// Least width of the square, in pixels.
  private static let blockMin = 4

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
      guard budget.spend(view.width / 64 + edges.count / 2 + 1) else { return }
      guard edges.count > 1 else { continue }
      for first in stride(from: 0, to: edges.count - 1, by: 2) {
        if let pattern = pattern(edges, first, y, view, thresholds) { add(pattern) }
      }
    }
    keepTall()
  }

  /// The pattern whose square contains a dark run of a row. Returns nil if the run belongs to no pattern.
  private func pattern(
    _ edges: borrowing RowEdges, _ run: Int, _ y: Int, _ view: LumaView, _ thresholds: ThresholdMap
  ) -> HanXinPattern? {
    let (start, end) = (Int(edges.places[run]), Int(edges.places[run + 1]))
    let block = end - start
    guard block >= HanXinFinder.blockMin else { return nil }
    let x = (start + end) / 2
    let threshold = Threshold(value: Int(thresholds.values[(y >> 3) * thresholds.columns + x >> 3]), isInverted: false)
    // A square is as high as wide.
    guard HanXinFinder.isHigh(view, x: x, y: y, block: block, threshold) else { return nil }
    // The middle of the column's run, then of the row's run through that, then again of the column's.
    func span(_ x: Int, _ y: Int, _ dx: Int, _ dy: Int) -> DarkSpan? {
      DarkSpan(view, PixelWalk(x: x, y: y, dx: dx, dy: dy), threshold, widthMax: 2 * block)
    }
    guard let first = span(x, y, 0, 1) else { return nil }
    var row = max(0, min(view.height - 1, y + (first.middle + 128) >> 8))
    guard let across = span(x, row, 1, 0) else { return nil }
    let column = max(0, min(view.width - 1, x + (across.middle + 128) >> 8))
    guard let down = span(column, row, 0, 1), abs(down.width - across.width) * 3 <= down.width + across.width + 768
    else { return nil }
    var lines = PatternLines()
    lines.add(down, view, threshold)
    lines.add(across, view, threshold)
    let center = SubpixelPoint(x: x * 256 + across.middle, y: row * 256 + down.middle)
    row = max(0, min(view.height - 1, (center.y + 128) >> 8))
    // If the symbol is turned, some lines through the middle leave the pattern beside its lines.
    for slope in stride(from: -1, through: 1, by: 2) where lines.count < HanXinFinder.lineCountMin || !lines.isOuter {
      if let aslant = span(column, row, 1, slope) { lines.add(aslant, view, threshold) }
    }
    guard lines.count >= HanXinFinder.lineCountMin else { return nil }
    return HanXinPattern(
      center: center, module: (down.width + across.width) / 6, isOuter: lines.isOuter, outward: lines.outward)
  }

  /// Whether the dark run through a pixel of a column reaches a quarter of the row's run up or down.
  private static func isHigh(_ view: LumaView, x: Int, y: Int, block: Int, _ threshold: Threshold) -> Bool {
    func isDark(_ y: Int) -> Bool { unsafe y >= 0 && y < view.height && Int(view.place(x, y)[0]) < threshold.value }
    return isDark(y - block / 4) || isDark(y + block / 4)
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
        module: (known.module * 3 + pattern.module) / 4, rowCount: known.rowCount + 1, isOuter: known.isOuter,
        outward: known.outward + pattern.outward)
      return
    }
    guard count < list.count else { return }
    list[count] = pattern
    count += 1
  }
}
