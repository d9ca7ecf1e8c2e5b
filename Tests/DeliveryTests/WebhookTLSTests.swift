// The webhook over TLS: whom it trusts, and that it trusts nobody else.

import NIOCore
import NIOPosix
import NIOSSL
import TestCertificates
import Testing

@testable import Delivery

/// A server that answers 204 to whatever comes over TLS.
struct SecureServer {
  let channel: any Channel
  var port: Int { channel.localAddress?.port ?? 0 }

  /// - Parameter clientAuthority: the authority that must have signed the client's certificate; nil: none is asked for.
  init(certificate: String, key: String, clientAuthority: String? = nil) async throws {
    let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)).map { NIOSSLCertificateSource.certificate($0) }
    let privateKey = try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain, privateKey: .privateKey(privateKey))
    if let clientAuthority {
      configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(clientAuthority.utf8)))
      configuration.certificateVerification = .noHostnameVerification
    }
    let context = try NIOSSLContext(configuration: configuration)
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers(NIOSSLServerHandler(context: context), NoContentHandler())
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }
}

private final class NoContentHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private var request = ""

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    request += String(buffer: unwrapInboundIn(data))
    // The record's JSON form ends the request.
    guard request.hasSuffix("}") else { return }
    let answer = ByteBuffer(string: "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
    context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    context.close(promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

@Suite(.timeLimit(.minutes(2))) struct WebhookTLSTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func outcome(host: String, trusting file: String?) async throws -> DeliveryOutcome {
    let server = try await SecureServer(certificate: TestCertificate.certificate, key: TestCertificate.key)
    var settings = WebhookSettings(url: "https://\(host):\(server.port)/")
    settings.certificateAuthorityFile = file
    let sink = try WebhookSink(settings: settings)
    var scans = ScanMaker()
    let outcome = await sink.deliver(scans.next())
    await sink.close()
    try await server.channel.close().get()
    return outcome
  }

  private func isRefusedForItsCertificate(_ outcome: DeliveryOutcome) -> Bool {
    guard case .retry(nil, let problem) = outcome else { return false }
    return problem.summary.contains("TLS") && problem.remedy.contains("certificate")
  }

  @Test func aCertificateThatNobodyVouchesForIsRefused() async throws {
    let outcome = try await outcome(host: "localhost", trusting: nil)
    #expect(isRefusedForItsCertificate(outcome), "\(outcome)")
  }

  @Test func aPrivateAuthorityIsTrustedWhenItIsNamed() async throws {
    let file = try folder.write(TestCertificate.certificate, to: "authority.pem")
    #expect(try await outcome(host: "localhost", trusting: file) == .delivered)
  }

  @Test func aCertificateForAnotherNameIsRefused() async throws {
    let file = try folder.write(TestCertificate.certificate, to: "authority.pem")
    let outcome = try await outcome(host: "127.0.0.1", trusting: file)
    #expect(isRefusedForItsCertificate(outcome), "\(outcome)")
  }

  @Test func aFileThatIsNoCertificateIsSaidAtTheStart() throws {
    var settings = WebhookSettings(url: "https://localhost/")
    settings.certificateAuthorityFile = try folder.write("no certificate", to: "authority.pem")
    #expect(throws: DeliveryProblem.self) { try WebhookSink(settings: settings) }
    settings.certificateAuthorityFile = folder.file("missing.pem")
    #expect(throws: DeliveryProblem.self) { try WebhookSink(settings: settings) }
  }

  @Test func aClientCertificateNeedsItsKeyAndHTTPS() throws {
    let certificate = try folder.write(TestCertificate.certificate, to: "client.pem")
    let key = try folder.write(TestCertificate.key, to: "client.key")
    var settings = WebhookSettings(url: "https://localhost/")
    settings.clientCertificateFile = certificate
    #expect(throws: DeliveryProblem.self) { try WebhookSink(settings: settings) }
    settings.clientKeyFile = key
    settings.url = "http://localhost/"
    #expect(throws: DeliveryProblem.self) { try WebhookSink(settings: settings) }
  }

  @Test func theStationShowsItsCertificateToAReceiverThatAsks() async throws {
    let server = try await SecureServer(
      certificate: TestCertificate.certificate, key: TestCertificate.key, clientAuthority: TestCertificate.certificate)
    var settings = WebhookSettings(url: "https://localhost:\(server.port)/")
    settings.certificateAuthorityFile = try folder.write(TestCertificate.certificate, to: "authority.pem")
    var scans = ScanMaker()
    let stranger = try WebhookSink(settings: settings)
    guard case .retry = await stranger.deliver(scans.next()) else {
      Issue.record("the receiver takes nobody without a certificate")
      return
    }
    await stranger.close()
    settings.clientCertificateFile = try folder.write(TestCertificate.certificate, to: "client.pem")
    settings.clientKeyFile = try folder.write(TestCertificate.key, to: "client.key")
    let sink = try WebhookSink(settings: settings)
    #expect(await sink.deliver(scans.next()) == .delivered)
    await sink.close()
    try await server.channel.close().get()
  }
}
