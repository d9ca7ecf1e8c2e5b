// The receiving end of the webhook: a small server that accepts scans, for the demo and for delivery's tests. Like a good
// receiver, it verifies the signature, accepts each id once, and answers 2xx only when it has the scan.

import BarcodeMessage
public import DeliveryModel
import FoundationEssentials
import HTTPServer
public import Sinks
import Synchronization

/// A webhook receiver on one address.
public final class WebhookReceiver: Sendable {
  /// The requirements for accepting a request.
  public struct Settings: Sendable {
    /// Secrets; each request must be signed with any one of them. Empty: signatures are not checked.
    public var secrets: [WebhookSecret] = []
    /// The bearer token required in each request; nil: none.
    public var bearerToken: String?
    /// The largest difference between a request's timestamp and the clock: Standard Webhooks 1.0.0 leaves it to the
    /// receiver; 5 minutes are usual.
    public var timestampToleranceSeconds: Int64 = 300
    /// The number of remembered ids, at least 10; the oldest are forgotten. A hundred thousand take about 20 MB.
    public var idCountMax = 100_000

    public init() {}
  }

  /// A received picture of a scan.
  public struct Picture: Equatable, Sendable {
    public var fileName: String
    /// Such as `image/webp`.
    public var mediaType: String
    public var bytes: [UInt8]
  }

  /// A received scan.
  public struct Receipt: Sendable {
    public var record: ScanRecord
    /// Whether a scan with this id was accepted before.
    public var isRepeat: Bool
    /// The time from capture to receipt, by the boot clock if sender and receiver run on the same boot.
    public var latency: Duration
    /// The header fields of the request, with names in lower case.
    public var headers: [String: String]
    /// The picture in the same request; nil without one.
    public var picture: Picture?

    /// One line for people: sequence, symbology, text, latency, and the size of the picture.
    public var line: String {
      let tenths = latency.nanoseconds / 100_000
      return "#\(record.sequence) \(record.symbology) \(record.aimIdentifier) \"\(TerminalText.safe(record.text))\" "
        + "\(tenths / 10).\(tenths % 10) ms" + (picture.map { " with \($0.fileName), \($0.bytes.count) bytes" } ?? "")
        + (isRepeat ? " (repeated)" : "")
    }
  }

  /// The answer to a valid request; a batch is answered by its first scan.
  public struct Answer: Sendable {
    public var status: Int
    public var headers: [(name: String, value: String)]
    /// The delay before the answer.
    public var delay: Duration
    /// Whether the scan is accepted; by default if the status says so.
    public var takesScan: Bool
    /// The body.
    public var text = ""

    public init(
      _ status: Int = 204, headers: [(name: String, value: String)] = [], delay: Duration = .zero,
      takesScan: Bool? = nil
    ) {
      self.status = status
      self.headers = headers
      self.delay = delay
      self.takesScan = takesScan ?? (200..<300).contains(status)
    }
  }

  /// Why a receiver did not start.
  public enum StartError: Error { case alreadyStarted }

  private struct State {
    var server: HTTPServer?
    var ids: Set<String> = []
    var idsInOrder: [String] = []
    var onScan: @Sendable (Receipt) -> Void = { _ in }
  }

  private let settings: Settings
  private let answer: @Sendable (ScanRecord) -> Answer
  private let state = Mutex(State())

  /// - Parameter answer: the answer to a scan; by default 204.
  public init(settings: Settings = Settings(), answer: @escaping @Sendable (ScanRecord) -> Answer = { _ in Answer() }) {
    self.settings = settings
    self.answer = answer
  }

  /// Receives until the task is cancelled.
  ///
  /// - Parameters:
  ///   - port: 0 for any free port.
  ///   - onListening: called with the port once the receiver listens.
  ///   - onScan: called for each accepted scan, repeats included, before the answer.
  public func run(
    host: String, port: Int, onListening: @Sendable (Int) -> Void = { _ in },
    onScan: @escaping @Sendable (Receipt) -> Void
  ) async throws {
    onListening(try await start(host: host, port: port, onScan: onScan))
    for await _ in AsyncStream<Never>.makeStream().stream {}
    await stop()
  }

  /// Starts listening.
  /// - Parameter port: 0 for any free port.
  /// - Returns: the port.
  public func start(
    host: String = "127.0.0.1", port: Int = 0, onScan: @escaping @Sendable (Receipt) -> Void
  ) async throws -> Int {
    let server = HTTPServer { await self.respond(to: $0) }
    let isFirst = state.withLock { state in
      guard state.server == nil else { return false }
      (state.server, state.onScan) = (server, onScan)
      return true
    }
    guard isFirst else { throw StartError.alreadyStarted }
    do throws(HTTPServerError) {
      return try server.start(address: host, port: port)
    } catch {
      state.withLock { $0.server = nil }
      throw error
    }
  }

  /// Stops listening and closes all connections. The receiver can be started again; it remembers ids.
  public func stop() async {
    let server = state.withLock { state in
      defer { state.server = nil }
      return state.server
    }
    await server?.stop()
  }

  // MARK: Requests

  private func respond(to request: HTTPRequest) async -> HTTPResponse {
    let (answer, text) = receive(request)
    try? await Task.sleep(for: answer.delay)
    let fields = HTTPFields(answer.headers.map { HTTPFields.Field($0.name, $0.value) })
    return HTTPResponse(answer.status, fields: fields, body: .bytes(Array(text.utf8)))
  }

  /// Checks a request, accepts its scan if valid, and returns the answer.
  private func receive(_ request: HTTPRequest) -> (answer: Answer, text: String) {
    guard request.method == "POST" else {
      return (Answer(405, headers: [("Allow", "POST")]), "only POST is understood here")
    }
    if let token = settings.bearerToken, request.fields["Authorization"] != "Bearer \(token)" {
      return (Answer(401), "the bearer token is missing or wrong")
    }
    guard let id = request.fields["webhook-id"] else { return (Answer(400), "webhook-id is missing") }
    if !settings.secrets.isEmpty, let wrong = signatureFault(request, id) { return (Answer(401), wrong) }
    let records: [ScanRecord]
    let picture: Picture?
    do {
      (records, picture) = try Self.content(request.body, contentType: request.fields["Content-Type"] ?? "")
    } catch {
      return (Answer(400), "the body is not a scan record: \(error)")
    }
    guard let first = records.first else { return (Answer(400), "the batch is empty") }
    guard id == first.id.description || id.hasPrefix("batch_\(first.id)_") else {
      return (Answer(400), "webhook-id is not the record's id")
    }
    let answer = answer(first)
    if answer.takesScan { for record in records { take(record, picture, request) } }
    return (answer, answer.text)
  }

  private func signatureFault(_ request: HTTPRequest, _ id: String) -> String? {
    guard let timestamp = request.fields["webhook-timestamp"].flatMap({ Int64($0) }),
      let signatures = request.fields["webhook-signature"]
    else { return "the signature is missing" }
    let now = CaptureTime.now().unixMilliseconds / 1000
    let tolerance = settings.timestampToleranceSeconds
    guard timestamp >= now - tolerance, timestamp <= now + tolerance else {
      return "the signature's time is too far from the clock"
    }
    let isSigned = settings.secrets.contains {
      $0.accepts(signatures: signatures, id: id, timestamp: timestamp, body: request.body)
    }
    return isSigned ? nil : "the signature is wrong"
  }

  private struct Event: Decodable {
    let specversion: String
    let id: String
    let source: String
    let type: String
    let data: ScanRecord
  }

  /// The scans of a body, and the picture with a single one.
  private static func content(_ body: [UInt8], contentType: String) throws -> (records: [ScanRecord], picture: Picture?) {
    guard contentType.hasPrefix(FormReader.mediaType) else {
      return (try records(body, contentType: contentType), nil)
    }
    let form = try FormReader(body, contentType: contentType)
    guard let record = form["record"] else { throw FormReader.Failure(words: "the form has no record") }
    let picture = form["picture"].map {
      Picture(fileName: $0.fileName ?? "", mediaType: $0.contentType, bytes: $0.bytes)
    }
    return (try records(record.bytes, contentType: record.contentType), picture)
  }

  /// The scans of a body or part: a single scan, or an array.
  private static func records(_ body: [UInt8], contentType: String) throws -> [ScanRecord] {
    let (data, decoder) = (Data(body), JSONDecoder())
    if contentType.hasPrefix("application/cloudevents-batch+json") {
      return try decoder.decode([Event].self, from: data).map(\.data)
    }
    if contentType.hasPrefix("application/cloudevents+json") { return [try decoder.decode(Event.self, from: data).data] }
    if body.first == UInt8(ascii: "[") { return try decoder.decode([ScanRecord].self, from: data) }
    return [try ScanRecord(json: body)]
  }

  private func take(_ record: ScanRecord, _ picture: Picture?, _ request: HTTPRequest) {
    let id = record.id.description
    let (isNew, onScan) = state.withLock { state in
      let isNew = state.ids.insert(id).inserted
      if isNew {
        state.idsInOrder.append(id)
        if state.idsInOrder.count > settings.idCountMax {
          let part = settings.idCountMax / 10
          for old in state.idsInOrder.prefix(part) { state.ids.remove(old) }
          state.idsInOrder.removeFirst(part)
        }
      }
      return (isNew, state.onScan)
    }
    let headers = request.fields.all.reduce(into: [:]) { $0[$1.name.lowercased()] = $1.value }
    onScan(
      Receipt(
        record: record, isRepeat: !isNew, latency: record.captured.elapsed(until: .now()), headers: headers,
        picture: picture))
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
