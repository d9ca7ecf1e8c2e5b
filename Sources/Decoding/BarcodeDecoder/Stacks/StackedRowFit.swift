// The rows at each height, from the row indicators read at many heights. Most of them are right, some are read across two
// rows, some are wrong. The fit is the straight line that most of them agree with, not their mean.

/// The quotient numerator / denominator times 65536, for numbers of any size; the denominator is positive.
func fraction(_ numerator: Int, _ denominator: Int) -> Int {
  let shift = max(0, 17 - abs(numerator).leadingZeroBitCount)
  return ((numerator >> shift) << 16) / max(1, denominator >> shift)
}

/// The row that was read at one place at the side of a symbol.
struct RowVote: BitwiseCopyable {
  /// The height, in steps.
  var step: Int32
  var row: Int32
  var weight: Int32
}

/// A straight line from heights to rows.
struct StackedRowFit: BitwiseCopyable {
  /// The row at height 0, and rows per step; times 65536. Row i has its middle at i + 1/2.
  var start: Int
  var slope: Int
  /// Number of votes that agree, and the sum of their weights.
  var inlierCount: Int
  var weight: Int

  /// Least agreeing votes.
  static let inlierCountMin = 4
  /// Symbol height, in steps, from which the rows of the sides give the perspective more precisely than the module widths of
  /// the sides.
  private static let sureStepCount = 24

  @inline(__always) func row(at step: Int) -> Int { start &+ slope &* step }

  /// Whether a vote is within 3/4 of a row.
  @inline(__always) func agrees(_ vote: RowVote) -> Bool {
    abs(row(at: Int(vote.step)) &- (Int(vote.row) << 16 &+ 0x8000)) < 49_152
  }

  /// The height of a row boundary, in 1/256 steps.
  func height(ofRow row: Int) -> Int { (((row << 16) - start) << 8) / slope }

  /// The line that agrees with the most weight of votes; nil if there is no such line.
  ///
  /// - Parameters:
  ///   - first, count: the range of votes to use.
  ///   - slopeMin: the least absolute value of rows per step, times 65536.
  init?(_ votes: ScratchArray<RowVote>, first: Int, count: Int, slopeMin: Int) {
    let end = first + count
    var best: StackedRowFit?
    // Pairs at several distances, each vote as the first one.
    let strideMax = max(1, count / 2)
    var distance = max(1, count / 8)
    while distance <= strideMax {
      for index in first..<max(first, end - distance) {
        let a = votes[index]
        let b = votes[index + distance]
        let steps = Int(b.step - a.step)
        let rows = Int(b.row - a.row)
        guard steps > 0, rows != 0 else { continue }
        let slope = (rows << 16) / steps
        guard abs(slope) >= slopeMin, abs(slope) <= 65_536 else { continue }
        var fit = StackedRowFit(
          start: Int(a.row) << 16 + 0x8000 - slope * Int(a.step), slope: slope, inlierCount: 0, weight: 0)
        fit.count(votes, first, end)
        if fit.weight > (best?.weight ?? 0) { best = fit }
      }
      distance += max(1, count / 8)
    }
    guard var fit = best else { return nil }
    for _ in 0..<3 {
      guard let refined = fit.refined(votes, first, end), refined.weight * 8 >= fit.weight * 7 else { break }
      fit = refined
    }
    guard fit.inlierCount >= StackedRowFit.inlierCountMin, abs(fit.slope) >= slopeMin else { return nil }
    self = fit
  }

  /// Gives both sides of a symbol of few rows nearly the same rows per step, each around its middle row.
  ///
  /// The grid of the steps has the perspective given by the widths of the start and stop patterns. The fits give the
  /// difference in height between the sides only to about one step in total. For low symbols, that is too imprecise to bend
  /// the columns between the sides.
  mutating func agree(with other: inout StackedRowFit, rowCount: Int) {
    let mean = (slope + other.slope) / 2
    guard mean != 0, (slope > 0) == (other.slope > 0) else { return }
    let stepCount = (rowCount << 16) / abs(mean)
    let square = stepCount * stepCount
    let difference = (slope - mean) * square / (square + StackedRowFit.sureStepCount * StackedRowFit.sureStepCount)
    setSlope(mean + difference, rowCount: rowCount)
    other.setSlope(mean - difference, rowCount: rowCount)
  }

  /// Sets the rows per step and keeps the middle of all rows in place.
  private mutating func setSlope(_ value: Int, rowCount: Int) {
    let middle = (((rowCount << 15) - start) << 8) / slope
    start = rowCount << 15 - (value * middle) >> 8
    slope = value
  }

  private init(start: Int, slope: Int, inlierCount: Int, weight: Int) {
    self.start = start
    self.slope = slope
    self.inlierCount = inlierCount
    self.weight = weight
  }

  private mutating func count(_ votes: ScratchArray<RowVote>, _ first: Int, _ end: Int) {
    inlierCount = 0
    weight = 0
    for index in first..<end where agrees(votes[index]) {
      inlierCount &+= 1
      weight &+= Int(votes[index].weight)
    }
  }

  /// The least squares line through the votes that agree: of heights by rows, as a vote may lie anywhere in its row. A fit
  /// of rows by heights would be too flat, by a ninth in a symbol of three rows.
  private func refined(_ votes: ScratchArray<RowVote>, _ first: Int, _ end: Int) -> StackedRowFit? {
    var sum = 0
    var sumX = 0
    var sumY = 0
    var sumXY = 0
    var sumYY = 0
    for index in first..<end where agrees(votes[index]) {
      let vote = votes[index]
      let weight = Int(vote.weight)
      let x = Int(vote.step)
      let y = 2 &* Int(vote.row) &+ 1
      sum &+= weight
      sumX &+= weight &* x
      sumY &+= weight &* y
      sumXY &+= weight &* x &* y
      sumYY &+= weight &* y &* y
    }
    let common = sum * sumXY - sumX * sumY
    let spread = sum * sumYY - sumY * sumY
    guard common != 0, spread > 0 else { return nil }
    let slope = fraction(spread, abs(common)) / (common > 0 ? 2 : -2)
    let start = ((sumY << 15) - slope * sumX) / sum
    guard slope != 0 else { return nil }
    var fit = StackedRowFit(start: start, slope: slope, inlierCount: 0, weight: 0)
    fit.count(votes, first, end)
    return fit
  }
}
