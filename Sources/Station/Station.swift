// Start reading here: the whole station, put together. Frames come in at the capture loop, become events, the controller
// turns them into actions, and results go to whatever forwards them.

public import Delivery
public import Devices
public import Logging
public import Metrics
public import ScanControl
public import ScanScreen
public import ServiceLifecycle
public import UnixSignals

/// What a station is made of. Devices are handed in: the real ones by the command, simulated ones by tests.
public struct StationParts {
  public var source: any FrameSource
  public var reading: any SymbolReading
  public var forwarding: any ScanForwarding
  /// What closes the camera for people at the station; nil where nothing does.
  public var privacy: (any PrivacySwitch)?
  public var torch: any Torch = AbsentTorch()
  public var buttons: (any Buttons)?
  /// What hosts ask over serial lines; nil where none may.
  public var hostRequests: AsyncStream<HostRequest>?
  /// What delivery says of itself to a host that asks for the status.
  public var deliverySummary: @Sendable () async -> String = { "" }
  public var signals: any Signals = AbsentSignals()
  /// nil: announcements are passed over.
  public var speaker: (any Speaker)?
  /// What controls are called where they are said or read (behaviour W4).
  public var words = ScreenWords()
  /// Hears every action of the controller, in order, on its loop; must return at once.
  public var observer: (@Sendable (Action) -> Void)?
  public var screen: ScreenParts?
  /// Where a status server looks in.
  public var window: StationWindow?
  /// Whether the log may say what was scanned.
  public var logsBarcodeData = false
  public var time: any DeviceTime = BootTime()
  /// Services that must run as long as anything is forwarded, in order of start: they are the last to stop.
  public var deliveryServices: [any Service] = []
  public var metrics: any MetricsFactory = MetricsSystem.factory
  /// The environment, in which a service manager tells how to reach it.
  public var environment: [String: String] = [:]

  public init(source: any FrameSource, reading: any SymbolReading, forwarding: any ScanForwarding) {
    self.source = source
    self.reading = reading
    self.forwarding = forwarding
  }
}

/// What a station shows itself on.
public struct ScreenParts {
  public var screen: any Devices.Screen
  /// Makes a painter for a panel; nil if there is no memory for it.
  public var makePainter: (ScreenSize) -> (any OverlayPainting)?
  public var settings: ScreenSettings
  public var stationName: String
  /// Touches and keys, if there are any.
  public var input: (any ScreenInput)?
  /// Makes memory for frames that the screen's hardware reads; nil where it reads none.
  public var makeMemory: (@Sendable (_ byteCount: Int) -> SharedMemory?)?
  /// Makes a QR Code of a text; nil if it cannot.
  public var makeSymbol: (String) -> ModuleGrid? = { _ in nil }
  /// How often a screen that is not ours is tried.
  public var retryInterval = Duration.milliseconds(500)

  public init(
    screen: any Devices.Screen, settings: ScreenSettings, stationName: String,
    makePainter: @escaping (ScreenSize) -> (any OverlayPainting)?
  ) {
    self.screen = screen
    self.settings = settings
    self.stationName = stationName
    self.makePainter = makePainter
  }
}

/// A scanning station.
public struct Station: Sendable {
  /// How long the whole station may take to end when it is told to.
  public static let shutdownLimit = Duration.seconds(20)

  private let group: ServiceGroup
  private let control: ControllerLoop
  private let notifier: ServiceNotifier?
  private let desk: CommandDesk

  /// - Parameters:
  ///   - earlier: where the station stood whose place this one takes.
  ///   - signals: those that end the station cleanly.
  public init(
    settings: ScanSettings, after earlier: ScanController? = nil, viewport: Viewport = .whole, parts: StationParts,
    logger: Logger,
    signals: [UnixSignal] = [.sigterm, .sigint]
  ) {
    let events = EventQueue()
    let metrics = StationMetrics(factory: parts.metrics)
    let owner = ViewportOwner(viewport: viewport, choice: parts.screen?.settings.viewport)
    let gallery = FrameGallery(makeMemory: parts.screen?.makeMemory)
    let mailbox = parts.screen.map { _ in ScreenMailbox() }
    let equipment = CaptureEquipment(
      source: parts.source, reading: parts.reading, viewport: owner, preview: mailbox.map { (gallery, $0) },
      snapshots: parts.window?.snapshots, time: parts.time, measuresScene: settings.torch == .automatic,
      strobe: parts.torch as? any StrobingTorch, privacy: parts.privacy)
    let capture = CaptureLoop(equipment: equipment, events: events, metrics: metrics, logger: logger)
    let torch = TorchLoop(torch: parts.torch, events: events, metrics: metrics, logger: logger)
    let answers = StationAnswers(
      capture: capture.commands, torch: torch, forwarding: parts.forwarding, signals: parts.signals,
      speaker: parts.speaker, viewport: owner, words: parts.words, screen: mailbox.map { ($0, gallery) },
      observer: parts.observer,
      logsBarcodeData: parts.logsBarcodeData)
    control = ControllerLoop(
      settings: settings, after: earlier, events: events, answers: answers, metrics: metrics, time: parts.time,
      logger: logger)
    desk = CommandDesk(events: events, screen: mailbox)
    parts.window?.attach(control, capture.watch, desk)
    // Services stop in reverse order: capture first, so that the controller still hears of the last frame; the torch
    // after the controller, which asks for darkness; delivery last.
    var services = parts.deliveryServices.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0) }
    if let screen = parts.screen, let mailbox {
      let equipment = ScreenEquipment(
        screen: screen.screen, makePainter: screen.makePainter, settings: screen.settings,
        stationName: screen.stationName, hasTouch: screen.input != nil, makeSymbol: screen.makeSymbol,
        retryInterval: screen.retryInterval, time: parts.time)
      let loop = ScreenLoop(
        equipment: equipment, mailbox: mailbox, gallery: gallery, viewport: owner, events: events, metrics: metrics,
        logger: logger)
      services.append(.init(service: loop))
      if let input = screen.input {
        services.append(.init(service: ScreenInputLoop(input: input, mailbox: mailbox, events: events)))
      }
    }
    services.append(.init(service: torch))
    services.append(.init(service: control))
    services.append(.init(service: capture))
    if let requests = parts.hostRequests {
      let hosts = HostCommandLoop(
        requests: requests, desk: desk, control: control, deliverySummary: parts.deliverySummary)
      services.append(.init(service: hosts))
    }
    if let buttons = parts.buttons { services.append(.init(service: ButtonLoop(buttons: buttons, events: events))) }
    notifier = ServiceNotifier(environment: parts.environment, watch: capture.watch, logger: logger)
    if let notifier { services.append(.init(service: notifier)) }
    var configuration = ServiceGroupConfiguration(
      services: services, gracefulShutdownSignals: signals, logger: logger)
    configuration.maximumGracefulShutdownDuration = Self.shutdownLimit
    group = ServiceGroup(configuration: configuration)
  }

  /// Runs until the frames have ended or a signal comes. An error is a service's that could not go on.
  public func run() async throws {
    async let _: Void = endWhenFinished()
    try await group.run()
  }

  private func endWhenFinished() async {
    for await _ in control.finished {}
    if !Task.isCancelled { await group.triggerGracefulShutdown() }
  }

  /// Where the station stands.
  public var state: ScanController { get async { await control.state } }

  /// Passes on a command as a host's; it is not waited for.
  ///
  /// - Returns: false if so much else waits that it was not taken.
  @discardableResult
  public func pass(_ command: HostCommand) -> Bool { desk.pass(command) }

  /// Ends the station as a signal does.
  ///
  /// - Parameter isReload: whether another station takes its place at once, so that the service manager keeps it.
  public func shutDown(isReload: Bool = false) async {
    if isReload { notifier?.announceReload() }
    await group.triggerGracefulShutdown()
  }
}
