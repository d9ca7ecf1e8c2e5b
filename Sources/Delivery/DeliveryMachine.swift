// When to take, try, wait and give up: the whole policy of one sink's delivery as a plain value. Events go in, actions come
// out, time is an argument; so a day's outage is a test of a millisecond, and there is nothing else to read to know what a
// sink will do.

/// The delivery of one sink.
///
///                    recordTaken               delivered: acknowledge
///         ┌ taking ──────────────► attempting ────────────────────────► taking
///         │    ▲                    │  ▲   │
///         │    │              retry │  │   │ parked
///         │    │                    ▼  │   ▼
///         │    │               waiting ┘   parked ──► attempting, when resumed or probing
///         │    │
///         └────┴─ shutdownRequested ──► finished; from attempting through stopping, which lets the attempt end
///
/// A scan that was taken stays the sink's next scan until it is delivered: order is kept.
struct DeliveryMachine: Sendable {
  enum Event: Equatable, Sendable {
    case started
    /// The next scan of the outbox is in hand.
    case recordTaken(Int64)
    case attemptEnded(DeliveryOutcome)
    /// The time given with `wait` has come.
    case waitEnded
    /// Someone says that it is worth trying now.
    case resumeRequested
    case shutdownRequested
  }

  enum Action: Equatable, Sendable {
    /// Take the next scan from the outbox; ends in `recordTaken` or `shutdownRequested`.
    case take
    /// Try to deliver the scan; ends in `attemptEnded`.
    case attempt(Int64)
    /// The sink has the scan.
    case acknowledge(Int64)
    /// Wait until then, or for ever when nil; ends in `waitEnded`, `resumeRequested` or `shutdownRequested`.
    case wait(until: Duration?)
    /// Done.
    case finish
  }

  enum State: Equatable, Sendable {
    /// Ways out: recordTaken, shutdownRequested.
    case taking
    /// Ways out: attemptEnded; shutdownRequested leads to `stopping`.
    case attempting(Int64, failureCount: Int)
    /// Ways out: waitEnded, resumeRequested, shutdownRequested.
    case waiting(Int64, failureCount: Int, DeliveryProblem)
    /// Ways out: waitEnded (a probe), resumeRequested, shutdownRequested.
    case parked(Int64, failureCount: Int, DeliveryProblem)
    /// Shutdown was requested while an attempt was under way. Way out: attemptEnded.
    case stopping(Int64)
    /// No way out.
    case finished
  }

  private(set) var state = State.taking
  private let backoff: Backoff

  init(settings: RetrySettings) { backoff = Backoff(settings: settings) }

  /// Takes an event at a time since the start. Events that mean nothing in the present state are passed over.
  mutating func handle(
    _ event: Event, at now: Duration, using random: inout some RandomNumberGenerator
  ) -> [Action] {
    switch (state, event) {
    case (.taking, .started):
      return [.take]
    case (.taking, .recordTaken(let sequence)):
      return attempt(sequence, failureCount: 0)
    case (.attempting(let sequence, let failureCount), .attemptEnded(let outcome)):
      return attemptEnded(sequence, failureCount: failureCount, outcome, at: now, using: &random)
    case (.waiting(let sequence, let failureCount, _), .waitEnded),
      (.parked(let sequence, let failureCount, _), .waitEnded):
      return attempt(sequence, failureCount: failureCount)
    case (.waiting(let sequence, _, _), .resumeRequested), (.parked(let sequence, _, _), .resumeRequested):
      return attempt(sequence, failureCount: 0)
    case (.attempting(let sequence, _), .shutdownRequested):
      state = .stopping(sequence)
      return []
    case (.stopping(let sequence), .attemptEnded(let outcome)):
      state = .finished
      return outcome == .delivered ? [.acknowledge(sequence), .finish] : [.finish]
    case (.taking, .shutdownRequested), (.waiting, .shutdownRequested), (.parked, .shutdownRequested):
      state = .finished
      return [.finish]
    case (.taking, _), (.attempting, _), (.waiting, _), (.parked, _), (.stopping, _), (.finished, _):
      return []
    }
  }

  private mutating func attempt(_ sequence: Int64, failureCount: Int) -> [Action] {
    state = .attempting(sequence, failureCount: failureCount)
    return [.attempt(sequence)]
  }

  private mutating func attemptEnded(
    _ sequence: Int64, failureCount: Int, _ outcome: DeliveryOutcome, at now: Duration,
    using random: inout some RandomNumberGenerator
  ) -> [Action] {
    let failures = failureCount + 1
    switch outcome {
    case .delivered:
      state = .taking
      return [.acknowledge(sequence), .take]
    case .retry(let after, let problem):
      state = .waiting(sequence, failureCount: failures, problem)
      return [.wait(until: now + backoff.wait(failureCount: failures, retryAfter: after, using: &random))]
    case .parked(let problem, let isFinal):
      state = .parked(sequence, failureCount: failures, problem)
      let probe = isFinal ? nil : backoff.settings.parkedProbeInterval
      return [.wait(until: probe.map { now + $0 })]
    }
  }
}
