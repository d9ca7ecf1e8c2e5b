// Work is bounded by counting it, not by a clock, so that the same pixels get the same work on every machine.

/// What is left of the work that one picture may cost.
///
/// One unit is about a hundred instructions on aarch64: reading some 50 interpolated samples of a scan line, or
/// thresholding 200 pixels. A stage spends its units before it does the work and stops when they are refused.
public struct WorkBudget {
  /// Units spent so far.
  public private(set) var spent = 0
  /// Units that may be spent by now: all, or up to the end of the present share.
  public private(set) var limit: Int
  /// Units kept back for later shares.
  private var heldBack = 0

  public init(limit: Int) { self.limit = limit }

  /// Allows so many units more; all shares end.
  mutating func extend(by units: Int) {
    limit &+= heldBack &+ units
    heldBack = 0
  }

  /// Begins a share: of what is left in all, so many sixteenths may be spent until the next share begins. What a share
  /// leaves is there for those after it.
  mutating func beginShare(sixteenths: Int) {
    let all = limit &+ heldBack
    limit = spent &+ max(0, all &- spent) / 16 &* sixteenths
    heldBack = all &- limit
  }

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
