// Helpers for the delivery tests: a clock that only a test advances, a temporary folder, scans, and a scripted sink.

import FoundationEssentials
import Glibc
import Logging
import Synchronization
import Testing
@testable import DeliveryModel

/// A clock that only a test advances.
final class SimulatedClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private struct State {
    var now = Duration.zero
    var nextKey = 0
    var sleepers: [Int: (until: Duration, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var cancelled: Set<Int> = []
  }
  private let state = Mutex(State())

  var now: Instant { Instant(offset: state.withLock { $0.now }) }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let key = state.withLock { state in
      state.nextKey += 1
      return state.nextKey
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isOver = state.withLock { state in
          if state.cancelled.remove(key) != nil || deadline.offset <= state.now { return true }
          state.sleepers[key] = (deadline.offset, continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: key)
        if sleeper == nil { state.cancelled.insert(key) }
        return sleeper
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Advances the clock and wakes the tasks whose time has come.
  func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now += duration
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for key in due.keys { state.sleepers[key] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Waits, in real time, until a task sleeps, then advances to the moment at which the first one wakes.
  func advanceToNextSleeper() async {
    while true {
      if let until = state.withLock({ $0.sleepers.values.map(\.until).min() }) {
        advance(by: max(.zero, until - now.offset))
        return
      }
      if Task.isCancelled { return }
      await Task.yield()
    }
  }
}

/// A folder that is deleted with the test.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = "/tmp/reticle-delivery-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(filePath: file(name)))
    return file(name)
  }
}

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Scans with ascending ids and texts `1`, `2` …
struct ScanMaker {
  private var ids = ScanIDGenerator()
  private var count = 0
  private var random = SystemRandomNumberGenerator()

  mutating func next(_ text: String? = nil, captured: CaptureTime = .now()) -> ScanRecord {
    count += 1
    let text = text ?? "\(count)"
    return ScanRecord(
      id: ids.next(unixMilliseconds: captured.unixMilliseconds, using: &random), station: "test", symbology: "code128",
      aimIdentifier: "]C0", text: text, bytes: Array(text.utf8), captured: captured)
  }
}

/// A sink with scripted answers that records its attempts.
final class ScriptedSink: ScanSink {
  let name: String
  private let answer: @Sendable (ScanRecord, Int) async -> DeliveryOutcome
  private let attempts = Mutex<[ScanRecord]>([])
  private let batches = Mutex<[[String]]>([])
  private let closed = Mutex(false)
  let batching: BatchSettings
  let unnotedCountMax: Int

  /// - Parameter answer: the outcome of an attempt, by its first record and by the number of attempts before it.
  init(
    name: String = "sink", batching: BatchSettings = BatchSettings(), unnotedCountMax: Int = 1,
    _ answer: @escaping @Sendable (ScanRecord, Int) async -> DeliveryOutcome = { _, _ in .delivered }
  ) {
    self.name = name
    self.batching = batching
    self.unnotedCountMax = unnotedCountMax
    self.answer = answer
  }

  var attempted: [String] { attempts.withLock { $0.map(\.text) } }
  /// The attempts, each with its scans.
  var attemptedTogether: [[String]] { batches.withLock { $0 } }
  var isClosed: Bool { closed.withLock { $0 } }

  func deliver(_ records: [ScanRecord]) async -> DeliveryOutcome {
    let number = attempts.withLock { attempts in
      attempts += records
      batches.withLock { $0.append(records.map(\.text)) }
      return attempts.count - 1
    }
    return await answer(records[0], number)
  }

  func close() async { closed.withLock { $0 = true } }
}

let trouble = DeliveryProblem("no answer", remedy: "see to it")

extension DeliveryOutcome {
  static var failed: DeliveryOutcome { .retry(after: nil, trouble) }
}

/// Waits, in real time, until a condition holds; false after ten seconds.
func eventually(_ limit: Duration = .seconds(10), _ holds: () async -> Bool) async -> Bool {
  let deadline = ContinuousClock.now + limit
  while await !holds() {
    if ContinuousClock.now > deadline || Task.isCancelled { return false }
    try? await Task.sleep(for: .milliseconds(2))
  }
  return true
}

/// A random number generator that always gives the same value.
struct ConstantRandom: RandomNumberGenerator, Sendable {
  var value: UInt64 = 0
  func next() -> UInt64 { value }
}

/// A pipe, reading end first, closed in child processes.
func makePipe() throws -> [Int32] {
  var ends: [Int32] = [0, 0]
  try #require(pipe(&ends) == 0)
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return ends
}
