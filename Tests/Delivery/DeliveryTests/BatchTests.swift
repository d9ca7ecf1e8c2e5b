// Batches: several scans in one request, acknowledged together and in order, under an id that stays the same through
// retries.

import FoundationEssentials
import Logging
import ScanReceiver
import ServiceLifecycle
import Synchronization
import Testing
@testable import DeliveryModel
@testable import Outbox
@testable import Sinks

@Suite(.timeLimit(.minutes(2))) struct BatchTests {
  private let folder: TemporaryFolder
  private let clock = SimulatedClock()

  init() throws { folder = try TemporaryFolder() }

  private func makeOutbox() async -> Outbox {
    var settings = OutboxSettings()
    settings.path = folder.file("outbox.sqlite")
    return await Outbox(settings: settings, sinks: [OutboxSink("sink")], clock: clock, logger: quiet)
  }

  private func running(
    _ sink: any ScanSink, _ outbox: Outbox, clock: any Clock<Duration>, _ body: () async throws -> Void
  ) async throws {
    let loop = DeliveryLoop(
      sink: sink, outbox: outbox, retry: RetrySettings(), clock: clock, random: ConstantRandom(), logger: quiet)
    let group = ServiceGroup(services: [loop], logger: quiet)
    let run = Task { try await group.run() }
    try await body()
    await group.triggerGracefulShutdown()
    try await run.value
  }

  private func batching(_ countMax: Int, _ delay: Duration = .zero) -> BatchSettings {
    var batching = BatchSettings()
    batching.countMax = countMax
    batching.delay = delay
    return batching
  }

  @Test func `scans that wait go together in order`() async throws {
    let outbox = await makeOutbox()
    var scans = ScanMaker()
    for _ in 1...10 { _ = try await outbox.append(scans.next()) }
    let sink = ScriptedSink(batching: batching(4))
    try await running(sink, outbox, clock: clock) {
      #expect(await eventually { await outbox.undeliveredCount(for: "sink") == 0 })
    }
    #expect(sink.attemptedTogether == [["1", "2", "3", "4"], ["5", "6", "7", "8"], ["9", "10"]])
  }

  @Test func `a batch stays together through retries`() async throws {
    let outbox = await makeOutbox()
    var scans = ScanMaker()
    for _ in 1...2 { _ = try await outbox.append(scans.next()) }
    let sink = ScriptedSink(batching: batching(10)) { _, number in number < 4 ? .failed : .delivered }
    try await running(sink, outbox, clock: clock) {
      #expect(await eventually { sink.attemptedTogether.count == 1 })
      for _ in 3...5 { _ = try await outbox.append(scans.next()) }
      let time = Task { while !Task.isCancelled { await clock.advanceToNextSleeper() } }
      #expect(await eventually { await outbox.undeliveredCount(for: "sink") == 0 })
      time.cancel()
    }
    #expect(sink.attemptedTogether.last == ["3", "4", "5"])
    #expect(sink.attemptedTogether.dropLast().allSatisfy { $0 == ["1", "2"] })
  }

  @Test func `the first scan waits for others up to the delay`() async throws {
    let outbox = await makeOutbox()
    var scans = ScanMaker()
    let sink = ScriptedSink(batching: batching(3, .seconds(10)))
    try await running(sink, outbox, clock: clock) {
      _ = try await outbox.append(scans.next())
      _ = try await outbox.append(scans.next())
      try await Task.sleep(for: .milliseconds(50))
      #expect(sink.attemptedTogether.isEmpty)
      await clock.advanceToNextSleeper()
      #expect(await eventually { sink.attemptedTogether == [["1", "2"]] })
      #expect(clock.now.offset == .seconds(10))
      // A full batch does not wait any longer.
      for _ in 3...5 { _ = try await outbox.append(scans.next()) }
      #expect(await eventually { sink.attemptedTogether == [["1", "2"], ["3", "4", "5"]] })
      #expect(clock.now.offset == .seconds(10))
    }
  }

  @Test func `a batch ends before it is too large to send`() async throws {
    let outbox = await makeOutbox()
    var scans = ScanMaker()
    for _ in 1...9 { _ = try await outbox.append(scans.next(String(repeating: "x", count: 60_000))) }
    let together = await outbox.recordsTogether(for: "sink", countMax: 100)
    #expect((1..<9).contains(together.count))
    #expect(WebhookMessage(together, body: .cloudEvents, isBatch: true).body.count < BatchSettings.byteCountMax)
  }

  @Test(arguments: WebhookSettings.Body.allCases)
  func `the body is an array and the id names the first and the last`(_ body: WebhookSettings.Body) async throws {
    let receipts = Receipts()
    let isSlow = Mutex(true)
    let receiver = WebhookReceiver { _ in isSlow.withLock { $0 } ? .init(503) : .init() }
    let port = try await receiver.start { receipts.append($0) }
    var settings = WebhookSettings(url: "http://127.0.0.1:\(port)/")
    settings.batching = batching(10)
    settings.body = body
    settings.secretFiles = [try folder.write("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", to: "secret")]
    let sink = try WebhookSink(settings: settings)
    var scans = ScanMaker()
    let batch = (1...3).map { _ in scans.next() }
    guard case .retry = await sink.deliver(batch) else {
      Issue.record("503 is to be tried again")
      return
    }
    isSlow.withLock { $0 = false }
    #expect(await sink.deliver(batch) == .delivered)
    #expect(await sink.deliver([scans.next()]) == .delivered)
    await sink.close()
    await receiver.stop()
    #expect(receipts.texts == ["1", "2", "3", "4"])
    let ids = receipts.headers.compactMap { $0["webhook-id"] }
    #expect(ids.first == "batch_\(batch[0].id)_\(batch[2].id)" && Set(ids).count == 2)
    let type = body == .json ? "application/json" : "application/cloudevents-batch+json"
    #expect(receipts.headers.allSatisfy { $0["content-type"] == type })
    let sent = try #require(receipts.first?.record.sent)
    let message = WebhookMessage(batch.map { $0.sent(at: sent) }, body: body, isBatch: true)
    let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    let header = try #require(receipts.headers.first)
    let timestamp = try #require(header["webhook-timestamp"].flatMap { Int64($0) })
    #expect(
      secret.accepts(
        signatures: header["webhook-signature"] ?? "", id: message.id, timestamp: timestamp, body: message.body))
  }

  @Test func `a batch is lost or delivered as a whole, and nothing is doubled`() async throws {
    let receipts = Receipts()
    let number = Mutex(0)
    let receiver = WebhookReceiver { _ in
      let number = number.withLock { value in
        value += 1
        return value
      }
      return switch number % 4 {
      case 2: .init(429, headers: [("Retry-After", "0")])
      default: .init()
      }
    }
    let port = try await receiver.start { receipts.append($0) }
    let relay = try HostileRelay(before: port) { $0 % 4 == 1 ? .hangsUp(takesScan: true) : .answers }
    let outbox = await makeOutbox()
    var settings = WebhookSettings(url: "http://127.0.0.1:\(relay.port)/")
    settings.name = "sink"
    settings.batching = batching(7)
    try await running(try WebhookSink(settings: settings), outbox, clock: ContinuousClock()) {
      var scans = ScanMaker()
      for _ in 1...100 { _ = try await outbox.append(scans.next()) }
      #expect(await eventually(.seconds(30)) { await outbox.undeliveredCount(for: "sink") == 0 })
    }
    relay.stop()
    await receiver.stop()
    #expect(receipts.texts == (1...100).map(String.init))
    #expect(receipts.repeats > 0)
  }
}
