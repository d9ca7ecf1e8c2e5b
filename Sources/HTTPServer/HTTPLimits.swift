/// What one server gives at most, to all and to each client.
public struct HTTPLimits: Sendable {
  /// Connections in all, each of which is a file descriptor and up to `connectionByteCount` of memory. Once they are used up, a
  /// new connection takes the place of the one that has waited longest for its client.
  public var connectionCountMax = 128
  /// Connections per client address, by the same rule among the connections of that address.
  public var connectionCountMaxPerAddress = 64
  /// Bytes of a request's head.
  public var headByteCountMax = 16 << 10
  /// Bytes of a request's body.
  public var bodyByteCountMax = 1 << 20
  /// From the start of a connection to the end of its first request's head. TLS is agreed on in that time, too.
  public var headTime = Duration.seconds(5)
  /// From the start of a connection, or the end of its last answer, to the end of the request.
  public var requestTime = Duration.seconds(8)
  /// From the end of an answer to the end of the next request's head on the same connection.
  public var keepAliveTime = Duration.seconds(9)
  /// For a client to take an answer that is not a stream.
  public var answerTime = Duration.seconds(30)
  /// How long a client may take nothing of an answer or stream that is there for it; whole seconds.
  public var stallTime = Duration.seconds(9)
  /// Requests that may be with their handlers, and streams, at the same time. Less than the connections per address, so that
  /// there is always one that can make room.
  public var handlerCountMax = 48

  public init() {}

  /// libmicrohttpd keeps a head as it came and parsed, and the answer's head, in this memory.
  var connectionByteCount: Int { 2 * headByteCountMax + 4096 }
}

/// A limit that was hit, and what the server did.
public enum HTTPLimit: String, CaseIterable, Sendable {
  /// The longest waiting connection was closed for a new one.
  case connections
  /// The same among the connections of one address.
  case addressConnections = "address_connections"
  /// The head was too large (431), not HTTP or with two lengths of the body (400), or broken off by the client. The connection
  /// was closed.
  case head
  /// 413, where the client said the size beforehand, and the connection was closed.
  case body
  /// The connection was closed.
  case headTime = "head_time"
  /// The connection was closed.
  case requestTime = "request_time"
  /// The connection was closed.
  case answerTime = "answer_time"
  /// The connection was closed.
  case stallTime = "stall_time"
  /// 503.
  case handlers
}
