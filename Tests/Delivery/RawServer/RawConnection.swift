// A connection of a raw server, with the actions available to a script.

import COpenSSL
import Dispatch
import Glibc

/// A certificate, its key, and the authority that its owner trusts.
public final class TLSIdentity: @unchecked Sendable {
  fileprivate let context: OpaquePointer

  /// - Parameters:
  ///   - certificate, key: PEM. Nil if they do not belong together.
  ///   - clientAuthority: the authority that must have signed the client's certificate; nil to request no certificate.
  public init?(certificate: String, key: String, clientAuthority: String? = nil) {
    guard let context = SSL_CTX_new(TLS_server_method()) else { return nil }
    self.context = context
    guard let own = Self.certificate(certificate), SSL_CTX_use_certificate(context, own) == 1 else { return nil }
    let ownKey = Self.withPEM(key) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
    guard SSL_CTX_use_PrivateKey(context, ownKey) == 1 else { return nil }
    guard let clientAuthority else { return }
    guard X509_STORE_add_cert(SSL_CTX_get_cert_store(context), Self.certificate(clientAuthority)) == 1 else { return nil }
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
  }

  private static func certificate(_ text: String) -> OpaquePointer? {
    withPEM(text) { PEM_read_bio_X509($0, nil, nil, nil) }
  }

  /// A memory BIO does not copy its bytes: they must outlive every read from it.
  private static func withPEM(_ text: String, _ read: (OpaquePointer?) -> OpaquePointer?) -> OpaquePointer? {
    var text = text
    return text.withUTF8 { bytes in
      let source = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
      defer { BIO_free(source) }
      return read(source)
    }
  }
}

/// A connected socket. Belongs to one thread, except for `interrupt`.
public final class RawConnection: @unchecked Sendable {
  /// A request as received.
  public struct Request: Sendable {
    /// The request line and the header's lines.
    public var lines: [String]
    public var body: [UInt8]

    /// The value of a field, named in lower case.
    public subscript(name: String) -> String? {
      lines.dropFirst().map { $0.split(separator: ":", maxSplits: 1).map(String.init) }
        .first { $0.count == 2 && $0[0].lowercased() == name }.map { String($0[1].drop { $0 == " " }) }
    }
  }

  private let descriptor: Int32
  private var tls: OpaquePointer?
  private var unread: [UInt8] = []
  /// The name that a client of TLS asks for (RFC 6066 §3).
  public private(set) var serverName: String?

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Connects to a port of the loopback interface; nil if no server listens there.
  ///
  /// - Parameter source: the loopback address from which the connection comes; nil for the usual one.
  public convenience init?(port: Int, from source: String? = nil) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    if let source {
      address.sin_addr.s_addr = inet_addr(source)
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    self.init(descriptor)
    if !isConnected {
      close()
      return nil
    }
  }

  func beginTLS(_ identity: TLSIdentity) -> Bool {
    tls = SSL_new(identity.context)
    SSL_set_fd(tls, descriptor)
    if SSL_accept(tls) == 1 {
      serverName = SSL_get_servername(tls, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
      return true
    }
    // The alert arrives only if the connection is not reset: first read what the client has sent meanwhile.
    SSL_free(tls)
    tls = nil
    end()
    return false
  }

  /// Shuts down the connection, which ends pending reads and writes.
  public func interrupt() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// For connections made by a test itself; those of a server end with their script.
  public func close() {
    if let tls {
      SSL_shutdown(tls)
      SSL_free(tls)
    }
    Glibc.close(descriptor)
  }

  /// Whether the other side ends the connection within a time, before it sends anything.
  public func ends(withinMilliseconds limit: Int32) -> Bool {
    var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&event, 1, limit) == 1 && read().isEmpty
  }

  /// The next bytes, at most 64 KB; empty once the other side has ended.
  public func read() -> [UInt8] {
    if !unread.isEmpty {
      defer { unread = [] }
      return unread
    }
    return [UInt8](unsafeUninitializedCapacity: 64 << 10) { bytes, count in
      let got =
        tls.map { Int(SSL_read($0, bytes.baseAddress, Int32(bytes.count))) }
        ?? recv(descriptor, bytes.baseAddress, bytes.count, 0)
      count = max(0, got)
    }
  }

  /// Reads a request, with its body if it gives a length; nil if there is no request.
  public func readRequest() -> Request? {
    var bytes: [UInt8] = []
    while true {
      let part = read()
      if part.isEmpty { return nil }
      bytes += part
      guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
      let text = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
      var request = Request(lines: text.split(separator: "\r\n").map(String.init), body: [])
      let headCount = end.upperBound
      let bodyCount = request["content-length"].flatMap { Int($0) } ?? 0
      while bytes.count < headCount + bodyCount {
        let part = read()
        if part.isEmpty { return nil }
        bytes += part
      }
      request.body = Array(bytes[headCount..<(headCount + bodyCount)])
      unread = Array(bytes[(headCount + bodyCount)...])
      return request
    }
  }

  /// - Returns: false if the other side no longer receives.
  @discardableResult public func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { part in
        tls.map { Int(SSL_write($0, part.baseAddress, Int32(part.count))) }
          ?? Glibc.send(descriptor, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  @discardableResult public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Sends the same text repeatedly until the other side stops receiving.
  /// - Returns: the number of bytes sent.
  @discardableResult public func sendEndlessly(_ text: String) -> Int {
    let bytes = Array(repeatElement(Array(text.utf8), count: max(1, 4096 / text.utf8.count)).joined())
    var count = 0
    while send(bytes) { count += bytes.count }
    return count
  }

  /// Ends the sending direction, and waits until the other side has ended, too.
  public func end() {
    shutdown(descriptor, Int32(SHUT_WR))
    stall()
  }

  /// Sends nothing until the other side has ended.
  public func stall() { while !read().isEmpty {} }

  /// Resets the connection (RST) instead of ending it (FIN): socket(7), SO_LINGER.
  public func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
  }

  /// Relays bytes in both directions until both sides have ended, as a tunnel does. Closes the other connection.
  public func relay(_ other: RawConnection) {
    let back = DispatchGroup()
    DispatchQueue(label: "RawConnection.relay").async(group: back) { other.pass(to: self) }
    pass(to: other)
    back.wait()
    other.close()
  }

  private func pass(to other: RawConnection) {
    while true {
      let bytes = read()
      guard !bytes.isEmpty, other.send(bytes) else { break }
    }
    shutdown(other.descriptor, Int32(SHUT_WR))
  }
}
