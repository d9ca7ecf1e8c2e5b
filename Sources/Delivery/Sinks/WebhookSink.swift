// Scans by HTTP POST, one scan or batch per request, as Standard Webhooks 1.0.0 specifies: a constant id that makes repeats
// harmless, a signature, and a status code that says whether to continue.

public import DeliveryModel
import HTTPClient
public import Logging

/// A sink that posts to a webhook.
///
/// | answer | outcome |
/// |---|---|
/// | 2xx | delivered |
/// | 301, 308 | parked: the receiver has moved; redirects are not followed, so that no other receiver gets the scans |
/// | 302, 303, 307, 408, 425, 429, 502, 503, 504, none | retried, not before `Retry-After` |
/// | 410 | parked permanently |
/// | other 3xx, 401, 403, 404, 405, 407 | parked |
/// | any other | rejected: the fault may be the scan's |
public struct WebhookSink: ScanSink {
  public let name: String
  private let settings: WebhookSettings
  private let connection: HTTPConnection
  private let wallMilliseconds: @Sendable () -> Int64
  /// Nil: scans are sent without their pictures.
  private let pictures: WebhookPictures?

  /// Characters that are shown of what an answer says.
  static let answerExcerptMax = 200
  /// Characters that a scan must have to be hidden in it: fewer say little, and are found in other words.
  static let hiddenTextCountMin = 4
  /// Header fields that the sink sets itself.
  static let ownHeaders: Set<String> = [
    "content-type", "content-length", "host", "transfer-encoding", "connection", "expect", "authorization", "user-agent",
    "webhook-id", "webhook-timestamp", "webhook-signature",
  ]

  /// - Parameter picture: the picture at the path that a record names, read within a time limit; nil if none are kept.
  /// - Throws: what is wrong with the settings. Files with secrets are not looked at here but at each attempt.
  public init(
    settings: WebhookSettings, logger: Logger = Logger(label: "reticle.webhook"),
    picture: (@Sendable (_ path: String, _ limit: Duration) async -> PictureAnswer)? = nil,
    wallMilliseconds: @escaping @Sendable () -> Int64 = { CaptureTime.now().unixMilliseconds }
  ) throws(DeliveryProblem) {
    connection = try Self.connection(settings)
    self.settings = settings
    self.wallMilliseconds = wallMilliseconds
    name = settings.name
    var logger = logger
    logger[metadataKey: "sink"] = "\(settings.name)"
    pictures =
      settings.picture == .none
      ? nil
      : WebhookPictures(
        sink: settings.name, rejectionCountMax: settings.retry.rejectionCountMax, logger: logger,
        source: picture ?? { _, _ in .none("no pictures are kept") })
  }

  public var batching: BatchSettings { settings.batching }

  /// A receiver accepts each id once. Measured with 200 scans per second on two busy cores: with 1, delivery falls behind, as
  /// each waits for the sync of the next scan; with 8 it keeps up.
  public var unnotedCountMax: Int { 8 }

  public func close() async { connection.close() }

  public func deliver(_ records: [ScanRecord]) async -> DeliveryOutcome {
    guard let pictures else {
      return await post(records) { WebhookMessage($0, body: settings.body, isBatch: settings.batching.countMax > 1) }.outcome
    }
    precondition(records.count == 1, "scans with pictures are sent one by one")
    var scan = await pictures.add(to: records[0])
    var (outcome, suspicion) = await post(scan)
    var isProof = false
    if scan.picture != nil, outcome != .delivered, pictures.failed(suspicion) {
      scan = scan.without(because: .failing)
      (outcome, _) = await post(scan)
      isProof = true
    }
    if outcome == .delivered { pictures.delivered(scan, isProof: isProof) }
    return outcome
  }

  private func post(_ scan: PicturedScan) async -> (outcome: DeliveryOutcome, suspicion: WebhookPictures.Suspicion) {
    await post([scan.record]) { WebhookMessage(PicturedScan($0[0], scan.picture), body: settings.body) }
  }

  /// Tries once to deliver scans.
  ///
  /// - Parameter message: the message of the scans as they are sent.
  /// - Returns: the outcome, and what it says of a picture in the request.
  private func post(
    _ records: [ScanRecord], _ message: ([ScanRecord]) -> WebhookMessage
  ) async -> (outcome: DeliveryOutcome, suspicion: WebhookPictures.Suspicion) {
    do throws(Unready) {
      let (request, login) = try makeRequest(records, message)
      do throws(HTTPFailure) {
        let answer = try await connection.send(request, within: settings.attemptLimit)
        return (outcome(of: answer, hiding: login, with: records), answer.status == 413 ? .strong : .possible)
      } catch {
        let suspicion: WebhookPictures.Suspicion =
          switch error {
          case .answerLimitExceeded: .strong
          case .closed, .broken, .notHTTP, .headerTooLong: .possible
          default: .none
          }
        return (.retry(after: nil, WebhookProblem.of(error, settings: settings)), suspicion)
      }
    } catch {
      return (error.outcome, .none)
    }
  }

  /// Asks the receiver for the head of what it would answer, which changes nothing there (RFC 9110 §9.2.1, §9.3.2).
  ///
  /// - Returns: the problem on the way to it: its name, the connection, TLS or a proxy; nil after any answer.
  public func reach() async -> DeliveryProblem? {
    do throws(HTTPFailure) {
      _ = try await connection.send(HTTPRequest(.head, fields: [Self.userAgent]), within: settings.connectLimit)
      return nil
    } catch {
      return WebhookProblem.of(error, settings: settings)
    }
  }

  // MARK: The request

  private static let userAgent = HTTPField("user-agent", "Reticle")

  private struct Unready: Error {
    let outcome: DeliveryOutcome
  }

  private func makeRequest(
    _ records: [ScanRecord], _ message: ([ScanRecord]) -> WebhookMessage
  ) throws(Unready) -> (request: HTTPRequest, login: [String]) {
    var now = CaptureTime.now()
    now.unixMilliseconds = wallMilliseconds()
    let message = message(records.map { $0.sent(at: now) })
    let (id, body) = (message.id, message.body)
    var fields = [HTTPField("content-type", message.contentType), Self.userAgent]
    fields += settings.headers.map { HTTPField($0.name, $0.value) }
    let timestamp = now.unixMilliseconds / 1000
    var login: Credentials?
    fields.append(HTTPField("webhook-id", id))
    fields.append(HTTPField("webhook-timestamp", String(timestamp)))
    do throws(DeliveryProblem) {
      if let path = settings.bearerTokenFile {
        guard let token = try SecretFile.lines(path).first, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
          throw DeliveryProblem("\(path) holds no bearer token", remedy: "put the token, ASCII without blanks, in it")
        }
        fields.append(HTTPField("authorization", "Bearer \(token)"))
      } else if let path = settings.credentialsFile {
        let credentials = try Credentials.read(file: path)
        fields.append(HTTPField("authorization", credentials.basic))
        login = credentials
      }
      var signatures: [String] = []
      for path in settings.secretFiles {
        for secret in try WebhookSecret.read(file: path) {
          signatures.append(secret.signature(id: id, timestamp: timestamp, body: body))
        }
      }
      if !signatures.isEmpty { fields.append(HTTPField("webhook-signature", signatures.joined(separator: " "))) }
    } catch {
      // A file that is being replaced is empty for a moment.
      throw Unready(outcome: .retry(after: nil, error))
    }
    if !settings.secretFiles.isEmpty, !now.isWallClockPlausible {
      // Receivers refuse signatures of another time; the scan waits until the network has set the clock.
      let problem = DeliveryProblem(
        "the clock is not set, so nothing can be signed", remedy: "give the board a time server or a clock battery")
      throw Unready(outcome: .retry(after: nil, problem))
    }
    // A receiver that repeats them repeats the field, its value without the scheme, or what it made of that.
    let secrets = fields.filter { $0.name == "authorization" }.map { String($0.value.drop { $0 != " " }.dropFirst()) }
    return (
      HTTPRequest(.post(body), fields: fields), secrets + (login.map { ["\($0.user):\($0.password)", $0.password] } ?? [])
    )
  }

  // MARK: The answer

  /// The start of an answer without scanned data and secrets, which an error message often repeats and logs must not hold.
  private func excerpt(of text: String, hiding login: [String], with records: [ScanRecord]) -> String {
    var text = text
    for form in records.flatMap(\.dataForms) where form.count >= Self.hiddenTextCountMin {
      text = text.replacing(form, with: "(scan)")
    }
    let secrets = WebhookURL.secrets(settings.url) + login + settings.headers.map(\.value)
    for secret in secrets where secret.count >= Self.hiddenTextCountMin {
      text = text.replacing(secret, with: "(hidden)")
    }
    return String(
      text.unicodeScalars.lazy.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(Self.answerExcerptMax)
        .map(Character.init))
  }

  private func outcome(
    of answer: HTTPAnswer, hiding login: [String], with records: [ScanRecord]
  ) -> DeliveryOutcome {
    if (200..<300).contains(answer.status) { return .delivered }
    let words = [answer.reason, String(decoding: answer.body, as: UTF8.self)]
      .map { excerpt(of: $0, hiding: login, with: records) }.filter { !$0.isEmpty }
    let summary =
      "\(settings.shownURL) answered \(answer.status)" + (words.isEmpty ? "" : " \(words.joined(separator: ": "))")
    switch answer.status {
    case 301, 308:
      let place =
        answer["location"].map { " (it names \(WebhookSettings.shown(url: excerpt(of: $0, hiding: login, with: records))))" }
        ?? ""
      return .parked(DeliveryProblem(summary, remedy: "set the webhook's URL to the new place\(place)"), isFinal: false)
    case 410:
      let remedy = "the receiver wants no more scans; change the webhook's URL, then resume the sink"
      return .parked(DeliveryProblem(summary, remedy: remedy), isFinal: true)
    case 401, 403:
      let remedy = "check the bearer token or the credentials, and the signing secrets, on both ends"
      return .parked(DeliveryProblem(summary, remedy: remedy), isFinal: false)
    case 302, 303, 307, 408, 425, 429, 502, 503, 504:
      let after = answer["retry-after"].flatMap {
        RetryAfter.delay($0, nowSeconds: wallMilliseconds() / 1000)
      }
      return .retry(after: after, DeliveryProblem(summary, remedy: "see the receiver's own log"))
    case 300..<400, 404, 405, 407:
      let remedy = "check the webhook's URL and what the receiver expects, then resume the sink"
      return .parked(DeliveryProblem(summary, remedy: remedy), isFinal: false)
    default:
      // This scan may be the cause: other scans are tried.
      let after = answer["retry-after"].flatMap {
        RetryAfter.delay($0, nowSeconds: wallMilliseconds() / 1000)
      }
      return .rejected(after: after, DeliveryProblem(summary, remedy: "see the receiver's own log"))
    }
  }

  // MARK: Settings

  /// Looks at settings as a sink does when it is made, at the files of certificates and of the proxy's credentials too.
  ///
  /// - Throws: what is wrong with them. Files with secrets are not looked at, as they are read at each attempt.
  public static func check(_ settings: WebhookSettings) throws(DeliveryProblem) {
    _ = try connection(settings)
  }

  private static func connection(_ settings: WebhookSettings) throws(DeliveryProblem) -> HTTPConnection {
    try checkFields(settings)
    var http = HTTPSettings(url: settings.url)
    http.connectLimit = settings.connectLimit
    http.tls = try tls(settings)
    http.proxy = try settings.proxy?.connectionProxy()
    guard let connection = HTTPConnection(http) else { throw noURL(settings) }
    return connection
  }

  private static func noURL(_ settings: WebhookSettings) -> DeliveryProblem {
    DeliveryProblem(
      "\(settings.shownURL) is not a webhook's URL", remedy: "write https://host/path or http://host:port/path")
  }

  private static func checkFields(_ settings: WebhookSettings) throws(DeliveryProblem) {
    guard !WebhookURL.namesUser(settings.url) else {
      throw DeliveryProblem(
        "the webhook's URL names a user", remedy: "leave it out and set credentials_file, whose first line is user:password")
    }
    guard let url = WebhookURL(settings.url) else { throw noURL(settings) }
    for field in settings.headers {
      let isName = !field.name.isEmpty && field.name.utf8.allSatisfy(WebhookURL.isTokenByte)
      guard isName, field.value.utf8.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else {
        throw DeliveryProblem("the header field \(field.name) is not one", remedy: "use a name and a value of HTTP")
      }
      guard !ownHeaders.contains(field.name.lowercased()) else {
        let remedy =
          field.name.lowercased() == "authorization" ? "set bearer_token_file or credentials_file instead" : "leave it out"
        throw DeliveryProblem("the header field \(field.name) is set by the sink itself", remedy: remedy)
      }
    }
    guard settings.picture == .none || settings.batching.countMax == 1 else {
      throw DeliveryProblem(
        "picture: multipart sends one scan with its picture per request, and batch_count is \(settings.batching.countMax)",
        remedy: "take one of them out, or give the batches a sink of their own")
    }
    guard settings.bearerTokenFile == nil || settings.credentialsFile == nil else {
      throw DeliveryProblem(
        "bearer_token_file and credentials_file are two logins", remedy: "keep the one that the receiver asks for")
    }
    let hasTLSFiles = settings.certificateAuthorityFile != nil || settings.clientCertificateFile != nil
    guard url.isSecure || !hasTLSFiles else {
      throw DeliveryProblem("certificates are set for an http URL", remedy: "write https://")
    }
    guard (settings.clientCertificateFile == nil) == (settings.clientKeyFile == nil) else {
      throw DeliveryProblem("a client certificate needs its key", remedy: "set both or none")
    }
  }

  private static func tls(_ settings: WebhookSettings) throws(DeliveryProblem) -> TLSSettings {
    let tls = TLSSettings(
      authorityFile: settings.certificateAuthorityFile, certificateFile: settings.clientCertificateFile,
      keyFile: settings.clientKeyFile)
    try tls.checkForDelivery()
    return tls
  }
}
