// What goes to a server, what comes back, and what can keep it from coming.

/// A header field.
public struct HTTPField: Equatable, Sendable {
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A request to the URL of a connection.
public struct HTTPRequest: Sendable {
  /// What is asked of the server.
  public enum Method: Sendable {
    case head
    case get
    case post([UInt8])
  }

  public var method: Method
  /// Names are tokens, values have no line breaks; the caller has checked that. Host, length and connection are not among them.
  public var fields: [HTTPField]

  public init(_ method: Method, fields: [HTTPField]) {
    self.method = method
    self.fields = fields
  }
}

/// A final answer.
public struct HTTPAnswer: Equatable, Sendable {
  /// 200…599.
  public var status: Int
  /// The server's words for it; may be empty, and may hold anything.
  public var reason: String
  public var fields: [HTTPField]
  /// What came of the body, undecoded, up to `AnswerReader.bodyByteCountMax` bytes.
  public var body: [UInt8]

  /// The value of the first field of this name, which is in lower case.
  public subscript(name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }
}

/// Why there is no answer.
public enum HTTPFailure: Error, Equatable, Sendable {
  case hostUnresolved
  case proxyUnresolved
  /// The server, or the proxy if there is one, could not be reached; 0 if the system gave no number.
  case unconnected(errno: Int32)
  /// The way to the server, TLS included, took longer than allowed.
  case connectLimitExceeded
  case answerLimitExceeded
  case tls(TLSFailure)
  /// The server closed the connection before its answer's header was complete.
  case closed
  case broken(errno: Int32)
  case proxyWantsCredentials
  case proxyRefuses
  /// What came back is no answer of HTTP/1.
  case notHTTP
  /// The answer's header exceeds a limit of `AnswerReader`.
  case headerTooLong
  /// The task was cancelled, or the connection closed by its owner.
  case cancelled
  /// This build of libcurl lacks something that is needed.
  case libraryUnfit
}

/// What TLS failed for.
public enum TLSFailure: Equatable, Sendable {
  case certificateExpired
  case certificateNotYetValid
  /// No authority that is trusted vouches for the server's certificate.
  case certificateUntrusted
  /// The server's certificate names other hosts as its subject alternative names; its common name does not count.
  case certificateForAnotherName
  /// The server wants a certificate and was shown none.
  case clientCertificateWanted
  /// The server does not accept the certificate it was shown.
  case clientCertificateRefused
  /// The files of `TLSSettings` cannot be used any more.
  case filesUnusable
  /// Server and client have no version (1.2 or 1.3) or cipher in common.
  case nothingInCommon
  case other
}
