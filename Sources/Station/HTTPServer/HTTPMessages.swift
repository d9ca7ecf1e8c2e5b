/// A request as a handler sees it.
public struct HTTPRequest: Sendable {
  /// The method, such as `GET`; case-sensitive (RFC 9110, 9.1).
  public var method: String
  /// The decoded path, without the query.
  public var path: String
  /// The query's names and values in order, decoded as in forms: `+` is a space. A name without `=` has an empty value.
  public var query: [(name: String, value: String)]
  public var fields: HTTPFields
  public var body: [UInt8]
  /// The client's numeric address, without a port.
  public var peer: String
  /// The parts of the path that the route of a router names.
  public internal(set) var parameters: [String: String] = [:]

  /// - Parameter target: the target of the request line (RFC 9112, 3.2), with or without scheme and authority.
  public init(method: String, target: String, fields: HTTPFields = [:], body: [UInt8] = [], peer: String = "127.0.0.1") {
    self.method = method
    self.fields = fields
    self.body = body
    self.peer = peer
    let parts = Self.origin(of: target).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = Self.decoded(parts.first ?? "", plusIsSpace: false)
    query = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { pair in
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (
        Self.decoded(halves[0], plusIsSpace: true), halves.count > 1 ? Self.decoded(halves[1], plusIsSpace: true) : ""
      )
    }
  }

  /// The target from its path on: proxies may send a scheme and authority too (RFC 9112, 3.2.2).
  private static func origin(of target: String) -> Substring {
    guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else { return Substring(target) }
    let rest = target[scheme.upperBound...]
    return rest.firstIndex(of: "/").map { rest[$0...] } ?? "/"
  }

  /// Decodes percent-encoded bytes as UTF-8. Text that is not a valid code stays unchanged.
  private static func decoded(_ text: Substring, plusIsSpace: Bool) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2, let high = hexadecimal(rest[rest.startIndex]),
        let low = hexadecimal(rest[rest.startIndex + 1])
      {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? { Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init) }
}

/// A handler's answer. The server adds Date, Content-Length or Transfer-Encoding, and Connection.
public struct HTTPResponse: Sendable {
  /// The content after the header.
  public enum Body: Sendable {
    case bytes([UInt8])
    /// Chunks, sent as they come while the client accepts them; after that the producer's stream ends too.
    case stream(AsyncStream<[UInt8]>)
  }

  /// 200…599.
  public var status: Int
  public var fields: HTTPFields
  public var body: Body

  public init(_ status: Int, fields: HTTPFields = [:], body: Body = .bytes([])) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// Bytes of a media type.
  public init(_ status: Int, type: String, bytes: [UInt8]) {
    self.init(status, fields: ["Content-Type": type], body: .bytes(bytes))
  }

  /// A text in UTF-8; plain by default.
  public init(_ status: Int, type: String = "text/plain; charset=utf-8", text: String) {
    self.init(status, type: type, bytes: Array(text.utf8))
  }
}

/// Answers requests; the server limits how many run at the same time.
public typealias HTTPHandler = @Sendable (HTTPRequest) async -> HTTPResponse
