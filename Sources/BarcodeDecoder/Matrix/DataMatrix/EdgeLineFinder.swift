// Finds straight edges: every edge pixel votes for the lines through it that its gradient allows, and where many agree the
// edge is followed and fitted. An edge with gaps, in noise, or between neighbours that touch it gathers its votes all the
// same, which following contours from pixel to pixel does not do.

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
  /// Pixels of length that show the edge.
  var support: Int

  var length: Int { distance(start, end) }
}

/// The distance of two places, in their unit.
func distance(_ a: SubpixelPoint, _ b: SubpixelPoint) -> Int { Int(integerRoot(UInt64(squaredDistance(a, b)))) }

/// Whether two places are less than `reach` apart: no root is taken.
func isNear(_ a: SubpixelPoint, _ b: SubpixelPoint, within reach: Int) -> Bool { squaredDistance(a, b) < reach * reach }

private func squaredDistance(_ a: SubpixelPoint, _ b: SubpixelPoint) -> Int {
  let x = a.x - b.x
  let y = a.y - b.y
  return x * x + y * y
}

/// An edge pixel.
private struct EdgePoint: BitwiseCopyable {
  /// The place relative to the middle of the picture, in 1/16 pixels.
  var x: Int16
  var y: Int16
  /// Where the gradient points, in 1/256 turns.
  var angle: UInt8
}

/// Finds the straight edges of small pictures.
@safe struct EdgeLineFinder {
  /// Pixels of a side of the pictures that are searched, at most.
  static let sideMax = 512
  /// Directions of lines that are told apart: 256 to the turn.
  static let angleCount = 256
  /// Edge pixels of one picture, at most.
  private static let edgeCountMax = 48_000
  private static let peakCountMax = 160
  /// Lines that are followed, the strongest first.
  private static let lineCountMax = 48
  static let segmentCountMax = 96
  /// How far a pixel's gradient may be from the normal of a line that it votes for: 7 degrees; blur between modules turns
  /// gradients by that much.
  private static let voteReach = 5
  /// The same for a line that is followed: 20 degrees.
  private static let followReach = 14
  /// The least gradient that counts, as the sum of both Sobel responses: a step of 6 grey levels.
  private static let gradientMin = 24
  /// The shortest segment, in pixels.
  private static let lengthMin = 9
  /// Votes for a line, see `strength`, of the shortest segment.
  private static let strengthMin = 48

  let segments: ScratchArray<EdgeSegment>
  private(set) var count = 0
  private let gradientX: ScratchArray<Int16>
  private let gradientY: ScratchArray<Int16>
  private let magnitude: ScratchArray<UInt16>
  private let found: ScratchArray<EdgePoint>
  /// The edge pixels in order of angle.
  private let edgeX: ScratchArray<Int16>
  private let edgeY: ScratchArray<Int16>
  private let starts: ScratchArray<Int32>
  private let votes: ScratchArray<UInt16>
  private let peaks: ScratchArray<Int32>
  private let peakStrengths: ScratchArray<Int32>
  private let lines: ScratchArray<Int32>
  private let isCovered: ScratchArray<UInt8>
  /// Of each direction, times 2^14; the first ones again behind the last.
  private let cosine: ScratchArray<Int32>
  private let sine: ScratchArray<Int32>
  private var edgeCount = 0
  private var peakCount = 0
  private var width = 0
  private var height = 0
  /// Distances from the middle that are told apart, a pixel each.
  private var offsetCount = 0

  /// Nil if the arena is full.
  init?(arena: inout Arena) {
    // Pixels are read eight at once.
    let area = EdgeLineFinder.sideMax * EdgeLineFinder.sideMax + 8
    let diagonal = EdgeLineFinder.sideMax * 3 / 2
    guard let segments = ScratchArray<EdgeSegment>(EdgeLineFinder.segmentCountMax, arena: &arena),
      let gradientX = ScratchArray<Int16>(area, arena: &arena),
      let gradientY = ScratchArray<Int16>(area, arena: &arena),
      let magnitude = ScratchArray<UInt16>(area, arena: &arena),
      let found = ScratchArray<EdgePoint>(EdgeLineFinder.edgeCountMax, arena: &arena),
      let edgeX = ScratchArray<Int16>(EdgeLineFinder.edgeCountMax + 8, arena: &arena),
      let edgeY = ScratchArray<Int16>(EdgeLineFinder.edgeCountMax + 8, arena: &arena),
      let starts = ScratchArray<Int32>(EdgeLineFinder.angleCount + 1, arena: &arena),
      let votes = ScratchArray<UInt16>((EdgeLineFinder.angleCount + 2 * EdgeLineFinder.voteReach) * diagonal, arena: &arena),
      let peaks = ScratchArray<Int32>(EdgeLineFinder.peakCountMax, arena: &arena),
      let peakStrengths = ScratchArray<Int32>(EdgeLineFinder.peakCountMax, arena: &arena),
      let lines = ScratchArray<Int32>(EdgeLineFinder.lineCountMax, arena: &arena),
      let isCovered = ScratchArray<UInt8>(diagonal, arena: &arena),
      let cosine = ScratchArray<Int32>(EdgeLineFinder.angleCount + 16, arena: &arena),
      let sine = ScratchArray<Int32>(EdgeLineFinder.angleCount + 16, arena: &arena)
    else { return nil }
    self.segments = segments
    self.gradientX = gradientX
    self.gradientY = gradientY
    self.magnitude = magnitude
    self.found = found
    self.edgeX = edgeX
    self.edgeY = edgeY
    self.starts = starts
    self.votes = votes
    self.peaks = peaks
    self.peakStrengths = peakStrengths
    self.lines = lines
    self.isCovered = isCovered
    self.cosine = cosine
    self.sine = sine
    edgeX.fill(0, count: EdgeLineFinder.edgeCountMax + 8)
    edgeY.fill(0, count: EdgeLineFinder.edgeCountMax + 8)
    for index in 0..<(EdgeLineFinder.angleCount + 16) {
      let angle = BinaryAngle(bits: UInt16(truncatingIfNeeded: index << 8))
      cosine[index] = angle.cosine.bits >> 2
      sine[index] = angle.sine.bits >> 2
    }
  }

  /// Finds the straight edges of a picture of at most `sideMax` pixels a side, the strongest first.
  mutating func find(_ view: LumaView, budget: inout WorkBudget) {
    count = 0
    width = view.width
    height = view.height
    guard width >= 8, height >= 8, width <= EdgeLineFinder.sideMax, height <= EdgeLineFinder.sideMax,
      budget.spend(width * height / 8)
    else { return }
    offsetCount = Int(integerRoot(UInt64(width * width + height * height))) + 6
    let threshold = measureGradients(view)
    collectEdges(threshold: threshold)
    guard budget.spend(edgeCount + offsetCount * 8) else { return }
    sortEdges()
    vote()
    collectPeaks()
    budget.charge(edgeCount / 8 * min(peakCount, EdgeLineFinder.lineCountMax) / 4)
    followPeaks()
  }

  /// The Sobel gradients of all pixels but the outermost; the threshold for edge pixels.
  private func measureGradients(_ view: LumaView) -> Int {
    let width = view.width
    var sum = 0
    for y in 1..<(height - 1) {
      let above = unsafe view.row(y - 1)
      let here = unsafe view.row(y)
      let below = unsafe view.row(y + 1)
      let gx = unsafe gradientX.base + y &* width
      let gy = unsafe gradientY.base + y &* width
      let size = unsafe magnitude.base + y &* width
      var rowSum: UInt32 = 0
      for x in 1..<(width - 1) {
        let a = unsafe Int16(above[x &- 1])
        let b = unsafe Int16(above[x &+ 1])
        let c = unsafe Int16(below[x &- 1])
        let d = unsafe Int16(below[x &+ 1])
        let dx = unsafe b &- a &+ d &- c &+ 2 &* (Int16(here[x &+ 1]) &- Int16(here[x &- 1]))
        let dy = unsafe c &- a &+ d &- b &+ 2 &* (Int16(below[x]) &- Int16(above[x]))
        unsafe gx[x] = dx
        unsafe gy[x] = dy
        let absolute = UInt16(truncatingIfNeeded: max(dx, 0 &- dx) &+ max(dy, 0 &- dy))
        unsafe size[x] = absolute
        rowSum = rowSum &+ UInt32(absolute)
      }
      for x in stride(from: 0, to: width, by: width - 1) {
        unsafe gx[x] = 0
        unsafe gy[x] = 0
        unsafe size[x] = 0
      }
      sum += Int(rowSum)
    }
    for y in stride(from: 0, to: height, by: height - 1) {
      unsafe (gradientX.base + y &* width).update(repeating: 0, count: width)
      unsafe (gradientY.base + y &* width).update(repeating: 0, count: width)
    }
    return max(EdgeLineFinder.gradientMin, sum / (width * height) * 3 / 4)
  }

  /// Pixels whose gradient is greater than those before and behind them, placed between the pixels by a parabola. The
  /// outermost rows and columns have no gradient.
  private mutating func collectEdges(threshold: Int) {
    edgeCount = 0
    let least = SIMD8<Int16>(repeating: Int16(truncatingIfNeeded: threshold) &- 1)
    for y in 1..<(height - 1) {
      // Eight at once; what is read past the end of a row begins the next one.
      for x in stride(from: 1, to: width - 1, by: 8) {
        let place = y &* width &+ x
        let across = unsafe gradientX.base + place
        let down = unsafe gradientY.base + place
        let size = unsafe cvector_load_words(UnsafeRawPointer(magnitude.base + place).assumingMemoryBound(to: Int16.self))
        let gx = unsafe cvector_load_words(across)
        let gy = unsafe cvector_load_words(down)
        // Along the axis that the gradient is nearer to, and only what rises the same way: a thin line has another edge
        // right behind.
        let isAcross = cvector_longer_word(gx, gy)
        let before = unsafe cvector_select(isAcross, cvector_load_words(across - 1), cvector_load_words(down - width))
        let after = unsafe cvector_select(isAcross, cvector_load_words(across + 1), cvector_load_words(down + width))
        let peaks = cvector_word_peaks(before, cvector_select(isAcross, gx, gy), after)
        var edges = cvector_lane_bytes(peaks & cvector_above(size, least))
        while edges != 0 {
          let lane = edges.trailingZeroBitCount >> 3
          edges &= ~(0xFF << UInt64(truncatingIfNeeded: lane &* 8))
          guard x &+ lane < width &- 1, edgeCount < EdgeLineFinder.edgeCountMax else { break }
          addEdge(x: x &+ lane, y: y)
        }
      }
    }
  }

  /// Adds an edge pixel.
  @inline(__always) private mutating func addEdge(x: Int, y: Int) {
    let place = y &* width &+ x
    let gx = unsafe Int(gradientX.base[place])
    let gy = unsafe Int(gradientY.base[place])
    let isAcross = abs(gx) > abs(gy)
    let step = isAcross ? 1 : width
    let sign = (isAcross ? gx : gy) < 0 ? -1 : 1
    let slope = unsafe isAcross ? gradientX.base : gradientY.base
    let before = unsafe Int(slope[place &- step]) &* sign
    let after = unsafe Int(slope[place &+ step]) &* sign
    let here = max(abs(gx), abs(gy))
    let offset = (after &- before) &* 8 / (2 &* here &- before &- after)
    let column = (x &- width / 2) &* 16 &+ (isAcross ? offset : 0)
    let line = (y &- height / 2) &* 16 &+ (isAcross ? 0 : offset)
    unsafe found.base[edgeCount] = EdgePoint(
      x: Int16(truncatingIfNeeded: column), y: Int16(truncatingIfNeeded: line),
      angle: UInt8(truncatingIfNeeded: (BinaryAngle(x: gx, y: gy).bits &+ 128) >> 8))
    edgeCount &+= 1
  }

  /// Orders the edge pixels by angle.
  private func sortEdges() {
    starts.fill(0, count: EdgeLineFinder.angleCount + 1)
    for index in 0..<edgeCount { starts[Int(found[index].angle) + 1] += 1 }
    for angle in 0..<EdgeLineFinder.angleCount { starts[angle + 1] += starts[angle] }
    for index in 0..<edgeCount {
      let angle = Int(found[index].angle)
      edgeX[Int(starts[angle])] = found[index].x
      edgeY[Int(starts[angle])] = found[index].y
      starts[angle] += 1
    }
    for angle in stride(from: EdgeLineFinder.angleCount, to: 0, by: -1) { starts[angle] = starts[angle - 1] }
    starts[0] = 0
  }

  /// Counts votes for lines by direction of the normal and distance from the middle.
  private func vote() {
    let offsetCount = offsetCount
    let reach = EdgeLineFinder.voteReach
    let angleCount = EdgeLineFinder.angleCount
    // The rows of the directions, and those of the last and first few again before and behind them.
    votes.fill(0, count: (angleCount + 2 * reach) * offsetCount)
    let middle = SIMD16<Int32>(repeating: Int32(offsetCount / 2))
    for angle in 0..<angleCount {
      let first = (angle &- reach) & (angleCount &- 1)
      let cosines = unsafe UnsafeRawPointer(cosine.base + first).loadUnaligned(as: SIMD16<Int32>.self)
      let sines = unsafe UnsafeRawPointer(sine.base + first).loadUnaligned(as: SIMD16<Int32>.self)
      let rows = unsafe votes.base + angle &* offsetCount
      for index in Int(starts[angle])..<Int(starts[angle &+ 1]) {
        let x = unsafe SIMD16(repeating: Int32(edgeX.base[index]))
        let y = unsafe SIMD16(repeating: Int32(edgeY.base[index]))
        let offsets = (x &* cosines &+ y &* sines &+ (1 << 17)) &>> 18 &+ middle
        var row = unsafe rows
        for turn in 0...(2 &* EdgeLineFinder.voteReach) {
          let place = unsafe row + Int(offsets[turn])
          unsafe place.pointee = unsafe place.pointee &+ UInt16(truncatingIfNeeded: 1 &+ (reach &- abs(turn &- reach)) / 2)
          unsafe row += offsetCount
        }
      }
    }
    addRows(from: 0, to: angleCount, count: reach)
    addRows(from: angleCount + reach, to: reach, count: reach)
  }

  /// Adds rows of votes to others.
  private func addRows(from: Int, to: Int, count: Int) {
    for index in 0..<(count * offsetCount) {
      unsafe votes.base[to &* offsetCount &+ index] &+= votes.base[from &* offsetCount &+ index]
    }
  }

  /// The first place among the votes of the lines whose normals have a direction.
  @inline(__always) private func rowOfVotes(_ angle: Int) -> Int { (angle &+ EdgeLineFinder.voteReach) &* offsetCount }

  /// Votes for a line and those beside it: about four to six for each pixel of length.
  @inline(__always) private func strength(_ place: Int) -> Int {
    unsafe 2 &* Int(votes.base[place]) &+ Int(votes.base[place &- 1]) &+ Int(votes.base[place &+ 1])
  }

  /// How many votes there are for the line with a normal direction (in 1/256 turns) through a place (in 1/256 pixels).
  func strength(angle: Int, through point: SubpixelPoint) -> Int {
    let angle = angle & (EdgeLineFinder.angleCount - 1)
    let x = point.x / 16 - width / 2 * 16
    let y = point.y / 16 - height / 2 * 16
    let offset = (x * Int(cosine[angle]) + y * Int(sine[angle]) + (1 << 17)) >> 18 + offsetCount / 2
    guard offset >= 1, offset < offsetCount - 1 else { return 0 }
    return strength(rowOfVotes(angle) + offset)
  }

  /// The strongest lines that are stronger than those beside them, in order.
  private mutating func collectPeaks() {
    peakCount = 0
    // Half of the least strength comes from the line itself, or a neighbour is stronger.
    let least = UInt16(EdgeLineFinder.strengthMin / 4)
    for angle in 0..<EdgeLineFinder.angleCount {
      let row = rowOfVotes(angle)
      var offset = 2
      while offset < offsetCount &- 2 {
        // Four at once, none of which is half as large as a word; what is read past the last of a row begins the next one.
        let four = unsafe UnsafeRawPointer(votes.base + (row &+ offset)).loadUnaligned(as: UInt64.self)
        if (four &+ (0x8000 &- UInt64(least)) &* 0x0001_0001_0001_0001) & 0x8000_8000_8000_8000 != 0 {
          for place in offset..<min(offset &+ 4, offsetCount &- 2) where unsafe votes.base[row &+ place] >= least {
            addPeak(angle: angle, offset: place)
          }
        }
        offset &+= 4
      }
    }
  }

  /// Keeps a line if it is stronger than those beside it.
  private mutating func addPeak(angle: Int, offset: Int) {
    let row = rowOfVotes(angle)
    let here = strength(row &+ offset)
    if here < EdgeLineFinder.strengthMin || here < strength(row &+ offset &- 1) || here <= strength(row &+ offset &+ 1) {
      return
    }
    let above = rowOfVotes((angle &- 1) & (EdgeLineFinder.angleCount &- 1))
    let below = rowOfVotes((angle &+ 1) & (EdgeLineFinder.angleCount &- 1))
    if here < strength(above &+ offset) || here <= strength(below &+ offset) { return }
    insertPeak(angle &* offsetCount &+ offset, strength: here)
  }

  private mutating func insertPeak(_ place: Int, strength: Int) {
    if peakCount == EdgeLineFinder.peakCountMax {
      if Int(peakStrengths[peakCount - 1]) >= strength { return }
      peakCount -= 1
    }
    var index = peakCount
    while index > 0, Int(peakStrengths[index - 1]) < strength {
      peaks[index] = peaks[index - 1]
      peakStrengths[index] = peakStrengths[index - 1]
      index -= 1
    }
    peaks[index] = Int32(place)
    peakStrengths[index] = Int32(strength)
    peakCount += 1
  }

  /// Follows the strongest lines, each once, and of those that run about the same way only so many that others are not lost.
  private mutating func followPeaks() {
    var lineCount = 0
    var counts: [8 of Int] = .init(repeating: 0)
    for index in 0..<peakCount where lineCount < EdgeLineFinder.lineCountMax {
      let angle = Int(peaks[index]) / offsetCount
      let offset = Int(peaks[index]) % offsetCount
      var isKnown = false
      for line in 0..<lineCount {
        let turn = (angle - Int(lines[line]) / offsetCount + 384) % 256 - 128
        if abs(turn) <= 4, abs(offset - Int(lines[line]) % offsetCount) <= 2 { isKnown = true }
      }
      // Directions of lines by 22 degrees, both normals alike, the first around 0.
      let way = ((angle + 8) & 127) >> 4
      if isKnown || counts[way] == EdgeLineFinder.lineCountMax / 2 { continue }
      counts[way] += 1
      lines[lineCount] = peaks[index]
      lineCount += 1
      followLine(angle: angle, offset: offset)
    }
  }

  /// Fits a line to the edge pixels near it, twice, and adds its segments.
  private mutating func followLine(angle: Int, offset: Int) {
    var normalX = Int(cosine[angle])
    var normalY = Int(sine[angle])
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

  /// Calls `body` with the places of the edge pixels near a line, along it and across, in 1/256 pixels from its foot.
  @inline(__always) private func forEachEdge(
    angle: Int, normalX: Int, normalY: Int, base: Int, reach: Int, _ body: (_ t: Int, _ d: Int) -> Void
  ) {
    // Eight at once, to a quarter of a pixel: most are far away.
    let nx = SIMD8(repeating: Int16(truncatingIfNeeded: normalX))
    let ny = SIMD8(repeating: Int16(truncatingIfNeeded: normalY))
    let foot = SIMD8(repeating: Int16(truncatingIfNeeded: base >> 6))
    let limit = SIMD8(repeating: Int16(truncatingIfNeeded: reach >> 6 &+ 3))
    for turn in -EdgeLineFinder.followReach...EdgeLineFinder.followReach {
      let bin = (angle &+ turn) & (EdgeLineFinder.angleCount &- 1)
      let end = Int(starts[bin &+ 1])
      var index = Int(starts[bin])
      while index < end {
        let xs = unsafe cvector_high_products(cvector_load_words(edgeX.base + index), nx)
        let ys = unsafe cvector_high_products(cvector_load_words(edgeY.base + index), ny)
        var near = cvector_lane_bytes(cvector_within(xs &+ ys &- foot, limit))
        while near != 0 {
          let place = index &+ near.trailingZeroBitCount >> 3
          near &= ~(0xFF << UInt64(truncatingIfNeeded: (place &- index) &* 8))
          if place >= end { break }
          let x = unsafe Int(edgeX.base[place])
          let y = unsafe Int(edgeY.base[place])
          let d = (x &* normalX &+ y &* normalY) >> 10 &- base
          if abs(d) <= reach { body((y &* normalX &- x &* normalY) >> 10, d) }
        }
        index &+= 8
      }
    }
  }

  /// Adds the parts of a line that edge pixels cover, gaps of up to 5 pixels, or a sixth of what came before, included.
  private mutating func addSegments(angle: Int, normalX: Int, normalY: Int, base: Int) {
    let half = offsetCount / 2
    isCovered.fill(0, count: offsetCount)
    forEachEdge(angle: angle, normalX: normalX, normalY: normalY, base: base, reach: 300) { t, _ in
      let place = t >> 8 &+ half
      if place >= 0, place < offsetCount { isCovered[place] = 1 }
    }
    var place = 0
    // The runs before that may belong to the same edge.
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

  /// Adds a part of a line, from one pixel to another, if it is long enough and half of it shows the edge.
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
