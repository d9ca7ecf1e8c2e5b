// The keys of MQTT.

import Delivery

extension SinkKind {
  static let mqtt = SinkKind(
    word: "mqtt", example: "mqtt: {broker: \"mqtts://…\"}",
    keys: [
      .mqttBroker, .mqttVersion, .mqttClientID, .mqttTopic, .mqttStateTopic, .mqttPictureTopic, .mqttBody, .mqttCommands,
      .mqttCommandTopic,
      .mqttDiscovery, .mqttCredentialsFile,
      .mqttAuthorityFile, .mqttCertificateFile, .mqttKeyFile, .mqttInFlight, .mqttRequireSubscriber, .mqttKeepAlive,
      .mqttConnectTimeout, .mqttTimeout,
    ]
  ) { section, reading in
    let problemCount = reading.problems.count
    let broker = reading.required(.mqttBroker, "\(section).broker") { address($1, &$0) }
    guard let broker else { return nil }
    var settings = MQTTSettings(broker: broker)
    settings.version = reading.choice(.mqttVersion, MQTTSettings.Version.self, "\(section).version") ?? settings.version
    settings.clientID = reading.text(.mqttClientID, as: "\(section).client_id")
    settings.topic = topic(.mqttTopic, "\(section).topic", MQTTSettings.scanPlaces, &reading) ?? settings.topic
    if reading.text(.mqttStateTopic, as: "\(section).state_topic") == "none" {
      settings.stateTopic = nil
    } else {
      settings.stateTopic =
        topic(.mqttStateTopic, "\(section).state_topic", MQTTSettings.stationPlaces, &reading) ?? settings.stateTopic
    }
    settings.pictureTopic = topic(.mqttPictureTopic, "\(section).picture_topic", MQTTSettings.stationPlaces, &reading)
    settings.body = reading.choice(.mqttBody, WebhookSettings.Body.self, "\(section).body") ?? settings.body
    settings.commands = reading.choices(.mqttCommands, MQTTCommand.self, "\(section).commands")
    settings.commandTopic =
      topic(.mqttCommandTopic, "\(section).command_topic", MQTTSettings.stationPlaces, &reading) ?? settings.commandTopic
    settings.discoveryPrefix = topic(.mqttDiscovery, "\(section).discovery", [], &reading)?.text
    settings.credentialsFile = reading.path(.mqttCredentialsFile, "\(section).credentials_file")
    settings.certificateAuthorityFile = reading.path(.mqttAuthorityFile, "\(section).ca_file")
    settings.clientCertificateFile = reading.path(.mqttCertificateFile, "\(section).client_certificate_file")
    settings.clientKeyFile = reading.path(.mqttKeyFile, "\(section).client_key_file")
    settings.inFlightCountMax = reading.integer(.mqttInFlight, "\(section).in_flight") ?? settings.inFlightCountMax
    settings.requiresSubscriber = reading.flag(.mqttRequireSubscriber, "\(section).require_subscriber")
    settings.keepAlive = reading.duration(.mqttKeepAlive, "\(section).keep_alive") ?? settings.keepAlive
    settings.connectLimit = reading.duration(.mqttConnectTimeout, "\(section).connect_timeout") ?? settings.connectLimit
    settings.attemptLimit = reading.duration(.mqttTimeout, "\(section).timeout") ?? settings.attemptLimit
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

  /// Does not repeat the text, which may name a user with a password.
  static let brokerRefusal =
    "is not a broker's address; write mqtts://host or mqtt://host, with :port behind it if it is not 8883 or 1883, and set "
    + "credentials_file for a user"

  private static func address(_ name: String, _ reading: inout ConfigurationReading) -> MQTTAddress? {
    guard let text = reading.text(.mqttBroker, as: name) else { return nil }
    guard let address = MQTTAddress(text) else {
      reading.report("\(name) \(brokerRefusal)", at: reading.place(of: name))
      return nil
    }
    return address
  }

  private static func topic(
    _ key: ConfigurationKey, _ name: String, _ places: Set<MQTTTopicTemplate.Place>, _ reading: inout ConfigurationReading
  ) -> MQTTTopicTemplate? {
    guard let text = reading.text(key, as: name) else { return nil }
    guard let template = MQTTTopicTemplate(text, places: places) else {
      let words = MQTTTopicTemplate.Place.allCases.filter(places.contains).map { "{\($0.rawValue)}" }
      let mayHave = words.isEmpty ? "" : ", and may have \(words.joined(separator: ", "))"
      reading.report(
        "\(name) is \"\(text)\"; a topic has up to \(MQTTTopicTemplate.byteCountMax) bytes without +, # and control characters"
          + mayHave, at: reading.place(of: name))
      return nil
    }
    return template
  }
}

extension ConfigurationKey {
  static let mqttBroker = Self(
    "sinks[].mqtt.broker", .text(512), "",
    "The broker: mqtts://host for TLS, or mqtt://host, with :port behind it if it is not 8883 or 1883.", isSecret: true)
  static let mqttVersion = Self(
    "sinks[].mqtt.version", .choice(words(MQTTSettings.Version.self)), "5", "The version of MQTT.")
  static let mqttClientID = Self(
    "sinks[].mqtt.client_id", .text(128), "",
    "The client id; by default reticle-, the station's name, - and the sink's name.")
  static let mqttTopic = Self(
    "sinks[].mqtt.topic", .text(MQTTTopicTemplate.byteCountMax), MQTTSettings.scanTopicText,
    "Where scans are published; {station}, {sink}, {type} (scan or no-read) and {symbology} are replaced by the scan's values."
  )
  static let mqttStateTopic = Self(
    "sinks[].mqtt.state_topic", .text(MQTTTopicTemplate.byteCountMax), MQTTSettings.stateTopicText,
    "The topic of the retained state, online or offline; none for no such topic and no last will.")
  static let mqttPictureTopic = Self(
    "sinks[].mqtt.picture_topic", .text(MQTTTopicTemplate.byteCountMax), "",
    "The topic of the station's last picture, retained, such as reticle/{station}/picture; needs pictures.of. By default no "
      + "picture is published.")
  static let mqttBody = Self(
    "sinks[].mqtt.body", .choice(words(WebhookSettings.Body.self)), "json",
    "The form of the payload: the scan itself, or a CloudEvent around it.")
  static let mqttCommands = Self(
    "sinks[].mqtt.commands", .choices(words(MQTTCommand.self)), "",
    "The commands that clients of the broker may give; by default none. enable also takes off, and torch on and off.")
  static let mqttCommandTopic = Self(
    "sinks[].mqtt.command_topic", .text(MQTTTopicTemplate.byteCountMax), MQTTSettings.commandTopicText,
    "The topic above those of commands, such as reticle/till-3/command/trigger; answers are published at answer.")
  static let mqttDiscovery = Self(
    "sinks[].mqtt.discovery", .text(64), "",
    "The first level of Home Assistant's discovery topics, usually homeassistant; by default the station is not announced.")
  static let mqttCredentialsFile = Self(
    "sinks[].mqtt.credentials_file", .path(isPresent: true), "", "A file whose first line is user:password for the broker.")
  static let mqttAuthorityFile = Self(
    "sinks[].mqtt.ca_file", .path(isPresent: true), "",
    "A PEM file with the certificate authorities to trust instead of the system's.")
  static let mqttCertificateFile = Self(
    "sinks[].mqtt.client_certificate_file", .path(isPresent: true), "",
    "A PEM file with the certificate that the station shows.")
  static let mqttKeyFile = Self(
    "sinks[].mqtt.client_key_file", .path(isPresent: true), "", "A PEM file with the key of that certificate.")
  static let mqttInFlight = Self(
    "sinks[].mqtt.in_flight", .integer(MQTTSettings.inFlightCounts), "1",
    "How many scans may be on their way without an answer of the broker; above 1 a scan that it refuses is passed by others."
  )
  static let mqttRequireSubscriber = Self(
    "sinks[].mqtt.require_subscriber", .flag, "false",
    "Whether a scan without a subscriber is kept and published again; needs version 5.")
  static let mqttKeepAlive = Self(
    "sinks[].mqtt.keep_alive", .duration(.seconds(5) ... .seconds(3600)), "30 s",
    "After how long without a message the station and the broker ask each other.")
  static let mqttConnectTimeout = Self(
    "sinks[].mqtt.connect_timeout", .duration(.milliseconds(100) ... .seconds(300)), "5 s",
    "How long connecting to one address may take.")
  static let mqttTimeout = Self(
    "sinks[].mqtt.timeout", .duration(.milliseconds(100) ... .seconds(300)), "15 s",
    "How long the broker may take to acknowledge.")
}
