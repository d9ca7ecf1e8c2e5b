// Pictures of a whole station with its real controller and decoder: what a receiver gets is what lies on the disk.

import Foundation
import RawServer
import Synchronization
import TestClient
import Testing

@Suite(.timeLimit(.minutes(2))) struct PictureCommandTests {
  private let folder: WorkFolder
  private let bodies = Bodies()

  init() throws { folder = try WorkFolder() }

  private final class Bodies: Sendable {
    private let all = Mutex<[(type: String, body: [UInt8])]>([])
    func append(_ type: String, _ body: [UInt8]) { all.withLock { $0.append((type, body)) } }
    var list: [(type: String, body: [UInt8])] { all.withLock { $0 } }
  }

  /// Runs a station that shows its picture until `isDone`, and triggers it if it has a trigger.
  private func run(_ picture: String, _ keys: String, isDone: () throws -> Bool) async throws {
    let server = try RawServer { [bodies] connection in
      while let request = connection.readRequest() {
        bodies.append(request["content-type"] ?? "", request.body)
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let port = try TestClient.freePort()
    let file = try folder.write(
      "station.yaml",
      Array(
        """
        camera: {pictures: "\(folder.path(picture))", frame_rate: 20}
        outbox: {path: \(folder.path("outbox.sqlite"))}
        console: {port: \(port)}
        sinks: [{webhook: {url: "http://127.0.0.1:\(server.port)/", picture: \(keys.contains("scans") || keys.contains("no-reads") ? "multipart" : "none")}}]
        \(keys.replacing("FOLDER", with: folder.path("pictures")))
        """.utf8))
    let process = Process()
    process.executableURL = CommandRun.command
    process.arguments = ["run", "--config", file]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: try folder.write("log", [])))
    try process.run()
    let guardian = process.endsWithin(CommandRun.limit)
    defer { guardian.cancel() }
    var isTriggered = !keys.contains("trigger")
    let deadline = ContinuousClock.now + .seconds(60)
    while try !isDone() {
      let log = String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder.path("log"))), as: UTF8.self)
      try #require(ContinuousClock.now < deadline, "\(log)")
      if !isTriggered { isTriggered = (try? await TestClient.ask(port, "/trigger", method: "POST").status) == 204 }
      try await Task.sleep(for: .milliseconds(20))
    }
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  /// The names of kept pictures.
  private var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path("pictures")))?.filter { !$0.hasPrefix(".") } ?? []
  }

  /// The record and the picture of a form.
  private func form(_ index: Int = 0) throws -> (record: [String: Any], picture: [UInt8], head: String) {
    let (type, body) = try #require(bodies.list.dropFirst(index).first)
    let boundary = try #require(type.split(separator: "boundary=").last)
    #expect(type == "multipart/form-data; boundary=\(boundary)")
    let delimiter = Array("--\(boundary)".utf8)
    let parts = body.split(separator: delimiter, omittingEmptySubsequences: false)
    try #require(parts.count == 4 && parts[0].isEmpty && Array(parts[3]) == Array("--\r\n".utf8))
    func content(_ part: ArraySlice<UInt8>) throws -> (head: String, bytes: [UInt8]) {
      let end = try #require(part.firstRange(of: Array("\r\n\r\n".utf8)))
      return (String(decoding: part[..<end.lowerBound], as: UTF8.self), Array(part[end.upperBound...].dropLast(2)))
    }
    let record = try #require(try JSONSerialization.jsonObject(with: Data(try content(parts[1]).bytes)) as? [String: Any])
    let picture = try content(parts[2])
    return (record, picture.bytes, picture.head)
  }

  private func expectFile(_ kind: String, _ index: Int = 0) throws {
    let (record, picture, head) = try form(index)
    let path = try #require(record["picture"] as? String)
    let name = try #require(path.split(separator: "/").last)
    #expect(name.contains("-\(kind)-\(record["id"] as? String ?? "no id")."))
    #expect(head.contains("name=\"picture\"; filename=\"\(name)\"") && head.contains("Content-Type: image/jpeg"))
    #expect(record["pictureMissing"] == nil)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(picture) && picture.starts(with: [0xFF, 0xD8]))
  }

  @Test func `a webhook gets the scan with the picture that is on the disk`() async throws {
    let run = try CommandRun("generate", "LABEL", "-o", folder.path("label.png"), "--scale", "4")
    try #require(run.status == 0, "\(run.errors)")
    try await self.run("label.png", "pictures: {of: [scans], format: jpeg, folder: \"FOLDER\"}") { !bodies.list.isEmpty }
    try expectFile("scan")
    #expect(try form().record["text"] as? String == "LABEL")
  }

  @Test func `a trigger that finds nothing leaves a picture of the frame, and the receiver gets it with the no-read`()
    async throws
  {
    _ = try folder.write("empty.pgm", Array("P5 64 48 255\n".utf8) + [UInt8](repeating: 90, count: 64 * 48))
    try await run(
      "empty.pgm",
      "trigger: {mode: edge, timeout: 300 ms}\npictures: {of: [no-reads], format: jpeg, folder: \"FOLDER\"}"
    ) { !bodies.list.isEmpty }
    try expectFile("no-read")
    #expect(try form().record["noRead"] as? String == "no symbol")
    // Both sides of the frame, in the JPEG's header (SOF0: height, then width).
    #expect(try form().picture.firstRange(of: [0xFF, 0xC0, 0x00, 0x0B, 0x08, 0, 48, 0, 64]) != nil)
  }

  /// A QR Code of version 3 whose data are random: it has all of its patterns, and no message.
  private func unreadableSymbol() -> [UInt8] {
    let (size, scale, margin) = (29, 6, 8)
    var random = SystemRandomNumberGenerator()
    func isDark(_ x: Int, _ y: Int) -> Bool {
      for (left, top) in [(0, 0), (size - 7, 0), (0, size - 7)] {
        let distance = max(abs(x - left - 3), abs(y - top - 3))
        if distance <= 4 { return distance == 3 || distance < 2 }
      }
      let distance = max(abs(x - 22), abs(y - 22))
      if distance <= 2 { return distance != 1 }
      if x == 6 || y == 6 { return (x + y).isMultiple(of: 2) }
      return Bool.random(using: &random)
    }
    let modules = (0..<size).map { y in (0..<size).map { x in isDark(x, y) } }
    let side = (size + 2 * margin) * scale
    var luma: [UInt8] = []
    for y in 0..<side {
      for x in 0..<side {
        let (column, row) = (x / scale - margin, y / scale - margin)
        let isInside = (0..<size).contains(column) && (0..<size).contains(row)
        luma.append(isInside && modules[row][column] ? 30 : 220)
      }
    }
    return Array("P5 \(side) \(side) 255\n".utf8) + luma
  }

  @Test func `a symbol that is located and not read leaves one picture, without a scan`() async throws {
    _ = try folder.write("unread.pgm", unreadableSymbol())
    try await run("unread.pgm", "pictures: {of: [unread], format: jpeg, area: code, folder: \"FOLDER\"}") {
      !names.isEmpty
    }
    let name = try #require(names.first)
    #expect(names.count == 1 && name.contains("-unread-"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("pictures/\(name)"))).starts(with: [0xFF, 0xD8]))
    #expect(bodies.list.isEmpty)
  }

  @Test func `a trigger on a symbol that is located and not read says so, with its picture`() async throws {
    _ = try folder.write("unread.pgm", unreadableSymbol())
    try await run(
      "unread.pgm",
      "trigger: {mode: edge, timeout: 3 s}\npictures: {of: [no-reads, unread], format: jpeg, folder: \"FOLDER\"}"
    ) { !bodies.list.isEmpty }
    try expectFile("no-read")
    #expect(try form().record["noRead"] as? String == "unreadable")
    #expect(names.contains { $0.contains("-unread-") })
  }
}
