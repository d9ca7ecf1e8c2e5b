// A small HTTP server: whether the station lives and is ready, how delivery is doing, its figures for Prometheus, a picture of
// what the camera sees, and what the station's buttons do. Nothing of a barcode's data is answered, but what the picture shows.

#if Console

  import BarcodeMessage
  import FoundationEssentials
  import Hummingbird
  public import Logging
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

  /// Answers for as long as the station runs:
  ///
  /// | path | answer |
  /// |---|---|
  /// | `/livez` | 200 while the process answers |
  /// | `/readyz` | 200 if the station scans and its scans are safe and go out, else 503 and a reason a line |
  /// | `/status` | the JSON form of `DeliveryReport` |
  /// | `/metrics` | Prometheus' text format |
  /// | `/snapshot.png` | what the camera sees now, codes outlined; 503 if it sees nothing |
  /// | `/view` | that picture again and again, and how the session and the torch are |
  /// | `/` | a page with that view, to aim and to focus by, and a button for each command |
  /// | `POST /open`, `/trigger`, `/confirm`, `/cancel`, `/torch` | 204: as if the button was pressed |
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
      let application = Application(
        router: StatusServer.makeRouter(sights, access),
        configuration: ApplicationConfiguration(address: .hostname(address, port: port), serverName: nil), logger: logger)
      do {
        try await application.run()
      } catch {
        logger.error(
          "the status server does not run; end what uses its port or choose another console.port",
          metadata: ["address": "\(address)", "port": "\(port)", "cause": "\(error)"])
        try await gracefulShutdown()
      }
    }

    /// What is answered, by path.
    static func makeRouter(_ sights: ConsoleSights, _ access: ConsoleAccess) -> Router<BasicRequestContext> {
      let router = Router()
      router.add(middleware: ConsoleGate(access: access))
      router.get("livez") { _, _ in "ok\n" }
      router.get("readyz") { _, _ in
        let troubles = await sights.window.troubles(await sights.report())
        return answer(
          troubles.isEmpty ? .ok : .serviceUnavailable, "text/plain; charset=utf-8",
          text: troubles.isEmpty ? "ready\n" : troubles.map { TerminalText.safe($0) + "\n" }.joined())
      }
      router.get("metrics") { _, _ in answer(.ok, MetricsRegistry.contentType, text: sights.metrics.exposition()) }
      router.get("status") { _, _ in
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = try encoder.encode(await sights.report())
        return answer(.ok, "application/json", bytes: json + [0x0A])
      }
      router.get("snapshot.png") { _, _ in await snapshot(sights) }
      router.get("view") { _, _ in
        answer(.ok, "text/html; charset=utf-8", text: view(await sights.window.summary()))
      }
      addCommands(to: router, sights.window)
      router.get("/") { _, _ in answer(.ok, "text/html; charset=utf-8", text: page) }
      return router
    }

    private static func snapshot(_ sights: ConsoleSights) async -> Response {
      switch await sights.window.snapshot() {
      case .snapshot(let snapshot):
        guard let file = sights.makePNG(SnapshotPicture(snapshot)) else {
          return answer(.serviceUnavailable, "text/plain", text: "there is no memory for a picture\n")
        }
        return answer(.ok, "image/png", bytes: file)
      case .noFrame: return answer(.serviceUnavailable, "text/plain", text: "the camera gives no frames; see /readyz\n")
      case .busy: return answer(.tooManyRequests, "text/plain", text: "too many wait for a picture; try again\n")
      }
    }

    static func answer(
      _ status: HTTPResponse.Status, _ type: String = "text/plain; charset=utf-8", text: String
    ) -> Response {
      answer(status, type, bytes: Array(text.utf8))
    }

    private static func answer(
      _ status: HTTPResponse.Status, _ type: String, bytes: some Sequence<UInt8>
    ) -> Response {
      Response(status: status, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
  }

#endif
