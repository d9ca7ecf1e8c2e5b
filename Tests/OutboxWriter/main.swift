// A station that can be killed: appends scans to an outbox as fast as it can and prints the id of each one after it was
// acknowledged. With a URL it delivers them at the same time. The tests of delivery kill it at random moments and count.
//
//     outbox-writer PATH [URL]

import Delivery
import FoundationEssentials
import Logging
import ServiceLifecycle

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

let arguments = CommandLine.arguments
guard arguments.count >= 2 else {
  print("usage: outbox-writer PATH [URL]")
  exit(2)
}
var settings = OutboxSettings()
settings.path = arguments[1]
let logger = Logger(label: "outbox-writer") { _ in SwiftLogNoOpLogHandler() }
let outbox = await Outbox(settings: settings, sinks: ["webhook"], logger: logger)

if arguments.count > 2 {
  let sink = try WebhookSink(settings: WebhookSettings(url: arguments[2]))
  let loop = DeliveryLoop(sink: sink, outbox: outbox, retry: RetrySettings(), logger: logger)
  Task { try await loop.run() }
}

var ids = ScanIDGenerator()
var random = SystemRandomNumberGenerator()
while true {
  let now = CaptureTime.now()
  let id = ids.next(unixMilliseconds: now.unixMilliseconds, using: &random)
  let record = ScanRecord(
    id: id, station: "writer", symbology: "code128", aimIdentifier: "]C0", text: "\(id)", bytes: Array("\(id)".utf8),
    captured: now)
  let receipt = try await outbox.append(record)
  guard receipt.isDurable else { exit(3) }
  // One write a line: what was printed was acknowledged, and nothing waits in a buffer when the kill comes.
  let line = Array("\(id)\n".utf8)
  guard line.withUnsafeBytes({ write(1, $0.baseAddress, $0.count) }) == line.count else { exit(4) }
}
