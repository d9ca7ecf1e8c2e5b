// An operator's requests to an outbox: try now, deliver again, skip. A running station is the only program that changes its
// file, so `reticle outbox` writes a request into the file, and the station's maintenance grants it; without a station, the
// command briefly acts as one. A lock next to the file shows which applies.

import DeliveryModel
import Logging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An operator's request.
public struct OutboxRequest: Equatable, Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    /// Sinks that wait or are parked try at once.
    case retry
    /// A sink gets every remaining scan from `sequence` on again.
    case redeliver
    /// A sink skips its undelivered scans up to and including `sequence`; they count as discarded. The outbox forgets a sink
    /// that the configuration does not name.
    case purge
    /// A sink gets its dead letters again: the one with the number `sequence`, or all.
    case retryDead = "retry-dead"
    /// Dead letters are given up: the one with the number `sequence`, or all. They count as discarded.
    case purgeDead = "purge-dead"
  }

  public var kind: Kind
  /// Nil: every sink.
  public var sink: String?
  /// Ignored by `retry`.
  public var sequence: Int64?

  public init(_ kind: Kind, sink: String? = nil, sequence: Int64? = nil) {
    self.kind = kind
    self.sink = sink
    self.sequence = sequence
  }
}

extension OutboxCore {
  /// The names of the sinks concerned by a request.
  func sinksMeant(_ request: OutboxRequest) -> [String] {
    request.sink.map { [$0] } ?? sinkNames.union(ledger.states.keys).sorted()
  }

  /// Performs an operator's request.
  ///
  /// - Parameter retries: sinks that can be made to try at once.
  /// - Returns: what was done, in words.
  func perform(_ request: OutboxRequest, retries: Set<String>) -> String {
    let names = sinksMeant(request)
    if let sink = request.sink, ledger.states[sink] == nil { return "there is no sink \(sink)" }
    var changedCount = 0
    for name in names { changedCount += perform(request, for: name) }
    let list = names.joined(separator: ", ")
    logger.notice(
      "an operator's request",
      metadata: ["request": "\(request.kind.rawValue)", "sinks": "\(list)", "scans": "\(changedCount)"])
    return switch request.kind {
    case .retry: names.allSatisfy { !retries.contains($0) } ? "tried when a station starts" : "trying now: \(list)"
    case .redeliver: "\(changedCount) delivered scans go out again: \(list)"
    case .purge: "\(changedCount) undelivered scans are passed over: \(list)"
    case .retryDead: "\(changedCount) dead letters go out again: \(list)"
    case .purgeDead: "\(changedCount) dead letters are given up: \(list)"
    }
  }

  /// - Returns: the number of scans affected.
  private func perform(_ request: OutboxRequest, for name: String) -> Int {
    guard var state = ledger.states[name] else { return 0 }
    let before = undeliveredCount(for: name)
    switch request.kind {
    case .retry: return 0
    case .redeliver:
      let first = max(1, request.sequence ?? 1)
      // In trouble the change could not be noted, and would be lost if the station ended.
      guard first <= ledger.lastNumber, trouble == nil, let store else { return 0 }
      // Only scans that still exist.
      var there = NumberSet()
      guard let numbers = try? store.oldest(.max, in: NumberSet(first...ledger.lastNumber)) else { return 0 }
      for number in numbers { there.insert(number) }
      state.done.subtract(there)
      state.dead.subtract(there)
      rewound.insert(name)
    case .purge:
      skip(through: request.sequence, for: name)
      return before - undeliveredCount(for: name)
    case .retryDead, .purgeDead:
      let meant = request.sequence.map { NumberSet($0...$0) } ?? state.dead
      let chosen = meant.subtracting(meant.subtracting(state.dead))
      guard !chosen.isEmpty, let store else { return 0 }
      state.dead.subtract(chosen)
      if request.kind == .purgeDead { state.done.formUnion(chosen) }
      state.version += 1
      do {
        try store.exhume(chosen, state: state)
      } catch {
        enter(error)
        return 0
      }
      ledger.replace(state)
      if request.kind == .purgeDead { count(discarded: chosen.count, reason: "dead letter purged") }
      saveMark(syncs: true)
      return chosen.count
    }
    ledger.replace(state)
    changed(name)
    saveMark(syncs: true)
    return undeliveredCount(for: name) - before
  }

  /// Makes a sink skip scans, for a host that will never accept them; they count as discarded.
  ///
  /// - Parameter number: the last of them; nil for all, including those in memory.
  func skip(through number: Int64?, for sink: String) {
    guard ledger.states[sink] != nil else { return }
    let before = undeliveredCount(for: sink)
    ledger.skip(through: number, for: sink)
    changed(sink)
    count(discarded: before - undeliveredCount(for: sink), reason: "skipped")
  }

  /// Requests made through the file.
  func requests() -> [(number: Int64, request: OutboxRequest?)] {
    guard trouble == nil, let store else { return [] }
    do {
      return try store.requests()
    } catch {
      enter(error)
      return []
    }
  }

  func answer(request number: Int64, _ outcome: String) {
    do {
      try store?.answer(request: number, outcome)
    } catch {
      enter(error)
    }
  }
}

/// Passes requests to an outbox's station, or performs them if no station runs.
public struct OutboxOperator: Sendable {
  private let settings: OutboxSettings

  /// How long a station may take to answer: it checks every `OutboxKeeper.interval`.
  public static let answerLimit = OutboxKeeper.interval * 3
  static let lookInterval = Duration.milliseconds(100)

  /// - Parameter settings: the station's settings; its file must exist.
  public init(settings: OutboxSettings) { self.settings = settings }

  /// Has a request performed.
  /// - Returns: what was done, in words.
  public func perform(_ request: OutboxRequest) async throws(OutboxTrouble) -> String {
    // The sinks that are configured now stay configured.
    let sinks = try OutboxReader(path: settings.path).sinks().filter(\.isConfigured).map {
      OutboxSink($0.name, target: $0.state.target)
    }
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
    if case .troubled(let trouble) = await outbox.state { throw trouble }
    let outcome = await outbox.perform(request)
    await outbox.close()
    return outcome
  }

  private func ask(_ request: OutboxRequest) async throws(OutboxTrouble) -> String {
    let store = try OutboxStore(settings: settings, files: SystemFiles(), path: settings.path, .use)
    defer { store.close() }
    let number = try store.add(request)
    let deadline = ContinuousClock.now + Self.answerLimit
    while ContinuousClock.now < deadline, !Task.isCancelled {
      if let outcome = try store.takeAnswer(to: number) { return outcome }
      try? await Task.sleep(for: Self.lookInterval)
    }
    try store.withdraw(request: number)
    throw OutboxTrouble(.busy, path: settings.path, detail: "the station did not answer within \(Self.answerLimit)")
  }
}

/// The right to change an outbox: a lock (flock) on a file next to it, which ends with the process that holds it. Without
/// it, two stations on one file would use the same numbers twice.
final class OutboxClaim {
  private let descriptor: Int32
  static let suffix = "-station"

  init(path: String) throws(OutboxTrouble) {
    descriptor = open(path + Self.suffix, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    // If the file cannot be created, the database reports the cause more clearly.
    guard descriptor >= 0 else { return }
    // Every property is initialised, so an error from here on runs the deinitializer, which closes the file.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      guard code == EWOULDBLOCK else { throw OutboxTrouble(.storage, path: path, detail: "flock: errno \(code)") }
      throw OutboxTrouble(.busy, path: path, detail: "another station, or reticle outbox, uses it")
    }
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }
}
