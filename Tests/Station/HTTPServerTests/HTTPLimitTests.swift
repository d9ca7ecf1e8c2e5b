// Clients that send incomplete, oversized or slow requests, or open too many sockets.

import Glibc
import HTTPServer
import TestClient
import Testing

private let ok: HTTPHandler = { _ in HTTPResponse(200, text: "ok\n") }

@Suite(.serialized, .timeLimit(.minutes(2))) struct HTTPLimitTests {
  /// The requests of the flood's clients, and whether they continue to drip bytes.
  private static let floods = [
    "", "GET / HTTP/1.1\r\nHost: x\r\nX-", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nbo",
  ]

  /// The soft limit of file descriptors is also raised for the clients, which live in this process. The server's own limits
  /// bound its share.
  @Test func `1002 idle, half-sent and dripping connections do not keep others out, and are closed within 10 s`()
    async throws
  {
    TestClient.allowDescriptors()
    let hits = LimitHits()
    try await withServer(hits: hits, handler: ok) { port in
      var clients: [TestClient] = []
      for index in 0..<1002 {
        let client = try TestClient(port: port)
        try? await client.send(Self.floods[index % 3])
        clients.append(client)
        if index % 100 == 99 { #expect(try await TestClient.ask(port, "/livez").text == "ok\n") }
      }
      // Connections are accepted in order: once this one is answered, the server has seen the entire flood.
      #expect(try await TestClient.ask(port, "/livez").text == "ok\n")
      let share = descriptors(ofPort: port)
      #expect(share <= HTTPLimits().connectionCountMaxPerAddress + 64 + 1, "\(share) descriptors")
      // On a busy machine, some clients reach their deadline before they are displaced.
      let closed = hits[.addressConnections] + hits[.headTime] + hits[.requestTime]
      #expect(closed >= 1002 - HTTPLimits().connectionCountMaxPerAddress)
      let started = ContinuousClock.now
      while descriptors(ofPort: port) > 1, ContinuousClock.now - started < .seconds(10) {
        // An occasional additional byte, which must not extend a client's time.
        for (index, client) in clients.enumerated() where index % 3 > 0 { try? await client.send([0x78], within: .zero) }
        #expect(try await TestClient.ask(port, "/livez").text == "ok\n")
        try await Task.sleep(for: .milliseconds(100))
      }
      #expect(descriptors(ofPort: port) == 1)
      for client in clients { #expect(await client.isHungUp(within: .seconds(1))) }
    }
  }

  @Test func `1160 requests with a megabyte of header fields leak no descriptor`() async throws {
    let hits = LimitHits()
    let field = Array("X-Long: \(String(repeating: "x", count: 1 << 20))\r\n\r\n".utf8)
    try await withServer(hits: hits, handler: ok) { port in
      for _ in 0..<1160 {
        let client = try TestClient(port: port)
        try await client.send("GET / HTTP/1.1\r\nHost: x\r\n")
        // The server may hang up during this.
        try? await client.send(field)
      }
      for _ in 0..<500 where descriptors(ofPort: port) > 1 { try await Task.sleep(for: .milliseconds(10)) }
      #expect(descriptors(ofPort: port) == 1)
      #expect(try await TestClient.ask(port, "/").text == "ok\n")
    }
    // If clients are faster than the server, they displace each other.
    #expect(hits[.head] > 0 && hits[.head] + hits[.addressConnections] == 1160)
  }

  @Test func `a head and a body may be as large as the limit and no larger`() async throws {
    var limits = HTTPLimits()
    limits.headByteCountMax = 2000
    limits.bodyByteCountMax = 3000
    let hits = LimitHits()
    try await withServer(limits, hits: hits) {
      HTTPResponse(200, text: "\($0.body.count)")
    } _: { port in
      for (fieldSize, bodySize, status) in [
        (1800, 0, 200), (2001, 0, 431), (3000, 0, 431), (100_000, 0, 431), (0, 3000, 200), (0, 3001, 413),
      ] {
        let body = [UInt8](repeating: 0, count: bodySize)
        let answer = try await TestClient.ask(
          port, "/", method: "POST", fields: ["X-Long": String(repeating: "x", count: fieldSize)], body: body)
        #expect(answer.status == status, "\(fieldSize) \(bodySize)")
        if status == 200 { #expect(answer.text == "\(bodySize)") }
      }
      // A body without a declared size is cut off.
      let client = try TestClient(port: port)
      try await client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nFA0\r\n")
      try await client.send([UInt8](repeating: 0, count: 4000))
      #expect(await client.isHungUp(within: .seconds(5)))
    }
    #expect(hits[.head] == 3 && hits[.body] == 2)
  }

  @Test(
    arguments: [
      ("", "", nil), ("GET /", "x", HTTPLimit.headTime), ("GET / HTTP/1.1\r\nHost: x\r\nX: ", "x", .headTime),
      ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", "x", .requestTime),
      ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "", nil), ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "G", nil),
    ] as [(String, String, HTTPLimit?)])
  func `a dripping client gets no more time`(start: String, drip: String, limit: HTTPLimit?) async throws {
    var limits = HTTPLimits()
    (limits.headTime, limits.requestTime, limits.keepAliveTime) = (.seconds(1), .seconds(1), .seconds(1))
    let hits = LimitHits()
    try await withServer(limits, hits: hits, handler: ok) { port in
      let client = try TestClient(port: port)
      let started = ContinuousClock.now
      try await client.send(start)
      if start.hasSuffix("\r\n\r\n"), start.hasPrefix("GET") { #expect(try await client.answer().status == 200) }
      var isHungUp = false
      while !isHungUp, ContinuousClock.now - started < .seconds(10) {
        try? await client.send(drip)
        isHungUp = await client.isHungUp(within: .milliseconds(50))
      }
      let taken = ContinuousClock.now - started
      #expect(taken > .milliseconds(900) && taken < .seconds(4), "\(taken)")
    }
    if let limit { #expect(hits[limit] == 1) }
  }

  @Test func `a client that reads its answer slowly or not at all is disconnected`() async throws {
    var limits = HTTPLimits()
    (limits.answerTime, limits.stallTime) = (.seconds(3), .seconds(1))
    let hits = LimitHits()
    let large = HTTPResponse(200, type: "image/png", bytes: [UInt8](repeating: 0, count: 64 << 20))
    try await withServer(limits, hits: hits) { _ in
      large
    } _: { port in
      let (still, dripping) = (try TestClient(port: port), try TestClient(port: port))
      for client in [still, dripping] {
        try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await client.read(15) == Array("HTTP/1.1 200 OK".utf8))
      }
      let started = ContinuousClock.now
      while descriptors(ofPort: port) > 1, ContinuousClock.now - started < .seconds(10) {
        _ = try? await dripping.read(1 << 18, within: .milliseconds(1))
        try await Task.sleep(for: .milliseconds(100))
      }
      let taken = ContinuousClock.now - started
      #expect(taken > .seconds(2) && taken < .seconds(7), "\(taken)")
    }
    #expect(hits[.stallTime] == 1 && hits[.answerTime] == 1)
  }

  @Test func `a request beyond the limit of handlers gets status 503 and Retry-After`() async throws {
    var limits = HTTPLimits()
    limits.handlerCountMax = 4
    let hits = LimitHits()
    let gate = AsyncStream<Void>.makeStream()
    try await withServer(limits, hits: hits) { _ in
      for await _ in gate.stream {}
      return HTTPResponse(204)
    } _: { port in
      let clients = try (0..<4).map { _ in try TestClient(port: port) }
      for client in clients { try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
      let refused = try await TestClient.ask(port, "/")
      #expect(refused.status == 503 && refused.fields["retry-after"] == "1")
      gate.continuation.finish()
      for client in clients { #expect(try await client.answer().status == 204) }
      #expect(try await TestClient.ask(port, "/").status == 204)
    }
    #expect(hits[.handlers] == 1)
  }
}
