// Peers of the MQTT tests: a real Mosquitto as a process that can be killed, a subscriber, and a broker that answers by a script, for
// answers that Mosquitto does not give.

import CMosquitto
import Foundation
import Glibc
import RawServer
import Synchronization
import Testing
@testable import DeliveryModel

/// A Mosquitto of the system on a port of the loopback.
final class Broker {
  let port: Int
  private let configuration: String
  private var process: Child?

  private static let program = "/usr/sbin/mosquitto"

  /// Starts it.
  ///
  /// - Parameters:
  ///   - lines: configuration lines besides the listener.
  init(_ folder: TemporaryFolder, _ lines: String = "allow_anonymous true") throws {
    try #require(
      access(Self.program, X_OK) == 0,
      "Mosquitto is not installed: run `deploy/prepare test`, or install the package mosquitto")
    port = try Self.freePort()
    // As root it would become another user, who may not read the test's files.
    let all =
      "listener \(port) 127.0.0.1\nuser root\nlog_dest file \(folder.file("mosquitto.log"))\nmax_queued_messages 0\n\(lines)\n"
    configuration = try folder.write(all, to: "mosquitto-\(port).conf")
    try start()
  }

  deinit { kill() }

  var url: String { "mqtt://127.0.0.1:\(port)" }

  /// Returns when it takes connections.
  func start() throws {
    process = try Child(Self.program, ["-c", configuration])
    for _ in 0..<500 {
      if let connection = RawConnection(port: port) {
        connection.close()
        return
      }
      usleep(5000)
    }
    try #require(Bool(false), "Mosquitto does not start")
  }

  func kill() {
    _ = process?.kill()
    process = nil
  }

  /// Ends it, so that it writes down what it keeps.
  func terminate() {
    guard let process else { return }
    _ = Glibc.kill(process.id, SIGTERM)
    while process.statusIfEnded() == nil { usleep(2000) }
    self.process = nil
  }

  /// A port that is free.
  static func freePort() throws -> Int {
    let server = try RawServer { _ in }
    defer { server.stop() }
    return server.port
  }
}

/// A client that records a broker's messages. With QoS 0 it receives everything that the broker writes before it dies.
final class Subscriber: Sendable {
  struct Message: Sendable {
    let topic: String
    let payload: [UInt8]
    let isRetained: Bool
    let arrived = CaptureTime.now()
    var contentType: String?
    /// The user property `id`.
    var id: String?

    var text: String { String(decoding: payload, as: UTF8.self) }
    var object: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any]) ?? [:] }
    /// The id in a scan's record.
    var recordID: String { object["id"] as? String ?? "" }
  }

  private let all = Mutex<[Message]>([])
  private let isStopped = Atomic(false)
  private let subscribedCount = Atomic(0)
  private let topic: String
  private let finished = DispatchSemaphore(value: 0)

  /// The quality of service that is asked for: 1 for a session that lasts.
  private let quality: Int32

  /// Connects, again and again, on a thread of its own.
  ///
  /// - Parameter session: the id of a session that the broker keeps over its own restart; nil for one that ends with the connection.
  init(port: Int, topic: String = "#", session: String? = nil) {
    self.topic = topic
    quality = session == nil ? 0 : 1
    mosquitto_lib_init()
    Thread.detachNewThread { [self] in
      run(port, session)
      finished.signal()
    }
  }

  deinit { isStopped.store(true, ordering: .relaxed) }

  func stop() {
    isStopped.store(true, ordering: .relaxed)
    finished.wait()
  }

  var messages: [Message] { all.withLock { $0 } }
  /// Subscriptions that the broker has agreed to, one for each connection.
  var connectionCount: Int { subscribedCount.load(ordering: .relaxed) }

  /// Messages of a topic.
  func messages(of topic: String) -> [Message] { messages.filter { $0.topic == topic } }

  private func run(_ port: Int, _ session: String?) {
    guard let handle = mosquitto_new(session, session == nil, Unmanaged.passUnretained(self).toOpaque()) else { return }
    defer { mosquitto_destroy(handle) }
    if session == nil { mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, 5) }
    mosquitto_connect_v5_callback_set(handle) { handle, owner, code, _, _ in
      guard code == 0, let owner else { return }
      let subscriber = Unmanaged<Subscriber>.fromOpaque(owner).takeUnretainedValue()
      mosquitto_subscribe(handle, nil, subscriber.topic, subscriber.quality)
    }
    mosquitto_subscribe_callback_set(handle) { _, owner, _, _, _ in
      guard let owner else { return }
      Unmanaged<Subscriber>.fromOpaque(owner).takeUnretainedValue().subscribedCount.add(1, ordering: .relaxed)
    }
    mosquitto_message_v5_callback_set(handle) { _, owner, message, properties in
      guard let owner, let message = message?.pointee else { return }
      Unmanaged<Subscriber>.fromOpaque(owner).takeUnretainedValue().take(message, properties)
    }
    var status = mosquitto_connect(handle, "127.0.0.1", Int32(port), 60)
    while !isStopped.load(ordering: .relaxed) {
      _ = fcntl(mosquitto_socket(handle), F_SETFD, FD_CLOEXEC)
      if status != 0 {
        usleep(2000)
        status = mosquitto_reconnect(handle)
      } else {
        status = mosquitto_loop(handle, 50, 1)
      }
    }
  }

  private func take(_ message: mosquitto_message, _ properties: OpaquePointer?) {
    let bytes = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
    var taken = Message(topic: String(cString: message.topic), payload: Array(bytes), isRetained: message.retain)
    var name: UnsafeMutablePointer<CChar>?
    var value: UnsafeMutablePointer<CChar>?
    if mosquitto_property_read_string_pair(properties, Int32(MQTT_PROP_USER_PROPERTY.rawValue), &name, &value, false) != nil
    {
      if let name, let value, String(cString: name) == "id" { taken.id = String(cString: value) }
      free(name)
      free(value)
    }
    var type: UnsafeMutablePointer<CChar>?
    if mosquitto_property_read_string(properties, Int32(MQTT_PROP_CONTENT_TYPE.rawValue), &type, false) != nil, let type {
      taken.contentType = String(cString: type)
      free(type)
    }
    all.withLock { $0.append(taken) }
  }
}

/// A broker of MQTT 5 that answers by a script.
final class ScriptedBroker: Sendable {
  private let server: RawServer
  private let log: Log

  var port: Int { server.port }
  /// The topics of what was published, in order.
  var published: [String] { log.topics.withLock { $0 } }

  /// - Parameters:
  ///   - greeting: the reason of its CONNACK; nil: it says nothing.
  ///   - answer: the reason of its PUBACK to the message with this number, from 0; nil: it closes the connection.
  init(
    greeting: UInt8? = 0, farewell: UInt8? = nil, answer: @escaping @Sendable (Int) -> UInt8? = { _ in 0 }
  ) throws {
    let log = Log()
    self.log = log
    server = try RawServer { connection in
      var bytes: [UInt8] = []
      while let packet = Self.nextPacket(&bytes, connection) {
        switch packet.kind {
        case 0x10:
          guard let greeting else { continue }
          connection.send([0x20, 0x03, 0x00, greeting, 0x00])
        case 0x30:
          let topicCount = Int(packet.body[0]) << 8 | Int(packet.body[1])
          let topic = String(decoding: packet.body[2..<(2 + topicCount)], as: UTF8.self)
          let number = log.topics.withLock { topics in
            topics.append(topic)
            return topics.count - 1
          }
          if let farewell {
            connection.send([0xE0, 0x02, farewell, 0x00])
            return
          }
          guard let reason = answer(number) else { return }
          connection.send([0x40, 0x03, packet.body[2 + topicCount], packet.body[3 + topicCount], reason])
        default: break
        }
      }
    }
  }

  func stop() { server.stop() }

  private final class Log: Sendable {
    let topics = Mutex<[String]>([])
  }

  private static func nextPacket(
    _ bytes: inout [UInt8], _ connection: RawConnection
  ) -> (kind: UInt8, body: [UInt8])? {
    while true {
      if let packet = packet(&bytes) { return packet }
      let part = connection.read()
      if part.isEmpty { return nil }
      bytes += part
    }
  }

  /// Takes a whole packet off the front: its type's bits, and what follows its length (MQTT 5 §2.1).
  private static func packet(_ bytes: inout [UInt8]) -> (kind: UInt8, body: [UInt8])? {
    var length = 0
    for (index, byte) in bytes.dropFirst().prefix(4).enumerated() {
      length |= Int(byte & 0x7F) << (7 * index)
      guard byte & 0x80 == 0 else { continue }
      let start = index + 2
      guard bytes.count >= start + length else { return nil }
      let packet = (bytes[0] & 0xF0, Array(bytes[start..<(start + length)]))
      bytes.removeFirst(start + length)
      return packet
    }
    return nil
  }
}
