// An HTTP/1.1 server over libmicrohttpd. One thread serves all connections and waits for none: a complete request goes to an
// async handler, and its connection sleeps until the answer is ready. The connections, memory and time that a client can use
// are limited.

import CMicrohttpd
import Devices
import Synchronization

/// A server on one address.
public final class HTTPServer: Sendable {
  /// The server's TLS settings, as texts in PEM.
  public struct TLS: Sendable {
    /// The server's certificate, followed by the chain up to its authority.
    public var certificate: String
    public var key: String
    /// Clients must present a certificate signed by one of these authorities; nil: they need none.
    public var clientAuthorities: String?

    public init(certificate: String, key: String, clientAuthorities: String? = nil) {
      self.certificate = certificate
      self.key = key
      self.clientAuthorities = clientAuthorities
    }
  }

  private let limits: HTTPLimits
  private let tls: TLS?
  private let onLimit: @Sendable (HTTPLimit, String) -> Void
  private let handler: HTTPHandler
  private let running = Mutex<HTTPMailbox?>(nil)

  /// - Parameters:
  ///   - onLimit: called on the server's thread, which it must not block, with each limit hit and the client's address.
  ///   - handler: answers requests.
  public init(
    limits: HTTPLimits = HTTPLimits(), tls: TLS? = nil,
    onLimit: @escaping @Sendable (_ limit: HTTPLimit, _ peer: String) -> Void = { _, _ in },
    handler: @escaping HTTPHandler
  ) {
    self.limits = limits
    self.tls = tls
    self.onLimit = onLimit
    self.handler = handler
  }

  /// Starts listening.
  ///
  /// - Parameters:
  ///   - address: an address or host name of this machine; `0.0.0.0` or `::` for all.
  ///   - port: 0 for any free port.
  /// - Returns: the port.
  public func start(address: String = "127.0.0.1", port: Int) throws(HTTPServerError) -> Int {
    try running.withLock { running throws(HTTPServerError) in
      guard running == nil else { throw HTTPServerError(description: "the server runs already; stop it first") }
      let listening: ListeningSocket
      do throws(ListeningSocket.Failure) {
        listening = try ListeningSocket(address: address, port: port)
      } catch {
        throw HTTPServerError(description: error.description)
      }
      let mailbox = HTTPMailbox()
      let loop = try HTTPLoop(
        listening: listening.descriptor, limits: limits, tls: tls, mailbox: mailbox, onLimit: onLimit, handler: handler)
      // From here on, only the thread uses the loop.
      nonisolated(unsafe) let handedOver = loop
      startThread(named: "http") { handedOver.run() }
      running = mailbox
      return listening.port
    }
  }

  /// Stops listening, closes all connections, and returns when done. The server can be started again.
  public func stop() async {
    let mailbox = running.withLock { running in
      defer { running = nil }
      return running
    }
    await mailbox?.stop()
  }
}

/// Why a server did not start, in one sentence.
public struct HTTPServerError: Error, CustomStringConvertible {
  public let description: String
}
