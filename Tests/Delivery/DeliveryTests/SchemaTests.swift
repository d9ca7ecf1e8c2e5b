// The record's JSON form against its published schema, and the webhook against independent implementations of its standards.
// The records are random. Our own check runs everywhere; packages from PyPI run if they are installed.

import BarcodeMessage
import BarcodeTypes
import Dispatch
import Foundation
import Testing
@testable import DeliveryModel
@testable import Sinks

@Suite(.timeLimit(.minutes(2))) struct SchemaTests {
  private static var schemaFile: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .appending(path: "docs/scan-record.schema.json")
  }

  private func schema() throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: Self.schemaFile)) as? [String: Any])
  }

  @Test func `docs/delivery.md has one row for each member of the record, in the schema's order`() throws {
    let properties = try #require(try schema()["properties"] as? [String: Any])
    let page = try String(
      contentsOf: Self.schemaFile.deletingLastPathComponent().appending(path: "delivery.md"), encoding: .utf8)
    let table = try #require(page.components(separatedBy: "| member | type | meaning |\n").dropFirst().first)
    let rows = table.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().prefix { $0.hasPrefix("| `") }
    #expect(rows.map { String($0.split(separator: "`")[1]) } == properties.keys.sorted())
  }

  /// Records with random values in every field, including hostile text.
  private func randomRecords(_ count: Int) -> [ScanRecord] {
    var ids = ScanIDGenerator()
    var random = SystemRandomNumberGenerator()
    let scalars = (0..<0x250).compactMap { Unicode.Scalar($0) } + ["\u{2028}", "\u{FFFD}", "😀", "\u{10FFFF}"]
    func text() -> String {
      String(String.UnicodeScalarView((0..<Int.random(in: 0...60)).map { _ in scalars.randomElement() ?? "x" }))
    }
    return (1...count).map { number in
      let symbology = Symbology(rawValue: UInt8.random(in: 0..<UInt8(Symbology.count))) ?? .qr
      let captured = CaptureTime(
        unixMilliseconds: Int64.random(in: 0...4_102_444_800_000), bootNanoseconds: Int64.random(in: 0...(.max)),
        bootID: CaptureTime.currentBootID)
      let id = ids.next(unixMilliseconds: captured.unixMilliseconds, using: &random)
      if number % 10 == 0, let cause = ScanRecord.NoRead.allCases.randomElement() {
        return ScanRecord(id: id, station: text(), noRead: cause, text: text(), captured: captured)
      }
      var record = ScanRecord(
        id: id, station: text(),
        symbology: "\(symbology.name)",
        aimIdentifier: "]" + String(Unicode.Scalar(symbology.aimCodeCharacter)) + "\(Int.random(in: 0...9))", text: text(),
        bytes: (0..<Int.random(in: 0...80)).map { _ in UInt8.random(in: 0...255) }, captured: captured)
      record.sequence = Int64(number)
      record.hri = Bool.random() ? text() : nil
      record.isGS1 = Bool.random()
      record.picture = Bool.random() ? text() : nil
      record.pictureMissing = Bool.random() ? ScanRecord.PictureMissing.allCases.randomElement() : nil
      record.set = Bool.random() ? text() : nil
      if Bool.random() { record.parts = [.init(name: text(), symbology: "qr", aim: "]Q1", text: text())] }
      if Bool.random() {
        record.fields = [.init(MessageField(.aamva, "DBB", title: "birth date", value: text(), date: "1990-01-31"))]
      }
      if Bool.random() { record.flags = [text(), text()] }
      record.sinks = Bool.random() ? [text()] : nil
      record.hostText = Bool.random() ? text() : nil
      if Bool.random() { record.hostTexts = [.init(sink: text(), text: text()), .init(sink: "till", text: text())] }
      if Bool.random() {
        record.part = ScanRecord.Part(
          id: text(), position: Int.random(in: 1...99_999), total: Bool.random() ? Int.random(in: 1...99_999) : nil)
      }
      record.isLink = Bool.random()
      record.corners = (0..<4).map { _ in .init(x: .random(in: -1e5...1e5), y: Bool.random() ? .infinity : 0.1) }
      record.preview =
        Bool.random() ? (0..<4).map { _ in .init(partX: .random(in: -1...2), partY: Bool.random() ? .nan : 0.1) } : nil
      record.frameCount = Int.random(in: 1...100)
      record.lineCount = Int.random(in: 1...1000)
      record.confidence = Int.random(in: 1...100)
      if Bool.random() {
        record.take(GS1Reading(bracketed: "(01)09501101530003(10)\(text())(17)261100(3932)9780299(422)040"))
      }
      if Bool.random() { record.sent = .now() }
      return record
    }
  }

  /// The differences from a schema; covers the keywords of JSON Schema 2020-12 that ours uses.
  private func problems(_ value: Any?, _ schema: [String: Any], at place: String = "") -> [String] {
    var found: [String] = []
    switch (schema["type"] as? String, value) {
    case ("object", let object as [String: Any]):
      let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
      for name in schema["required"] as? [String] ?? [] where object[name] == nil {
        found.append("\(place).\(name) is missing")
      }
      for (name, member) in object {
        guard let property = properties[name] else {
          found.append("\(place).\(name) is not in the schema")
          continue
        }
        found += problems(member, property, at: "\(place).\(name)")
      }
    case ("array", let items as [Any]):
      if let least = schema["minItems"] as? Int, items.count < least { found.append("\(place) is too short") }
      if let most = schema["maxItems"] as? Int, items.count > most { found.append("\(place) is too long") }
      for item in items { found += problems(item, schema["items"] as? [String: Any] ?? [:], at: place + "[]") }
    case ("string", let text as String):
      if let pattern = schema["pattern"] as? String, text.range(of: pattern, options: .regularExpression) == nil {
        found.append("\(place) is \(text), not \(pattern)")
      }
    case ("integer", let number as NSNumber):
      let isWhole = number.doubleValue == number.doubleValue.rounded()
      if !isWhole || number.doubleValue < schema["minimum"] as? Double ?? -.infinity
        || number.doubleValue > schema["maximum"] as? Double ?? .infinity
      {
        found.append("\(place) is \(number)")
      }
    case ("number", is NSNumber), ("boolean", is Bool): break
    case (nil, let number as NSNumber) where number == schema["const"] as? NSNumber: break
    default: found.append("\(place) is \(value ?? "nothing"), not \(schema["type"] ?? schema["const"] ?? "")")
    }
    return found
  }

  @Test func `every record follows the schema`() throws {
    let schema = try schema()
    for record in randomRecords(500) {
      let value = try JSONSerialization.jsonObject(with: Data(record.json()))
      #expect(problems(value, schema) == [])
      #expect(try ScanRecord(json: record.json()) == record)
    }
  }

  @Test func `the schema rejects invalid records`() throws {
    let schema = try schema()
    let sound = try #require(
      try JSONSerialization.jsonObject(with: Data(randomRecords(1)[0].json())) as? [String: Any])
    for (name, wrong) in [
      ("id", "0190a"), ("sequence", -1), ("confidence", 101), ("schema", 2), ("bytes", "?"), ("corners", [[1, 2]]),
      ("isLink", "yes"), ("captured", "today"), ("text", 7), ("aim", "E0"),
    ] as [(String, Any)] {
      var record = sound
      record[name] = wrong
      #expect(!problems(record, schema).isEmpty, "\(name)")
    }
    for name in sound.keys
    where ![
      "elements", "fields", "flags", "parts", "set", "setId", "sinks", "hostText", "hostTexts", "hri", "missing", "noRead",
      "part", "picture", "pictureMissing", "preview",
      "problems",
      "sent",
      "sentBootNanoseconds",
    ]
    .contains(name) {
      var record = sound
      record[name] = nil
      #expect(!problems(record, schema).isEmpty, "\(name) may not be missing")
    }
  }

  // MARK: Other people's implementations

  /// The Python to use: RETICLE_PYTHON, otherwise python3.
  private static let python = ProcessInfo.processInfo.environment["RETICLE_PYTHON"] ?? "python3"

  /// Runs a script that reads `input`; returns its standard error if it fails, nil if it succeeds.
  private static func complaint(_ script: String, input: Data = Data()) -> String? {
    let folder = try? TemporaryFolder()
    guard let folder else { return "no folder" }
    let file = folder.file("input")
    try? input.write(to: URL(fileURLWithPath: file))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [python, "-c", script, file]
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return "there is no \(python)" }
    let id = process.processIdentifier
    let timer = DispatchWorkItem { kill(id, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + scriptLimit, execute: timer)
    defer { timer.cancel() }
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? nil : text
  }

  /// If RETICLE_PYTHON is set, nothing is skipped.
  private static func hasPython(_ module: String) -> Bool {
    ProcessInfo.processInfo.environment["RETICLE_PYTHON"] != nil || complaint("import \(module)") == nil
  }

  /// Time limit for a script, which examines some hundred records.
  private static let scriptLimit = DispatchTimeInterval.seconds(60)

  @Test(.enabled(if: hasPython("jsonschema"), "Python's jsonschema is not here: pip install jsonschema"))
  func `Python's jsonschema accepts every record`() throws {
    let lines = randomRecords(200).map { String(decoding: $0.json(), as: UTF8.self) }.joined(separator: "\n")
    let script = """
      import json, sys, jsonschema
      schema = json.load(open("\(Self.schemaFile.path)"))
      jsonschema.Draft202012Validator.check_schema(schema)
      check = jsonschema.Draft202012Validator(schema)
      records = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8", newline="\\n").read().split("\\n")]
      assert len(records) == 200
      for record in records: check.validate(record)
      records[0]["sequence"] = -1
      assert not check.is_valid(records[0])
      """
    #expect(Self.complaint(script, input: Data(lines.utf8)) == nil)
  }

  @Test(.enabled(if: hasPython("standardwebhooks"), "Python's standardwebhooks is not here: pip install standardwebhooks"))
  func `Python's standardwebhooks accepts the signatures`() throws {
    // Two secrets, as during a replacement: a receiver that knows either accepts.
    let texts = [
      "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_" + Data((0..<48).map { UInt8($0) }).base64EncodedString(),
    ]
    let secrets = try texts.map { try #require(WebhookSecret($0)) }
    let now = CaptureTime.now().unixMilliseconds / 1000
    var requests: [[String: String]] = []
    for (index, record) in randomRecords(20).enumerated() {
      let message = WebhookMessage([record], body: index % 2 == 0 ? .json : .cloudEvents, isBatch: index % 3 == 0)
      let signatures = secrets.map { $0.signature(id: message.id, timestamp: now, body: message.body) }
      requests.append([
        "id": message.id, "timestamp": "\(now)", "signature": signatures.joined(separator: " "),
        "body": Data(message.body).base64EncodedString(),
      ])
    }
    let script = """
      import base64, json, sys
      from standardwebhooks.webhooks import Webhook, WebhookVerificationError
      requests = json.load(open(sys.argv[1]))
      assert len(requests) == 20
      for secret in \(texts):
        for request in requests:
          headers = {"webhook-" + name: request[name] for name in ["id", "timestamp", "signature"]}
          body = base64.b64decode(request["body"])
          Webhook(secret).verify(body, headers)
          try: Webhook(secret).verify(body + b" ", headers)
          except WebhookVerificationError: continue
          raise SystemExit("a forged body was accepted")
      """
    #expect(Self.complaint(script, input: try JSONSerialization.data(withJSONObject: requests)) == nil)
  }

  @Test(.enabled(if: hasPython("email"), "Python is not here"))
  func `Python's email package reads the forms of scans with pictures`() throws {
    let forms = randomRecords(20).enumerated().map { index, record in
      let bytes = (0..<3000).map { _ in UInt8.random(in: index < 10 ? 0...255 : 10...13) }
      let picture = PicturedScan.Picture(fileName: "scan-\(record.id).webp", mediaType: "image/webp", bytes: bytes)
      let message = WebhookMessage(PicturedScan(record, picture), body: index % 2 == 0 ? .json : .cloudEvents)
      return [
        "type": message.contentType, "body": Data(message.body).base64EncodedString(), "id": message.id,
        "picture": Data(bytes).base64EncodedString(),
      ]
    }
    let script = """
      import base64, email.policy, email.parser, json, sys
      forms = json.load(open(sys.argv[1]))
      assert len(forms) == 20
      for form in forms:
        head = f"Content-Type: {form['type']}\\r\\n\\r\\n".encode()
        parser = email.parser.BytesParser(policy=email.policy.HTTP)
        message = parser.parsebytes(head + base64.b64decode(form["body"]))
        assert not message.defects, message.defects
        record, picture = message.get_payload()
        names = [part.get_param("name", header="content-disposition") for part in (record, picture)]
        assert names == ["record", "picture"], names
        assert record.get_content_type() in ("application/json", "application/cloudevents+json")
        assert json.loads(record.get_payload(decode=True))["id"] == form["id"]
        assert picture.get_content_type() == "image/webp"
        assert picture.get_payload(decode=True) == base64.b64decode(form["picture"])
        assert picture.get_filename() == f"scan-{form['id']}.webp", picture.get_filename()
      """
    #expect(Self.complaint(script, input: try JSONSerialization.data(withJSONObject: forms)) == nil)
  }

  @Test(.enabled(if: hasPython("cloudevents"), "Python's cloudevents is not here: pip install cloudevents"))
  func `Python's cloudevents reads the events`() throws {
    let events = randomRecords(50).map { String(decoding: CloudEvent($0).jsonLine(), as: UTF8.self) }
    let script = """
      import json, sys
      try: from cloudevents.v1.http import from_json
      except ImportError: from cloudevents.http import from_json
      lines = open(sys.argv[1], encoding="utf-8", newline="\\n").read().split("\\n")
      assert len(lines) == 50
      for line in lines:
        event = from_json(line)
        plain = json.loads(line)
        kind = "reticle.no-read" if "noRead" in plain["data"] else "reticle.scan"
        assert event["specversion"] == "1.0" and event["type"] == kind
        assert event["id"] == plain["data"]["id"] and event["source"].startswith("/reticle/stations/")
        assert event["sequence"].isdigit() and event.data == plain["data"]
      """
    #expect(Self.complaint(script, input: Data(events.joined(separator: "\n").utf8)) == nil)
  }
}
