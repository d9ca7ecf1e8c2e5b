// MQTT over TLS with a real Mosquitto: which brokers the station trusts, and how it reports the others.

import RawServer
import Synchronization
import TestCertificates
import Testing
@testable import DeliveryModel
@testable import MQTT
@testable import Sinks

@Suite(.timeLimit(.minutes(5))) struct MQTTTLSTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A Mosquitto that shows a certificate.
  private func broker(_ certificate: String, _ lines: String = "") throws -> Broker {
    let file = try folder.write(certificate, to: "broker.pem")
    let key = try folder.write(TestCertificate.key, to: "broker.key")
    return try Broker(folder, "certfile \(file)\nkeyfile \(key)\n\(lines)\nallow_anonymous true")
  }

  private func outcome(
    _ url: String, trusting authority: String?, _ change: (inout MQTTSettings) -> Void = { _ in }
  ) async throws -> DeliveryOutcome {
    var settings = MQTTSettings(broker: try #require(MQTTAddress(url)))
    settings.certificateAuthorityFile = try authority.map { try folder.write($0, to: "authority.pem") }
    change(&settings)
    let sink = try MQTTSink(settings: settings, logger: quiet)
    var scans = ScanMaker()
    let outcome = await sink.deliver(scans.next())
    await sink.close()
    return outcome
  }

  private func words(_ outcome: DeliveryOutcome) -> String {
    guard case .retry(nil, let problem) = outcome else { return "\(outcome)" }
    return problem.description
  }

  @Test func `a broker's certificate must be vouched for, be for its host, and be valid`() async throws {
    let right = try broker(TestCertificate.certificate)
    let url = "mqtts://localhost:\(right.port)"
    #expect(try await outcome(url, trusting: TestCertificate.certificate) == .delivered)
    let stranger = words(try await outcome(url, trusting: nil))
    #expect(stranger.contains("no trusted authority") && stranger.contains("ca_file"), "\(stranger)")
    let other = words(try await outcome("mqtts://127.0.0.1:\(right.port)", trusting: TestCertificate.certificate))
    #expect(other.contains("is for another host"), "\(other)")
    right.kill()
    let old = try broker(TestCertificate.expired)
    let expired = words(try await outcome("mqtts://localhost:\(old.port)", trusting: TestCertificate.expired))
    #expect(expired.contains("has expired") && expired.contains("clock"), "\(expired)")
    old.kill()
    let byAddress = try broker(TestCertificate.alternativeNameOfAddress)
    let address = "mqtts://127.0.0.1:\(byAddress.port)"
    #expect(try await outcome(address, trusting: TestCertificate.alternativeNameOfAddress) == .delivered)
    byAddress.kill()
    let byCommonName = try broker(TestCertificate.commonNameOnly)
    let name = words(
      try await outcome("mqtts://localhost:\(byCommonName.port)", trusting: TestCertificate.commonNameOnly))
    #expect(name.contains("is for another host"), "\(name)")
  }

  @Test func `a broker that demands a certificate gets the station's, and a missing one is reported`() async throws {
    let authority = try folder.write(TestCertificate.certificate, to: "clients.pem")
    let broker = try broker(
      TestCertificate.certificate, "cafile \(authority)\nrequire_certificate true\nuse_identity_as_username true")
    let url = "mqtts://localhost:\(broker.port)"
    let none = words(try await outcome(url, trusting: TestCertificate.certificate))
    #expect(none.contains("wants a certificate") && none.contains("client_certificate_file"), "\(none)")
    let key = try folder.write(TestCertificate.key, to: "station.key")
    let taken = try await outcome(url, trusting: TestCertificate.certificate) {
      $0.clientCertificateFile = authority
      $0.clientKeyFile = key
    }
    #expect(taken == .delivered)
  }

  @Test func `TLS to a plain port, and a plain connection to a TLS port, are reported`() async throws {
    let plain = try Broker(folder)
    let secure = try broker(TestCertificate.certificate)
    let toPlain = words(
      try await outcome("mqtts://localhost:\(plain.port)", trusting: TestCertificate.certificate) {
        $0.connectLimit = .milliseconds(500)
      })
    #expect(toPlain.contains("TLS") || toPlain.contains("closed the connection before"), "\(toPlain)")
    let toSecure = words(
      try await outcome("mqtt://localhost:\(secure.port)", trusting: nil) { $0.connectLimit = .milliseconds(500) })
    #expect(toSecure.contains("write mqtts://"), "\(toSecure)")
  }

  @Test func `the broker is asked for by its name, and by none where only its address is known`() async throws {
    let hosts = [
      ("localhost", TestCertificate.certificate, "localhost"), ("127.0.0.1", TestCertificate.alternativeNameOfAddress, nil),
    ]
    for (host, certificate, name) in hosts {
      let identity = try #require(TLSIdentity(certificate: certificate, key: TestCertificate.key))
      let asked = Mutex<[String?]>([])
      let server = try RawServer(identity: identity) { connection in asked.withLock { $0.append(connection.serverName) } }
      _ = try await outcome("mqtts://\(host):\(server.port)", trusting: certificate)
      #expect(await eventually { asked.withLock { !$0.isEmpty } })
      server.stop()
      #expect(asked.withLock { $0.first } == .some(name))
    }
  }

  @Test func `a renewed file is read, and an unchanged one is not read again`() async throws {
    let broker = try broker(TestCertificate.certificate)
    var settings = MQTTSettings(broker: try #require(MQTTAddress("mqtts://localhost:\(broker.port)")))
    let file = try folder.write(TestCertificate.expired, to: "authority.pem")
    settings.certificateAuthorityFile = file
    let sink = try MQTTSink(settings: settings, logger: quiet)
    var scans = ScanMaker()
    let record = scans.next()
    #expect(words(await sink.deliver(record)).contains("no trusted authority"))
    _ = try folder.write(TestCertificate.certificate, to: "authority.pem")
    #expect(await sink.deliver(record) == .delivered)
    await sink.close()
    let tls = try MQTTTLS(settings.tls, host: "localhost")
    #expect(tls.isFresh(settings.tls))
  }
}
