// Start reading here: the scanning loops, assembled. Frames enter at the capture loop and become events; the controller
// turns events into actions; results go to the forwarding.

public import Devices
public import Logging
public import Metrics
public import ScanControl
public import ScanScreen
import ServiceLifecycle

/// The loops' equipment. Devices are passed in: real ones by a program, simulated ones by tests.
public struct ScanParts {
  public var source: any FrameSource
  public var reading: any SymbolReading
  public var forwarding: any ScanForwarding
  /// The switch that closes the camera for people at the station; nil if absent.
  public var privacy: (any PrivacySwitch)?
  /// Notices of new cameras; without them (nil), the controller retries from time to time.
  public var arrivals: (any CameraArrivals)?
  public var torch: any Torch = AbsentTorch()
  public var buttons: (any Buttons)?
  public var signals: any Signals = AbsentSignals()
  /// Nil: announcements are skipped.
  public var speaker: (any Speaker)?
  /// Called with every action of the controller, in order, on its loop; must return at once.
  public var observer: (@Sendable (Action) -> Void)?
  /// The limits of the camera's strategy; nil: the source's settings stay, and every frame is decoded.
  public var steering: SteeringSettings?
  /// Called on the capture thread for each symbol that was in view for a while and could not be read.
  package var onUnread: (@Sendable () -> Void)?
  /// The mark that is set while a frame is read; nil: none.
  public var readingMark: ReadingMark?
  /// The mark of the codes in view; nil: a label in view is scanned again after a restart.
  public var inViewMark: InViewMark?
  /// Whether the log may contain scanned data.
  public var logsBarcodeData = false
  public var time: any DeviceTime = BootTime()
  public var metrics: any MetricsFactory = MetricsSystem.factory
  /// The feed for the screen; nil without one.
  package var screen: ScreenFeed?
  /// The controls that a screen would have, for clients that read or speak them (behaviour W4).
  package var controls: @Sendable (ScreenSnapshot) -> [PlacedControl] = { _ in [] }
  /// The desk where pictures of frames are requested, if any.
  package var snapshots: SnapshotDesk?
  /// Pictures of frames, if any are wanted.
  package var pictures: FramePictures?

  public init(source: any FrameSource, reading: any SymbolReading, forwarding: any ScanForwarding) {
    self.source = source
    self.reading = reading
    self.forwarding = forwarding
  }
}

/// The loops for capture, the controller, the torch and the buttons, as one. They run in a `ScanRun`.
public struct ScanLoops: Sendable {
  package let events = EventQueue()
  package let metrics: StationMetrics
  package let time: any DeviceTime
  package let viewport: ViewportOwner
  /// Progress of the capture thread.
  package let watch: CaptureWatch
  /// In order of start. They stop in reverse: capture before the controller, which still receives the last frame; the torch
  /// after the controller, which turns it off.
  let services: [any Service]
  private let control: ControllerLoop
  private let inbox: CommandInbox
  private let readingMark: ReadingMark?

  /// - Parameters:
  ///   - earlier: the state of the loops that these replace.
  ///   - viewport: where codes are recognised without a screen.
  public init(
    settings: ScanSettings, after earlier: ScanController? = nil, viewport: Viewport = .whole, parts: ScanParts,
    logger: Logger
  ) {
    metrics = StationMetrics(factory: parts.metrics)
    time = parts.time
    self.viewport = ViewportOwner(viewport: viewport, choice: parts.screen?.viewport)
    let torchWatch = TorchWatch()
    let equipment = CaptureEquipment(
      source: parts.source, reading: parts.reading, viewport: self.viewport,
      preview: parts.screen.map { ($0.gallery, $0.mailbox) }, snapshots: parts.snapshots, pictures: parts.pictures,
      onUnread: parts.onUnread, time: time,
      measuresScene: settings.torch == .automatic, strobe: parts.torch as? any StrobingTorch,
      privacy: parts.privacy, readingMark: parts.readingMark,
      steering: parts.steering.map { CameraSteering(parts.source, $0) }, torchWatch: torchWatch)
    readingMark = parts.readingMark
    let capture = CaptureLoop(equipment: equipment, events: events, metrics: metrics, logger: logger)
    watch = capture.watch
    let torch = TorchLoop(torch: parts.torch, events: events, metrics: metrics, watch: torchWatch, logger: logger)
    let handlers = ActionHandlers(
      capture: capture.commands, torch: torch, forwarding: parts.forwarding, signals: parts.signals,
      speaker: parts.speaker, controls: parts.controls,
      screen: parts.screen.map { ($0.mailbox, $0.gallery) }, frames: parts.pictures?.keeper, observer: parts.observer,
      logsBarcodeData: parts.logsBarcodeData)
    control = ControllerLoop(
      settings: settings, after: earlier, inView: parts.inViewMark, events: events, handlers: handlers, metrics: metrics,
      time: time, logger: logger)
    inbox = CommandInbox(events: events, screen: parts.screen?.mailbox)
    var services: [any Service] = [torch, control, capture]
    if let arrivals = parts.arrivals { services.append(ArrivalLoop(arrivals: arrivals, events: events)) }
    if let buttons = parts.buttons {
      services.append(ButtonLoop(buttons: buttons, events: events, screen: parts.screen?.mailbox, time: time))
    }
    self.services = services
  }

  /// The controller's state.
  public var state: ScanController { get async { await control.state } }

  /// The state of the session, the torch and the screen, in words for a host.
  package var summary: String { get async { await control.summary } }

  /// The available controls, with names and values (behaviour W4).
  package var controls: [PlacedControl] { get async { await control.controls } }

  /// Why nothing is scanned; nil if it is, or would be at the next trigger or session.
  package var trouble: String? {
    get async {
      if let trouble = await control.trouble { return trouble }
      let wait = readingMark?.wait(at: time.now()) ?? 0
      guard wait > 0 else { return nil }
      return "the station before this one ended while it read a frame; scanning begins in \(wait / 1_000_000_000 + 1) s"
    }
  }

  /// Ends when there is nothing more to do; only one task may watch it.
  var finished: AsyncStream<Void> { control.finished }

  /// Passes on a command like a host's, without waiting.
  ///
  /// - Returns: false if the command was refused because too many events wait.
  @discardableResult
  public func pass(_ command: HostCommand) -> Bool { inbox.pass(command) }

  /// Passes on a command like a host's, and waits for the decision.
  package func carryOut(_ command: HostCommand) async -> CommandOutcome { await inbox.carryOut(command) }
}
