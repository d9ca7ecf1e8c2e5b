import Glibc
import HTTPServer
import Synchronization
import TestClient
import Testing

/// Runs a server for the duration of `body`.
func withServer(
  _ limits: HTTPLimits = HTTPLimits(), hits: LimitHits = LimitHits(), handler: @escaping HTTPHandler,
  _ body: (Int) async throws -> Void
) async throws {
  let server = HTTPServer(limits: limits, onLimit: { limit, _ in hits.count(limit) }, handler: handler)
  let port = try server.start(port: 0)
  do {
    try await body(port)
  } catch {
    await server.stop()
    throw error
  }
  await server.stop()
}

/// Counts how often each limit was hit.
final class LimitHits: Sendable {
  private let counts = Mutex<[HTTPLimit: Int]>([:])
  func count(_ limit: HTTPLimit) { counts.withLock { $0[limit, default: 0] += 1 } }
  subscript(limit: HTTPLimit) -> Int { counts.withLock { $0[limit] ?? 0 } }
}

private let ok: HTTPHandler = { _ in HTTPResponse(200, text: "ok\n") }

@Suite(.timeLimit(.minutes(2))) struct HTTPServerTests {
  @Test func `a request reaches its handler as it was sent, and the answer its client`() async throws {
    let seen = Mutex<HTTPRequest?>(nil)
    try await withServer { request in
      seen.withLock { $0 = request }
      return HTTPResponse(201, fields: ["X-One": "1"], body: .bytes([1, 2, 0, 3]))
    } _: { port in
      let answer = try await TestClient.ask(
        port, "/a%20b/%C3%BC?x=1+2&empty&y=%26", method: "POST", fields: ["X-Name": "dock 3"], body: Array("body".utf8))
      #expect(answer.status == 201 && answer.body == [1, 2, 0, 3])
      #expect(answer.fields["x-one"] == "1" && answer.fields["content-length"] == "4")
    }
    let request = try #require(seen.withLock { $0 })
    #expect(request.method == "POST" && request.path == "/a b/ü" && request.peer == "127.0.0.1")
    #expect(request.query.map(\.name) == ["x", "empty", "y"] && request.query.map(\.value) == ["1 2", "", "&"])
    #expect(request.fields["x-NAME"] == "dock 3" && request.fields["absent"] == nil)
    #expect(request.body == Array("body".utf8))
  }

  @Test(arguments: [
    ("/", "/"), ("http://example.org/livez", "/livez"), ("http://example.org", "/"), ("/%zz%4", "/%zz%4"), ("", ""),
    ("/a%00b", "/a\0b"), ("/a?b?c", "/a"),
  ])
  func `a target's path is decoded`(target: String, path: String) {
    #expect(HTTPRequest(method: "GET", target: target).path == path)
  }

  @Test(arguments: [
    "Content-Length: 4\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 4",
    "Content-Length: 4\r\nContent-Length: 30",
  ])
  func `a request with two body lengths is refused, and the bytes after it are not a request`(fields: String)
    async throws
  {
    let targets = Mutex<[String]>([])
    try await withServer { request in
      targets.withLock { $0.append(request.path) }
      return HTTPResponse(200, text: "ok\n")
    } _: { port in
      let client = try TestClient(port: port)
      try await client.send(
        "POST /first HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\r\n0\r\n\r\nGET /second HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await client.answer().status == 400)
      #expect(try await TestClient.ask(port, "/third").status == 200)
    }
    #expect(targets.withLock { $0 } == ["/third"])
  }

  @Test func `HEAD is answered like GET, without the body`() async throws {
    var router = HTTPRouter()
    router.on("GET", "/page", ok)
    router.on("POST", "/command") { _ in HTTPResponse(204) }
    let routes = router
    try await withServer(handler: routes.respond) { port in
      let client = try TestClient(port: port)
      try await client.send("HEAD /page HTTP/1.1\r\nHost: x\r\n\r\nGET /page HTTP/1.1\r\nHost: x\r\n\r\n")
      let head = try await client.answer(to: "HEAD")
      #expect(head.status == 200 && head.fields["content-length"] == "3")
      #expect(try await client.answer().text == "ok\n")
      #expect(try await TestClient.ask(port, "/command", method: "HEAD").status == 405)
    }
  }

  @Test func `a path that is not there is 404, a method that it does not have 405`() async throws {
    var router = HTTPRouter()
    router.on("GET", "/page", ok)
    router.on("POST", "/page", ok)
    #expect(await router.respond(to: HTTPRequest(method: "GET", target: "/page/")).status == 404)
    let refused = await router.respond(to: HTTPRequest(method: "PUT", target: "/page"))
    #expect(refused.status == 405 && refused.fields["allow"] == "GET, HEAD, POST")
  }

  @Test func `waiting handlers do not delay other requests`() async throws {
    let gate = AsyncStream<Void>.makeStream()
    try await withServer { request in
      if request.path == "/slow" { for await _ in gate.stream {} }
      return HTTPResponse(200, text: request.path)
    } _: { port in
      let slow = try (0..<20).map { _ in try TestClient(port: port) }
      for client in slow { try await client.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n") }
      #expect(try await TestClient.ask(port, "/fast").text == "/fast")
      gate.continuation.finish()
      for client in slow { #expect(try await client.answer().text == "/slow") }
    }
  }

  @Test func `chunks of a stream are sent as they come, and the stream ends with its client`() async throws {
    let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
    let isOver = Mutex(false)
    continuation.onTermination = { _ in isOver.withLock { $0 = true } }
    try await withServer { _ in
      HTTPResponse(200, fields: ["Content-Type": "text/event-stream"], body: .stream(stream))
    } _: { port in
      let client = try TestClient(port: port)
      try await client.send("GET / HTTP/1.0\r\nHost: x\r\n\r\n")
      for word in ["one", "two", "three"] {
        continuation.yield(Array(word.utf8))
        var text = ""
        while !text.hasSuffix(word) { text += String(decoding: try await client.read(), as: UTF8.self) }
      }
      shutdown(client.socket, Int32(SHUT_RDWR))
      for _ in 0..<2000 where !isOver.withLock({ $0 }) {
        continuation.yield([0])
        try await Task.sleep(for: .milliseconds(2))
      }
      #expect(isOver.withLock { $0 })
    }
  }

  @Test func `a stream that ends, ends its answer`() async throws {
    try await withServer { _ in
      HTTPResponse(
        200,
        body: .stream(
          AsyncStream { continuation in
            for part in 0..<100 { continuation.yield([UInt8](repeating: UInt8(part), count: 10_000)) }
            continuation.finish()
          }))
    } _: { port in
      let client = try TestClient(port: port)
      try await client.send("GET / HTTP/1.0\r\nHost: x\r\n\r\n")
      #expect(try await client.answer().body == (0..<100).flatMap { [UInt8](repeating: UInt8($0), count: 10_000) })
    }
  }

  @Test func `stopping hangs up on everyone, and the server can be started again`() async throws {
    let (stream, _) = AsyncStream<[UInt8]>.makeStream()
    let server = HTTPServer { request in
      if request.path == "/stream" { return HTTPResponse(200, body: .stream(stream)) }
      try? await Task.sleep(for: .seconds(600))
      return HTTPResponse(204)
    }
    let port = try server.start(port: 0)
    let clients = try (0..<3).map { _ in try TestClient(port: port) }
    try await clients[1].send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
    try await clients[2].send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try await clients[2].read(15) == Array("HTTP/1.1 200 OK".utf8))
    let started = ContinuousClock.now
    await server.stop()
    #expect(ContinuousClock.now - started < .seconds(5))
    #expect(await clients[0].isHungUp(within: .seconds(5)))
    #expect(await clients[1].isHungUp(within: .seconds(5)))
    #expect(try server.start(port: port) == port)
    await server.stop()
    #expect(descriptors(ofPort: port) == 0)
  }

  @Test func `an unavailable address gives one clear error`() async throws {
    let first = HTTPServer(handler: ok)
    let port = try first.start(port: 0)
    for (address, port, words) in [
      ("127.0.0.1", port, "127.0.0.1 port \(port) cannot be had: Address already in use"),
      ("192.0.2.1", 0, "192.0.2.1 port 0 cannot be had: Cannot assign requested address"),
      ("nonsense.invalid", 0, "nonsense.invalid is no address of this machine"),
    ] {
      let error = #expect(throws: HTTPServerError.self) { try HTTPServer(handler: ok).start(address: address, port: port) }
      #expect(error?.description.hasPrefix(words) == true, "\(error?.description ?? "")")
    }
    #expect(throws: HTTPServerError.self) { try first.start(port: 0) }
    await first.stop()
  }
}

/// The sockets of this process that are bound to a port, including the server's ends of its connections.
func descriptors(ofPort port: Int) -> Int {
  (0..<Int32(sysconf(Int32(_SC_OPEN_MAX)))).count { descriptor in
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isSocket = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
    }
    return isSocket && Int32(address.sin_family) == AF_INET && Int(UInt16(bigEndian: address.sin_port)) == port
  }
}
