// The promise of the outbox against kill -9: a process that appends, acknowledges and delivers is killed at random moments.
// Every scan whose id it printed must then reach the receiver, and none twice.

import FoundationEssentials
import Glibc
import ScanReceiver
import ServiceLifecycle
import TestSupport
import Testing
@testable import DeliveryModel
@testable import Outbox
@testable import Sinks

@Suite(.serialized, .timeLimit(.minutes(60))) struct KillTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Number of consecutive kills.
  private var killCount: Int { TestDepth.scaled(20) }

  /// The longest lifetimes of a writer, chosen so that about half of the writers write something.
  private static let spanMilliseconds = 400...5000

  @Test func `no acknowledged scan is lost or doubled by a kill`() async throws {
    let receipts = Receipts()
    let receiver = WebhookReceiver()
    let port = try await receiver.start { receipts.append($0) }
    let path = folder.file("outbox.sqlite")
    let url = "http://127.0.0.1:\(port)/"
    var acknowledged: [String] = []
    // From before the file is open to some hundred scans, no matter how long a start takes on this machine and with this
    // file.
    var span = Self.spanMilliseconds.lowerBound
    for _ in 0..<killCount {
      let child = try Child(try Child.writer(), [path, url])
      try? await Task.sleep(for: .milliseconds(Int.random(in: 1...span)))
      let lines = child.kill()
      try Task.checkCancellation()
      acknowledged += lines
      let next = lines.isEmpty ? span * 5 / 4 : span * 9 / 10
      span = min(max(next, Self.spanMilliseconds.lowerBound), Self.spanMilliseconds.upperBound)
    }
    #expect(!acknowledged.isEmpty, "the writer was always killed before it wrote anything")
    try await deliverTheRest(path, url)
    await receiver.stop()
    let received = receipts.texts
    #expect(Set(acknowledged).subtracting(received).isEmpty, "acknowledged scans were lost")
    #expect(Set(received).count == received.count, "a scan was taken twice")
    // A kill between commit and printing leaves a scan without a printed id: at most one per kill.
    #expect(received.count - acknowledged.count <= killCount)
    #expect(received == received.sorted(), "the order of scans was not kept")
    print(
      "\(killCount) kills, \(acknowledged.count) acknowledged, \(received.count) received, \(receipts.repeats) repeats")
  }

  private func deliverTheRest(_ path: String, _ url: String) async throws {
    var outboxSettings = OutboxSettings()
    outboxSettings.path = path
    let outbox = await Outbox(settings: outboxSettings, sinks: [OutboxSink("sink")], logger: quiet)
    #expect(await outbox.state == .durable)
    var settings = WebhookSettings(url: url)
    settings.name = "sink"
    let sink = try WebhookSink(settings: settings)
    let loop = DeliveryLoop(sink: sink, outbox: outbox, retry: RetrySettings(), logger: quiet)
    let group = ServiceGroup(services: [loop], logger: quiet)
    let run = Task { try await group.run() }
    // The writer is faster than a delivery that is killed repeatedly: the backlog grows by some twenty scans per kill.
    #expect(await eventually(.seconds(60 + killCount)) { await outbox.undeliveredCount(for: "sink") == 0 })
    await group.triggerGracefulShutdown()
    try await run.value
    await outbox.close()
  }
}
