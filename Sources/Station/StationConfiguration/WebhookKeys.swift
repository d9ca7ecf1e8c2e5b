// The keys of the webhook.

import Delivery

extension SinkKind {
  static let webhook = SinkKind(
    word: "webhook", example: "webhook: {url: \"https://…\"}",
    keys: [
      .webhookURL, .webhookBody, .webhookPicture, .webhookHeaders, .webhookBearerTokenFile, .webhookCredentialsFile,
      .webhookSecretFile,
      .webhookConnectTimeout,
      .webhookTimeout, .webhookAuthorityFile, .webhookCertificateFile, .webhookKeyFile, .webhookProxy, .webhookProxyFile,
      .webhookBatchCount, .webhookBatchDelay,
    ]
  ) { section, reading in
    let problemCount = reading.problems.count
    let url = reading.required(.webhookURL, "\(section).url") { $0.webAddress(.webhookURL, $1) }
    var settings = WebhookSettings(url: url ?? "")
    settings.body = reading.choice(.webhookBody, WebhookSettings.Body.self, "\(section).body") ?? settings.body
    settings.picture =
      reading.choice(.webhookPicture, WebhookSettings.Picture.self, "\(section).picture") ?? settings.picture
    for field in reading.names(in: "\(section).headers") {
      if let value = reading.text(.webhookHeaders, as: "\(section).headers.\(field)") {
        settings.headers.append(.init(name: field, value: value))
      }
    }
    settings.bearerTokenFile = reading.path(.webhookBearerTokenFile, "\(section).bearer_token_file")
    settings.credentialsFile = reading.path(.webhookCredentialsFile, "\(section).credentials_file")
    settings.secretFiles = reading.paths(.webhookSecretFile, "\(section).secret_file")
    settings.connectLimit =
      reading.duration(.webhookConnectTimeout, "\(section).connect_timeout") ?? settings.connectLimit
    settings.attemptLimit = reading.duration(.webhookTimeout, "\(section).timeout") ?? settings.attemptLimit
    settings.certificateAuthorityFile = reading.path(.webhookAuthorityFile, "\(section).ca_file")
    settings.clientCertificateFile = reading.path(.webhookCertificateFile, "\(section).client_certificate_file")
    settings.clientKeyFile = reading.path(.webhookKeyFile, "\(section).client_key_file")
    settings.proxy = reading.proxy(.webhookProxy, "\(section).proxy", for: settings.url)
    let credentials = reading.path(.webhookProxyFile, "\(section).proxy_credentials_file")
    settings.proxy?.credentialsFile = credentials
    settings.batching.countMax =
      reading.integer(.webhookBatchCount, "\(section).batch_count") ?? settings.batching.countMax
    settings.batching.delay = reading.duration(.webhookBatchDelay, "\(section).batch_delay") ?? settings.batching.delay
    guard url != nil else { return nil }
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
}

extension ConfigurationKey {
  static let webhookURL = Self("sinks[].webhook.url", .webAddress, "", "The address to which scans are posted.")
  static let webhookBody = Self(
    "sinks[].webhook.body", .choice(words(WebhookSettings.Body.self)), "json",
    "The form of the body: the scan itself, or a CloudEvent around it.")
  static let webhookPicture = Self(
    "sinks[].webhook.picture", .choice(words(WebhookSettings.Picture.self)), "none",
    "multipart: each scan is sent with its picture as multipart/form-data; needs pictures.of, and batch_count: 1.")
  static let webhookHeaders = Self(
    "sinks[].webhook.headers.<name>", .text(8192), "", "A custom header field.", isSecret: true)
  static let webhookBearerTokenFile = Self(
    "sinks[].webhook.bearer_token_file", .path(isPresent: true), "", "A file whose first line is the bearer token to send.")
  static let webhookCredentialsFile = Self(
    "sinks[].webhook.credentials_file", .path(isPresent: true), "",
    "A file whose first line is user:password for Basic authentication.")
  static let webhookSecretFile = Self(
    "sinks[].webhook.secret_file", .paths, "",
    "A file with the signing secret, whsec_ and base64; two files while a secret is being replaced.")
  static let webhookConnectTimeout = Self(
    "sinks[].webhook.connect_timeout", .duration(.milliseconds(100) ... .seconds(300)), "5 s",
    "The time limit for connecting.")
  static let webhookTimeout = Self(
    "sinks[].webhook.timeout", .duration(.milliseconds(100) ... .seconds(300)), "15 s", "The time limit for a request.")
  static let webhookAuthorityFile = Self(
    "sinks[].webhook.ca_file", .path(isPresent: true), "",
    "A PEM file with the certificate authorities to trust instead of the system's.")
  static let webhookCertificateFile = Self(
    "sinks[].webhook.client_certificate_file", .path(isPresent: true), "",
    "A PEM file with the station's client certificate.")
  static let webhookKeyFile = Self(
    "sinks[].webhook.client_key_file", .path(isPresent: true), "", "A PEM file with the key of that certificate.")
  static let webhookProxy = Self(
    "sinks[].webhook.proxy", .proxy, "none",
    "The HTTP proxy to use; environment reads HTTPS_PROXY, or http_proxy for http, and NO_PROXY.")
  static let webhookProxyFile = Self(
    "sinks[].webhook.proxy_credentials_file", .path(isPresent: true), "",
    "A file whose first line is user:password for the proxy.")
  static let webhookBatchCount = Self(
    "sinks[].webhook.batch_count", .integer(1...BatchSettings.countLimit), "1",
    "The most scans per request; above 1, each body is a JSON array.")
  static let webhookBatchDelay = Self(
    "sinks[].webhook.batch_delay", .duration(.zero ... .seconds(60)), "0 s",
    "How long the first scan of a batch waits for others.")
}
