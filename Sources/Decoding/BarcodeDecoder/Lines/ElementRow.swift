// Edges of a grey profile, to a fraction of a sample: the places where the grey changes fastest. Unlike crossings of a
// threshold, they do not move when the light changes along the line or when blur reduces a narrow bar to half its contrast.

import CVector

/// Ways to find edges, in the order in which they are tried. Each reads symbols that others miss, and they cost little
/// compared with sampling the line.
enum EdgeRule: Int {
  /// Differences over one pixel, the vertex of a parabola: for blur by a lens.
  case vertex
  /// Like `vertex`, but with the centroid of sharp edges: for rendered or sharpened pictures.
  case centroid
  /// The edges of `vertex`, moved to where the grey is half-way between the extremes of the elements on both sides: for
  /// narrow bars thinned by overexposure.
  case crossing
  /// Differences of means of three samples: for noise.
  case smoothed
  /// The edges of `vertex`, moved so that the width of each bar matches its total darkness. Blur spreads a bar's darkness
  /// but keeps the total, so narrow bars that have lost depth, in ink or in light, keep their width.
  case area
  /// The differences of a sharpened profile: to each sample is added twice its difference from the mean of the samples one,
  /// one and a half or two pixels before and after it. That separates edges of narrow elements that blur has merged; the
  /// best distance depends on the blur.
  case sharpenedByOne
  case sharpenedByOneAndAHalf
  case sharpenedByTwo

  static let count = 8

  /// Whether the rule is worth its time for light bars on dark ground, which are rare.
  var isForInverted: Bool { self == .vertex || self == .centroid || self == .sharpenedByOneAndAHalf }

  /// The distance of the samples used to sharpen a sample; 0 if the rule does not sharpen.
  var sharpeningReach: Int {
    switch self {
    case .vertex, .centroid, .crossing, .smoothed, .area: 0
    case .sharpenedByOne: 2
    case .sharpenedByOneAndAHalf: 3
    case .sharpenedByTwo: 4
    }
  }
}

/// The edges of a profile, alternately from light to dark and back.
@safe struct ElementRow {
  /// The most edges on a line; a profile with more is cut.
  static let edgeCountMax = 1024
  /// The least module of a symbol that is read by its edges, in samples times 256: 0.8.
  static let moduleMin: Int32 = 205
  /// Least height of an edge compared with the highest within 24 pixels, in 256ths: 0.15, and 0.08 where faint edges count.
  static let relativeHeightMin: (usual: Int32, faint: Int32) = (38, 20)
  /// Least height of an edge: 1.5 grey levels per pixel.
  static let heightMin: Int32 = 96
  private static let blockShift = 4
  private static let blockReach = 3
  /// The least mean width of the elements of a clear row, in samples times 256: three pixels.
  private static let clearWidthMin: Int32 = 6 << 8
  /// The part of a quiet zone that the picture's border may hide, in samples times 256: the quiet zone of modules six pixels
  /// wide.
  private static let hiddenGap: Int32 = 120 << 8
  /// Up to one in this many edges of a clear row may be low.
  private static let clearDivisor = 8

  /// Readable samples before and after the differences, which are read eight at a time.
  private static let differenceMargin = 24

  /// Places in samples times 256, ascending.
  let edges: UnsafeMutablePointer<Int32>
  private let heights: UnsafeMutablePointer<Int32>
  private let differences: UnsafeMutablePointer<Int32>
  private let blockHeights: UnsafeMutablePointer<Int32>
  private let limits: UnsafeMutablePointer<Int32>
  /// The edges that `vertex` found last, which other rules move.
  private let vertices: UnsafeMutablePointer<Int32>
  private var vertexCount = 0
  /// Whether faint edges count: the mean of many rows has less noise.
  var countsFaint = false
  private var verticesBeginDark = true
  private(set) var count = 0
  /// The bend that was taken out of the places; nil if they are those of the profile.
  var bend: RowBend?
  /// Whether edge 0 goes from light to dark.
  private(set) var beginsDark = true
  /// The length of the profile in samples times 256.
  var length: Int32 = 0

  /// Whether the row runs from left to right in the picture; of a line that is steeper than it is long, from top to bottom.
  var isUpright = true
  /// Padding at the profile's ends, in samples times 256.
  var paddingBefore: Int32 = 0
  var paddingAfter: Int32 = 0

  /// Takes the memory of a row.
  init(arena: inout Arena) throws(ArenaFull) {
    let blockCount = ScanLine.sampleCountMax >> ElementRow.blockShift + 2 * ElementRow.blockReach + 4
    unsafe edges = try arena.take(Int32.self, count: ElementRow.edgeCountMax)
    unsafe heights = try arena.take(Int32.self, count: ElementRow.edgeCountMax)
    let differenceCount = ScanLine.sampleCountMax + 2 * ElementRow.differenceMargin
    unsafe differences = try arena.take(Int32.self, count: differenceCount) + ElementRow.differenceMargin
    unsafe blockHeights = try arena.take(Int32.self, count: blockCount)
    unsafe limits = try arena.take(Int32.self, count: blockCount)
    unsafe vertices = try arena.take(Int32.self, count: ElementRow.edgeCountMax)
  }

  /// Finds the edges of a profile of grey times 64. The rules `centroid`, `crossing` and `area` move those that `vertex` has
  /// found in the same profile, `centroid` directly after it.
  ///
  /// - Safety: `profile` must hold `sampleCount` samples.
  @unsafe mutating func find(in profile: UnsafePointer<Int32>, sampleCount: Int, rule: EdgeRule) {
    count = 0
    bend = nil
    length = Int32(truncatingIfNeeded: sampleCount) << 8
    guard sampleCount >= 16 else { return }
    switch rule {
    case .vertex:
      for index in 1..<(sampleCount &- 1) { unsafe differences[index] = profile[index &+ 1] &- profile[index &- 1] }
      collect(sampleCount, margin: 1)
      unsafe vertices.update(from: edges, count: count)
      vertexCount = count
      verticesBeginDark = beginsDark
    case .centroid:
      takeVertices()
      moveToCentroids()
    case .crossing:
      takeVertices()
      unsafe moveToCrossings(profile, sampleCount: sampleCount)
    case .area:
      takeVertices()
      unsafe moveToAreas(profile, sampleCount: sampleCount)
    case .smoothed:
      for index in 3..<(sampleCount &- 3) {
        let after = unsafe profile[index &+ 1] &+ profile[index &+ 2] &+ profile[index &+ 3]
        let before = unsafe profile[index &- 1] &+ profile[index &- 2] &+ profile[index &- 3]
        unsafe differences[index] = (after &- before) >> 1
      }
      collect(sampleCount, margin: 3)
    case .sharpenedByOne, .sharpenedByOneAndAHalf, .sharpenedByTwo:
      let reach = rule.sharpeningReach
      for index in (1 &+ reach)..<(sampleCount &- 1 &- reach) {
        let near = unsafe profile[index &+ 1] &- profile[index &- 1]
        let before = unsafe profile[index &+ 1 &- reach] &- profile[index &- 1 &- reach]
        let after = unsafe profile[index &+ 1 &+ reach] &- profile[index &- 1 &+ reach]
        unsafe differences[index] = near &* 3 &- before &- after
      }
      collect(sampleCount, margin: 1 + reach)
    }
  }

  private mutating func takeVertices() {
    unsafe edges.update(from: vertices, count: vertexCount)
    count = vertexCount
    beginsDark = verticesBeginDark
  }

  /// Computes the least height of an edge per block of 16 samples: a share of the highest within `blockReach` blocks.
  private func setLimits(_ sampleCount: Int) {
    let blockCount = (sampleCount &+ 15) >> ElementRow.blockShift
    let reach = ElementRow.blockReach
    for block in 0..<reach { unsafe blockHeights[block] = 0 }
    for block in 0..<blockCount {
      var highest = cvector_s32x4()
      for quarter in 0..<4 {
        let four = unsafe cvector_load_longs(differences + (block << ElementRow.blockShift &+ quarter &* 4))
        highest = cvector_longer(highest, four)
      }
      unsafe blockHeights[block &+ reach] = max(max(highest[0], highest[1]), max(highest[2], highest[3]))
    }
    for block in (blockCount &+ reach)..<(blockCount &+ 2 &* reach &+ 4) { unsafe blockHeights[block] = 0 }
    let least = cvector_s32x4(repeating: ElementRow.heightMin)
    let share = countsFaint ? ElementRow.relativeHeightMin.faint : ElementRow.relativeHeightMin.usual
    for block in stride(from: 0, to: blockCount, by: 4) {
      var highest = cvector_s32x4()
      for near in 0..<(2 &* reach &+ 1) {
        highest = unsafe cvector_longer(highest, cvector_load_longs(blockHeights + block + near))
      }
      let four = cvector_longer(least, (highest &* share) &>> 8)
      unsafe UnsafeMutableRawPointer(limits + block).storeBytes(of: four, as: cvector_s32x4.self)
    }
  }

  /// Whether the edges are too clear to be misplaced: nearly all are more than half as high as the highest, which narrow
  /// elements lose at the slightest blur, and the elements are wide enough to be measured. Valid for rows found by `vertex`.
  var isClear: Bool {
    let widthMin = Int32(truncatingIfNeeded: count) * ElementRow.clearWidthMin
    guard count > 1, unsafe edges[count &- 1] &- edges[0] > widthMin else { return false }
    var highest: Int32 = 0
    for index in 0..<count { highest = unsafe max(highest, abs(heights[index])) }
    var lowCount = 0
    for index in 0..<count where unsafe abs(heights[index]) &* 2 < highest { lowCount &+= 1 }
    return lowCount &* ElementRow.clearDivisor < count
  }

  /// Collects the local extrema of the differences, which are valid except for the first and last `margin` samples. Of two
  /// consecutive edges in the same direction, the higher one stays.
  private mutating func collect(_ sampleCount: Int, margin: Int) {
    for index in 0..<margin {
      unsafe differences[index] = 0
      unsafe differences[sampleCount &- 1 &- index] = 0
    }
    // The last block is read to its end.
    for index in sampleCount..<(sampleCount &+ 16) { unsafe differences[index] = 0 }
    setLimits(sampleCount)
    let first = margin + 3
    let last = sampleCount - margin - 3
    var used = 0
    var start = first & ~7
    while start < last, used < ElementRow.edgeCountMax {
      let limit = unsafe cvector_s32x4(repeating: limits[start >> ElementRow.blockShift])
      let place = unsafe differences + start
      let low = unsafe cvector_peaks(
        cvector_load_longs(place - 1), cvector_load_longs(place), cvector_load_longs(place + 1), limit)
      let high = unsafe cvector_peaks(
        cvector_load_longs(place + 3), cvector_load_longs(place + 4), cvector_load_longs(place + 5), limit)
      var peaks = cvector_lane_bytes(cvector_narrow(low, high))
      while peaks != 0 {
        let index = start &+ peaks.trailingZeroBitCount >> 3
        peaks &= ~(0xFF << UInt64(truncatingIfNeeded: (index &- start) &* 8))
        guard index >= first, index < last else { continue }
        let here = unsafe differences[index]
        if used > 0, unsafe (heights[used &- 1] < 0) == (here < 0) {
          guard unsafe abs(here) > abs(heights[used &- 1]) else { continue }
          used &-= 1
        }
        guard used < ElementRow.edgeCountMax else { break }
        unsafe edges[used] = Int32(truncatingIfNeeded: index << 8) &+ vertex(at: index)
        unsafe heights[used] = here
        used &+= 1
      }
      start &+= 8
    }
    count = used
    beginsDark = unsafe used > 0 && heights[0] < 0
  }

  /// Moves sharp edges to their centroids.
  private func moveToCentroids() {
    for edge in 0..<count {
      // A vertex lies less than half a sample after its extremum and at most half a sample before it.
      let index = unsafe Int((edges[edge] &+ 128) >> 8)
      if let offset = centroid(at: index) { unsafe edges[edge] = Int32(truncatingIfNeeded: index << 8) &+ offset }
    }
  }

  /// Moves every edge to where the profile crosses the middle between the extremes of its two elements.
  private func moveToCrossings(_ profile: UnsafePointer<Int32>, sampleCount: Int) {
    guard count > 1 else { return }
    var before = unsafe extreme(profile, from: max(0, place(0) &- 8), to: place(0), isDark: !beginsDark)
    for index in 0..<count {
      let isDark = (index & 1 == 0) == beginsDark
      let here = place(index)
      let next = index &+ 1 < count ? place(index &+ 1) : min(sampleCount &- 1, here &+ 8)
      let after = unsafe extreme(profile, from: here, to: next, isDark: isDark)
      let middle = (before &+ after) >> 1
      before = after
      // Step left or right until the crossing lies between `left` and the next sample.
      var left = here
      while left > 1, unsafe (profile[left] > middle) != isDark, here &- left < 6 { left &-= 1 }
      while left &+ 2 < sampleCount, unsafe (profile[left &+ 1] > middle) == isDark, left &- here < 6 { left &+= 1 }
      let step = unsafe profile[left &+ 1] &- profile[left]
      guard step != 0 else { continue }
      let offset = unsafe ((middle &- profile[left]) << 8) / step
      guard offset >= -256, offset <= 512 else { continue }
      unsafe edges[index] = Int32(truncatingIfNeeded: left << 8) &+ offset
    }
  }

  /// Samples beyond an edge that may belong to its bar: four pixels.
  private static let areaReach = 8

  /// Gives every bar the width of its total darkness, around the centre of that darkness. The surrounding elements, up to
  /// five away, define full light and full darkness. Bars are measured where `vertex` found them.
  private func moveToAreas(_ profile: UnsafePointer<Int32>, sampleCount: Int) {
    var left = beginsDark ? 0 : 1
    while left &+ 1 < count {
      let from = unsafe peak(profile, from: max(0, place(left) &- ElementRow.areaReach), to: place(left), after: left &- 1)
      let end = min(sampleCount &- 1, place(left &+ 1) &+ 1 &+ ElementRow.areaReach)
      let to = unsafe peak(profile, from: place(left &+ 1) &+ 1, to: end, before: left &+ 2)
      let levels = unsafe levels(profile, around: left, sampleCount: sampleCount)
      let depth = Int(levels.light &- levels.dark)
      var area = 0
      var moment = 0
      for index in from..<(max(from, to) &+ 1) {
        let darkness = unsafe max(0, Int(levels.light &- profile[index]))
        area &+= darkness
        moment &+= darkness &* (index &- from)
      }
      if area > 0, depth > 0 {
        let center = from << 8 &+ (moment << 8) / area
        let half = (area << 7) / depth
        unsafe edges[left] = Int32(truncatingIfNeeded: center &- half)
        unsafe edges[left &+ 1] = Int32(truncatingIfNeeded: center &+ half)
      }
      left &+= 2
    }
  }

  /// The lightest sample of from...to, not beyond the edge `after` or `before` if given.
  private func peak(
    _ profile: UnsafePointer<Int32>, from: Int, to: Int, after: Int? = nil, before: Int? = nil
  ) -> Int {
    var first = from
    var last = to
    if let after, after >= 0 { first = max(first, place(after) &+ 1) }
    if let before, before < count { last = min(last, place(before)) }
    // Search from the bar outwards, so that the nearest of equal samples wins.
    var best = after == nil ? first : last
    for offset in 0...max(0, last &- first) {
      let index = after == nil ? first &+ offset : last &- offset
      if unsafe profile[index] > profile[best] { best = index }
    }
    return best
  }

  /// The lightest and the darkest sample from four edges before a bar to four edges after it.
  private func levels(
    _ profile: UnsafePointer<Int32>, around bar: Int, sampleCount: Int
  ) -> (light: Int32, dark: Int32) {
    let from = max(0, place(max(0, bar &- 4)) &- 2)
    let to = min(sampleCount &- 1, place(min(count &- 1, bar &+ 5)) &+ 2)
    var light = unsafe profile[from]
    var dark = light
    for index in from..<(max(from, to) &+ 1) {
      light = unsafe max(light, profile[index])
      dark = unsafe min(dark, profile[index])
    }
    return (light, dark)
  }

  /// The sample just below an edge, before the edge was moved.
  @inline(__always) private func place(_ index: Int) -> Int { unsafe Int(vertices[index] >> 8) }

  private func extreme(_ profile: UnsafePointer<Int32>, from: Int, to: Int, isDark: Bool) -> Int32 {
    var value = unsafe profile[from]
    for index in from..<(max(from, to) &+ 1) {
      let sample = unsafe profile[index]
      value = isDark ? min(value, sample) : max(value, sample)
    }
    return value
  }

  /// The vertex of a parabola through an extremum, relative to it, in samples times 256.
  @inline(__always) private func vertex(at index: Int) -> Int32 {
    let here = unsafe differences[index]
    let sign: Int32 = here < 0 ? -1 : 1
    let before = unsafe differences[index &- 1] &* sign
    let after = unsafe differences[index &+ 1] &* sign
    let bend = 2 &* here &* sign &- before &- after
    return bend > 0 ? ((after &- before) << 7) / bend : 0
  }

  /// The centroid of the differences around an extremum, relative to it, in samples times 256; nil if they do not end within
  /// three samples on both sides. For a sharp edge this is exactly where it crosses a pixel.
  @inline(__always) private func centroid(at index: Int) -> Int32? {
    let here = unsafe differences[index]
    let sign: Int32 = here < 0 ? -1 : 1
    let height = here &* sign
    guard let right = tail(from: index, step: 1, sign: sign, limit: height >> 3),
      let left = tail(from: index, step: -1, sign: sign, limit: height >> 3)
    else { return nil }
    return ((right.moment &- left.moment) << 8) / (height &+ left.sum &+ right.sum)
  }

  /// Sum and first moment of the differences from an extremum to where they are about zero; nil if that is not within three
  /// samples.
  @inline(__always) private func tail(from index: Int, step: Int, sign: Int32, limit: Int32) -> (sum: Int32, moment: Int32)?
  {
    var sum: Int32 = 0
    var moment: Int32 = 0
    for distance in 1...3 {
      let value = unsafe differences[index &+ step &* distance] &* sign
      guard value > limit else { return value >= 0 &- limit ? (sum, moment) : nil }
      sum &+= value
      moment &+= value &* Int32(truncatingIfNeeded: distance)
    }
    return nil
  }

  /// Makes this row the reverse of `other`.
  mutating func setReversed(_ other: ElementRow) {
    count = other.count
    bend = other.bend
    length = other.length
    paddingBefore = other.paddingAfter
    paddingAfter = other.paddingBefore
    isUpright = !other.isUpright
    for index in 0..<count { unsafe edges[index] = other.length &- other.edges[other.count &- 1 &- index] }
    // Edges alternate; the last edge of `other` is the first edge of this row.
    beginsDark = count & 1 == 1 ? !other.beginsDark : other.beginsDark
  }

  /// The place of edge `index`, in samples times 256.
  @inline(__always) func edge(_ index: Int) -> Int32 { unsafe edges[index] }

  /// The height of edge `index`, how much the grey changes over a pixel, times 64. Valid for rows that `find` has found by `vertex`,
  /// not for reversed ones.
  @inline(__always) func height(_ index: Int) -> Int32 { unsafe abs(heights[index]) }

  /// The width of the element between edges `index` and `index + 1`.
  @inline(__always) func width(_ index: Int) -> Int32 { unsafe edges[index &+ 1] &- edges[index] }

  /// The free space before edge `index` that is visible in the picture.
  @inline(__always) func seenGapBefore(_ index: Int) -> Int32 {
    unsafe index > 0 ? edges[index] &- edges[index &- 1] : edges[0] &- paddingBefore
  }

  /// Whether a character is as wide as the previous one, within an eighth: a tilted or bent label changes no faster. Where a
  /// small picture has lost edges, widths differ more, and some of the many such readings pass their check character by
  /// chance.
  @inline(__always) static func isAsWide(_ width: Int32, as before: Int32) -> Bool {
    width &* 8 > before &* 7 && width &* 7 < before &* 8
  }

  /// The free space after edge `index` that is visible in the picture.
  @inline(__always) func seenGapAfter(_ index: Int) -> Int32 {
    unsafe index &+ 1 < count ? edges[index &+ 1] &- edges[index] : length &- paddingAfter &- edges[index]
  }

  /// The free space before edge `index`. At the first edge, the visible part plus what the border may hide.
  @inline(__always) func gapBefore(_ index: Int) -> Int32 {
    seenGapBefore(index) &+ (index == 0 && paddingBefore > 0 ? ElementRow.hiddenGap : 0)
  }

  /// The free space after edge `index`. At the last edge, the visible part plus what the border may hide.
  @inline(__always) func gapAfter(_ index: Int) -> Int32 {
    seenGapAfter(index) &+ (index &+ 1 == count && paddingAfter > 0 ? ElementRow.hiddenGap : 0)
  }
}
