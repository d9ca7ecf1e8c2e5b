// Work is bounded by counting it, not by a clock, so that equal pixels get equal work on every machine.

/// The remaining work for one picture.
///
/// One unit is about a hundred instructions on aarch64: reading some 50 interpolated samples of a scan line, or thresholding
/// 200 pixels. A stage spends its units before it does the work and stops when they are refused.
public struct WorkBudget {
  /// Units spent so far.
  public private(set) var spent = 0
  /// Units that may be spent at this point: all, or those up to the end of the current task.
  public private(set) var limit: Int
  /// Units for the whole picture, and those that it may still earn.
  private var total: Int
  private var earnable: Int
  /// Units spent by readers after the first one, which do not use up the patience with a kind of candidate.
  private(set) var shared = 0
  /// The units of each share, those spent before the current one, and whether an earlier share spent any.
  private var share = 0
  private var shareStart = 0
  private var hasShare = false

  /// - Parameter earnable: the most units that successes may add.
  public init(limit: Int, earnable: Int = 0) {
    self.limit = limit
    total = limit
    self.earnable = earnable
  }

  /// Adds units for a success, up to those still earnable.
  mutating func earn(_ units: Int) {
    let earned = min(units, earnable)
    earnable -= earned
    total += earned
    limit += earned
  }

  /// Begins a task that may spend at most `units`, or all that remain, if fewer.
  mutating func beginTask(_ units: Int) { limit = min(total, spent &+ units) }

  /// Begins the first of several shares of a task: readers that each may spend what the task may.
  mutating func beginShares() {
    share = limit - spent
    shareStart = spent
    hasShare = false
  }

  /// Ends a share and begins the next one. Shares after the first reader's are `shared` work: alone, that reader would not have spent
  /// it.
  mutating func nextShare() {
    let cost = spent - shareStart
    if hasShare { shared += cost }
    hasShare = hasShare || cost > 0
    shareStart = spent
    limit = min(total, spent &+ share)
  }

  /// Ends the task.
  mutating func endTask() { limit = total }

  public var isExhausted: Bool { spent >= limit }

  /// Spends `units` if any are left; false if the budget was already used up.
  @inline(__always) public mutating func spend(_ units: Int) -> Bool {
    guard spent < limit else { return false }
    spent &+= units
    return true
  }

  /// Counts work that is already done.
  @inline(__always) public mutating func charge(_ units: Int) { spent &+= units }
}
