// The outbox's maintenance as a service. It is separate from the outbox so that tests can call `maintain` at any time.

public import ServiceLifecycle

/// Calls `Outbox.maintain` every few seconds until the service group shuts down, and then once more.
public struct OutboxKeeper: Service {
  private let outbox: Outbox
  private let clock: any Clock<Duration>

  /// The time between calls: the longest delay of the metrics in `/metrics`, except undelivered scans, which are always
  /// current.
  public static let interval = Duration.seconds(5)

  public init(outbox: Outbox, clock: any Clock<Duration> = ContinuousClock()) {
    self.outbox = outbox
    self.clock = clock
  }

  public func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await outbox.maintain()
        try? await clock.sleep(for: Self.interval)
      }
    }
    await outbox.maintain()
  }
}
