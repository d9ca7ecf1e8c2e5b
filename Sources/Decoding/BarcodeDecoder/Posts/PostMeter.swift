// Measures bars of equal distance in a region: a line with the mean of all its rows shows where they are, and a column through
// each of them where it ends.

import BarcodeTypes

/// Measures the bars of regions. Its memory serves one region after another.
@safe struct PostMeter {
  /// The least number of bars of a symbol.
  private static let barCountMin = 4
  /// The greatest height of a region, in pixels; larger symbols are read in a reduced picture.
  private static let heightMax = 120
  /// Rows beyond a region's tiles on either side that may belong to its bars, in pixels.
  private static let marginRows = 8
  /// How far a line extends beyond its region on either side, in lengths of the region, which may be a part of the symbol.
  private static let overhangLengths = 2
  /// The least distance between bars, in samples times 256: two pixels.
  private static let pitchMin: Int32 = 4 << 8
  /// The least distance whose proportions can be measured, in samples times 256: three and a half pixels.
  private static let exactPitchMin: Int32 = 7 << 8
  /// How much the distance of bars may change from one to the next, as its divisor.
  private static let pitchDivisor: Int32 = 4
  /// Free space at the ends of a symbol, in halves of the distance between bars.
  private static let quietHalves: Int32 = 3
  /// The least difference between paper and a bar, in grey levels.
  private static let contrastMin = 24
  /// Half a pixel, times 65536.
  private static let half = 1 << 15
  /// How often the slope is measured against the heights that it leaves.
  private static let slopeRounds = 3
  /// White, as the sum of three places.
  private static let paper: Int32 = 3 * 255
  /// The work units of a place in a column.
  private static let placeWork = 2

  /// The places of the bars on the line, in samples times 256.
  private let places: ScratchArray<Int32>
  /// Where the bars end, in pixels times 256 from the line along the bars.
  private let tops: ScratchArray<Int32>
  private let bottoms: ScratchArray<Int32>
  private let column: ScratchArray<Int32>
  private let states: ScratchArray<UInt8>

  /// A run of bars in equal distances.
  private struct Run {
    var count = 0
    /// The half width of a bar, in samples times 256.
    var halfWidth: Int32 = 0
    /// Whether bars and spaces are equally wide, between wide free spaces.
    var isExact = false
  }

  /// Bars with the corners of their symbol, in pixels of the picture times 65536.
  struct Found {
    let bars: PostBars
    let corners: [4 of (x: Int, y: Int)]
  }

  init(arena: inout Arena) throws(ArenaFull) {
    places = try ScratchArray(PostBars.barCountMax, arena: &arena)
    tops = try ScratchArray(PostBars.barCountMax, arena: &arena)
    bottoms = try ScratchArray(PostBars.barCountMax, arena: &arena)
    column = try ScratchArray(2 * (PostMeter.heightMax + 2 * PostMeter.marginRows) + 2, arena: &arena)
    states = try ScratchArray(PostBars.barCountMax, arena: &arena)
  }

  /// Measures the bars in a scan's region, which may be part of a symbol. Returns nil if the bars are not equally spaced or have too
  /// many different heights.
  func measure(_ scan: inout RegionScan, _ scene: inout Scene) -> Found? {
    let known = scan.region
    defer { scan.region = known }
    // The region's slant was measured for bars of equal height; bars of unequal height make it uncertain.
    scan.region.straighten()
    let region = scan.region
    let height = region.height >> 16
    guard height <= PostMeter.heightMax, region.length >= region.height else { return nil }
    let middle = (region.vMin + region.vMax) / 2
    let look = scan.sample(
      LineID(.posts, 0), v: middle, slope: 0, overhang: 0, rowCount: max(PostMeter.marginRows, height / 2), &scene)
    guard let look else { return nil }
    scan.findEdges(look, by: .vertex)
    guard hasEqualDistances(scan.row) else { return nil }
    let line = scan.sample(
      LineID(.posts, 1), v: middle, slope: 0,
      overhang: max(RegionScan.overhangMin, PostMeter.overhangLengths * region.length),
      rowCount: height + PostMeter.marginRows, &scene)
    guard let line else { return nil }
    scan.findEdges(line, by: .vertex)
    let run = findRun(scan.row)
    guard run.count >= PostMeter.barCountMin else { return nil }
    let reach = height / 2 + 2 * PostMeter.marginRows
    guard scene.budget.spend(run.count * reach * PostMeter.placeWork) else { return nil }
    var isAlone = true
    for bar in 0..<run.count {
      guard let hasNeighbour = measure(bar, run, line, scan, reach: reach) else { return nil }
      if hasNeighbour { isAlone = false }
    }
    var kind = classify(run.count)
    if kind == nil {
      removeSlope(run.count)
      kind = classify(run.count)
    }
    guard let kind else { return nil }
    let bars = PostBars(
      states: states, count: run.count, kind: kind, isExact: run.isExact && isAlone && hasExactHalves(run.count),
      isUpright: scan.row.isUpright)
    return Found(bars: bars, corners: corners(run, line, scan))
  }

  // MARK: Places

  /// Whether at least half of the bars of a row have equal distances.
  private func hasEqualDistances(_ row: ElementRow) -> Bool {
    let first = row.beginsDark ? 0 : 1
    guard first + 2 * PostMeter.barCountMin <= row.count + 1 else { return false }
    var (equal, other) = (0, 0)
    var before: Int32 = 0
    for bar in stride(from: first, to: row.count - 3, by: 2) {
      let distance = center(row, bar + 2) - center(row, bar)
      if abs(distance - before) * PostMeter.pitchDivisor < distance { equal += 1 } else { other += 1 }
      before = distance
    }
    return equal >= other
  }

  /// Finds the longest run of bars in equal distances, with free space on both sides, and notes their places.
  private func findRun(_ row: ElementRow) -> Run {
    var best: (first: Int, count: Int) = (0, 0)
    var first = row.beginsDark ? 0 : 1
    while first + 3 < row.count {
      var bar = first
      let pitch = center(row, first + 2) - center(row, first)
      var distance = pitch
      while bar + 3 < row.count, bar - first < 2 * (PostBars.barCountMax - 1) {
        let next = center(row, bar + 2) - center(row, bar)
        guard abs(next - distance) * PostMeter.pitchDivisor < distance else { break }
        distance = next
        bar += 2
      }
      let count = (bar - first) / 2 + 1
      if count > best.count, pitch >= PostMeter.pitchMin, 2 * row.gapBefore(first) > PostMeter.quietHalves * pitch,
        2 * row.gapAfter(bar + 1) > PostMeter.quietHalves * distance
      {
        best = (first, count)
      }
      first = max(bar, first + 2)
    }
    var sum: Int32 = 0
    for bar in 0..<best.count {
      places[bar] = center(row, best.first + 2 * bar)
      sum += row.width(best.first + 2 * bar)
    }
    return Run(
      count: best.count, halfWidth: sum / Int32(truncatingIfNeeded: max(1, 2 * best.count)),
      isExact: isExact(row, best.first, best.count))
  }

  /// Whether bars and spaces have the same width, within a quarter, and distances differ by at most an eighth, between free spaces of
  /// three distances.
  private func isExact(_ row: ElementRow, _ first: Int, _ count: Int) -> Bool {
    guard count > 1 else { return false }
    let last = first + 2 * (count - 1)
    let pitch = (center(row, last) - center(row, first)) / Int32(truncatingIfNeeded: count - 1)
    guard pitch >= PostMeter.exactPitchMin else { return false }
    for bar in 0..<count {
      let width = row.width(first + 2 * bar)
      guard 8 * width > 3 * pitch, 8 * width < 5 * pitch else { return false }
      if bar > 0 { guard 8 * abs(places[bar] - places[bar - 1] - pitch) <= pitch else { return false } }
    }
    return row.seenGapBefore(first) >= 3 * pitch && row.seenGapAfter(last + 1) >= 3 * pitch
  }

  private func center(_ row: ElementRow, _ bar: Int) -> Int32 { (row.edge(bar) + row.edge(bar + 1)) / 2 }

  // MARK: Heights

  /// Measures where a bar ends. Returns whether anything dark is above or below it within `reach` pixels of the line; nil if the bar
  /// does not stand out from its paper, or does not end there.
  private func measure(_ bar: Int, _ run: Run, _ line: RegionLine, _ scan: RegionScan, reach: Int) -> Bool? {
    let middle = line.scan.point(at: Int(places[bar]))
    let before = line.scan.point(at: Int(places[bar] - run.halfWidth / 2))
    let after = line.scan.point(at: Int(places[bar] + run.halfWidth / 2))
    let direction = scan.region.bars(at: middle)
    let (cosine, sine) = (Int(direction.cosine.bits), Int(direction.sine.bits))
    var (darkest, lightest) = (Int32.max, Int32.min)
    var darkestPlace = 0
    for place in 0...(2 * reach) {
      let (x, y) = ((place - reach) * cosine, (place - reach) * sine)
      // The paper continues beyond the picture's border.
      guard isInside(scan.luma, middle.x + x, middle.y + y) else {
        column[place] = PostMeter.paper
        continue
      }
      var sum = interpolated(scan.luma, (middle.x + x) >> 8, (middle.y + y) >> 8)
      sum += interpolated(scan.luma, (before.x + x) >> 8, (before.y + y) >> 8)
      sum += interpolated(scan.luma, (after.x + x) >> 8, (after.y + y) >> 8)
      let grey = Int32(truncatingIfNeeded: sum)
      column[place] = grey
      if grey < darkest { (darkest, darkestPlace) = (grey, place) }
      lightest = max(lightest, grey)
    }
    // Each place is the sum of three.
    guard Int(lightest - darkest) >= 3 * PostMeter.contrastMin else { return nil }
    let limit = (lightest + darkest) / 2
    var (top, bottom) = (darkestPlace, darkestPlace)
    while top > 0, column[top - 1] < limit { top -= 1 }
    while bottom < 2 * reach, column[bottom + 1] < limit { bottom += 1 }
    guard top > 0, bottom < 2 * reach else { return nil }
    let origin = Int32(truncatingIfNeeded: reach) << 8
    tops[bar] =
      Int32(truncatingIfNeeded: top) << 8 - ((limit - column[top]) << 8) / (column[top - 1] - column[top]) - origin
    bottoms[bar] =
      Int32(truncatingIfNeeded: bottom) << 8 + ((limit - column[bottom]) << 8) / (column[bottom + 1] - column[bottom])
      - origin
    for place in 0...(2 * reach) where (place < top || place > bottom) && column[place] < limit { return true }
    return false
  }

  private func isInside(_ luma: LumaView, _ x: Int, _ y: Int) -> Bool {
    x > -PostMeter.half && y > -PostMeter.half && x < luma.width << 16 - PostMeter.half
      && y < luma.height << 16 - PostMeter.half
  }

  /// Whether no bar ends farther than a tenth of the symbol's height from its top, its bottom or half-way between them.
  private func hasExactHalves(_ count: Int) -> Bool {
    var (highest, lowest) = (Int32.max, Int32.min)
    for bar in 0..<count {
      highest = min(highest, tops[bar])
      lowest = max(lowest, bottoms[bar])
    }
    let middle = (highest + lowest) / 2
    let deviationMax = max((lowest - highest) / 10, 128)
    func isNear(_ value: Int32, _ end: Int32) -> Bool {
      abs(value - end) <= deviationMax || abs(value - middle) <= deviationMax
    }
    for bar in 0..<count {
      guard isNear(tops[bar], highest), isNear(bottoms[bar], lowest) else { return false }
    }
    return true
  }

  /// Removes the slope of the line against the bars: first that of their middles, in which long and short bars differ, then that of
  /// the differences from the heights found so far.
  private func removeSlope(_ count: Int) {
    removeSlope(count) { Int(tops[$0] + bottoms[$0]) / 2 }
    for _ in 0..<PostMeter.slopeRounds {
      let (top, bottom) = (split(tops, count), split(bottoms, count))
      removeSlope(count) { Int(tops[$0] - top.near(tops[$0]) + bottoms[$0] - bottom.near(bottoms[$0])) / 2 }
    }
  }

  private func removeSlope(_ count: Int, of height: (Int) -> Int) {
    var (moment, square) = (0, 0)
    for bar in 0..<count {
      let place = 2 * bar - (count - 1)
      moment += place * height(bar)
      square += place * place
    }
    for bar in 0..<count {
      let offset = Int32(truncatingIfNeeded: moment * (2 * bar - (count - 1)) / max(1, square))
      tops[bar] -= offset
      bottoms[bar] -= offset
    }
  }

  /// Two heights, or one.
  private struct Heights {
    /// The means of the smaller and of the greater values.
    var low: Int32
    var high: Int32
    /// The difference of the greatest value and the smallest.
    let extent: Int32
    var isSplit = false

    func isHigh(_ value: Int32) -> Bool { 2 * value > low + high }

    /// The mean that a value is nearer to.
    func near(_ value: Int32) -> Int32 { isHigh(value) ? high : low }
  }

  /// The means of the values below and above the middle of all.
  private func split(_ values: ScratchArray<Int32>, _ count: Int) -> Heights {
    var (least, most) = (Int32.max, Int32.min)
    for bar in 0..<count {
      least = min(least, values[bar])
      most = max(most, values[bar])
    }
    var heights = Heights(low: least, high: most, extent: most - least)
    var sums: (low: Int32, high: Int32) = (0, 0)
    var counts: (low: Int32, high: Int32) = (0, 0)
    for bar in 0..<count {
      if heights.isHigh(values[bar]) {
        sums.high += values[bar]
        counts.high += 1
      } else {
        sums.low += values[bar]
        counts.low += 1
      }
    }
    if counts.low > 0, counts.high > 0 { (heights.low, heights.high) = (sums.low / counts.low, sums.high / counts.high) }
    return heights
  }

  /// The heights at which bars end; nil if they are more than two.
  private func heights(_ values: ScratchArray<Int32>, _ count: Int, total: Int32) -> Heights? {
    var heights = split(values, count)
    heights.isSplit = 4 * heights.extent > total
    guard heights.isSplit else { return 6 * heights.extent < total + 3 << 8 ? heights : nil }
    // A quarter of their difference, or half a pixel.
    let deviationMax = max((heights.high - heights.low) / 4, 128)
    for bar in 0..<count {
      guard abs(values[bar] - heights.near(values[bar])) <= deviationMax else { return nil }
    }
    return heights
  }

  /// Finds the states of the bars by their ends, and which states a bar can have; nil if the heights are not of few kinds.
  private func classify(_ count: Int) -> PostBars.Kind? {
    var (highest, lowest) = (Int32.max, Int32.min)
    for bar in 0..<count {
      highest = min(highest, tops[bar])
      lowest = max(lowest, bottoms[bar])
    }
    let total = lowest - highest
    guard let top = heights(tops, count, total: total), let bottom = heights(bottoms, count, total: total),
      top.isSplit || bottom.isSplit
    else { return nil }
    for bar in 0..<count {
      let isTall = top.isSplit && !top.isHigh(tops[bar])
      let isDeep = bottom.isSplit && bottom.isHigh(bottoms[bar])
      states[bar] = (isTall ? PostBars.ascender : 0) | (isDeep ? PostBars.descender : 0)
    }
    guard top.isSplit, bottom.isSplit else { return .twoStates }
    // The middle piece that all bars have in common is a quarter of the height.
    return 8 * (bottom.low - top.high) > total ? .fourStates : .twoTracks
  }

  // MARK: Corners

  /// The corners of the bars.
  private func corners(_ run: Run, _ line: RegionLine, _ scan: RegionScan) -> [4 of (x: Int, y: Int)] {
    var (top, bottom) = (Int32.max, Int32.min)
    for bar in 0..<run.count {
      top = min(top, tops[bar])
      bottom = max(bottom, bottoms[bar])
    }
    func corner(_ position: Int32, _ height: Int32) -> (x: Int, y: Int) {
      let place = line.scan.point(at: Int(position))
      let direction = scan.region.bars(at: place)
      return (
        place.x + (Int(direction.cosine.bits) * Int(height)) >> 8, place.y + (Int(direction.sine.bits) * Int(height)) >> 8
      )
    }
    let (start, end) = (places[0] - run.halfWidth, places[run.count - 1] + run.halfWidth)
    return [corner(start, top), corner(end, top), corner(end, bottom), corner(start, bottom)]
  }
}
