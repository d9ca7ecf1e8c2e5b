// The direction of a region's bars, measured in the pixels: where it is right, edges are sharpest.

import BarcodeTypes

extension RegionScan {
  /// Number of directions tried on either side of the region's own, and the step between them: 0.75 degrees, in 65536ths of
  /// a turn.
  private static let leanStepCount = 4
  private static let leanStep = 137
  /// Most rounds of refining a direction; a round follows if the best direction was the last one tried.
  private static let leanRoundCountMax = 3
  /// Pixels along the bars over which a direction is judged.
  private static let leanRowCount = 16

  /// Refines the direction of the region's bars: of nine directions, the one with the sharpest edges. Each half of the
  /// region is searched separately, which shows how tilt turns the bars.
  mutating func refineDirection(_ scene: inout Scene) {
    region.isRefined = true
    for _ in 0..<RegionScan.leanRoundCountMax {
      guard let best = sharpestLeans(&scene) else { break }
      region.lean += (best.left + best.right) / 2
      // The middles of the halves are half a length apart.
      region.turn += ((best.right - best.left) << 33) / max(1 << 16, region.uMax - region.uMin)
      // If the last direction tried is the best, a better one may lie beyond it; a frame has no time for more.
      let reach = RegionScan.leanStepCount * RegionScan.leanStep
      guard scene.effort == .still, abs(best.left) == reach || abs(best.right) == reach else { break }
    }
  }

  /// The difference between the directions of the bars in both halves of the region and the region's own direction. Nil if
  /// the region is too small to measure, or the budget is spent.
  private func sharpestLeans(_ scene: inout Scene) -> (left: Int, right: Int)? {
    let rowCount = min(RegionScan.leanRowCount, (region.vMax - region.vMin) >> 17)
    // With so few rows, a wrong direction blurs nothing.
    guard rowCount >= 4 else { return nil }
    var best: (left: Int, right: Int) = (0, 0)
    var sharpest: (left: Int, right: Int) = (0, 0)
    for step in -RegionScan.leanStepCount...RegionScan.leanStepCount {
      let lean = step * RegionScan.leanStep
      var trial = region
      trial.lean += lean
      var line = ScanLine(
        trial, v: (region.vMin + region.vMax) / 2, slope: region.slope, u: (region.uMin, region.uMax),
        rowCount: rowCount, in: luma)
      line.skipEverySecond()
      guard line.count >= 30, scene.budget.spend(line.count * (line.rowCount * 12 + 10) / 100) else { return nil }
      unsafe line.read(luma, into: profile)
      let left = squaredDifferences(from: 1, to: line.count / 2)
      let right = squaredDifferences(from: line.count / 2, to: line.count)
      if left > sharpest.left { (sharpest.left, best.left) = (left, lean) }
      if right > sharpest.right { (sharpest.right, best.right) = (right, lean) }
    }
    return best
  }

  /// The sharpness of a piece of the profile.
  private func squaredDifferences(from first: Int, to end: Int) -> Int {
    var sum = 0
    for index in first..<end {
      let difference = unsafe Int(profile[index] &- profile[index &- 1])
      sum &+= difference &* difference
    }
    return sum
  }
}
