// `reticle outbox` as a separate process, without a station and next to one.

import DeliveryModel
import Foundation
import Logging
import Outbox
import Testing

@Suite struct OutboxCommandTests {
  private let folder: WorkFolder
  private let path: String

  init() throws {
    folder = try WorkFolder()
    path = folder.path("outbox.sqlite")
  }

  /// An escape sequence, the one-byte form of its beginning, and a mark that reverses the writing direction.
  private static let hostile = "3\u{1B}[31m\u{9B}2J\u{202E}x"

  private func open() async -> Outbox {
    var settings = OutboxSettings()
    settings.path = path
    return await Outbox(
      settings: settings, sinks: [OutboxSink("host"), OutboxSink("web")],
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private func fill(_ outbox: Outbox) async throws -> [ScanRecord] {
    var ids = ScanIDGenerator()
    var random = SystemRandomNumberGenerator()
    var records: [ScanRecord] = []
    for text in ["1", "2", Self.hostile] {
      let captured = CaptureTime.now()
      var record = ScanRecord(
        id: ids.next(unixMilliseconds: captured.unixMilliseconds, using: &random), station: "till", symbology: "qr",
        aimIdentifier: "]Q1", text: text, bytes: Array(text.utf8), captured: captured)
      record.sequence = try await outbox.append(record).sequence
      records.append(record)
    }
    await outbox.acknowledge(records[0], by: "host")
    return records
  }

  @Test func `list, show and export work without a station`() async throws {
    let outbox = await open()
    let records = try await fill(outbox)
    await outbox.close()
    let list = try CommandRun("outbox", "list", "--path", path)
    #expect(list.status == 0, "\(list.errors)")
    #expect(
      list.lines.prefix(2) == [
        "host: 2 undelivered, has everything up to #1", "web: 3 undelivered, has everything up to #0",
      ])
    #expect(list.lines[2].hasPrefix("#1 ") && list.lines[2].hasSuffix("qr ]Q1 \"1\" for web"))
    let json = ["--format", "json"]
    for arguments in [["list"], ["list"] + json, ["show", "3"], ["show", "3"] + json, ["export"]] {
      let text = try CommandRun(arguments: ["outbox"] + arguments + ["--path", path]).text
      #expect(
        !text.unicodeScalars.contains { ["\u{1B}", "\u{9B}", "\u{202E}"].contains($0) },
        "what a code says must not command the terminal: \(arguments)")
      #expect(text.contains("3\\"), "it is shown all the same: \(arguments)")
    }
    let object = try #require(
      try CommandRun("outbox", "list", "--path", path, "--sink", "host", "--format", "json").objects.first)
    #expect((object["scans"] as? [[String: Any]])?.map { $0["sequence"] as? Int } == [2, 3])
    #expect((object["sinks"] as? [[String: Any]])?.first?["undelivered"] as? Int == 2)
    for name in [records[1].id.description, "2"] {
      let show = try CommandRun("outbox", "show", name, "--path", path)
      #expect(show.status == 0 && show.text.contains(records[1].id.description) && show.text.contains("waits for host, web"))
    }
    #expect(
      try CommandRun("outbox", "show", "2", "--path", path, "--format", "json").output == Data(records[1].json() + [0x0A]))
    let export = try CommandRun("outbox", "export", "--path", path, "--from", "2")
    #expect(export.output == Data(records[1...].flatMap { $0.json() + [0x0A] }))
    #expect(try CommandRun("outbox", "export", "--path", path, "--sink", "nobody").status == 66)
    #expect(try CommandRun("outbox", "show", "99", "--path", path).status == 66)
    #expect(try CommandRun("outbox", "list", "--path", folder.path("none")).status == 66)
  }

  @Test func `purge and retry work without a station`() async throws {
    let outbox = await open()
    _ = try await fill(outbox)
    await outbox.close()
    #expect(try CommandRun("outbox", "purge", "--path", path, "--sink", "host").status == 64, "it must be meant")
    let purge = try CommandRun("outbox", "purge", "--path", path, "--sink", "host", "--through", "2", "--yes")
    #expect(purge.text == "1 undelivered scans are passed over: host\n", "\(purge.errors)")
    let again = try CommandRun("outbox", "retry", "--path", path, "--sink", "host", "--from", "1")
    #expect(again.text == "2 delivered scans go out again: host\n", "\(again.errors)")
    #expect(try CommandRun("outbox", "retry", "--path", path).text == "tried when a station starts\n")
    let reopened = await open()
    #expect(await reopened.undeliveredCount(for: "host") == 3)
    await reopened.close()
  }

  @Test func `a running station answers list and purge`() async throws {
    let outbox = await open()
    _ = try await fill(outbox)
    let upkeep = Task {
      while !Task.isCancelled {
        await outbox.maintain()
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    let path = path
    let runs = try await Task.detached {
      (
        try CommandRun("outbox", "list", "--path", path),
        try CommandRun("outbox", "purge", "--path", path, "--sink", "web", "--yes")
      )
    }.value
    upkeep.cancel()
    #expect(runs.0.status == 0 && runs.0.lines.count == 5)
    #expect(runs.1.text == "3 undelivered scans are passed over: web\n", "\(runs.1.errors)")
    #expect(await outbox.undeliveredCount(for: "web") == 0)
    await outbox.close()
  }

  @Test func `the configuration gives the outbox path`() async throws {
    let outbox = await open()
    _ = try await fill(outbox)
    await outbox.close()
    let yaml = try folder.write("station.yaml", Array("outbox: {path: \(path)}\n".utf8))
    #expect(try CommandRun("outbox", "list", "--config", yaml).lines.count == 5)
    let wrong = try folder.write("wrong.yaml", Array("outbox: {pfad: x}\n".utf8))
    #expect(try CommandRun("outbox", "list", "--config", wrong).status == 78)
  }
}
