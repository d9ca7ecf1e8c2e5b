// Bars around a cylinder: towards the side of a can, a bottle or a tube, modules become narrower. Seen from afar, a place at the
// angle a from the nearest point of the surface lies at r · sin a. The elements of a row show centre and radius: any twelve elements
// in a row, about two characters, should be about equally long wherever they are.

/// The map of a row's places to those on the unrolled surface, both in samples times 256 from the row's beginning.
struct RowBend: BitwiseCopyable {
  /// The place nearest to the camera, and the radius of the cylinder.
  fileprivate let center: Int
  fileprivate let radius: Int
  /// The unrolled place of the row's beginning, from the centre, and the end of the row.
  private let offset: Int
  private let length: Int

  /// The angle beyond which a row is not unrolled further, as its sine times 65536: 75 degrees.
  private static let sineMax = 63_303
  /// The slope of the arcsine there, times 65536.
  private static let endSlope = 253_208

  init(center: Int, radius: Int, length: Int) {
    (self.center, self.radius, self.length) = (center, radius, length)
    offset = RowBend.unrolled(-center, radius)
  }

  /// The unrolled distance from the centre: the radius times the arcsine and, beyond the greatest angle, a straight continuation.
  @inline(__always) fileprivate static func unrolled(_ place: Int, _ radius: Int) -> Int {
    let whole = (place << 16) / radius
    let sine = max(-sineMax, min(sineMax, whole))
    let size = abs(sine)
    let index = size >> 9
    let low = Int(arcsine[index])
    var angle = low &+ ((Int(arcsine[index &+ 1]) &- low) &* (size & 0x1FF)) >> 9
    if sine < 0 { angle = 0 &- angle }
    if whole != sine { angle &+= product(whole &- sine, endSlope) }
    return product(angle, radius)
  }

  /// The product of a factor with one that is given times 65536.
  @inline(__always) private static func product(_ a: Int, _ b: Int) -> Int { (a &* b) >> 16 }

  /// The unrolled place of a place of the row.
  @inline(__always) func flat(_ place: Int32) -> Int32 {
    Int32(truncatingIfNeeded: RowBend.unrolled(Int(place) &- center, radius) &- offset)
  }

  /// The place of the row that was unrolled to a place.
  func bent(_ flat: Int32) -> Int32 {
    var low: Int32 = 0
    var high = Int32(truncatingIfNeeded: length)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if self.flat(middle) <= flat { low = middle } else { high = middle }
    }
    return low
  }
}

/// asin(i / 128) · 65536, i = 0...128; recomputed by BentLabelTests.
let arcsine: [129 of Int32] = [
  0, 512, 1024, 1536, 2048, 2561, 3073, 3586, 4099, 4612, 5125, 5639, 6153, 6667, 7182, 7698, 8213, 8730, 9247, 9764,
  10282, 10801, 11320, 11840, 12361, 12883, 13405, 13929, 14453, 14978, 15504, 16031, 16560, 17089, 17619, 18151,
  18684, 19218, 19754, 20291, 20829, 21369, 21910, 22453, 22997, 23543, 24091, 24640, 25192, 25745, 26300, 26857,
  27417, 27978, 28542, 29108, 29676, 30246, 30819, 31395, 31973, 32554, 33138, 33725, 34315, 34907, 35503, 36102,
  36705, 37311, 37921, 38534, 39152, 39773, 40398, 41028, 41662, 42301, 42944, 43592, 44245, 44904, 45568, 46238,
  46913, 47595, 48283, 48977, 49679, 50388, 51104, 51828, 52560, 53301, 54051, 54810, 55579, 56358, 57148, 57950,
  58764, 59591, 60431, 61286, 62156, 63043, 63947, 64870, 65813, 66778, 67767, 68782, 69824, 70898, 72006, 73151,
  74339, 75575, 76867, 78221, 79651, 81170, 82798, 84566, 86517, 88727, 91343, 94746, 102944,
]

extension ElementRow {
  /// The number of elements whose length is compared with that of as many others.
  private static let windowCount = 12
  /// The least number of elements that show a bend.
  private static let bentCountMin = 24
  /// A space as wide as this many mean elements of the twelve next to it ends the bars.
  private static let gapFactor: Int32 = 4
  /// The sines of the angles at which the farther end of the bars may lie, in 256ths: from 25 to 75 degrees.
  private static let endSines: [8 of Int] = [108, 137, 165, 192, 213, 230, 241, 247]
  /// The places of the cylinder's nearest point along the bars that are tried, in sixteenths of their length.
  private static let centers: [7 of Int] = [8, 7, 9, 6, 10, 4, 12]
  /// A bend counts if it leaves at most this share of the variance of the flat row, in 256ths.
  private static let varianceShareMax = 192

  /// The bend of a row whose bars run around a cylinder; nil if they seem flat.
  func measuredBend() -> RowBend? {
    guard let (first, last) = bars() else { return nil }
    let (start, end) = (Int(edge(first)), Int(edge(last)))
    let flatVariance = variance(from: first, to: last) { Int(edge($0)) }
    var least = (flatVariance * ElementRow.varianceShareMax) >> 8
    var best: RowBend?
    for half in ElementRow.endSines.indices {
      for place in ElementRow.centers.indices {
        let center = start + (end - start) * ElementRow.centers[place] / 16
        // The farther end lies at the sine.
        let reach = max(center - start, end - center)
        let radius = reach * 256 / ElementRow.endSines[half]
        let variance = variance(from: first, to: last) { RowBend.unrolled(Int(edge($0)) - center, radius) }
        if variance < least {
          least = variance
          best = RowBend(center: center, radius: radius, length: Int(length))
        }
      }
    }
    return best
  }

  /// The first and the last edge of the bars around the middle edge, up to wide spaces; nil if they are too few.
  private func bars() -> (first: Int, last: Int)? {
    guard count >= ElementRow.bentCountMin else { return nil }
    let span = ElementRow.windowCount
    var first = count / 2 - span / 2
    var last = first + span
    let scale = ElementRow.gapFactor
    while first > 0, width(first - 1) * Int32(truncatingIfNeeded: span) < (edge(first + span) - edge(first)) * scale {
      first -= 1
    }
    while last + 1 < count, width(last) * Int32(truncatingIfNeeded: span) < (edge(last) - edge(last - span)) * scale {
      last += 1
    }
    return last - first >= ElementRow.bentCountMin ? (first, last) : nil
  }

  /// The variance of the logarithms of the lengths of windows, each beginning two elements after the previous one.
  @inline(__always) private func variance(from first: Int, to last: Int, _ place: (Int) -> Int) -> Int {
    var sum = 0
    var sumOfSquares = 0
    var windowCount = 0
    var index = first
    while index + ElementRow.windowCount <= last {
      let value = ElementRow.logarithm(max(1, place(index + ElementRow.windowCount) - place(index)))
      sum &+= value
      sumOfSquares &+= value &* value
      windowCount &+= 1
      index &+= 2
    }
    return (sumOfSquares * windowCount - sum * sum) / (windowCount * windowCount)
  }

  /// The binary logarithm times 256, straight between powers of two: at most 22 too small.
  @inline(__always) private static func logarithm(_ value: Int) -> Int {
    let whole = 63 &- value.leadingZeroBitCount
    return whole << 8 &+ ((value << 8) >> whole) &- 256
  }

  /// Moves the edges to their places on the unrolled surface.
  mutating func unroll(_ bend: RowBend) {
    self.bend = bend
    for index in 0..<count { unsafe edges[index] = bend.flat(edges[index]) }
    paddingBefore = bend.flat(paddingBefore)
    let end = bend.flat(length)
    paddingAfter = end - bend.flat(length - paddingAfter)
    length = end
  }
}
