// A lens that moves at finite speed.

/// The position of a lens over time.
struct SensorLens {
  /// In dioptres, at `moment`.
  private(set) var position: Double
  var target: Double
  /// In dioptres per second.
  private let speed: Double
  /// In nanoseconds.
  private var moment: Int64

  init(position: Double, speed: Double, at moment: Int64) {
    self.position = position
    target = position
    self.speed = speed
    self.moment = moment
  }

  /// Moves the lens until a moment; an earlier one has no effect.
  mutating func advance(to moment: Int64) {
    guard moment > self.moment else { return }
    let way = speed * Double(moment - self.moment) / 1e9
    position += max(-way, min(way, target - position))
    self.moment = moment
  }
}
