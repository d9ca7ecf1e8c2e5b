// What an operator may ask of an outbox: try now, deliver again, pass over. A station that runs is the only one to change
// its file, so `reticle outbox` writes its wish into the file and the station's upkeep grants it; without a station the
// command takes the station's place for a moment. Which of the two it is, a lock beside the file tells.

import GRDB
import Logging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A wish of an operator.
public struct OutboxRequest: Equatable, Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    /// Sinks that wait or are parked try at once.
    case retry
    /// A sink gets again every scan from `sequence` on that is still there.
    case redeliver
    /// A sink passes over its undelivered scans up to `sequence`, which count as discarded.
    case purge
  }

  public var kind: Kind
  /// nil: every sink.
  public var sink: String?
  /// Not used by `retry`; nil for `purge`: all that are undelivered.
  public var sequence: Int64?

  public init(_ kind: Kind, sink: String? = nil, sequence: Int64? = nil) {
    self.kind = kind
    self.sink = sink
    self.sequence = sequence
  }
}

extension Outbox {
  /// Does what an operator asks for.
  /// - Returns: what was done, in words.
  @discardableResult
  public func perform(_ request: OutboxRequest) -> String {
    if let sink = request.sink, positions[sink] == nil { return "there is no sink \(sink)" }
    let sinks = request.sink.map { [$0] } ?? positions.keys.sorted()
    var changed = 0
    for sink in sinks {
      let position = positions[sink] ?? 0
      switch request.kind {
      case .retry: retries[sink]?()
      case .redeliver:
        let sequence = max(0, (request.sequence ?? 1) - 1)
        guard sequence < position else { continue }
        let before = undeliveredCount(for: sink)
        rewind(sink, to: sequence)
        changed += undeliveredCount(for: sink) - before
      case .purge:
        let before = undeliveredCount(for: sink)
        skip(through: request.sequence ?? nextSequence - 1, for: sink)
        changed += before - undeliveredCount(for: sink)
      }
    }
    let names = sinks.joined(separator: ", ")
    logger.notice(
      "an operator's request", metadata: ["request": "\(request.kind.rawValue)", "sinks": "\(names)", "scans": "\(changed)"])
    switch request.kind {
    case .retry: return sinks.allSatisfy { retries[$0] == nil } ? "tried when a station starts" : "trying now: \(names)"
    case .redeliver: return "\(changed) delivered scans go out again: \(names)"
    case .purge: return "\(changed) undelivered scans are passed over: \(names)"
    }
  }

  /// Grants what was written into the file.
  func serveRequests() {
    guard state == .durable, let store else { return }
    do {
      for (number, request) in try store.requests() {
        let outcome = request.map { perform($0) } ?? "this station does not understand the request"
        try store.answer(request: number, outcome)
      }
    } catch {
      enter(OutboxTrouble(error, path: settings.path))
    }
  }
}

/// Asks an outbox's station, or takes its place where there is none.
public struct OutboxOperator: Sendable {
  private let settings: OutboxSettings

  /// How long a station may take to answer: it looks every `OutboxKeeper.interval`.
  public static let answerLimit = OutboxKeeper.interval * 3
  static let lookInterval = Duration.milliseconds(100)

  /// - Parameter settings: those of the station; its file must be there.
  public init(settings: OutboxSettings) { self.settings = settings }

  /// Has a request granted.
  /// - Returns: what was done, in words.
  public func perform(_ request: OutboxRequest) async throws(OutboxTrouble) -> String {
    let sinks = try OutboxReader(path: settings.path).sinks().map(\.name)
    let isStationRunning: Bool
    do {
      let claim = try OutboxClaim(path: settings.path)
      isStationRunning = false
      withExtendedLifetime(claim) {}
    } catch {
      guard error.cause == .busy else { throw error }
      isStationRunning = true
    }
    if isStationRunning { return try await ask(request) }
    let outbox = await Outbox(settings: settings, sinks: sinks)
    if case .memoryOnly(let trouble) = await outbox.state { throw trouble }
    let outcome = await outbox.perform(request)
    await outbox.close()
    return outcome
  }

  private func ask(_ request: OutboxRequest) async throws(OutboxTrouble) -> String {
    let store = try OutboxStore(settings: settings)
    defer { store.close() }
    do {
      let number = try store.add(request)
      let deadline = ContinuousClock.now + Self.answerLimit
      while ContinuousClock.now < deadline {
        if let outcome = try store.takeAnswer(to: number) { return outcome }
        try await Task.sleep(for: Self.lookInterval)
      }
      try store.withdraw(request: number)
    } catch {
      throw OutboxTrouble(error, path: settings.path)
    }
    throw OutboxTrouble(.busy, path: settings.path, detail: "the station did not answer within \(Self.answerLimit)")
  }
}

/// The right to change an outbox: a lock (flock) on a file beside it, which ends with the process that holds it. Without it
/// two stations on one file would give the same numbers twice.
final class OutboxClaim {
  private let descriptor: Int32
  static let suffix = "-station"

  init(path: String) throws(OutboxTrouble) {
    descriptor = open(path + Self.suffix, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    // Where no file can be made, the database says more clearly what is wrong.
    guard descriptor >= 0 else { return }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      Glibc.close(descriptor)
      guard code == EWOULDBLOCK else { throw OutboxTrouble(.storage, path: path, detail: "flock: errno \(code)") }
      throw OutboxTrouble(.busy, path: path, detail: "another station, or reticle outbox, uses it")
    }
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }
}
