/// Limits of a server, for all clients together and for each client.
public struct HTTPLimits: Sendable {
  /// The most connections. Each takes a file descriptor and up to `connectionByteCount` of memory. Beyond this number, a new
  /// connection replaces the one that has waited longest for its client.
  public var connectionCountMax = 192
  /// The most connections per client address, with the same rule among that address's connections.
  public var connectionCountMaxPerAddress = 160
  /// The most bytes in a request's head.
  public var headByteCountMax = 16 << 10
  /// The most bytes in a request's body.
  public var bodyByteCountMax = 1 << 20
  /// Time limit from the start of a connection to the end of its first request's head, including the TLS handshake.
  public var headTime = Duration.seconds(5)
  /// Time limit from the start of a connection, or the end of its last answer, to the end of the request.
  public var requestTime = Duration.seconds(8)
  /// Time limit from the end of an answer to the end of the next request's head on the same connection.
  public var keepAliveTime = Duration.seconds(9)
  /// Time limit for a client to receive a non-streaming answer.
  public var answerTime = Duration.seconds(30)
  /// How long a client may accept no data of an answer or stream that is ready for it; whole seconds.
  public var stallTime = Duration.seconds(9)
  /// The most requests being handled at the same time.
  public var handlerCountMax = 24
  /// The most streams at the same time: of 64 viewers, two each. With the requests being handled they are fewer than the
  /// connections per address, so that one connection can always make room.
  public var streamCountMax = 128

  public init() {}

  /// libmicrohttpd stores a head raw and parsed, and the answer's head, in this memory.
  var connectionByteCount: Int { 2 * headByteCountMax + 4096 }
}

/// A limit that was hit, with the server's reaction.
public enum HTTPLimit: String, CaseIterable, Sendable {
  /// The connection that had waited longest was closed for a new one.
  case connections
  /// The connection of the same address that had waited longest was closed for a new one.
  case addressConnections = "address_connections"
  /// The head was too large (431), not HTTP or with two body lengths (400), or broken off by the client. The connection was
  /// closed.
  case head
  /// The body was too large: 413 if the client stated the size beforehand; the connection was closed.
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
  /// 503.
  case streams
}
