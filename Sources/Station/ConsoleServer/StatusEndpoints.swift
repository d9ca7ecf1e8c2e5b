// The station's state: for monitoring, for the page, and as events; the login; and the commands of the station's buttons.

import ScanScreen
import Station
import StationConfiguration

#if Console

  import BarcodeMessage
  import DeliveryModel
  import Devices
  import FoundationEssentials
  import HTTPServer
  import ScanControl
  import ScanLoop
  import StationConsole
  import StationGrading

  /// The answer of `/status`: the state of delivery, the session, the torch, the screen and the camera.
  struct StatusReport: Encodable, Sendable {
    /// `state` and `permission` as named in behaviour §2; the sensor's settings for the last frame (behaviour C8).
    struct Camera: Encodable, Sendable {
      struct Sensor: Encodable, Sendable {
        var exposureMicroseconds: Int?
        var gain: Double?
        var frameDurationMicroseconds: Int?
        var lensDioptres: Double?
      }

      /// The settings that the station wishes, and why; nil where the camera decides.
      struct Wish: Encodable, Sendable {
        var exposureMicroseconds: Int?
        var gain: Double?
        var lensDioptres: Double?
        var reason: String
      }

      var state: String
      var permission: String
      var sensor: Sensor
      /// Nil for a source without such settings.
      var wish: Wish?
    }

    var delivery: DeliveryReport
    /// Nil while the station starts.
    var camera: Camera?
    /// Nil while the station starts.
    var words: StationWords?
    /// Nil if scans are not graded.
    var print: PrintReport?

    init(_ delivery: DeliveryReport, _ state: StationInspector.State?, _ print: PrintReport? = nil) {
      (self.delivery, self.print) = (delivery, print)
      words = state?.controller.words
      camera = state.map { state in
        let (controller, sensor) = (state.controller, state.sensor)
        return Camera(
          state: controller.camera.state.rawValue, permission: controller.camera.permission.rawValue,
          sensor: Camera.Sensor(
            exposureMicroseconds: sensor.exposureMicroseconds, gain: sensor.gain,
            frameDurationMicroseconds: sensor.frameDurationMicroseconds, lensDioptres: sensor.lensPosition),
          wish: state.wish.map { wish in
            Camera.Wish(
              exposureMicroseconds: wish.exposure, gain: wish.gain.map { Double($0) / 1000 },
              lensDioptres: wish.lens.map { Double($0) / 1000 }, reason: wish.reason.rawValue)
          })
      }
    }

    private enum Key: CodingKey { case camera, print, screen, session, torch }

    func encode(to encoder: any Encoder) throws {
      try delivery.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encodeIfPresent(camera, forKey: .camera)
      try container.encodeIfPresent(print, forKey: .print)
      try container.encodeIfPresent(words?.screen, forKey: .screen)
      try container.encodeIfPresent(words?.session, forKey: .session)
      try container.encodeIfPresent(words?.torch, forKey: .torch)
    }
  }

  /// The station's state for the page.
  struct StationState: Encodable, Sendable, Equatable {
    struct Control: Encodable, Sendable, Equatable {
      var name: String
      var value: String
      var hasFocus: Bool
    }

    var station: String
    var version: String
    var ready: Bool
    /// Why the station is not ready, one reason each.
    var troubles: [String]
    /// Nil while the station starts.
    var session: String?
    var torch: String?
    var screen: String?
    var camera: StatusReport.Camera?
    /// The commands that the station takes.
    var commands: [String]
    var controls: [Control]

    static func == (a: StationState, b: StationState) -> Bool { a.jsonLine() == b.jsonLine() }

    init(_ sights: ConsoleSights) async {
      let report = await sights.report()
      let status = StatusReport(report, await sights.inspector.state())
      station = sights.configuration.stationName
      version = sights.version
      troubles = await sights.inspector.troubles(report)
      ready = troubles.isEmpty
      (session, torch, screen) = (status.words?.session, status.words?.torch, status.words?.screen)
      camera = status.camera
      commands = HostCommand.posted.map(\.rawValue)
      controls = await sights.inspector.controls().map { Control(name: $0.name, value: $0.value, hasFocus: $0.hasFocus) }
    }
  }

  extension HostCommand {
    /// The commands that a client may give. `GET /status` answers the question.
    static let posted = allCases.filter { $0 != .status }
  }

  extension Console {
    /// Paths for monitoring systems, load balancers and scripts.
    static func monitoring(_ sights: ConsoleSights) -> [Endpoint] {
      [
        .get("/livez", nil, "Whether the process answers.", .type("text/plain"), isOpenToAll: true) { _, _ in
          HTTPResponse(200, text: "ok\n")
        },
        .get(
          "/readyz", .look, "Whether the station scans and its scans are safe and delivered.", .type("text/plain"),
          others: [503: "Why not, one reason per line."]
        ) { _, _ in
          let troubles = await sights.inspector.troubles(await sights.report())
          return troubles.isEmpty
            ? HTTPResponse(200, text: "ready\n")
            : HTTPResponse(503, text: troubles.map { TerminalText.safe($0) + "\n" }.joined())
        },
        .get("/metrics", .look, "Metrics in Prometheus' text format.", .type("text/plain")) { _, _ in
          let machine = MachineMetrics(certificateEnds: sights.certificateEnds(), follow: sights.follow())
          let text = sights.metrics.exposition() + machine.exposition
          return HTTPResponse(200, type: MetricsRegistry.contentType, text: text)
        },
        .get("/status", .look, "The state of delivery, session and camera.", .json("Status")) { _, _ in
          let encoder = JSONEncoder()
          encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
          let report = StatusReport(await sights.report(), await sights.inspector.state(), sights.print?())
          guard let json = try? encoder.encode(report) else {
            return HTTPResponse(500, text: "the report has no JSON form\n")
          }
          return HTTPResponse(200, type: "application/json", bytes: json + [0x0A])
        },
        .get("/api/status", .look, "The station's state for a page.", .json("StationState")) { _, _ in
          .json(await StationState(sights))
        },
      ]
    }

    private struct Login: Decodable, Sendable { var token: String }

    private struct SessionReport: Encodable, Sendable {
      var role: ConsoleRole?
      /// Whether a token is wanted for anything.
      var wantsLogin: Bool
      var csrf: String
      var station: String
      var version: String
      var firstStart: Bool
    }

    static func login(_ sights: ConsoleSights, _ gate: ConsoleGate) -> [Endpoint] {
      @Sendable func report(_ role: ConsoleRole?, _ proof: String?) -> SessionReport {
        SessionReport(
          role: role, wantsLogin: gate.access.hasTokens, csrf: proof ?? "", station: sights.configuration.stationName,
          version: sights.version, firstStart: sights.firstStart != nil)
      }
      return [
        .get("/api/session", nil, "Who asks, and what is needed to do more.", .json("Session")) { _, visitor in
          .json(report(visitor.role, visitor.proof))
        },
        .post(
          "/api/login", nil, "Opens a session of a browser.", body: ("Login", Login.self), .json("Session"),
          others: [
            401: "The token is wrong.", 403: "The request comes from a page of another host.", 429: "Too many guesses.",
          ]
        ) { body, request, _ in
          switch await gate.check(Array(body.token.utf8), from: request.peer, isTyped: true) {
          case .wrong: return HTTPResponse(401, text: "the token is wrong; it is in the file of console.token_file\n")
          case .braked: return ConsoleGate.brakedAnswer
          case .right(let role, let token):
            let (secret, session) = sights.sessions.open(token: token, at: gate.now())
            var response = HTTPResponse.json(report(role, session.proof))
            response.fields["Set-Cookie"] = gate.cookie(secret)
            return response
          }
        },
        .post("/api/logout", nil, "Ends the session of a browser.", others: [403: "The request comes from another page."]) {
          request, _ in
          if let secret = ConsoleGate.secret(in: request) { sights.sessions.close(secret) }
          return HTTPResponse(204, fields: ["Set-Cookie": gate.cookie("")])
        },
      ]
    }

    /// Commands, for stations without buttons or hosts near the user (behaviour S1, N2).
    static func commands(_ sights: ConsoleSights) -> [Endpoint] {
      HostCommand.posted.flatMap { command in
        ["/\(command.rawValue)", "/api/commands/\(command.rawValue)"].map { path in
          .post(
            path, .operate, "The command \(command.rawValue), like a button's.", others: [409: "There is nothing to do."]
          ) { _, _ in
            switch await sights.inspector.carryOut(command) {
            case .done: HTTPResponse(204)
            case .nothing: HTTPResponse(409, text: "there is nothing for \(command.rawValue) to do\n")
            case .busy: HTTPResponse(503, text: "too much waits; try again\n")
            case nil: HTTPResponse(503, text: "the station is starting\n")
            }
          }
        }
      }
    }
  }

#endif
