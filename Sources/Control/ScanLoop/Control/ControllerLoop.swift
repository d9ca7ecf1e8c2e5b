// One task feeds events to the controller in order and carries out its actions. It waits only for the outbox.

import BarcodeTypes
import Devices
import Logging
import ScanControl
import ScanScreen
import ServiceLifecycle

/// The parts that carry out the controller's actions.
struct ActionHandlers: Sendable {
  let capture: CaptureCommands
  let torch: TorchLoop
  let forwarding: any ScanForwarding
  let signals: any Signals
  let speaker: (any Speaker)?
  /// The controls of a screen, for clients that read or speak them.
  let controls: @Sendable (ScreenSnapshot) -> [PlacedControl]
  /// The screen that shows events, if any, and its frames.
  let screen: (mailbox: ScreenMailbox, gallery: FrameGallery)?
  /// The keeper of frames for pictures, if any are wanted.
  let frames: FrameKeeper?
  let observer: (@Sendable (Action) -> Void)?
  /// Whether the log may contain scanned data.
  let logsBarcodeData: Bool
}

/// The controller's loop as a service. A service that returns before its group shuts down counts as failed, so the loop
/// signals completion through `finished` and returns when the group shuts it down.
package actor ControllerLoop: Service {
  /// How long delivery may continue when there is nothing more to scan.
  static let drainLimit = Duration.seconds(30)

  /// Ends when there is nothing more to do; only one task may watch it.
  nonisolated let finished: AsyncStream<Void>
  private let finishing: AsyncStream<Void>.Continuation

  private var controller: ScanController
  private let inViewMark: InViewMark?
  /// The codes last written to that mark.
  private var codesInView: [CodeMark] = []
  private let events: EventQueue
  private let handlers: ActionHandlers
  private let metrics: StationMetrics
  private let time: any DeviceTime
  private let logger: Logger
  private var alarm: (at: Instant, task: Task<Void, Never>)?
  private var isFinished = false
  private var isShuttingDown = false
  /// The last decision about results.
  private var decision: Decision?
  private var presentationCount = 0
  /// The camera's state as last reported.
  private var toldCamera: (permission: Permission, state: CameraState)?
  /// The controls that the voice last described.
  private var spoken: (snapshot: ScreenSnapshot, focus: PlacedControl?)?
  /// The voice's next words about a control while it is busy; newer words replace older ones.
  private var waitingWords: String?
  private var isSpeaking = false

  init(
    settings: ScanSettings, after earlier: ScanController?, inView inViewMark: InViewMark?, events: EventQueue,
    handlers: ActionHandlers, metrics: StationMetrics, time: any DeviceTime, logger: Logger
  ) {
    controller = ScanController(settings: settings, after: earlier, left: inViewMark?.left ?? [])
    self.inViewMark = inViewMark
    self.events = events
    self.handlers = handlers
    self.metrics = metrics
    self.time = time
    self.logger = logger
    (finished, finishing) = AsyncStream.makeStream()
  }

  /// The controller's state, for the station that replaces this one.
  var state: ScanController { controller }

  /// The state of the session and the torch, in words for a host.
  package var summary: String { controller.summary }

  /// Why the station does not scan; nil if it does, or would at the next trigger or session.
  package var trouble: String? { controller.session.trouble(isCameraLoaded: controller.camera.isLoaded) }

  package func run() async {
    tellNotice()
    events.post(.serviceStarted)
    let incomplete = handlers.forwarding.incomplete
    let watching = Task { for await scans in incomplete { await tellIncomplete(scans) } }
    defer { watching.cancel() }
    await withTaskCancellationHandler {
      await withGracefulShutdownHandler {
        await handleAll()
      } onGracefulShutdown: {
        // Capture has ended by now: its events come first.
        self.events.post(.shutdownRequested)
      }
    } onCancel: {
      events.close()
    }
    events.abandon()
    alarm?.task.cancel()
    for scans in handlers.forwarding.abandonSets() { await tellIncomplete(scans) }
    await drainIfFramesEnded()
    finishing.finish()
    try? await gracefulShutdown()
  }

  /// Handles events until the controller is finished or the queue closed.
  private func handleAll() async {
    var batch: [PostedEvent] = []
    batch.reserveCapacity(EventQueue.capacity)
    while !isFinished, await events.takeAll(into: &batch) {
      for posted in batch {
        if isFinished { posted.answer?(nil) } else { await handle(posted.event, posted.answer) }
        posted.handover?.signal()
      }
      setAlarm()
    }
  }

  private func handle(_ event: Event, _ answer: (@Sendable (Bool?) -> Void)?) async {
    if event == .shutdownRequested { isShuttingDown = true }
    let session = controller.session
    let before = answer.map { _ in controller }
    let actions = controller.handle(event, at: Instant(nanoseconds: time.now()))
    answer?(!actions.isEmpty || controller != before)
    holdFrames(event, actions)
    for action in actions { await perform(action) }
    if !isHoldingResults {
      handlers.frames?.releaseHeld()
      markCodesInView()
    }
    tellScreen(event, actions)
    tellCamera()
    sayControls(after: session)
  }

  /// Marks the codes in view for the next process, once their scans are stored.
  private func markCodesInView() {
    guard let inViewMark, controller.codesInView != codesInView else { return }
    codesInView = controller.codesInView
    inViewMark.write(codesInView)
  }

  /// Whether results wait for the user or for other codes of their package; their frames may be wanted as pictures.
  private var isHoldingResults: Bool {
    switch controller.session {
    case .announcing, .reviewing: true
    default: controller.isHoldingResults
    }
  }

  /// Holds the frames of results that wait for the user or for other codes of their package.
  private func holdFrames(_ event: Event, _ actions: [Action]) {
    guard let frames = handlers.frames else { return }
    for action in actions {
      switch action {
      case .announce(let results): frames.hold(results.map(\.frameSequence))
      case .showReview(let review): frames.hold(review.results.map(\.frameSequence))
      default: break
      }
    }
    if controller.isHoldingResults, case .frameDecoded(let frame) = event { frames.hold([frame.sequence]) }
  }

  /// The controller's state for the screen.
  private var snapshot: ScreenSnapshot {
    ScreenSnapshot(
      session: controller.session, isPaused: controller.isPaused, isScannerPresented: controller.visibility != .hidden,
      presentationCount: presentationCount, isTorchOn: controller.torch.isOn,
      isTorchEnabled: controller.isTorchEnabled, hasTorch: controller.torch.capability.hasTorch,
      entries: controller.settings.entries,
      decision: decision)
  }

  /// The available controls, with names and values (behaviour W4).
  var controls: [PlacedControl] { handlers.controls(snapshot) }

  private func tellCamera() {
    let (permission, state) = (controller.camera.permission, controller.camera.state)
    if let told = toldCamera, told == (permission, state) { return }
    toldCamera = (permission, state)
    metrics.cameraReported(permission, state)
  }

  /// Speaks the control that gets the focus, and the torch when the user switches it (behaviour W4). Results just announced
  /// are not repeated.
  private func sayControls(after before: SessionState) {
    guard handlers.speaker != nil else { return }
    let snapshot = snapshot
    guard snapshot != spoken?.snapshot else { return }
    let controls = controls
    let focus = controls.first { $0.hasFocus }
    let torch = controls.first { $0.control == .torch }
    defer { spoken = (snapshot, focus) }
    if let focus, focus != spoken?.focus {
      if case .announcing = before { return }
      say(focus)
    } else if let torch, let spoken, spoken.snapshot.isTorchOn != snapshot.isTorchOn, controller.settings.torch == .manual {
      say(torch)
    }
  }

  /// Speaks a control's name and value as soon as the voice is free.
  private func say(_ control: PlacedControl) {
    guard let speaker = handlers.speaker else { return }
    waitingWords = [control.name, control.value].filter { !$0.isEmpty }.joined(separator: ", ")
    guard !isSpeaking else { return }
    isSpeaking = true
    let logger = logger
    Task {
      while let words = takeWords() {
        if let trouble = await speaker.say(words) {
          logger.warning("a control was not said", metadata: ["trouble": "\(trouble)"])
        }
      }
    }
  }

  private func takeWords() -> String? {
    defer { waitingWords = nil }
    isSpeaking = waitingWords != nil
    return waitingWords
  }

  /// Passes the new state to the screen without waiting for it.
  private func tellScreen(_ event: Event, _ actions: [Action]) {
    guard let screen = handlers.screen else { return }
    var sightings: [Sighting]?
    var unread: [UnreadSymbol] = []
    if case .frameDecoded(let frame) = event, frame.run == controller.camera.run {
      (sightings, unread) = (frame.sightings, frame.unread)
    }
    var scan: Scan?
    for case .showScan(let results, let flashes) in actions {
      scan = Scan(results: (scan?.results ?? []) + results, flashes: flashes || scan?.flashes ?? false)
    }
    screen.mailbox.tell(snapshot, sightings: sightings, unread: unread, scan: scan)
    // A waiting result may still be shown.
    if scan == nil, sightings != nil, !controller.isHoldingResults, case .frameDecoded(let frame) = event {
      screen.gallery.forgoCodes(ofFrame: frame.sequence)
    }
  }

  private func perform(_ action: Action) async {
    handlers.observer?(action)
    switch action {
    case .readPermission: handlers.capture.append(.readPermission)
    case .requestPermission: handlers.capture.append(.requestPermission)
    case .loadCamera: handlers.capture.append(.load)
    case .startCapture(let run): handlers.capture.append(.start(run: run))
    case .stopCapture: handlers.capture.append(.stop)
    case .readTorchCapability: handlers.torch.ask(.readCapability)
    case .setTorch(let isOn): handlers.torch.ask(.set(isOn: isOn))
    case .forward(let results): await forward(results)
    case .announce(let results): announce(results)
    case .reportNoRead(let cause):
      metrics.noRead()
      handlers.signals.show(.noRead)
      await tellNoRead(cause)
    case .countSuppressed(let reason, let count): metrics.suppressed(reason, count)
    case .discard(let results, let discard): tellDiscarded(results, discard)
    case .count(let action): metrics.userAction(action)
    case .finish: isFinished = true
    case .reportScreen(let state): metrics.screenReported(state)
    case .reportConfirmation(let isPossible): tellConfirmation(isPossible)
    case .reportSwitchedOff:
      logger.notice(
        "the scanner is switched off",
        metadata: [
          "remedy": controller.isPaused ? "enable it by a host, the console or SIGUSR2" : "set scanner.enabled to true"
        ])
    case .presentScanner, .showDialog, .dismissDialog, .showReview, .showScan, .showTorch, .showTorchAvailability:
      show(action)
    }
  }

  private func tellNoRead(_ cause: NoRead) async {
    logger.info("a trigger found nothing to read", metadata: ["cause": "\(cause.rawValue)"])
    tellUnheard(await handlers.forwarding.reportNoRead(cause))
  }

  /// Logs a no-read that should have been reported to hosts and was not.
  private func tellUnheard(_ outcome: Result<ScanSafety, any Error>?) {
    guard case .failure(let error) = outcome else { return }
    logger.error("a no-read was not accepted, so hosts do not hear of it", metadata: ["reason": "\(error)"])
  }

  private func tellConfirmation(_ isPossible: Bool) {
    if isPossible {
      logger.notice("results wait for confirmation, for something at the screen can confirm them")
    } else {
      logger.notice(
        "nothing at the screen can confirm a result, so all are forwarded at once",
        metadata: ["remedy": "plug in a touchscreen or keyboard, or write confirm: never"])
    }
  }

  /// Logs an action for the screen. Without a screen, the answer follows at once.
  private func show(_ action: Action) {
    switch action {
    case .presentScanner:
      presentationCount += 1
      if handlers.screen == nil { events.post(.scannerAppeared) }
    case .showDialog(let dialog):
      var metadata: Logger.Metadata = ["remedy": "\(dialog.remedy.logged)"]
      if !dialog.detail.isEmpty { metadata["detail"] = "\(dialog.detail)" }
      logger.error("\(dialog.title.logged)", metadata: metadata)
    case .dismissDialog: if !isShuttingDown { logger.notice("the camera can be used again") }
    case .showReview(let review):
      let result = review.results[review.focusIndex]
      logger.notice(
        "a result waits for confirmation",
        metadata: ["symbology": "\(result.code.symbology.name)", "waiting": "\(review.results.count)"])
    case .showTorch(let isOn): logger.info("torch", metadata: ["state": "\(isOn ? "on" : "off")"])
    default: break
    }
  }

  /// Announces results while the loop continues; the controller limits how long it waits for the end.
  private func announce(_ results: [ScanResult]) {
    let events = events
    guard let speaker = handlers.speaker else { return events.post(.announcementFinished) }
    // These words described controls that have gone.
    waitingWords = nil
    let logger = logger
    let text = results.map(\.code.text).joined(separator: ", ")
    Task {
      if let trouble = await speaker.say(text) {
        logger.warning("an announcement was not made", metadata: ["trouble": "\(trouble)"])
      }
      events.post(.announcementFinished)
    }
  }

  /// Writes the results of a frame to the outbox in one call, and reports the worst outcome.
  private func forward(_ results: [ScanResult]) async {
    let outcomes = await handlers.forwarding.accept(results)
    for (result, outcome) in zip(results, outcomes) {
      do {
        let safety = try outcome.get()
        if case .dropped(let rule) = safety {
          tellDropped(result, rule)
          continue
        }
        if case .waiting(let missing) = safety {
          logger.info("a code waits for others", metadata: ["missing": "\(missing.joined(separator: ", "))"])
          continue
        }
        if case .setup = safety { continue }
        metrics.scanned(result.code.symbology)
        logScan(result)
        guard case .atRisk(let count) = safety else { continue }
        logger.error("a scan is in memory only and is lost if the station stops", metadata: ["atRisk": "\(count)"])
      } catch {
        metrics.scanLost()
        logger.critical(
          "a scan was not accepted and is lost",
          metadata: ["symbology": "\(result.code.symbology.name)", "reason": "\(error)"])
      }
    }
    let made = Decision(number: nextDecisionNumber, forwarded: results, answers: outcomes)
    decision = made
    switch made.outcome {
    case .refused: handlers.signals.show(.refused)
    case .atRisk: handlers.signals.show(.atRisk)
    case .mismatched: handlers.signals.show(.mismatch)
    case .stored: handlers.signals.show(.goodRead)
    case .setup(let outcome): signal(outcome)
    // No signal of a good read: no sink gets the result, or not yet.
    case .dropped, .waiting, .incomplete, .cancelled, .timedOut: break
    }
  }

  /// Shows the outcome of the set-up code that made this station replace another one.
  private func tellNotice() {
    guard let notice = handlers.forwarding.takeNotice() else { return }
    decision = Decision(number: nextDecisionNumber, outcome: .setup(notice.outcome), results: [notice.result])
    signal(notice.outcome)
  }

  /// Signals the outcome of a set-up code. An accepted one is signalled when the station has started with it.
  private func signal(_ outcome: SetupOutcome) {
    switch outcome {
    case .accepted: break
    case .changed: handlers.signals.show(.goodRead)
    case .refused: handlers.signals.show(.refused)
    }
  }

  private var nextDecisionNumber: Int { (decision?.number ?? 0) + 1 }

  /// Reports a set that was given up as a no-read that names the missing parts.
  private func tellIncomplete(_ scans: IncompleteScans) async {
    metrics.noRead()
    logger.warning(
      "a set of codes is not complete, and is not sent",
      metadata: ["set": "\(scans.set)", "missing": "\(scans.missing.joined(separator: ", "))"])
    handlers.signals.show(.noRead)
    decision = Decision(number: nextDecisionNumber, outcome: .incomplete, results: scans.results)
    handlers.screen?.mailbox.tell(snapshot, sightings: nil, unread: [], scan: nil)
    tellUnheard(await handlers.forwarding.reportIncomplete(scans))
  }

  /// Counts and logs a scan that a rule has dropped.
  private func tellDropped(_ result: ScanResult, _ rule: String) {
    metrics.suppressed(.dropped, 1)
    logger.info("a rule dropped a scan", metadata: scanMetadata(result).merging(["rule": "\(rule)"]) { one, _ in one })
  }

  /// Counts and logs results that are not forwarded.
  private func tellDiscarded(_ results: [ScanResult], _ discard: Discard) {
    metrics.suppressed(discard.suppression, results.count)
    decision = Decision(number: nextDecisionNumber, discarded: results, discard) ?? decision
    for result in results {
      let metadata = scanMetadata(result)
      switch discard {
      case .cancelled: logger.info("a result was cancelled, and is not forwarded", metadata: metadata)
      case .timedOut: logger.warning("a result was not confirmed in time, and is not forwarded", metadata: metadata)
      case .stopped:
        logger.warning("a result was still unconfirmed when scanning stopped, and is not forwarded", metadata: metadata)
      }
    }
  }

  private func logScan(_ result: ScanResult) { logger.info("scanned", metadata: scanMetadata(result)) }

  /// Log fields of a result.
  private func scanMetadata(_ result: ScanResult) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["symbology": "\(result.code.symbology.name)"]
    if handlers.logsBarcodeData { metadata["data"] = "\(result.code.text)" }
    return metadata
  }

  /// Wakes the controller at its next deadline.
  private func setAlarm() {
    let deadline = controller.nextDeadline
    guard deadline != alarm?.at else { return }
    alarm?.task.cancel()
    alarm = nil
    guard let deadline else { return }
    let wait = Instant(nanoseconds: time.now()).duration(to: deadline)
    let events = events
    let task = Task {
      if wait > .zero { try? await Task.sleep(for: wait) }
      if !Task.isCancelled { events.post(.timePassed) }
    }
    alarm = (deadline, task)
  }

  /// After the last picture, waits until its scans are delivered before the station ends, unless the station is asked to end
  /// now.
  private func drainIfFramesEnded() async {
    guard !isShuttingDown else { return }
    let forwarding = handlers.forwarding
    let leftCount = await cancelWhenGracefulShutdown { await forwarding.drain(within: Self.drainLimit) }
    if leftCount > 0 {
      logger.warning("scans are left in the outbox for the next start", metadata: ["count": "\(leftCount)"])
    }
  }
}
