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
  @testable import Station

  @Suite(.timeLimit(.minutes(1))) struct StatusServerTests {
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

      func post(_ path: String, _ fields: HTTPFields = [:]) async -> HTTPResponse {
        await handler(HTTPRequest(method: "POST", target: path, fields: fields))
      }
    }

    /// Runs `body` with a client of the server, which has an outbox of its own.
    private func ask(
      token: String? = nil, report change: @escaping @Sendable (inout DeliveryReport) -> Void = { _ in },
      _ body: (Client) async throws -> Void
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
      let sights = ConsoleSights(metrics: metrics, inspector: inspector) {
        var report = await delivery.report()
        change(&report)
        return report
      } makePNG: { picture in
        // Not a PNG, but enough to recognise the picture in the answer.
        Array("\(picture.width)x\(picture.height)".utf8)
      }
      try await body(Client(handler: StatusServer.handler(sights, ConsoleAccess(token: token))))
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

    @Test func `W4: the page gives the name and the value of each control, and never interprets a value as markup`()
      async throws
    {
      var settings = ScanSettings()
      settings.confirmation = .always
      try await whileScanning(["<b>A</b>&"], settings: settings) {
        try await ask { client in
          var page = ""
          while !page.contains("Go") {
            page = await client.get("/view").text
            try await Task.sleep(for: .milliseconds(5))
          }
          #expect(page.contains("<li aria-current=\"true\"><b>Code 128: &lt;b&gt;A&lt;/b&gt;&amp;</b></li>"))
          #expect(page.contains("<li>Cancel</li><li>Go</li>"))
          #expect(await client.post("/cancel").status == 204)
          while !page.contains("<li>Light: Off</li>") {
            page = await client.get("/view").text
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
      try await ask(token: "s3cret:with colon") { client in
        for (header, status) in [
          (nil, 401), ("Bearer s3cret:with colon", 200), (basic, 200), ("Bearer s3cret", 401),
          ("Bearer s3cret:with colonx", 401), ("Bearer", 401), ("Basic s3cret:with colon", 401), ("Digest x", 401),
        ] as [(String?, Int)] {
          let response = await client.get("/status", header.map { ["Authorization": $0] } ?? [:])
          #expect(response.status == status, "\(header ?? "none")")
          if status != 200 { #expect(response.fields["WWW-Authenticate"] == "Basic realm=\"reticle\"") }
        }
        #expect(await client.get("/livez").status == 200)
        #expect(await client.get("/snapshot.png").status == 401)
      }
    }

    @Test
    func `after ten wrong tokens, a client's tokens are checked one per second, even the right one, and others' at once`()
      async
    {
      let begin = ContinuousClock.now
      let time = Mutex(begin)
      let told = Mutex<[String]>([])
      let handler = ConsoleAccess(token: "s3cret").guarding(
        { _ in HTTPResponse(200, text: "in\n") }, now: { time.withLock { $0 } },
        pause: { wait in time.withLock { $0 += wait } }, onGuessLimit: { peer in told.withLock { $0.append(peer) } })
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

    @Test func `without a token, a foreign host name that points to the station gets no access`() {
      let access = ConsoleAccess(token: nil)
      for host in ["localhost", "localhost:9470", "127.0.0.1:9470", "[::1]:9470", "LOCALHOST"] {
        #expect(access.verdict(authorization: nil, host: host) == .allowed, "\(host)")
      }
      for host in [
        "evil.example", "127.0.0.1.evil.example:9470", "localhost.evil.example", "[::2]", "", "[::1]evil.example",
        "[::1].evil.example:9470", "localhost:x",
        "127.0.0.1:9470.evil.example",
      ] {
        #expect(access.verdict(authorization: nil, host: host) == .foreignHost, "\(host)")
      }
    }

    @Test func `the text of a barcode is in no answer and no metric label`() async throws {
      let hostile = "<script>alert(1)</script>\u{1B}[2J\"\n\\"
      try await whileScanning([hostile]) {
        try await ask { client in
          for path in ["/metrics", "/status", "/readyz", "/", "/view"] {
            #expect(await !client.get(path).text.contains("alert"), "\(path)")
          }
        }
      }
    }

    /// Waits until the summary contains some words.
    private func awaits(_ words: String) async throws -> Bool {
      for _ in 0..<2000 {
        if await inspector.summary().contains(words) { return true }
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
          // The page shows it, too.
          #expect(await client.get("/view").text.contains("session=reviewing torch=off"))
          await post("cancel")
          #expect(try await awaits("session=waiting"))
          #expect(basket.texts == ["LABEL"])
        }
      }
      #expect(metrics.exposition().contains("reticle_user_actions_total{action=\"IOS.Spotlight.Action\"} 1\n"))
    }

    @Test func `a command without effect is answered as such, and a browser stays on its page`() async throws {
      try await whileScanning([""]) {
        try await ask { client async throws in
          for command in ["confirm", "next", "open", "trigger", "enable", "turn"] {
            let response = await client.post("/" + command)
            #expect(response.status == 409 && response.text == "there is nothing for \(command) to do\n", "\(command)")
          }
          let request = HTTPRequest(
            method: "POST", target: "/confirm", fields: ["Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"])
          #expect(await client.handler(request).status == 204)
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
      try await ask(token: "s3cret") { client in
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
        let page = await client.get("/", known)
        for command in HostCommand.buttons { #expect(page.text.contains("action=\"\(command.rawValue)\"")) }
        #expect(page.fields["Content-Security-Policy"]?.contains("frame-ancestors 'self'; form-action 'self'") == true)
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
        let response = await client.get("/snapshot.png")
        #expect(response.status == 503 && response.text == "the camera gives no frames; see /readyz\n")
      }
      try await whileScanning(["LABEL"]) {
        try await ask { client in
          let response = await client.get("/snapshot.png")
          #expect(response.status == 200 && response.text == "64x8")
          #expect(response.fields["Content-Type"] == "image/png" && response.fields["Cache-Control"] == "no-store")
        }
      }
    }

    @Test func `pictures of scans are served by id and ending, and what is missing says why`() async throws {
      let id = "0198c2b6-7f00-7abc-8def-0123456789ab"
      var sights = ConsoleSights(
        metrics: metrics, inspector: inspector, report: { fatalError("nobody asks") }, makePNG: { _ in nil })
      let off = Client(handler: StatusServer.handler(sights, ConsoleAccess(token: nil)))
      #expect(await off.get("/scans/\(id).webp").text == "the station keeps no pictures; see pictures.of\n")
      sights.picture = { asked in
        asked.description == id ? .file(bytes: [1, 2, 3], mediaType: "image/webp") : .none("it was lost: disk full")
      }
      let client = Client(handler: StatusServer.handler(sights, ConsoleAccess(token: nil)))
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
      let guarded = Client(handler: StatusServer.handler(sights, ConsoleAccess(token: "0123456789abcdef")))
      #expect(await guarded.get("/scans/\(id).webp").status == 401)
    }

    @Test func `over the wire, the server answers, counts the limits that are hit, and ends with the station`() async throws
    {
      let port = try TestClient.freePort()
      let sights = ConsoleSights(
        metrics: metrics, inspector: inspector, report: { fatalError("nobody asks") }, makePNG: { _ in nil })
      let server = StatusServer(
        address: "127.0.0.1", port: port, access: ConsoleAccess(token: nil), sights: sights, logger: Logger(label: "test"))
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
