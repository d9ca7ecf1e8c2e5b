// A straight line through points, by least squares.

/// The sums of the points added so far.
struct LineFit: BitwiseCopyable {
  private(set) var count = 0
  private(set) var sumX = 0
  private(set) var sumY = 0
  private var sumXX = 0
  private var sumXY = 0

  mutating func add(_ x: Int, _ y: Int) {
    count += 1
    sumX += x
    sumY += y
    sumXX += x * x
    sumXY += x * y
  }

  /// The slope as a fraction; its divisor is 0 if all points have the same x.
  var slope: (dividend: Int, divisor: Int) { (count * sumXY - sumX * sumY, count * sumXX - sumX * sumX) }
}
