// The outbox's upkeep as a service. It is apart from the outbox so that tests can call `maintain` when they like.

public import ServiceLifecycle

/// Calls `Outbox.maintain` every few seconds until the service group shuts down, and once more then.
public struct OutboxKeeper: Service {
  private let outbox: Outbox
  private let clock: any Clock<Duration>

  /// The time between two calls: the longest that the figures of `/metrics` lag behind, but for the undelivered scans, which never do.
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
