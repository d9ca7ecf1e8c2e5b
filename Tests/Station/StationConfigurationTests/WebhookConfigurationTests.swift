// Combinations of keys in a webhook's section, and the contents of its files. Errors are reported when the configuration is
// read, so that `config check` and a reload find them before a station would have to stop.

import Foundation
import Sinks
import StationConfiguration
import TestCertificates
import Testing

@Suite struct WebhookConfigurationTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "reticle-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, content) in [
      ("certificate.pem", TestCertificate.certificate), ("key.pem", TestCertificate.key), ("empty", ""),
      ("proxy", "user:secret"), ("user", "user"),
    ] {
      try Data(content.utf8).write(to: folder.appending(path: name))
    }
  }

  /// Reads a webhook's keys; FOLDER in them is the folder with the files.
  private func load(_ keys: String, other: String = "") async throws -> StationConfiguration {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "station.yaml").path
    let yaml = "camera: {pictures: a}\n\(other)\nsinks:\n  - webhook: {\(keys)}\n"
    try yaml.replacing("FOLDER", with: folder.path).write(toFile: path, atomically: true, encoding: .utf8)
    return try await StationConfiguration.load(path: path, environment: [:])
  }

  private func complaint(_ keys: String, other: String = "") async throws -> String {
    do {
      _ = try await load(keys, other: other)
      return "nothing is wrong"
    } catch let error as ConfigurationError {
      return error.description
    }
  }

  @Test func `files with certificates and proxy credentials can be set`() async throws {
    let configuration = try await load(
      """
      url: https://till.example/scans, ca_file: FOLDER/certificate.pem, client_certificate_file: FOLDER/certificate.pem, \
      client_key_file: FOLDER/key.pem, proxy: "http://proxy.example:3129", proxy_credentials_file: FOLDER/proxy
      """)
    var webhook = WebhookSettings(url: "https://till.example/scans")
    webhook.certificateAuthorityFile = folder.path + "/certificate.pem"
    webhook.clientCertificateFile = folder.path + "/certificate.pem"
    webhook.clientKeyFile = folder.path + "/key.pem"
    webhook.proxy = WebhookProxy("http://proxy.example:3129")
    webhook.proxy?.credentialsFile = folder.path + "/proxy"
    #expect(configuration.sinks as? [WebhookSettings] == [webhook])
  }

  @Test(arguments: [
    ("url: 'https://:80/'", "write https://host/path"),
    ("url: 'https://user:secret@host/'", "the webhook's URL names a user; leave it out"),
    ("url: 'https://user:secret@host/'", "set credentials_file, whose first line is user:password"),
    ("url: 'https://host/', headers: {Authorization: secret}", "set bearer_token_file or credentials_file instead"),
    (
      "url: 'https://host/', bearer_token_file: FOLDER/proxy, credentials_file: FOLDER/proxy",
      "keep the one that the receiver asks for"
    ),
    ("url: 'https://host/', headers: {Webhook-Id: secret}", "the header field Webhook-Id is set by the sink itself"),
    ("url: 'https://host/', headers: {'X Y': secret}", "the header field X Y is not one"),
    ("url: 'https://host/', ca_file: FOLDER/empty", "name PEM files"),
    (
      "url: 'https://host/', picture: multipart, batch_count: 20",
      "picture: multipart sends one scan with its picture per request, and batch_count is 20; take one of them out"
    ),
    ("url: 'https://host/', client_certificate_file: FOLDER/certificate.pem", "a client certificate needs its key"),
    (
      "url: 'https://host/', client_certificate_file: FOLDER/certificate.pem, client_key_file: FOLDER/proxy",
      "name PEM files"
    ),
    ("url: 'http://host/', ca_file: FOLDER/certificate.pem", "certificates are set for an http URL; write https://"),
    (
      "url: 'https://host/', proxy: 'http://proxy:80', proxy_credentials_file: FOLDER/user",
      "put user:password in its first line"
    ),
  ])
  func `conflicting and wrong options are reported with the line and a remedy, but no secret`(
    _ keys: String, _ reason: String
  )
    async throws
  {
    let complaint = try await complaint(keys)
    #expect(complaint.contains("line 4: sinks.0.webhook: ") && complaint.contains(reason), "\(complaint)")
    #expect(!complaint.contains("secret"))
  }

  @Test(arguments: ["", "pictures: {of: [unread]}"])
  func `scans with pictures need pictures of scans or no-reads`(_ pictures: String) async throws {
    let complaint = try await complaint("url: 'https://host/', picture: multipart", other: pictures)
    #expect(
      complaint.contains(
        "the sink webhook has picture: multipart, and no pictures of scans or no-reads are kept; write pictures.of: [scans], or "
          + "picture: none"), "\(complaint)")
  }

  @Test func `scans are sent with their pictures where both keys are written`() async throws {
    let sinks = try await load("url: 'https://host/', picture: multipart", other: "pictures: {of: [scans, unread]}").sinks
    var webhook = WebhookSettings(url: "https://host/")
    webhook.picture = .multipart
    #expect(sinks as? [WebhookSettings] == [webhook])
  }

  @Test func `a header's value is hidden even in an error message`() async throws {
    let secret = String(repeating: "s3cret", count: 2000)
    let complaint = try await complaint("url: 'https://host/', headers: {X-Key: \(secret)}")
    #expect(complaint.contains("sinks.0.webhook.headers.X-Key is \"(hidden)\"; it must be"))
    #expect(!complaint.contains("s3cret"))
  }

  @Test(arguments: [
    ("empty", "console.token_file: ", "put the secret in it"),
    ("user", "console.token_file holds a token of 4 bytes", "16 to 256"),
  ])
  func `an empty token file, and a token that is too short, are reported`(
    _ file: String, _ problem: String, _ remedy: String
  ) async throws {
    let complaint = try await complaint("url: 'https://host/'", other: "console: {port: 9470, token_file: FOLDER/\(file)}")
    #expect(complaint.contains("line 2: \(problem)") && complaint.contains(remedy), "\(complaint)")
  }

  @Test(arguments: [
    ("tls: files", "write all three or none"), ("certificate_file: FOLDER/certificate.pem", "write all three or none"),
    ("tls: own, certificate_file: FOLDER/certificate.pem, key_file: FOLDER/key.pem", "write all three or none"),
    ("tls: files, certificate_file: FOLDER/user, key_file: FOLDER/key.pem", "holds no certificate"),
    ("tls: files, certificate_file: FOLDER/certificate.pem, key_file: FOLDER/user", "holds no key without a passphrase"),
    ("tls: maybe", "must be one of off, own, files"),
  ])
  func `a console with TLS needs a certificate and its key`(_ keys: String, _ reason: String) async throws {
    let complaint = try await complaint("url: 'https://host/'", other: "console: {port: 9470, \(keys)}")
    #expect(complaint.contains("line 2: console.") && complaint.contains(reason), "\(complaint)")
  }
}
