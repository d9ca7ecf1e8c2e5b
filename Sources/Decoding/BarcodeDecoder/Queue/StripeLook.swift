// Two rows of pixels distinguish bars from print and texture at a hundredth of the cost of a scan line: bars change often,
// and continue from one row to the other.

import BarcodeTypes

/// Looks along two lines of a region, across its bars.
@safe struct StripeLook {
  /// The maximum number of pixels measured per line, around its middle.
  private static let lengthMax = 512
  /// The maximum shift between the lines, in pixels, caused by a slightly wrong direction.
  private static let shiftMax = 2
  /// The distance of the lines from the middle of the region, in pixels: a quarter of its height, within these limits.
  private static let distance = 2...8
  /// The minimum difference of pixels two apart that counts as a change: twice the noise of a camera.
  private static let changeMin: Int16 = 7

  /// The differences of both lines, one after the other.
  private let changes: ScratchArray<Int16>

  init(arena: inout Arena) throws(ArenaFull) {
    changes = try ScratchArray(2 * StripeLook.lengthMax, arena: &arena)
  }

  /// Counts how often the grey changes between rising and falling along one line of a region. If that is often enough for a
  /// symbol, measures how far another line agrees with it.
  ///
  /// - Parameter agreementTurnCountMin: the number of turns from which the other line is measured.
  /// - Returns: the number of turns, the number of measured pixels, and the agreement in 256ths.
  func look(at region: StripeRegion, _ luma: LumaView, agreementTurnCountMin: Int)
    -> (turnCount: Int, length: Int, agreement: Int)
  {
    let count = min(StripeLook.lengthMax, (region.uMax - region.uMin) >> 16 + 2 * StripeLook.shiftMax)
    let inner = StripeLook.shiftMax..<(count - StripeLook.shiftMax)
    guard inner.count > 0 else { return (0, 0, 0) }
    let quarter = (region.vMax - region.vMin) >> 18
    let distance = max(StripeLook.distance.lowerBound, min(StripeLook.distance.upperBound, quarter)) << 16
    let middle = (region.vMin + region.vMax) / 2
    measure(region, luma, v: middle - distance, count: count, from: 0)
    let first = unsafe changes.base
    var energy = 0
    var turnCount = 0
    var isRising = false
    for index in inner {
      let here = unsafe Int(first[index])
      energy &+= here &* here
      if abs(here) >= Int(StripeLook.changeMin), (here > 0) != isRising {
        turnCount &+= 1
        isRising.toggle()
      }
    }
    guard turnCount >= agreementTurnCountMin else { return (turnCount, inner.count, 0) }
    measure(region, luma, v: middle + distance, count: count, from: count)
    let second = unsafe changes.base + count
    for index in inner { unsafe energy &+= Int(second[index]) &* Int(second[index]) }
    var best = 0
    for shift in -StripeLook.shiftMax...StripeLook.shiftMax {
      var product = 0
      for index in inner { unsafe product &+= Int(first[index]) &* Int(second[index &+ shift]) }
      best = max(best, product)
    }
    return (turnCount, inner.count, best * 512 / max(1, energy))
  }

  /// Measures the differences of pixels two apart along a line at `v`, to the nearest pixel.
  private func measure(_ region: StripeRegion, _ luma: LumaView, v: Int, count: Int, from first: Int) {
    let cosine = Int(region.direction.cosine.bits)
    let sine = Int(region.direction.sine.bits)
    let u = (region.uMin + region.uMax) / 2 - count << 15
    var x = region.centerX + (u * cosine - v * sine) >> 16 + 0x8000
    var y = region.centerY + (u * sine + v * cosine) >> 16 + 0x8000
    let (right, bottom) = (luma.width - 1, luma.height - 1)
    var before: Int16 = 0
    var last: Int16 = 0
    for index in 0..<count {
      let value = unsafe Int16(luma.place(max(0, min(right, x >> 16)), max(0, min(bottom, y >> 16)))[0])
      unsafe changes.base[first &+ index] = index < 2 ? 0 : value &- before
      before = last
      last = value
      x &+= cosine
      y &+= sine
    }
  }
}
