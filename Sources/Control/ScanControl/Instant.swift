// Time as the controller sees it: a number passed in by the caller. The controller reads no clock.

/// A moment of the boot-time clock (CLOCK_BOOTTIME), in nanoseconds.
public struct Instant: InstantProtocol, Sendable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The moment `duration` later. Settings keep durations below a day, so the sum cannot overflow for centuries.
  public func advanced(by duration: Duration) -> Instant {
    let (seconds, attoseconds) = duration.components
    return Instant(nanoseconds: nanoseconds &+ seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
  }

  public func duration(to other: Instant) -> Duration { .nanoseconds(other.nanoseconds &- nanoseconds) }

  public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
}
