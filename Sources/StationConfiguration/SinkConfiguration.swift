// The outbox and the list of ways out of it.

import BarcodeMessage
public import Delivery
import Devices
public import HostText

/// A way out, as an operator set it up.
public enum SinkConfiguration: Equatable, Sendable {
  case webhook(WebhookSettings)
  case serial(SerialSettings)
  case standardOutput(StandardOutputSettings)

  /// The most ways out of a station.
  public static let sinkCountMax = 16

  public var name: String {
    switch self {
    case .webhook(let settings): settings.name
    case .serial(let settings): settings.name
    case .standardOutput(let settings): settings.name
    }
  }
}

extension SinkConfiguration {
  /// The settings on which its text depends.
  public var hostSink: HostSink {
    guard case .serial(let settings) = self else { return HostSink(name: name) }
    return HostSink(
      name: name, controlCharacters: settings.framing.controlCharacters,
      sendsAIMIdentifier: settings.framing.sendsAIMIdentifier, takesRecords: false)
  }

  /// What it delivers to: the outbox knows a sink that is renamed by it.
  public var target: String {
    switch self {
    case .webhook(let settings): "webhook \(settings.url)"
    case .serial(let settings): "serial \(settings.device)"
    case .standardOutput: "stdout"
    }
  }
}

extension OutboxSettings {
  /// - Parameter tellsGoodReads: whether someone sees or hears that a scan was refused.
  init(_ reading: inout ConfigurationReading, tellsGoodReads: Bool) {
    self.init()
    path = reading.path(.outboxPath) ?? path
    synchronous = reading.choice(.outboxSynchronous, Synchronous.self) ?? synchronous
    whenFull = reading.choice(.outboxWhenFull) == "discard oldest" ? .discardOldest : .refuse
    onTrouble = reading.choice(.outboxOnTrouble).flatMap(TroublePolicy.init) ?? (tellsGoodReads ? .refuse : .memory)
    undeliveredCountMax = reading.integer(.outboxUndelivered) ?? undeliveredCountMax
    byteCountMax = (reading.integer(.outboxSize) ?? 256) << 20
    undeliveredAgeMax = reading.duration(.outboxAge)
    deliveredCountKept = reading.integer(.outboxDelivered) ?? deliveredCountKept
  }
}

/// Reads the list `sinks`.
struct SinkReading {
  private static let kinds = ["webhook", "serial", "stdout"]
  private static let example = "- stdout, or - webhook: {url: \"https://…\"}, or - serial: {device: /dev/…}"

  /// The sinks in order; standard output alone if the list is missing.
  static func read(_ reading: inout ConfigurationReading) -> [SinkConfiguration] {
    let list = ConfigurationReading.sinksName
    guard reading.file.sections[list] != nil || reading.file.entries[list] != nil else {
      return [.standardOutput(StandardOutputSettings())]
    }
    let places = reading.places(in: list)
    guard !places.isEmpty, places.count <= SinkConfiguration.sinkCountMax else {
      reading.takeOver(list)
      reading.report(
        "\(list) must be a list of 1 to \(SinkConfiguration.sinkCountMax) sinks, such as \(example)",
        at: reading.place(of: list))
      return []
    }
    var sinks: [SinkConfiguration] = []
    for place in places {
      guard let sink = sink(place, &reading) else { continue }
      if sinks.contains(where: { $0.name == sink.name }) {
        reading.report(
          "\(place) is called \(sink.name) like another sink; give it a name of its own, such as name: \(sink.name)-2",
          at: reading.place(of: place))
      }
      sinks.append(sink)
    }
    return sinks
  }

  private static func sink(_ item: String, _ reading: inout ConfigurationReading) -> SinkConfiguration? {
    if case .scalar("stdout") = reading.file.entries[item]?.value {
      reading.takeOver(item)
      return .standardOutput(StandardOutputSettings())
    }
    let kinds = kinds.filter { reading.isThere("\(item).\($0)") }
    guard kinds.count == 1, let kind = kinds.first else {
      reading.takeOver(item)
      reading.report("\(item) must be one sink: \(example)", at: reading.place(of: item))
      return nil
    }
    let name = reading.text(.sinkName, as: "\(item).name") ?? kind
    let rejectionCountMax = rejectionCountMax("\(item).dead_letter_after", &reading)
    switch kind {
    case "webhook":
      return webhook("\(item).webhook", name, &reading).map { read in
        var settings = read
        settings.retry.rejectionCountMax = rejectionCountMax
        return .webhook(settings)
      }
    case "serial":
      return serial("\(item).serial", name, &reading).map { read in
        var settings = read
        settings.retry.rejectionCountMax = rejectionCountMax
        return .serial(settings)
      }
    default:
      reading.takeOver("\(item).stdout")
      var settings = StandardOutputSettings()
      settings.name = name
      return .standardOutput(settings)
    }
  }

  /// nil: the order is kept.
  private static func rejectionCountMax(_ name: String, _ reading: inout ConfigurationReading) -> Int? {
    let word = reading.choice(.sinkDeadLetterAfter, name)
    return word == "never" ? nil : word.flatMap { Int($0) } ?? RetrySettings().rejectionCountMax
  }

  private static func webhook(
    _ section: String, _ name: String, _ reading: inout ConfigurationReading
  ) -> WebhookSettings? {
    let problemCount = reading.problems.count
    let url = reading.required(.webhookURL, "\(section).url") { $0.webAddress(.webhookURL, $1) }
    var settings = WebhookSettings(url: url ?? "")
    settings.name = name
    settings.body = reading.choice(.webhookBody, WebhookSettings.Body.self, "\(section).body") ?? settings.body
    for field in reading.names(in: "\(section).headers") {
      if let value = reading.text(.webhookHeaders, as: "\(section).headers.\(field)") {
        settings.headers.append(.init(name: field, value: value))
      }
    }
    settings.bearerTokenFile = reading.path(.webhookBearerTokenFile, "\(section).bearer_token_file")
    settings.secretFiles = reading.paths(.webhookSecretFile, "\(section).secret_file")
    settings.connectLimit =
      reading.duration(.webhookConnectTimeout, "\(section).connect_timeout") ?? settings.connectLimit
    settings.attemptLimit = reading.duration(.webhookTimeout, "\(section).timeout") ?? settings.attemptLimit
    settings.certificateAuthorityFile = reading.path(.webhookAuthorityFile, "\(section).ca_file")
    settings.clientCertificateFile = reading.path(.webhookCertificateFile, "\(section).client_certificate_file")
    settings.clientKeyFile = reading.path(.webhookKeyFile, "\(section).client_key_file")
    settings.proxy = reading.proxy(.webhookProxy, "\(section).proxy", for: settings.url)
    let credentials = reading.path(.webhookProxyFile, "\(section).proxy_credentials_file")
    settings.proxy?.credentialsFile = credentials
    settings.batching.countMax =
      reading.integer(.webhookBatchCount, "\(section).batch_count") ?? settings.batching.countMax
    settings.batching.delay = reading.duration(.webhookBatchDelay, "\(section).batch_delay") ?? settings.batching.delay
    guard url != nil else { return nil }
    // Each value is right by itself; whether they go together, and what the files hold, the sink knows.
    if reading.problems.count == problemCount {
      do throws(DeliveryProblem) {
        try WebhookSink.check(settings)
      } catch {
        reading.report("\(section): \(error)", at: reading.place(of: section))
      }
    }
    return settings
  }

  private static func serial(
    _ section: String, _ name: String, _ reading: inout ConfigurationReading
  ) -> SerialSettings? {
    let device = reading.required(.serialDevice, "\(section).device") { $0.serialDevice($1) }
    var settings = SerialSettings(device: device ?? "")
    settings.name = name
    settings.line = line(section, &reading)
    settings.framing = framing(section, &reading)
    settings.acceptsCommands = reading.flag(.serialCommands, "\(section).commands")
    if let prefix = reading.bytes(.serialCommandPrefix, "\(section).command_prefix") {
      settings.commandPrefix = prefix.first
    }
    if settings.acceptsCommands { checkPrefix(settings, section, &reading) }
    let isNumbered = reading.flag(.serialAcknowledgeNumber, "\(section).acknowledge_number")
    let lateLimit = reading.duration(.serialAcknowledgeLate, "\(section).acknowledge_late")
    let limit = reading.duration(.serialAcknowledgeTimeout, "\(section).acknowledge_timeout")
    if reading.flag(.serialAcknowledge, "\(section).acknowledge") {
      var acknowledgement = AcknowledgementSettings()
      acknowledgement.limit = limit ?? acknowledgement.limit
      acknowledgement.isNumbered = isNumbered
      acknowledgement.lateLimit = lateLimit ?? acknowledgement.lateLimit
      settings.acknowledgement = acknowledgement
    }
    return device == nil ? nil : settings
  }

  /// Labels must not hold the prefix of commands: the echo of a label with it and `disable` would be a command.
  private static func checkPrefix(_ settings: SerialSettings, _ section: String, _ reading: inout ConfigurationReading) {
    guard let prefix = settings.commandPrefix else { return }
    let name = "\(section).command_prefix"
    if !HostCommandParser.isPrefix(prefix) {
      reading.report(
        "\(name) must be a control character that nothing else uses, such as \\x16", at: reading.place(of: name))
    } else if settings.framing.controlCharacters == .send {
      let rule = "\(section).control_characters"
      reading.report(
        "\(rule): send lets a label hold the prefix of a host's commands, so that its echo is one; write separator only, remove "
          + "or escape, or commands: false", at: reading.place(of: rule))
    } else if settings.framing.prefix.contains(prefix) || settings.framing.trailer.contains(prefix) {
      reading.report(
        "\(name) is in the prefix or trailer of scans, so that their echoes are commands; choose another, such as \\x05",
        at: reading.place(of: name))
    }
  }

  private static func line(_ section: String, _ reading: inout ConfigurationReading) -> SerialLineSettings {
    var line = SerialLineSettings()
    line.baudRate = reading.choice(.serialBaud, "\(section).baud").flatMap { Int($0) } ?? line.baudRate
    line.dataBits = reading.choice(.serialDataBits, "\(section).data_bits").flatMap { Int($0) } ?? line.dataBits
    line.parity = reading.choice(.serialParity, SerialLineSettings.Parity.self, "\(section).parity") ?? line.parity
    line.stopBits = reading.choice(.serialStopBits, "\(section).stop_bits").flatMap { Int($0) } ?? line.stopBits
    line.flowControl =
      reading.choice(.serialFlowControl, SerialLineSettings.FlowControl.self, "\(section).flow_control")
      ?? line.flowControl
    return line
  }

  private static func framing(_ section: String, _ reading: inout ConfigurationReading) -> FramingSettings {
    var framing = FramingSettings()
    framing.prefix = reading.bytes(.serialPrefix, "\(section).prefix") ?? framing.prefix
    framing.sendsAIMIdentifier = reading.flag(.serialAIM, "\(section).aim")
    framing.sendsSymbologyLetter = reading.flag(.serialLetter, "\(section).letter")
    framing.trailer = reading.bytes(.serialTrailer, "\(section).trailer") ?? framing.trailer
    framing.suffix = reading.choice(.serialSuffix, FramingSettings.Suffix.self, "\(section).suffix") ?? framing.suffix
    framing.controlCharacters =
      reading.choice(.serialControlCharacters, ControlCharacterRule.self, "\(section).control_characters")
      ?? framing.controlCharacters
    framing.nonASCII =
      reading.choice(.serialNonASCII, FramingSettings.NonASCIIRule.self, "\(section).non_ascii") ?? framing.nonASCII
    framing.replacement = reading.bytes(.serialReplacement, "\(section).replacement")?.first ?? framing.replacement
    return framing
  }
}
