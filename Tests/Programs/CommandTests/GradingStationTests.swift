// A station that grades what it scans, as `reticle run` sets it up.

import Foundation
import TestClient
import Testing

@Suite(.timeLimit(.minutes(2))) struct GradingStationTests {
  @Test func `P1: the console and the metrics of a running station have the trend of print`() async throws {
    let folder = try WorkFolder()
    for text in ["ONE", "TWO"] {
      let drawn = try CommandRun("generate", text, "-o", folder.path("\(text).png"), "--scale", "4")
      try #require(drawn.status == 0, "\(drawn.errors)")
    }
    let port = try TestClient.freePort()
    let configuration = """
      camera: {pictures: "\(folder.url.path)/*.png", frame_rate: 10}
      repeat: {absence: 50 ms}
      grading: {enabled: true}
      pictures: {of: [unread], folder: \(folder.path("kept"))}
      outbox: {path: \(folder.path("outbox.sqlite"))}
      console: {port: \(port)}
      sinks: [stdout]
      """
    let file = try folder.write("station.yaml", Array(configuration.utf8))
    let process = Process()
    process.executableURL = CommandRun.command
    process.arguments = ["run", "--config", file]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    let guardian = process.endsWithin(CommandRun.limit)
    defer { guardian.cancel() }

    /// The trend in `/status`; nil until there is one.
    func trend() async throws -> [String: Any]? {
      guard let answer = try? await TestClient.ask(port, "/status") else { return nil }
      let status = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
      return ((status?["print"] as? [String: Any])?["lines"] as? [[String: Any]])?.first
    }
    let deadline = ContinuousClock.now + .seconds(60)
    while try await trend()?["gradeCount"] as? Int ?? 0 < 3 {
      try #require(process.isRunning && ContinuousClock.now < deadline, "no scan was graded")
      try await Task.sleep(for: .milliseconds(50))
    }
    let line = try #require(try await trend())
    #expect(line["sink"] as? String == "stdout" && line["symbology"] as? String == "qr", "\(line)")
    #expect(line["grade"] as? Double == 4 && line["isAlarmed"] as? Bool == false, "\(line)")
    let metrics = try await TestClient.ask(port, "/metrics").text
    #expect(metrics.contains("reticle_print_grade{sink=\"stdout\",symbology=\"qr\"} 4\n"), "\(metrics)")
    #expect(metrics.contains("reticle_print_alarm{sink=\"stdout\",symbology=\"qr\"} 0\n"))
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
