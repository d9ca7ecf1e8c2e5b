// The delivery loop with an outbox and a scripted sink, in simulated time.

import Logging
import ServiceLifecycle
import Synchronization
import Testing
@testable import DeliveryModel
@testable import Outbox

@Suite(.timeLimit(.minutes(2))) struct DeliveryLoopTests {
  private let folder: TemporaryFolder
  private let clock = SimulatedClock()

  init() throws { folder = try TemporaryFolder() }

  private func makeOutbox(_ sinks: [String] = ["sink"]) async -> Outbox {
    var settings = OutboxSettings()
    settings.path = folder.file("outbox.sqlite")
    return await Outbox(settings: settings, sinks: sinks.map { OutboxSink($0) }, clock: clock, logger: quiet)
  }

  private func loop(
    _ sink: any ScanSink, _ outbox: Outbox, _ settings: RetrySettings = RetrySettings(), logger: Logger = quiet
  ) -> DeliveryLoop {
    DeliveryLoop(
      sink: sink, outbox: outbox, retry: settings, clock: clock, random: ConstantRandom(), logger: logger)
  }

  /// Runs services until the body ends, then shuts them down gracefully.
  private func running(_ services: [any Service], _ body: () async throws -> Void) async throws {
    let group = ServiceGroup(services: services, logger: quiet)
    let run = Task { try await group.run() }
    try await body()
    await group.triggerGracefulShutdown()
    try await run.value
  }

  private func fill(_ outbox: Outbox, _ count: Int) async throws {
    var scans = ScanMaker()
    for _ in 0..<count { _ = try await outbox.append(scans.next()) }
  }

  @Test func `waiting and later scans are delivered`() async throws {
    let outbox = await makeOutbox()
    try await fill(outbox, 3)
    let sink = ScriptedSink()
    try await running([loop(sink, outbox)]) {
      #expect(await eventually { sink.attempted.count == 3 })
      var scans = ScanMaker()
      _ = try await outbox.append(scans.next("late"))
      #expect(await eventually { await outbox.undeliveredCount(for: "sink") == 0 })
    }
    #expect(sink.attempted == ["1", "2", "3", "late"])
    #expect(sink.isClosed)
  }

  @Test func `the order is kept through failures`() async throws {
    let outbox = await makeOutbox()
    try await fill(outbox, 4)
    let sink = ScriptedSink { _, number in number % 3 == 2 ? .delivered : .failed }
    let loop = loop(sink, outbox)
    try await running([loop]) {
      let time = Task { while !Task.isCancelled { await clock.advanceToNextSleeper() } }
      #expect(await eventually { await outbox.undeliveredCount(for: "sink") == 0 })
      time.cancel()
    }
    #expect(sink.attempted == ["1", "1", "1", "2", "2", "2", "3", "3", "3", "4", "4", "4"])
    #expect(await outbox.deliveredCounts == ["sink": 4])
  }

  @Test func `a day of outage ends in order within a minute`() async throws {
    let outbox = await makeOutbox()
    try await fill(outbox, 20)
    let day = Duration.seconds(86_400)
    let sink = ScriptedSink { [clock] _, _ in clock.now.offset < day ? .failed : .delivered }
    try await running([loop(sink, outbox)]) {
      let time = Task { while !Task.isCancelled { await clock.advanceToNextSleeper() } }
      #expect(await eventually(.seconds(60)) { await outbox.undeliveredCount(for: "sink") == 0 })
      time.cancel()
    }
    #expect(clock.now.offset < day + .seconds(61))
    #expect((1400...1500).contains(sink.attempted.count), "\(sink.attempted.count) attempts")
    #expect(sink.attempted.suffix(20) == (1...20).map(String.init)[...])
  }

  @Test func `a slow sink does not delay the others`() async throws {
    let outbox = await makeOutbox(["fast", "stuck"])
    try await fill(outbox, 10)
    let fast = ScriptedSink(name: "fast")
    let stuck = ScriptedSink(name: "stuck") { _, _ in
      try? await Task.sleep(for: .seconds(600))
      return .failed
    }
    var settings = RetrySettings()
    settings.shutdownLimit = .zero
    try await running([loop(fast, outbox), loop(stuck, outbox, settings)]) {
      #expect(await eventually { fast.attempted.count == 10 })
    }
    #expect(stuck.attempted == ["1"])
  }

  @Test func `a parked sink keeps everything and goes on when resumed`() async throws {
    let outbox = await makeOutbox()
    try await fill(outbox, 3)
    let isRepaired = Mutex(false)
    let sink = ScriptedSink { _, _ in
      isRepaired.withLock { $0 } ? .delivered : .parked(trouble, isFinal: true)
    }
    let loop = loop(sink, outbox)
    try await running([loop]) {
      #expect(await eventually { loop.status.phase == .parked(trouble) })
      clock.advance(by: .seconds(1_000_000))
      try await Task.sleep(for: .milliseconds(20))
      #expect(sink.attempted == ["1"])
      #expect(await outbox.undeliveredCount(for: "sink") == 3)
      isRepaired.withLock { $0 = true }
      loop.resume()
      #expect(await eventually { await outbox.undeliveredCount(for: "sink") == 0 })
    }
    #expect(sink.attempted == ["1", "1", "2", "3"])
  }

  @Test(
    arguments: [
      (.failed, SinkStatus.heldUpFailureCount), (.rejected(after: nil, trouble), SinkStatus.heldUpFailureCount),
      (.parked(trouble, isFinal: false), 1),
    ] as [(DeliveryOutcome, Int)])
  func `a sink that makes no progress is held up until its first delivery`(
    _ outcome: DeliveryOutcome, _ failureCount: Int
  ) async throws {
    let outbox = await makeOutbox()
    try await fill(outbox, 1)
    let sink = ScriptedSink { _, number in number < failureCount + 2 ? outcome : .delivered }
    let loop = loop(sink, outbox)
    try await running([loop]) {
      for number in 1..<(failureCount + 3) {
        #expect(await eventually { sink.attempted.count == number && loop.status.failureCount == number })
        #expect(await eventually { loop.status.isHeldUp == (number >= failureCount) }, "attempt \(number)")
        await clock.advanceToNextSleeper()
      }
      #expect(await eventually { await outbox.undeliveredCount(for: "sink") == 0 })
    }
    #expect(!loop.status.isHeldUp && loop.status.problem == nil)
    #expect(await outbox.deliveredCounts == ["sink": 1])
  }

  @Test func `a scan that is skipped while it waits is not tried again`() async throws {
    let outbox = await makeOutbox()
    try await fill(outbox, 3)
    let sink = ScriptedSink { record, _ in record.text == "1" ? .parked(trouble, isFinal: true) : .delivered }
    let loop = loop(sink, outbox)
    try await running([loop]) {
      #expect(await eventually { loop.status.phase == .parked(trouble) })
      await outbox.perform(OutboxRequest(.purge, sink: "sink", sequence: 1))
      loop.resume()
      #expect(await eventually { await outbox.undeliveredCount(for: "sink") == 0 })
    }
    #expect(sink.attempted == ["1", "2", "3"])
  }

  @Test func `deliveries are noted before any wait, and the rest is taken again`() async throws {
    let outbox = await makeOutbox()
    try await fill(outbox, 10)
    let sink = ScriptedSink(unnotedCountMax: 8) { record, _ in
      record.text == "6" ? .parked(trouble, isFinal: true) : .delivered
    }
    let loop = loop(sink, outbox)
    try await running([loop]) {
      #expect(await eventually { loop.status.phase == .parked(trouble) })
      #expect(await outbox.undeliveredCount(for: "sink") == 5)
      await outbox.perform(OutboxRequest(.purge, sink: "sink", sequence: 7))
      loop.resume()
      #expect(await eventually { await outbox.undeliveredCount(for: "sink") == 0 })
    }
    #expect(sink.attempted == ["1", "2", "3", "4", "5", "6", "8", "9", "10"])
  }

  @Test func `deliveries are noted at shutdown`() async throws {
    let outbox = await makeOutbox()
    try await fill(outbox, 30)
    let sink = ScriptedSink(unnotedCountMax: 8) { _, _ in
      try? await Task.sleep(for: .milliseconds(20))
      return .delivered
    }
    try await running([loop(sink, outbox)]) {
      #expect(await eventually { sink.attempted.count >= 4 })
    }
    #expect(sink.attempted == (1...sink.attempted.count).map(String.init))
    #expect(await outbox.undeliveredCount(for: "sink") == 30 - sink.attempted.count)
  }

  @Test func `shutdown waits for the attempt under way`() async throws {
    let outbox = await makeOutbox()
    try await fill(outbox, 2)
    let sink = ScriptedSink { _, _ in
      try? await Task.sleep(for: .milliseconds(200))
      return Task.isCancelled ? .failed : .delivered
    }
    try await running([loop(sink, outbox)]) {
      #expect(await eventually { sink.attempted.count == 1 })
    }
    #expect(sink.attempted == ["1"])
    #expect(await outbox.undeliveredCount(for: "sink") == 1)
  }

  @Test func `shutdown ends an attempt that takes too long and keeps its scan`() async throws {
    let outbox = await makeOutbox()
    try await fill(outbox, 1)
    let sink = ScriptedSink { _, _ in
      try? await Task.sleep(for: .seconds(600))
      return Task.isCancelled ? .failed : .delivered
    }
    let loop = loop(sink, outbox)
    let started = ContinuousClock.now
    try await running([loop]) {
      #expect(await eventually { sink.attempted.count == 1 })
      Task { [clock] in
        // The limit counts from the shutdown, by the loop's clock.
        await clock.advanceToNextSleeper()
      }
    }
    #expect(ContinuousClock.now - started < .seconds(60))
    #expect(await outbox.undeliveredCount(for: "sink") == 1)
    #expect(loop.status.phase == .stopped)
  }

  @Test func `shutdown ends a wait at once`() async throws {
    let outbox = await makeOutbox()
    try await fill(outbox, 1)
    let loop = loop(ScriptedSink { _, _ in .retry(after: .seconds(3000), trouble) }, outbox)
    try await running([loop]) {
      #expect(await eventually { loop.status.phase == .retrying(failureCount: 1, trouble) })
    }
    #expect(await outbox.undeliveredCount(for: "sink") == 1)
  }

  @Test func `the same trouble is logged once a minute and its end once`() {
    let lines = Mutex<[String]>([])
    let logger = Logger(label: "test") { _ in LineLog { line in lines.withLock { $0.append(line) } } }
    var log = TroubleLog(logger: logger, interval: .seconds(60))
    for second in 0..<130 { log.failed(trouble, isParked: false, at: .seconds(second)) }
    log.delivered(at: .seconds(130))
    log.delivered(at: .seconds(131))
    let failed = "delivery failed and will be tried again, scans are kept"
    #expect(lines.withLock { $0 } == [failed, failed, failed, "delivery works again"])
  }
}

/// A log handler that keeps the messages.
private struct LineLog: LogHandler {
  let write: @Sendable (String) -> Void
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { write(event.message.description) }
}
