// The course of low bars across a label that is not flat: seen from above or below, the label of a bottle is an arc, which a straight
// line leaves. In slices across the region, the bars end where grey stops changing from bar to bar; the middles of the slices give
// the arc.

import BarcodeTypes

extension RegionScan {
  /// The slices of a region, and the places along the bars at which each is measured.
  private static let sliceCount = 9
  private static let placeCountMax = 64
  /// The most pixels of a slice that are compared at a place.
  private static let slicePixelCountMax = 32
  /// How far beyond the region bars are looked for, in fractions of its height.
  private static let curveMarginDivisor = 4
  /// A slice belongs to the arc if its middle is no farther away than this fraction of the bars' height, or two places.
  private static let strayDivisor = 4
  /// The fewest slices that make an arc.
  private static let arcSliceCountMin = 6
  /// The least height of an arc, as a fraction of the bars' height, which a straight line leaves.
  private static let arcDivisor = 6
  /// Work units for measuring a slice.
  private static let sliceWork = 180

  /// The region whose lines follow the arc of its bars; nil if they are straight.
  func curvedRegion(_ scene: inout Scene) -> StripeRegion? {
    let length = region.uMax - region.uMin
    let height = region.height
    let margin = height / RegionScan.curveMarginDivisor
    let step = max(1 << 16, (height + 2 * margin) / RegionScan.placeCountMax)
    let placeCount = min(RegionScan.placeCountMax, (height + 2 * margin) / step)
    guard placeCount >= 8, length > RegionScan.sliceCount << 19,
      scene.budget.spend(RegionScan.sliceCount * RegionScan.sliceWork)
    else { return nil }
    let top = (region.vMin + region.vMax - height) / 2 - margin
    var arc = BarArc()
    for slice in 0..<RegionScan.sliceCount {
      let u = region.uMin + length / (2 * RegionScan.sliceCount) * (2 * slice + 1)
      guard let run = bars(aroundU: u, width: length / RegionScan.sliceCount, top: top, step: step, placeCount) else {
        continue
      }
      arc.append(place: 2 * slice - (RegionScan.sliceCount - 1), middle: run.middle, height: run.height)
    }
    let slack = step * 2
    guard arc.count >= RegionScan.arcSliceCountMin else { return nil }
    let barHeight = arc.medianHeight
    while let stray = arc.worst, stray.distance > max(slack, barHeight / RegionScan.strayDivisor) {
      guard arc.count > RegionScan.arcSliceCountMin else { return nil }
      arc.remove(stray.index)
    }
    guard let fit = arc.fit else { return nil }
    // From the outermost slices to the ends of the region.
    let reach = RegionScan.sliceCount - 1
    let sagitta = fit.bow * RegionScan.sliceCount / reach * RegionScan.sliceCount / reach
    guard abs(sagitta) > max(slack, barHeight / RegionScan.arcDivisor) else { return nil }
    var curved = region
    curved.slope = fit.rise * RegionScan.sliceCount / reach * 2 / max(1, length >> 16)
    curved.bow = sagitta
    // The slope is about u = 0, the arc about the middle.
    let middle = fit.middle - (curved.slope * ((region.uMin + region.uMax) >> 17))
    (curved.vMin, curved.vMax) = (middle - barHeight / 2, middle + barHeight / 2)
    return curved
  }

  /// The extent of the bars in a slice: around the place where grey changes most, up to where it changes half as much.
  private func bars(aroundU u: Int, width: Int, top: Int, step: Int, _ placeCount: Int) -> (middle: Int, height: Int)? {
    let (cosine, sine) = (Int(region.direction.cosine.bits), Int(region.direction.sine.bits))
    let pixelCount = min(RegionScan.slicePixelCountMax, width >> 16)
    let (right, bottom) = (luma.width - 1, luma.height - 1)
    var changes: [64 of Int32] = .init(repeating: 0)
    for place in 0..<placeCount {
      let v = top + step * place
      var x = region.centerX + ((u - pixelCount << 15) * cosine - v * sine) >> 16 + 0x8000
      var y = region.centerY + ((u - pixelCount << 15) * sine + v * cosine) >> 16 + 0x8000
      var last = -1
      var sum = 0
      for _ in 0..<pixelCount {
        let value = unsafe Int(luma.place(max(0, min(right, x >> 16)), max(0, min(bottom, y >> 16)))[0])
        if last >= 0 { sum &+= abs(value &- last) }
        last = value
        x &+= cosine
        y &+= sine
      }
      changes[place] = Int32(truncatingIfNeeded: sum)
    }
    // The mean of three, as single rows may be noisy.
    func change(_ place: Int) -> Int32 {
      changes[max(0, place - 1)] + changes[place] + changes[min(placeCount - 1, place + 1)]
    }
    var best = 0
    for place in 0..<placeCount where change(place) > change(best) { best = place }
    let least = change(best) / 2
    guard least > 0 else { return nil }
    var (first, last) = (best, best)
    while first > 0, change(first - 1) >= least { first -= 1 }
    while last + 1 < placeCount, change(last + 1) >= least { last += 1 }
    return (top + step * (first + last) / 2, step * (last - first + 1))
  }
}

/// The middles of slices, and the parabola through them.
private struct BarArc {
  private(set) var count = 0
  /// From one slice to the next 2, around 0.
  private var places: [9 of Int] = .init(repeating: 0)
  private var middles: [9 of Int] = .init(repeating: 0)
  private var heights: [9 of Int] = .init(repeating: 0)

  mutating func append(place: Int, middle: Int, height: Int) {
    (places[count], middles[count], heights[count]) = (place, middle, height)
    count += 1
  }

  mutating func remove(_ index: Int) {
    count -= 1
    for other in index..<count {
      (places[other], middles[other], heights[other]) = (places[other + 1], middles[other + 1], heights[other + 1])
    }
  }

  var medianHeight: Int {
    for index in 0..<count {
      var lower = 0
      for other in 0..<count where heights[other] < heights[index] || heights[other] == heights[index] && other < index {
        lower += 1
      }
      if lower == count / 2 { return heights[index] }
    }
    return 0
  }

  /// The slice farthest from the parabola, and its distance.
  var worst: (index: Int, distance: Int)? {
    guard let fit else { return nil }
    var worst = (index: 0, distance: -1)
    for index in 0..<count {
      let distance = abs(middles[index] - fit.value(at: places[index]))
      if distance > worst.distance { worst = (index, distance) }
    }
    return worst
  }

  /// The parabola of least squares: its middle, and how far it rises and bows towards the outermost slices.
  var fit: Fit? {
    var equations = NormalEquations(unknownCount: 3)
    let origin = middles[count / 2]
    for index in 0..<count {
      var coefficients: [10 of Int32] = .init(repeating: 0)
      // Sixteenths of pixels, and 4096 for the outermost slices.
      let place = Int32(truncatingIfNeeded: places[index] * 512)
      (coefficients[0], coefficients[1], coefficients[2]) = (4096, place, (place * place) >> 12)
      equations.add(coefficients, Int32(truncatingIfNeeded: max(-32_767, min(32_767, (middles[index] - origin) >> 12))))
    }
    guard let found = equations.solve(damping: .init(repeating: 0)) else { return nil }
    return Fit(middle: origin + Int(found[0]) << 8, rise: Int(found[1]) << 8, bow: Int(found[2]) << 8)
  }

  /// In pixels times 65536.
  struct Fit {
    let middle: Int
    let rise: Int
    let bow: Int

    func value(at place: Int) -> Int { middle + rise * place / 8 + bow * place * place / 64 }
  }
}
