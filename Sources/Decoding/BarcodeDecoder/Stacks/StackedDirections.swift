// The directions of the bars and rows of a stacked symbol, measured in the pixels of its region. Tiles give them only to a
// few degrees: the finer the bars, the more the differences of neighbouring pixels lean towards the diagonal, and the
// outline of a region about as high as it is long does not show the direction of the rows. A line across many rows two
// modules high needs half a degree.

import BarcodeTypes

/// Measures the directions of regions.
@safe struct StackedDirections {
  /// Pixels sampled in a region. In drawn symbols of all sizes, blurred and with noise, this gives the bars to 0.3 degrees
  /// and the rows to 0.8 on average.
  private static let sampleCountMax = 2048
  /// Pixels sampled in a camera frame, and the number of them that decides whether the rest is worthwhile.
  private static let frameSampleCountMax = 1536
  private static let lookCount = 384
  /// Least share of the gradients that must lie within 20 degrees of their direction in a camera frame, in 256ths: 0.44.
  private static let frameShareMin = 112
  /// Angles from the current direction within which gradients count, per round: 30, 20 and 12 degrees, given as the tangents
  /// of the doubled angles, times 256. The slanted gradients of module corners count less and less.
  private static let rounds: [5 of Int] = [443, 215, 215, 114, 114]
  /// The corresponding angle for the gradients along the bars: 15 degrees, as tilt slants rows.
  private static let alongTangent = 148

  /// Each pixel's gradient as a vector with twice its direction and its squared length.
  private let doubledX: ScratchArray<Int32>
  private let doubledY: ScratchArray<Int32>

  init(arena: inout Arena) throws(ArenaFull) {
    doubledX = try ScratchArray(StackedDirections.sampleCountMax, arena: &arena)
    doubledY = try ScratchArray(StackedDirections.sampleCountMax, arena: &arena)
  }

  /// Sets a region's direction and slope from its gradients. False if they do not agree on a direction or the budget is
  /// spent; in a camera frame, also if they agree less than in a symbol.
  func measure(_ region: inout StripeRegion, _ luma: LumaView, effort: Effort, _ budget: inout WorkBudget) -> Bool {
    guard luma.width >= 3, luma.height >= 3 else { return false }
    var countMax = StackedDirections.sampleCountMax
    var shareMin = 0
    if effort == .frame {
      guard budget.spend(StackedDirections.lookCount) else { return false }
      let count = sample(region, luma, countMax: StackedDirections.lookCount)
      guard across(count).share >= StackedDirections.frameShareMin else { return false }
      countMax = StackedDirections.frameSampleCountMax
      shareMin = StackedDirections.frameShareMin
    }
    guard budget.spend(countMax) else { return false }
    let count = sample(region, luma, countMax: countMax)
    let (across, share) = across(count)
    guard share > shareMin else { return false }
    // Gradients along the bars are those between rows: a quarter turn from those across, or half a turn when doubled.
    let along = sum(count, near: (-across.x, -across.y), tangent: StackedDirections.alongTangent)
    let bars = BinaryAngle(bits: BinaryAngle(x: across.x, y: across.y).bits >> 1)
    let turned = Int(Int16(bitPattern: (bars.bits &- region.direction.bits) << 1)) >> 1
    region.slope -= (turned * 411_775) >> 16
    region.direction = bars
    // Bars without rows, as in linear symbols, have next to no gradients along the bars.
    guard length(along.x, along.y) * 32 > length(across.x, across.y) else { return effort == .still }
    let rows = BinaryAngle(bits: BinaryAngle(x: -along.x, y: -along.y).bits >> 1)
    let skew = BinaryAngle(bits: UInt16(bitPattern: Int16(bitPattern: (rows.bits &- bars.bits) << 1) >> 1))
    region.slope = (Int(skew.sine.bits) << 16) / max(1, Int(skew.cosine.bits))
    return true
  }

  /// The doubled direction of the bars' gradients, and the share of all gradients near it, in 256ths.
  private func across(_ count: Int) -> (direction: (x: Int, y: Int), share: Int) {
    var direction = (x: 0, y: 0)
    var all = 0
    for index in 0..<count {
      direction.x += Int(doubledX[index])
      direction.y += Int(doubledY[index])
      all += length(Int(doubledX[index]), Int(doubledY[index]))
    }
    var share = 0
    for round in StackedDirections.rounds.indices {
      direction = sum(count, near: direction, tangent: StackedDirections.rounds[round])
      if round == 2 { share = length(direction.x, direction.y) * 256 / max(1, all) }
    }
    return (direction, share)
  }

  /// The length of a vector, with an error of at most 7 %.
  private func length(_ x: Int, _ y: Int) -> Int { max(abs(x), abs(y)) &+ (min(abs(x), abs(y)) &* 3) >> 3 }

  /// Samples the gradients at places all over a region, with a three by three operator that treats all directions alike
  /// (Scharr's). Returns their number.
  private func sample(_ region: StripeRegion, _ luma: LumaView, countMax: Int) -> Int {
    // Tile centres are up to half a tile inside the border of the tiled area.
    let length = (region.uMax - region.uMin) >> 16 + 8
    let height = (region.vMax - region.vMin) >> 16 + 8
    // The smallest distance between places, in pixels times 256, that does not exceed the permitted number.
    let step = max(256, Int(integerRoot(UInt64(length * height << 16 / countMax))) + 1)
    let columns = min(countMax, length << 8 / step)
    let rows = min(countMax / max(1, columns), height << 8 / step)
    let cosine = Int(region.direction.cosine.bits)
    let sine = Int(region.direction.sine.bits)
    var count = 0
    for row in 0..<rows {
      for column in 0..<columns {
        // Each column is shifted by the golden section more than the one before: rows of the symbol may be as high as the
        // step.
        let shift = (column * 158) & 255
        let u = region.uMin - 4 << 16 + (step * column) << 8
        let v = region.vMin - 4 << 16 + step * (row << 8 + shift)
        let x = (region.centerX + (u * cosine - v * sine) >> 16 + 0x8000) >> 16
        let y = (region.centerY + (u * sine + v * cosine) >> 16 + 0x8000) >> 16
        guard x >= 1, y >= 1, x < luma.width - 1, y < luma.height - 1 else { continue }
        let (above, here, below) = unsafe (luma.place(x, y - 1), luma.place(x, y), luma.place(x, y + 1))
        let rising = unsafe Int32(below[1]) &- Int32(above[-1])
        let falling = unsafe Int32(above[1]) &- Int32(below[-1])
        let gx = unsafe 3 &* (rising &+ falling) &+ 10 &* (Int32(here[1]) &- Int32(here[-1]))
        let gy = unsafe 3 &* (rising &- falling) &+ 10 &* (Int32(below[0]) &- Int32(above[0]))
        doubledX[count] = gx &* gx &- gy &* gy
        doubledY[count] = 2 &* gx &* gy
        count += 1
      }
    }
    return count
  }

  /// The sum of the doubled vectors whose direction differs from a given one by at most an angle, given by its tangent in
  /// 256ths.
  private func sum(_ count: Int, near direction: (x: Int, y: Int), tangent: Int) -> (x: Int, y: Int) {
    // Reduce to 15 bits.
    let shift = max(0, 49 - min(abs(direction.x).leadingZeroBitCount, abs(direction.y).leadingZeroBitCount))
    let x = direction.x >> shift
    let y = direction.y >> shift
    var sum = (x: 0, y: 0)
    for index in 0..<count {
      let vectorX = Int(doubledX[index])
      let vectorY = Int(doubledY[index])
      let along = vectorX &* x &+ vectorY &* y
      let aside = vectorY &* x &- vectorX &* y
      guard abs(aside) &* 256 <= along &* tangent else { continue }
      sum.x &+= vectorX
      sum.y &+= vectorY
    }
    return sum
  }
}
