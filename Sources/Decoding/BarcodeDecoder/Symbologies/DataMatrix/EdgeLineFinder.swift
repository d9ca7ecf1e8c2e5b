// Finds straight edges: every edge pixel votes for the lines through it that agree with its gradient, and an edge is
// followed and fitted where many votes meet. An edge with gaps, in noise, or in contact with others still collects its
// votes, while contour following from pixel to pixel loses it.

import BarcodeTypes
import CVector

/// A straight edge; its normal points to the light side.
struct EdgeSegment: BitwiseCopyable {
  /// The ends, in 1/256 pixels.
  var start: SubpixelPoint
  var end: SubpixelPoint
  /// The normal, of length 2^14.
  var normalX: Int
  var normalY: Int
  /// The length in pixels that shows the edge.
  var support: Int
  /// The maximum distance of a point that counts as being at an end, in 1/256 pixels: three pixels or a sixth of the length.
  let endReach: Int

  init(start: SubpixelPoint, end: SubpixelPoint, normalX: Int, normalY: Int, support: Int) {
    self.start = start
    self.end = end
    self.normalX = normalX
    self.normalY = normalY
    self.support = support
    endReach = max(3 * 256, distance(start, end) / 6)
  }
}

/// Finds the straight edges of small pictures.
@safe struct EdgeLineFinder {
  /// The maximum number of lines stronger than their neighbours.
  private static let peakCountMax = 160
  /// The lower half of a peak's word. It holds the place counted backwards, so that of equally strong peaks the first is the
  /// greatest.
  private static let placeMask = 0xFFFF_FFFF
  /// The maximum number of lines followed, the strongest first.
  private static let lineCountMax = 48
  static let segmentCountMax = 96
  /// The maximum angle between a pixel's gradient and the normal of a line that it votes for: 7 degrees, as blur between
  /// modules turns gradients by that much.
  private static let voteReach = 5
  /// The number of those directions, rounded up to vectors of four.
  private static let voteLaneCount = 12
  /// That angle for the pixels of a followed line: 20 degrees.
  private static let followReach = 14
  /// The minimum length of a segment, in pixels.
  private static let lengthMin = 9
  /// The minimum votes for a line, see `strength`: those of the shortest segment.
  private static let strengthMin = 48

  let segments: ScratchArray<EdgeSegment>
  private(set) var count = 0
  private var edges: EdgePixels
  private let votes: ScratchArray<UInt16>
  /// Peaks, each with its strength and place, see `insertPeak`; the greatest first.
  private let peaks: ScratchArray<Int64>
  private let lines: ScratchArray<Int32>
  private let isCovered: ScratchArray<UInt8>
  /// The cosine and sine of each direction, times 2^14; the first ones are repeated after the last.
  private let directions: ScratchArray<Int16>
  private var peakCount = 0
  private var width = 0
  private var height = 0
  /// The number of distinct distances from the middle, one per pixel.
  private var offsetCount = 0

  init(arena: inout Arena) throws(ArenaFull) {
    let diagonal = CellSizes.sideMax * 3 / 2
    segments = try ScratchArray(EdgeLineFinder.segmentCountMax, arena: &arena)
    edges = try EdgePixels(arena: &arena)
    votes = try ScratchArray((EdgePixels.angleCount + 2 * EdgeLineFinder.voteReach) * diagonal, arena: &arena)
    peaks = try ScratchArray(EdgeLineFinder.peakCountMax, arena: &arena)
    lines = try ScratchArray(EdgeLineFinder.lineCountMax, arena: &arena)
    isCovered = try ScratchArray(diagonal, arena: &arena)
    directions = try ScratchArray(2 * (EdgePixels.angleCount + EdgeLineFinder.voteLaneCount), arena: &arena)
    for index in 0..<(EdgePixels.angleCount + EdgeLineFinder.voteLaneCount) {
      let angle = BinaryAngle(bits: UInt16(truncatingIfNeeded: index << 8))
      directions[2 * index] = Int16(angle.cosine.bits >> 2)
      directions[2 * index + 1] = Int16(angle.sine.bits >> 2)
    }
  }

  /// The cosine and sine of a direction of lines, times 2^14.
  private func cosine(_ angle: Int) -> Int { Int(directions[2 * angle]) }
  private func sine(_ angle: Int) -> Int { Int(directions[2 * angle + 1]) }

  /// Finds the straight edges of a picture with sides of at most `CellSizes.sideMax` pixels, the strongest first.
  mutating func find(_ view: LumaView, _ limits: EdgeLimits, budget: inout WorkBudget) {
    count = 0
    width = view.width
    height = view.height
    guard width >= 8, height >= 8, width <= CellSizes.sideMax, height <= CellSizes.sideMax,
      budget.spend(width * height / 8)
    else { return }
    offsetCount = Int(integerRoot(UInt64(width * width + height * height))) + 6
    edges.find(view, gradientMin: limits.gradientMin)
    guard edges.count * limits.areaDivisor <= width * height, budget.spend(edges.count + offsetCount * 8) else { return }
    vote()
    collectPeaks()
    budget.charge(edges.count / 8 * min(peakCount, EdgeLineFinder.lineCountMax) / 4)
    followPeaks()
  }

  /// Counts votes for lines by the direction of their normal and their distance from the middle.
  private func vote() {
    let offsetCount = offsetCount
    let reach = EdgeLineFinder.voteReach
    let angleCount = EdgePixels.angleCount
    // The rows of all directions, with copies of the last few before them and of the first few after them.
    votes.fill(0, count: (angleCount + 2 * reach) * offsetCount)
    let middle = SIMD4<Int32>(repeating: Int32(offsetCount / 2))
    for angle in 0..<angleCount {
      let first = unsafe directions.base + 2 &* ((angle &- reach) & (angleCount &- 1))
      let before = unsafe cvector_load_words(first)
      let around = unsafe cvector_load_words(first + 8)
      let after = unsafe cvector_load_words(first + 16)
      let rows = unsafe votes.base + angle &* offsetCount
      for index in Int(edges.starts[angle])..<Int(edges.starts[angle &+ 1]) {
        let x = unsafe edges.x.base[index]
        let y = unsafe edges.y.base[index]
        unsafe count(turns: 0..<4, (cvector_pair_products(before, x, y) &+ (1 << 17)) &>> 18 &+ middle, rows)
        unsafe count(turns: 4..<8, (cvector_pair_products(around, x, y) &+ (1 << 17)) &>> 18 &+ middle, rows)
        unsafe count(turns: 8..<(2 &* reach &+ 1), (cvector_pair_products(after, x, y) &+ (1 << 17)) &>> 18 &+ middle, rows)
      }
    }
    addRows(from: 0, to: angleCount, count: reach)
    addRows(from: angleCount + reach, to: reach, count: reach)
  }

  /// Adds an edge pixel's votes for lines of some of the directions around its gradient, at the offsets in the lanes;
  /// directions closer to the gradient get up to three votes.
  @inline(__always)
  @unsafe private func count(turns: Range<Int>, _ offsets: SIMD4<Int32>, _ rows: UnsafeMutablePointer<UInt16>) {
    let reach = EdgeLineFinder.voteReach
    for turn in turns {
      let place = unsafe rows + (turn &* offsetCount &+ Int(offsets[turn &- turns.lowerBound]))
      unsafe place.pointee = unsafe place.pointee &+ UInt16(truncatingIfNeeded: 1 &+ (reach &- abs(turn &- reach)) / 2)
    }
  }

  /// Adds rows of votes to other rows.
  private func addRows(from: Int, to: Int, count: Int) {
    for index in 0..<(count * offsetCount) {
      unsafe votes.base[to &* offsetCount &+ index] &+= votes.base[from &* offsetCount &+ index]
    }
  }

  /// The index of the first vote for lines whose normals have a direction.
  @inline(__always) private func rowOfVotes(_ angle: Int) -> Int { (angle &+ EdgeLineFinder.voteReach) &* offsetCount }

  /// The votes for a line and its neighbours: about four to six per pixel of length.
  @inline(__always) private func strength(_ place: Int) -> Int {
    unsafe 2 &* Int(votes.base[place]) &+ Int(votes.base[place &- 1]) &+ Int(votes.base[place &+ 1])
  }

  /// The votes for the line with a normal direction, in 1/256 turns, through a point, in 1/256 pixels.
  func strength(angle: Int, through point: SubpixelPoint) -> Int {
    let angle = angle & (EdgePixels.angleCount - 1)
    let x = point.x / 16 - width / 2 * 16
    let y = point.y / 16 - height / 2 * 16
    let offset = (x * cosine(angle) + y * sine(angle) + (1 << 17)) >> 18 + offsetCount / 2
    guard offset >= 1, offset < offsetCount - 1 else { return 0 }
    return strength(rowOfVotes(angle) + offset)
  }

  /// Collects the strongest lines that are stronger than their neighbours, in order.
  private mutating func collectPeaks() {
    peakCount = 0
    // Half of the minimum strength comes from the line itself; otherwise a neighbour is stronger.
    let least = SIMD8(repeating: Int16(EdgeLineFinder.strengthMin / 4 - 1))
    let leastStrength = SIMD8(repeating: Int16(EdgeLineFinder.strengthMin - 1))
    let votes = unsafe UnsafeRawPointer(votes.base).assumingMemoryBound(to: Int16.self)
    for angle in 0..<EdgePixels.angleCount {
      let row = unsafe votes + rowOfVotes(angle)
      let above = unsafe votes + rowOfVotes((angle &- 1) & (EdgePixels.angleCount &- 1))
      let below = unsafe votes + rowOfVotes((angle &+ 1) & (EdgePixels.angleCount &- 1))
      // Processes eight at once; reads past the end of a row continue in the next one.
      for offset in stride(from: 2, to: offsetCount - 2, by: 8) {
        let isLikely = unsafe cvector_above(cvector_load_words(row + offset), least)
        if cvector_lane_bytes(isLikely) == 0 { continue }
        let here = unsafe strengths(row + offset)
        // Of equally strong neighbours, the first one counts.
        let (left, right) = unsafe (strengths(row + offset - 1), strengths(row + offset + 1))
        let (earlier, later) = unsafe (strengths(above + offset), strengths(below + offset))
        let isBelow = cvector_above(left, here) | cvector_above(earlier, here)
        let isAbove = cvector_above(here, right) & cvector_above(here, later)
        let isPeak = isLikely & cvector_above(here, leastStrength) & isAbove & ~isBelow
        var peaks = cvector_lane_bytes(isPeak)
        while peaks != 0 {
          let lane = peaks.trailingZeroBitCount >> 3
          peaks &= ~(0xFF << UInt64(truncatingIfNeeded: lane &* 8))
          guard offset &+ lane < offsetCount &- 2 else { break }
          insertPeak(angle &* offsetCount &+ offset &+ lane, strength: Int(here[lane]))
        }
      }
    }
  }

  /// `strength` of eight consecutive places. An edge pixel has at most three votes for a line, and a pixel of a line's
  /// length has two edge pixels, so strengths stay far below the range of a word.
  @inline(__always)
  @unsafe private func strengths(_ place: UnsafePointer<Int16>) -> SIMD8<Int16> {
    let here = unsafe cvector_load_words(place)
    return unsafe cvector_load_words(place - 1) &+ here &+ here &+ cvector_load_words(place + 1)
  }

  /// Keeps a line among the strongest; of equally strong lines, the first ones.
  private mutating func insertPeak(_ place: Int, strength: Int) {
    let peak = Int64(strength) << 32 | Int64(EdgeLineFinder.placeMask - place)
    if peakCount == EdgeLineFinder.peakCountMax {
      if peaks[peakCount - 1] > peak { return }
      peakCount -= 1
    }
    var first = 0
    var end = peakCount
    while first < end {
      let middle = (first + end) / 2
      if peaks[middle] > peak { first = middle + 1 } else { end = middle }
    }
    unsafe (peaks.base + first + 1).update(from: peaks.base + first, count: peakCount - first)
    peaks[first] = peak
    peakCount += 1
  }

  /// The place of a peak among the votes, angle by angle.
  private func place(ofPeak index: Int) -> Int { EdgeLineFinder.placeMask - Int(peaks[index]) & EdgeLineFinder.placeMask }

  /// Follows the strongest lines, each once. The number of lines in similar directions is limited, so that others are not
  /// lost.
  private mutating func followPeaks() {
    var lineCount = 0
    var counts: [8 of Int] = .init(repeating: 0)
    for index in 0..<peakCount where lineCount < EdgeLineFinder.lineCountMax {
      let place = place(ofPeak: index)
      let angle = place / offsetCount
      let offset = place % offsetCount
      var isKnown = false
      for line in 0..<lineCount {
        let turn = (angle - Int(lines[line]) / offsetCount + 384) % 256 - 128
        if abs(turn) <= 4, abs(offset - Int(lines[line]) % offsetCount) <= 2 { isKnown = true }
      }
      // Directions of lines in steps of 22 degrees, the same for both normals, the first around 0.
      let way = ((angle + 8) & 127) >> 4
      if isKnown || counts[way] == EdgeLineFinder.lineCountMax / 2 { continue }
      counts[way] += 1
      lines[lineCount] = Int32(truncatingIfNeeded: place)
      lineCount += 1
      followLine(angle: angle, offset: offset)
    }
  }

  /// Fits a line twice to the edge pixels near it, and adds its segments.
  private mutating func followLine(angle: Int, offset: Int) {
    var normalX = cosine(angle)
    var normalY = sine(angle)
    // The distance from the middle, in 1/256 pixels.
    var base = (offset - offsetCount / 2) * 256
    for round in 0..<2 {
      let reach = round == 0 ? 512 : 320
      var sums: (count: Int, t: Int, d: Int, tt: Int, td: Int) = (0, 0, 0, 0, 0)
      forEachEdge(angle: angle, normalX: normalX, normalY: normalY, base: base, reach: reach) { t, d in
        sums.count &+= 1
        sums.t &+= t
        sums.d &+= d
        sums.tt &+= t &* t
        sums.td &+= t &* d
      }
      guard sums.count >= EdgeLineFinder.lengthMin / 2 else { return }
      let spread = sums.count * sums.tt - sums.t * sums.t
      guard spread > 0 else { return }
      // d = shift + slope · t, the slope in 1/2^14.
      let slope = max(-2000, min(2000, ((sums.count * sums.td - sums.t * sums.d) << 14) / spread))
      let shift = (sums.d - (slope * sums.t) >> 14) / sums.count
      // The normal turns against the slope; the tangent is (-normalY, normalX).
      let x = normalX + (slope * normalY) >> 14
      let y = normalY - (slope * normalX) >> 14
      let length = Int(integerRoot(UInt64(x * x + y * y)))
      normalX = (x << 14) / length
      normalY = (y << 14) / length
      base = ((base + shift) << 14) / length
    }
    addSegments(angle: angle, normalX: normalX, normalY: normalY, base: base)
  }

  /// Calls `body` with the positions of the edge pixels near a line, along it and across it, in 1/256 pixels from its foot.
  @inline(__always) private func forEachEdge(
    angle: Int, normalX: Int, normalY: Int, base: Int, reach: Int, _ body: (_ t: Int, _ d: Int) -> Void
  ) {
    // Tests eight at once, to a quarter of a pixel: most are far away.
    let nx = SIMD8(repeating: Int16(truncatingIfNeeded: normalX))
    let ny = SIMD8(repeating: Int16(truncatingIfNeeded: normalY))
    let foot = SIMD8(repeating: Int16(truncatingIfNeeded: base >> 6))
    let limit = SIMD8(repeating: Int16(truncatingIfNeeded: reach >> 6 &+ 3))
    for turn in -EdgeLineFinder.followReach...EdgeLineFinder.followReach {
      let bin = (angle &+ turn) & (EdgePixels.angleCount &- 1)
      let end = Int(edges.starts[bin &+ 1])
      var index = Int(edges.starts[bin])
      while index < end {
        let xs = unsafe cvector_high_products(cvector_load_words(edges.x.base + index), nx)
        let ys = unsafe cvector_high_products(cvector_load_words(edges.y.base + index), ny)
        var near = cvector_lane_bytes(cvector_within(xs &+ ys &- foot, limit))
        while near != 0 {
          let place = index &+ near.trailingZeroBitCount >> 3
          near &= ~(0xFF << UInt64(truncatingIfNeeded: (place &- index) &* 8))
          if place >= end { break }
          let x = unsafe Int(edges.x.base[place])
          let y = unsafe Int(edges.y.base[place])
          let d = (x &* normalX &+ y &* normalY) >> 10 &- base
          if abs(d) <= reach { body((y &* normalX &- x &* normalY) >> 10, d) }
        }
        index &+= 8
      }
    }
  }

  /// Adds the parts of a line that edge pixels cover. A part may have gaps of up to 5 pixels or a sixth of the length before
  /// the gap.
  private mutating func addSegments(angle: Int, normalX: Int, normalY: Int, base: Int) {
    let half = offsetCount / 2
    isCovered.fill(0, count: offsetCount)
    forEachEdge(angle: angle, normalX: normalX, normalY: normalY, base: base, reach: 300) { t, _ in
      let place = t >> 8 &+ half
      if place >= 0, place < offsetCount { isCovered[place] = 1 }
    }
    var place = 0
    // The previous runs that may belong to the same edge.
    var chain = (first: -1, last: -1, support: 0, count: 0)
    while place < offsetCount {
      if isCovered[place] == 0 {
        place += 1
        continue
      }
      let first = place
      var last = place
      var support = 0
      while place < offsetCount, place - last <= max(5, (last - first) / 6) {
        if isCovered[place] != 0 {
          last = place
          support += 1
        }
        place += 1
      }
      addRun(first: first, last: last, support: support, normalX: normalX, normalY: normalY, base: base)
      if chain.count > 0, (chain.support + support) * 5 >= (last - chain.first) * 3 {
        chain = (first: chain.first, last: last, support: chain.support + support, count: chain.count + 1)
        continue
      }
      if chain.count > 1 {
        addRun(
          first: chain.first, last: chain.last, support: chain.support, normalX: normalX, normalY: normalY, base: base)
      }
      chain = (first: first, last: last, support: support, count: 1)
    }
    if chain.count > 1 {
      addRun(first: chain.first, last: chain.last, support: chain.support, normalX: normalX, normalY: normalY, base: base)
    }
  }

  /// Adds a part of a line between two pixels, if it is long enough and half of it shows the edge.
  private mutating func addRun(first: Int, last: Int, support: Int, normalX: Int, normalY: Int, base: Int) {
    guard last - first >= EdgeLineFinder.lengthMin, support * 2 >= last - first else { return }
    let half = offsetCount / 2
    addSegment(
      from: (first - half) * 256, to: (last + 1 - half) * 256, normalX: normalX, normalY: normalY, base: base,
      support: support)
  }

  private mutating func addSegment(from: Int, to: Int, normalX: Int, normalY: Int, base: Int, support: Int) {
    guard count < EdgeLineFinder.segmentCountMax else { return }
    let x = (base * normalX) >> 14 + width / 2 * 256
    let y = (base * normalY) >> 14 + height / 2 * 256
    segments[count] = EdgeSegment(
      start: SubpixelPoint(x: x - (from * normalY) >> 14, y: y + (from * normalX) >> 14),
      end: SubpixelPoint(x: x - (to * normalY) >> 14, y: y + (to * normalX) >> 14),
      normalX: normalX, normalY: normalY, support: support)
    count += 1
  }
}
