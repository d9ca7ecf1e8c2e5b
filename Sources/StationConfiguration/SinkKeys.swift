// The rows of the table for the outbox and the ways out of it.

import BarcodeMessage
import Delivery
import Devices

extension ConfigurationKey {
  static let outboxPath = Self(
    "outbox.path", .path(isPresent: false), "/var/lib/reticle/outbox.sqlite",
    "The database in which scans wait. Its folder must be writable and outlive a power cut.")
  static let outboxSynchronous = Self(
    "outbox.synchronous", .choice(words(OutboxSettings.Synchronous.self)), "full",
    "When a scan counts as written: when the storage has it, or when the operating system has it.")
  static let outboxWhenFull = Self(
    "outbox.when_full", .choice(["refuse", "discard oldest"]), "refuse",
    "What happens when no more undelivered scans fit: the new scan is refused, or the oldest discarded.")
  static let outboxOnTrouble = Self(
    "outbox.on_trouble", .choice(["auto"] + words(OutboxSettings.TroublePolicy.self)), "auto",
    "What happens to new scans while the storage is in trouble: they are refused, or held in memory at risk; auto refuses "
      + "where a lamp, buzzer or screen tells a good read.")
  static let outboxUndelivered = Self(
    "outbox.undelivered", .integer(1...10_000_000), "100000", "How many undelivered scans are kept.")
  static let outboxSize = Self("outbox.megabytes", .integer(1...65_536), "256", "How large the database may become.")
  static let outboxAge = Self(
    "outbox.age", .durationOr("forever", .seconds(60) ... .seconds(3650 * 86_400)), "forever",
    "How long undelivered scans are kept, by time that has surely passed: a wrong clock discards nothing.")
  static let outboxDelivered = Self(
    "outbox.delivered", .integer(0...10_000_000), "1000", "How many delivered scans are kept to be looked up.")

  static let sinkName = Self(
    "sinks[].name", .text(64), "", "What this way out is called in logs and metrics; by default its kind.")

  static let sinkDeadLetterAfter = Self(
    "sinks[].dead_letter_after", .choice(["3", "5", "10", "20", "50", "100", "never"]), "10",
    "After how many rejections a scan becomes a dead letter, so that others pass; never keeps the order.")

  static let webhookURL = Self("sinks[].webhook.url", .webAddress, "", "Where each scan is posted.")
  static let webhookBody = Self(
    "sinks[].webhook.body", .choice(words(WebhookSettings.Body.self)), "json",
    "The form of the body: the scan itself, or a CloudEvent around it.")
  static let webhookHeaders = Self(
    "sinks[].webhook.headers.<name>", .text(8192), "", "A header field of your own.", isSecret: true)
  static let webhookBearerTokenFile = Self(
    "sinks[].webhook.bearer_token_file", .path(isPresent: true), "", "A file whose first line is sent as bearer token.")
  static let webhookSecretFile = Self(
    "sinks[].webhook.secret_file", .paths, "",
    "A file with the signing secret, whsec_ and base64; two files while a secret is being replaced.")
  static let webhookConnectTimeout = Self(
    "sinks[].webhook.connect_timeout", .duration(.milliseconds(100) ... .seconds(300)), "5 s",
    "How long connecting may take.")
  static let webhookTimeout = Self(
    "sinks[].webhook.timeout", .duration(.milliseconds(100) ... .seconds(300)), "15 s", "How long a request may take.")
  static let webhookAuthorityFile = Self(
    "sinks[].webhook.ca_file", .path(isPresent: true), "",
    "A PEM file with the certificate authorities to trust instead of the system's.")
  static let webhookCertificateFile = Self(
    "sinks[].webhook.client_certificate_file", .path(isPresent: true), "",
    "A PEM file with the certificate that the station shows.")
  static let webhookKeyFile = Self(
    "sinks[].webhook.client_key_file", .path(isPresent: true), "", "A PEM file with the key of that certificate.")
  static let webhookProxy = Self(
    "sinks[].webhook.proxy", .proxy, "none",
    "The HTTP proxy to go through; environment takes HTTPS_PROXY, or http_proxy for http, and NO_PROXY.")
  static let webhookProxyFile = Self(
    "sinks[].webhook.proxy_credentials_file", .path(isPresent: true), "",
    "A file whose first line is user:password for the proxy.")
  static let webhookBatchCount = Self(
    "sinks[].webhook.batch_count", .integer(1...BatchSettings.countLimit), "1",
    "How many scans go into one request at most; above 1 each body is a JSON array.")
  static let webhookBatchDelay = Self(
    "sinks[].webhook.batch_delay", .duration(.zero ... .seconds(60)), "0 s",
    "How long the first scan of a batch waits for others.")

  static let serialDevice = Self(
    "sinks[].serial.device", .text(4096), "",
    "The serial device: a path, best one under /dev/serial/by-path, or a USB adapter as usb:0403:6001 or "
      + "usb:0403:6001:SERIAL.")
  static let serialBaud = Self(
    "sinks[].serial.baud", .choice(SerialLineSettings.supportedBaudRates.map { "\($0)" }), "9600", "Bits a second.")
  static let serialDataBits = Self("sinks[].serial.data_bits", .choice(["7", "8"]), "8", "Bits of a character.")
  static let serialParity = Self(
    "sinks[].serial.parity", .choice(words(SerialLineSettings.Parity.self)), "none", "The parity bit.")
  static let serialStopBits = Self("sinks[].serial.stop_bits", .choice(["1", "2"]), "1", "Stop bits.")
  static let serialFlowControl = Self(
    "sinks[].serial.flow_control", .choice(words(SerialLineSettings.FlowControl.self)), "none",
    "Whether the host can hold the line: by RTS and CTS, or by XON and XOFF.")
  static let serialPrefix = Self(
    "sinks[].serial.prefix", .bytes(20), "", "What is sent before each scan, such as \\x02.")
  static let serialAIM = Self(
    "sinks[].serial.aim", .flag, "false", "Whether the AIM symbology identifier, such as ]E0, comes before the data.")
  static let serialLetter = Self(
    "sinks[].serial.letter", .flag, "false",
    "Whether the symbology's letter comes before the data: that of its AIM identifier, such as E for EAN and UPC.")
  static let serialTrailer = Self(
    "sinks[].serial.trailer", .bytes(20), "", "What is sent after each scan and before the suffix, such as \\x03.")
  static let serialSuffix = Self(
    "sinks[].serial.suffix", .choice(words(FramingSettings.Suffix.self)), "cr", "What is sent at the end of each scan.")
  static let serialControlCharacters = Self(
    "sinks[].serial.control_characters", .choice(words(ControlCharacterRule.self)),
    "separator only", "Which control characters of the data are sent; the separator is GS1's, 0x1D.")
  static let serialNonASCII = Self(
    "sinks[].serial.non_ascii", .choice(words(FramingSettings.NonASCIIRule.self)), "utf8",
    "How characters outside ASCII are sent.")
  static let serialReplacement = Self(
    "sinks[].serial.replacement", .bytes(1), "?", "What is sent for a character that cannot be sent.")
  static let serialAcknowledge = Self(
    "sinks[].serial.acknowledge", .flag, "false", "Whether the host answers each scan with ACK or NAK.")
  static let serialAcknowledgeTimeout = Self(
    "sinks[].serial.acknowledge_timeout", .duration(.milliseconds(10) ... .seconds(60)), "2 s",
    "How long to wait for that answer.")

  static let serialAcknowledgeNumber = Self(
    "sinks[].serial.acknowledge_number", .flag, "false",
    "Whether a digit follows the prefix of each scan, and the host repeats it behind ACK or NAK, however late.")
  static let serialAcknowledgeLate = Self(
    "sinks[].serial.acknowledge_late", .duration(.zero ... .seconds(60)), "3 s",
    "How late an answer without a digit may come: the scan after one whose answer is missing waits for so long.")

  static let serialCommands = Self(
    "sinks[].serial.commands", .flag, "false",
    "Whether the host may send trigger, stop, torch, enable, disable and status.")
  static let serialCommandPrefix = Self(
    "sinks[].serial.command_prefix", .bytes(1), "\\x16",
    "The control character that begins each command; without one a command counts only 10 s after anything was sent.")

  static let standardOutput = Self(
    "sinks[].stdout", .nothing, "", "JSON lines on standard output, one scan a line.")

  /// The keys of the outbox and its sinks.
  static let delivery: [ConfigurationKey] = [
    outboxPath, outboxSynchronous, outboxWhenFull, outboxOnTrouble, outboxUndelivered, outboxSize, outboxAge,
    outboxDelivered, sinkName, sinkDeadLetterAfter,
    webhookURL, webhookBody, webhookHeaders, webhookBearerTokenFile, webhookSecretFile, webhookConnectTimeout,
    webhookTimeout, webhookAuthorityFile, webhookCertificateFile, webhookKeyFile, webhookProxy, webhookProxyFile,
    webhookBatchCount, webhookBatchDelay, serialDevice, serialBaud,
    serialDataBits, serialParity, serialStopBits, serialFlowControl, serialPrefix, serialAIM, serialLetter,
    serialTrailer, serialSuffix, serialControlCharacters, serialNonASCII, serialReplacement, serialAcknowledge,
    serialAcknowledgeTimeout, serialAcknowledgeNumber, serialAcknowledgeLate,
    serialCommands, serialCommandPrefix, standardOutput,
  ]

  static func words<Choice: RawRepresentable<String> & CaseIterable>(_ type: Choice.Type) -> [String] {
    type.allCases.map(\.rawValue)
  }
}
