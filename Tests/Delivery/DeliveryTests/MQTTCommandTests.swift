// Commands by topic, the state that the broker keeps, and the announcements to Home Assistant.

import Devices
import Foundation
import Glibc
import Synchronization
import Testing
@testable import MQTT
@testable import Sinks

@Suite(.timeLimit(.minutes(5))) struct MQTTCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A client that gives commands.
  private struct Operator {
    private let connection: MQTTConnection

    init(_ broker: Broker) throws {
      connection = try MQTTConnection.open(
        ["127.0.0.1"], port: broker.port, MQTTConnection.Login(clientID: "operator"), limit: .seconds(5), MQTTWaker(),
        isCancelled: { false })
    }

    /// Returns when the broker has the message.
    func publish(_ topic: String, _ payload: String, isRetained: Bool = false) throws {
      let number = try connection.publish(
        MQTTMessage(topic: topic, payload: Array(payload.utf8), isRetained: isRetained))
      while !connection.takeAnswers().contains(where: { $0.number == number }) {
        try connection.turn(until: .now + .seconds(1))
      }
    }
  }

  /// A station that answers each command, and says what it is when asked.
  private final class Station: Sendable {
    private let heard = Mutex<[HostCommand]>([])
    var commands: [HostCommand] { heard.withLock { $0 } }

    func take(_ request: HostRequest) -> Bool {
      if request.command == .status {
        let isTorchOn = commands.last { [.torchOn, .torchOff].contains($0) } == .torchOn
        let health =
          " version=0.1.0 since=1764381600 last-scan=1764385201 scans=120 no-reads=3 temperature=51 throttled=no worn=10"
          + " print-alarms=erp/qr,dock/ean13 sinks=mqtt:idle,dock:retrying"
        request.answer(
          .status(
            "session=scanning torch=\(isTorchOn ? "on" : "off") undelivered=3 durability=power-cut at-risk=2"
              + (request.wantsHealth ? health : "")))
        return true
      }
      heard.withLock { $0.append(request.command) }
      request.answer(.done(request.command))
      return request.command != .confirm
    }
  }

  /// A sink with its upkeep; `body` gets the topics' messages.
  private func withSink(
    _ broker: Broker, _ station: Station, commands: [MQTTCommand], discovery: String? = nil,
    version: MQTTSettings.Version = .five, pictures: LatestPicture? = nil, groups: [String] = [],
    _ body: (Subscriber) async throws -> Void
  ) async throws {
    let subscriber = Subscriber(port: broker.port)
    #expect(await eventually { subscriber.connectionCount == 1 })
    var settings = MQTTSettings(broker: try #require(MQTTAddress(broker.url)))
    settings.station = "till-3"
    settings.commands = commands
    settings.version = version
    settings.discoveryPrefix = discovery
    settings.groupTopics = groups.compactMap { MQTTTopicTemplate($0, places: MQTTSettings.stationPlaces) }
    if pictures != nil {
      settings.pictureTopic = MQTTTopicTemplate("reticle/{station}/picture", places: MQTTSettings.stationPlaces)
    }
    let sink = try MQTTSink(settings: settings, logger: quiet, pictures: pictures) { station.take($0) }
    let keeping = Task { await sink.keep() }
    #expect(await eventually { !subscriber.messages(of: "reticle/till-3/state").isEmpty })
    try await body(subscriber)
    keeping.cancel()
    await keeping.value
    await sink.close()
    subscriber.stop()
  }

  @Test func `commands of the allow list are carried out and answered, and nothing else is`() async throws {
    let broker = try Broker(folder)
    let client = try Operator(broker)
    // A kept message is of unknown age.
    try client.publish("reticle/till-3/command/torch", "on", isRetained: true)
    let station = Station()
    try await withSink(broker, station, commands: [.trigger, .torch, .enable]) { subscriber in
      func command(_ name: String, _ payload: String) throws {
        try client.publish("reticle/till-3/command/\(name)", payload)
      }
      try command("confirm", "press")
      try command("cancel", "")
      try command("trigger/more", "press")
      try command("trigger", "PRESS")
      try command("trigger", "pull")
      try command("torch", "ON")
      try command("torch", "off")
      try command("torch", "toggle")
      try command("torch", "")
      try command("enable", "off")
      try command("enable", String(repeating: "o", count: 10_000))
      try command("trigger", "press")
      #expect(await eventually { station.commands.count == 6 })
      #expect(station.commands == [.trigger, .torchOn, .torchOff, .torch, .disable, .trigger])
      #expect(await eventually { subscriber.messages(of: "reticle/till-3/command/answer").count == 9 })
      let answers = subscriber.messages(of: "reticle/till-3/command/answer").map(\.text)
      #expect(answers.filter { $0 == "error unknown command" }.count == 3)
      #expect(answers.contains("torch-on ok") && answers.contains("disable ok"))
    }
  }

  @Test func `a command to a group is for its stations, within their allow lists`() async throws {
    let broker = try Broker(folder)
    let client = try Operator(broker)
    let station = Station()
    let groups = ["reticle/group/shop-1/command", "reticle/group/all/command"]
    try await withSink(broker, station, commands: [.trigger, .torch], groups: groups) { subscriber in
      try client.publish("reticle/group/shop-2/command/trigger", "press")
      try client.publish("reticle/group/shop-1/command/cancel", "press")
      try client.publish("reticle/group/shop-1/command/torch", "on")
      try client.publish("reticle/group/all/command/trigger", "press")
      #expect(await eventually { station.commands.count == 2 })
      #expect(station.commands == [.torchOn, .trigger])
      let answers = "reticle/till-3/command/answer"
      #expect(await eventually { subscriber.messages(of: answers).map(\.text) == ["torch-on ok", "trigger ok"] })
    }
  }

  @Test func `without an allow list the station subscribes to nothing`() async throws {
    let broker = try Broker(folder, "allow_anonymous true\nlog_type subscribe")
    let client = try Operator(broker)
    let station = Station()
    try await withSink(broker, station, commands: []) { subscriber in
      for command in MQTTCommand.allCases { try client.publish("reticle/till-3/command/\(command.rawValue)", "") }
      try await Task.sleep(for: .milliseconds(50))
      #expect(station.commands.isEmpty)
    }
    let log = try String(contentsOfFile: folder.file("mosquitto.log"), encoding: .utf8)
    #expect(!log.contains("reticle-till-3-mqtt 0"), "\(log)")
  }

  @Test(arguments: MQTTSettings.Version.allCases)
  func `a retained command is not carried out, now or later`(version: MQTTSettings.Version) async throws {
    let broker = try Broker(folder)
    let client = try Operator(broker)
    try client.publish("reticle/till-3/command/torch", "on", isRetained: true)
    let station = Station()
    try await withSink(broker, station, commands: [.torch], version: version) { subscriber in
      try client.publish("reticle/till-3/command/torch", "off")
      #expect(await eventually { !station.commands.isEmpty })
      // A broker of MQTT 3.1.1 does not pass on that a new message is to be kept.
      if version == .five { try client.publish("reticle/till-3/command/torch", "on", isRetained: true) }
      try client.publish("reticle/till-3/command/torch", "toggle")
      #expect(await eventually { station.commands.count >= 2 })
      #expect(station.commands == [.torchOff, .torch])
    }
  }

  @Test func `a command that waited on the socket while the station slept is late, and the next one is not`() throws {
    let broker = try Broker(folder)
    let client = try Operator(broker)
    let connection = try MQTTConnection.open(
      ["127.0.0.1"], port: broker.port, MQTTConnection.Login(clientID: "station"), limit: .seconds(5), MQTTWaker(),
      isCancelled: { false })
    connection.turnPauseMax = .milliseconds(300)
    try connection.subscribe("command")
    func letter() throws -> MQTTLetter {
      while true {
        try connection.turn(until: .now + .seconds(1))
        if let letter = connection.takeLetters().first { return letter }
      }
    }
    for _ in 0..<10 { try connection.turn(until: .now + .milliseconds(20)) }
    try client.publish("command", "in time")
    var isLate = [try letter().isLate]
    try client.publish("command", "early")
    try client.publish("command", "early")
    usleep(600_000)
    for _ in 0..<2 { isLate.append(try letter().isLate) }
    try connection.turn(until: .now + .milliseconds(20))
    try client.publish("command", "in time")
    isLate.append(try letter().isLate)
    #expect(isLate == [false, true, true, false])
  }

  @Test func `a command that cannot be taken is answered as busy`() async throws {
    let broker = try Broker(folder)
    let client = try Operator(broker)
    try await withSink(broker, Station(), commands: [.confirm]) { subscriber in
      try client.publish("reticle/till-3/command/confirm", "press")
      #expect(
        await eventually {
          subscriber.messages(of: "reticle/till-3/command/answer").contains { $0.text == "confirm busy" }
        })
    }
  }

  @Test func `the broker keeps the station's session, torch and backlog as they are`() async throws {
    let broker = try Broker(folder)
    let client = try Operator(broker)
    try await withSink(broker, Station(), commands: [.torch]) { subscriber in
      func last() -> [String: Any] { subscriber.messages(of: "reticle/till-3/state").last?.object ?? [:] }
      #expect(await eventually { last()["torch"] as? String == "off" })
      #expect(last()["state"] as? String == "online" && last()["session"] as? String == "scanning")
      #expect(last()["undelivered"] as? Int == 3 && last()["durability"] as? String == "power-cut")
      func isWell() -> Bool {
        last()["version"] as? String == "0.1.0" && last()["since"] as? Int == 1_764_381_600
          && last()["lastScan"] as? Int == 1_764_385_201 && last()["scans"] as? Int == 120 && last()["noReads"] as? Int == 3
          && last()["temperature"] as? Int == 51 && last()["throttled"] as? Bool == false
          && last()["storageWorn"] as? Int == 10 && last()["printAlarms"] as? [String] == ["erp/qr", "dock/ean13"]
          && last()["sinks"] as? [String: String] == ["mqtt": "idle", "dock": "retrying"] && last()["atRisk"] as? Int == 2
      }
      #expect(isWell())
      try client.publish("reticle/till-3/command/torch", "on")
      // The next answer is about the session alone; the rest stays.
      #expect(await eventually { last()["torch"] as? String == "on" })
      #expect(isWell())
    }
  }

  @Test func `Home Assistant discovers a sensor, and an entity for each allowed command that it supports`() async throws {
    let broker = try Broker(folder)
    try await withSink(broker, Station(), commands: [.trigger, .torch], discovery: "homeassistant") { subscriber in
      func entity(_ path: String) -> [String: Any] {
        subscriber.messages(of: "homeassistant/\(path)/config").first?.object ?? [:]
      }
      #expect(await eventually { !entity("light/reticle-till-3/torch").isEmpty })
      let sensor = entity("sensor/reticle-till-3/scan")
      #expect(sensor["state_topic"] as? String == "reticle/till-3/scan")
      #expect(sensor["value_template"] as? String == "{{ (value_json.text | default(''))[:255] }}")
      #expect(sensor["unique_id"] as? String == "reticle-till-3-scan")
      #expect((sensor["device"] as? [String: Any])?["identifiers"] as? [String] == ["reticle-till-3"])
      let availability = (sensor["availability"] as? [[String: Any]])?.first
      #expect(availability?["topic"] as? String == "reticle/till-3/state")
      #expect(availability?["value_template"] as? String == "{{ value_json.state }}")
      let button = entity("button/reticle-till-3/trigger")
      #expect(button["command_topic"] as? String == "reticle/till-3/command/trigger")
      #expect(button["payload_press"] as? String == "press")
      let light = entity("light/reticle-till-3/torch")
      #expect(light["command_topic"] as? String == "reticle/till-3/command/torch")
      #expect(light["payload_on"] as? String == "on" && light["payload_off"] as? String == "off")
      #expect(light["state_topic"] as? String == "reticle/till-3/state")
      let template = "{{ value_json.torch if value_json.torch in ['on', 'off'] else 'None' }}"
      #expect(light["state_value_template"] as? String == template)
    }
    // Announcements are kept for a Home Assistant that starts later.
    let later = Subscriber(port: broker.port, topic: "homeassistant/#")
    #expect(await eventually { later.messages.count == 3 })
    #expect(later.messages.allSatisfy { $0.isRetained })
    later.stop()
    // When a command is no longer allowed, its entity is removed.
    try await withSink(broker, Station(), commands: [.trigger], discovery: "homeassistant") { subscriber in
      #expect(
        await eventually {
          subscriber.messages(of: "homeassistant/light/reticle-till-3/torch/config").last?.payload.isEmpty == true
        })
    }
    let last = Subscriber(port: broker.port, topic: "homeassistant/#")
    #expect(await eventually { last.messages.count == 2 })
    try await Task.sleep(for: .milliseconds(50))
    last.stop()
    #expect(
      Set(last.messages.map(\.topic)) == [
        "homeassistant/sensor/reticle-till-3/scan/config", "homeassistant/button/reticle-till-3/trigger/config",
      ])
  }

  @Test(arguments: MQTTSettings.Version.allCases)
  func `the last picture is published and kept for later subscribers, and Home Assistant discovers a camera`(
    version: MQTTSettings.Version
  ) async throws {
    let broker = try Broker(folder)
    let pictures = LatestPicture()
    let file = (0..<100_000).map { UInt8($0 * 7 & 255) }
    func last(_ subscriber: Subscriber) -> [UInt8] {
      subscriber.messages(of: "reticle/till-3/picture").last.map { Array($0.payload) } ?? []
    }
    try await withSink(
      broker, Station(), commands: [], discovery: "homeassistant", version: version, pictures: pictures
    ) { subscriber in
      pictures.put(file, mediaType: "image/webp")
      #expect(await eventually { last(subscriber) == file })
      // Of several in a row, the newest follows; one that is too large never does.
      for number in 1...50 { pictures.put([UInt8(number)], mediaType: "image/jpeg") }
      #expect(await eventually { last(subscriber) == [50] })
      #expect(subscriber.messages(of: "reticle/till-3/picture").count <= 3)
      pictures.put([UInt8](repeating: 1, count: MQTTSink.pictureByteCountMax + 1), mediaType: "image/webp")
      try await Task.sleep(for: .seconds(3))
      pictures.put([51], mediaType: "image/webp")
      #expect(await eventually { last(subscriber) == [51] })
      let count = subscriber.messages(of: "reticle/till-3/picture").count
      // Longer than the time between two pictures.
      try await Task.sleep(for: .seconds(2.5))
      #expect(subscriber.messages(of: "reticle/till-3/picture").count == count, "each picture is published once")
      #expect(subscriber.messages(of: "reticle/till-3/picture").allSatisfy { $0.payload.count <= file.count })
      let camera = subscriber.messages(of: "homeassistant/camera/reticle-till-3/picture/config").last?.object ?? [:]
      #expect(camera["topic"] as? String == "reticle/till-3/picture")
      #expect(camera["unique_id"] as? String == "reticle-till-3-picture")
    }
    let later = Subscriber(port: broker.port, topic: "reticle/till-3/picture")
    #expect(await eventually { last(later) == [51] })
    later.stop()
    // Without a topic for pictures, the camera goes.
    try await withSink(broker, Station(), commands: [], discovery: "homeassistant", version: version) { subscriber in
      let topic = "homeassistant/camera/reticle-till-3/picture/config"
      #expect(await eventually { subscriber.messages(of: topic).last?.payload.isEmpty == true })
    }
  }

  @Test func `names that differ stay different in discovery, and fit its topics`() throws {
    var settings = MQTTSettings(broker: try #require(MQTTAddress("mqtt://localhost")))
    settings.discoveryPrefix = "homeassistant"
    var topics: Set<String> = []
    for name in ["till 3", "till_3", "till/3", "Kasse ü", "+/#"] {
      settings.station = name
      let topic = try #require(settings.announcements.first?.topic)
      let level = try #require(topic.split(separator: "/").dropFirst(2).first)
      #expect(topic.split(separator: "/").count == 5)
      #expect(level.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
      topics.insert(topic)
    }
    #expect(topics.count == 5)
  }
}
