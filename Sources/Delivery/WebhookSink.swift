// Scans by HTTP POST, one or a batch a request, by the rules of Standard Webhooks 1.0.0: a constant id that makes repeats harmless, a
// signature, and a status code that says whether to go on. async-http-client keeps the connection open between scans.

import AsyncHTTPClient
import Dispatch
import NIOCore
import NIOHTTP1
import NIOSSL

/// A sink that posts to a webhook.
///
/// | answer | outcome |
/// |---|---|
/// | 2xx | delivered |
/// | 301, 308 | parked: the receiver has moved; redirects are not followed, so that nobody else gets the scans |
/// | other 3xx, 408, 425, 429, 5xx, none | retried, not before `Retry-After` |
/// | 410 | parked for good |
/// | other 4xx | parked |
public struct WebhookSink: ScanSink {
  public let name: String
  private let settings: WebhookSettings
  private let connection: WebhookConnection
  private let wallMilliseconds: @Sendable () -> Int64

  /// What is read of an answer's body, to be shown when it is an error.
  static let answerByteCountMax = 64 << 10
  /// Characters of it that are shown.
  static let answerExcerptMax = 200
  /// Characters that a scan must have to be hidden in it: fewer say little, and are found in other words.
  static let hiddenTextCountMin = 4
  /// Header fields that the sink sets itself.
  static let ownHeaders: Set<String> = [
    "content-type", "content-length", "host", "transfer-encoding", "connection", "authorization", "user-agent",
    "webhook-id", "webhook-timestamp", "webhook-signature",
  ]

  /// - Throws: what is wrong with the settings. Files with secrets are not looked at here but at each attempt.
  public init(
    settings: WebhookSettings,
    wallMilliseconds: @escaping @Sendable () -> Int64 = { CaptureTime.now().unixMilliseconds }
  ) throws(DeliveryProblem) {
    try Self.checkFields(settings)
    self.settings = settings
    self.wallMilliseconds = wallMilliseconds
    name = settings.name
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: try Self.tls(settings), redirectConfiguration: .disallow,
      timeout: .init(connect: TimeAmount(settings.connectLimit)), decompression: .disabled)
    // A refused connection is an answer: when to try again is the delivery machine's business.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
    configuration.httpVersion = .http1Only
    configuration.proxy = try settings.proxy?.clientProxy()
    connection = WebhookConnection(configuration)
  }

  public var batching: BatchSettings { settings.batching }

  /// A receiver takes each id once. Measured with 200 scans a second on two busy cores: with 1 delivery falls behind, as each
  /// waits for the sync of the next scan; with 8 it keeps up.
  public var unnotedCountMax: Int { 8 }

  public func close() async { try? await connection.client.shutdown() }

  public func deliver(_ records: [ScanRecord]) async -> DeliveryOutcome {
    let request: HTTPClientRequest
    do {
      request = try makeRequest(records)
    } catch {
      return error.outcome
    }
    let deadline = ContinuousClock.now + settings.attemptLimit
    do {
      let response = try await connection.client.execute(request, timeout: TimeAmount(settings.attemptLimit))
      let body = await Self.body(of: response, until: deadline)
      return outcome(of: response, body: body, to: records)
    } catch {
      return .retry(after: nil, WebhookProblem.of(error, url: settings.url, settings: settings))
    }
  }

  /// An answer's body. It is read to its end, so that the connection can be used again; but the status has said what
  /// matters, so a body that does not come in time, or is too long, is passed over with its connection.
  private static func body(of response: HTTPClientResponse, until deadline: ContinuousClock.Instant) async -> ByteBuffer {
    await withTaskGroup(of: ByteBuffer?.self) { group in
      group.addTask { try? await response.body.collect(upTo: answerByteCountMax) }
      group.addTask {
        try? await Task.sleep(until: deadline)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next().flatMap { $0 } ?? ByteBuffer()
    }
  }

  /// Asks the receiver for the head of what it would answer, which changes nothing there (RFC 9110 §9.2.1, §9.3.2).
  ///
  /// - Returns: what is wrong on the way to it: its name, the connection, TLS or a proxy; nil if it answers, whatever that is.
  public func reach() async -> DeliveryProblem? {
    var request = HTTPClientRequest(url: settings.url)
    request.method = .HEAD
    request.headers.add(name: "user-agent", value: "Reticle")
    do {
      _ = try await connection.client.execute(request, timeout: TimeAmount(settings.connectLimit))
      return nil
    } catch {
      return WebhookProblem.of(error, url: settings.url, settings: settings)
    }
  }

  // MARK: The request

  private struct Unready: Error {
    let outcome: DeliveryOutcome
  }

  private func makeRequest(_ records: [ScanRecord]) throws(Unready) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: settings.url)
    request.method = .POST
    var now = CaptureTime.now()
    now.unixMilliseconds = wallMilliseconds()
    let message = WebhookMessage(
      records.map { $0.sent(at: now) }, body: settings.body, isBatch: settings.batching.countMax > 1)
    let (id, body) = (message.id, message.body)
    request.headers.add(name: "content-type", value: message.contentType)
    request.headers.add(name: "user-agent", value: "Reticle")
    for field in settings.headers { request.headers.add(name: field.name, value: field.value) }
    let timestamp = now.unixMilliseconds / 1000
    request.headers.add(name: "webhook-id", value: id)
    request.headers.add(name: "webhook-timestamp", value: String(timestamp))
    do throws(DeliveryProblem) {
      if let path = settings.bearerTokenFile {
        guard let token = try SecretFile.lines(path).first, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
          throw DeliveryProblem("\(path) holds no bearer token", remedy: "put the token, ASCII without blanks, in it")
        }
        request.headers.add(name: "authorization", value: "Bearer \(token)")
      }
      var signatures: [String] = []
      for path in settings.secretFiles {
        for secret in try WebhookSecret.read(file: path) {
          signatures.append(secret.signature(id: id, timestamp: timestamp, body: body))
        }
      }
      if !signatures.isEmpty {
        request.headers.add(name: "webhook-signature", value: signatures.joined(separator: " "))
      }
    } catch {
      throw Unready(outcome: .parked(error, isFinal: false))
    }
    if !settings.secretFiles.isEmpty, !now.isWallClockPlausible {
      // Receivers refuse signatures of another time; the scan waits until the network has set the clock.
      let problem = DeliveryProblem(
        "the clock is not set, so nothing can be signed", remedy: "give the board a time server or a clock battery")
      throw Unready(outcome: .retry(after: nil, problem))
    }
    request.body = .bytes(ByteBuffer(bytes: body))
    return request
  }

  // MARK: The answer

  /// What a receiver says of an error is often what was scanned, which is not for every log.
  private static func excerpt(of body: ByteBuffer, without records: [ScanRecord]) -> String {
    var text = String(buffer: body)
    for record in records where record.text.count >= Self.hiddenTextCountMin {
      text = text.replacing(record.text, with: "(scan)")
    }
    return String(
      text.unicodeScalars.lazy.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(answerExcerptMax)
        .map(Character.init))
  }

  private func outcome(
    of response: HTTPClientResponse, body: ByteBuffer, to records: [ScanRecord]
  ) -> DeliveryOutcome {
    let (status, headers) = (response.status, response.headers)
    if (200..<300).contains(status.code) { return .delivered }
    let excerpt = Self.excerpt(of: body, without: records)
    let summary =
      "\(settings.url) answered \(status.code) \(status.reasonPhrase)" + (excerpt.isEmpty ? "" : ": \(excerpt)")
    switch status.code {
    case 301, 308:
      let place = headers.first(name: "location").map { " (it names \($0))" } ?? ""
      return .parked(DeliveryProblem(summary, remedy: "set the webhook's URL to the new place\(place)"), isFinal: false)
    case 410:
      let remedy = "the receiver wants no more scans; change the webhook's URL, then resume the sink"
      return .parked(DeliveryProblem(summary, remedy: remedy), isFinal: true)
    case 401, 403:
      let remedy = "check the bearer token and the signing secrets on both ends"
      return .parked(DeliveryProblem(summary, remedy: remedy), isFinal: false)
    case 408, 425, 429, 300..<400, 500..<600:
      let after = headers.first(name: "retry-after").flatMap {
        RetryAfter.delay($0, nowSeconds: wallMilliseconds() / 1000)
      }
      return .retry(after: after, DeliveryProblem(summary, remedy: "see the receiver's own log"))
    default:
      let remedy = "check the webhook's URL and what the receiver expects, then resume the sink"
      return .parked(DeliveryProblem(summary, remedy: remedy), isFinal: false)
    }
  }

  // MARK: Settings

  /// Looks at settings as a sink does when it is made, at the files of certificates and of the proxy's credentials too.
  ///
  /// - Throws: what is wrong with them. Files with secrets are not looked at, as they are read at each attempt.
  public static func check(_ settings: WebhookSettings) throws(DeliveryProblem) {
    try checkFields(settings)
    _ = try tls(settings)
    _ = try settings.proxy?.clientProxy()
  }

  private static func checkFields(_ settings: WebhookSettings) throws(DeliveryProblem) {
    guard !WebhookURL.namesUser(settings.url) else {
      throw DeliveryProblem(
        "the webhook's URL names a user", remedy: "leave it out and set bearer_token_file, or a header field of your own")
    }
    guard let url = WebhookURL(settings.url) else {
      throw DeliveryProblem(
        "\(settings.url) is not a webhook's URL", remedy: "write https://host/path or http://host:port/path")
    }
    for field in settings.headers {
      let isName = !field.name.isEmpty && field.name.utf8.allSatisfy(WebhookURL.isTokenByte)
      guard isName, field.value.utf8.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else {
        throw DeliveryProblem("the header field \(field.name) is not one", remedy: "use a name and a value of HTTP")
      }
      guard !ownHeaders.contains(field.name.lowercased()) else {
        let remedy = field.name.lowercased() == "authorization" ? "set bearer_token_file instead" : "leave it out"
        throw DeliveryProblem("the header field \(field.name) is set by the sink itself", remedy: remedy)
      }
    }
    let hasTLSFiles = settings.certificateAuthorityFile != nil || settings.clientCertificateFile != nil
    guard url.isSecure || !hasTLSFiles else {
      throw DeliveryProblem("certificates are set for an http URL", remedy: "write https://")
    }
    guard (settings.clientCertificateFile == nil) == (settings.clientKeyFile == nil) else {
      throw DeliveryProblem("a client certificate needs its key", remedy: "set both or none")
    }
  }

  private static func tls(_ settings: WebhookSettings) throws(DeliveryProblem) -> TLSConfiguration {
    var tls = TLSConfiguration.makeClientConfiguration()
    do {
      if let path = settings.certificateAuthorityFile {
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
      }
      if let certificate = settings.clientCertificateFile, let key = settings.clientKeyFile {
        tls.certificateChain = try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) }
        tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
      }
    } catch {
      throw DeliveryProblem(
        "a certificate or key of the webhook cannot be read: \(error)",
        remedy: "name PEM files that the station's user may read")
    }
    return tls
  }
}

/// The HTTP client, which insists on being shut down: also when its sink is given up before it was ever run.
private final class WebhookConnection: Sendable {
  let client: HTTPClient

  init(_ configuration: HTTPClient.Configuration) {
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  // A client that is shut down already says so, which is as well.
  deinit { client.shutdown(queue: .global()) { _ in } }
}

extension TimeAmount {
  init(_ duration: Duration) { self = .milliseconds(duration.milliseconds) }
}
