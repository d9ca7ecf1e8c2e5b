@testable import DeliveryModel
#if Console

  import BarcodeTypes
  import CoreMetrics
  import Outbox
  import Devices
  import Foundation
  import HTTPServer
  import Logging
  import ScanControl
  import ServiceLifecycle
  import Synchronization
  import TestClient
  import Testing

  @testable import StationConfiguration
  @testable import ScanLoop
  @testable import StationConsole
  @testable import StationGrading
  @testable import ConsoleServer
  @testable import Station

  @Suite(.timeLimit(.minutes(1))) struct ConsoleTests {
    private let metrics = MetricsRegistry()
    private let inspector = StationInspector()
    private let basket = Basket()
    private let torch = SimulatedTorch()

    /// Asks the server without a socket.
    private struct Client {
      let handler: HTTPHandler

      func get(_ path: String, _ fields: HTTPFields = [:]) async -> HTTPResponse {
        await handler(HTTPRequest(method: "GET", target: path, fields: fields))
      }

      func post(_ path: String, _ fields: HTTPFields = [:], json: String? = nil) async -> HTTPResponse {
        var fields = fields
        if json != nil { fields["Content-Type"] = "application/json" }
        return await handler(
          HTTPRequest(method: "POST", target: path, fields: fields, body: Array((json ?? "").utf8)))
      }
    }

    /// Runs `body` with a client of the console, which has an outbox of its own.
    private func ask(
      tokens: [ConsoleRole: String] = [:], report change: @escaping @Sendable (inout DeliveryReport) -> Void = { _ in },
      sights adjust: (inout ConsoleSights) -> Void = { _ in }, _ body: (Client) async throws -> Void
    ) async throws {
      let path = FileManager.default.temporaryDirectory.appendingPathComponent("reticle-\(UUID()).sqlite").path
      defer {
        for end in ["", "-wal", "-shm", "-station"] { try? FileManager.default.removeItem(atPath: path + end) }
      }
      var configuration = StationConfiguration()
      configuration.outbox.path = path
      let delivery = try await StationDelivery(
        configuration, logger: Logger(label: "test"), keyboard: { _ in SimulatedKeyboard() },
        scanner: { _ in SimulatedScanner() }
      ) { _ in SimulatedSerialPort() }
      var sights = ConsoleSights(
        version: "1", metrics: metrics, inspector: inspector, delivery: delivery, configuration: configuration,
        history: ReadHistory(), sessions: ConsoleSessions())
      sights.report = {
        var report = await delivery.report()
        change(&report)
        return report
      }
      adjust(&sights)
      let gate = ConsoleGate(access: ConsoleAccess(tokens: tokens), sessions: sights.sessions)
      try await body(Client(handler: Console.handler(sights, gate)))
      await delivery.outbox.close()
    }

    /// Runs a scanning station for the duration of `body`.
    private func whileScanning(
      _ texts: [String], settings: ScanSettings = ScanSettings(), sensor: SensorReading = SensorReading(),
      _ body: () async throws -> Void
    ) async throws {
      let script: [SimulatedCamera.Step] = (0..<20_000).map { .frame(picture(of: texts[$0 % texts.count])) }
      let source = SimulatedCamera(script: script, period: .milliseconds(5), keepsEveryFrame: false, time: BootTime())
      source.sensor = sensor
      var parts = StationParts(source: source, reading: TopRowReading(), forwarding: basket)
      parts.inspector = inspector
      parts.scan.metrics = metrics
      parts.scan.torch = torch
      let station = Station(settings: settings, parts: parts, logger: Logger(label: "test"), signals: [])
      async let run: Void = station.run()
      // A frame proves that the camera records; before that, the first session may not even have been requested.
      while settings.entry == .boot { if case .snapshot = await inspector.snapshot() { break } }
      try await body()
      await station.shutDown()
      try await run
    }

    @Test func `the server reports liveness, counts and the state of delivery`() async throws {
      metrics.makeCounter(label: "reticle_scans_total", dimensions: []).increment(by: 7)
      try await ask { client in
        let livez = await client.get("/livez")
        #expect(livez.status == 200 && livez.text == "ok\n")
        let figures = await client.get("/metrics")
        #expect(figures.fields["Content-Type"] == MetricsRegistry.contentType)
        #expect(figures.text.contains("reticle_scans_total 7\n"))
        let status = await client.get("/status")
        #expect(status.fields["Content-Type"] == "application/json")
        let report = try JSONSerialization.jsonObject(with: Data(status.text.utf8)) as? [String: Any]
        let outbox = report?["outbox"] as? [String: Any]
        #expect(["power-cut", "process"].contains(outbox?["durability"] as? String))
        #expect((report?["sinks"] as? [[String: Any]])?.first?["phase"] as? String == "idle")
        let page = await client.get("/")
        #expect(page.fields["Content-Type"] == "text/html; charset=utf-8")
        #expect(page.fields["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
        #expect(await client.get("/elsewhere").status == 404)
        #expect(await client.handler(HTTPRequest(method: "HEAD", target: "/livez")).status == 200)
      }
    }

    @Test func `P1: trends of print are in the status, and an alarm is a warning with its remedy`() async throws {
      let trends = PrintReport(lines: [
        PrintReport.Line(sink: "dock", symbology: "ean13", mean: 3.714, gradeCount: 20, isAlarmed: false),
        PrintReport.Line(sink: "erp", symbology: "qr", mean: 1.6, gradeCount: 12, isAlarmed: true),
      ])
      try await ask(sights: { $0.print = { trends } }) { client in
        func object(_ path: String) async throws -> [String: Any] {
          try #require(try JSONSerialization.jsonObject(with: Data(await client.get(path).text.utf8)) as? [String: Any])
        }
        let print = try #require(try await object("/status")["print"] as? [String: Any])
        let lines = try #require(print["lines"] as? [[String: Any]])
        #expect(lines.map { $0["grade"] as? Double } == [3.71, 1.6] && lines.map { $0["letter"] as? String } == ["A", "C"])
        #expect(lines.map { $0["isAlarmed"] as? Bool } == [false, true])
        #expect((print["limitation"] as? String)?.contains("not for verification") == true)
        let findings = try #require(try await object("/api/health")["findings"] as? [[String: Any]])
        let finding = try #require(findings.first { $0["area"] as? String == "print" })
        #expect(findings.count == 1 && finding["state"] as? String == "warning")
        #expect(finding["summary"] as? String == "qr symbols for erp are badly printed: 1.6 (C) on average")
        #expect((finding["remedy"] as? String)?.hasPrefix("Change the ribbon") == true)
        // Badly printed labels are scanned and delivered: the station is ready as before.
        #expect(await client.get("/readyz").text.contains("print") == false)
      }
      try await ask { client in #expect(await !client.get("/status").text.contains("\"print\"")) }
    }

    @Test func `metrics say what time the station has, and when its certificates end`() async throws {
      try await ask(sights: { $0.certificateEnds = { ["console": 4_859_740_800, "mqtt": 1_900_000_000] } }) { client in
        let text = await client.get("/metrics").text
        #expect(text.contains("reticle_certificate_end_seconds{certificate=\"console\"} 4859740800.0\n"))
        #expect(text.contains("reticle_certificate_end_seconds{certificate=\"mqtt\"} 1900000000.0\n"))
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("reticle_clock_seconds ") })
        let seconds = try #require(Double(line.split(separator: " ")[1]))
        #expect(abs(seconds - Date().timeIntervalSince1970) < 10)
      }
    }

    @Test func `C8: the status reports the camera's state and its sensor's values`() async throws {
      try await whileScanning(["LABEL"], sensor: reading) {
        try await ask { client in
          let status = await client.get("/status")
          let report = try JSONSerialization.jsonObject(with: Data(status.text.utf8)) as? [String: Any]
          let camera = try #require(report?["camera"] as? [String: Any])
          #expect(camera["state"] as? String == "available" && camera["permission"] as? String == "authorized")
          let sensor = try #require(camera["sensor"] as? [String: Any])
          #expect(sensor["exposureMicroseconds"] as? Int == 498 && sensor["gain"] as? Double == 2.5)
          #expect(sensor["frameDurationMicroseconds"] as? Int == 33_333 && sensor["lensDioptres"] as? Double == 5.5)
          #expect(report?["outbox"] != nil && report?["sinks"] != nil)
          #expect(report?["session"] as? String == "scanning" && report?["torch"] as? String == "off")
          #expect(report?["screen"] == nil, "this station has no screen")
          #expect(await inspector.carryOut(.disable) == .done)
          while await !client.get("/status").text.contains("\"applicationInBackground\"") {
            try await Task.sleep(for: .milliseconds(5))
          }
        }
      }
    }

    private var reading: SensorReading {
      var reading = SensorReading()
      reading.exposureMicroseconds = 498
      reading.gain = 2.5
      reading.frameDurationMicroseconds = 33_333
      reading.lensPosition = 5.5
      return reading
    }

    @Test func `W4: the state has the name and the value of each control, for the page and for programs`() async throws {
      var settings = ScanSettings()
      settings.confirmation = .always
      try await whileScanning(["<b>A</b>&"], settings: settings) {
        try await ask { client in
          var state = ""
          while !state.contains("\"Go\"") {
            state = await client.get("/api/status").text
            try await Task.sleep(for: .milliseconds(5))
          }
          #expect(state.contains(#"{"hasFocus":true,"name":"Code 128","value":"<b>A</b>&"}"#))
          #expect(state.contains("\"Cancel\""))
          #expect(await client.post("/cancel").status == 204)
          while !state.contains(#"{"hasFocus":false,"name":"Light","value":"Off"}"#) {
            state = await client.get("/api/status").text
            try await Task.sleep(for: .milliseconds(5))
          }
        }
      }
    }

    @Test func `a station that scans is ready; one that has not begun is not`() async throws {
      try await ask { client in
        let response = await client.get("/readyz")
        #expect(response.status == 503 && response.text == "the station is starting\n")
      }
      try await whileScanning(["LABEL"]) {
        try await ask { client in
          let response = await client.get("/readyz")
          #expect(response.status == 200 && response.text == "ready\n")
        }
      }
    }

    @Test func `a station whose scans are not safe or not delivered is not ready, and each reason is one line`() async throws
    {
      try await whileScanning(["LABEL"]) {
        try await ask { report in
          report.outbox.trouble = "outbox /x: no space left"
          report.outbox.inMemoryCount = 3
          report.sinks[0].phase = "parked"
          report.sinks[0].isHeldUp = true
          report.sinks[0].problem = "https://x answered 404: \u{1B}[2J\nready\n<script>"
        } _: { client in
          let response = await client.get("/readyz")
          #expect(response.status == 503)
          #expect(
            response.text == """
              outbox /x: no space left
              3 scans are in memory only and are lost if the station stops
              stdout is parked: https://x answered 404: \\x1b[2J\\nready\\n<script>

              """)
          #expect(response.fields["Content-Type"] == "text/plain; charset=utf-8")
          #expect(response.fields["X-Content-Type-Options"] == "nosniff")
        }
      }
    }

    @Test(arguments: [
      (
        SourceFailure.Cause.nothingMatches, "the camera is not there",
        "connect the camera, or correct camera.id and camera.model"
      ),
      (.cannotBeOpened, "the camera cannot be opened", "read the cause in the log, or connect the camera again"),
      (.streamsCannotBeConfigured, "the camera has no picture of this size", "set camera.size to another size"),
      (.noLumaStream, "the camera gives no picture that can be read", "choose another camera.format, camera or picture"),
      (.runtimeError, "the camera has failed", "check the camera's cable, or connect it again"),
      (.disconnected, "the camera is gone", "connect the camera again"),
      (.silent, "the camera sends no picture", "check the camera's cable and power"),
    ])
    func `C1: each fault of a source has one cause and one remedy in every report`(
      cause: SourceFailure.Cause, title: String, remedy: String
    ) {
      let dialog = Dialog.failed(CameraFailure(SourceFailure(cause, "csi0: as it said")))
      #expect(dialog.sentence == "\(title): csi0: as it said; \(remedy)")
      #expect(SessionState.failed(dialog).trouble(isCameraLoaded: false) == "\(title): csi0: as it said")
    }

    @Test func `the status says why a session does not scan`() {
      let failure = CameraFailure(.silent, detail: "imx708: no frame for 2 s")
      func trouble(_ state: SessionState) -> String? { state.trouble(isCameraLoaded: true) }
      #expect(trouble(.failed(.failed(failure))) == "the camera sends no picture: imx708: no frame for 2 s")
      #expect(trouble(.failed(.permissionDenied)) == "the camera may not be used")
      #expect(trouble(.switchedOff) == "the scanner is switched off")
      // A station is ready while it waits for its trigger, and between two sessions.
      #expect(trouble(.idle) == nil)
      #expect(trouble(.waiting(.forTrigger)) == nil)
      #expect(trouble(.opening) == nil)
      #expect(SessionState.opening.trouble(isCameraLoaded: false) == "the camera is starting")
    }

    @Test func `a client with the token gets access, in the form of a program or of a browser`() async throws {
      let basic = "Basic " + Data("anyone:s3cret:with colon".utf8).base64EncodedString()
      try await ask(tokens: [.configure: "s3cret:with colon"]) { client in
        for (header, status) in [
          (nil, 401), ("Bearer s3cret:with colon", 200), (basic, 200), ("Bearer s3cret", 401),
          ("Bearer s3cret:with colonx", 401), ("Bearer", 401), ("Basic s3cret:with colon", 401), ("Digest x", 401),
        ] as [(String?, Int)] {
          let response = await client.get("/status", header.map { ["Authorization": $0] } ?? [:])
          #expect(response.status == status, "\(header ?? "none")")
        }
        #expect(await client.get("/livez").status == 200)
        #expect(await client.get("/snapshot.jpg").status == 401)
      }
    }

    @Test
    func `after ten wrong tokens, a client's tokens are checked one per second, even the right one, and others' at once`()
      async
    {
      let begin = ContinuousClock.now
      let time = Mutex(begin)
      let told = Mutex<[String]>([])
      var gate = ConsoleGate(access: ConsoleAccess(tokens: [.configure: "s3cret"]), sessions: ConsoleSessions())
      gate.now = { time.withLock { $0 } }
      gate.pause = { wait in time.withLock { $0 += wait } }
      gate.onGuessLimit = { peer in told.withLock { $0.append(peer) } }
      let answer: @Sendable (HTTPRequest, Visitor) async -> HTTPResponse = { _, _ in HTTPResponse(200, text: "in\n") }
      var router = HTTPRouter()
      router.on("GET", "/status", gate.guarding(.get("/status", .look, "", .nothing, answer)))
      router.on("GET", "/livez", gate.guarding(.get("/livez", nil, "", .nothing, isOpenToAll: true, answer)))
      let handler: HTTPHandler = router.respond
      func status(_ token: String?, from peer: String = "10.0.0.9", path: String = "/status") async -> Int {
        let fields: HTTPFields = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
        return await handler(HTTPRequest(method: "GET", target: path, fields: fields, peer: peer)).status
      }
      for _ in 0..<20 { #expect(await status(nil) == 401) }
      for guess in 0..<10 { #expect(await status("guess \(guess)") == 401) }
      #expect(time.withLock { $0 } == begin)
      #expect(told.withLock { $0 } == ["10.0.0.9"])
      // The client is let in one second later.
      #expect(await status("s3cret") == 200)
      #expect(time.withLock { $0 } - begin == .seconds(1))
      for _ in 0..<3 { #expect(await status("guess") == 401) }
      #expect(time.withLock { $0 } - begin >= .seconds(4))
      #expect(await status(nil) == 401)
      #expect(await status(nil, path: "/livez") == 200)
      let before = time.withLock { $0 }
      #expect(await status("s3cret", from: "10.0.0.8") == 200)
      #expect(time.withLock { $0 } == before)
      time.withLock { $0 += .seconds(61) }
      #expect(await status("s3cret") == 200)
      #expect(time.withLock { $0 } - before == .seconds(61))
    }

    @Test func `only a few tokens of a guessing client wait`() {
      let (brake, now) = (GuessBrake(), ContinuousClock.now)
      for _ in 0..<GuessBrake.countMax { _ = brake.noteWrong(from: "10.0.0.9", at: now) }
      let waits = (0..<6).map { _ in brake.wait(of: "10.0.0.9", at: now) }
      #expect(waits == [.seconds(1), .seconds(2), .seconds(3), nil, nil, nil])
      #expect(brake.wait(of: "10.0.0.9", at: now + .seconds(1)) == .seconds(3))
      #expect(brake.wait(of: "10.0.0.8", at: now) == .zero)
    }

    @Test func `without a token, a foreign host name that points to the station gets no access`() async throws {
      try await ask { client in
        for host in ["localhost", "localhost:9470", "127.0.0.1:9470", "[::1]:9470", "LOCALHOST"] {
          #expect(await client.get("/status", ["Host": host]).status == 200, "\(host)")
        }
        for host in [
          "evil.example", "127.0.0.1.evil.example:9470", "localhost.evil.example", "[::2]", "", "[::1]evil.example",
          "[::1].evil.example:9470", "localhost:x",
          "127.0.0.1:9470.evil.example",
        ] {
          #expect(await client.get("/status", ["Host": host]).status == 403, "\(host)")
        }
      }
    }

    @Test func `the text of a barcode is in no answer and no metric label`() async throws {
      let hostile = "<script>alert(1)</script>\u{1B}[2J\"\n\\"
      try await whileScanning([hostile]) {
        try await ask { client in
          for path in ["/metrics", "/status", "/readyz", "/"] {
            #expect(await !client.get(path).text.contains("alert"), "\(path)")
          }
        }
      }
    }

    /// Waits until the summary contains some words.
    private func awaits(_ words: String) async throws -> Bool {
      for _ in 0..<2000 {
        if await inspector.state()?.controller.summary.contains(words) == true { return true }
        try await Task.sleep(for: .milliseconds(5))
      }
      return false
    }

    @Test func `S1, N2: the control interface does what the station's buttons do`() async throws {
      var settings = ScanSettings()
      settings.entry = .shortcut
      settings.confirmation = .always
      settings.reopening = .onTrigger
      settings.repeatAbsence = .milliseconds(1)
      try await whileScanning(["LABEL"], settings: settings) {
        try await ask { client async throws in
          func post(_ command: String) async {
            let response = await client.post("/" + command)
            #expect(response.status == 204 && response.text.isEmpty, "\(command)")
          }
          #expect(try await awaits("session=idle"))
          await post("open")
          #expect(try await awaits("session=reviewing"))
          #expect(basket.texts.isEmpty)
          await post("confirm")
          #expect(try await awaits("session=waiting"))
          #expect(basket.texts == ["LABEL"])
          await post("trigger")
          #expect(try await awaits("session=reviewing"))
          // The state says so, too.
          let state = await client.get("/api/status").text
          #expect(state.contains("\"session\":\"reviewing\"") && state.contains("\"torch\":\"off\""))
          await post("cancel")
          #expect(try await awaits("session=waiting"))
          #expect(basket.texts == ["LABEL"])
        }
      }
      #expect(metrics.exposition().contains("reticle_user_actions_total{action=\"IOS.Spotlight.Action\"} 1\n"))
    }

    @Test func `a command without effect is answered as such`() async throws {
      try await whileScanning([""]) {
        try await ask { client async throws in
          for command in ["confirm", "next", "open", "trigger", "enable", "turn"] {
            let response = await client.post("/" + command)
            #expect(response.status == 409 && response.text == "there is nothing for \(command) to do\n", "\(command)")
          }
        }
      }
    }

    @Test func `T3, T4: the control interface switches the torch, which is counted once and shown in the status`()
      async throws
    {
      try await whileScanning([""]) {
        try await ask { client async throws in
          for state in ["on", "off"] {
            #expect(await client.post("/torch").status == 204)
            #expect(try await awaits("session=scanning torch=\(state)"))
            #expect(torch.isOn == (state == "on"))
          }
        }
      }
      #expect(metrics.exposition().contains("reticle_user_actions_total{action=\"MobileQRScannerTorchOn\"} 1\n"))
    }

    @Test func `a command needs the token and a station, and must not come from a page of another host`() async throws {
      try await ask(tokens: [.configure: "s3cret"]) { client in
        #expect(await client.post("/torch").status == 401)
        let known: HTTPFields = ["Authorization": "Bearer s3cret"]
        let early = await client.post("/torch", known)
        #expect(early.status == 503 && early.text == "the station is starting\n")
        // A browser that has the token sends it with requests caused by any page.
        for (name, value) in [("Origin", "http://evil.example"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site")] {
          var fields = known
          fields[name] = value
          #expect(await client.post("/torch", fields).status == 403, "\(value)")
        }
        // Reading has no effect.
        #expect(await client.get("/torch", known).status == 405)
        let policy = await client.get("/").fields["Content-Security-Policy"] ?? ""
        #expect(policy.contains("script-src 'self'") && policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe"))
      }
    }

    @Test(
      arguments: [
        (nil, nil, true), ("http://localhost:9470", nil, true), ("https://LOCALHOST:9470", nil, true),
        ("http://localhost:80", nil, false), ("http://localhost:9470.evil.example", nil, false), ("null", nil, false),
        ("", nil, false), ("http://evil.example", "same-origin", true), (nil, "none", true), (nil, "same-site", false),
        ("http://localhost:9470", "cross-site", false),
      ] as [(String?, String?, Bool)])
    func `the station's own pages are distinguished from others`(origin: String?, site: String?, isOwn: Bool) {
      #expect(ConsoleAccess.isOwnPage(origin: origin, site: site, host: "localhost:9470") == isOwn)
      #expect(!ConsoleAccess.isOwnPage(origin: origin ?? "http://x", site: site.map { _ in "cross-site" }, host: nil))
    }

    @Test func `a request for a snapshot gets a picture while the camera records, and the reason while it does not`()
      async throws
    {
      try await ask { client in
        let response = await client.get("/snapshot.jpg")
        #expect(response.status == 503 && response.text == "the camera gives no frames; see /readyz\n")
      }
      try await whileScanning(["LABEL"]) {
        try await ask { client in
          let response = await client.get("/snapshot.jpg")
          guard case .bytes(let file) = response.body else {
            Issue.record("no file")
            return
          }
          #expect(response.status == 200 && file.starts(with: [0xFF, 0xD8]))
          #expect(response.fields["Content-Type"] == "image/jpeg" && response.fields["Cache-Control"] == "no-store")
        }
      }
    }

    @Test func `pictures of scans are served by id and ending, and what is missing says why`() async throws {
      let id = "0198c2b6-7f00-7abc-8def-0123456789ab"
      try await ask { off in
        #expect(await off.get("/scans/\(id).webp").text == "the station keeps no pictures; see pictures.of\n")
      }
      let keeper: @Sendable (ScanID) async -> ScanPicture = { asked in
        asked.description == id ? .file(bytes: [1, 2, 3], mediaType: "image/webp") : .none("it was lost: disk full")
      }
      try await ask(sights: { $0.picture = keeper }) { client in
        let picture = await client.get("/scans/\(id).webp")
        #expect(picture.status == 200 && picture.fields["Content-Type"] == "image/webp")
        #expect(picture.text == "\u{1}\u{2}\u{3}" && picture.fields["Cache-Control"] == "no-store")
        let other = await client.get("/scans/\(id).jpg")
        #expect(other.status == 404 && other.text == "the picture of this scan has the ending .webp\n")
        let lost = await client.get("/scans/0198c2b6-7f00-7abc-8def-0123456789ac.webp")
        #expect(lost.status == 404 && lost.text == "there is no picture of this scan: it was lost: disk full\n")
        for name in ["", "../status", "%2e%2e%2fstatus.webp", id, "\(id).png", "a.b.webp"] {
          #expect(await client.get("/scans/\(name)").status == 404, "\(name)")
        }
      }
      try await ask(tokens: [.configure: "0123456789abcdef"], sights: { $0.picture = keeper }) { guarded in
        #expect(await guarded.get("/scans/\(id).webp").status == 401)
      }
    }

    // MARK: Roles and sessions

    private static let tokens: [ConsoleRole: String] = [
      .look: "look-look-look-look", .operate: "operate-operate-op", .configure: "configure-configure",
    ]

    @Test func `a role may do what it may, and nothing more`() async throws {
      try await ask(tokens: Self.tokens) { client in
        func status(_ role: ConsoleRole?, _ method: String, _ path: String, _ body: String = "") async -> Int {
          var fields: HTTPFields = ["Content-Type": "application/json"]
          if let role { fields["Authorization"] = "Bearer \(Self.tokens[role] ?? "")" }
          return await client.handler(
            HTTPRequest(method: method, target: path, fields: fields, body: Array(body.utf8))
          ).status
        }
        for (method, path, body, least) in [
          ("GET", "/api/scans", "", ConsoleRole.look), ("GET", "/api/sinks", "", .look), ("GET", "/api/health", "", .look),
          ("POST", "/api/sinks/stdout/retry", "", .operate), ("POST", "/api/sinks/stdout/test", "", .operate),
          ("POST", "/api/sinks/stdout/dead-letters/retry", "{}", .operate),
          ("POST", "/api/sinks/stdout/dead-letters/purge", "{}", .configure),
          ("POST", "/api/rules/test", #"{"labels":[{"symbology":"qr","text":"A"}]}"#, .configure),
        ] {
          #expect(await status(nil, method, path, body) == 401, "\(path)")
          for role in ConsoleRole.allCases {
            let answer = await status(role, method, path, body)
            #expect(role >= least ? (200..<300).contains(answer) : answer == 403, "\(role) \(path): \(answer)")
          }
        }
        #expect(await client.get("/api/session").text.contains("\"wantsLogin\":true"))
        #expect(await client.get("/").status == 200, "the page itself is for everyone: it logs in")
        let error = await client.get("/api/scans")
        #expect(error.text == "{\"error\":\"log in, or send the token of console.token_file\"}\n")
        #expect(error.fields["WWW-Authenticate"] == "Bearer realm=\"reticle\"", "no browser asks for a password itself")
      }
    }

    @Test func `a browser logs in, shows the proof with what it changes, and logs out`() async throws {
      try await ask(tokens: Self.tokens) { client in
        #expect(await client.post("/api/login", json: #"{"token":"guess"}"#).status == 401)
        let login = await client.post("/api/login", json: #"{"token":"operate-operate-op"}"#)
        #expect(login.status == 200 && login.text.contains("\"role\":\"operate\""))
        let cookie = login.fields["Set-Cookie"] ?? ""
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Path=/"))
        #expect(!login.text.contains(cookie.split(separator: "=")[1].prefix(20)), "no script sees the secret")
        let session: HTTPFields = ["Cookie": "other=1; " + cookie.prefix { $0 != ";" }]
        #expect(await client.get("/api/scans", session).status == 200)
        #expect(await client.post("/api/sinks/stdout/retry", session).status == 403, "without the proof")
        let report = await client.get("/api/session", session).text
        let proof = try #require(report.firstMatch(of: /"csrf":"([0-9a-f]{64})"/)).1
        var proven = session
        proven["X-Reticle-CSRF"] = String(proof)
        #expect(await client.post("/api/sinks/stdout/retry", proven).status == 200)
        proven["Origin"] = "http://evil.example"
        #expect(await client.post("/api/sinks/stdout/retry", proven).status == 403)
        #expect(await client.post("/api/logout", session).status == 204)
        #expect(await client.get("/api/scans", session).status == 401)
      }
    }

    @Test func `a session ends when it is not used, and after half a day`() {
      let sessions = ConsoleSessions()
      let start = ContinuousClock.now
      let idle = sessions.open(token: [1], at: start).secret
      #expect(sessions.use(idle, at: start + .seconds(29 * 60)) != nil)
      #expect(sessions.use(idle, at: start + .seconds(58 * 60)) != nil)
      #expect(sessions.use(idle, at: start + .seconds(89 * 60)) == nil)
      let busy = sessions.open(token: [1], at: start).secret
      for minute in stride(from: 20, to: 720, by: 20) {
        #expect(sessions.use(busy, at: start + .seconds(minute * 60)) != nil)
      }
      #expect(sessions.use(busy, at: start + .seconds(721 * 60)) == nil)
      let first = sessions.open(token: [1], at: start).secret
      for second in 1...ConsoleSessions.countMax { _ = sessions.open(token: [1], at: start + .seconds(second)) }
      #expect(sessions.use(first, at: start + .seconds(300)) == nil)
      #expect(sessions.use("", at: start) == nil)
    }

    @Test func `the printed code opens one session, whose token stays`() {
      let code = OneTimeCode()
      #expect(code.text.wholeMatch(of: /[A-Z2-9]{4}-[A-Z2-9]{4}-[A-Z2-9]{4}/) != nil)
      let access = ConsoleAccess(tokens: [.configure: "token-token-token"], trustsThisMachine: true, code: code)
      func role(_ typed: String) -> ConsoleRole? { access.role(of: access.token(typed: Array(typed.utf8))) }
      #expect(role("wrong") == nil)
      #expect(role(code.text.lowercased().replacing("-", with: " ")) == .configure)
      #expect(role(code.text) == nil, "once")
      #expect(role("token-token-token") == .configure)
    }

    @Test func `a client that has guessed waits with the printed code, too`() async {
      let code = OneTimeCode()
      let access = ConsoleAccess(tokens: [.configure: "token-token-token"], code: code)
      var gate = ConsoleGate(access: access, sessions: ConsoleSessions())
      let waits = Mutex<[Duration]>([])
      gate.pause = { wait in waits.withLock { $0.append(wait) } }
      for _ in 0..<GuessBrake.countMax {
        #expect(await gate.check(Array("guess".utf8), from: "10.0.0.9", isTyped: true) == .wrong)
      }
      let before = waits.withLock { $0.count }
      let typed = Array(code.text.utf8)
      #expect(await gate.check(typed, from: "10.0.0.9") == .wrong, "no program sends the code")
      let verdict = await gate.check(typed, from: "10.0.0.9", isTyped: true)
      #expect(verdict == .right(.configure, token: Array("token-token-token".utf8)))
      #expect(before == 0 && waits.withLock { $0.count } == 2)
    }

    // MARK: The API

    @Test func `scans are listed with what became of them, searched, and written as a table without formulas`() async throws
    {
      try await ask(sights: { sights in
        let (delivery, report) = (sights.delivery, sights.report)
        sights.report = {
          if await delivery.outbox.newest(1).isEmpty {
            for text in ["=SUM(A1)", "a \"b\", c"] {
              var record = delivery.forwarding.testRecord(text: text, sink: "stdout")
              record.flags = []
              _ = await delivery.outbox.append([record])
            }
          }
          return await report()
        }
      }) { client in
        _ = await client.get("/status")
        let all = await client.get("/api/scans").text
        #expect(all.contains(#""deliveries":[{"sink":"stdout","state":"waiting"}]"#) && all.contains("\"kept\":1000"))
        let older = try #require(all.firstRange(of: "=SUM"))
        let newer = try #require(all.firstRange(of: "a \\\"b"))
        #expect(newer.lowerBound < older.lowerBound)
        let found = await client.get("/api/scans?search=sum&limit=5").text
        #expect(found.contains("=SUM") && !found.contains("a \\\"b"))
        #expect(await client.get("/api/scans?limit=0").status == 400)
        let table = await client.get("/api/scans.csv").text.split(separator: "\r\n")
        #expect(table.count == 3 && table[0].hasPrefix("\"captured\",\"sequence\",\"id\""))
        #expect(table[1].contains("\"a \"\"b\"\", c\"") && table[2].contains("\"'=SUM(A1)\""))
      }
    }

    @Test func `a test scan goes to its sink alone, and unknown sinks and bodies are refused`() async throws {
      try await ask { client in
        let test = await client.post("/api/sinks/stdout/test")
        let id = try #require(test.text.firstMatch(of: /"id":"([0-9a-f-]{36})"/)).1
        let scans = await client.get("/api/scans").text
        #expect(scans.contains(id) && scans.contains("\"flags\":[\"test\"]") && scans.contains("RETICLE TEST"))
        #expect(await client.post("/api/sinks/nobody/test").status == 404)
        #expect(await client.post("/api/sinks/stdout/dead-letters/retry").status == 415)
        #expect(await client.post("/api/sinks/stdout/dead-letters/retry", json: "[").status == 400)
        #expect(await client.post("/api/sinks/stdout/dead-letters/retry", json: #"{"number":7}"#).status == 200)
        #expect(await client.post("/api/sinks/stdout").status == 404)
      }
    }

    @Test func `rules are tried without a scan`() async throws {
      try await ask { client in
        let trial = await client.post("/api/rules/test", json: #"{"labels":[{"symbology":"ean13","text":"4006381333931"}]}"#)
        #expect(trial.status == 200 && trial.text.contains(#"{"head":"stdout","text":"sends: 4006381333931"}"#))
        for body in [
          #"{"labels":[]}"#, #"{"labels":[{"symbology":"x","text":"1"}]}"#,
          #"{"labels":[{"symbology":"qr","text":"1"}],"at":"25:00"}"#,
        ] {
          #expect(await client.post("/api/rules/test", json: body).status == 422)
        }
        #expect(await client.get("/api/scans").text.contains("\"scans\":[]"))
      }
    }

    @Test func `the description names each request once with its role, and refers to schemas that exist`() async throws {
      let surroundings = ConfigurationSurroundings(
        load: { text throws(ConfigurationError) in
          try StationConfiguration.load(text: text, of: "none", environment: [:])
        }, running: { StationConfiguration() }, replace: { _ in }, troubles: { [] }, elapsed: { .zero })
      try await ask(sights: { sights in
        sights.desk = ConfigurationDesk(
          path: "/nowhere/reticle.yaml", folder: "/nowhere", surroundings, logger: Logger(label: "test"))
        sights.firstStart = {
          FirstStart(cameras: [], serialDevices: [], board: "", stationName: "", firstText: "", token: "")
        }
      }) { client in
        let text = await client.get("/api/openapi.json").text
        let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let paths = try #require(object["paths"] as? [String: [String: Any]])
        #expect(paths.count > 40 && paths["/api/scans"]?["get"] != nil && paths["/api/sinks/{name}/test"]?["post"] != nil)
        let schemas = try #require((object["components"] as? [String: Any])?["schemas"] as? [String: Any])
        let named = Set(text.matches(of: /#\/components\/schemas\/([A-Za-z]+)/).map { String($0.1) })
        #expect(named == Set(schemas.keys))
      }
    }

    @Test func `every file that the page loads is served, and all of them are small`() async throws {
      try await ask { client in
        var byteCount = 0
        for name in PageFile.all.keys {
          let file = await client.get(name == "index.html" ? "/" : "/page/\(name)")
          #expect(file.status == 200)
          byteCount += file.text.utf8.count
          for part in file.text.matches(of: /(?:src|href|from |import\()\s*=?["']\.?(?:\/page)?\/([a-z]+\.[a-z]+)["']/) {
            #expect(PageFile.all[String(part.1)] != nil || part.1 == "card.svg", "\(name) loads \(part.1)")
          }
          #expect(!file.text.contains("http://") || name.hasSuffix(".svg") || name.hasSuffix(".js"), "\(name)")
        }
        #expect(byteCount < 150_000, "\(byteCount)")
        #expect(await client.get("/page/nothing.js").status == 404)
        #expect(await client.get("/card.svg").text.hasSuffix("</svg>\n"))
      }
    }

    @Test func `the live view sends each picture with its facts, and says so if there is none`() async throws {
      try await ask { client in #expect(await client.get("/api/live").status == 503) }
      try await whileScanning(["<b>ü"]) {
        try await ask { client in
          let response = await client.get("/api/live")
          #expect(response.fields["Content-Type"] == "multipart/x-mixed-replace; boundary=reticle")
          guard case .stream(let stream) = response.body else {
            Issue.record("no stream")
            return
          }
          var parts: [[UInt8]] = []
          for await part in stream {
            parts.append(part)
            if parts.count == 3 { break }
          }
          let text = String(decoding: parts[2].prefix(2000), as: UTF8.self)
          #expect(text.hasPrefix("--reticle\r\nContent-Type: image/jpeg\r\nContent-Length: "))
          let facts = try #require(text.firstMatch(of: /X-Reticle-Picture: (.*)\r\n/)).1
          #expect(facts.utf8.allSatisfy { $0 < 0x80 } && facts.contains("<b>\\u00fc") && facts.contains("\"sharpness\""))
        }
      }
    }

    @Test func `news are the scans that come while somebody listens, and the state`() async throws {
      try await ask { client in
        let response = await client.get("/api/events")
        guard case .stream(let stream) = response.body else {
          Issue.record("no stream")
          return
        }
        var events = ""
        for await part in stream {
          events += String(decoding: part, as: UTF8.self)
          if events.contains("event: state\n"), !events.contains("event: scan\n") {
            _ = await client.post("/api/sinks/stdout/test")
          }
          if events.contains("RETICLE TEST") { break }
        }
        #expect(events.contains("event: scan\ndata: {\"aim\":\"]C0\""))
        #expect(events.contains("\"troubles\":[\"the station is starting\"]"))
      }
    }

    @Test func `over the wire, the server answers, counts the limits that are hit, and ends with the station`() async throws
    {
      let port = try TestClient.freePort()
      var kept: ConsoleSights?
      try await ask(sights: { kept = $0 }) { _ in }
      let server = Console(
        address: "127.0.0.1", port: port, access: ConsoleAccess(tokens: [:]), sights: try #require(kept),
        logger: Logger(label: "test"))
      let group = ServiceGroup(services: [server], logger: Logger(label: "test"))
      async let run: Void = group.run()
      for _ in 0..<1000 where (try? TestClient(port: port)) == nil { try await Task.sleep(for: .milliseconds(5)) }
      let head = try await TestClient.ask(port, "/livez", method: "HEAD")
      #expect(head.status == 200 && head.fields["content-length"] == "3" && head.fields["cache-control"] == "no-store")
      let field = String(repeating: "x", count: 20_000)
      #expect(try await TestClient.ask(port, "/livez", fields: ["X-Long": field]).status == 431)
      #expect(try await TestClient.ask(port, "/metrics").text.contains("reticle_console_limits_total{limit=\"head\"} 1\n"))
      // A second server finds the port taken and still waits for its shutdown.
      let second = ServiceGroup(services: [server], logger: Logger(label: "test"))
      async let secondRun: Void = second.run()
      try await Task.sleep(for: .milliseconds(50))
      await second.triggerGracefulShutdown()
      try await secondRun
      await group.triggerGracefulShutdown()
      try await run
      #expect(throws: TestClientError.self) { try TestClient(port: port) }
    }
  }

  extension HTTPResponse {
    /// The body as text; empty for a stream.
    fileprivate var text: String {
      guard case .bytes(let bytes) = body else { return "" }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

#endif
