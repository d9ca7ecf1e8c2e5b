// Commands of a broker in one piece: a real Mosquitto, the whole program, and its controller.

import Foundation
import Glibc
import TestSupport
import Testing
@testable import MQTT
@testable import Sinks

@Suite(.timeLimit(.minutes(2))) struct MQTTStationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A grey picture with nothing to read: a trigger on it ends without a scan.
  private func writePicture() throws {
    let bytes = Array("P5 64 48 255\n".utf8) + [UInt8](repeating: 90, count: 64 * 48)
    try Data(bytes).write(to: URL(filePath: folder.file("grey.pgm")))
  }

  /// Publishes a message and waits until the broker has it.
  private func publish(_ topic: String, _ payload: String, _ broker: Broker) throws {
    let connection = try MQTTConnection.open(
      ["127.0.0.1"], port: broker.port, MQTTConnection.Login(clientID: "operator"), limit: .seconds(5), MQTTWaker(),
      isCancelled: { false })
    let number = try connection.publish(MQTTMessage(topic: topic, payload: Array(payload.utf8)))
    while !connection.takeAnswers().contains(where: { $0.number == number }) {
      try connection.turn(until: .now + .seconds(1))
    }
  }

  @Test func `a trigger of the broker opens a session of the controller, and a command that is not allowed changes nothing`()
    async throws
  {
    try writePicture()
    let broker = try Broker(folder)
    let subscriber = Subscriber(port: broker.port)
    #expect(await eventually { subscriber.connectionCount == 1 })
    let file = try folder.write(
      """
      station: {name: till-3}
      camera: {pictures: \(folder.file("grey.pgm")), frame_rate: 20}
      outbox: {path: \(folder.file("outbox.sqlite"))}
      trigger: {mode: edge, timeout: 4 s}
      sinks: [{mqtt: {broker: "\(broker.url)", commands: [trigger, cancel]}}]
      """, to: "station.yaml")
    let station = try Child(BuiltPrograms.folder.appending(path: "reticle").path, ["run", "--config", file])
    defer { _ = station.kill() }
    func session() -> String? { subscriber.messages(of: "reticle/till-3/state").last?.object["session"] as? String }
    func answers() -> [String] { subscriber.messages(of: "reticle/till-3/command/answer").map(\.text) }
    #expect(await eventually(.seconds(30)) { session() == "idle" }, "\(subscriber.messages.map(\.text))")
    // Neither of these is subscribed to.
    try publish("reticle/till-3/command/enable", "off", broker)
    try publish("reticle/till-3/command/open", "press", broker)
    try publish("reticle/till-3/command/trigger", "press", broker)
    #expect(await eventually { session() == "scanning" }, "\(subscriber.messages.map(\.text))")
    #expect(answers() == ["trigger ok"])
    // Nothing is there to be read: the controller ends the session when its time is up.
    #expect(await eventually { !subscriber.messages(of: "reticle/till-3/no-read").isEmpty })
    #expect(await eventually { session() == "idle" })
    #expect(subscriber.messages(of: "reticle/till-3/no-read").map { $0.object["noRead"] as? String } == ["no symbol"])
    #expect(answers() == ["trigger ok"])
    let states = subscriber.messages(of: "reticle/till-3/state").compactMap { $0.object["session"] as? String }
    #expect(!states.contains("disabled"), "\(states)")
    subscriber.stop()
  }
}
