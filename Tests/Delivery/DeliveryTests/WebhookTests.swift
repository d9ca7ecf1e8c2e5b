// The webhook against a receiver on the loopback interface: the handling of each status code, signatures, and receivers that
// disappear.

import FoundationEssentials
import Glibc
import Logging
import RawServer
import ScanReceiver
import ServiceLifecycle
import Synchronization
import Testing
@testable import DeliveryModel
@testable import Outbox
@testable import Sinks

/// The records that a receiver accepted, in order.
final class Receipts: Sendable {
  private let all = Mutex<[WebhookReceiver.Receipt]>([])
  func append(_ receipt: WebhookReceiver.Receipt) { all.withLock { $0.append(receipt) } }
  var texts: [String] { all.withLock { $0.filter { !$0.isRepeat }.map(\.record.text) } }
  var repeats: Int { all.withLock { $0.count(where: \.isRepeat) } }
  var first: WebhookReceiver.Receipt? { all.withLock { $0.first } }
  var last: WebhookReceiver.Receipt? { all.withLock { $0.last } }
  var headers: [[String: String]] { all.withLock { $0.map(\.headers) } }
}

@Suite(.timeLimit(.minutes(30))) struct WebhookTests {
  private let folder: TemporaryFolder
  private let receipts = Receipts()

  init() throws { folder = try TemporaryFolder() }

  /// Delivers one scan to a receiver with this answer.
  private func outcome(
    _ receiver: WebhookReceiver, _ change: (inout WebhookSettings) -> Void = { _ in },
    wallMilliseconds: @escaping @Sendable () -> Int64 = { CaptureTime.now().unixMilliseconds }
  ) async throws -> DeliveryOutcome {
    let port = try await receiver.start { [receipts] in receipts.append($0) }
    var settings = WebhookSettings(url: "http://127.0.0.1:\(port)/scans")
    change(&settings)
    let sink = try WebhookSink(settings: settings, wallMilliseconds: wallMilliseconds)
    var scans = ScanMaker()
    let outcome = await sink.deliver(scans.next())
    await sink.close()
    await receiver.stop()
    return outcome
  }

  @Test(arguments: [200, 201, 202, 204])
  func `an answer of 2xx is success`(_ status: Int) async throws {
    #expect(try await outcome(WebhookReceiver { _ in .init(status) }) == .delivered)
    #expect(receipts.texts == ["1"])
  }

  @Test(arguments: [302, 303, 307, 408, 425, 429, 502, 503, 504])
  func `a scan is tried again after the status`(_ status: Int) async throws {
    let outcome = try await outcome(WebhookReceiver { _ in .init(status) })
    guard case .retry(nil, let problem) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(problem.summary.contains("\(status)"))
  }

  @Test(arguments: [400, 409, 413, 415, 422, 451, 500, 501, 599])
  func `a scan is rejected by the status`(_ status: Int) async throws {
    let outcome = try await outcome(WebhookReceiver { _ in .init(status, headers: [("Retry-After", "7")]) })
    guard case .rejected(.seconds(7), let problem) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(problem.summary.contains("\(status)"))
    #expect(!problem.remedy.isEmpty)
  }

  @Test(arguments: [300, 301, 304, 305, 308, 401, 403, 404, 405])
  func `the sink is parked by the status`(_ status: Int) async throws {
    let outcome = try await outcome(WebhookReceiver { _ in .init(status) })
    guard case .parked(let problem, isFinal: false) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(problem.summary.contains("\(status)"))
    #expect(!problem.remedy.isEmpty)
  }

  /// Problems are logged and shown, so they must not contain scanned data.
  @Test func `a receiver's message is shown without the scan`() async throws {
    let receiver = WebhookReceiver { record in
      var answer = WebhookReceiver.Answer(422)
      answer.text = "no such patient: \(record.text)\u{1B}[2J\n" + String(repeating: "x", count: 1000)
      return answer
    }
    let port = try await receiver.start { [receipts] in receipts.append($0) }
    let sink = try WebhookSink(settings: WebhookSettings(url: "http://127.0.0.1:\(port)/"))
    var scans = ScanMaker()
    let outcome = await sink.deliver(scans.next("MUSTERMANN"))
    await sink.close()
    await receiver.stop()
    guard case .rejected(nil, let problem) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(problem.summary.contains("422 Unprocessable Content: no such patient: (scan)[2Jxxx"), "\(problem.summary)")
    #expect(!problem.summary.contains("MUSTERMANN") && problem.summary.count < 300)
  }

  @Test func `410 parks the sink permanently`() async throws {
    let outcome = try await outcome(WebhookReceiver { _ in .init(410) })
    guard case .parked(_, isFinal: true) = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test(arguments: [429, 503, 408, 302])
  func `Retry-After is honoured with the status`(_ status: Int) async throws {
    let receiver = WebhookReceiver { _ in .init(status, headers: [("Retry-After", "120")]) }
    guard case .retry(.seconds(120), _) = try await outcome(receiver) else {
      Issue.record("Retry-After was passed over")
      return
    }
  }

  @Test func `Retry-After is read as seconds or a date`() {
    let now: Int64 = 784_111_770
    #expect(RetryAfter.delay("7", nowSeconds: now) == .seconds(7))
    #expect(RetryAfter.delay("Sun, 06 Nov 1994 08:49:37 GMT", nowSeconds: now) == .seconds(7))
    #expect(RetryAfter.delay("Sun, 06 Nov 1994 08:49:00 GMT", nowSeconds: now) == .zero)
    #expect(RetryAfter.delay("99999999999999999999", nowSeconds: now) == .seconds(RetryAfter.secondsMax))
    for value in ["", "soon", "-5", "1.5", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT"] {
      #expect(RetryAfter.delay(value, nowSeconds: now) == nil)
    }
  }

  @Test func `redirects are not followed`() async throws {
    let other = WebhookReceiver()
    let port = try await other.start { [receipts] in receipts.append($0) }
    let first = WebhookReceiver { _ in .init(307, headers: [("Location", "http://127.0.0.1:\(port)/")]) }
    _ = try await outcome(first)
    await other.stop()
    #expect(receipts.texts.isEmpty)
  }

  // MARK: Headers, signatures, bodies

  @Test func `the headers of Standard Webhooks and those of the operator are sent`() async throws {
    let token = try folder.write("opensesame\n", to: "token")
    let result = try await outcome(WebhookReceiver()) {
      $0.bearerTokenFile = token
      $0.headers = [.init(name: "X-Station", value: "dock 3")]
    }
    #expect(result == .delivered)
    let receipt = try #require(receipts.last)
    #expect(receipt.headers["webhook-id"] == receipt.record.id.description)
    #expect(receipt.headers["authorization"] == "Bearer opensesame")
    #expect(receipt.headers["x-station"] == "dock 3")
    #expect(receipt.headers["content-type"] == "application/json")
    #expect(receipt.headers["webhook-signature"] == nil)
    let timestamp = try #require(receipt.headers["webhook-timestamp"].flatMap { Int64($0) })
    #expect(abs(timestamp - CaptureTime.now().unixMilliseconds / 1000) <= 2)
  }

  /// The worked examples of RFC 7617 §2 and §2.1, and a password with spaces and colons.
  @Test(arguments: [
    ("Aladdin:open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test:123£", "Basic dGVzdDoxMjPCow=="),
    ("  till-3:a b:c  ", "Basic dGlsbC0zOmEgYjpj"), ("user:", "Basic dXNlcjo="),
  ])
  func `user and password of a file log in, and are read at each attempt`(
    _ line: String, _ value: String
  ) async throws {
    let file = try folder.write("first:one\n", to: "credentials")
    let receiver = WebhookReceiver()
    let port = try await receiver.start { [receipts] in receipts.append($0) }
    var settings = WebhookSettings(url: "http://127.0.0.1:\(port)/")
    settings.credentialsFile = file
    let webhook = try WebhookSink(settings: settings)
    var scans = ScanMaker()
    #expect(await webhook.deliver(scans.next()) == .delivered)
    #expect(receipts.last?.headers["authorization"] == "Basic Zmlyc3Q6b25l")
    _ = try folder.write(line + "\n", to: "credentials")
    #expect(await webhook.deliver(scans.next()) == .delivered)
    #expect(receipts.last?.headers["authorization"] == value)
    await webhook.close()
    await receiver.stop()
  }

  @Test(arguments: ["nobody", ":password", "user:a\u{1}b", ""])
  func `a file without user and password holds scans back with a remedy`(_ line: String) async throws {
    let file = try folder.write(line + "\n", to: "credentials")
    guard case .retry(_, let problem) = try await outcome(WebhookReceiver(), { $0.credentialsFile = file }) else {
      Issue.record("a file with \(line) is taken")
      return
    }
    #expect(problem.remedy == (line.isEmpty ? "put the secret in it" : "put user:password in its first line"))
    #expect(receipts.texts.isEmpty)
  }

  /// The worked example of the Standard Webhooks documentation, computed with Python's hmac.
  @Test func `signatures follow Standard Webhooks`() throws {
    let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    let body = Array(#"{"test": 2432232314}"#.utf8)
    let signature = secret.signature(id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: body)
    #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  @Test func `a signed scan is accepted and a forged one is not`() async throws {
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    let other = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    let path = try folder.write(secret + "\n", to: "secret")
    let otherPath = try folder.write(other + "\n", to: "other")
    var settings = WebhookReceiver.Settings()
    settings.secrets = [try #require(WebhookSecret(secret))]
    #expect(try await outcome(WebhookReceiver(settings: settings)) { $0.secretFiles = [path] } == .delivered)
    // During the replacement of a secret, both sign, and either receiver accepts.
    #expect(try await outcome(WebhookReceiver(settings: settings)) { $0.secretFiles = [otherPath, path] } == .delivered)
    let signatures = try #require(receipts.last?.headers["webhook-signature"])
    #expect(signatures.split(separator: " ").count == 2)
    for wrong in [[otherPath], []] {
      guard
        case .parked(let problem, _) = try await outcome(
          WebhookReceiver(settings: settings), { $0.secretFiles = wrong })
      else {
        Issue.record("a forged scan was taken")
        continue
      }
      #expect(problem.summary.contains("401"))
      #expect(problem.remedy.contains("secret"))
    }
  }

  @Test(arguments: ["", "whsec_", "whsec_c2hvcnQ=", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_%%%"])
  func `an invalid secret is refused`(_ text: String) { #expect(WebhookSecret(text) == nil) }

  @Test func `with a secret file that is missing or wrong nothing is sent, and the problem names it`() async throws {
    let wrong = try folder.write("password\n", to: "wrong")
    let empty = try folder.write("\n", to: "empty")
    for path in [folder.file("missing"), wrong, empty] {
      guard case .retry(nil, let problem) = try await outcome(WebhookReceiver(), { $0.secretFiles = [path] })
      else {
        Issue.record("\(path) was taken for a secret")
        continue
      }
      #expect(problem.summary.contains(path))
      #expect(!problem.summary.contains("password"), "a secret must not be in a message")
    }
    #expect(receipts.texts.isEmpty)
  }

  @Test func `a secret file that is briefly empty during its replacement delays nothing`() async throws {
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    let path = try folder.write("", to: "secret")
    var receiverSettings = WebhookReceiver.Settings()
    receiverSettings.secrets = [try #require(WebhookSecret(secret))]
    let receiver = WebhookReceiver(settings: receiverSettings)
    let port = try await receiver.start { [receipts] in receipts.append($0) }
    var settings = OutboxSettings()
    settings.path = folder.file("outbox.sqlite")
    let outbox = await Outbox(settings: settings, sinks: [OutboxSink("webhook")], logger: quiet)
    var webhook = WebhookSettings(url: "http://127.0.0.1:\(port)/")
    webhook.secretFiles = [path]
    let loop = DeliveryLoop(
      sink: try WebhookSink(settings: webhook), outbox: outbox, retry: webhook.retry, logger: quiet)
    let group = ServiceGroup(services: [loop], logger: quiet)
    let run = Task { try await group.run() }
    var scans = ScanMaker()
    for _ in 1...20 { _ = try await outbox.append(scans.next()) }
    #expect(await eventually { if case .retrying = loop.status.phase { true } else { false } })
    try await Task.sleep(for: .milliseconds(50))
    _ = try folder.write(secret, to: "secret")
    #expect(await eventually { await outbox.undeliveredCount(for: "webhook") == 0 })
    await group.triggerGracefulShutdown()
    try await run.value
    await outbox.close()
    await receiver.stop()
    #expect(receipts.texts == (1...20).map(String.init))
  }

  @Test func `nothing is signed while the clock is not set`() async throws {
    let path = try folder.write("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", to: "secret")
    let unset = try await outcome(WebhookReceiver(), { $0.secretFiles = [path] }, wallMilliseconds: { 60_000 })
    guard case .retry(nil, let problem) = unset else {
      Issue.record("\(unset)")
      return
    }
    #expect(problem.summary.contains("clock"))
    #expect(try await outcome(WebhookReceiver(), wallMilliseconds: { 60_000 }) == .delivered)
  }

  @Test(arguments: ScanRecord.NoRead.allCases)
  func `a no-read is an event of its own type, and its record says why`(cause: ScanRecord.NoRead) throws {
    var scans = ScanMaker()
    let scan = scans.next()
    let record = ScanRecord(id: scan.id, station: "a", noRead: cause, text: "NOREAD", captured: scan.captured)
    let json = String(decoding: CloudEvent(record).jsonLine(), as: UTF8.self)
    #expect(json.contains("\"type\":\"reticle.no-read\"") && json.contains("\"noRead\":\"\(cause.rawValue)\""))
    #expect(try ScanRecord(json: record.json()) == record)
  }

  @Test func `CloudEvents are sent when asked for`() async throws {
    var scans = ScanMaker()
    var scan = scans.next()
    scan.text = "left\u{202E}right"
    scan.station = "Dock 3/ü"
    scan.sequence = 12
    scan.captured.unixMilliseconds = 1_772_357_400_125
    let json = String(decoding: CloudEvent(scan).jsonLine(), as: UTF8.self)
    #expect(json.contains(#""text":"left\u202eright""#), "a mark that turns the writing is escaped")
    let data = String(decoding: scan.json(), as: UTF8.self)
    #expect(
      json == """
        {"data":\(data),"datacontenttype":"application/json","id":"\(scan.id)","sequence":"0000000000000000012",\
        "source":"/reticle/stations/Dock%203%2F%C3%BC","specversion":"1.0","time":"2026-03-01T09:30:00.125Z",\
        "type":"reticle.scan"}
        """)
    #expect(try await outcome(WebhookReceiver()) { $0.body = .cloudEvents } == .delivered)
    #expect(receipts.last?.headers["content-type"] == "application/cloudevents+json")
  }

  @Test(arguments: [
    "", "ftp://host/", "host/path", "http://", "http://:80/", "https://user@host/", "http://ho st/", "http:///path",
  ])
  func `an invalid URL is refused`(_ url: String) {
    #expect(throws: DeliveryProblem.self) { try WebhookSink(settings: WebhookSettings(url: url)) }
  }

  @Test(arguments: [
    WebhookSettings.HeaderField(name: "X Y", value: "1"), .init(name: "X", value: "1\r\nY: 2"), .init(name: "", value: ""),
    .init(name: "Webhook-Id", value: "1"), .init(name: "Authorization", value: "Basic eA=="),
  ])
  func `header fields that would spoil the request are refused`(_ field: WebhookSettings.HeaderField) {
    var settings = WebhookSettings(url: "http://127.0.0.1/")
    settings.headers = [field]
    #expect(throws: DeliveryProblem.self) { try WebhookSink(settings: settings) }
  }

  // MARK: Receivers in trouble

  @Test func `an unreachable receiver is named with the remedy`() async throws {
    var scans = ScanMaker()
    let scan = scans.next()
    for (url, reason) in [
      ("http://127.0.0.1:9/", "connection refused"), ("http://no-such-host.invalid/", "cannot be resolved"),
    ] {
      let sink = try WebhookSink(settings: WebhookSettings(url: url))
      guard case .retry(nil, let problem) = await sink.deliver(scan) else {
        Issue.record("no receiver can have answered")
        continue
      }
      #expect(problem.summary.contains(reason) && problem.summary.contains(url), "\(problem)")
      #expect(problem.remedy.contains("check"))
      await sink.close()
    }
  }

  @Test func `a silent receiver is abandoned in time`() async throws {
    let started = ContinuousClock.now
    let outcome = try await outcome(WebhookReceiver { _ in .init(delay: .seconds(30)) }) {
      $0.attemptLimit = .milliseconds(300)
    }
    guard case .retry(nil, let problem) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(problem.summary.contains("no answer"))
    #expect(ContinuousClock.now - started < .seconds(10))
  }

  @Test(arguments: [200, 500]) func `an answer without its body counts by its status`(_ status: Int) async throws {
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 \(status) X\r\nContent-Length: 1000\r\n\r\n")
      connection.stall()
    }
    defer { server.stop() }
    var settings = WebhookSettings(url: "http://127.0.0.1:\(server.port)/")
    settings.attemptLimit = .seconds(2)
    let sink = try WebhookSink(settings: settings)
    var scans = ScanMaker()
    let started = ContinuousClock.now
    let outcome = await sink.deliver(scans.next())
    await sink.close()
    if status == 200 {
      #expect(outcome == .delivered)
    } else if case .rejected(nil, let problem) = outcome {
      #expect(problem.summary.contains("500"))
    } else {
      Issue.record("\(outcome)")
    }
    #expect(ContinuousClock.now - started < .seconds(10))
  }

  private func station(
    _ port: Int, path: String? = nil, _ synchronous: OutboxSettings.Synchronous = .full,
    _ body: (Outbox) async throws -> Void
  ) async throws {
    var settings = OutboxSettings()
    settings.path = path ?? folder.file("outbox.sqlite")
    settings.synchronous = synchronous
    let outbox = await Outbox(settings: settings, sinks: [OutboxSink("webhook")], logger: quiet)
    var retry = RetrySettings()
    retry.delayMax = .milliseconds(200)
    let sink = try WebhookSink(settings: WebhookSettings(url: "http://127.0.0.1:\(port)/"))
    let loop = DeliveryLoop(sink: sink, outbox: outbox, retry: retry, logger: quiet)
    let group = ServiceGroup(services: [loop], logger: quiet)
    let run = Task { try await group.run() }
    try await body(outbox)
    #expect(await eventually(.seconds(30)) { await outbox.undeliveredCount(for: "webhook") == 0 })
    await group.triggerGracefulShutdown()
    try await run.value
  }

  @Test func `a receiver that was down gets every scan once and in order`() async throws {
    let receiver = WebhookReceiver()
    let port = try await receiver.start { [receipts] in receipts.append($0) }
    try await station(port) { outbox in
      var scans = ScanMaker()
      for round in 0..<3 {
        for _ in 0..<20 { _ = try await outbox.append(scans.next()) }
        if round == 0 { #expect(await eventually { receipts.texts.count == 20 }) }
        await receiver.stop()
        for _ in 0..<20 { _ = try await outbox.append(scans.next()) }
        try await Task.sleep(for: .milliseconds(300))
        _ = try await receiver.start(port: port) { [receipts] in receipts.append($0) }
      }
    }
    await receiver.stop()
    #expect(receipts.texts == (1...120).map(String.init))
  }

  @Test func `a receiver whose answers get lost accepts each id once`() async throws {
    let number = Mutex(0)
    let receiver = WebhookReceiver { _ in
      let number = number.withLock { value in
        value += 1
        return value
      }
      switch number % 5 {
      case 2: return .init(503)
      case 3: return .init(500, takesScan: true)
      default: return .init(200)
      }
    }
    let port = try await receiver.start { [receipts] in receipts.append($0) }
    let relay = try HostileRelay(before: port) { $0 % 5 == 1 ? .hangsUp(takesScan: true) : .answers }
    try await station(relay.port) { outbox in
      var scans = ScanMaker()
      for _ in 0..<15 { _ = try await outbox.append(scans.next()) }
    }
    relay.stop()
    await receiver.stop()
    #expect(receipts.texts == (1...15).map(String.init))
    #expect(receipts.repeats > 5)
    let byId = Dictionary(grouping: receipts.headers.compactMap { $0["webhook-id"] }, by: { $0 })
    #expect(byId.count == 15)
  }

  /// Places for an outbox and its sync modes with RETICLE_FIGURES; otherwise only the default.
  private static let places: [(folder: String, synchronous: OutboxSettings.Synchronous)] =
    getenv("RETICLE_FIGURES") == nil
    ? [("/tmp", .full)]
    : [("/tmp", .full), ("/tmp", .normal), ("/dev/shm", .full), ("/dev/shm", .normal)]

  /// From capture to receipt through outbox and webhook, alternating with a direct post of an equal record and a bare sync
  /// of the storage, so that load on the machine affects all three.
  @Test(arguments: places)
  func `the outbox adds little to a direct post`(_ place: String, _ synchronous: OutboxSettings.Synchronous) async throws {
    let isMeasured = getenv("RETICLE_FIGURES") != nil
    let receiver = WebhookReceiver()
    let port = try await receiver.start { [receipts] in receipts.append($0) }
    let direct = try WebhookSink(settings: WebhookSettings(url: "http://127.0.0.1:\(port)/"))
    let log = try SyncedFile("\(place)/reticle-figures-\(UUID().uuidString).log")
    var added: [Duration] = []
    var straight: [Duration] = []
    var synced: [Duration] = []
    let path = "\(place)/reticle-figures-\(UUID().uuidString).sqlite"
    defer {
      for end in ["", "-wal", "-shm", OutboxClaim.suffix] { try? FileManager.default.removeItem(atPath: path + end) }
    }
    try await station(port, path: path, synchronous) { outbox in
      var scans = ScanMaker()
      for _ in 0..<(isMeasured ? 300 : 40) {
        _ = try await outbox.append(scans.next())
        let isThere = await eventually { await outbox.undeliveredCount(for: "webhook") == 0 }
        #expect(isThere)
        let through = try #require(receipts.last?.latency)
        #expect(await direct.deliver(scans.next()) == .delivered)
        straight.append(try #require(receipts.last?.latency))
        added.append(through - straight[straight.count - 1])
        synced.append(try log.append())
      }
    }
    await direct.close()
    await receiver.stop()
    let medians = [added, straight, synced].map { $0.sorted()[$0.count / 2] }
    print("\(place) \(synchronous): \(medians[0]) more than a direct post's \(medians[1]); a sync takes \(medians[2])")
    // The promise is 5 ms on an otherwise idle machine. On a busy machine the outbox gets an allowance in proportion to a
    // post and a sync (1 ms each on the machine of the figures); a second sync or a poll would exceed it.
    let allowance: Duration = isMeasured ? .zero : (medians[1] + medians[2]) * 4
    #expect(medians[0] < .milliseconds(5) + allowance)
  }

  /// A file that grows like a log and is synced after each part.
  private final class SyncedFile {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
      self.path = path
      descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
      try #require(descriptor >= 0)
    }

    deinit {
      close(descriptor)
      unlink(path)
    }

    /// - Returns: the time until the data is safe.
    func append() throws -> Duration {
      let started = ContinuousClock.now
      let bytes = [UInt8](repeating: 1, count: 4096)
      try #require(write(descriptor, bytes, bytes.count) == bytes.count && fdatasync(descriptor) == 0)
      return ContinuousClock.now - started
    }
  }
}

@Suite(.timeLimit(.minutes(2))) struct WebhookReceiverTests {
  @Test func `a port receives until its task is cancelled`() async throws {
    let receiver = WebhookReceiver()
    let receipts = Receipts()
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let running = Task {
      try await receiver.run(host: "127.0.0.1", port: 0) {
        listening.yield($0)
      } onScan: {
        receipts.append($0)
      }
    }
    let port = try #require(await ports.first { _ in true })
    let sink = try WebhookSink(settings: WebhookSettings(url: "http://127.0.0.1:\(port)/"))
    var scans = ScanMaker()
    let scan = scans.next("a\tb")
    #expect(await sink.deliver(scan) == .delivered)
    #expect(receipts.last?.line.hasPrefix("#0 code128 ]C0 \"a\\tb\" ") == true)
    running.cancel()
    try await running.value
    guard case .retry = await sink.deliver(scan) else {
      Issue.record("the port still receives")
      return
    }
    await sink.close()
  }

  /// Other tests open and close descriptors and threads in this process at the same time.
  @Test func `unused sinks leave no descriptor and no thread behind`() throws {
    func count(_ folder: String) throws -> Int { try FileManager.default.contentsOfDirectory(atPath: folder).count }
    func makeAndDrop(_ times: Int) throws {
      for _ in 0..<times { _ = try WebhookSink(settings: WebhookSettings(url: "http://127.0.0.1:9/")) }
    }
    try makeAndDrop(3)
    let (files, threads) = (try count("/proc/self/fd"), try count("/proc/self/task"))
    let times = 60
    try makeAndDrop(times)
    // A third of what one leaked descriptor or thread per sink would cause.
    for _ in 0..<100 where try count("/proc/self/fd") >= files + times / 3 || count("/proc/self/task") >= threads + times / 3
    {
      usleep(10_000)
    }
    #expect(try count("/proc/self/fd") < files + times / 3 && count("/proc/self/task") < threads + times / 3)
  }
}
