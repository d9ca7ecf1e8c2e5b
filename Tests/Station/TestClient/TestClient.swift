// An HTTP client for tests that need control over each byte: half a request, a drip, a reset. It waits with sleeping tasks,
// so that it blocks no thread that the server's handlers need.

import Glibc

/// A server's answer.
public struct TestAnswer: Sendable {
  public var status: Int
  /// Header fields, with names in lower case.
  public var fields: [String: String]
  public var body: [UInt8]
  public var text: String { String(decoding: body, as: UTF8.self) }
}

public struct TestClientError: Error {
  public var what: String

  public init(what: String) { self.what = what }
}

/// A connection to a port of this machine.
public final class TestClient: Sendable {
  public let socket: Int32

  /// - Parameter host: makes the client's address 127.0.0.`host`.
  public init(port: Int, from host: UInt8 = 1) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let socket = socket
    func address(_ host: UInt8, _ port: Int, _ use: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Bool {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = (UInt32(0x7F00_0000) | UInt32(host)).bigEndian
      return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { use($0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 }
      }
    }
    let isConnected =
      (host == 1 || address(host, 0) { bind(socket, $0, $1) }) && address(1, port) { connect(socket, $0, $1) }
    // The deinitializer closes the socket in this case, too.
    guard isConnected else {
      throw TestClientError(what: "no connection to port \(port): \(String(cString: strerror(errno)))")
    }
    _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
  }

  deinit { close(socket) }

  /// A port that was free a moment ago.
  public static func freePort() throws -> Int {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
      }
    }
    guard isBound else { throw TestClientError(what: "no port is free") }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// Raises this process's limit of file descriptors to `count` if the system permits, for a thousand simultaneous clients.
  public static func allowDescriptors(_ count: UInt64 = 4096) {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = min(max(limit.rlim_cur, rlim_t(count)), limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// Sends all bytes.
  public func send(_ bytes: some Sequence<UInt8>, within limit: Duration = .seconds(20)) async throws {
    var rest = Array(bytes)[...]
    try await wait(limit) {
      let count = rest.withUnsafeBytes { Glibc.send(self.socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno != EAGAIN { throw TestClientError(what: "the server hung up") }
      rest = rest.dropFirst(max(0, count))
      return rest.isEmpty ? true : nil
    }
  }

  public func send(_ text: String) async throws { try await send(text.utf8) }

  /// The received bytes, at most `countMax`; empty if the server has hung up.
  public func read(_ countMax: Int = 1 << 16, within limit: Duration = .seconds(20)) async throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: countMax)
    let count = try await wait(limit) {
      let count = recv(self.socket, &bytes, countMax, 0)
      if count < 0, errno != EAGAIN { return 0 }
      return count < 0 ? nil : count
    }
    return Array(bytes[..<count])
  }

  /// Whether the server hangs up without another byte.
  public func isHungUp(within limit: Duration) async -> Bool { (try? await read(1, within: limit))?.isEmpty ?? false }

  /// Reads an answer to its end.
  /// - Parameter method: the answer to HEAD has no body.
  public func answer(to method: String = "GET", within limit: Duration = .seconds(20)) async throws -> TestAnswer {
    var bytes: [UInt8] = []
    let end = Array("\r\n\r\n".utf8)
    while bytes.firstRange(of: end) == nil {
      let part = try await read(1, within: limit)
      guard !part.isEmpty else { throw TestClientError(what: "the server hung up within the head") }
      bytes += part
    }
    let lines = String(decoding: bytes.dropLast(4), as: UTF8.self).split(separator: "\r\n")
    var answer = TestAnswer(status: Int(lines[0].split(separator: " ")[1]) ?? 0, fields: [:], body: [])
    for line in lines.dropFirst() {
      let halves = line.split(separator: ":", maxSplits: 1)
      answer.fields[halves[0].lowercased()] = String(halves[1].drop { $0 == " " })
    }
    let count = answer.fields["content-length"].flatMap { Int($0) } ?? (answer.status == 204 ? 0 : Int.max)
    while method != "HEAD", answer.body.count < count {
      let part = try await read(min(count - answer.body.count, 1 << 16), within: limit)
      guard !part.isEmpty else { break }
      answer.body += part
    }
    return answer
  }

  /// Sends a request on a new connection and returns the answer.
  public static func ask(
    _ port: Int, _ target: String, from host: UInt8 = 1, method: String = "GET", fields: [String: String] = [:],
    body: [UInt8] = []
  ) async throws -> TestAnswer {
    let client = try TestClient(port: port, from: host)
    var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: close\r\n"
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    if !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
    try await client.send(Array((head + "\r\n").utf8) + body)
    return try await client.answer(to: method)
  }

  @discardableResult
  private func wait<Value>(_ limit: Duration, _ attempt: () throws -> Value?) async throws -> Value {
    let deadline = ContinuousClock.now + limit
    while true {
      if let value = try attempt() { return value }
      guard ContinuousClock.now < deadline else { throw TestClientError(what: "nothing came in \(limit)") }
      try await Task.sleep(for: .milliseconds(2))
    }
  }
}
