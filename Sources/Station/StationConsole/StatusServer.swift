// A small HTTP server: liveness and readiness of the station, the state of delivery, metrics for Prometheus, a picture of
// the camera's view, pictures of scans, and the commands of the station's buttons. No barcode data is served, except what
// pictures show.

#if Console

  import BarcodeMessage
  public import DeliveryModel
  public import Outbox
  import Devices
  import FoundationEssentials
  import HTTPServer
  public import Logging
  import Metrics
  import ScanControl
  import ScanLoop
  public import ServiceLifecycle

  /// The sources of the status server's answers.
  public struct ConsoleSights: Sendable {
    public var metrics: MetricsRegistry
    /// Reports the state of delivery.
    public var report: @Sendable () async -> DeliveryReport
    public var inspector: StationInspector
    /// Encodes a picture as PNG; nil if memory is not available.
    public var makePNG: @Sendable (SnapshotPicture) -> [UInt8]?
    /// Finds the picture of a scan; nil if the station keeps no pictures.
    public var picture: (@Sendable (ScanID) async -> ScanPicture)?

    public init(
      metrics: MetricsRegistry, inspector: StationInspector, report: @escaping @Sendable () async -> DeliveryReport,
      makePNG: @escaping @Sendable (SnapshotPicture) -> [UInt8]?
    ) {
      self.metrics = metrics
      self.inspector = inspector
      self.report = report
      self.makePNG = makePNG
    }
  }

  /// The answer of `/status`: the state of delivery, the session, the torch, the screen and the camera.
  struct StatusReport: Encodable {
    /// `state` and `permission` as named in behaviour §2; the sensor's settings for the last frame (behaviour C8).
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
    /// Nil while the station starts.
    var camera: Camera?
    /// Nil while the station starts.
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

  /// Answers while the station runs:
  ///
  /// | path | answer |
  /// |---|---|
  /// | `/livez` | 200 while the process answers |
  /// | `/readyz` | 200 if the station scans and its scans are safe and delivered, else 503 and one reason per line |
  /// | `/status` | the JSON form of `StatusReport` |
  /// | `/metrics` | Prometheus' text format |
  /// | `/snapshot.png` | the camera's present view with outlined codes; 503 if there is no frame |
  /// | `/scans/ID.webp`, `/scans/ID.jpg` | the picture of a scan or no-read; 404 and the reason if it is missing |
  /// | `/view` | that picture, reloaded repeatedly, the state of the session and the torch, and the available controls |
  /// | `/` | a page with that view, for aiming and focusing, and a button per command |
  /// | `POST /open`, `/trigger`, `/confirm`, `/cancel`, `/torch` | 204: like the button; 409 if it had no effect |
  ///
  /// An unavailable port is logged with the remedy, and the station continues without the server: scanning takes precedence.
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

    /// Answers permitted requests by path.
    static func handler(
      _ sights: ConsoleSights, _ access: ConsoleAccess, onGuessLimit: @escaping @Sendable (String) -> Void = { _ in }
    ) -> HTTPHandler {
      var router = HTTPRouter()
      router.on("GET", "/livez") { _ in HTTPResponse(200, text: "ok\n") }
      router.on("GET", "/readyz") { _ in
        let troubles = await sights.inspector.troubles(await sights.report())
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
        guard let json = try? encoder.encode(StatusReport(await sights.report(), await sights.inspector.state())) else {
          return HTTPResponse(500, text: "the report has no JSON form\n")
        }
        return HTTPResponse(200, type: "application/json", bytes: json + [0x0A])
      }
      let press = SnapshotPress(makeFile: sights.makePNG)
      router.on("GET", "/snapshot.png") { _ in await snapshot(sights.inspector, press) }
      router.on("GET", "/view") { _ in
        HTTPResponse(
          200, type: "text/html; charset=utf-8",
          text: view(await sights.inspector.summary(), await sights.inspector.controls()))
      }
      router.on("GET", below: ScanPicture.folder) { await picture($0.path, sights) }
      addCommands(to: &router, sights.inspector)
      router.on("GET", "/") { _ in HTTPResponse(200, type: "text/html; charset=utf-8", text: page) }
      return access.guarding(router.respond, onGuessLimit: onGuessLimit)
    }

    private static func snapshot(_ inspector: StationInspector, _ press: SnapshotPress) async -> HTTPResponse {
      switch await inspector.snapshot() {
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
