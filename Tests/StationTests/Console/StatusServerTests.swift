#if Console

  import BarcodeTypes
  import CoreMetrics
  import Delivery
  import Devices
  import Foundation
  import Hummingbird
  import HummingbirdTesting
  import Logging
  import ScanControl
  import Testing

  @testable import Station

  @Suite(.timeLimit(.minutes(1))) struct StatusServerTests {
    private let metrics = MetricsRegistry()
    private let window = StationWindow()
    private let basket = Basket()
    private let torch = SimulatedTorch()

    /// The router over an outbox of its own, asked by `body`.
    private func ask(
      token: String? = nil, report change: @escaping @Sendable (inout DeliveryReport) -> Void = { _ in },
      _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
      let path = FileManager.default.temporaryDirectory.appendingPathComponent("reticle-\(UUID()).sqlite").path
      defer {
        for end in ["", "-wal", "-shm", "-station"] { try? FileManager.default.removeItem(atPath: path + end) }
      }
      var configuration = StationConfiguration()
      configuration.outbox.path = path
      let delivery = try await StationDelivery(configuration, logger: Logger(label: "test")) { _ in SimulatedSerialPort() }
      let sights = ConsoleSights(metrics: metrics, window: window) {
        var report = await delivery.report()
        change(&report)
        return report
      } makePNG: { picture in
        // Not a PNG, but as good to see that it is the picture that is answered.
        Array("\(picture.width)x\(picture.height)".utf8)
      }
      let application = Application(router: StatusServer.makeRouter(sights, ConsoleAccess(token: token)))
      try await application.test(.router, body)
      await delivery.outbox.close()
    }

    /// A station that scans, for as long as `body` runs.
    private func whileScanning(
      _ texts: [String], settings: ScanSettings = ScanSettings(), _ body: () async throws -> Void
    ) async throws {
      let script: [SimulatedCamera.Step] = (0..<20_000).map { .frame(picture(of: texts[$0 % texts.count])) }
      let source = SimulatedCamera(script: script, period: .milliseconds(5), keepsEveryFrame: false, time: BootTime())
      var parts = StationParts(source: source, reading: TopRowReading(), forwarding: basket)
      parts.window = window
      parts.metrics = metrics
      parts.torch = torch
      let station = Station(settings: settings, parts: parts, logger: Logger(label: "test"), signals: [])
      async let run: Void = station.run()
      // A frame says that the camera records; before that, the first session may not even have been asked for.
      while settings.entry == .boot { if case .snapshot = await window.snapshot() { break } }
      try await body()
      await station.shutDown()
      try await run
    }

    @Test func `the server tells that the station lives, what was counted, and how delivery is doing`() async throws {
      metrics.makeCounter(label: "reticle_scans_total", dimensions: []).increment(by: 7)
      try await ask { client in
        try await client.execute(uri: "/livez", method: .get) { response in
          #expect(response.status == .ok)
          #expect(String(buffer: response.body) == "ok\n")
        }
        try await client.execute(uri: "/metrics", method: .get) { response in
          #expect(response.headers[.contentType] == MetricsRegistry.contentType)
          #expect(String(buffer: response.body).contains("reticle_scans_total 7\n"))
        }
        try await client.execute(uri: "/status", method: .get) { response in
          #expect(response.headers[.contentType] == "application/json")
          let status = try JSONSerialization.jsonObject(with: Data(String(buffer: response.body).utf8)) as? [String: Any]
          let outbox = status?["outbox"] as? [String: Any]
          #expect(["power-cut", "process"].contains(outbox?["durability"] as? String))
          #expect((status?["sinks"] as? [[String: Any]])?.first?["phase"] as? String == "idle")
        }
        try await client.execute(uri: "/", method: .get) { response in
          #expect(response.headers[.contentType] == "text/html; charset=utf-8")
          #expect(response.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'") == true)
        }
        try await client.execute(uri: "/elsewhere", method: .get) { response in #expect(response.status == .notFound) }
      }
    }

    @Test func `a station that scans is ready; one that has not begun is not`() async throws {
      try await ask { client in
        try await client.execute(uri: "/readyz", method: .get) { response in
          #expect(response.status == .serviceUnavailable)
          #expect(String(buffer: response.body) == "the station is starting\n")
        }
      }
      try await whileScanning(["LABEL"]) {
        try await ask { client in
          try await client.execute(uri: "/readyz", method: .get) { response in
            #expect(response.status == .ok)
            #expect(String(buffer: response.body) == "ready\n")
          }
        }
      }
    }

    @Test func `a station whose scans are not safe or get nowhere is not ready, and each reason is one line`() async throws {
      try await whileScanning(["LABEL"]) {
        try await ask { report in
          report.outbox.trouble = "outbox /x: no space left"
          report.sinks[0].phase = "parked"
          report.sinks[0].problem = "https://x answered 404: \u{1B}[2J\nready\n<script>"
        } _: { client in
          try await client.execute(uri: "/readyz", method: .get) { response in
            #expect(response.status == .serviceUnavailable)
            #expect(
              String(buffer: response.body) == """
                outbox /x: no space left
                stdout is parked: https://x answered 404: \\x1b[2J\\nready\\n<script>

                """)
            #expect(response.headers[.contentType] == "text/plain; charset=utf-8")
            #expect(response.headers[.xContentTypeOptions] == "nosniff")
          }
        }
      }
    }

    @Test func `why a session does not scan is told`() {
      let failure = CameraFailure(.silent, detail: "imx708: no frame for 2 s")
      func trouble(_ state: SessionState) -> String? { state.trouble(isCameraLoaded: true) }
      #expect(trouble(.failed(.failed(failure))) == "the camera does not work: imx708: no frame for 2 s")
      #expect(trouble(.failed(.permissionDenied)) == "the camera may not be used")
      #expect(trouble(.switchedOff) == "the scanner is switched off")
      // A station that waits for its trigger is ready, and so is one between two sessions.
      #expect(trouble(.idle) == nil)
      #expect(trouble(.waiting(.forTrigger)) == nil)
      #expect(trouble(.opening) == nil)
      #expect(SessionState.opening.trouble(isCameraLoaded: false) == "the camera is starting")
    }

    @Test func `who knows the token is let in, as a program or a browser shows it`() async throws {
      let basic = "Basic " + Data("anyone:s3cret:with colon".utf8).base64EncodedString()
      try await ask(token: "s3cret:with colon") { client in
        for (header, status) in [
          (nil, HTTPResponse.Status.unauthorized), ("Bearer s3cret:with colon", .ok), (basic, .ok),
          ("Bearer s3cret", .unauthorized), ("Bearer s3cret:with colonx", .unauthorized), ("Bearer", .unauthorized),
          ("Basic s3cret:with colon", .unauthorized), ("Digest x", .unauthorized),
        ] {
          let headers: HTTPFields = header.map { [.authorization: $0] } ?? [:]
          try await client.execute(uri: "/status", method: .get, headers: headers) { response in
            #expect(response.status == status, "\(header ?? "none")")
            if status != .ok { #expect(response.headers[.wwwAuthenticate] == "Basic realm=\"reticle\"") }
          }
        }
        try await client.execute(uri: "/livez", method: .get) { response in #expect(response.status == .ok) }
        try await client.execute(uri: "/snapshot.png", method: .get) { response in
          #expect(response.status == .unauthorized)
        }
      }
    }

    @Test func `without a token, a page of another host cannot look in by a name that points here`() {
      let access = ConsoleAccess(token: nil)
      for host in ["localhost", "localhost:9470", "127.0.0.1:9470", "[::1]:9470", "LOCALHOST"] {
        #expect(access.verdict(authorization: nil, host: host) == .allowed, "\(host)")
      }
      for host in ["evil.example", "127.0.0.1.evil.example:9470", "localhost.evil.example", "[::2]", ""] {
        #expect(access.verdict(authorization: nil, host: host) == .foreignHost, "\(host)")
      }
    }

    @Test func `what a barcode says is in no answer and no label of a metric`() async throws {
      let hostile = "<script>alert(1)</script>\u{1B}[2J\"\n\\"
      try await whileScanning([hostile]) {
        try await ask { client in
          for path in ["/metrics", "/status", "/readyz", "/", "/view"] {
            try await client.execute(uri: path, method: .get) { response in
              #expect(!String(buffer: response.body).contains("alert"), "\(path)")
            }
          }
        }
      }
    }

    /// Waits until the session or the torch is so.
    private func awaits(_ words: String) async throws -> Bool {
      for _ in 0..<2000 {
        if await window.summary().contains(words) { return true }
        try await Task.sleep(for: .milliseconds(5))
      }
      return false
    }

    @Test func `S1, N2: what the station's buttons do, the control interface does`() async throws {
      var settings = ScanSettings()
      settings.entry = .shortcut
      settings.confirmation = .always
      settings.reopening = .onTrigger
      settings.repeatAbsence = .milliseconds(1)
      try await whileScanning(["LABEL"], settings: settings) {
        try await ask { client in
          func post(_ command: String) async throws {
            try await client.execute(uri: "/" + command, method: .post) { response in
              #expect(response.status == .noContent && response.body.readableBytes == 0, "\(command)")
            }
          }
          #expect(try await awaits("session=idle"))
          try await post("open")
          #expect(try await awaits("session=reviewing"))
          #expect(basket.texts.isEmpty)
          try await post("confirm")
          #expect(try await awaits("session=waiting"))
          #expect(basket.texts == ["LABEL"])
          try await post("trigger")
          #expect(try await awaits("session=reviewing"))
          // The page tells it, too.
          try await client.execute(uri: "/view", method: .get) { response in
            #expect(String(buffer: response.body).contains("session=reviewing torch=off"))
          }
          try await post("cancel")
          #expect(try await awaits("session=waiting"))
          #expect(basket.texts == ["LABEL"])
        }
      }
      #expect(metrics.exposition().contains("reticle_user_actions_total{action=\"IOS.Spotlight.Action\"} 1\n"))
    }

    @Test func `T3, T4: the control interface switches the torch, which is counted once and seen`() async throws {
      try await whileScanning([""]) {
        try await ask { client in
          for state in ["on", "off"] {
            try await client.execute(uri: "/torch", method: .post) { response in #expect(response.status == .noContent) }
            #expect(try await awaits("session=scanning torch=\(state)"))
            #expect(torch.isOn == (state == "on"))
          }
        }
      }
      #expect(metrics.exposition().contains("reticle_user_actions_total{action=\"MobileQRScannerTorchOn\"} 1\n"))
    }

    @Test func `a command needs the token, a station, and no page of another host behind it`() async throws {
      try await ask(token: "s3cret") { client in
        try await client.execute(uri: "/torch", method: .post) { response in #expect(response.status == .unauthorized) }
        let known: HTTPFields = [.authorization: "Bearer s3cret"]
        try await client.execute(uri: "/torch", method: .post, headers: known) { response in
          #expect(response.status == .serviceUnavailable)
          #expect(String(buffer: response.body) == "the station is starting\n")
        }
        // A browser that has the token sends it whoever makes it ask.
        for (name, value) in [
          (HTTPFields.Element.Name.origin, "http://evil.example"), (.origin, "null"),
          (HTTPFields.Element.Name("Sec-Fetch-Site")!, "cross-site"),
        ] {
          var headers = known
          headers[name] = value
          try await client.execute(uri: "/torch", method: .post, headers: headers) { response in
            #expect(response.status == .forbidden, "\(value)")
          }
        }
        // Looking does nothing.
        try await client.execute(uri: "/torch", method: .get, headers: known) { response in
          #expect(response.status == .notFound || response.status == .methodNotAllowed)
        }
        try await client.execute(uri: "/", method: .get, headers: known) { response in
          for command in ConsoleCommand.allCases {
            #expect(String(buffer: response.body).contains("action=\"\(command.rawValue)\""))
          }
          #expect(response.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'self'; form-action 'self'") == true)
        }
      }
    }

    @Test(
      arguments: [
        (nil, nil, true), ("http://localhost:9470", nil, true), ("https://LOCALHOST:9470", nil, true),
        ("http://localhost:80", nil, false), ("http://localhost:9470.evil.example", nil, false), ("null", nil, false),
        ("", nil, false), ("http://evil.example", "same-origin", true), (nil, "none", true), (nil, "same-site", false),
        ("http://localhost:9470", "cross-site", false),
      ] as [(String?, String?, Bool)])
    func `a page of the station's own is told from others`(origin: String?, site: String?, isOwn: Bool) {
      #expect(ConsoleAccess.isOwnPage(origin: origin, site: site, host: "localhost:9470") == isOwn)
      #expect(!ConsoleAccess.isOwnPage(origin: origin ?? "http://x", site: site.map { _ in "cross-site" }, host: nil))
    }

    @Test func `a picture of what the camera sees is answered while it sees, and why not while it does not`() async throws {
      try await ask { client in
        try await client.execute(uri: "/snapshot.png", method: .get) { response in
          #expect(response.status == .serviceUnavailable)
          #expect(String(buffer: response.body) == "the camera gives no frames; see /readyz\n")
        }
      }
      try await whileScanning(["LABEL"]) {
        try await ask { client in
          try await client.execute(uri: "/snapshot.png", method: .get) { response in
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == "image/png")
            #expect(response.headers[.cacheControl] == "no-store")
            #expect(String(buffer: response.body) == "64x8")
          }
        }
      }
    }
  }

#endif
