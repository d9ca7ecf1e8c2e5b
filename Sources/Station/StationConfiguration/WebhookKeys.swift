// The keys of the webhook.

import DeliveryModel
import Sinks

extension SinkKind {
  static let webhook = SinkKind(word: "webhook", example: "webhook: {url: \"https://…\"}", keys: webhookKeys.rows) {
    section, reading in
    let problemCount = reading.problems.count
    var settings = WebhookSettings(url: "")
    webhookKeys.read(section, &reading, into: &settings)
    guard !settings.url.isEmpty else { return nil }
    // Each value is valid separately; the sink checks their combination and the files' contents.
    if reading.problems.count == problemCount {
      do throws(DeliveryProblem) {
        try WebhookSink.check(settings)
      } catch {
        reading.report("\(section): \(error)", at: reading.place(of: section))
      }
    }
    return settings
  }

  private static let webhookKeys = KeySection(
    "sinks[].webhook", WebhookSettings(url: ""),
    [
      Field("url", \.url, .webAddress, "The address to which scans are posted.", isRequired: true),
      Field("body", \.body, .choice, "The form of the body: the scan itself, or a CloudEvent around it."),
      Field(
        "picture", \.picture, .choice,
        "multipart: each scan is sent with its picture as multipart/form-data; needs pictures.of, and batch_count: 1."),
      Field("headers.<name>", .text(8192), "A custom header field.", isSecret: true) { reading, key, name, settings in
        let section = String(name.dropLast(".<name>".count))
        for field in reading.names(in: section) {
          if let value = ValueForm.text(8192).read(&reading, key, "\(section).\(field)") {
            settings.headers.append(.init(name: field, value: value))
          }
        }
      },
      Field(
        "bearer_token_file", \.bearerTokenFile, .optional(.path(isPresent: true)),
        "A file whose first line is the bearer token to send."),
      Field(
        "credentials_file", \.credentialsFile, .optional(.path(isPresent: true)),
        "A file whose first line is user:password for Basic authentication."),
      Field(
        "secret_file", \.secretFiles, .paths,
        "A file with the signing secret, whsec_ and base64; two files while a secret is being replaced."),
      Field(
        "connect_timeout", \.connectLimit, .duration(.milliseconds(100) ... .seconds(300)),
        "The time limit for connecting."),
      Field("timeout", \.attemptLimit, .duration(.milliseconds(100) ... .seconds(300)), "The time limit for a request."),
      Field(
        "ca_file", \.certificateAuthorityFile, .optional(.path(isPresent: true)),
        "A PEM file with the certificate authorities to trust instead of the system's."),
      Field(
        "client_certificate_file", \.clientCertificateFile, .optional(.path(isPresent: true)),
        "A PEM file with the station's client certificate."),
      Field(
        "client_key_file", \.clientKeyFile, .optional(.path(isPresent: true)),
        "A PEM file with the key of that certificate."),
      Field(
        "proxy", .proxy, fallback: "none",
        "The HTTP proxy to use; environment reads HTTPS_PROXY, or http_proxy for http, and NO_PROXY."
      ) { reading, key, name, settings in settings.proxy = proxy(key, name, for: settings.url, &reading) },
      Field(
        "proxy_credentials_file", \.proxyCredentialsFile, .optional(.path(isPresent: true)),
        "A file whose first line is user:password for the proxy."),
      Field(
        "batch_count", \.batching.countMax, .integer(1...BatchSettings.countLimit),
        "The most scans per request; above 1, each body is a JSON array."),
      Field(
        "batch_delay", \.batching.delay, .duration(.zero ... .seconds(60)),
        "How long the first scan of a batch waits for others."),
    ])

  /// The proxy for an address; nil for no proxy.
  private static func proxy(
    _ key: ConfigurationKey, _ name: String, for url: String, _ reading: inout ConfigurationReading
  ) -> WebhookProxy? {
    let environment = reading.environment
    let proxy: WebhookProxy?? = reading.value(key, name) { text in
      switch text {
      case "none": .some(nil)
      case "environment":
        switch WebhookProxy.named(in: environment, for: url) {
        case nil: .some(nil)
        case .success(let proxy): .some(proxy)
        case .failure: nil
        }
      default: WebhookProxy(text).map { .some($0) }
      }
    }
    return proxy ?? nil
  }
}

extension WebhookSettings {
  /// The file with the proxy's user and password; has no effect without a proxy.
  fileprivate var proxyCredentialsFile: String? {
    get { proxy?.credentialsFile }
    set { proxy?.credentialsFile = newValue }
  }
}
