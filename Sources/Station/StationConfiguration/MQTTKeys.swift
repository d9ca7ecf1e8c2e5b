// The keys of MQTT.

import DeliveryModel
import MQTT
import Sinks

extension SinkKind {
  static let mqtt = SinkKind(word: "mqtt", example: "mqtt: {broker: \"mqtts://…\"}", keys: mqttKeys.rows) {
    section, reading in
    let problemCount = reading.problems.count
    var settings = MQTTSettings(broker: .unset)
    mqttKeys.read(section, &reading, into: &settings)
    guard settings.broker != .unset else { return nil }
    // Each value is valid; the sink checks that they fit together, and the contents of the files.
    if reading.problems.count == problemCount {
      do throws(DeliveryProblem) {
        try MQTTSink.check(settings)
      } catch {
        reading.report("\(section): \(error)", at: reading.place(of: section))
      }
    }
    return settings
  }

  private static let mqttKeys = KeySection(
    "sinks[].mqtt", MQTTSettings(broker: .unset),
    [
      Field(
        "broker", \.broker, .broker,
        "The broker: mqtts://host for TLS, or mqtt://host, with :port behind it if it is not 8883 or 1883.",
        isRequired: true, isSecret: true),
      Field("version", \.version, .choice, "The version of MQTT."),
      Field(
        "client_id", \.clientID, .optional(.text(128)),
        "The client id; by default reticle-, the station's name, - and the sink's name."),
      Field(
        "topic", \.topic, .topic(MQTTSettings.scanPlaces),
        "Where scans are published; {station}, {sink}, {type} (scan or no-read) and {symbology} are replaced by the "
          + "scan's values."),
      Field(
        "state_topic", \.stateTopic, .topic(MQTTSettings.stationPlaces, orNone: "none"),
        "The topic of the retained state, online or offline; none for no such topic and no last will."),
      Field(
        "picture_topic", \.pictureTopic, .optional(.topic(MQTTSettings.stationPlaces)),
        "The topic of the station's last picture, retained, such as reticle/{station}/picture; needs pictures.of. By "
          + "default no picture is published."),
      Field("body", \.body, .choice, "The form of the payload: the scan itself, or a CloudEvent around it."),
      Field(
        "commands", \.commands, .choices(),
        "The commands that clients of the broker may give; by default none. enable also takes off, and torch on and off."),
      Field(
        "command_topic", \.commandTopic, .topic(MQTTSettings.stationPlaces),
        "The topic above those of commands, such as reticle/till-3/command/trigger; answers are published at answer."),
      Field(
        "group_topics", \.groupTopics, .topics,
        "More topics above those of commands, which stations share, such as reticle/group/shop-1/command: a command there is for "
          + "all of them."),
      Field(
        "discovery", \.discoveryPrefix, .optional(.topicPart(64)),
        "The first level of Home Assistant's discovery topics, usually homeassistant; by default the station is not "
          + "announced."),
      Field(
        "credentials_file", \.credentialsFile, .optional(.path(isPresent: true)),
        "A file whose first line is user:password for the broker."),
      Field(
        "ca_file", \.certificateAuthorityFile, .optional(.path(isPresent: true)),
        "A PEM file with the certificate authorities to trust instead of the system's."),
      Field(
        "client_certificate_file", \.clientCertificateFile, .optional(.path(isPresent: true)),
        "A PEM file with the certificate that the station shows."),
      Field(
        "client_key_file", \.clientKeyFile, .optional(.path(isPresent: true)),
        "A PEM file with the key of that certificate."),
      Field(
        "in_flight", \.inFlightCountMax, .integer(MQTTSettings.inFlightCounts),
        "How many scans may be on their way without an answer of the broker; above 1 a scan that it refuses is passed by "
          + "others."),
      Field(
        "require_subscriber", \.requiresSubscriber, .flag,
        "Whether a scan without a subscriber is kept and published again; needs version 5."),
      Field(
        "keep_alive", \.keepAlive, .duration(.seconds(5) ... .seconds(3600)),
        "After how long without a message the station and the broker ask each other."),
      Field(
        "connect_timeout", \.connectLimit, .duration(.milliseconds(100) ... .seconds(300)),
        "How long connecting to one address may take."),
      Field(
        "timeout", \.attemptLimit, .duration(.milliseconds(100) ... .seconds(300)),
        "How long the broker may take to acknowledge."),
    ])

  /// Does not repeat the text, which may name a user with a password.
  static let brokerRefusal =
    "is not a broker's address; write mqtts://host or mqtt://host, with :port behind it if it is not 8883 or 1883, and set "
    + "credentials_file for a user"
}

extension ValueForm<MQTTAddress> {
  fileprivate static let broker = ValueForm<String>.text(512).refined(
    { MQTTAddress($0) }, write: { _ in "" }, refusal: { name, _ in "\(name) \(SinkKind.brokerRefusal)" })
}

extension ValueForm<MQTTTopicTemplate> {
  fileprivate static func topic(_ places: Set<MQTTTopicTemplate.Place>) -> Self {
    ValueForm<String>.text(MQTTTopicTemplate.byteCountMax).refined(
      { MQTTTopicTemplate($0, places: places) }, write: \.text, refusal: { refusal($0, $1, places) })
  }

  fileprivate static func refusal(_ name: String, _ text: String, _ places: Set<MQTTTopicTemplate.Place>) -> String {
    let words = MQTTTopicTemplate.Place.allCases.filter(places.contains).map { "{\($0.rawValue)}" }
    let mayHave = words.isEmpty ? "" : ", and may have \(words.joined(separator: ", "))"
    return
      "\(name) is \"\(text)\"; a topic has up to \(MQTTTopicTemplate.byteCountMax) bytes without +, # and control characters"
      + mayHave
  }
}

extension ValueForm<[MQTTTopicTemplate]> {
  /// Topics of groups, each once.
  fileprivate static let topics = list(
    .texts(MQTTTopicTemplate.byteCountMax),
    { texts in
      let topics = texts.compactMap { MQTTTopicTemplate($0, places: MQTTSettings.stationPlaces) }
      let isFit =
        topics.count == texts.count && Set(texts).count == texts.count && texts.count <= MQTTSettings.groupTopicCountMax
      return isFit ? topics : nil
    }, write: { $0.map(\.text).joined(separator: ", ") })
}

extension ValueForm<MQTTTopicTemplate?> {
  /// A topic, or a word for none.
  fileprivate static func topic(_ places: Set<MQTTTopicTemplate.Place>, orNone word: String) -> Self {
    ValueForm<String>.text(MQTTTopicTemplate.byteCountMax).refined(
      { $0 == word ? .some(nil) : MQTTTopicTemplate($0, places: places).map { .some($0) } },
      write: { $0?.text ?? word }, refusal: { ValueForm<MQTTTopicTemplate>.refusal($0, $1, places) })
  }
}

extension ValueForm<String> {
  /// A topic without places.
  fileprivate static func topicPart(_ characterCountMax: Int) -> Self {
    text(characterCountMax).refined(
      { MQTTTopicTemplate($0, places: [])?.text }, write: { $0 },
      refusal: { ValueForm<MQTTTopicTemplate>.refusal($0, $1, []) })
  }
}
