// HTTP/1.1 to one URL, by libcurl: the connection stays open between requests, TLS is always verified, and nothing that a server
// sends can keep the caller longer, or take more memory, than the limits say. What an answer means is the caller's business.

import CCurl
import Dispatch
import Synchronization

/// Where requests go, and how.
public struct HTTPSettings: Equatable, Sendable {
  /// An HTTP proxy, which is asked for a tunnel (CONNECT, RFC 9110 §9.3.6) for http and https alike, so that TLS is checked at the
  /// server and not at the proxy.
  public struct Proxy: Equatable, Sendable {
    /// A name or an address, without brackets.
    public var host: String
    public var port: Int
    /// Sent as Basic: RFC 7617.
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
  /// Time to connect, names, proxy and TLS included.
  public var connectLimit = Duration.seconds(5)
  public var tls = TLSSettings()
  /// nil: none, whatever the environment says.
  public var proxy: Proxy?

  public init(url: String) { self.url = url }
}

/// A connection to one server, made when it is needed and kept while it lasts. Requests go one after another.
public final class HTTPConnection: Sendable {
  private let queue = DispatchQueue(label: "HTTPConnection")
  private let engine: Mutex<TransferEngine?>

  /// - Returns: nil if the URL cannot be used. Files are not looked at: `TLSSettings.check` does that.
  public init?(_ settings: HTTPSettings) {
    guard let host = Self.host(of: settings.url), let engine = TransferEngine(settings, host: host) else { return nil }
    self.engine = Mutex(engine)
  }

  /// Sends a request. Redirects are not followed and bodies are not decompressed. The answer is there as soon as it is
  /// complete, or, if its header has come, when its body breaks off, exceeds its limit or takes too long.
  ///
  /// - Parameter limit: time for all of it; at least a millisecond counts.
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

  /// Closes the connection, after the request that is under way; none can follow.
  public func close() { engine.withLock { $0 = nil } }

  /// The host as libcurl understands it, without brackets; nil for what it cannot use.
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
