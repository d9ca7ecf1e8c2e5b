// Scans with their pictures in one request: the form on the wire, pictures that are missing, and receivers that fail with them.

import FoundationEssentials
import Logging
import ScanReceiver
import ServiceLifecycle
import Synchronization
import Testing
@testable import DeliveryModel
@testable import Outbox
@testable import Sinks

@Suite(.timeLimit(.minutes(2))) struct WebhookPictureTests {
  private let folder: TemporaryFolder
  private let receipts = Receipts()
  /// Bytes that a careless reader of forms would stumble over.
  private let picture: [UInt8] =
    Array("RIFF\r\n--reticle-\r\n\r\n--\r\n".utf8) + (0..<2000).map { UInt8(truncatingIfNeeded: $0 &* $0 / 7) } + [
      0, 13, 10,
    ]

  init() throws { folder = try TemporaryFolder() }

  /// The answers to questions for pictures, and how often one was asked for.
  private final class Keeper: Sendable {
    private let state: Mutex<(count: Int, answer: @Sendable (Int) -> PictureAnswer)>
    init(_ answer: @escaping @Sendable (Int) -> PictureAnswer) { state = Mutex((0, answer)) }
    var count: Int { state.withLock { $0.count } }
    func picture() -> PictureAnswer {
      state.withLock { state in
        state.count += 1
        return state.answer(state.count)
      }
    }
  }

  private func file() -> Keeper { Keeper { [picture] _ in .file(bytes: picture, mediaType: "image/webp") } }

  private func scan(_ scans: inout ScanMaker, captured: CaptureTime = .now()) -> ScanRecord {
    var scan = scans.next(captured: captured)
    scan.picture = "/var/lib/reticle/pictures/a-scan-\(scan.id).webp"
    return scan
  }

  private func sink(
    _ port: Int, _ keeper: Keeper, _ change: (inout WebhookSettings) -> Void = { _ in }
  ) throws -> WebhookSink {
    var settings = WebhookSettings(url: "http://127.0.0.1:\(port)/scans")
    settings.picture = .multipart
    change(&settings)
    return try WebhookSink(settings: settings, logger: quiet, picture: { _, _ in keeper.picture() })
  }

  /// Runs `body` with a receiver and the sink that sends to it.
  private func delivering(
    to receiver: WebhookReceiver = WebhookReceiver(), _ keeper: Keeper,
    _ change: (inout WebhookSettings) -> Void = { _ in }, _ body: (WebhookSink) async throws -> Void
  ) async throws {
    let port = try await receiver.start { [receipts] in receipts.append($0) }
    let sink = try sink(port, keeper, change)
    try await body(sink)
    await sink.close()
    await receiver.stop()
  }

  // MARK: The form

  @Test func `record and picture are the two parts of a form, as RFC 7578 wants them`() throws {
    var scans = ScanMaker()
    let scan = scan(&scans)
    let id = scan.id.description
    let message = WebhookMessage(
      PicturedScan(scan, .init(fileName: "a-scan-\(id).webp", mediaType: "image/webp", bytes: picture)), body: .json)
    let head = """
      --reticle-\(id)\r
      Content-Disposition: form-data; name="record"\r
      Content-Type: application/json\r
      \r

      """
    let middle = """
      \r
      --reticle-\(id)\r
      Content-Disposition: form-data; name="picture"; filename="a-scan-\(id).webp"\r
      Content-Type: image/webp\r
      \r

      """
    let parts: [[UInt8]] = [
      Array(head.utf8), scan.json(), Array(middle.utf8), picture, Array("\r\n--reticle-\(id)--\r\n".utf8),
    ]
    #expect(message.body == Array(parts.joined()))
    #expect(message.contentType == "multipart/form-data; boundary=reticle-\(id)")
    #expect(message.id == id)
  }

  @Test(arguments: WebhookSettings.Body.allCases)
  func `a signed request has the record and the same bytes of the picture`(_ body: WebhookSettings.Body) async throws {
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    let path = try folder.write(secret, to: "secret")
    var receiver = WebhookReceiver.Settings()
    receiver.secrets = [try #require(WebhookSecret(secret))]
    var scans = ScanMaker()
    var scan = scan(&scans)
    scan.station = "Dock 3/ü\r\n--"
    try await delivering(to: WebhookReceiver(settings: receiver), file()) {
      $0.body = body
      $0.secretFiles = [path]
    } _: { sink in
      #expect(await sink.deliver(scan) == .delivered)
    }
    let receipt = try #require(receipts.last)
    let sent = try #require(receipt.picture)
    #expect(sent.bytes == picture && sent.fileName == "a-scan-\(scan.id).webp" && sent.mediaType == "image/webp")
    #expect(receipt.record.sent != nil)
    var record = receipt.record
    record.sent = nil
    #expect(record == scan && record.pictureMissing == nil)
    #expect(receipt.headers["webhook-id"] == scan.id.description)
    #expect(receipt.headers["content-type"] == "multipart/form-data; boundary=reticle-\(scan.id)")
  }

  @Test func `a scan without a picture is the only part of a form, and misses none`() async throws {
    var scans = ScanMaker()
    let keeper = file()
    try await delivering(keeper) { #expect(await $0.deliver(scans.next()) == .delivered) }
    let receipt = try #require(receipts.last)
    #expect(receipt.picture == nil && receipt.record.pictureMissing == nil && keeper.count == 0)
    #expect(receipt.headers["content-type"]?.hasPrefix("multipart/form-data") == true)
  }

  @Test func `a retry after 500 has the same id, form and picture`() async throws {
    let count = Mutex(0)
    let receiver = WebhookReceiver { _ in
      // The receipt is kept even where the answer is 500.
      count.withLock {
        $0 += 1; return .init($0 == 1 ? 500 : 204, takesScan: true)
      }
    }
    let port = try await receiver.start { [receipts] in receipts.append($0) }
    var settings = OutboxSettings()
    settings.path = folder.file("outbox.sqlite")
    let outbox = await Outbox(settings: settings, sinks: [OutboxSink("webhook")], logger: quiet)
    var retry = RetrySettings()
    retry.fastDelay = .milliseconds(5)
    let loop = DeliveryLoop(sink: try sink(port, file()), outbox: outbox, retry: retry, logger: quiet)
    let group = ServiceGroup(services: [loop], logger: quiet)
    let run = Task { try await group.run() }
    var scans = ScanMaker()
    _ = try await outbox.append(scan(&scans))
    #expect(await eventually { await outbox.undeliveredCount(for: "webhook") == 0 })
    await group.triggerGracefulShutdown()
    try await run.value
    await outbox.close()
    await receiver.stop()
    let (first, last) = (try #require(receipts.first), try #require(receipts.last))
    #expect(receipts.headers.count == 2 && last.isRepeat)
    #expect(first.picture?.bytes == picture && last.picture == first.picture)
    for name in ["webhook-id", "content-type"] { #expect(first.headers[name] == last.headers[name]) }
  }

  // MARK: Missing pictures

  @Test func `a picture that is gone does not hold back its scan, whose record says so`() async throws {
    var scans = ScanMaker()
    let scan = scan(&scans)
    let keeper = Keeper { _ in .none("it was deleted") }
    try await delivering(keeper) { #expect(await $0.deliver(scan) == .delivered) }
    let receipt = try #require(receipts.last)
    #expect(receipt.record.pictureMissing == .gone && receipt.record.picture == scan.picture && receipt.picture == nil)
    #expect(keeper.count == 1)
  }

  @Test func `a scan waits a moment for a picture that is being written`() async throws {
    var scans = ScanMaker()
    let keeper = Keeper { [picture] number in
      number < 4 ? .pending("it is being written") : .file(bytes: picture, mediaType: "image/jpeg")
    }
    try await delivering(keeper) { sink in
      // Captured a moment later, so that a slow machine does not use up the time to wait.
      var captured = CaptureTime.now()
      captured.bootNanoseconds += 20_000_000_000
      #expect(await sink.deliver(scan(&scans, captured: captured)) == .delivered)
    }
    #expect(receipts.last?.picture?.bytes == picture && receipts.last?.record.pictureMissing == nil)
  }

  @Test func `a scan goes without a picture that is late, and an older one does not wait at all`() async throws {
    var scans = ScanMaker()
    let keeper = Keeper { _ in .pending("it is being written") }
    try await delivering(keeper) { sink in
      let begin = ContinuousClock.now
      #expect(await sink.deliver(scan(&scans)) == .delivered)
      let wait = ContinuousClock.now - begin
      #expect(wait > .milliseconds(200) && wait < .seconds(5), "\(wait)")
      #expect(receipts.last?.record.pictureMissing == .late)
      let count = keeper.count
      #expect(count > 1)
      var captured = CaptureTime.now()
      captured.bootNanoseconds -= 500_000_000
      #expect(await sink.deliver(scan(&scans, captured: captured)) == .delivered)
      #expect(keeper.count == count + 1)
    }
    #expect(receipts.last?.record.pictureMissing == .late)
  }

  @Test func `a request with a picture has at most 1 MiB`() async throws {
    var scans = ScanMaker()
    let byteCount = Mutex(WebhookPictures.requestByteCountMax)
    let keeper = Keeper { _ in .file(bytes: [UInt8](repeating: 7, count: byteCount.withLock { $0 }), mediaType: "image/jpeg")
    }
    try await delivering(keeper) { sink in
      #expect(await sink.deliver(scan(&scans)) == .delivered)
      #expect(receipts.last?.record.pictureMissing == .large && receipts.last?.picture == nil)
      byteCount.withLock { $0 -= 8 << 10 }
      #expect(await sink.deliver(scan(&scans)) == .delivered)
      #expect(
        receipts.last?.record.pictureMissing == nil && receipts.last?.picture?.bytes.count == byteCount.withLock { $0 })
      let length = try #require(receipts.last?.headers["content-length"].flatMap { Int($0) })
      #expect(length <= WebhookPictures.requestByteCountMax)
    }
  }

  // MARK: Receivers that fail with pictures

  /// A receiver that gives this answer to each request with a picture, and takes the others; with the number of requests.
  private func receiver(
    refusing answer: WebhookReceiver.Answer
  ) -> (receiver: WebhookReceiver, count: @Sendable () -> Int) {
    final class Count: Sendable { let value = Mutex(0) }
    let count = Count()
    let receiver = WebhookReceiver { record in
      count.value.withLock { $0 += 1 }
      return record.pictureMissing == nil ? answer : .init(204)
    }
    return (receiver, { count.value.withLock { $0 } })
  }

  @Test
  func `a request that is too large for the receiver goes again without the picture, and the next one goes without at once`()
    async throws
  {
    let (receiver, count) = receiver(refusing: .init(413))
    var scans = ScanMaker()
    try await delivering(to: receiver, file()) { sink in
      #expect(await sink.deliver(scan(&scans)) == .delivered)
      #expect(count() == 2)
      #expect(receipts.last?.record.pictureMissing == .failing)
      #expect(await sink.deliver(scan(&scans)) == .delivered)
      #expect(count() == 3)
      #expect(receipts.last?.record.pictureMissing == .failing)
    }
  }

  @Test func `a receiver that hangs with pictures gets the scan without`() async throws {
    let (receiver, count) = receiver(refusing: .init(204, delay: .seconds(30), takesScan: false))
    var scans = ScanMaker()
    try await delivering(to: receiver, file()) {
      $0.attemptLimit = .milliseconds(500)
    } _: { sink in
      #expect(await sink.deliver(scan(&scans)) == .delivered)
    }
    #expect(count() == 2 && receipts.last?.record.pictureMissing == .failing)
  }

  @Test(arguments: [400, 403, 415, 422, 500, 502])
  func `the third refusal of a picture is followed by the scan without`(_ status: Int) async throws {
    let (receiver, count) = receiver(refusing: .init(status))
    var scans = ScanMaker()
    let scan = scan(&scans)
    try await delivering(to: receiver, file()) { sink in
      for _ in 1...2 { #expect(await sink.deliver(scan) != .delivered) }
      #expect(count() == 2)
      #expect(await sink.deliver(scan) == .delivered)
    }
    #expect(count() == 4 && receipts.last?.record.pictureMissing == .failing)
  }

  @Test func `no scan becomes a dead letter before it was tried without its picture`() async throws {
    let (receiver, count) = receiver(refusing: .init(422))
    var scans = ScanMaker()
    try await delivering(to: receiver, file()) {
      $0.retry.rejectionCountMax = 1
    } _: { sink in
      #expect(await sink.deliver(scan(&scans)) == .delivered)
    }
    #expect(count() == 2)
  }

  @Test(arguments: [503, 500, 0])
  func `an outage costs no picture`(_ status: Int) async throws {
    let isOut = Mutex(true)
    let receiver = WebhookReceiver { _ in isOut.withLock { $0 } ? .init(status == 0 ? 204 : status) : .init(204) }
    let port = try await receiver.start { [receipts] in receipts.append($0) }
    // Connections are refused.
    if status == 0 { await receiver.stop() }
    let sink = try sink(port, file())
    var scans = ScanMaker()
    let scan = scan(&scans)
    for _ in 1...10 { #expect(await sink.deliver(scan) != .delivered) }
    isOut.withLock { $0 = false }
    if status == 0 { _ = try await receiver.start(port: port) { [receipts] in receipts.append($0) } }
    #expect(await sink.deliver(scan) == .delivered)
    await sink.close()
    await receiver.stop()
    #expect(receipts.headers.count == 1 && receipts.last?.picture?.bytes == picture)
  }

  @Test func `pictures are sent again after a rest`() async throws {
    let time = Mutex(ContinuousClock.now)
    let pictures = WebhookPictures(
      sink: "webhook", rejectionCountMax: 10, logger: quiet, now: { time.withLock { $0 } },
      source: { [picture] _, _ in .file(bytes: picture, mediaType: "image/webp") })
    var scans = ScanMaker()
    let first = await pictures.add(to: scan(&scans))
    #expect(first.picture != nil && pictures.failed(.strong))
    pictures.delivered(first.without(because: .failing), isProof: true)
    time.withLock { $0 += WebhookPictures.rest - .seconds(1) }
    #expect(await pictures.add(to: scan(&scans)).record.pictureMissing == .failing)
    time.withLock { $0 += .seconds(1) }
    #expect(await pictures.add(to: scan(&scans)).picture != nil)
    #expect(!pictures.failed(.possible), "the rest also ends the count of failures")
  }

  @Test func `batches and pictures exclude each other`() throws {
    #expect(throws: DeliveryProblem.self) { try sink(1, file()) { $0.batching.countMax = 2 } }
  }
}
