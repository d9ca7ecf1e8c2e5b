// The promise of the outbox against kill -9: a process that appends, acknowledges and delivers is killed at random moments;
// then every scan whose id it printed must reach the receiver, and none twice.

import FoundationEssentials
import Glibc
import ScanReceiver
import ServiceLifecycle
import Testing

@testable import Delivery

/// A child process whose output is read and which can be killed.
private struct Child {
  let id: pid_t
  private let output: Int32

  init(_ path: String, _ arguments: [String]) throws {
    let ends = try makePipe()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var argv: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    argv.append(nil)
    defer { for argument in argv { free(argument) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, path, &actions, nil, argv, environ)
    close(ends[1])
    try #require(code == 0, "\(path) did not start: errno \(code)")
    self.id = id
    output = ends[0]
  }

  /// Kills the process, waits for its end, and gives the whole lines that it printed.
  func kill() -> [String] {
    _ = Glibc.kill(id, SIGKILL)
    var status: Int32 = 0
    waitpid(id, &status, 0)
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(output, &part, part.count)
      guard count > 0 else { break }
      bytes += part.prefix(count)
    }
    close(output)
    let whole = bytes.prefix(through: bytes.lastIndex(of: 0x0A) ?? -1)
    return String(decoding: whole, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}

@Suite(.serialized, .timeLimit(.minutes(60))) struct KillTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func writer() throws -> String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    try #require(count > 0)
    let test = URL(filePath: String(decoding: buffer.prefix(count), as: UTF8.self))
    return test.deletingLastPathComponent().appending(path: "outbox-writer").path
  }

  /// Kills in a row; CI takes the default, more by the environment variable RETICLE_KILL_COUNT.
  private var killCount: Int { getenv("RETICLE_KILL_COUNT").flatMap { Int(String(cString: $0)) } ?? 20 }

  /// The longest that a writer lives: about half of them are to have written something.
  private static let spanMilliseconds = 400...5000

  @Test func noAcknowledgedScanIsLostOrDoubledByAKill() async throws {
    let receipts = Receipts()
    let receiver = WebhookReceiver()
    let port = try await receiver.start { receipts.append($0) }
    let path = folder.file("outbox.sqlite")
    let url = "http://127.0.0.1:\(port)/"
    var acknowledged: [String] = []
    // From before the file is open up to some hundred scans, however long a start takes on this machine and with this file.
    var span = Self.spanMilliseconds.lowerBound
    for _ in 0..<killCount {
      let child = try Child(try writer(), [path, url])
      try? await Task.sleep(for: .milliseconds(Int.random(in: 1...span)))
      let lines = child.kill()
      try Task.checkCancellation()
      acknowledged += lines
      let next = lines.isEmpty ? span * 5 / 4 : span * 9 / 10
      span = min(max(next, Self.spanMilliseconds.lowerBound), Self.spanMilliseconds.upperBound)
    }
    #expect(!acknowledged.isEmpty, "the writer was always killed before it wrote anything")
    try await deliverTheRest(path, url)
    await receiver.stop()
    let received = receipts.texts
    #expect(Set(acknowledged).subtracting(received).isEmpty, "acknowledged scans were lost")
    #expect(Set(received).count == received.count, "a scan was taken twice")
    // A kill between commit and printing leaves a scan that nobody was told of: at most one each time.
    #expect(received.count - acknowledged.count <= killCount)
    #expect(received == received.sorted(), "the order of scans was not kept")
    print(
      "\(killCount) kills, \(acknowledged.count) acknowledged, \(received.count) received, \(receipts.repeats) repeats")
  }

  private func deliverTheRest(_ path: String, _ url: String) async throws {
    var outboxSettings = OutboxSettings()
    outboxSettings.path = path
    let outbox = await Outbox(settings: outboxSettings, sinks: ["sink"], logger: quiet)
    #expect(await outbox.state == .durable)
    var settings = WebhookSettings(url: url)
    settings.name = "sink"
    let sink = try WebhookSink(settings: settings)
    let loop = DeliveryLoop(sink: sink, outbox: outbox, retry: RetrySettings(), logger: quiet)
    let group = ServiceGroup(services: [loop], logger: quiet)
    let run = Task { try await group.run() }
    // The writer is faster than a delivery that is killed again and again: what piles up grows with the kills, some twenty
    // scans each.
    #expect(await eventually(.seconds(60 + killCount)) { await outbox.undeliveredCount(for: "sink") == 0 })
    await group.triggerGracefulShutdown()
    try await run.value
    await outbox.close()
  }
}
