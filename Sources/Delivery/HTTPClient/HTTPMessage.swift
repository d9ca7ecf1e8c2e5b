// Requests to a server, its answers, and the failures that prevent them.

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
  /// The method of a request.
  public enum Method: Sendable {
    case head
    case get
    case post([UInt8])
  }

  public var method: Method
  /// The header fields, without host, length and connection. The caller has checked that names are tokens and values contain
  /// no line breaks.
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
  /// The server's text for the status; may be empty, and may contain anything.
  public var reason: String
  public var fields: [HTTPField]
  /// The received part of the body, undecoded, up to `AnswerReader.bodyByteCountMax` bytes.
  public var body: [UInt8]

  /// The value of the first field with this name, which is given in lower case.
  public subscript(name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }
}

/// Why no answer was received.
public enum HTTPFailure: Error, Equatable, Sendable {
  case hostUnresolved
  case proxyUnresolved
  /// The server, or the proxy if configured, could not be reached; 0 if the system gave no error number.
  case unconnected(errno: Int32)
  /// Connecting to the server, including TLS, took too long.
  case connectLimitExceeded
  case answerLimitExceeded
  case tls(TLSFailure)
  /// The server closed the connection before its answer's header was complete.
  case closed
  case broken(errno: Int32)
  case proxyWantsCredentials
  case proxyRefuses
  /// The answer is not HTTP/1.
  case notHTTP
  /// The answer's header exceeds a limit of `AnswerReader`.
  case headerTooLong
  /// The task was cancelled, or the connection closed by its owner.
  case cancelled
  /// This build of libcurl lacks a required feature.
  case libraryUnfit
}

/// Why TLS failed.
public enum TLSFailure: Equatable, Sendable {
  case certificateExpired
  case certificateNotYetValid
  /// No trusted authority signed the server's certificate.
  case certificateUntrusted
  /// The subject alternative names of the server's certificate do not include the host; the common name does not count.
  case certificateForAnotherName
  /// The server requires a certificate, but none was configured.
  case clientCertificateWanted
  /// The server rejects the client's certificate.
  case clientCertificateRefused
  /// The files of `TLSSettings` have become unusable.
  case filesUnusable
  /// Server and client share no TLS version (1.2 or 1.3) or cipher.
  case nothingInCommon
  case other
}
