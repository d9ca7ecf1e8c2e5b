// The promise of the outbox over MQTT: a real Mosquitto and the station are killed again and again in the middle, and each scan that
// was acknowledged is there once by its id, in its order.

import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing
@testable import DeliveryModel
@testable import MQTT
@testable import Outbox
@testable import Sinks

@Suite(.serialized, .timeLimit(.minutes(30))) struct MQTTKillTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Kills of each kind in a row.
  private var killCount: Int { TestDepth.scaled(50) }

  /// Ids in the order in which they came first.
  private func firstIDs(_ subscriber: Subscriber) -> [String] {
    var seen: Set<String> = []
    return subscriber.messages.map(\.recordID).filter { seen.insert($0).inserted }
  }

  /// An outbox that delivers to a broker, until `body` returns and all is delivered.
  private func withDelivery(
    _ settings: MQTTSettings, _ body: (Outbox) async throws -> Void
  ) async throws {
    var outboxSettings = OutboxSettings()
    outboxSettings.path = folder.file("outbox.sqlite")
    let outbox = await Outbox(settings: outboxSettings, sinks: [OutboxSink(settings.name)], logger: quiet)
    let sink = try MQTTSink(settings: settings, logger: quiet)
    let loop = DeliveryLoop(sink: sink, outbox: outbox, retry: settings.retry, logger: quiet)
    let group = ServiceGroup(services: [loop] + sink.services, logger: quiet)
    let run = Task { try await group.run() }
    try await body(outbox)
    #expect(await eventually(.seconds(60)) { await outbox.undeliveredCount(for: settings.name) == 0 })
    #expect(await outbox.status().deadCount == 0)
    await group.triggerGracefulShutdown()
    try await run.value
    await outbox.close()
  }

  @Test func `a broker that is killed again and again has each scan once by its id, in order`() async throws {
    let broker = try Broker(folder)
    let subscriber = Subscriber(port: broker.port, topic: "reticle/+/scan")
    var settings = MQTTSettings(broker: try #require(MQTTAddress(broker.url)))
    settings.requiresSubscriber = true
    settings.retry.fastCount = 1000
    settings.retry.fastDelay = .milliseconds(20)
    var appended: [String] = []
    try await withDelivery(settings) { outbox in
      var scans = ScanMaker()
      for _ in 0..<killCount {
        // The broker dies in the middle: scans come before, while and after it is gone.
        let count = Int.random(in: 20...60)
        let death = Int.random(in: 0..<count)
        for number in 0..<count {
          if number == death { broker.kill() }
          let record = scans.next()
          _ = try await outbox.append(record)
          appended.append(record.id.description)
        }
        try broker.start()
      }
    }
    #expect(await eventually { firstIDs(subscriber).count >= appended.count })
    subscriber.stop()
    #expect(firstIDs(subscriber).elementsEqual(appended))
    print("\(killCount) kills of the broker, \(appended.count) scans, \(subscriber.messages.count - appended.count) repeats")
  }

  @Test func `a broker of MQTT 3.1.1 that is stopped and started has each scan once by its id, in order`() async throws {
    let broker = try Broker(
      folder, "allow_anonymous true\npersistence true\npersistence_location \(folder.path)/")
    let subscriber = Subscriber(port: broker.port, topic: "reticle/+/scan", session: "receiver")
    #expect(await eventually { subscriber.connectionCount == 1 })
    var settings = MQTTSettings(broker: try #require(MQTTAddress(broker.url)))
    settings.version = .threeOneOne
    settings.inFlightCountMax = 10
    settings.retry.fastCount = 1000
    settings.retry.fastDelay = .milliseconds(20)
    var appended: [String] = []
    try await withDelivery(settings) { outbox in
      var scans = ScanMaker()
      for _ in 0..<TestDepth.scaled(10) {
        for number in 0..<30 {
          if number == 15 { broker.terminate() }
          let record = scans.next()
          _ = try await outbox.append(record)
          appended.append(record.id.description)
        }
        try broker.start()
      }
    }
    #expect(await eventually { firstIDs(subscriber).count >= appended.count })
    subscriber.stop()
    #expect(firstIDs(subscriber).elementsEqual(appended))
  }

  @Test func `a station that is killed again and again has published each acknowledged scan once by its id, in order`()
    async throws
  {
    let broker = try Broker(folder)
    let subscriber = Subscriber(port: broker.port, topic: "reticle/+/scan")
    #expect(await eventually { subscriber.connectionCount == 1 })
    let path = folder.file("outbox.sqlite")
    var acknowledged: [String] = []
    for _ in 0..<killCount {
      let child = try Child(try Child.writer(), [path, broker.url])
      try await Task.sleep(for: .milliseconds(Int.random(in: 40...160)))
      acknowledged += child.kill()
    }
    #expect(!acknowledged.isEmpty, "the writer was always killed before it wrote anything")
    var settings = MQTTSettings(broker: try #require(MQTTAddress(broker.url)))
    settings.name = "sink"
    settings.requiresSubscriber = true
    try await withDelivery(settings) { _ in }
    #expect(await eventually { Set(acknowledged).isSubset(of: firstIDs(subscriber)) })
    subscriber.stop()
    let received = firstIDs(subscriber)
    #expect(Set(acknowledged).subtracting(received).isEmpty, "acknowledged scans were lost")
    #expect(received == received.sorted(), "the order of scans was not kept")
    // A kill between commit and printing leaves a scan without its line: at most one each time.
    #expect(received.count - acknowledged.count <= killCount)
    print(
      "\(killCount) kills of the station, \(acknowledged.count) acknowledged, \(subscriber.messages.count - received.count) repeats"
    )
  }
}
