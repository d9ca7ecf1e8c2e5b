// Data that must not leak: secrets of the configuration, in any output of the station and its commands; and scans in the
// journal.

import Foundation
import RawServer
import TestClient
import Testing

@Suite("Secrets and scans stay out of what is logged", .timeLimit(.minutes(2))) struct SecretTests {
  private let folder: WorkFolder

  init() throws {
    folder = try WorkFolder()
    let run = try CommandRun("generate", "PLANTED-SCAN", "-o", folder.path("label.png"), "--scale", "4")
    try #require(run.status == 0, "\(run.errors)")
  }

  /// Writes a file with a secret.
  private func secret(_ name: String, _ text: String) throws -> String { try folder.write(name, Array(text.utf8)) }

  @Test func `no command, log or page shows a secret that is in any key, even if the receiver repeats it`() async throws {
    // A receiver that repeats the request, as misconfigured ones do in their error pages.
    let server = try RawServer { connection in
      while let request = connection.readRequest() {
        let fields = request.lines.filter { $0.contains("PLANTED") || $0.contains("UExBTlRFRC") }.joined(separator: " ")
        let body = String(decoding: request.body.drop { $0 != UInt8(ascii: "y") }, as: UTF8.self)
        connection.send("HTTP/1.1 404 \(fields)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      }
    }
    defer { server.stop() }
    let port = try TestClient.freePort()
    let token = try secret("console.token", "PLANTED-console-token-of-32-letters")
    let address = "http://127.0.0.1:\(server.port)/PLANTED-path/scans?key=PLANTED-query"
    let file = try folder.write(
      "station.yaml",
      Array(
        """
        camera: {pictures: "\(folder.path("label.png"))", frame_rate: 20}
        outbox: {path: "\(folder.path("outbox.sqlite"))"}
        console: {port: \(port), token_file: "\(token)"}
        sinks:
          - name: broker
            mqtt:
              broker: "mqtt://127.0.0.1:\(server.port)"
              credentials_file: "\(try secret("broker", "PLANTED-user:PLANTED-broker"))"
          - webhook:
              url: "\(address)"
              headers: {X-Api-Key: PLANTED-header}
              bearer_token_file: "\(try secret("bearer", "PLANTED-bearer"))"
          - name: basic
            webhook:
              url: "\(address)"
              credentials_file: "\(try secret("login", "PLANTED-user:PLANTED password"))"
              secret_file: "\(try secret("signature", "whsec_UExBTlRFRC1zaWduYXR1cmUtb2YtMzItYnl0ZXMtb2s="))"
        """.utf8))
    var said: [String: String] = [:]
    for command in [["config", "check", file], ["config", "show", "--config", file], ["doctor", "--config", file]] {
      let run = try CommandRun(arguments: command)
      said[command.joined(separator: " ")] = run.text + run.errors
    }
    #expect(said["config show --config \(file)"]?.contains("url: http://127.0.0.1:\(server.port)/…") == true)

    let process = Process()
    process.executableURL = CommandRun.command
    process.arguments = ["run", "--config", file, "--log-level", "debug"]
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: try folder.write("log", [])))
    try process.run()
    let guardian = process.endsWithin(CommandRun.limit)
    defer { guardian.cancel() }
    func log() throws -> String {
      String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder.path("log"))), as: UTF8.self)
    }
    let deadline = ContinuousClock.now + .seconds(30)
    while try log().components(separatedBy: "answered 404").count <= 2 {
      let log = try log()
      try #require(ContinuousClock.now < deadline, "\(log)")
      try await Task.sleep(for: .milliseconds(20))
    }
    for page in ["readyz", "status", "metrics", ""] {
      let answer = try await TestClient.ask(
        port, "/\(page)", fields: ["Authorization": "Bearer PLANTED-console-token-of-32-letters"])
      #expect(answer.status == 200 || answer.status == 503)
      said["/\(page)"] = answer.text
    }
    let archive = folder.path("support.tar.gz")
    let support = try CommandRun("support", "--config", file, "--output", archive)
    #expect(support.status == 0, "\(support.errors)")
    said["support"] = try CommandRun(arguments: ["-xzOf", archive], program: URL(filePath: "/bin/tar")).text
    #expect(said["support"]?.contains("bearer_token_file") == true && said["support"]?.contains("reticle 0.") == true)
    process.terminate()
    process.waitUntilExit()
    said["log"] = try log()
    for command in [["outbox", "list", "--config", file], ["outbox", "retry", "--config", file]] {
      let run = try CommandRun(arguments: command)
      said[command.joined(separator: " ")] = run.errors
    }
    // A rejected value is shown as well.
    let wrong = try folder.write("wrong.yaml", Array("sinks: [{webhook: {url: \"htps://x/PLANTED-path?PLANTED\"}}]".utf8))
    said["wrong"] = try CommandRun("config", "check", wrong).errors
    for secret in [
      "http://user:PLANTED@host", "user:PLANTED@host:3128", "http://user:PLAN/PLANTED@host", "http://a:P@PLANTED@h:1",
    ] {
      for key in ["url: \"\(secret)\"", "url: https://example.org, proxy: \"\(secret)\""] {
        let wrong = try folder.write("wrong.yaml", Array("camera: {pictures: x}\nsinks: [{webhook: {\(key)}}]".utf8))
        for command in [
          ["config", "check", wrong], ["config", "show", "--config", wrong], ["doctor", "--config", wrong],
          ["outbox", "list", "--config", wrong], ["run", "--config", wrong],
        ] {
          let run = try CommandRun(arguments: command)
          #expect(run.status != 0 && (run.errors + run.text).contains("sinks.0.webhook"), "\(command): \(run.errors)")
          said["\(command[0]) \(command[1]) of \(key)"] = run.text + run.errors
        }
      }
    }
    // As text, in base64, and as a list of bytes.
    for (place, text) in said {
      for form in ["PLANTED", "UExBTlRFRC", "80, 76, 65, 78, 84, 69, 68"] {
        #expect(!text.contains(form), "\(place): \(text)")
      }
    }
  }

  @Test func `a station refuses to print scans where standard output is the journal, unless barcode data is allowed there`()
    throws
  {
    for (more, status) in [("", "78"), ("log: {barcode_data: true}\n", "0")] {
      let file = try folder.write(
        "station.yaml",
        Array(
          "camera: {pictures: \(folder.path("label.png")), repeat: once}\noutbox: {path: \(folder.path("o.sqlite"))}\n\(more)"
            .utf8))
      // As under systemd: JOURNAL_STREAM names the device and inode of standard output.
      let run = try CommandRun(
        arguments: [
          "-c", "exec >\"$2\"; JOURNAL_STREAM=$(stat -Lc %d:%i \"$2\") \"$0\" run --config \"$1\"; echo $? >&2",
          CommandRun.command.path, file, folder.path("journal"),
        ], program: URL(fileURLWithPath: "/bin/sh"))
      #expect(run.errors.hasSuffix("\(status)\n"), "\(run.errors)")
      #expect(
        run.errors.contains("standard output, which is the system's journal for a service; name a webhook")
          == (status == "78"))
      let journal = try String(contentsOfFile: folder.path("journal"), encoding: .utf8)
      #expect(journal.contains("PLANTED-SCAN") == (status == "0"))
    }
  }
}
