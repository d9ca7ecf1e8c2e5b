// The webhook over TLS: it trusts the configured authorities and no others.

import FoundationEssentials
import RawServer
import TestCertificates
import Testing
@testable import DeliveryModel
@testable import Sinks

extension RawServer {
  /// A server that answers every request over TLS with 204.
  /// - Parameter clientAuthority: the authority that must have signed the client's certificate; nil to request no
  ///   certificate.
  static func secure(
    _ certificate: String = TestCertificate.certificate, key: String = TestCertificate.key, clientAuthority: String? = nil
  ) throws -> RawServer {
    let identity = try #require(TLSIdentity(certificate: certificate, key: key, clientAuthority: clientAuthority))
    return try RawServer(identity: identity) { connection in
      while connection.readRequest() != nil { connection.send("HTTP/1.1 204 No Content\r\n\r\n") }
    }
  }
}

@Suite(.timeLimit(.minutes(2))) struct WebhookTLSTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func outcome(
    host: String, showing certificate: String = TestCertificate.certificate, trusting file: String?
  ) async throws -> DeliveryOutcome {
    let server = try RawServer.secure(certificate)
    defer { server.stop() }
    var settings = WebhookSettings(url: "https://\(host):\(server.port)/")
    settings.certificateAuthorityFile = file
    let sink = try WebhookSink(settings: settings)
    var scans = ScanMaker()
    let outcome = await sink.deliver(scans.next())
    await sink.close()
    return outcome
  }

  private func isRefusedForItsCertificate(_ outcome: DeliveryOutcome) -> Bool {
    guard case .retry(nil, let problem) = outcome else { return false }
    return problem.summary.contains("TLS") && problem.remedy.contains("certificate")
  }

  @Test func `a certificate without a trusted authority is refused`() async throws {
    let outcome = try await outcome(host: "localhost", trusting: nil)
    #expect(isRefusedForItsCertificate(outcome), "\(outcome)")
  }

  @Test func `a private authority is trusted when it is named`() async throws {
    let file = try folder.write(TestCertificate.certificate, to: "authority.pem")
    #expect(try await outcome(host: "localhost", trusting: file) == .delivered)
  }

  @Test func `a certificate for another name is refused`() async throws {
    let file = try folder.write(TestCertificate.certificate, to: "authority.pem")
    let outcome = try await outcome(host: "127.0.0.1", trusting: file)
    #expect(isRefusedForItsCertificate(outcome), "\(outcome)")
  }

  @Test func `a file without a certificate is reported at the start`() throws {
    var settings = WebhookSettings(url: "https://localhost/")
    settings.certificateAuthorityFile = try folder.write("no certificate", to: "authority.pem")
    #expect(throws: DeliveryProblem.self) { try WebhookSink(settings: settings) }
    settings.certificateAuthorityFile = folder.file("missing.pem")
    #expect(throws: DeliveryProblem.self) { try WebhookSink(settings: settings) }
  }

  @Test func `a client certificate needs its key and HTTPS`() throws {
    let certificate = try folder.write(TestCertificate.certificate, to: "client.pem")
    let key = try folder.write(TestCertificate.key, to: "client.key")
    var settings = WebhookSettings(url: "https://localhost/")
    settings.clientCertificateFile = certificate
    #expect(throws: DeliveryProblem.self) { try WebhookSink(settings: settings) }
    settings.clientKeyFile = key
    settings.url = "http://localhost/"
    #expect(throws: DeliveryProblem.self) { try WebhookSink(settings: settings) }
  }

  @Test func `the station shows its certificate to a receiver that asks`() async throws {
    let server = try RawServer.secure(clientAuthority: TestCertificate.certificate)
    defer { server.stop() }
    var settings = WebhookSettings(url: "https://localhost:\(server.port)/")
    settings.certificateAuthorityFile = try folder.write(TestCertificate.certificate, to: "authority.pem")
    var scans = ScanMaker()
    let stranger = try WebhookSink(settings: settings)
    guard case .retry(nil, let problem) = await stranger.deliver(scans.next()) else {
      Issue.record("the receiver accepts no client without a certificate")
      return
    }
    #expect(problem.summary.hasSuffix("the receiver wants a certificate of the station"), "\(problem)")
    await stranger.close()
    settings.clientCertificateFile = try folder.write(TestCertificate.certificate, to: "client.pem")
    settings.clientKeyFile = try folder.write(TestCertificate.key, to: "client.key")
    let sink = try WebhookSink(settings: settings)
    #expect(await sink.deliver(scans.next()) == .delivered)
    await sink.close()
  }

  /// RFC 9110 §4.3.4: the common name is not checked.
  @Test(arguments: [
    ("localhost", TestCertificate.commonNameOnly), ("127.0.0.1", TestCertificate.commonNameOfAddress),
  ])
  func `a certificate that names the host as its common name alone is refused`(_ host: String, _ certificate: String)
    async throws
  {
    let file = try folder.write(certificate, to: "authority.pem")
    guard case .retry(nil, let problem) = try await outcome(host: host, showing: certificate, trusting: file) else {
      Issue.record("the common name was taken for a name")
      return
    }
    #expect(problem.summary.hasSuffix("TLS failed: the receiver's certificate is for another host"), "\(problem)")
    #expect(problem.remedy.contains("subject alternative name"))
  }

  @Test func `a certificate for an address is accepted only for that address`() async throws {
    let certificate = TestCertificate.alternativeNameOfAddress
    let file = try folder.write(certificate, to: "authority.pem")
    #expect(try await outcome(host: "127.0.0.1", showing: certificate, trusting: file) == .delivered)
    let outcome = try await outcome(host: "localhost", showing: certificate, trusting: file)
    #expect(isRefusedForItsCertificate(outcome), "\(outcome)")
  }

  @Test func `an expired certificate is reported as such`() async throws {
    let file = try folder.write(TestCertificate.expired, to: "authority.pem")
    let outcome = try await outcome(host: "localhost", showing: TestCertificate.expired, trusting: file)
    guard case .retry(nil, let problem) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(problem.summary.hasSuffix("TLS failed: the receiver's certificate has expired"), "\(problem)")
    #expect(problem.remedy.contains("clock"))
  }

  @Test(arguments: [
    (TestCertificate.otherKey, "does not belong to the certificate"), (TestCertificate.lockedKey, "without a passphrase"),
    ("no key", "holds no key"),
  ])
  func `an unusable client key is reported at the start`(_ key: String, _ reason: String) throws {
    var settings = WebhookSettings(url: "https://localhost/")
    settings.clientCertificateFile = try folder.write(TestCertificate.certificate, to: "client.pem")
    settings.clientKeyFile = try folder.write(key, to: "client.key")
    let problem = #expect(throws: DeliveryProblem.self) { try WebhookSink.check(settings) }
    #expect(problem?.summary.contains(reason) == true, "\(String(describing: problem))")
    #expect(problem?.summary.contains("client.key") == true)
  }

  @Test func `a missing file is reported, and used again once it is back`() async throws {
    let server = try RawServer.secure()
    defer { server.stop() }
    var settings = WebhookSettings(url: "https://localhost:\(server.port)/")
    let file = try folder.write(TestCertificate.certificate, to: "authority.pem")
    settings.certificateAuthorityFile = file
    let sink = try WebhookSink(settings: settings)
    try FileManager.default.removeItem(atPath: file)
    var scans = ScanMaker()
    let outcome = await sink.deliver(scans.next())
    #expect(isRefusedForItsCertificate(outcome), "\(outcome)")
    _ = try folder.write(TestCertificate.certificate, to: "authority.pem")
    #expect(await sink.deliver(scans.next()) == .delivered)
    await sink.close()
  }

  @Test func `a receiver that speaks no TLS is tried again`() async throws {
    let server = try RawServer { connection in
      _ = connection.read()
      connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
      connection.end()
    }
    defer { server.stop() }
    let sink = try WebhookSink(settings: WebhookSettings(url: "https://localhost:\(server.port)/"))
    var scans = ScanMaker()
    guard case .retry(nil, let problem) = await sink.deliver(scans.next()) else {
      Issue.record("that was no TLS")
      return
    }
    #expect(problem.summary.hasSuffix("TLS failed"), "\(problem)")
    await sink.close()
  }

  @Test func `the connection is kept between scans`() async throws {
    let server = try RawServer.secure()
    defer { server.stop() }
    var settings = WebhookSettings(url: "https://localhost:\(server.port)/")
    settings.certificateAuthorityFile = try folder.write(TestCertificate.certificate, to: "authority.pem")
    let sink = try WebhookSink(settings: settings)
    var scans = ScanMaker()
    for _ in 1...5 { #expect(await sink.deliver(scans.next()) == .delivered) }
    #expect(server.connectionCount == 1)
    await sink.close()
  }
}
