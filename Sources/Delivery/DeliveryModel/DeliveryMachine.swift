// When to take, try, wait and give up: the whole delivery policy of a sink as a plain value. Events go in, actions come out,
// time is an argument; so a test of a day's outage takes a millisecond, and this file alone defines a sink's behaviour.

/// The delivery state machine of a sink.
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
/// A taken scan stays the sink's next scan until it is delivered, which keeps the order. Only a scan that the receiver has
/// rejected as often as the settings allow lets others pass: a few between two waits, each time further back in the queue.
/// If the receiver accepts one of those and then rejects the first once more, the fault lies in the scan, which becomes a
/// dead letter; if it accepts none, the fault may be the receiver's, and the scan keeps its place.
///
///     attempting ── rejected ──► passing ── another one delivered: acknowledge it, put the first back ──► proving
///                                   └────── none delivered: put the first back ──► waiting
///     proving ── rejected: bury it ──► taking
///        └────── delivered: acknowledge it ──► taking
package struct DeliveryMachine: Sendable {
  package enum Event: Equatable, Sendable {
    case started
    /// The next scan was taken from the outbox. `isSuspect`: the receiver has rejected a similar one while it accepted
    /// others.
    case recordTaken(isSuspect: Bool)
    /// No other scan can pass.
    case nothingElse
    case attemptEnded(DeliveryOutcome)
    /// The time given with `wait` has passed.
    case waitEnded
    /// An operator or a host signals that a retry is worthwhile now.
    case resumeRequested
    case shutdownRequested
  }

  package enum Action: Equatable, Sendable {
    /// Take the next scan from the outbox; ends in `recordTaken` or `shutdownRequested`.
    case take
    /// Try to deliver the current scan; ends in `attemptEnded`.
    case attempt
    /// Note that the sink has the current scan.
    case acknowledge
    /// Set the current scan aside and take the next one; ends in `recordTaken` or `nothingElse`.
    case pass
    /// Make the first scan that was set aside current again, and forget the others.
    case putBack
    /// Make the current scan a dead letter after this number of rejections.
    case bury(rejectionCount: Int, DeliveryProblem)
    /// Wait until then, or forever if nil; ends in `waitEnded`, `resumeRequested` or `shutdownRequested`.
    case wait(until: Duration?)
    /// Done.
    case finish
  }

  /// The attempts with the current scan.
  package struct Trial: Equatable, Sendable {
    package var failureCount = 0
    /// The failures that were answers of the receiver.
    package var rejectionCount = 0
    /// Scans that were rejected while passing, since the last wait.
    package var passedCount = 0
    /// Whether the receiver has rejected a similar scan while it accepted others: others then pass after one rejection.
    package var isSuspect = false
  }

  package enum State: Equatable, Sendable {
    /// Ways out: recordTaken, shutdownRequested.
    case taking
    /// Ways out: attemptEnded; shutdownRequested leads to `stopping`.
    case attempting(Trial)
    /// Another scan is tried. Ways out: recordTaken, nothingElse, attemptEnded; shutdownRequested leads to `stopping`.
    case passing(Trial, DeliveryProblem)
    /// The receiver has just accepted another scan, and the rejected one is tried again. Ways out: attemptEnded;
    /// shutdownRequested leads to `stopping`.
    case proving(Trial)
    /// Ways out: waitEnded, resumeRequested, shutdownRequested.
    case waiting(Trial, DeliveryProblem)
    /// Ways out: waitEnded (a probe), resumeRequested, shutdownRequested.
    case parked(Trial, DeliveryProblem)
    /// Shutdown was requested during an attempt. Way out: attemptEnded.
    case stopping
    /// No way out.
    case finished
  }

  /// The most scans tried in passing between two waits.
  package static let passedCountMax = 10
  /// Rejections after which a sink that keeps its order counts as stuck.
  package static let stuckRejectionCount = 10

  package private(set) var state = State.taking
  private let backoff: Backoff

  package init(settings: RetrySettings) { backoff = Backoff(settings: settings) }

  /// Handles an event; `time` counts from the start. Events without meaning in the present state are ignored.
  package mutating func handle(
    _ event: Event, at now: Duration, using random: inout some RandomNumberGenerator
  ) -> [Action] {
    switch (state, event) {
    case (.taking, .started):
      return [.take]
    case (.taking, .recordTaken(let isSuspect)):
      return attempt(Trial(isSuspect: isSuspect))
    case (.attempting(let trial), .attemptEnded(let outcome)):
      return attemptEnded(trial, outcome, at: now, using: &random)
    case (.passing, .recordTaken):
      return [.attempt]
    case (.passing(let trial, let problem), .nothingElse):
      return [.putBack] + wait(trial, problem, after: nil, at: now, using: &random)
    case (.passing(let trial, let problem), .attemptEnded(let outcome)):
      return passingEnded(trial, problem, outcome, at: now, using: &random)
    case (.proving(let trial), .attemptEnded(let outcome)):
      return provingEnded(trial, outcome, at: now, using: &random)
    case (.waiting(let trial, _), .waitEnded), (.parked(let trial, _), .waitEnded):
      return attempt(trial)
    case (.waiting(let trial, _), .resumeRequested), (.parked(let trial, _), .resumeRequested):
      return attempt(Trial(rejectionCount: trial.rejectionCount, isSuspect: trial.isSuspect))
    case (.attempting, .shutdownRequested), (.passing, .shutdownRequested), (.proving, .shutdownRequested):
      state = .stopping
      return []
    case (.stopping, .attemptEnded(let outcome)):
      state = .finished
      return outcome == .delivered ? [.acknowledge, .finish] : [.finish]
    case (.stopping, .recordTaken), (.stopping, .nothingElse), (.taking, .shutdownRequested),
      (.waiting, .shutdownRequested), (.parked, .shutdownRequested):
      state = .finished
      return [.finish]
    case (.taking, _), (.attempting, _), (.passing, _), (.proving, _), (.waiting, _), (.parked, _), (.stopping, _),
      (.finished, _):
      return []
    }
  }

  /// Whether the receiver rejects a scan repeatedly, and the others wait behind it.
  package var isStuck: Bool {
    guard case .waiting(let trial, _) = state else { return false }
    return trial.rejectionCount >= rejectionCountMax(trial) ?? Self.stuckRejectionCount
  }

  private mutating func attempt(_ trial: Trial) -> [Action] {
    state = .attempting(trial)
    return [.attempt]
  }

  private mutating func wait(
    _ trial: Trial, _ problem: DeliveryProblem, after: Duration?, at now: Duration,
    using random: inout some RandomNumberGenerator
  ) -> [Action] {
    state = .waiting(trial, problem)
    return [.wait(until: now + backoff.wait(failureCount: trial.failureCount, retryAfter: after, using: &random))]
  }

  private mutating func park(_ trial: Trial, _ problem: DeliveryProblem, isFinal: Bool, at now: Duration) -> [Action] {
    state = .parked(trial, problem)
    let probe = isFinal ? nil : backoff.settings.parkedProbeInterval
    return [.wait(until: probe.map { now + $0 })]
  }

  /// The number of rejections after which others pass a scan; nil: none passes.
  private func rejectionCountMax(_ trial: Trial) -> Int? {
    backoff.settings.rejectionCountMax.map { trial.isSuspect ? 1 : $0 }
  }

  private mutating func attemptEnded(
    _ tried: Trial, _ outcome: DeliveryOutcome, at now: Duration, using random: inout some RandomNumberGenerator
  ) -> [Action] {
    var trial = tried
    trial.failureCount += 1
    trial.passedCount = 0
    switch outcome {
    case .delivered:
      state = .taking
      return [.acknowledge, .take]
    case .retry(let after, let problem):
      return wait(trial, problem, after: after, at: now, using: &random)
    case .rejected(let after, let problem):
      trial.rejectionCount += 1
      guard let limit = rejectionCountMax(trial), trial.rejectionCount >= limit else {
        return wait(trial, problem, after: after, at: now, using: &random)
      }
      state = .passing(trial, problem)
      return [.pass]
    case .parked(let problem, let isFinal):
      return park(trial, problem, isFinal: isFinal, at: now)
    }
  }

  private mutating func passingEnded(
    _ tried: Trial, _ problem: DeliveryProblem, _ outcome: DeliveryOutcome, at now: Duration,
    using random: inout some RandomNumberGenerator
  ) -> [Action] {
    var trial = tried
    switch outcome {
    case .delivered:
      state = .proving(trial)
      return [.acknowledge, .putBack, .attempt]
    case .rejected(let after, _):
      trial.passedCount += 1
      guard trial.passedCount >= Self.passedCountMax else {
        state = .passing(trial, problem)
        return [.pass]
      }
      return [.putBack] + wait(trial, problem, after: after, at: now, using: &random)
    case .retry(let after, let newer):
      return [.putBack] + wait(trial, newer, after: after, at: now, using: &random)
    case .parked(let newer, let isFinal):
      return [.putBack] + park(trial, newer, isFinal: isFinal, at: now)
    }
  }

  /// A receiver that was repaired while others passed accepts the first scan as well; if it still rejects that one and
  /// nothing else, the cause is certain.
  private mutating func provingEnded(
    _ trial: Trial, _ outcome: DeliveryOutcome, at now: Duration, using random: inout some RandomNumberGenerator
  ) -> [Action] {
    switch outcome {
    case .delivered:
      state = .taking
      return [.acknowledge, .take]
    case .rejected(_, let problem):
      state = .taking
      return [.bury(rejectionCount: trial.rejectionCount + 1, problem), .take]
    case .retry(let after, let problem):
      return wait(trial, problem, after: after, at: now, using: &random)
    case .parked(let problem, let isFinal):
      return park(trial, problem, isFinal: isFinal, at: now)
    }
  }
}
