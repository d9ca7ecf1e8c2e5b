// Settings of the MQTT sink.

public import DeliveryModel
public import Devices
import HTTPClient
public import Sinks

/// A broker, as scans are published to it.
public struct MQTTSettings: SinkSettings {
  /// A version of the protocol.
  public enum Version: String, Sendable, CaseIterable {
    case five = "5"
    case threeOneOne = "3.1.1"

    /// As CONNECT says it.
    var number: Int32 { self == .five ? 5 : 4 }
  }

  /// The sink's name: its state in the outbox, its metrics and its log lines go by it.
  public var name = "mqtt"
  public var broker: MQTTAddress
  public var version = Version.five
  /// The station that topics and the client's id name.
  public var station = "reticle"
  /// The client id; nil: made of the station's and the sink's names. Two clients with one id end each other's connection.
  public var clientID: String?
  /// The form of a message's payload.
  public var body = WebhookSettings.Body.json
  public var topic = Self.scanTopic
  /// The topic of the station's retained state; nil: the station has no such topic and no last will.
  public var stateTopic: MQTTTopicTemplate? = Self.stateTopicUsual
  /// The topic of the station's last picture, retained; nil: no pictures are published.
  public var pictureTopic: MQTTTopicTemplate?
  /// The commands that clients of the broker may give; none: the station subscribes to nothing.
  public var commands: [MQTTCommand] = []
  /// The topic below which each command has a topic of its name; answers are published at `answer` there.
  public var commandTopic = Self.commandTopicUsual
  /// More topics of that kind, which stations share: a command there is for all of them. Answers are published at `answer` below
  /// `commandTopic`, too.
  public var groupTopics: [MQTTTopicTemplate] = []
  /// The first level of Home Assistant's discovery topics; nil: the station is not announced.
  public var discoveryPrefix: String?
  /// A file whose first line is `user:password`. Read for each connection.
  public var credentialsFile: String?
  /// PEM files of TLS, read again after a change: the authorities to trust instead of the system's, and the certificate and
  /// key that the station shows; both or none.
  public var certificateAuthorityFile: String?
  public var clientCertificateFile: String?
  public var clientKeyFile: String?
  /// Messages without an answer at most. With more than one, a scan that a broker of MQTT 5 refuses is passed by those that were on
  /// their way behind it.
  public var inFlightCountMax = 1
  /// Whether a message for which the broker has no subscriber is published again later; only MQTT 5 reports that.
  public var requiresSubscriber = false
  /// The longest time without a packet to the broker.
  public var keepAlive = Duration.seconds(30)
  /// Time to connect to one address, TLS and the broker's answer included.
  public var connectLimit = Duration.seconds(5)
  /// Time for the broker to answer to what is in flight.
  public var attemptLimit = Duration.seconds(15)
  public var retry = RetrySettings()

  public static let scanPlaces: Set<MQTTTopicTemplate.Place> = Set(MQTTTopicTemplate.Place.allCases)
  public static let stationPlaces: Set<MQTTTopicTemplate.Place> = [.station, .sink]
  /// The topics that are taken where none is written.
  public static let scanTopicText = "reticle/{station}/{type}"
  public static let stateTopicText = "reticle/{station}/state"
  public static let commandTopicText = "reticle/{station}/command"
  private static let commandTopicUsual = usual(commandTopicText, stationPlaces)
  private static let scanTopic = usual(scanTopicText, scanPlaces)
  private static let stateTopicUsual = usual(stateTopicText, stationPlaces)
  /// The most topics of groups.
  public static let groupTopicCountMax = 8
  /// The most messages without an answer.
  public static let inFlightCounts = 1...100

  public init(broker: MQTTAddress) { self.broker = broker }

  private static func usual(_ text: String, _ places: Set<MQTTTopicTemplate.Place>) -> MQTTTopicTemplate {
    guard let template = MQTTTopicTemplate(text, places: places) else { preconditionFailure("\(text) is no topic") }
    return template
  }
}

extension MQTTSettings {
  public var target: String { "mqtt \(broker) \(topic.text)" }
  public var peer: SinkPeer? { SinkPeer(host: broker.host, port: broker.port, shown: "\(broker)") }
  public var needsClock: Bool { broker.isSecure }

  public var acceptsCommands: Bool { !commands.isEmpty }
  public var commandedButtons: Set<Button> { Set(commands.compactMap(\.button)) }
  public var asksForStatus: Bool { stateTopic != nil }
  public var publishesPictures: Bool { pictureTopic != nil }

  public mutating func belong(to station: String) { self.station = station }

  public func makeSink(_ surroundings: SinkSurroundings) throws(DeliveryProblem) -> any ScanSink {
    try MQTTSink(
      settings: self, logger: surroundings.logger, pictures: surroundings.pictures, onRequest: surroundings.onRequest)
  }

  public func reach() async -> DeliveryProblem? {
    do throws(DeliveryProblem) {
      return await (try MQTTSink(settings: self)).reach()
    } catch {
      return error
    }
  }

  var tls: TLSSettings {
    TLSSettings(
      authorityFile: certificateAuthorityFile, certificateFile: clientCertificateFile, keyFile: clientKeyFile)
  }

  /// Values of the station for places in topics.
  var stationValues: [MQTTTopicTemplate.Place: String] { [.station: station, .sink: name] }

  func topic(of command: MQTTCommand) -> String { "\(commandTopic.topic(stationValues))/\(command.rawValue)" }

  /// The topics at which the station hears a command: its own, and those of its groups.
  func topics(of command: MQTTCommand) -> [String] {
    [topic(of: command)] + groupTopics.map { "\($0.topic(stationValues))/\(command.rawValue)" }
  }

  /// The topic of answers to commands.
  var answerTopic: String { "\(commandTopic.topic(stationValues))/answer" }

  var ownClientID: String { clientID ?? "reticle-\(MQTTTopicTemplate.escaped(station))-\(MQTTTopicTemplate.escaped(name))" }
}

/// Where a broker is, and whether by TLS.
public struct MQTTAddress: Equatable, Sendable, CustomStringConvertible {
  /// A name or an address, without brackets.
  public var host: String
  /// 1…65535.
  public var port: Int
  public var isSecure: Bool

  /// The registered ports, where none is written.
  static let portDefault = 1883
  static let securePortDefault = 8883

  /// No address, for settings whose broker is not known yet.
  public static let unset = MQTTAddress()

  private init() { (host, port, isSecure) = ("", 0, true) }

  /// Reads `mqtts://host:port` or `mqtt://host:port`, the port optional, with or without a slash at the end; nil for anything else,
  /// also for user names in it: a password belongs in a file.
  public init?(_ text: String) {
    let schemes = [("mqtts://", true), ("mqtt://", false)]
    guard let (scheme, isSecure) = schemes.first(where: { text.hasPrefix($0.0) }) else { return nil }
    let authority = text.dropFirst(scheme.count).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard authority.count == 1 || authority[1].isEmpty, let place = authority.first else { return nil }
    let colon = place.lastIndex(of: ":").flatMap { place.hasSuffix("]") ? nil : $0 }
    let name = place[..<(colon ?? place.endIndex)]
    let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
    host = isBracketed ? String(name.dropFirst().dropLast()) : String(name)
    let isHost = host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"@[]?#\\".utf8.contains($0) }
    guard !host.isEmpty, isHost, isBracketed || !host.contains(":") else { return nil }
    self.isSecure = isSecure
    guard let colon else {
      port = isSecure ? Self.securePortDefault : Self.portDefault
      return
    }
    guard let number = Int(place[place.index(after: colon)...]), (1...65535).contains(number) else { return nil }
    port = number
  }

  public var description: String {
    "\(isSecure ? "mqtts" : "mqtt")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }
}
