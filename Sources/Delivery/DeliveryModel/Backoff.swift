// The wait after a failure. Most failures are over within a second (a host restarts, a cable is pushed in again), the others
// last for hours: hence a few quick retries, then delays that double up to a cap.

/// The delay before a retry.
///
///     delay(n) = fastDelay                                  for n ≤ fastCount
///     delay(n) = min(delayMax, firstDelay × 2^(n-fastCount-1))   after that
///     waited   = delay(n) × (1 - jitter × u)                u uniform in [0, 1)
///
/// where n counts consecutive failures. With the defaults of `RetrySettings` (fast 5 × 200 ms, first 1 s, cap 60 s,
/// jitter 0.5):
///
/// | failure n | delay | waited between | since the first failure, at most |
/// |---|---|---|---|
/// | 1…5 | 0.2 s | 0.1 s and 0.2 s | 1 s |
/// | 6 | 1 s | 0.5 s and 1 s | 2 s |
/// | 7 | 2 s | 1 s and 2 s | 4 s |
/// | 8 | 4 s | 2 s and 4 s | 8 s |
/// | 9 | 8 s | 4 s and 8 s | 16 s |
/// | 10 | 16 s | 8 s and 16 s | 32 s |
/// | 11 | 32 s | 16 s and 32 s | 64 s |
/// | 12… | 60 s | 30 s and 60 s | 124 s, and 60 s more each |
///
/// A day's outage costs a receiver about 1900 attempts, and the station recovers within a minute of its end.
package struct Backoff: Sendable {
  package let settings: RetrySettings

  package init(settings: RetrySettings) { self.settings = settings }

  /// The delay after `failureCount` consecutive failures, at least 1, before jitter.
  package func delay(failureCount: Int) -> Duration {
    guard failureCount > settings.fastCount else { return settings.fastDelay }
    var delay = settings.firstDelay
    for _ in 1..<max(1, failureCount - settings.fastCount) {
      if delay >= settings.delayMax { break }
      delay *= 2
    }
    return min(delay, settings.delayMax)
  }

  /// The delay, randomly shortened.
  package func jittered(_ delay: Duration, using random: inout some RandomNumberGenerator) -> Duration {
    let part = Double(random.next() >> 11) * 0x1p-53
    return delay * (1 - min(max(settings.jitter, 0), 1) * part)
  }

  /// How long to leave the receiver alone: the time that it asked for, within its limit, but at least the delay.
  package func wait(
    failureCount: Int, retryAfter: Duration?, using random: inout some RandomNumberGenerator
  ) -> Duration {
    let own = jittered(delay(failureCount: failureCount), using: &random)
    guard let retryAfter else { return own }
    return max(own, min(retryAfter, settings.retryAfterMax))
  }
}

/// When a failed attempt is tried again; see `Backoff` for the formula and a worked table.
public struct RetrySettings: Equatable, Sendable {
  /// Retries of the early fast phase: most failures are a host that restarts or a cable that is pushed in again.
  public var fastCount = 5
  /// The delay before each of them.
  public var fastDelay = Duration.milliseconds(200)
  /// The delay before the first retry after the fast phase; each further one is twice as long.
  public var firstDelay = Duration.seconds(1)
  /// The longest delay.
  public var delayMax = Duration.seconds(60)
  /// The largest random reduction of a delay, as a fraction 0…1, so that stations that failed together do not return together.
  public var jitter = 0.5
  /// The longest `Retry-After` that is honoured; a longer one counts as this.
  public var retryAfterMax = Duration.seconds(3600)
  /// The time after which a parked sink tries its scan again; nil waits for someone to resume it. Not applied if the receiver
  /// reported that it is permanently gone (410).
  public var parkedProbeInterval: Duration? = Duration.seconds(15 * 60)
  /// The number of rejections after which a scan becomes a dead letter, as soon as the receiver accepts another one; nil keeps
  /// the order, and the scans behind it wait.
  public var rejectionCountMax: Int? = 10
  /// How long an attempt that is under way may still take when the station stops.
  public var shutdownLimit = Duration.seconds(5)
  /// How often the same trouble is written to the log.
  public var logInterval = Duration.seconds(60)

  public init() {}

  /// A cable comes back in seconds and asks nothing of a server: the delay stays short.
  public static var serial: RetrySettings {
    var settings = RetrySettings()
    settings.delayMax = .seconds(2)
    return settings
  }
}
