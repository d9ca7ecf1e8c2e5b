// Start reading here: the whole station, assembled from the scanning loops, delivery, the screen, and the inspector for the console.

public import Devices
public import Logging
public import ScanControl
public import ScanLoop
public import ScanScreen
public import ServiceLifecycle
public import Sinks
public import StationConsole
public import StationGrading
public import StationPictures
public import StationScreen
public import UnixSignals

/// The parts of a station.
public struct StationParts {
  public var scan: ScanParts
  /// Hosts' requests over serial lines; nil if none are accepted.
  public var hostRequests: AsyncStream<HostRequest>?
  /// Delivery's part of the answer to a host's status request.
  public var deliverySummary: @Sendable () async -> String = { "" }
  /// How the station is, in `name=value` pairs, for a sink that publishes it.
  public var health: @Sendable () async -> String = { "" }
  /// The names of controls where they are spoken or read (behaviour W4).
  public var words = ScreenWords()
  public var screen: ScreenParts?
  /// The inspector through which a console observes the station.
  public var inspector: StationInspector?
  /// The counts of what is read, for the inspector's users.
  public var history: ReadHistory?
  /// The pictures to keep; nil: none.
  public var pictures: PictureArchive?
  /// Grades scans; shares the frames of `pictures` if there are any. Nil: none are graded.
  public var grading: PrintGrading?
  /// Services that must run while anything is forwarded, in order of start: they stop last.
  public var deliveryServices: [any Service] = []
  /// The environment variables, with which a service manager announces itself.
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
  ///   - earlier: the state of the station that this one replaces.
  ///   - signals: signals that end the station cleanly.
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
    scan.snapshots = parts.inspector?.snapshots
    if let history = parts.history {
      let (observer, time) = (scan.observer, scan.time)
      scan.observer = { action in
        history.note(action, at: time.now())
        observer?(action)
      }
      scan.onUnread = { history.noteUnread(at: time.now()) }
    }
    if let frames = parts.pictures?.frames ?? parts.grading?.frames {
      let archive = parts.pictures
      scan.pictures = FramePictures(keeper: frames) { archive?.takeUnread($0, $1) }
    }
    loops = ScanLoops(settings: settings, after: earlier, viewport: viewport, parts: scan, logger: logger)
    parts.inspector?.attach(loops)
    var before = parts.deliveryServices
    if let pictures = parts.pictures { before.append(pictures) }
    if let grading = parts.grading { before.append(grading) }
    if let screen = parts.screen, let feed { before += screen.services(of: loops, feed, logger: logger) }
    var after: [any Service] = []
    if let requests = parts.hostRequests {
      after.append(
        HostCommandLoop(
          requests: requests, loops: loops, deliverySummary: parts.deliverySummary, health: parts.health))
    }
    notifier = ServiceNotifier(environment: parts.environment, watch: loops.watch, logger: logger)
    if let notifier { after.append(notifier) }
    services = ScanRun(loops, before: before, after: after, signals: signals, logger: logger)
  }

  /// Runs until the frames have ended or a signal comes. Throws the error of a service that could not continue.
  public func run() async throws { try await services.run() }

  /// The controller's state.
  public var state: ScanController { get async { await loops.state } }

  /// Passes on a command like a host's, without waiting.
  ///
  /// - Returns: false if the command was refused because too many events wait.
  @discardableResult
  public func pass(_ command: HostCommand) -> Bool { loops.pass(command) }

  /// Ends the station like a signal.
  ///
  /// - Parameter isReload: whether another station replaces it at once, so that the service manager keeps it.
  public func shutDown(isReload: Bool = false) async {
    if isReload {
      notifier?.announceReload()
      forwarding.keepSets()
    }
    await services.shutDown()
  }
}
