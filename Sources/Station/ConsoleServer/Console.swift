// Start reading here: the console, a web server for setting up and watching a station: its page for browsers, the API behind
// it, and the paths for monitoring. No station waits for it.

#if Console

  public import DeliveryModel
  public import HTTPServer
  public import Logging
  import Metrics
  public import ServiceLifecycle
  public import Station
  public import StationConfiguration
  public import StationConsole
  public import StationGrading

  /// The sources of the console's answers.
  public struct ConsoleSights: Sendable {
    public var version: String
    public var metrics: MetricsRegistry
    public var inspector: StationInspector
    public var delivery: StationDelivery
    /// Reports the state of delivery.
    public var report: @Sendable () async -> DeliveryReport
    /// The configuration of the running station.
    public var configuration: StationConfiguration
    public var history: ReadHistory
    public var sessions: ConsoleSessions
    /// When the certificates end that the station shows, in seconds since 1970, by the name of the sink or "console".
    public var certificateEnds: @Sendable () -> [String: Int64] = { [:] }
    /// The report on the fleet's repository; nil: the station follows none.
    public var follow: @Sendable () -> FollowReport? = { nil }
    /// Reads and changes the configuration file; nil if the station has none.
    public var desk: ConfigurationDesk?
    /// Finds the picture of a scan; nil if the station keeps no pictures.
    public var picture: (@Sendable (ScanID) async -> ScanPicture)?
    /// Whether the picture of a scan is kept; nil if the station keeps no pictures.
    public var keepsPicture: (@Sendable (ScanID) -> Bool)?
    /// The trends of print; nil if scans are not graded.
    public var print: (@Sendable () -> PrintReport)?
    /// Examines the machine, as `reticle doctor` does. Takes seconds.
    public var examine: @Sendable () async -> [ConsoleFinding] = { [] }
    /// The beginnings of a first start; nil once there is a configuration.
    public var firstStart: (@Sendable () async -> FirstStart)?

    public init(
      version: String, metrics: MetricsRegistry, inspector: StationInspector, delivery: StationDelivery,
      configuration: StationConfiguration, history: ReadHistory, sessions: ConsoleSessions
    ) {
      (self.version, self.metrics, self.inspector, self.delivery) = (version, metrics, inspector, delivery)
      (self.configuration, self.history, self.sessions) = (configuration, history, sessions)
      report = delivery.report
    }
  }

  /// The picture of a scan, as its keeper finds it.
  public enum ScanPicture: Equatable, Sendable {
    case file(bytes: [UInt8], mediaType: String)
    /// The reason why the picture is missing, in words.
    case none(String)
  }

  /// The console as a service of a station.
  ///
  /// An unavailable port is logged with the remedy, and the station continues without the console: scanning takes precedence.
  public struct Console: Service, CustomStringConvertible {
    /// Without its sources, because services are logged with their properties, and a configuration holds secrets.
    public var description: String { "console at \(address):\(port)" }

    private let address: String
    private let port: Int
    private let tls: HTTPServer.TLS?
    private let access: ConsoleAccess
    private let sights: ConsoleSights
    private let logger: Logger

    /// - Parameters:
    ///   - address: an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all.
    ///   - port: 1…65535.
    ///   - tls: nil for an unencrypted console.
    public init(
      address: String, port: Int, tls: HTTPServer.TLS? = nil, access: ConsoleAccess, sights: ConsoleSights, logger: Logger
    ) {
      (self.address, self.port, self.tls) = (address, port, tls)
      (self.access, self.sights, self.logger) = (access, sights, logger)
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
          "a client of the console hit a limit and was turned away", metadata: ["limit": "\(limit)", "client": "\(peer)"])
      }
      var gate = ConsoleGate(access: access, sessions: sights.sessions, isEncrypted: tls != nil)
      gate.onGuessLimit = { peer in
        guesses.increment()
        turnedAway("wrong tokens", peer)
      }
      let server = HTTPServer(
        tls: tls,
        onLimit: { limit, peer in
          hits[limit]?.increment()
          turnedAway("\(limit)", peer)
        }, handler: Console.handler(sights, gate))
      do throws(HTTPServerError) {
        _ = try server.start(address: address, port: port)
      } catch {
        logger.error(
          "the console does not run; end what uses its port or choose another console.port",
          metadata: ["address": "\(address)", "port": "\(port)", "cause": "\(error)"])
      }
      try? await gracefulShutdown()
      await server.stop()
    }

    /// Every request that the console answers.
    static func endpoints(_ sights: ConsoleSights, _ gate: ConsoleGate) -> [Endpoint] {
      let live = LiveView(sights.inspector)
      return monitoring(sights) + login(sights, gate) + commands(sights) + viewing(live, sights) + scans(sights)
        + sinks(sights)
        + health(sights) + configuration(sights) + rules(sights) + firstStart(sights) + page()
    }

    /// Answers permitted requests by path.
    static func handler(_ sights: ConsoleSights, _ gate: ConsoleGate) -> HTTPHandler {
      var endpoints = endpoints(sights, gate)
      let description = Array(
        APIDescription.json(endpoints, version: sights.version, schemas: PageFile.schemas).utf8)
      endpoints.append(
        .get("/api/openapi.json", nil, "This description.", .type("application/json")) { _, _ in
          HTTPResponse(200, type: "application/json", bytes: description)
        })
      var router = HTTPRouter()
      for endpoint in endpoints { router.on(endpoint.method, endpoint.path, gate.guarding(endpoint)) }
      return router.respond
    }
  }

#endif
