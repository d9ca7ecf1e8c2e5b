// The controller makes every decision about sessions, the camera, the torch and results. It is a value without I/O: events
// go in, actions come out; the runtime carries the actions out and turns their outcomes into events. A test is therefore a
// conversation, and a replayed event log gives the same actions. The …Transitions files hold the transitions of sessions,
// camera, results, trigger and torch.

/// Decides what a scanning station does.
///
///                           entry point                 authorized
///     switchedOff   idle ─────────────► checkingPermission ─────────► opening ◄──────────────┐
///                   ▲ ▲                        │ denied                 │ captureStarted      │ camera came back
///                   │ │        cancel          ▼            failure     ▼                     │
///                   │ └───────────────────── failed ◄──────────────── scanning ──┐            │
///                   │                          └─────────────────────────────────┼────────────┘
///                   │                                                            │ a scan
///                   │   cancel                                         ┌─────────┴──────────┐
///                   ├───────── waiting ◄── settled ── reviewing ◄── announcing              │
///                   │             ▲                       ▲  needs confirmation             │ nothing to confirm
///                   │             │                       └─────────────────────────────────┤
///                   │             └─────────────────────────────────────────────────────────┤
///                   │ cancel (no scan)                                                      │ reopening after 0 s:
///                   └──────────────────────────────────────────────────────── scanning ◄────┘ handed to the next session
///
/// `waiting` leads back to `checkingPermission` by the reopening policy; the end of the frames or a shutdown leads from
/// every state to `finished`.
///
/// A session that reopens automatically keeps the repeat memory: a label still in view is the same presentation. A session
/// that the user opens, by an entry point or the trigger, begins with an empty memory: every code in view is to be scanned.
public struct ScanController: Equatable, Sendable {
  /// The most actions that one event causes.
  public static let actionCountMax = 16
  /// How long the controller waits for an announcement to end.
  public static let announcementDurationMax = Duration.seconds(10)
  /// Pause before the next session after the user closed one: long enough to look at other pages of the station, short
  /// enough that the next person finds it scanning.
  public static let closedPause = Duration.seconds(10)
  /// How long the controller waits for the scanner to appear: setting a panel's mode takes a second, and a panel that hangs
  /// must not keep the camera from scanning.
  public static let appearanceDurationMax = Duration.seconds(3)
  /// How long a starting station waits to learn its input devices, if confirmation depends on them: until then it cannot
  /// know whether a text needs confirmation. Devices are reported within a second; a system that reports nothing for this
  /// long counts as having no devices.
  public static let inputDurationMax = Duration.seconds(3)
  /// How long results wait for the user since the last answer: a user who has left does not block the next one.
  public static let reviewDurationMax = Duration.seconds(60)

  public let settings: ScanSettings
  public internal(set) var session: SessionState
  /// Whether the station is paused.
  public internal(set) var isPaused: Bool
  public internal(set) var camera = CameraStatus()
  public internal(set) var torch = TorchStatus()
  public internal(set) var screen = ScreenState.absent
  public internal(set) var visibility = Visibility.hidden
  public internal(set) var trigger = TriggerStatus()
  public internal(set) var input: InputStatus
  var repeats: RepeatMemory
  var votes: VoteMemory
  var presentation = PresentationMemory()
  var packages: PackageMemory
  /// Set when the frames have ended while results wait for the user.
  var haveFramesEnded = false

  /// The most codes in view.
  public static let codeInViewCountMax = RepeatMemory.codeCountMax

  /// The codes in view, or out of view for so short a time that they would not be scanned again.
  public var codesInView: [CodeMark] { Array(repeats.marksInView.prefix(Self.codeInViewCountMax)) }

  /// - Parameters:
  ///   - earlier: the controller of the previous configuration: a label that stays in view across a reload is one
  ///     presentation, and a paused station stays paused.
  ///   - left: the codes that the previous process had in view; of use only without `earlier`.
  public init(settings: ScanSettings, after earlier: ScanController? = nil, left: Set<CodeMark> = []) {
    self.settings = settings
    isPaused = settings.isEnabled && earlier?.isPaused ?? false
    session = settings.isEnabled && !isPaused ? .idle : .switchedOff
    repeats = earlier?.repeats ?? RepeatMemory(absence: settings.repeatAbsence, left: left)
    repeats.absence = settings.repeatAbsence
    input = InputStatus(after: earlier?.input)
    votes = VoteMemory(settings: settings.votes)
    packages = PackageMemory(after: earlier?.packages)
  }

  /// Forgets which codes were scanned: those still in view are to be scanned again.
  public mutating func forgetScans() { repeats.forgetAll() }

  /// Whether the torch control is enabled (behaviour T5).
  public var isTorchEnabled: Bool { torch.capability.isUsable && camera.state == .available }

  /// When `timePassed` is due at the latest; nil if no deadline is pending.
  public var nextDeadline: Instant? {
    var next: Instant?
    if case .waiting(let wait) = session { next = wait.end }
    if case .announcing(_, let deadline) = session { next = deadline }
    if case .reviewing(_, let deadline) = session { next = deadline }
    var appearance: Instant?
    if case .presented(let until) = visibility { appearance = until }
    for deadline in [camera.retryAt, session.scanningEnd, appearance, input.awaitedUntil, packages.nextDeadline] {
      guard let deadline else { continue }
      next = next.map { min($0, deadline) } ?? deadline
    }
    return next
  }

  /// Handles an event and returns the actions that it causes, in order.
  ///
  /// - Parameter now: when it happened; may go back from one event to the next only by the delay of frames.
  /// - Returns: at most `actionCountMax` actions; empty for most frames.
  public mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    var actions: [Action] = []
    let wasTorchEnabled = isTorchEnabled
    let wasTorchOn = torch.isOn
    dispatch(event, at: now, &actions)
    endHolding(isCancelled: event == .cancelPressed, &actions)
    if torch.isOn != wasTorchOn { actions.append(.showTorch(isOn: torch.isOn)) }
    if isTorchEnabled != wasTorchEnabled { actions.append(.showTorchAvailability(isTorchEnabled)) }
    return actions
  }

  private mutating func dispatch(_ event: Event, at now: Instant, _ actions: inout [Action]) {
    switch event {
    case .serviceStarted: serviceStarted(now, &actions)
    case .shutdownRequested: finish(&actions)
    case .timePassed: timePassed(now, &actions)
    case .shortcutPressed: open(from: .shortcut, &actions)
    case .searchRequested: open(from: .search, &actions)
    case .triggerPressed: triggerPressed(&actions)
    case .triggerReleased: triggerReleased(now, &actions)
    case .triggerPulsed: triggerPulsed(&actions)
    case .goPressed: goPressed(now, &actions)
    case .resultChosen(let index): resultChosen(index, now, &actions)
    case .nextResultRequested: nextResultRequested(now, &actions)
    case .cancelPressed: cancelPressed(now, &actions)
    case .torchPressed: torchRequested(isOn: !(torch.wanted ?? torch.isOn), &actions)
    case .torchRequested(let isOn): torchRequested(isOn: isOn, &actions)
    case .disableRequested: disableRequested(now, &actions)
    case .enableRequested: enableRequested(now, &actions)
    case .scannerAppeared: scannerAppeared(&actions)
    case .announcementFinished: announcementFinished(now, &actions)
    case .inputReported(let canConfirm): inputReported(canConfirm, &actions)
    case .screenReported(let state): screenReported(state, now, &actions)
    case .permissionReported(let permission): permissionReported(permission, now, &actions)
    case .cameraLoaded: cameraLoaded(now, &actions)
    case .cameraFailed(let failure): cameraFailed(failure, now, &actions)
    case .cameraInUse: cameraInUse(now, &actions)
    case .cameraArrived: cameraArrived(&actions)
    case .captureStarted(let run): captureStarted(run, now, &actions)
    case .frameDecoded(let frame): frameDecoded(frame, now, &actions)
    case .sceneMeasured(let brightness): sceneMeasured(brightness, now, &actions)
    case .lightWished(let isOn): lightWished(isOn, &actions)
    case .framesEnded(let run): framesEnded(run, &actions)
    case .torchCapabilityReported(let capability): torchCapabilityReported(capability, &actions)
    case .torchObserved(let isOn): torchObserved(isOn, &actions)
    case .torchRefused(let isOn): torchRefused(isOn)
    }
  }

  private mutating func timePassed(_ now: Instant, _ actions: inout [Action]) {
    if let until = input.awaitedUntil, until <= now { inputReported(false, &actions) }
    if case .waiting(let wait) = session, let end = wait.end, end <= now { beginOpening(&actions) }
    if case .announcing(_, let deadline) = session, deadline <= now { announcementFinished(now, &actions) }
    if case .reviewing(_, let deadline) = session, deadline <= now {
      settle(.timedOut, now, &actions)
    }
    if let retryAt = camera.retryAt, retryAt <= now { retryCamera(&actions) }
    heldTimePassed(now, &actions)
    if let end = session.scanningEnd, end <= now { triggeredTimePassed(now, &actions) }
    if case .presented(let until) = visibility, until <= now { scannerAppeared(&actions) }
  }
}
