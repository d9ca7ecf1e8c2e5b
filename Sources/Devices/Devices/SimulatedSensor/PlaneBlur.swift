// The blur of a lens out of focus and of a moving part. Both work in place on a plane, with a spare one of the same size.

import Glibc

/// Blurs planes; what is beyond their edges counts as 0.
enum PlaneBlur {
  /// Blurs that are too small to matter, in pixels.
  static let leastPixels = 0.3

  /// Spreads each point over a disc. Two means over squares have the disc's variance and nearly its shape.
  static func defocus(_ plane: inout FloatPlane, spare: inout FloatPlane, diameter: Double) {
    guard diameter >= leastPixels else { return }
    // A disc has a variance of diameter²/16 along each axis, a mean of n pixels one of (n² − 1)/12.
    let width = sqrt(1 + 12 * diameter * diameter / 16 / 2)
    for _ in 0..<2 {
      meanAcross(plane, into: spare, width: width)
      meanDown(spare, into: plane, width: width)
    }
  }

  /// The mean over `width` pixels of each row; pixels at the ends count in part.
  private static func meanAcross(_ source: FloatPlane, into target: FloatPlane, width: Double) {
    let reach = Int((width - 1) / 2)
    let edge = Float((width - Double(2 * reach + 1)) / 2)
    let scale = Float(1 / width)
    let count = source.width
    for y in 0..<source.height {
      let (from, to) = (source.row(y), target.row(y))
      var sum: Float = 0
      for x in 0..<min(reach, count) { sum += from[x] }
      func mean(at x: Int) {
        let left = x - reach - 1 >= 0 ? from[x - reach - 1] : 0
        let right = x + reach + 1 < count ? from[x + reach + 1] : 0
        sum += (x + reach < count ? from[x + reach] : 0) - left
        to[x] = (sum + edge * (left + right)) * scale
      }
      // Between the ends no place is beyond the row.
      let start = min(count, reach + 1)
      let end = max(start, count - reach - 1)
      for x in 0..<start { mean(at: x) }
      for x in start..<end {
        let left = from[x - reach - 1]
        sum += from[x + reach] - left
        to[x] = (sum + edge * (left + from[x + reach + 1])) * scale
      }
      for x in end..<count { mean(at: x) }
    }
  }

  private static func meanDown(_ source: FloatPlane, into target: FloatPlane, width: Double) {
    let reach = Int((width - 1) / 2)
    let edge = Float((width - Double(2 * reach + 1)) / 2)
    let scale = Float(1 / width)
    let (count, rows) = (source.width, source.height)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * count) { memory in
      guard let sums = memory.baseAddress else { return }
      sums.initialize(repeating: 0, count: 2 * count)
      let zeros = UnsafePointer(sums + count)
      func row(_ y: Int) -> UnsafePointer<Float> { y >= 0 && y < rows ? UnsafePointer(source.row(y)) : zeros }
      for y in 0..<min(reach, rows) { add(row(y), minus: zeros, to: sums, count: count) }
      for y in 0..<rows {
        let (above, below) = (row(y - reach - 1), row(y + reach + 1))
        add(row(y + reach), minus: above, to: sums, count: count)
        let to = target.row(y)
        for x in 0..<count { to[x] = (sums[x] + edge * (above[x] + below[x])) * scale }
      }
    }
  }

  private static func add(
    _ plus: UnsafePointer<Float>, minus: UnsafePointer<Float>, to sums: UnsafeMutablePointer<Float>, count: Int
  ) {
    for x in 0..<count { sums[x] += plus[x] - minus[x] }
  }

  /// Spreads each point along a line of `x` by `y` pixels around it.
  static func smear(_ plane: inout FloatPlane, spare: inout FloatPlane, x: Double, y: Double) {
    let length = max(abs(x), abs(y))
    // Shorter lines stay within a pixel.
    guard length > 1 else { return }
    let isAcross = abs(x) >= abs(y)
    let slope = isAcross ? y / x : x / y
    let reach = Int((length / 2 + 0.5).rounded(.up)) - 1
    let (width, height) = (plane.width, plane.height)
    spare.fill(0)
    for tap in -reach...reach {
      let start = max(-length / 2, Double(tap) - 0.5)
      let weight = Float((min(length / 2, Double(tap) + 0.5) - start) / length)
      let aside = Int((Double(tap) * slope).rounded())
      let (columns, rows) = isAcross ? (tap, aside) : (aside, tap)
      let (left, right) = (max(0, -columns), min(width, width - columns))
      guard weight > 0, left < right else { continue }
      for row in max(0, -rows)..<max(0, -rows, min(height, height - rows)) {
        let from = plane.row(row + rows) + columns
        let to = spare.row(row)
        for column in left..<right { to[column] += weight * from[column] }
      }
    }
    FloatPlane.exchange(&plane, &spare)
  }
}
