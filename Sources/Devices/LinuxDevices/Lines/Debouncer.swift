// Turns a bouncing contact into presses. A level counts once it has been stable for a while, so that neither bouncing nor a
// spike on the cable is a press.

/// The contact of a button. Times are nanoseconds of any clock that never goes back.
struct Debouncer: Equatable {
  private let quiet: Int64
  /// The stable level.
  private(set) var isPressed: Bool
  private struct Edge: Equatable {
    var isPressed: Bool
    var at: Int64
  }

  /// The level and time of the last edge, until the level counts.
  private var pending: Edge?

  /// - Parameters:
  ///   - quiet: how long a level must last, in nanoseconds.
  ///   - isPressed: the level at the start, which is not reported.
  init(quiet: Int64, isPressed: Bool) {
    self.quiet = quiet
    self.isPressed = isPressed
  }

  /// Records an edge.
  mutating func edge(isPressed: Bool, at time: Int64) { pending = Edge(isPressed: isPressed, at: time) }

  /// When to ask again; nil if nothing is pending.
  var deadline: Int64? { pending.map { $0.at + quiet } }

  /// The change that has become stable by `time`, if any.
  mutating func settle(at time: Int64) -> Bool? {
    guard let pending, time >= pending.at + quiet else { return nil }
    self.pending = nil
    guard pending.isPressed != isPressed else { return nil }
    isPressed = pending.isPressed
    return isPressed
  }
}
