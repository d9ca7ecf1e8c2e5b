// The keys of MQTT: each counts, and each wrong value is one error with its remedy.

import Devices
import Foundation
import MQTT
import Sinks
import TestCertificates
import Testing
@testable import StationConfiguration

@Suite struct MQTTConfigurationTests {
  private func load(_ keys: String, other: String = "") async throws -> StationConfiguration {
    let path = FileManager.default.temporaryDirectory.appending(path: "reticle-\(UUID()).yaml").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let yaml = "camera: {pictures: a}\n\(other)\nsinks:\n  - mqtt: {\(keys)}\n"
    try yaml.write(toFile: path, atomically: true, encoding: .utf8)
    return try await StationConfiguration.load(path: path, environment: [:])
  }

  private func complaint(_ keys: String, other: String = "") async throws -> String {
    do {
      _ = try await load(keys, other: other)
      return "nothing is wrong"
    } catch let error as ConfigurationError {
      return error.description
    }
  }

  /// A file, removed when the test ends.
  private final class WrittenFile {
    let path = FileManager.default.temporaryDirectory.appending(path: "reticle-\(UUID())").path
    init(_ text: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  private func broker(_ text: String) throws -> MQTTAddress { try #require(MQTTAddress(text)) }

  @Test func `a broker's address is enough, and topics have the station's name`() async throws {
    var expected = MQTTSettings(broker: try broker("mqtt://localhost:1883"))
    expected.station = "till-3"
    let configuration = try await load("broker: \"mqtt://localhost\"", other: "station: {name: till-3}")
    #expect(expected.isSame(as: configuration.sinks[0]))
  }

  @Test func `every key of a broker counts`() async throws {
    let certificate = try WrittenFile(TestCertificate.certificate)
    let key = try WrittenFile(TestCertificate.key)
    let credentials = try WrittenFile("user:password\n")
    let configuration = try await load(
      #"broker: "mqtts://broker.example:8884", version: 5, client_id: dock, topic: "a/{station}/{sink}/{type}","#
        + #" state_topic: "a/{station}/{sink}", body: cloudevents, credentials_file: \#(credentials.path), "#
        + "ca_file: \(certificate.path), client_certificate_file: \(certificate.path), client_key_file: \(key.path), "
        + "require_subscriber: true, keep_alive: 20 s, connect_timeout: 2 s, timeout: 3 s, commands: [trigger, torch], "
        + #"command_topic: "b/{station}", discovery: ha, picture_topic: "p/{station}", "#
        + #"group_topics: ["g/one", "g/{station}"]"#,
      other: "station: {name: dock-3}\npictures: {of: [scans]}")
    var expected = MQTTSettings(broker: try broker("mqtts://broker.example:8884"))
    expected.station = "dock-3"
    expected.version = .five
    expected.clientID = "dock"
    expected.topic = try #require(
      MQTTTopicTemplate("a/{station}/{sink}/{type}", places: MQTTSettings.scanPlaces))
    expected.stateTopic = MQTTTopicTemplate("a/{station}/{sink}", places: MQTTSettings.stationPlaces)
    expected.body = .cloudEvents
    expected.commands = [.trigger, .torch]
    expected.commandTopic = try #require(MQTTTopicTemplate("b/{station}", places: MQTTSettings.stationPlaces))
    expected.groupTopics = ["g/one", "g/{station}"].compactMap { MQTTTopicTemplate($0, places: MQTTSettings.stationPlaces) }
    expected.discoveryPrefix = "ha"
    expected.pictureTopic = MQTTTopicTemplate("p/{station}", places: MQTTSettings.stationPlaces)
    expected.credentialsFile = credentials.path
    expected.certificateAuthorityFile = certificate.path
    expected.clientCertificateFile = certificate.path
    expected.clientKeyFile = key.path
    expected.requiresSubscriber = true
    expected.keepAlive = .seconds(20)
    expected.connectLimit = .seconds(2)
    expected.attemptLimit = .seconds(3)
    #expect(expected.isSame(as: configuration.sinks[0]))
  }

  @Test func `the older version, several scans in flight, and no topic of the state`() async throws {
    let configuration = try await load(#"broker: "mqtt://a", version: 3.1.1, in_flight: 10, state_topic: none"#)
    var expected = MQTTSettings(broker: try broker("mqtt://a:1883"))
    expected.station = configuration.stationName
    expected.version = .threeOneOne
    expected.inFlightCountMax = 10
    expected.stateTopic = nil
    #expect(expected.isSame(as: configuration.sinks[0]))
  }

  @Test(
    arguments: [
      ("version: 5", "sinks.0.mqtt.broker is missing"),
      ("broker: broker.example", "sinks.0.mqtt.broker is not a broker's address; write mqtts://host or mqtt://host"),
      (#"broker: "mqtts://host/topic""#, "sinks.0.mqtt.broker is not a broker's address"),
      (#"broker: "mqtt://host:0""#, "sinks.0.mqtt.broker is not a broker's address"),
      (#"broker: "mqtt://a", version: 4"#, "sinks.0.mqtt.version is \"4\"; it must be one of 5, 3.1.1"),
      (#"broker: "mqtt://a", client_id: """#, "sinks.0.mqtt.client_id is \"\"; it must be text of 1 to 128 characters"),
      (#"broker: "mqtt://a", client_id: "a\u0001""#, "sinks.0.mqtt: client_id has a control character; take it out"),
      (#"broker: "mqtt://a", topic: "a/#""#, "sinks.0.mqtt.topic is \"a/#\"; a topic has up to 256 bytes without +, #"),
      (#"broker: "mqtt://a", topic: "{text}""#, "may have {station}, {sink}, {type}, {symbology}"),
      (#"broker: "mqtt://a", state_topic: "{type}""#, "sinks.0.mqtt.state_topic is \"{type}\"; a topic has up to 256 bytes"),
      (#"broker: "mqtt://a", body: xml"#, "sinks.0.mqtt.body is \"xml\"; it must be one of json, cloudevents"),
      (
        #"broker: "mqtt://a", credentials_file: /nowhere"#,
        "sinks.0.mqtt.credentials_file is \"/nowhere\"; it must be the path of a file that this user can read"
      ),
      (#"broker: "mqtts://a", ca_file: /nowhere"#, "sinks.0.mqtt.ca_file is \"/nowhere\"; it must be the path of a file"),
      (#"broker: "mqtts://a", ca_file: /etc/hostname"#, "sinks.0.mqtt: /etc/hostname holds no certificate; name PEM files"),
      (#"broker: "mqtt://a", ca_file: /etc/hostname"#, "sinks.0.mqtt: certificates are set for mqtt://; write mqtts://"),
      (
        #"broker: "mqtts://a", client_certificate_file: /etc/hostname"#,
        "sinks.0.mqtt: a client certificate needs its key; set both or none"
      ),
      (
        #"broker: "mqtts://a", client_key_file: /etc/hostname"#,
        "sinks.0.mqtt: a client certificate needs its key; set both or none"
      ),
      (#"broker: "mqtt://a", in_flight: 0"#, "sinks.0.mqtt.in_flight is \"0\"; it must be a whole number from 1 to 100"),
      (
        #"broker: "mqtt://a", require_subscriber: maybe"#,
        "sinks.0.mqtt.require_subscriber is \"maybe\"; it must be true or false"
      ),
      (
        #"broker: "mqtt://a", require_subscriber: true, version: 3.1.1"#,
        "sinks.0.mqtt: require_subscriber has no effect with MQTT 3.1.1, which does not report it; write version: 5"
      ),
      (
        #"broker: "mqtt://a", require_subscriber: true, in_flight: 2"#,
        "sinks.0.mqtt: require_subscriber keeps the order of scans only with one in flight; take in_flight out"
      ),
      (#"broker: "mqtt://a", keep_alive: 1 s"#, "sinks.0.mqtt.keep_alive is \"1 s\"; it must be a time from 5 s to 1 h"),
      (#"broker: "mqtt://a", connect_timeout: 1 h"#, "sinks.0.mqtt.connect_timeout is \"1 h\"; it must be a time from"),
      (#"broker: "mqtt://a", timeout: never"#, "sinks.0.mqtt.timeout is \"never\"; it must be a time from 100 ms"),
      (
        #"broker: "mqtt://a", commands: [trigger, status]"#,
        "sinks.0.mqtt.commands is \"status\"; it must be a list chosen from open, trigger, cancel, torch, confirm, next, enable"
      ),
      (
        #"broker: "mqtt://a", command_topic: "a/{type}""#,
        "sinks.0.mqtt.command_topic is \"a/{type}\"; a topic has up to 256 bytes"
      ),
      (
        #"broker: "mqtt://a", picture_topic: p"#,
        "the sink mqtt has a picture_topic, and no pictures are kept; write pictures.of, or take the topic out"
      ),
      (
        #"broker: "mqtt://a", discovery: "a/#""#,
        "sinks.0.mqtt.discovery is \"a/#\"; a topic has up to 256 bytes without +, # and control characters"
      ),
      (
        #"broker: "mqtt://a", discovery: ha, topic: "{symbology}""#,
        "sinks.0.mqtt: discovery needs one topic for all scans, and topic has {symbology}; take one of them out"
      ),
      (#"broker: "mqtt://a", topik: x"#, "sinks.0.mqtt.topik is not a key; did you mean sinks.0.mqtt.topic?"),
    ])
  func `a wrong value is one error with its remedy`(_ keys: String, _ expected: String) async throws {
    let complaint = try await complaint(keys)
    #expect(complaint.contains(expected) && complaint.contains("has an error:"), "\(complaint)")
  }

  @Test func `a command of the allow list counts as the button that it replaces, and others do not`() async throws {
    let broker = #"broker: "mqtt://a", commands"#
    let scan = "trigger: {mode: edge}"
    let missing = try await complaint("\(broker): [torch, enable]", other: scan)
    #expect(missing.contains("trigger.mode needs a trigger, but no trigger is configured"), "\(missing)")
    #expect(try await load("\(broker): [trigger]", other: scan).sinks[0].commandedButtons == [.trigger])
  }

  @Test func `a password in a broker's address is not repeated`() async throws {
    let complaint = try await complaint(#"broker: "mqtts://user:secret@host""#)
    #expect(complaint.contains("set credentials_file for a user") && !complaint.contains("secret@"), "\(complaint)")
  }
}
