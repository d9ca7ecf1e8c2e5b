// A station that can be killed: appends scans to an outbox as fast as it can and prints the id of each one after it was
// acknowledged. With the URL of a webhook or a broker, tcp: and a host with its port, or the name of a serial device, it also
// delivers them. The delivery tests kill it at random moments and count. With COUNT it appends that many scans and ends when
// they are delivered; with RATE it appends that many per second, including the outbox's maintenance, and prints nothing.
//
// With RETICLE_ON_TROUBLE (refuse or memory) its storage may fail. It then prints every scan that was signalled good, scans
// a refused one again, and at the end writes the outbox's counts to standard error.
//
// With RETICLE_PAYLOADS, a file with one line of hexadecimal digits per scan, the scans have these bytes, and the program ends after
// the last of them.
//
//     outbox-writer PATH [URL | tcp:HOST:PORT | keyboard:DEVICE | hid-pos:DEVICE | DEVICE [COUNT [RATE]]]

import DeliveryModel
import Devices
import FoundationEssentials
import LinuxDevices
import Logging
import MQTT
import Outbox
import ServiceLifecycle
import Sinks

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

let arguments = CommandLine.arguments
guard arguments.count >= 2 else {
  print("usage: outbox-writer PATH [URL | tcp:HOST:PORT | keyboard:DEVICE | hid-pos:DEVICE | DEVICE [COUNT [RATE]]]")
  exit(2)
}
var settings = OutboxSettings()
settings.path = arguments[1]
let policy = getenv("RETICLE_ON_TROUBLE").flatMap { OutboxSettings.TroublePolicy(rawValue: String(cString: $0)) }
settings.onTrouble = policy ?? settings.onTrouble
let logger = Logger(label: "outbox-writer") { _ in SwiftLogNoOpLogHandler() }
let outbox = await Outbox(settings: settings, sinks: [OutboxSink("sink")], logger: logger)
let payloads: [[UInt8]]? = try getenv("RETICLE_PAYLOADS").map { path in
  try String(contentsOfFile: String(cString: path), encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    .dropLast().map { line in
      let digits = Array(line.utf8)
      return stride(from: 0, to: digits.count, by: 2).compactMap {
        UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
      }
    }
}
let countMax = payloads?.count ?? (arguments.count > 3 ? Int(arguments[3]) ?? 0 : .max)
/// Scans per second; nil for the maximum.
let rate = arguments.count > 4 ? Int(arguments[4]) : nil

if arguments.count > 2 {
  let sink: any ScanSink
  var retry = RetrySettings.serial
  if arguments[2].hasPrefix("http") {
    var webhook = WebhookSettings(url: arguments[2])
    webhook.name = "sink"
    sink = try WebhookSink(settings: webhook)
    retry = webhook.retry
  } else if arguments[2].hasPrefix("tcp:"), let place = TCPPlace(String(arguments[2].dropFirst(4))) {
    var tcp = TCPSettings(.connects(to: place))
    tcp.name = "sink"
    tcp.framing.prefix = [0x02]
    tcp.framing.sendsID = true
    tcp.framing.suffix = .lf
    tcp.acknowledgement = AcknowledgementSettings()
    tcp.acknowledgement?.limit = .milliseconds(500)
    retry = tcp.retry
    sink = try tcp.makeSink(
      SinkSurroundings(
        logger: logger, serialPort: { TermiosSerialPort(device: $0.device) },
        keyboard: { UinputKeyboard(device: $0.device) }, scanner: { GadgetScanner(device: $0.device) },
        onRequest: { _ in false }))
  } else if arguments[2].hasPrefix("keyboard:") {
    var keyboard = KeyboardSettings()
    keyboard.name = "sink"
    keyboard.device = String(arguments[2].dropFirst(9))
    keyboard.pause = .zero
    keyboard.typing.fallback = .controlShiftU
    retry = keyboard.retry
    sink = try KeyboardSink(settings: keyboard, keyboard: GadgetKeyboard(device: keyboard.device))
  } else if arguments[2].hasPrefix("hid-pos:") {
    var scanner = HIDPOSSettings()
    scanner.name = "sink"
    scanner.device = String(arguments[2].dropFirst(8))
    retry = scanner.retry
    sink = HIDPOSSink(settings: scanner, scanner: GadgetScanner(device: scanner.device))
  } else if let broker = MQTTAddress(arguments[2]) {
    var mqtt = MQTTSettings(broker: broker)
    mqtt.name = "sink"
    mqtt.requiresSubscriber = true
    // Many writers may publish to one broker, each under an id and a topic of its own.
    mqtt.station = "writer-\(getpid())"
    let publisher = try MQTTSink(settings: mqtt, logger: logger)
    Task { for service in publisher.services { try await service.run() } }
    sink = publisher
    retry = mqtt.retry
  } else {
    var serial = SerialSettings(device: arguments[2])
    serial.name = "sink"
    serial.framing.prefix = [0x02]
    serial.framing.suffix = .lf
    serial.acknowledgement = AcknowledgementSettings()
    serial.acknowledgement?.limit = .milliseconds(500)
    serial.acknowledgement?.lateLimit = .seconds(1)
    sink = LineSink(settings: serial, port: TermiosSerialPort(device: serial.device, settings: serial.line))
  }
  let loop = DeliveryLoop(sink: sink, outbox: outbox, retry: retry, logger: logger)
  Task { try await loop.run() }
}

var ids = ScanIDGenerator()
var random = SystemRandomNumberGenerator()
let started = ContinuousClock.now
if rate != nil { Task { try await OutboxKeeper(outbox: outbox).run() } }
for number in 0..<countMax {
  if let rate { try await Task.sleep(until: started + .seconds(1) * number / rate) }
  let now = CaptureTime.now()
  let id = ids.next(unixMilliseconds: now.unixMilliseconds, using: &random)
  let payload = payloads?[number] ?? Array("\(id)".utf8)
  let record = ScanRecord(
    id: id, station: "writer", symbology: "code128", aimIdentifier: "]C0", text: String(decoding: payload, as: UTF8.self),
    bytes: payload, captured: now)
  if policy != nil {
    while await (try? outbox.append(record)) == nil { try await Task.sleep(for: .milliseconds(50)) }
  } else {
    let receipt = try await outbox.append(record)
    guard receipt.isDurable else { exit(3) }
    guard rate == nil else { continue }
  }
  // One write per line: a printed line was acknowledged, and no line is left in a buffer at the kill.
  let line = Array("\(id)\n".utf8)
  guard line.withUnsafeBytes({ write(1, $0.baseAddress, $0.count) }) == line.count else { exit(4) }
}

// Deliver the rest.
while await outbox.undeliveredCount(for: "sink") > 0 { try await Task.sleep(for: .milliseconds(10)) }
if policy != nil {
  let status = await outbox.status()
  let counts = "undelivered \(status.undeliveredCount) atRisk \(status.inMemoryCount) refused \(status.refusedCount)"
  let line = "\(counts) discarded \(status.discardedCount) lost \(status.lostCount) dead \(status.deadCount)\n"
  _ = Array(line.utf8).withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
}
