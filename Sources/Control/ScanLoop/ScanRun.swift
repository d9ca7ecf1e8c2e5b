// A run of the loops with the services around them, from the start to a clean end.

public import Logging
public import ServiceLifecycle
public import UnixSignals

/// A run of scanning loops.
public struct ScanRun: Sendable {
  /// How long all services together may take to end.
  public static let shutdownLimit = Duration.seconds(20)

  private let loops: ScanLoops
  private let group: ServiceGroup

  /// - Parameters:
  ///   - before: services that start before the loops, in this order, and stop after them.
  ///   - after: services that start after the loops and stop before them.
  ///   - signals: signals that end the run cleanly.
  public init(
    _ loops: ScanLoops, before: [any Service] = [], after: [any Service] = [], signals: [UnixSignal] = [],
    logger: Logger
  ) {
    self.loops = loops
    var configuration = ServiceGroupConfiguration(
      services: (before + loops.services + after).map { .init(service: $0) }, gracefulShutdownSignals: signals,
      logger: logger)
    configuration.maximumGracefulShutdownDuration = Self.shutdownLimit
    group = ServiceGroup(configuration: configuration)
  }

  /// Runs until the frames have ended or a signal comes. Throws the error of a service that could not continue.
  public func run() async throws {
    async let _: Void = endWhenFinished()
    try await group.run()
  }

  private func endWhenFinished() async {
    for await _ in loops.finished {}
    if !Task.isCancelled { await shutDown() }
  }

  /// Ends the run like a signal.
  public func shutDown() async { await group.triggerGracefulShutdown() }
}
