// The webhook through a minimal HTTP proxy: CONNECT, and credentials.

import Glibc
import RawServer
import ScanReceiver
import Synchronization
import TestCertificates
import Testing
@testable import DeliveryModel
@testable import Sinks

/// A proxy that connects clients with the right credentials, and records their requests.
private final class Proxy: Sendable {
  private final class Notes: Sendable {
    let lines = Mutex<[String]>([])
  }

  private let notes: Notes
  private let server: RawServer

  /// - Parameter credentials: user and password in base64; nil to accept every client.
  init(credentials: String? = nil) throws {
    let notes = Notes()
    self.notes = notes
    server = try RawServer { connection in
      guard let request = connection.readRequest() else { return }
      notes.lines.withLock { $0.append(request.lines[0]) }
      func refuse(_ status: String) {
        connection.send("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        connection.end()
      }
      if let credentials, request["proxy-authorization"] != "Basic \(credentials)" {
        return refuse("407 Proxy Authentication Required")
      }
      let parts = request.lines[0].split(separator: " ")
      guard parts[0] == "CONNECT", let port = parts[1].split(separator: ":").last.flatMap({ Int($0) }) else {
        return refuse("400 Bad Request")
      }
      // The proxy must not see headers for the receiver.
      guard request["webhook-id"] == nil, request["authorization"] == nil else { return refuse("400 Bad Request") }
      guard let far = RawConnection(port: port) else { return refuse("502 Bad Gateway") }
      connection.send("HTTP/1.1 200 OK\r\n\r\n")
      connection.relay(far)
    }
  }

  var port: Int { server.port }
  var requestLines: [String] { notes.lines.withLock { $0 } }
  func stop() { server.stop() }
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

  @Test func `https goes through a tunnel and is checked at its end`() async throws {
    let proxy = try Proxy()
    let port = proxy.port
    defer { proxy.stop() }
    let server = try RawServer.secure()
    defer { server.stop() }
    let authority = try folder.write(TestCertificate.certificate, to: "authority.pem")
    let url = "https://localhost:\(server.port)/"
    #expect(try await outcome(url, port) { $0.certificateAuthorityFile = authority } == .delivered)
    #expect(proxy.requestLines == ["CONNECT localhost:\(server.port) HTTP/1.1"])
    // The proxy does not vouch for certificates.
    guard case .retry(_, let problem) = try await outcome(url, port) else {
      Issue.record("a certificate without a trusted authority was accepted")
      return
    }
    #expect(problem.summary.contains("TLS"))
  }

  @Test func `http goes through a tunnel too`() async throws {
    let proxy = try Proxy()
    let port = proxy.port
    defer { proxy.stop() }
    let receipts = Receipts()
    let receiver = WebhookReceiver()
    let receiverPort = try await receiver.start { receipts.append($0) }
    #expect(try await outcome("http://127.0.0.1:\(receiverPort)/scans", port) == .delivered)
    #expect(proxy.requestLines == ["CONNECT 127.0.0.1:\(receiverPort) HTTP/1.1"])
    #expect(receipts.texts == ["1"])
    await receiver.stop()
  }

  @Test func `credentials come from a file`() async throws {
    let proxy = try Proxy(credentials: "c3RhdGlvbjpvcGVuOnNlc2FtZQ==")
    let port = proxy.port
    defer { proxy.stop() }
    let server = try RawServer.secure()
    defer { server.stop() }
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
    #expect(throws: DeliveryProblem.self) {
      var settings = WebhookSettings(url: url)
      settings.proxy = WebhookProxy("http://proxy")
      settings.proxy?.credentialsFile = try folder.write("nobody\n", to: "wrong")
      _ = try WebhookSink(settings: settings)
    }
  }

  @Test func `a proxy that is not there is tried again`() async throws {
    guard case .retry(nil, let problem) = try await outcome("https://receiver.invalid/", 9) else {
      Issue.record("there is no proxy on port 9")
      return
    }
    #expect(problem.summary.hasSuffix("no connection to the proxy 127.0.0.1: connection refused"), "\(problem)")
  }

  @Test func `a proxy that does not reach the receiver is distinguished from an absent receiver`() async throws {
    let proxy = try Proxy()
    defer { proxy.stop() }
    guard case .retry(nil, let problem) = try await outcome("http://127.0.0.1:9/", proxy.port) else {
      Issue.record("nothing listens on port 9")
      return
    }
    #expect(problem.summary.hasSuffix("the proxy 127.0.0.1 does not connect to it"), "\(problem)")
  }

  /// The proxy of the environment receives no request; `proxy: none` ignores it.
  @Test func `the environment's proxy is used only when the settings say so`() async throws {
    let proxy = try Proxy()
    defer { proxy.stop() }
    let server = try RawServer { connection in
      while connection.readRequest() != nil { connection.send("HTTP/1.1 204 No Content\r\n\r\n") }
    }
    defer { server.stop() }
    setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
    defer { unsetenv("http_proxy") }
    #expect(try await outcome("http://127.0.0.1:\(server.port)/", proxy.port) { $0.proxy = nil } == .delivered)
    #expect(proxy.requestLines.isEmpty)
    // Exceptions in the environment do not bypass a configured proxy.
    setenv("no_proxy", "*", 1)
    defer { unsetenv("no_proxy") }
    #expect(try await outcome("http://127.0.0.1:\(server.port)/", proxy.port) == .delivered)
    #expect(proxy.requestLines.count == 1)
  }

  @Test func `the address of a proxy is read`() {
    #expect(WebhookProxy("http://proxy:8080").map { [$0.host, "\($0.port)"] } == ["proxy", "8080"])
    #expect(WebhookProxy("http://proxy.example/").map { [$0.host, "\($0.port)"] } == ["proxy.example", "3128"])
    #expect(WebhookProxy("http://[fd00::1]:3129").map { [$0.host, "\($0.port)"] } == ["fd00::1", "3129"])
    for text in [
      "", "proxy:8080", "https://proxy", "http://", "http://a:b@proxy", "http://proxy:0", "http://proxy/x", "http://a b",
    ] {
      #expect(WebhookProxy(text) == nil, "\(text)")
    }
  }

  @Test func `the environment names a proxy by the usual rules`() {
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
