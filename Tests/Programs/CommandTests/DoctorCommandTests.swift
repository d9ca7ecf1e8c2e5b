// The doctor's requests to a running station, over a connection like those of scripts and monitors.

import Foundation
import RawServer
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct DoctorCommandTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  /// Runs the doctor next to a station that gives an answer.
  ///
  /// - Returns: the requests to the station, and the doctor's output.
  private func examine(_ answer: String) throws -> (asked: [RawConnection.Request], said: String) {
    let asked = Mutex<[RawConnection.Request]>([])
    let server = try RawServer { connection in
      while let request = connection.readRequest() {
        asked.withLock { $0.append(request) }
        connection.send(answer)
      }
    }
    defer { server.stop() }
    let token = try folder.write("token", Array("a-token-of-the-console-32-letters\n".utf8))
    let file = try folder.write(
      "station.yaml",
      Array(
        """
        camera: {pictures: "\(folder.url.path)"}
        outbox: {path: "\(folder.path("outbox.sqlite"))"}
        console: {port: \(server.port), token_file: "\(token)"}
        """.utf8))
    let run = try CommandRun("doctor", "--config", file)
    return (asked.withLock { $0 }, run.text + run.errors)
  }

  @Test func `the doctor queries the running station with the console's token, and repeats each reason`() throws {
    let reasons = ["58 scans are in memory only: no space left", "sink erp is stuck: answered 422"]
    let body = reasons.joined(separator: "\n") + "\n"
    let (asked, said) = try examine(
      "HTTP/1.1 503 Service Unavailable\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    #expect(asked.map(\.lines.first) == ["GET /readyz HTTP/1.1", "GET /status HTTP/1.1"])
    for request in asked { #expect(request["authorization"] == "Bearer a-token-of-the-console-32-letters") }
    for reason in reasons { #expect(said.contains("the station that runs: \(reason)"), "\(said)") }
  }

  @Test(arguments: ["200 OK", "401 Unauthorized", "404 Not Found"])
  func `only a station that says it is not ready is reported`(_ status: String) throws {
    let (asked, said) = try examine("HTTP/1.1 \(status)\r\nContent-Length: 3\r\n\r\nok\n")
    #expect(asked.count == 2)
    #expect(!said.contains("the station that runs"), "\(said)")
  }
}
