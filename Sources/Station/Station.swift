// Start reading here: the whole station, put together from the loops that scan, the way out, the screen, and whoever looks in.

public import Delivery
public import Devices
public import Logging
public import ScanControl
public import ScanLoop
public import ScanScreen
public import ServiceLifecycle
public import StationConsole
public import StationScreen
public import UnixSignals

/// What a station is made of.
public struct StationParts {
  public var scan: ScanParts
  /// What hosts ask over serial lines; nil where none may.
  public var hostRequests: AsyncStream<HostRequest>?
  /// What delivery says of itself to a host that asks for the status.
  public var deliverySummary: @Sendable () async -> String = { "" }
  /// What controls are called where they are said or read (behaviour W4).
  public var words = ScreenWords()
  public var screen: ScreenParts?
  /// Where a status server looks in.
  public var window: StationWindow?
  /// Services that must run as long as anything is forwarded, in order of start: they are the last to stop.
  public var deliveryServices: [any Service] = []
  /// The environment, in which a service manager tells how to reach it.
  public var environment: [String: String] = [:]

  public init(source: any FrameSource, reading: any SymbolReading, forwarding: any ScanForwarding) {
    scan = ScanParts(source: source, reading: reading, forwarding: forwarding)
  }
}

/// A scanning station.
public struct Station: Sendable {
  private let loops: ScanLoops
  private let services: ScanRun
  private let notifier: ServiceNotifier?
  private let forwarding: any ScanForwarding

  /// - Parameters:
  ///   - earlier: where the station stood whose place this one takes.
  ///   - signals: those that end the station cleanly.
  public init(
    settings: ScanSettings, after earlier: ScanController? = nil, viewport: Viewport = .whole, parts: StationParts,
    logger: Logger, signals: [UnixSignal] = [.sigterm, .sigint]
  ) {
    var scan = parts.scan
    forwarding = scan.forwarding
    let feed = parts.screen?.makeFeed()
    scan.screen = feed
    let words = parts.words
    scan.controls = { words.controls(of: $0) }
    scan.snapshots = parts.window?.snapshots
    loops = ScanLoops(settings: settings, after: earlier, viewport: viewport, parts: scan, logger: logger)
    parts.window?.attach(loops)
    var before = parts.deliveryServices
    if let screen = parts.screen, let feed { before += screen.services(of: loops, feed, logger: logger) }
    var after: [any Service] = []
    if let requests = parts.hostRequests {
      after.append(HostCommandLoop(requests: requests, loops: loops, deliverySummary: parts.deliverySummary))
    }
    notifier = ServiceNotifier(environment: parts.environment, watch: loops.watch, logger: logger)
    if let notifier { after.append(notifier) }
    services = ScanRun(loops, before: before, after: after, signals: signals, logger: logger)
  }

  /// Runs until the frames have ended or a signal comes. An error is a service's that could not go on.
  public func run() async throws { try await services.run() }

  /// Where the station stands.
  public var state: ScanController { get async { await loops.state } }

  /// Passes on a command as a host's; it is not waited for.
  ///
  /// - Returns: false if so much else waits that it was not taken.
  @discardableResult
  public func pass(_ command: HostCommand) -> Bool { loops.pass(command) }

  /// Ends the station as a signal does.
  ///
  /// - Parameter isReload: whether another station takes its place at once, so that the service manager keeps it.
  public func shutDown(isReload: Bool = false) async {
    if isReload {
      notifier?.announceReload()
      forwarding.keepSets()
    }
    await services.shutDown()
  }
}
