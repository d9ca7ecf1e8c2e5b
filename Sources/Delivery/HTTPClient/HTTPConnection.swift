// HTTP/1.1 to a URL, by libcurl. The connection stays open between requests and TLS is always verified; limits bound the
// time and memory that a server can cost. The caller interprets the answers.

import CCurl
import Dispatch
import Synchronization

/// The destination of requests, and the way to it.
public struct HTTPSettings: Equatable, Sendable {
  /// An HTTP proxy that is asked for a tunnel (CONNECT, RFC 9110 §9.3.6) for both http and https, so that TLS is verified
  /// against the server, not the proxy.
  public struct Proxy: Equatable, Sendable {
    /// A host name or address, without brackets.
    public var host: String
    public var port: Int
    /// Credentials for Basic authentication (RFC 7617).
    public var user: String?
    public var password: String?

    public init(host: String, port: Int, user: String? = nil, password: String? = nil) {
      self.host = host
      self.port = port
      self.user = user
      self.password = password
    }
  }

  /// `https://…` or `http://…`, without user information.
  public var url: String
  /// Time limit for connecting, including name resolution, proxy and TLS.
  public var connectLimit = Duration.seconds(5)
  public var tls = TLSSettings()
  /// Nil: no proxy, regardless of the environment.
  public var proxy: Proxy?

  public init(url: String) { self.url = url }
}

/// A connection to a server, established on demand and kept open. It sends one request after another.
public final class HTTPConnection: Sendable {
  private let queue = DispatchQueue(label: "HTTPConnection")
  private let engine: Mutex<TransferEngine?>

  /// - Returns: nil if the URL is unusable. `TLSSettings.check` checks the files.
  public init?(_ settings: HTTPSettings) {
    guard let host = Self.host(of: settings.url), let engine = TransferEngine(settings, host: host) else { return nil }
    self.engine = Mutex(engine)
  }

  /// Sends a request. Redirects are not followed and bodies are not decompressed. Returns when the answer is complete; if
  /// its header has come, also when its body breaks off, exceeds its limit or takes too long.
  ///
  /// - Parameter limit: total time limit; at least one millisecond.
  public func send(_ request: HTTPRequest, within limit: Duration) async throws(HTTPFailure) -> HTTPAnswer {
    guard let engine = engine.withLock({ $0 }) else { throw .cancelled }
    let isCancelled = CancellationFlag()
    let deadline = ContinuousClock.now + limit
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async {
          continuation.resume(returning: engine.perform(request, until: deadline, isCancelled))
        }
      }
    } onCancel: {
      isCancelled.set()
      engine.wake()
    }
    return try result.get()
  }

  /// Closes the connection after the current request; no further request is possible.
  public func close() { engine.withLock { $0 = nil } }

  /// The host as libcurl parses it, without brackets; nil if libcurl cannot use the URL.
  private static func host(of url: String) -> String? {
    guard let parts = curl_url() else { return nil }
    defer { curl_url_cleanup(parts) }
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK,
      curl_url_get(parts, CURLUPART_HOST, &text, 0) == CURLUE_OK, let text
    else { return nil }
    defer { curl_free(text) }
    return String(cString: text).filter { $0 != "[" && $0 != "]" }
  }
}

/// Whether a request's task was cancelled.
final class CancellationFlag: Sendable {
  private let flag = Atomic(false)
  func set() { flag.store(true, ordering: .relaxed) }
  var isSet: Bool { flag.load(ordering: .relaxed) }
}
