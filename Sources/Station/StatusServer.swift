// A small HTTP server on this machine's own address: whether the station lives, how delivery is doing, and its figures for
// Prometheus.

#if Console

  import FoundationEssentials
  import Hummingbird
  public import Logging
  public import ServiceLifecycle

  /// Answers `GET /livez`, `GET /metrics` and `GET /status` (the JSON form of `DeliveryReport`) on the loopback interface for as long as the station runs.
  ///
  /// A port that cannot be had is logged with the remedy and the station goes on without the server: scanning comes first.
  public struct StatusServer: Service {
    private let port: Int
    private let metrics: MetricsRegistry
    private let report: @Sendable () async -> DeliveryReport
    private let logger: Logger

    /// - Parameters:
    ///   - port: 1…65535, on 127.0.0.1.
    ///   - report: how delivery is doing.
    public init(
      port: Int, metrics: MetricsRegistry, report: @escaping @Sendable () async -> DeliveryReport, logger: Logger
    ) {
      self.port = port
      self.metrics = metrics
      self.report = report
      self.logger = logger
    }

    public func run() async throws {
      let application = Application(
        router: StatusServer.makeRouter(metrics, report),
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port), serverName: nil), logger: logger
      )
      do {
        try await application.run()
      } catch {
        logger.error(
          "the status server does not run; end what uses its port or choose another console.port",
          metadata: ["port": "\(port)", "cause": "\(error)"])
        try await gracefulShutdown()
      }
    }

    /// What is answered, by path.
    static func makeRouter(
      _ metrics: MetricsRegistry, _ report: @escaping @Sendable () async -> DeliveryReport
    ) -> Router<BasicRequestContext> {
      let router = Router()
      router.get("livez") { _, _ in "ok\n" }
      router.get("metrics") { _, _ in
        Response(
          status: .ok, headers: [.contentType: MetricsRegistry.contentType],
          body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.exposition())))
      }
      router.get("status") { _, _ in
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = try encoder.encode(await report())
        return Response(
          status: .ok, headers: [.contentType: "application/json"],
          body: ResponseBody(byteBuffer: ByteBuffer(bytes: json + [0x0A])))
      }
      return router
    }
  }

#endif
