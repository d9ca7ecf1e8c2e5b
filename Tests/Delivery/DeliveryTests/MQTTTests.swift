// Scans on a real Mosquitto, and on a broker that refuses them: what arrives, what the broker keeps, and what each refusal means.

import FoundationEssentials
import Glibc
import RawServer
import Testing
@testable import DeliveryModel
@testable import MQTT
@testable import Sinks

@Suite(.timeLimit(.minutes(10))) struct MQTTTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func settings(_ url: String, _ change: (inout MQTTSettings) -> Void = { _ in }) throws -> MQTTSettings {
    var settings = MQTTSettings(broker: try #require(MQTTAddress(url)))
    settings.station = "till-3"
    change(&settings)
    return settings
  }

  /// Delivers one scan.
  private func outcome(_ settings: MQTTSettings) async throws -> DeliveryOutcome {
    let sink = try MQTTSink(settings: settings, logger: quiet)
    var scans = ScanMaker()
    let outcome = await sink.deliver(scans.next())
    await sink.close()
    return outcome
  }

  /// The problem of an outcome, after checking that it has this kind.
  private func problem(_ outcome: DeliveryOutcome, _ kind: String) -> String {
    switch (outcome, kind) {
    case (.retry(nil, let problem), "retry"), (.rejected(nil, let problem), "rejected"),
      (.parked(let problem, isFinal: false), "parked"):
      problem.description
    default: "\(outcome) is not \(kind)"
    }
  }

  // MARK: What arrives

  @Test(arguments: MQTTSettings.Version.allCases)
  func `scans arrive in order with their ids, in the payload and with MQTT 5 as a property`(
    version: MQTTSettings.Version
  ) async throws {
    let broker = try Broker(folder)
    let subscriber = Subscriber(port: broker.port, topic: "reticle/till-3/scan")
    #expect(await eventually { subscriber.connectionCount == 1 })
    let sink = try MQTTSink(settings: settings(broker.url) { $0.version = version }, logger: quiet)
    var scans = ScanMaker()
    let records = (0..<25).map { _ in scans.next() }
    #expect(await sink.deliver(Array(records[..<10])) == .delivered)
    #expect(await sink.deliver(Array(records[10...])) == .delivered)
    #expect(await eventually { subscriber.messages.count == 25 })
    await sink.close()
    subscriber.stop()
    #expect(subscriber.messages.map(\.recordID) == records.map(\.id.description))
    let first = try #require(subscriber.messages.first)
    #expect(first.object["text"] as? String == "1" && first.object["sent"] != nil && !first.isRetained)
    #expect(first.id == (version == .five ? records[0].id.description : nil))
    #expect(first.contentType == (version == .five ? "application/json" : nil))
  }

  @Test func `a topic takes values of the scan, and none of them leaves its level or is a wildcard`() async throws {
    let broker = try Broker(folder)
    let subscriber = Subscriber(port: broker.port)
    #expect(await eventually { subscriber.connectionCount == 1 })
    let topic = try #require(MQTTTopicTemplate("{station}/{sink}/{type}/{symbology}", places: MQTTSettings.scanPlaces))
    let settings = try settings(broker.url) {
      $0.station = "$till+/#\u{1}ü%"
      $0.topic = topic
      $0.stateTopic = nil
      $0.body = .cloudEvents
    }
    #expect(try await outcome(settings) == .delivered)
    #expect(await eventually { !subscriber.messages.isEmpty })
    subscriber.stop()
    #expect(subscriber.messages.map(\.topic) == ["%24till%2B%2F%23%01ü%25/mqtt/scan/code128"])
    #expect(subscriber.messages.first?.object["type"] as? String == "reticle.scan")
  }

  @Test(arguments: [
    "", "a/#", "+/a", "a\u{0}b", "{station", "station}", "{text}", "a}{station}", String(repeating: "a", count: 257),
  ])
  func `a text that is not a valid topic is refused`(text: String) {
    #expect(MQTTTopicTemplate(text, places: MQTTSettings.scanPlaces) == nil)
    #expect(MQTTTopicTemplate("{symbology}", places: MQTTSettings.stationPlaces) == nil)
  }

  @Test func `the broker keeps that the station is online, and how it went offline`() async throws {
    let broker = try Broker(folder)
    let settings = try settings(broker.url)
    func state() async -> [String: Any] {
      let subscriber = Subscriber(port: broker.port, topic: "reticle/till-3/state")
      _ = await eventually(.seconds(2)) { !subscriber.messages.isEmpty }
      subscriber.stop()
      #expect(subscriber.messages.first?.isRetained == true)
      return subscriber.messages.first?.object ?? [:]
    }
    var scans = ScanMaker()
    var sink: MQTTSink? = try MQTTSink(settings: settings, logger: quiet)
    #expect(await sink?.deliver(scans.next()) == .delivered)
    #expect(await state()["state"] as? String == "online")
    // Without DISCONNECT the broker publishes the will.
    sink = nil
    #expect(await eventually { await state()["reason"] as? String == "connection lost" })
    sink = try MQTTSink(settings: settings, logger: quiet)
    #expect(await sink?.deliver(scans.next()) == .delivered)
    await sink?.close()
    let last = await state()
    #expect(last["state"] as? String == "offline" && last["reason"] as? String == "stopped", "\(last)")
    #expect(last["station"] as? String == "till-3")
  }

  @Test func `the connection is kept without scans, and made again when the broker comes back`() async throws {
    let broker = try Broker(folder)
    let sink = try MQTTSink(settings: settings(broker.url) { $0.retry.fastDelay = .milliseconds(20) }, logger: quiet)
    let keeping = Task { await sink.keep() }
    func isOnline() async -> Bool {
      let subscriber = Subscriber(port: broker.port, topic: "reticle/till-3/state")
      defer { subscriber.stop() }
      return await eventually(.seconds(1)) { subscriber.messages.first?.object["state"] as? String == "online" }
    }
    #expect(await eventually(.seconds(30)) { await isOnline() })
    broker.kill()
    try broker.start()
    #expect(await eventually(.seconds(30)) { await isOnline() })
    // A scan does not wait for the upkeep's turn to end, which would take a second each.
    var scans = ScanMaker()
    let begin = ContinuousClock.now
    for _ in 0..<5 { #expect(await sink.deliver(scans.next()) == .delivered) }
    #expect(ContinuousClock.now - begin < .seconds(3))
    keeping.cancel()
    await keeping.value
    await sink.close()
  }

  // MARK: Who is let in

  @Test(arguments: MQTTSettings.Version.allCases)
  func `a wrong password parks the sink with a remedy, and the right one lets the station in`(
    version: MQTTSettings.Version
  ) async throws {
    let passwords = folder.file("passwords")
    let made = try Child("/usr/bin/mosquitto_passwd", ["-c", "-b", passwords, "station", "right"])
    while made.statusIfEnded() == nil { usleep(1000) }
    let broker = try Broker(folder, "allow_anonymous false\npassword_file \(passwords)")
    let wrong = try folder.write("station:wrong", to: "wrong")
    let right = try folder.write("station:right\n", to: "right")
    for (file, remedy) in [(wrong, "check"), (nil, "set credentials_file")] {
      let refused = try await outcome(
        settings(broker.url) {
          $0.version = version
          $0.credentialsFile = file
        })
      let words = problem(refused, "parked")
      #expect(words.contains(remedy) && words.contains("\(broker.port)") && !words.contains("wrong"), "\(words)")
    }
    let taken = try await outcome(
      settings(broker.url) {
        $0.version = version
        $0.credentialsFile = right
      })
    #expect(taken == .delivered)
    let missing = try await outcome(settings(broker.url) { $0.credentialsFile = folder.file("missing") })
    #expect(problem(missing, "retry").contains("missing cannot be read"))
  }

  @Test func `a topic that the station may not publish to is the scan's trouble, not the sink's`() async throws {
    let rules = try folder.write("topic write reticle/till-3/state\n", to: "acl")
    let broker = try Broker(folder, "allow_anonymous true\nacl_file \(rules)")
    let refused = try await outcome(settings(broker.url))
    let words = problem(refused, "rejected")
    #expect(words.contains("may not publish to reticle/till-3/scan") && words.contains("access list"), "\(words)")
  }

  @Test func `a scan that the broker is too small for is rejected, and the ones before it are not sent again`() async throws
  {
    let broker = try Broker(folder, "allow_anonymous true\nmax_packet_size 1500")
    let subscriber = Subscriber(port: broker.port, topic: "reticle/till-3/scan")
    #expect(await eventually { subscriber.connectionCount == 1 })
    let sink = try MQTTSink(settings: settings(broker.url), logger: quiet)
    var scans = ScanMaker()
    let records = [scans.next(), scans.next(String(repeating: "9", count: 2000)), scans.next()]
    for _ in 0..<2 {
      let words = problem(await sink.deliver(records), "rejected")
      #expect(words.contains("larger than the broker takes"), "\(words)")
    }
    #expect(await sink.deliver([records[0]]) == .delivered)
    #expect(await sink.deliver([records[2]]) == .delivered)
    #expect(await eventually { subscriber.messages.count >= 2 })
    await sink.close()
    subscriber.stop()
    // None behind the refused scan has passed it.
    #expect(subscriber.messages.map(\.recordID) == [records[0], records[2]].map(\.id.description))
  }

  @Test func `a scan without a subscriber is kept where one is required`() async throws {
    let broker = try Broker(folder)
    #expect(try await outcome(settings(broker.url)) == .delivered)
    let sink = try MQTTSink(settings: settings(broker.url) { $0.requiresSubscriber = true }, logger: quiet)
    var scans = ScanMaker()
    let record = scans.next()
    #expect(problem(await sink.deliver(record), "retry").contains("has no subscriber"))
    let subscriber = Subscriber(port: broker.port, topic: "reticle/till-3/scan")
    #expect(await eventually { subscriber.connectionCount == 1 })
    #expect(await sink.deliver(record) == .delivered)
    await sink.close()
    #expect(await eventually { subscriber.messages.map(\.recordID) == [record.id.description] })
    subscriber.stop()
  }

  // MARK: What keeps a connection from coming about

  @Test func `a broker that is not there, is silent, speaks another language or closes is reported with a remedy`()
    async throws
  {
    let port = try Broker.freePort()
    let refused = problem(try await outcome(settings("mqtt://127.0.0.1:\(port)")), "retry")
    #expect(refused.contains("connection refused") && refused.contains("check that the broker runs"), "\(refused)")
    let unknown = problem(try await outcome(settings("mqtt://no-such-host.invalid")), "retry")
    #expect(unknown.contains("no-such-host.invalid has no address"), "\(unknown)")
    let scripts: [(@Sendable (RawConnection) -> Void, String)] = [
      ({ while !$0.read().isEmpty {} }, "no answer to CONNECT within"),
      (
        { connection in
          _ = connection.read()
          connection.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n\(String(repeating: "no ", count: 50))".utf8))
          while !connection.read().isEmpty {}
        }, "is not MQTT"
      ),
      ({ _ = $0.read() }, "closed the connection before it answered"),
    ]
    for (script, words) in scripts {
      let server = try RawServer(script)
      let outcome = try await outcome(
        settings("mqtt://127.0.0.1:\(server.port)") { $0.connectLimit = .milliseconds(200) })
      server.stop()
      #expect(problem(outcome, "retry").contains(words), "\(outcome)")
    }
  }

  @Test(
    arguments: [
      (0x80, "retry", "0x80"), (0x82, "parked", "0x82"), (0x84, "parked", "write version: 3.1.1"),
      (0x85, "parked", "set client_id"), (0x86, "parked", "set credentials_file"), (0x87, "parked", "set credentials_file"),
      (0x88, "retry", "not available"), (0x89, "retry", "busy"), (0x8A, "parked", "banned"),
      (0x95, "parked", "limit of packets"),
      (0x97, "retry", "quota"), (0x9A, "parked", "state_topic: none"), (0x9B, "parked", "QoS 1"),
      (0x9D, "parked", "new address"), (0x9F, "retry", "busy"),
    ] as [(UInt8, String, String)])
  func `a refused CONNECT is tried again, or waits for someone, by its reason`(
    reason: UInt8, kind: String, words: String
  ) async throws {
    let broker = try ScriptedBroker(greeting: reason)
    defer { broker.stop() }
    let said = problem(try await outcome(settings("mqtt://127.0.0.1:\(broker.port)")), kind)
    #expect(said.contains(words), "\(said)")
  }

  @Test(
    arguments: [
      (0x80, "rejected", "0x80"), (0x83, "rejected", "0x83"), (0x87, "rejected", "access list"), (0x90, "rejected", "topic"),
      (0x91, "retry", "0x91"), (0x97, "retry", "quota"), (0x99, "rejected", "0x99"),
    ] as [(UInt8, String, String)])
  func `a scan that the broker does not take is tried again, or lets others pass, by its reason`(
    reason: UInt8, kind: String, words: String
  ) async throws {
    let broker = try ScriptedBroker { _ in reason }
    defer { broker.stop() }
    let said = problem(
      try await outcome(settings("mqtt://127.0.0.1:\(broker.port)") { $0.stateTopic = nil }), kind)
    #expect(said.contains(words), "\(said)")
  }

  @Test(
    arguments: [
      (0x8B, "retry", "shutting down"), (0x8E, "retry", "client_id"), (0x95, "rejected", "larger"), (0x97, "retry", "quota"),
      (0x9D, "parked", "new address"), (0x87, "rejected", "authorise"),
    ] as [(UInt8, String, String)])
  func `a broker that ends the connection is heard`(reason: UInt8, kind: String, words: String) async throws {
    let broker = try ScriptedBroker(farewell: reason)
    defer { broker.stop() }
    let said = problem(
      try await outcome(settings("mqtt://127.0.0.1:\(broker.port)") { $0.stateTopic = nil }), kind)
    #expect(said.contains(words), "\(said)")
  }

  @Test func `a scan whose acknowledgement does not come is published again, and those before it are not`() async throws {
    // Of five messages the third is not answered; after that all are.
    let broker = try ScriptedBroker { $0 == 2 ? nil : 0 }
    defer { broker.stop() }
    let topic = try #require(MQTTTopicTemplate("{symbology}", places: MQTTSettings.scanPlaces))
    let sink = try MQTTSink(
      settings: settings("mqtt://127.0.0.1:\(broker.port)") {
        $0.stateTopic = nil
        $0.topic = topic
      }, logger: quiet)
    var scans = ScanMaker()
    let records = (0..<5).map { number in
      var record = scans.next()
      record.symbology = "\(number)"
      return record
    }
    // The broker leaves messages unread, so that the end may be a reset.
    #expect(problem(await sink.deliver(records), "retry").contains("connection"))
    #expect(await sink.deliver(records) == .delivered)
    await sink.close()
    #expect(broker.published == ["0", "1", "2", "2", "3", "4"])
  }

  @Test func `an attempt ends soon when the task is cancelled`() async throws {
    let server = try RawServer { while !$0.read().isEmpty {} }
    defer { server.stop() }
    let sink = try MQTTSink(settings: settings("mqtt://127.0.0.1:\(server.port)"), logger: quiet)
    var scans = ScanMaker()
    let record = scans.next()
    let attempt = Task { await sink.deliver(record) }
    #expect(await eventually { server.connectionCount == 1 })
    let begin = ContinuousClock.now
    attempt.cancel()
    #expect(problem(await attempt.value, "retry").contains("cancelled"))
    #expect(ContinuousClock.now - begin < .seconds(1))
    await sink.close()
  }
}
