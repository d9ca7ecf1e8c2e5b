// The webhook through a proxy that speaks just enough HTTP: CONNECT, and credentials.

import Foundation
import NIOCore
import NIOPosix
import ScanReceiver
import Synchronization
import TestCertificates
import Testing

@testable import Delivery

/// A proxy that connects whoever has the right credentials, and notes what it was asked for.
private final class Proxy: Sendable {
  private let asked = Mutex<[String]>([])
  private let channel = Mutex<(any Channel)?>(nil)
  let credentials: String?

  init(credentials: String? = nil) { self.credentials = credentials }

  var requestLines: [String] { asked.withLock { $0 } }

  func start() async throws -> Int {
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Asker(proxy: self)) }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    self.channel.withLock { $0 = channel }
    return channel.localAddress?.port ?? 0
  }

  func stop() async throws { try await channel.withLock { $0 }?.close().get() }

  func note(_ requestLine: String) { asked.withLock { $0.append(requestLine) } }
}

/// The side of the proxy that the station talks to.
private final class Asker: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let proxy: Proxy
  private var head = ""
  /// The connection to the receiver, once there is one.
  private var far: (any Channel)?

  init(proxy: Proxy) { self.proxy = proxy }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    if let far { return far.writeAndFlush(bytes, promise: nil) }
    head += String(buffer: bytes)
    guard let end = head.range(of: "\r\n\r\n") else { return }
    let lines = head[..<end.lowerBound].split(separator: "\r\n")
    proxy.note(String(lines[0]))
    let fields = lines.dropFirst().map { $0.split(separator: ":", maxSplits: 1).map(String.init) }
    let shown = fields.first { $0[0].lowercased() == "proxy-authorization" }?.last
    let mayPass = proxy.credentials.map { shown == " Basic \($0)" } ?? true
    guard mayPass else { return refuse("407 Proxy Authentication Required", context) }
    let parts = lines[0].split(separator: " ")
    guard parts[0] == "CONNECT" else { return refuse("204 No Content", context) }
    let place = parts[1].split(separator: ":")
    guard place.count == 2, let port = Int(place[1]) else { return refuse("400 Bad Request", context) }
    let near = context.channel
    let connecting = ClientBootstrap(group: context.eventLoop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Answerer(near: near)) }
      }
      .connect(host: String(place[0]), port: port)
    let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    connecting.whenComplete { result in
      let (handler, context) = loopBound.value
      switch result {
      case .success(let far):
        handler.far = far
        context.writeAndFlush(handler.wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n")), promise: nil)
      case .failure: handler.refuse("502 Bad Gateway", context)
      }
    }
  }

  private func refuse(_ status: String, _ context: ChannelHandlerContext) {
    let answer = ByteBuffer(string: "HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { far?.close(promise: nil) }
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// The side that the receiver talks to.
private final class Answerer: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private let near: any Channel

  init(near: any Channel) { self.near = near }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { near.writeAndFlush(unwrapInboundIn(data), promise: nil) }
  func channelInactive(context: ChannelHandlerContext) { near.close(promise: nil) }
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

@Suite(.timeLimit(.minutes(2))) struct WebhookProxyTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func outcome(_ url: String, _ proxyPort: Int, _ change: (inout WebhookSettings) -> Void = { _ in }) async throws
    -> DeliveryOutcome
  {
    var settings = WebhookSettings(url: url)
    settings.proxy = WebhookProxy("http://127.0.0.1:\(proxyPort)")
    change(&settings)
    let sink = try WebhookSink(settings: settings)
    var scans = ScanMaker()
    let outcome = await sink.deliver(scans.next())
    await sink.close()
    return outcome
  }

  @Test func httpsGoesThroughATunnelAndIsCheckedAtItsEnd() async throws {
    let proxy = Proxy()
    let port = try await proxy.start()
    let server = try await SecureServer(certificate: TestCertificate.certificate, key: TestCertificate.key)
    let authority = try folder.write(TestCertificate.certificate, to: "authority.pem")
    let url = "https://localhost:\(server.port)/"
    #expect(try await outcome(url, port) { $0.certificateAuthorityFile = authority } == .delivered)
    #expect(proxy.requestLines == ["CONNECT localhost:\(server.port) HTTP/1.1"])
    // The proxy vouches for nobody.
    guard case .retry(_, let problem) = try await outcome(url, port) else {
      Issue.record("a certificate that nobody vouches for was taken")
      return
    }
    #expect(problem.summary.contains("TLS"))
    try await server.channel.close().get()
    try await proxy.stop()
  }

  @Test func httpGoesThroughATunnelToo() async throws {
    let proxy = Proxy()
    let port = try await proxy.start()
    let receipts = Receipts()
    let receiver = WebhookReceiver()
    let receiverPort = try await receiver.start { receipts.append($0) }
    #expect(try await outcome("http://127.0.0.1:\(receiverPort)/scans", port) == .delivered)
    #expect(proxy.requestLines == ["CONNECT 127.0.0.1:\(receiverPort) HTTP/1.1"])
    #expect(receipts.texts == ["1"])
    await receiver.stop()
    try await proxy.stop()
  }

  @Test func credentialsComeFromAFile() async throws {
    let proxy = Proxy(credentials: "c3RhdGlvbjpvcGVuOnNlc2FtZQ==")
    let port = try await proxy.start()
    let server = try await SecureServer(certificate: TestCertificate.certificate, key: TestCertificate.key)
    let authority = try folder.write(TestCertificate.certificate, to: "authority.pem")
    let credentials = try folder.write("station:open:sesame\n", to: "credentials")
    let url = "https://localhost:\(server.port)/"
    let allowed = try await outcome(url, port) {
      $0.certificateAuthorityFile = authority
      $0.proxy?.credentialsFile = credentials
    }
    #expect(allowed == .delivered)
    guard case .retry(_, let problem) = try await outcome(url, port, { $0.certificateAuthorityFile = authority }) else {
      Issue.record("the proxy should refuse")
      return
    }
    #expect(problem.summary.contains("credentials"), "\(problem)")
    try await server.channel.close().get()
    try await proxy.stop()
    #expect(throws: DeliveryProblem.self) {
      var settings = WebhookSettings(url: url)
      settings.proxy = WebhookProxy("http://proxy")
      settings.proxy?.credentialsFile = try folder.write("nobody\n", to: "wrong")
      _ = try WebhookSink(settings: settings)
    }
  }

  @Test func aProxyThatIsNotThereIsTriedAgain() async throws {
    guard case .retry = try await outcome("https://receiver.invalid/", 9) else {
      Issue.record("there is no proxy on port 9")
      return
    }
  }

  @Test func readsTheAddressOfAProxy() {
    #expect(WebhookProxy("http://proxy:8080").map { [$0.host, "\($0.port)"] } == ["proxy", "8080"])
    #expect(WebhookProxy("http://proxy.example/").map { [$0.host, "\($0.port)"] } == ["proxy.example", "3128"])
    #expect(WebhookProxy("http://[fd00::1]:3129").map { [$0.host, "\($0.port)"] } == ["fd00::1", "3129"])
    for text in [
      "", "proxy:8080", "https://proxy", "http://", "http://a:b@proxy", "http://proxy:0", "http://proxy/x", "http://a b",
    ] {
      #expect(WebhookProxy(text) == nil, "\(text)")
    }
  }

  @Test func theEnvironmentNamesAProxyByTheUsualRules() {
    func host(_ environment: [String: String], _ url: String) -> String? {
      guard case .success(let proxy)? = WebhookProxy.named(in: environment, for: url) else { return nil }
      return proxy.host
    }
    let secure = "https://till.shop.example/scans"
    #expect(host([:], secure) == nil)
    #expect(host(["HTTPS_PROXY": "http://a"], secure) == "a")
    #expect(host(["https_proxy": "http://b"], secure) == "b")
    #expect(host(["HTTP_PROXY": "http://c", "http_proxy": "http://d"], secure) == nil)
    #expect(host(["HTTP_PROXY": "http://c"], "http://till/") == nil, "a header named Proxy can set HTTP_PROXY")
    #expect(host(["http_proxy": "http://d"], "http://till/") == "d")
    for exceptions in ["*", "shop.example", ".shop.example", "other, TILL.shop.example"] {
      #expect(host(["HTTPS_PROXY": "http://a", "NO_PROXY": exceptions], secure) == nil, "\(exceptions)")
    }
    #expect(host(["HTTPS_PROXY": "http://a", "NO_PROXY": "hop.example,till"], secure) == "a")
    guard case .failure? = WebhookProxy.named(in: ["HTTPS_PROXY": "socks5://a"], for: secure) else {
      Issue.record("a proxy that cannot be used must be said")
      return
    }
  }
}
