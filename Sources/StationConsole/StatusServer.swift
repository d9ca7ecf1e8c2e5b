// A small HTTP server: whether the station lives and is ready, how delivery is doing, its figures for Prometheus, a picture of
// what the camera sees, and what the station's buttons do. Nothing of a barcode's data is answered, but what the picture shows.

#if Console

  import BarcodeMessage
  public import Delivery
  import Devices
  import FoundationEssentials
  import HTTPServer
  public import Logging
  import Metrics
  import ScanControl
  import ScanLoop
  public import ServiceLifecycle

  /// What the status server shows.
  public struct ConsoleSights: Sendable {
    public var metrics: MetricsRegistry
    /// How delivery is doing.
    public var report: @Sendable () async -> DeliveryReport
    public var window: StationWindow
    /// Makes a PNG file of a picture; nil if there is no memory for it.
    public var makePNG: @Sendable (SnapshotPicture) -> [UInt8]?

    public init(
      metrics: MetricsRegistry, window: StationWindow, report: @escaping @Sendable () async -> DeliveryReport,
      makePNG: @escaping @Sendable (SnapshotPicture) -> [UInt8]?
    ) {
      self.metrics = metrics
      self.window = window
      self.report = report
      self.makePNG = makePNG
    }
  }

  /// What `/status` answers: how delivery, the session, the torch, the screen and the camera are.
  struct StatusReport: Encodable {
    /// `state` and `permission` by the names of behaviour §2; what the sensor says that it did for the last frame (behaviour C8).
    struct Camera: Encodable {
      struct Sensor: Encodable {
        var exposureMicroseconds: Int?
        var gain: Double?
        var frameDurationMicroseconds: Int?
        var lensDioptres: Double?
      }

      var state: String
      var permission: String
      var sensor: Sensor
    }

    var delivery: DeliveryReport
    /// nil while the station starts.
    var camera: Camera?
    /// nil while the station starts.
    var words: StationWords?

    init(_ delivery: DeliveryReport, _ state: (controller: ScanController, sensor: SensorReading)?) {
      self.delivery = delivery
      words = state?.controller.words
      camera = state.map { controller, sensor in
        Camera(
          state: controller.camera.state.rawValue, permission: controller.camera.permission.rawValue,
          sensor: Camera.Sensor(
            exposureMicroseconds: sensor.exposureMicroseconds, gain: sensor.gain,
            frameDurationMicroseconds: sensor.frameDurationMicroseconds, lensDioptres: sensor.lensPosition))
      }
    }

    private enum Key: CodingKey { case camera, screen, session, torch }

    func encode(to encoder: any Encoder) throws {
      try delivery.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encodeIfPresent(camera, forKey: .camera)
      try container.encodeIfPresent(words?.screen, forKey: .screen)
      try container.encodeIfPresent(words?.session, forKey: .session)
      try container.encodeIfPresent(words?.torch, forKey: .torch)
    }
  }

  /// Answers for as long as the station runs:
  ///
  /// | path | answer |
  /// |---|---|
  /// | `/livez` | 200 while the process answers |
  /// | `/readyz` | 200 if the station scans and its scans are safe and go out, else 503 and a reason a line |
  /// | `/status` | the JSON form of `StatusReport` |
  /// | `/metrics` | Prometheus' text format |
  /// | `/snapshot.png` | what the camera sees now, codes outlined; 503 if it sees nothing |
  /// | `/view` | that picture again and again, how the session and the torch are, and what can be pressed |
  /// | `/` | a page with that view, to aim and to focus by, and a button for each command |
  /// | `POST /open`, `/trigger`, `/confirm`, `/cancel`, `/torch` | 204: as if the button was pressed; 409 if there is nothing for it to do |
  ///
  /// A port that cannot be had is logged with the remedy and the station goes on without the server: scanning comes first.
  public struct StatusServer: Service {
    private let address: String
    private let port: Int
    private let access: ConsoleAccess
    private let sights: ConsoleSights
    private let logger: Logger

    /// - Parameters:
    ///   - address: an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all.
    ///   - port: 1…65535.
    public init(address: String, port: Int, access: ConsoleAccess, sights: ConsoleSights, logger: Logger) {
      self.address = address
      self.port = port
      self.access = access
      self.sights = sights
      self.logger = logger
    }

    public func run() async throws {
      let hits = HTTPLimit.allCases.reduce(into: [:]) { hits, limit in
        hits[limit] = Counter(
          label: "reticle_console_limits_total", dimensions: [("limit", limit.rawValue)], factory: sights.metrics)
      }
      let guesses = Counter(
        label: "reticle_console_limits_total", dimensions: [("limit", "wrong tokens")], factory: sights.metrics)
      let turnedAway: @Sendable (String, String) -> Void = { [logger] limit, peer in
        logger.warning(
          "a client of the status server hit a limit and was turned away",
          metadata: ["limit": "\(limit)", "client": "\(peer)"])
      }
      let handler = StatusServer.handler(sights, access) { peer in
        guesses.increment()
        turnedAway("wrong tokens", peer)
      }
      let server = HTTPServer(
        onLimit: { limit, peer in
          hits[limit]?.increment()
          turnedAway("\(limit)", peer)
        }, handler: handler)
      do throws(HTTPServerError) {
        _ = try server.start(address: address, port: port)
      } catch {
        logger.error(
          "the status server does not run; end what uses its port or choose another console.port",
          metadata: ["address": "\(address)", "port": "\(port)", "cause": "\(error)"])
      }
      try? await gracefulShutdown()
      await server.stop()
    }

    /// Answers by path whoever may look in.
    static func handler(
      _ sights: ConsoleSights, _ access: ConsoleAccess, onGuessLimit: @escaping @Sendable (String) -> Void = { _ in }
    ) -> HTTPHandler {
      var router = HTTPRouter()
      router.on("GET", "/livez") { _ in HTTPResponse(200, text: "ok\n") }
      router.on("GET", "/readyz") { _ in
        let troubles = await sights.window.troubles(await sights.report())
        return troubles.isEmpty
          ? HTTPResponse(200, text: "ready\n")
          : HTTPResponse(503, text: troubles.map { TerminalText.safe($0) + "\n" }.joined())
      }
      router.on("GET", "/metrics") { _ in
        HTTPResponse(200, type: MetricsRegistry.contentType, text: sights.metrics.exposition())
      }
      router.on("GET", "/status") { _ in
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(StatusReport(await sights.report(), await sights.window.state())) else {
          return HTTPResponse(500, text: "the report has no JSON form\n")
        }
        return HTTPResponse(200, type: "application/json", bytes: json + [0x0A])
      }
      let press = SnapshotPress(makeFile: sights.makePNG)
      router.on("GET", "/snapshot.png") { _ in await snapshot(sights.window, press) }
      router.on("GET", "/view") { _ in
        HTTPResponse(
          200, type: "text/html; charset=utf-8", text: view(await sights.window.summary(), await sights.window.controls()))
      }
      addCommands(to: &router, sights.window)
      router.on("GET", "/") { _ in HTTPResponse(200, type: "text/html; charset=utf-8", text: page) }
      return access.guarding(router.respond, onGuessLimit: onGuessLimit)
    }

    private static func snapshot(_ window: StationWindow, _ press: SnapshotPress) async -> HTTPResponse {
      switch await window.snapshot() {
      case .snapshot(let snapshot):
        guard let file = await press.file(of: snapshot) else {
          return HTTPResponse(503, text: "there is no memory for a picture\n")
        }
        return HTTPResponse(200, type: "image/png", bytes: file)
      case .noFrame: return HTTPResponse(503, text: "the camera gives no frames; see /readyz\n")
      case .busy: return HTTPResponse(429, text: "too many wait for a picture; try again\n")
      }
    }
  }

#endif
