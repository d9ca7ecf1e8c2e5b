// The second way from an L to the grid of its symbol, for still pictures. It follows both arms to their ends, and searches
// from there for the lines along which modules alternate. The number of their edges gives the size, and their positions give
// the width of each column and the height of each row, for labels around a bottle and for unevenly stretched pictures.

import BarcodeTypes

/// Follows finder patterns in one picture.
@safe struct DataMatrixTimingTrace {
  /// The minimum number of modules of the longer side: few modules alternate by chance.
  private static let sideMin = 14
  /// The number of directions of a timing side tried to either side of that of the opposite arm. Each one moves the end of
  /// the side by half a module: 33 degrees in all for 14 modules, 9 for 48.
  private static let turnMax = 16
  /// The maximum number of samples of a line, at six per module, and the number of samples before its beginning.
  private static let sampleCountMax = 1536
  private static let lead = 4

  private let samples: ScratchArray<Int32>
  /// The starts of modules on the current line, and on the best line of either side, in 1/256 pixels along it.
  private let edges: ScratchArray<Int32>
  private let top: ScratchArray<Int32>
  private let side: ScratchArray<Int32>

  init(arena: inout Arena) throws(ArenaFull) {
    let edgeCount = DataMatrixTables.sideMax + 2
    samples = try ScratchArray(DataMatrixTimingTrace.sampleCountMax, arena: &arena)
    edges = try ScratchArray(edgeCount, arena: &arena)
    top = try ScratchArray(edgeCount, arena: &arena)
    side = try ScratchArray(edgeCount, arena: &arena)
  }

  /// A direction of length 2^14.
  private struct Direction: BitwiseCopyable {
    var x: Int
    var y: Int

    init(x: Int, y: Int) {
      let length = max(1, Int(integerRoot(UInt64(x * x + y * y))))
      self.x = (x << 14) / length
      self.y = (y << 14) / length
    }

    /// The point at a distance, in 1/256 pixels, from another one in this direction.
    @inline(__always) func from(_ point: SubpixelPoint, _ length: Int) -> SubpixelPoint {
      SubpixelPoint(x: point.x &+ (x &* length) >> 14, y: point.y &+ (y &* length) >> 14)
    }
  }

  /// The levels of an arm and of the paper next to it; light is always the greater value.
  private struct Levels: BitwiseCopyable {
    var dark: Int
    var light: Int
    var sign: Int

    var middle: Int { (dark + light) / 2 }
  }

  /// A line beside an arm's end along which modules may alternate.
  private struct TimingLine {
    let view: LumaView
    /// Towards the symbol.
    let inward: Direction
    /// The length of a module along the line, and the distance of the line from the symbol's side, in 1/256 pixels.
    let module: Int
    let depth: Int
    let levels: Levels

    /// The value across the line at a place on it.
    func sample(_ place: SubpixelPoint) -> Int32 {
      guard place.x >= 0, place.y >= 0, place.x < view.width << 8, place.y < view.height << 8 else {
        return Int32(levels.light)
      }
      let upper = inward.from(place, -depth / 3)
      let lower = inward.from(place, depth / 3)
      let sum =
        interpolated(view, upper.x, upper.y) + interpolated(view, place.x, place.y) * 2
        + interpolated(view, lower.x, lower.y)
      return Int32(sum * levels.sign / 4)
    }
  }

  /// A side along which modules alternate.
  private struct TimingSide: BitwiseCopyable {
    var origin: SubpixelPoint
    var direction: Direction
    var moduleCount: Int
  }

  /// The grid of a pattern whose arms are some pixels thick; nil if no size matches the alternating modules.
  ///
  /// - Parameters: moduleUp, moduleRight: the thickness of the arms, as lengths along the other arm, in 1/256 pixels.
  func candidate(
    _ pattern: DataMatrixFinderPattern, moduleUp: Int, moduleRight: Int, _ view: LumaView, budget: inout WorkBudget
  ) -> DataMatrixCandidate? {
    let up = Direction(x: pattern.up.x - pattern.corner.x, y: pattern.up.y - pattern.corner.y)
    let right = Direction(x: pattern.right.x - pattern.corner.x, y: pattern.right.y - pattern.corner.y)
    let sign = pattern.isInverted ? -1 : 1
    guard budget.spend(500),
      let upEnd = armEnd(view, pattern.corner, along: up, inward: right, thickness: moduleRight, sign: sign),
      let rightEnd = armEnd(view, pattern.corner, along: right, inward: up, thickness: moduleUp, sign: sign)
    else { return nil }
    let levels = upEnd.levels
    let topSide = timingSide(
      TimingLine(
        view: view, inward: Direction(x: -up.x, y: -up.y), module: moduleRight, depth: moduleUp / 2, levels: levels),
      from: upEnd.end, near: right, length: distance(pattern.corner, rightEnd.end), into: top, &budget)
    let rightSide = timingSide(
      TimingLine(
        view: view, inward: Direction(x: -right.x, y: -right.y), module: moduleUp, depth: moduleRight / 2, levels: levels),
      from: rightEnd.end, near: up, length: distance(pattern.corner, upEnd.end), into: side, &budget)
    let ends = SubpixelQuad(
      topLeft: upEnd.end, topRight: upEnd.end, bottomRight: rightEnd.end, bottomLeft: pattern.corner)
    if let topSide, let rightSide, let opposite = crossing(topSide, rightSide),
      let found = candidate(ends, opposite, topSide, rightSide, columns: topSide.moduleCount, rows: rightSide.moduleCount)
    {
      return found
    }
    // One side is enough if a size has its number of modules and about the measured aspect ratio.
    if let topSide {
      let opposite = topSide.direction.from(topSide.origin, Int(top[topSide.moduleCount]))
      let rows = fittingCount(
        topSide.moduleCount, counted: distance(pattern.corner, rightEnd.end), other: distance(pattern.corner, upEnd.end))
      if let found = candidate(ends, opposite, topSide, nil, columns: topSide.moduleCount, rows: rows) { return found }
    }
    guard let rightSide else { return nil }
    let opposite = rightSide.direction.from(rightSide.origin, Int(side[rightSide.moduleCount]))
    let columns = fittingCount(
      rightSide.moduleCount, counted: distance(pattern.corner, upEnd.end), other: distance(pattern.corner, rightEnd.end))
    return candidate(ends, opposite, nil, rightSide, columns: columns, rows: rightSide.moduleCount)
  }

  /// The number of modules on the other side of a size with `count` modules on one side, by the lengths of both; 0 if no
  /// size fits within a third.
  private func fittingCount(_ count: Int, counted length: Int, other: Int) -> Int {
    let expected = count * other * 256 / max(1, length)
    var best = 0
    for index in 0..<DataMatrixTables.sizeCount {
      let size = DataMatrixTables.size(index)
      guard size.columns == count || size.rows == count else { continue }
      let modules = size.columns == count ? size.rows : size.columns
      guard abs(modules * 256 - expected) * 3 < expected else { continue }
      if abs(modules * 256 - expected) < abs(best * 256 - expected) { best = modules }
    }
    return best
  }

  /// The grid of the size with these numbers of modules, if there is one.
  private func candidate(
    _ ends: SubpixelQuad, _ opposite: SubpixelPoint, _ topSide: TimingSide?, _ rightSide: TimingSide?, columns: Int,
    rows: Int
  ) -> DataMatrixCandidate? {
    guard max(columns, rows) >= DataMatrixTimingTrace.sideMin else { return nil }
    var quad = ends
    quad.topRight = opposite
    for index in 0..<DataMatrixTables.sizeCount {
      let size = DataMatrixTables.size(index)
      if size.columns == columns, size.rows == rows {
        return candidate(index, quad, top: (topSide, top), right: (rightSide, side), isMirrored: false)
      }
      if size.columns == rows, size.rows == columns {
        quad.topLeft = ends.bottomRight
        quad.bottomRight = ends.topLeft
        return candidate(index, quad, top: (rightSide, side), right: (topSide, top), isMirrored: true)
      }
    }
    return nil
  }

  /// Follows an arm from the corner along its outer edge to the point where it turns light.
  private func armEnd(
    _ view: LumaView, _ corner: SubpixelPoint, along: Direction, inward: Direction, thickness: Int, sign: Int
  ) -> (end: SubpixelPoint, levels: Levels)? {
    func value(_ position: Int, _ depth: Int) -> Int {
      interpolated(
        view, along.from(inward.from(corner, depth), position).x, along.from(inward.from(corner, depth), position).y)
        &* sign
    }
    // The levels of the arm and the paper, over the modules next to the corner.
    var levels = Levels(dark: 0, light: 0, sign: sign)
    for place in 1...8 {
      levels.dark += value(place * thickness / 2, thickness / 2)
      levels.light += value(place * thickness / 2, -thickness)
    }
    levels.dark /= 8
    levels.light /= 8
    let contrast = levels.light - levels.dark
    guard contrast >= 16 else { return nil }
    var edge = 0
    var position = thickness
    var last = 0
    var lastEdge = 0
    while position - last <= thickness * 5 / 4 {
      let place = along.from(inward.from(corner, edge), position)
      guard place.x >= 0, place.y >= 0, place.x < view.width << 8, place.y < view.height << 8 else { break }
      if value(position, edge + thickness / 2) < levels.middle {
        last = position
        // If the edge position is light, the edge is further in.
        let error = max(-contrast / 2, min(contrast / 2, value(position, edge) - levels.middle))
        edge += error * thickness / (8 * contrast)
        lastEdge = edge
      }
      position += 128
    }
    guard last > 6 * thickness else { return nil }
    return (along.from(inward.from(corner, lastEdge), last), levels)
  }

  /// The line from an arm's end along which modules alternate most often and evenly; stores its edges in `target`.
  private func timingSide(
    _ line: TimingLine, from origin: SubpixelPoint, near: Direction, length: Int, into target: ScratchArray<Int32>,
    _ budget: inout WorkBudget
  ) -> TimingSide? {
    let module = line.module
    let start = line.inward.from(origin, line.depth)
    let step = max(64, module / 6)
    let count = min(DataMatrixTimingTrace.sampleCountMax, length * 3 / (2 * step))
    // Half a module at the end, in 65536ths of a turn.
    let turnStep = max(32, min(512, module * 5215 / max(1, length)))
    let angle = Int(BinaryAngle(x: near.x, y: near.y).bits)
    func modules(_ turn: Int) -> Int {
      alternation(line, start, direction(angle + turn * turnStep / 2), count: count, step: step)
    }
    var best = 0
    var bestTurn = 0
    for place in 0...(2 * DataMatrixTimingTrace.turnMax) {
      // Straight on first, then both sides by turns.
      let turn = place & 1 == 0 ? place : -place - 1
      guard budget.spend(count / 5) else { return nil }
      let count = modules(turn)
      if count > best {
        best = count
        bestTurn = turn
      }
    }
    guard best >= 8 else { return nil }
    // The middle of the adjacent directions with the same number of modules.
    var first = bestTurn
    var last = bestTurn
    while first > bestTurn - 4, modules(first - 2) == best { first -= 2 }
    while last < bestTurn + 4, modules(last + 2) == best { last += 2 }
    let turn = modules((first + last) / 2) == best ? (first + last) / 2 : bestTurn
    guard modules(turn) == best else { return nil }
    let found = direction(angle + turn * turnStep / 2)
    for index in 0...best { target[index] = edges[index] }
    return TimingSide(origin: origin, direction: found, moduleCount: best)
  }

  private func direction(_ angle: Int) -> Direction {
    let angle = BinaryAngle(bits: UInt16(truncatingIfNeeded: angle))
    return Direction(x: Int(angle.cosine.bits), y: Int(angle.sine.bits))
  }

  /// The number of modules that alternate along a line from its beginning before it stays light, each at most twice as long
  /// as the one before, give or take a pixel; 0 if they end in another way. Sets `edges`.
  private func alternation(
    _ line: TimingLine, _ start: SubpixelPoint, _ direction: Direction, count: Int, step: Int
  ) -> Int {
    let levels = line.levels
    /// A sample; the first ones are outside the arm.
    func sample(_ index: Int) -> Int32 { line.sample(direction.from(start, (index - DataMatrixTimingTrace.lead) * step)) }
    let reach = max(2, line.module / step)
    var window: Int32 = 0
    for index in 0..<min(count, reach) {
      samples[index] = sample(index)
      window += samples[index]
    }
    var edgeCount = 0
    var before = 0
    var isDark = false
    for index in 0..<count {
      if index + reach < count {
        samples[index + reach] = sample(index + reach)
        window += samples[index + reach]
      }
      if index > reach { window -= samples[index - reach - 1] }
      let length = min(count - 1, index + reach) - max(0, index - reach) + 1
      // Half of the threshold is the local mean: single light modules among dark ones stay darker than others.
      let here = Int(samples[index]) - (levels.middle + Int(window) / length) / 2
      let position = (index - DataMatrixTimingTrace.lead) * step
      let known = edgeCount > 1 ? Int(edges[edgeCount - 1] - edges[edgeCount - 2]) : Int.max / 4
      let run = edgeCount > 0 ? position - Int(edges[edgeCount - 1]) : 0
      if run > 2 * known + 256 { break }
      if (here < 0) != isDark {
        guard index > 0, edgeCount <= DataMatrixTables.sideMax else { return 0 }
        let at = position - step + (here == before ? step / 2 : max(0, min(step, before * step / (before - here))))
        // A module much shorter than the previous one is not a module.
        if edgeCount > 1, 2 * (at - Int(edges[edgeCount - 1])) + 256 < known { return 0 }
        edges[edgeCount] = Int32(at)
        edgeCount += 1
        isDark.toggle()
      }
      before = here
    }
    // The last module is light like the paper; its length is the mean of the two before it.
    guard !isDark, edgeCount >= 8, edgeCount & 1 == 0 else { return 0 }
    edges[edgeCount] = edges[edgeCount - 1] + (edges[edgeCount - 1] - edges[edgeCount - 3]) / 2
    return edgeCount
  }

  /// The intersection of two sides.
  private func crossing(_ a: TimingSide, _ b: TimingSide) -> SubpixelPoint? {
    let cross = (a.direction.x * b.direction.y - a.direction.y * b.direction.x) >> 14
    guard abs(cross) > 4000 else { return nil }
    let x = b.origin.x - a.origin.x
    let y = b.origin.y - a.origin.y
    return a.direction.from(a.origin, (x * b.direction.y - y * b.direction.x) / cross)
  }

  /// The grid with its columns at those of the top side, and its rows at those of the right side, counted from below; a side
  /// that is nil keeps the positions of the perspective map.
  private func candidate(
    _ index: Int, _ quad: SubpixelQuad, top: (side: TimingSide?, edges: ScratchArray<Int32>),
    right: (side: TimingSide?, edges: ScratchArray<Int32>), isMirrored: Bool
  ) -> DataMatrixCandidate? {
    let size = DataMatrixTables.size(index)
    guard var grid = ModuleGrid(columns: size.columns, rows: size.rows, quad: quad, inset: 0) else { return nil }
    let flat = grid
    grid.bend(
      columns: { u in
        guard let side = top.side else { return u }
        let length = Int(top.edges[u / 256])
        return coordinate(end: size.columns * 256) { u in along(side, flat.flatPlace(u, 0)) < length }
      },
      rows: { v in
        guard let side = right.side else { return v }
        let height = Int(right.edges[size.rows - v / 256])
        return size.rows * 256
          - coordinate(end: size.rows * 256) { v in
            along(side, flat.flatPlace(size.columns * 256, size.rows * 256 - v)) < height
          }
      })
    return DataMatrixCandidate(grid: grid, sizeIndex: index, isMirrored: isMirrored, score: 0)
  }

  /// The position of a point along a side, in 1/256 pixels.
  private func along(_ side: TimingSide, _ point: SubpixelPoint) -> Int {
    ((point.x - side.origin.x) * side.direction.x + (point.y - side.origin.y) * side.direction.y) >> 14
  }

  /// The greatest coordinate up to `end` that is before a position, to 1/64 of a module.
  private func coordinate(end: Int, _ isBefore: (Int) -> Bool) -> Int {
    var low = 0
    var high = end
    while high - low > 4 {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}
