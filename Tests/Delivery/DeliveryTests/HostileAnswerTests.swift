// Answers that no receiver should give, over the wire. Each leads to a retry with a description, or counts by its status if
// the header was complete. None causes a crash or exceeds the limits of time and memory.

import Glibc
import HTTPClient
import RawServer
import Synchronization
import Testing
@testable import DeliveryModel
@testable import Sinks

/// A receiver's answer, and its required effect.
struct HostileAnswer: CustomTestStringConvertible, Sendable {
  enum Expected {
    case delivered, parked
    /// A retry; the problem's summary ends with this text.
    case retried(String)
    /// A rejection of the scan; the problem's summary ends with this text.
    case rejected(String)
  }

  let name: String
  let bytes: [UInt8]
  let expected: Expected
  var testDescription: String { name }

  init(_ name: String, _ text: String, _ expected: Expected) {
    (self.name, bytes, self.expected) = (name, Array(text.utf8), expected)
  }

  private static let notHTTP = Expected.retried("the answer is not HTTP")
  private static let tooLong = Expected.retried("the header of the answer is too long")
  private static let closed = Expected.retried("the receiver closed the connection without an answer")

  static let all: [HostileAnswer] = [
    HostileAnswer("status 000", "HTTP/1.1 000 X\r\n\r\n", notHTTP),
    HostileAnswer("status 000 and a body", "HTTP/1.1 000 X\r\nContent-Length: 2\r\n\r\nok", notHTTP),
    HostileAnswer("status 99", "HTTP/1.1 99 X\r\n\r\n", notHTTP),
    HostileAnswer("status 099", "HTTP/1.1 099 X\r\n\r\n", notHTTP),
    HostileAnswer("status 600", "HTTP/1.1 600 X\r\n\r\n", notHTTP),
    HostileAnswer("status 999", "HTTP/1.1 999 X\r\n\r\n", notHTTP),
    HostileAnswer("status 1000", "HTTP/1.1 1000 X\r\n\r\n", notHTTP),
    HostileAnswer("status 2000, which begins like success", "HTTP/1.1 2000 X\r\n\r\n", notHTTP),
    HostileAnswer("a status beyond all integers", "HTTP/1.1 99999999999999999999 X\r\n\r\n", notHTTP),
    HostileAnswer("a negative status", "HTTP/1.1 -10 X\r\n\r\n", notHTTP),
    HostileAnswer("a status in words", "HTTP/1.1 OK\r\n\r\n", notHTTP),
    HostileAnswer("a status with a letter", "HTTP/1.1 2O0 OK\r\n\r\n", notHTTP),
    HostileAnswer("no status", "HTTP/1.1\r\n\r\n", notHTTP),
    HostileAnswer("two blanks before the status", "HTTP/1.1  200 OK\r\n\r\n", notHTTP),
    HostileAnswer("another protocol's version", "HTTP/2 200 OK\r\n\r\n", notHTTP),
    HostileAnswer("a version that does not exist", "HTTP/9.9 200 OK\r\n\r\n", notHTTP),
    HostileAnswer("another protocol", "RTSP/1.0 200 OK\r\n\r\n", notHTTP),
    HostileAnswer("switching protocols unasked", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", notHTTP),
    HostileAnswer("a mail server's greeting", "220 mail.example ESMTP\r\n", notHTTP),
    HostileAnswer("a secure shell", "SSH-2.0-OpenSSH_9.2p1\r\n", notHTTP),
    HostileAnswer("a page without a header", "<html>200 OK</html>", notHTTP),
    HostileAnswer("zeros", String(repeating: "\0", count: 1000), notHTTP),
    HostileAnswer("a length in words", "HTTP/1.1 200 OK\r\nContent-Length: ten\r\n\r\n", notHTTP),
    HostileAnswer("a field without a colon", "HTTP/1.1 204 X\r\nd\r\n\r\n", notHTTP),
    HostileAnswer("nothing", "", closed),
    HostileAnswer("an empty line", "\r\n", notHTTP),
    HostileAnswer("closed in the status line", "HTTP/1.1 20", closed),
    HostileAnswer("closed behind the status line", "HTTP/1.1 200 OK\r\n", closed),
    HostileAnswer("closed in the header", "HTTP/1.1 200 OK\r\nContent-Type: te", closed),
    HostileAnswer("closed behind an interim answer", "HTTP/1.1 100 Continue\r\n\r\n", closed),

    HostileAnswer(
      "10 MB of fields",
      "HTTP/1.1 200 OK\r\n" + String(repeating: "X-A: \(String(repeating: "a", count: 1000))\r\n", count: 10_000) + "\r\n",
      tooLong),
    HostileAnswer("10 MB in one field", "HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 10 << 20))\r\n\r\n", tooLong),
    HostileAnswer("10 MB of reason", "HTTP/1.1 200 \(String(repeating: "a", count: 10 << 20))\r\n\r\n", tooLong),
    HostileAnswer("300 fields", "HTTP/1.1 200 OK\r\n" + String(repeating: "X: 1\r\n", count: 300) + "\r\n", tooLong),
    HostileAnswer("a thousand interim answers", String(repeating: "HTTP/1.1 100 Go\r\n\r\n", count: 1000), tooLong),

    HostileAnswer(
      "interim answers, then success", "HTTP/1.1 102 X\r\n\r\nHTTP/1.1 103 X\r\nA: b\r\n\r\nHTTP/1.1 204 X\r\n\r\n",
      .delivered),
    HostileAnswer("bare line feeds", "HTTP/1.1 204 No Content\nX: y\n\n", .delivered),
    HostileAnswer("no reason", "HTTP/1.1 204\r\n\r\n", .delivered),
    HostileAnswer("HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nok", .delivered),
    HostileAnswer("a folded field", "HTTP/1.1 204 X\r\nA: b\r\n c\r\n\r\n", .delivered),
    HostileAnswer("closed in the body of a success", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok", .delivered),
    HostileAnswer(
      "closed in the body of an error", "HTTP/1.1 500 X\r\nContent-Length: 10\r\n\r\nno", .rejected("answered 500 X: no")),
    HostileAnswer(
      "chunks of garbage under a success", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", .delivered),
    HostileAnswer(
      "chunks of garbage under an error", "HTTP/1.1 503 X\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
      .retried("answered 503 X")),
    HostileAnswer(
      "a chunk beyond all integers",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\nok\r\n", .delivered),
    HostileAnswer(
      "trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nA: b\r\n\r\n", .delivered),
    HostileAnswer(
      "trailers that look like another answer",
      "HTTP/1.1 503 X\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nHTTP/1.1 200 OK\r\n\r\n", .retried("answered 503 X")),
    HostileAnswer(
      "too many trailers",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + String(repeating: "A: b\r\n", count: 10_000) + "\r\n",
      .delivered),
    HostileAnswer(
      "a body after status 204", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello", .delivered),
    HostileAnswer(
      "two answers, the first an error", "HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", .parked),
    HostileAnswer("a coding that was not requested", "HTTP/1.1 404 X\r\nContent-Encoding: gzip\r\n\r\nno gzip", .parked),
    HostileAnswer(
      "control characters in its words", "HTTP/1.1 500 \u{1B}[2J\u{7}X\r\nContent-Length: 3\r\n\r\n\u{1B}[H",
      .rejected("answered 500 [2JX: [H")),
    HostileAnswer("an invalid wait", "HTTP/1.1 503 X\r\nRetry-After: -99999999999999999999\r\n\r\n", .retried("503 X")),
  ]
}

@Suite(.timeLimit(.minutes(5))) struct HostileAnswerTests {
  /// Delivers a scan to a server, and stops the server.
  private func outcome(of server: RawServer, limit: Duration = .seconds(5)) async throws -> DeliveryOutcome {
    defer { server.stop() }
    var settings = WebhookSettings(url: "http://127.0.0.1:\(server.port)/")
    settings.attemptLimit = limit
    let sink = try WebhookSink(settings: settings)
    var scans = ScanMaker()
    let outcome = await sink.deliver(scans.next())
    await sink.close()
    return outcome
  }

  @Test(arguments: HostileAnswer.all)
  func `a hostile answer is a retry with a reason, or counts by its status`(_ answer: HostileAnswer) async throws {
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send(answer.bytes)
      connection.end()
    }
    let started = ContinuousClock.now
    let outcome = try await outcome(of: server)
    #expect(ContinuousClock.now - started < .seconds(4), "it took until the limit, or longer")
    switch (answer.expected, outcome) {
    case (.delivered, .delivered), (.parked, .parked(_, isFinal: false)): break
    case (.retried(let reason), .retry(nil, let problem)), (.rejected(let reason), .rejected(nil, let problem)):
      #expect(problem.summary.hasSuffix(reason), "\(problem)")
      #expect(!problem.remedy.isEmpty && problem.summary.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
    default: Issue.record("\(outcome)")
    }
  }

  /// Bytes of an endless answer that can still fit the buffers of two sockets after the sink has cut it off.
  private static let sentByteCountMax = 32 << 20

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\n", "X-Field: 0123456789\r\n", "the header of the answer is too long"),
    ("HTTP/1.1 200 OK\r\nX: ", "0123456789", "the header of the answer is too long"),
    ("", "HTTP/1.1 100 Continue\r\n\r\n", "the header of the answer is too long"),
    ("HTTP/1.1 200 OK\r\n\r\n", "0123456789", nil),
    ("HTTP/1.1 500 X\r\n\r\n", "\r\n", "answered 500 X"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "a\r\n0123456789\r\n", nil),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X-Field: 0123456789\r\n", nil),
  ])
  func `an answer without an end is cut off at once`(_ begin: String, _ rest: String, _ reason: String?) async throws {
    let sentCount = Mutex<Int?>(nil)
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send(begin)
      let count = connection.sendEndlessly(rest)
      sentCount.withLock { $0 = count }
    }
    let started = ContinuousClock.now
    let outcome = try await outcome(of: server, limit: .seconds(20))
    #expect(ContinuousClock.now - started < .seconds(10))
    switch (reason, outcome) {
    case (nil, .delivered): break
    case (let reason?, .retry(nil, let problem)), (let reason?, .rejected(nil, let problem)):
      #expect(problem.summary.hasSuffix(reason), "\(problem)")
    default: Issue.record("\(outcome)")
    }
    #expect(await eventually { sentCount.withLock { $0 } != nil })
    #expect(sentCount.withLock { $0 ?? .max } < Self.sentByteCountMax)
  }

  /// No part of it is a body, so only the time limit can end it.
  @Test func `an extension of a chunk without an end is cut off in time`() async throws {
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a=")
      connection.sendEndlessly("0123456789")
    }
    let started = ContinuousClock.now
    #expect(try await outcome(of: server, limit: .seconds(20)) == .delivered)
    #expect(ContinuousClock.now - started < .seconds(10))
  }

  /// With only a limit on silence, it would never end.
  @Test func `a dripping answer is abandoned at the limit`() async throws {
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\n")
      while connection.send("X: y\r\n") { usleep(50_000) }
    }
    let started = ContinuousClock.now
    let outcome = try await outcome(of: server, limit: .seconds(1))
    #expect(ContinuousClock.now - started < .seconds(5))
    guard case .retry(nil, let problem) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(problem.summary.hasSuffix("no answer within 1.0 seconds"), "\(problem)")
  }

  /// 4 MB of zeros.
  private static let gzipBomb: [UInt8] =
    [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0xED, 0xC1, 1, 1, 0, 0, 0, 0x82, 0x20, 0xFF, 0xAF, 0x6E, 0x48, 0x40, 1]
    + [UInt8](repeating: 0, count: 4063) + [0x7C, 0x1B, 0x6A, 0x40, 0x47, 0x11, 0, 0, 0x40, 0]

  /// In a content coding that the client did not request, and in a transfer coding, which libcurl decodes or rejects.
  @Test(arguments: ["Content-Encoding: gzip", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: gzip"])
  func `a compression bomb is not expanded beyond the limit`(_ field: String) async throws {
    let bomb = Self.gzipBomb
    let isChunked = field.hasSuffix("chunked")
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 503 X\r\n\(field)\r\nConnection: close\r\n\r\n")
      if isChunked { connection.send("\(String(bomb.count, radix: 16))\r\n") }
      connection.send(bomb)
      if isChunked { connection.send("\r\n0\r\n\r\n") }
      connection.end()
    }
    defer { server.stop() }
    let connection = try #require(HTTPConnection(HTTPSettings(url: "http://127.0.0.1:\(server.port)/")))
    defer { connection.close() }
    do throws(HTTPFailure) {
      let answer = try await connection.send(HTTPRequest(.post([]), fields: []), within: .seconds(5))
      #expect(answer.status == 503 && answer.body.count <= 64 << 10)
      #expect(answer.body == bomb || field.hasPrefix("Transfer"))
    } catch {
      #expect(error == .notHTTP && field.hasPrefix("Transfer"))
    }
  }

  /// Bytes after an answer are not the answer to the next scan.
  @Test(
    arguments: [
      "HTTP/1.1 204 X\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1 204 X\r\n\r\n",
    ], [0, 100])
  func `a surplus answer is not mistaken for the next one`(_ answers: String, _ pauseMilliseconds: Int) async throws {
    let requestCount = Mutex(0)
    let server = try RawServer { connection in
      while connection.readRequest() != nil {
        let number = requestCount.withLock { count in
          count += 1
          return count
        }
        if number > 1 {
          connection.send("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n")
        } else if pauseMilliseconds == 0 {
          connection.send(answers)
        } else {
          let second = answers.ranges(of: "HTTP/1.1")[1].lowerBound
          connection.send(String(answers[..<second]))
          usleep(UInt32(pauseMilliseconds) * 1000)
          connection.send(String(answers[second...]))
        }
      }
    }
    defer { server.stop() }
    let sink = try WebhookSink(settings: WebhookSettings(url: "http://127.0.0.1:\(server.port)/"))
    var scans = ScanMaker()
    #expect(await sink.deliver(scans.next()) == .delivered)
    try await Task.sleep(for: .milliseconds(pauseMilliseconds * 2))
    let outcome = await sink.deliver(scans.next())
    guard case .retry(nil, _) = outcome else {
      Issue.record("\(outcome) is the answer to the scan before")
      return
    }
    await sink.close()
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\nX: "])
  func `a cancelled attempt ends at once`(_ begin: String) async throws {
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send(begin)
      connection.stall()
    }
    defer { server.stop() }
    let sink = try WebhookSink(settings: WebhookSettings(url: "http://127.0.0.1:\(server.port)/"))
    let attempt = Task {
      var scans = ScanMaker()
      return await sink.deliver(scans.next())
    }
    #expect(await eventually { server.connectionCount == 1 })
    try await Task.sleep(for: .milliseconds(100))
    let cancelled = ContinuousClock.now
    attempt.cancel()
    guard case .retry(nil, let problem) = await attempt.value else {
      Issue.record("a cancelled attempt has not delivered anything")
      return
    }
    #expect(ContinuousClock.now - cancelled < .milliseconds(500))
    #expect(problem.summary.contains("cancelled"))
    await sink.close()
  }

  /// A receiver may close a kept connection just as the next scan is sent on it.
  @Test func `a kept connection that has died is replaced within the attempt`() async throws {
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 204 X\r\n\r\n")
    }
    defer { server.stop() }
    let sink = try WebhookSink(settings: WebhookSettings(url: "http://127.0.0.1:\(server.port)/"))
    var scans = ScanMaker()
    for _ in 1...20 { #expect(await sink.deliver(scans.next()) == .delivered) }
    #expect(server.connectionCount == 20)
    await sink.close()
  }
}
