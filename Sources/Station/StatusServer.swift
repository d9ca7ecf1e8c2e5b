// A small HTTP server on this machine's own address: whether the station lives, and its figures for Prometheus.

#if Console

  import Hummingbird
  public import Logging
  public import ServiceLifecycle

  /// Answers `GET /livez` and `GET /metrics` on the loopback interface for as long as the station runs.
  ///
  /// A port that cannot be had is logged with the remedy and the station goes on without the server: scanning comes first.
  public struct StatusServer: Service {
    private let port: Int
    private let metrics: MetricsRegistry
    private let logger: Logger

    /// - Parameter port: 1…65535, on 127.0.0.1.
    public init(port: Int, metrics: MetricsRegistry, logger: Logger) {
      self.port = port
      self.metrics = metrics
      self.logger = logger
    }

    public func run() async throws {
      let application = Application(
        router: StatusServer.makeRouter(metrics),
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
    static func makeRouter(_ metrics: MetricsRegistry) -> Router<BasicRequestContext> {
      let router = Router()
      router.get("livez") { _, _ in "ok\n" }
      router.get("metrics") { _, _ in
        Response(
          status: .ok, headers: [.contentType: MetricsRegistry.contentType],
          body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.exposition())))
      }
      return router
    }
  }

#endif
