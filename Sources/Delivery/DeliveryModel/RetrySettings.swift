// How a sink is tried again after a failure.

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
