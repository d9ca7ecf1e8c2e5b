// Settings of the webhook.

public import DeliveryModel

/// A receiver that is reached by HTTP POST.
public struct WebhookSettings: SinkSettings {
  /// The form in which scans are posted.
  public enum Body: String, Sendable, CaseIterable {
    /// The scan record, as `ScanRecord` documents it; `application/json`.
    case json
    /// The scan record as `data` of a CloudEvents 1.0 structured event; `application/cloudevents+json`.
    case cloudEvents = "cloudevents"
  }

  /// How the pictures of scans are sent.
  public enum Picture: String, Sendable, CaseIterable {
    case none
    /// Each scan with its picture in one request of `multipart/form-data` (RFC 7578), whose part `record` is the body of a
    /// request without pictures, and `picture` the picture's file. A scan without a picture has the first part alone.
    case multipart
  }

  /// A header field of the operator's own.
  public struct HeaderField: Equatable, Sendable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The sink's name: its state in the outbox, its metrics and its log lines go by it.
  public var name = "webhook"
  /// `https://…` or `http://…`.
  public var url: String
  public var body = Body.json
  public var picture = Picture.none
  /// Further header fields, in order. Those that the sink sets itself (webhook-id, content-type …) cannot be replaced.
  public var headers: [HeaderField] = []
  /// A file whose first line is sent as `Authorization: Bearer …`. Read at each attempt, so it may be replaced.
  public var bearerTokenFile: String?
  /// A file whose first line is `user:password`, sent as `Authorization: Basic …`. Read at each attempt. This or a token.
  public var credentialsFile: String?
  /// Files with signing secrets, `whsec_` and base64, one per line. Each signs: while a secret is being replaced, name both.
  /// Read at each attempt. Empty: requests are not signed.
  public var secretFiles: [String] = []
  /// Time to connect, TLS included.
  public var connectLimit = Duration.seconds(5)
  /// Time for a whole attempt.
  public var attemptLimit = Duration.seconds(15)
  /// A PEM file with the certificate authorities to trust instead of the system's.
  public var certificateAuthorityFile: String?
  /// PEM files with the certificate and key that the station shows to the receiver. Both or none.
  public var clientCertificateFile: String?
  public var clientKeyFile: String?
  /// nil: the receiver is reached directly.
  public var proxy: WebhookProxy?
  /// More than one scan: each request is a JSON array of scans, or of CloudEvents in the JSON batch format.
  public var batching = BatchSettings()
  public var retry = RetrySettings()

  public init(url: String) { self.url = url }

  /// The URL as logs, pages and commands show it, for its path and query may be a secret.
  public var shownURL: String { Self.shown(url: url) }
  /// Scheme, host and port.
  public var origin: String { WebhookURL.origin(url) }
  /// Host, without brackets, and port; nil if there is no URL.
  public var place: (host: String, port: Int)? { WebhookURL.place(url) }

  /// A URL, right or wrong, without what may be a secret in it: `https://example.org/…`.
  public static func shown(url: String) -> String { WebhookURL.shown(url) }
}

extension WebhookSettings {
  public var target: String { "webhook \(url)" }
  public var peer: SinkPeer? { place.map { SinkPeer(host: $0.host, port: $0.port, shown: shownURL, url: origin) } }
  public var needsClock: Bool { true }
  public var holdsSecrets: Bool { !headers.isEmpty }

  public var sendsPictures: Bool { picture != .none }

  public func makeSink(_ surroundings: SinkSurroundings) throws(DeliveryProblem) -> any ScanSink {
    try WebhookSink(settings: self, logger: surroundings.logger, picture: surroundings.scanPicture)
  }

  public func reach() async -> DeliveryProblem? {
    do throws(DeliveryProblem) {
      let sink = try WebhookSink(settings: self)
      let problem = await sink.reach()
      await sink.close()
      return problem
    } catch {
      return error
    }
  }
}
