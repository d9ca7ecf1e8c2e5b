// Work is bounded by counting it, not by a clock, so that the same pixels get the same work on every machine.

/// What is left of the work that one picture may cost.
///
/// One unit is about a hundred instructions on aarch64: reading some 50 interpolated samples of a scan line, or
/// thresholding 200 pixels. A stage spends its units before it does the work and stops when they are refused.
public struct WorkBudget {
  /// Units spent so far.
  public private(set) var spent = 0
  /// Units that may be spent by now: all, or up to the end of the present task.
  public private(set) var limit: Int
  /// Units for the whole picture, and those that it may earn.
  private var total: Int
  private var earnable: Int

  /// - Parameter earnable: units that successes may add at most.
  public init(limit: Int, earnable: Int = 0) {
    self.limit = limit
    total = limit
    self.earnable = earnable
  }

  /// Adds units for a success, as long as there are any to earn.
  mutating func earn(_ units: Int) {
    let earned = min(units, earnable)
    earnable -= earned
    total += earned
    limit += earned
  }

  /// Begins a task that may spend so many units, if there are as many left.
  mutating func beginTask(_ units: Int) { limit = min(total, spent &+ units) }

  /// Ends the task.
  mutating func endTask() { limit = total }

  public var isExhausted: Bool { spent >= limit }

  /// Takes `units` if any are left; false when the budget had been used up before.
  @inline(__always) public mutating func spend(_ units: Int) -> Bool {
    guard spent < limit else { return false }
    spent &+= units
    return true
  }

  /// Counts work that is done already.
  @inline(__always) public mutating func charge(_ units: Int) { spent &+= units }
}
