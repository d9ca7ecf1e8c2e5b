// Receivers at their worst while the station keeps scanning: down for a day, slow, flapping, resetting connections,
// answering with any status. The backlog is delivered afterwards, in order, and nothing grows without bound.

import FoundationEssentials
import Glibc
import Logging
import ScanReceiver
import ServiceLifecycle
import Synchronization
import Testing
@testable import DeliveryModel
@testable import Outbox
@testable import Sinks

@Suite(.timeLimit(.minutes(5))) struct ReceiverTroubleTests {
  private let folder: TemporaryFolder
  private let receipts = Receipts()

  init() throws { folder = try TemporaryFolder() }

  private func settings(_ change: (inout OutboxSettings) -> Void = { _ in }) -> OutboxSettings {
    var settings = OutboxSettings()
    settings.path = folder.file("outbox.sqlite")
    change(&settings)
    return settings
  }

  /// One scan per half minute during a day without the receiver; then it comes back.
  @Test func `a day without a receiver is caught up in order`() async throws {
    let clock = SimulatedClock()
    let day = Duration.seconds(86_400)
    let outbox = await Outbox(
      settings: settings { $0.synchronous = .normal }, sinks: [OutboxSink("sink")], clock: clock, logger: quiet)
    let taken = Mutex<[String]>([])
    let sink = ScriptedSink { record, _ in
      guard clock.now.offset >= day else { return .failed }
      taken.withLock { $0.append(record.text) }
      return .delivered
    }
    let loop = DeliveryLoop(
      sink: sink, outbox: outbox, retry: RetrySettings(), clock: clock, random: ConstantRandom(), logger: quiet)
    let group = ServiceGroup(services: [loop], logger: quiet)
    let run = Task { try await group.run() }
    var scans = ScanMaker()
    for number in 1...2880 {
      _ = try await outbox.append(scans.next())
      if number % 120 == 0 { await outbox.maintain() }
      if number == 2880 {
        let waiting = await outbox.status()
        #expect(waiting.undeliveredCount == 2880 && waiting.inMemoryCount == 0, "scans wait on the disk, not in memory")
      }
      clock.advance(by: .seconds(30))
    }
    let time = Task { while !Task.isCancelled { await clock.advanceToNextSleeper() } }
    #expect(await eventually(.seconds(120)) { await outbox.undeliveredCount(for: "sink") == 0 })
    time.cancel()
    await group.triggerGracefulShutdown()
    try await run.value
    #expect(taken.withLock { $0 } == (1...2880).map(String.init))
    let size = try Data(contentsOf: URL(filePath: folder.file("outbox.sqlite"))).count
    #expect(size < 2880 * 1500, "\(size) bytes for 2880 scans")
    // The file becomes small again.
    for _ in 0..<20 { await outbox.maintain() }
    await outbox.close()
    #expect(try Data(contentsOf: URL(filePath: folder.file("outbox.sqlite"))).count < size)
  }

  @Test func `an outage that outlasts the limits keeps within them`() async throws {
    let outbox = await Outbox(
      settings: settings {
        $0.synchronous = .normal
        $0.undeliveredCountMax = 500
        $0.whenFull = .discardOldest
      }, sinks: [OutboxSink("sink")], logger: quiet)
    var scans = ScanMaker()
    for _ in 1...2000 { _ = try await outbox.append(scans.next()) }
    let status = await outbox.status()
    #expect((495...500).contains(status.undeliveredCount))
    #expect(status.discardedCount == 2000 - status.undeliveredCount)
    let left = await outbox.records(after: 0, limit: 1000).map(\.text)
    #expect(left == (2001 - left.count...2000).map(String.init), "the newest are kept, in order")
    await outbox.close()
    #expect(try Data(contentsOf: URL(filePath: folder.file("outbox.sqlite"))).count < 1 << 20)
  }

  /// Scans while a receiver misbehaves; then it works, and everything must arrive.
  private func survives(
    _ receiver: WebhookReceiver, behind misbehaviour: (@Sendable (Int) -> Misbehaviour)? = nil,
    during trouble: (Int) async throws -> Void = { _ in }
  ) async throws {
    let port = try await receiver.start { [receipts] in receipts.append($0) }
    let relay = try misbehaviour.map { try HostileRelay(before: port, $0) }
    defer { relay?.stop() }
    let outbox = await Outbox(settings: settings(), sinks: [OutboxSink("webhook")], logger: quiet)
    var webhook = WebhookSettings(url: "http://127.0.0.1:\(relay?.port ?? port)/")
    webhook.attemptLimit = .milliseconds(500)
    webhook.retry.fastDelay = .milliseconds(10)
    webhook.retry.firstDelay = .milliseconds(20)
    webhook.retry.delayMax = .milliseconds(100)
    webhook.retry.parkedProbeInterval = .milliseconds(50)
    let loop = DeliveryLoop(
      sink: try WebhookSink(settings: webhook), outbox: outbox, retry: webhook.retry, logger: quiet)
    let group = ServiceGroup(services: [loop], logger: quiet)
    let run = Task { try await group.run() }
    var scans = ScanMaker()
    for _ in 1...20 { _ = try await outbox.append(scans.next()) }
    try await trouble(port)
    for _ in 21...40 { _ = try await outbox.append(scans.next()) }
    #expect(await eventually(.seconds(60)) { await outbox.undeliveredCount(for: "webhook") == 0 })
    await group.triggerGracefulShutdown()
    try await run.value
    await outbox.close()
    await receiver.stop()
    #expect(receipts.texts == (1...40).map(String.init))
  }

  private func counter() -> @Sendable () -> Int {
    let count = Mutex(0)
    return {
      count.withLock { count in
        count += 1; return count
      }
    }
  }

  @Test func `a slow receiver receives every scan`() async throws {
    let number = counter()
    // Some answers come too late for the attempt, although the scan was accepted.
    try await survives(
      WebhookReceiver { _ in .init(delay: number() % 10 == 3 ? .milliseconds(900) : .milliseconds(20), takesScan: true) })
  }

  @Test func `a flapping receiver receives every scan`() async throws {
    let receiver = WebhookReceiver()
    try await survives(
      receiver,
      during: { port in
        for _ in 0..<10 {
          await receiver.stop()
          try await Task.sleep(for: .milliseconds(40))
          _ = try await receiver.start(port: port) { [receipts] in receipts.append($0) }
          try await Task.sleep(for: .milliseconds(30))
        }
      })
  }

  @Test func `a receiver that resets connections receives every scan`() async throws {
    try await survives(
      WebhookReceiver(),
      behind: { number in
        switch number % 3 {
        case 2: .answers
        case let rest: .resets(takesScan: rest != 1)
        }
      })
  }

  /// Every status other than success and 410, once for each of the first scans.
  @Test(arguments: [300, 304, 400, 404, 408, 409, 413, 425, 429, 451, 500, 503, 511, 599])
  func `a receiver that answers with any status receives every scan in the end`(_ status: Int) async throws {
    let number = counter()
    try await survives(WebhookReceiver { _ in number() <= 8 ? .init(status) : .init() })
  }

  /// 410 parks the sink permanently: no attempt is made until an operator asks for one, and nothing is lost.
  @Test func `a receiver that has gone gets no attempt until an operator asks for one`() async throws {
    let isGone = Mutex(true)
    let attempts = Mutex(0)
    let receiver = WebhookReceiver { _ in
      attempts.withLock { $0 += 1 }
      return isGone.withLock { $0 } ? .init(410) : .init()
    }
    let port = try await receiver.start { [receipts] in receipts.append($0) }
    let outbox = await Outbox(settings: settings(), sinks: [OutboxSink("webhook")], logger: quiet)
    var retry = RetrySettings()
    retry.parkedProbeInterval = .milliseconds(10)
    let loop = DeliveryLoop(
      sink: try WebhookSink(settings: WebhookSettings(url: "http://127.0.0.1:\(port)/")), outbox: outbox, retry: retry,
      logger: quiet)
    let group = ServiceGroup(services: [loop], logger: quiet)
    let run = Task { try await group.run() }
    var scans = ScanMaker()
    for _ in 1...5 { _ = try await outbox.append(scans.next()) }
    #expect(await eventually { if case .parked = loop.status.phase { true } else { false } })
    try await Task.sleep(for: .milliseconds(100))
    #expect(attempts.withLock { $0 } == 1)
    isGone.withLock { $0 = false }
    #expect(await outbox.perform(OutboxRequest(.retry)) == "trying now: webhook")
    #expect(await eventually { await outbox.undeliveredCount(for: "webhook") == 0 })
    await group.triggerGracefulShutdown()
    try await run.value
    await receiver.stop()
    #expect(receipts.texts == (1...5).map(String.init))
  }
}
