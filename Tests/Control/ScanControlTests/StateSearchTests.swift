// No dead end (behaviour S6): a search of all states of a controller, with devices and users that cooperate or fail.

import BarcodeTypes
import TestSupport
import Testing

@testable import ScanControl

@Suite struct StateSearchTests {
  private static let limit = Duration.seconds(3)

  /// Every trigger with every policy for reopening and entry; the other settings vary over these combinations, so that each
  /// value occurs in many.
  private static let variants: [ScanSettings] = {
    var variants: [ScanSettings] = []
    for trigger in [TriggerMode.continuous, .presentation, .level(limit: limit), .edge(limit: limit), .timed(limit)] {
      for reopening in [Reopening.after(.zero), .after(.seconds(2)), .onConfirmation, .onTrigger] {
        for entry in [EntryPoint.boot, .search] {
          var settings = ScanSettings()
          settings.trigger = trigger
          settings.reopening = reopening
          settings.entry = entry
          settings.confirmation = Confirmation.allCases[variants.count % 3]
          settings.isSpoken = variants.count % 4 == 1
          settings.pausesWithoutScreen = variants.count % 5 == 2
          if variants.count % 4 == 2 { settings.retail = RetailSettings(mode: .preferred2D) }
          settings.torch = TorchMode.allCases[variants.count / 2 % 3]
          if entry != .boot && variants.count % 6 == 5 { settings.entries = EntryPoints([.boot, .search]) }
          settings.confirmsOnlyWithInput = variants.count % 19 == 3 && settings.confirmation != .never
          variants.append(settings)
        }
      }
    }
    return variants
  }()

  @Test func `from every state, time and every input lead back to scanning`() {
    search(Self.variants, Step.allCases.filter { !$0.isLight })
  }

  /// The torch multiplies the number of states, so each run takes some random settings.
  @Test func `the torch is dark whenever no session can use it`() {
    search(Array(Self.variants.shuffled().prefix(TestDepth.scaled(2))), Step.allCases)
  }

  private func search(_ variants: [ScanSettings], _ steps: [Step]) {
    var stateCount = 0
    for settings in variants {
      var search = StateSearch(settings: settings, steps: steps)
      search.run()
      stateCount += search.stateCount
      #expect(
        search.problems.isEmpty,
        "\(settings.trigger), \(settings.reopening), \(settings.entry), \(settings.confirmation), \(settings.torch): \(search.problems.first ?? "")"
      )
      #expect(search.stateCount < StateSearch.stateCountMax, "not all was searched")
    }
    print("searched \(stateCount) states of \(variants.count) settings, with \(steps.count) inputs each")
  }
}

/// The possible next events.
private enum Step: CaseIterable {
  // The user and the host
  case shortcut, search, press, release, pulse, go, choose, next, cancel, torch, torchOn, torchOff, disable, enable
  // The view
  case digits, text, both, nothing, dark, bright, wishesLight, wishesDark
  // Time, to the next deadline
  case time
  // Answers to the controller's requests
  case authorized, denied, restricted, notDetermined
  case loaded, loadFailed, busy
  case started, startFailed
  case appeared, announced
  case capable, incapable
  case torchFollows, torchRefuses
  // Events of the devices
  case unplugged, arrived, lit, screenTaken, screenBack
  // The devices at the screen
  case canConfirm, cannotConfirm

  /// Whether the step concerns the torch. Without these steps the station has no torch.
  var isLight: Bool {
    switch self {
    case .torch, .torchOn, .torchOff, .dark, .bright, .wishesLight, .wishesDark, .capable, .torchRefuses, .lit: true
    default: false
    }
  }

  static let openings: [Step] = [.shortcut, .search, .press, .pulse, .go]
}

/// A controller, and its requests that are not answered yet.
private struct World {
  var controller: ScanController
  var now = Instant(nanoseconds: 1_000_000_000)
  var isPermissionAsked = false
  var isLoading = false
  var isStarting = false
  var isAppearing = false
  var isAnnouncing = false
  var isCapabilityAsked = false
  /// The last torch request that is not answered yet.
  var torchWanted: Bool?
  var isTorchLit = false
  var captureCount = 0
  private var frameCount: UInt64 = 0
  /// The steps so far.
  private var path: [Step] = []
  /// The last steps in words.
  var story: String { path.suffix(12).map { "\($0)" }.joined(separator: ", ") }
  private(set) var problem: String?

  init(settings: ScanSettings) {
    controller = ScanController(settings: settings)
    handle(.serviceStarted)
  }

  /// Takes a step; false if it cannot happen now.
  mutating func take(_ step: Step) -> Bool {
    guard let event = event(for: step) else { return false }
    path.append(step)
    handle(event)
    return true
  }

  private mutating func event(for step: Step) -> Event? {
    func answer(_ isAsked: inout Bool, _ event: Event) -> Event? {
      guard isAsked else { return nil }
      isAsked = false
      return event
    }
    let failure = CameraFailure(.disconnected)
    switch step {
    case .shortcut: return .shortcutPressed
    case .search: return .searchRequested
    case .press: return controller.trigger.isHeld ? nil : .triggerPressed
    case .release: return controller.trigger.isHeld ? .triggerReleased : nil
    case .pulse: return .triggerPulsed
    case .go: return .goPressed
    case .choose: return .resultChosen(1)
    case .next: return .nextResultRequested
    case .cancel: return .cancelPressed
    case .torch: return .torchPressed
    case .torchOn: return .torchRequested(isOn: true)
    case .torchOff: return .torchRequested(isOn: false)
    case .disable: return .disableRequested
    case .enable: return .enableRequested
    case .digits: return frame([.ean13])
    case .text: return frame([.qr])
    case .both: return frame([.qr, .ean13, .qr])
    case .nothing: return frame([])
    case .dark: return controller.camera.capture == .running ? .sceneMeasured(brightness: 10) : nil
    case .bright: return controller.camera.capture == .running ? .sceneMeasured(brightness: 250) : nil
    case .wishesLight: return controller.camera.capture == .running ? .lightWished(isOn: true) : nil
    case .wishesDark: return controller.camera.capture == .running ? .lightWished(isOn: false) : nil
    case .time:
      guard let deadline = controller.nextDeadline else { return nil }
      now = max(now, deadline)
      return .timePassed
    case .authorized: return answer(&isPermissionAsked, .permissionReported(.authorized))
    case .denied: return answer(&isPermissionAsked, .permissionReported(.denied))
    case .restricted: return answer(&isPermissionAsked, .permissionReported(.restricted))
    case .notDetermined: return answer(&isPermissionAsked, .permissionReported(.notDetermined))
    case .loaded: return answer(&isLoading, .cameraLoaded)
    case .loadFailed: return answer(&isLoading, .cameraFailed(failure))
    case .busy: return answer(&isLoading, .cameraInUse)
    case .started: return answer(&isStarting, .captureStarted(run: controller.camera.run))
    case .startFailed: return answer(&isStarting, .cameraFailed(failure))
    case .appeared: return answer(&isAppearing, .scannerAppeared)
    case .announced: return answer(&isAnnouncing, .announcementFinished)
    case .capable: return answer(&isCapabilityAsked, .torchCapabilityReported(.full))
    case .incapable: return answer(&isCapabilityAsked, .torchCapabilityReported(.none))
    case .torchFollows:
      guard let wanted = torchWanted else { return nil }
      torchWanted = nil
      isTorchLit = wanted
      return .torchObserved(isOn: wanted)
    case .torchRefuses:
      // Only for a lamp that cannot be lit. Nothing recovers from a lamp that cannot be turned off.
      guard torchWanted == true else { return nil }
      torchWanted = nil
      return .torchRefused(isOn: isTorchLit)
    case .unplugged: return controller.camera.isLoaded ? .cameraFailed(failure) : nil
    case .arrived: return controller.camera.retryAt == nil ? nil : .cameraArrived
    case .screenTaken: return controller.screen == .multipleForegroundApps ? nil : .screenReported(.multipleForegroundApps)
    case .screenBack: return controller.screen == .multipleForegroundApps ? .screenReported(.available) : nil
    case .canConfirm: return input(true)
    case .cannotConfirm: return input(false)
    case .lit:
      guard torchWanted == nil, !isTorchLit else { return nil }
      isTorchLit = true
      return .torchObserved(isOn: true)
    }
  }

  /// Nil if the settings do not ask for it, or it is already known.
  private func input(_ canConfirm: Bool) -> Event? {
    guard controller.settings.confirmsOnlyWithInput, controller.input.canConfirm == nil else { return nil }
    return .inputReported(canConfirm: canConfirm)
  }

  /// A frame with new codes; nil while nothing records.
  private mutating func frame(_ symbologies: [Symbology]) -> Event? {
    guard controller.camera.capture == .running else { return nil }
    frameCount += 1
    now = now.advanced(by: .seconds(2))
    let sightings = symbologies.enumerated().map { index, symbology in
      Sighting(code: ScannedCode(symbology, "\(frameCount) \(index)").naming("\(frameCount)"), corners: .anywhere)
    }
    return .frameDecoded(
      FrameReport(run: controller.camera.run, sequence: frameCount, capturedAt: now, sightings: sightings))
  }

  private mutating func handle(_ event: Event) {
    let before = controller.session
    let wasInputAwaited = controller.input.awaitedUntil != nil
    let actions = controller.handle(event, at: now)
    if actions.count > ScanController.actionCountMax { note("\(actions.count) actions") }
    var endingCount = 0
    for action in actions {
      switch action {
      case .readPermission, .requestPermission: isPermissionAsked = true
      case .loadCamera: isLoading = true
      case .startCapture:
        isStarting = true
        captureCount += 1
      case .stopCapture:
        isStarting = false
        captureCount -= 1
      case .presentScanner: isAppearing = true
      case .announce: isAnnouncing = true
      case .readTorchCapability: isCapabilityAsked = true
      case .setTorch(let isOn):
        torchWanted = isOn
        if isOn && !controller.mayBeLit { note("light without a session") }
      case .count(.closed), .count(.closedFromError), .count(.scannedCode): endingCount += 1
      case .forward(let results):
        if wasInputAwaited { note("a result is forwarded before anybody knows whether it can be confirmed") }
        if case .reviewing(let review, _) = controller.session, review.results.contains(where: results.contains) {
          note("a result is forwarded and stays under review")
        }
      default: break
      }
    }
    if controller.visibility == .hidden { isAppearing = false }
    switch controller.session {
    case .switchedOff, .idle, .checkingPermission, .waiting, .finished:
      if controller.visibility != .hidden { note("the scanner is visible without a session") }
    case .opening, .scanning, .announcing, .reviewing, .failed: break
    }
    if endingCount > 1 { note("\(endingCount) endings of one session") }
    if event == .disableRequested, endingCount > 0 { note("a host's command is counted as a user's") }
    let isRecording = controller.camera.capture != .stopped && !controller.input.holdsCapture
    if captureCount != (isRecording ? 1 : 0) { note("captures do not pair up") }
    if !controller.mayBeLit && controller.torch.wanted == true { note("light is wanted without a session") }
    if before == .finished { note("something happens after the end") }
  }

  private mutating func note(_ text: String) { problem = problem ?? "\(text) after \(story)" }

  /// A number that distinguishes states: everything except times and growing counters.
  var signature: UInt64 {
    var signature: UInt64 = 0
    func add(_ digit: Int, of base: UInt64) { signature = signature * base + UInt64(digit) }
    func add(_ isTrue: Bool?) { add(isTrue.map { $0 ? 1 : 0 } ?? 2, of: 3) }
    let (camera, torch, trigger) = (controller.camera, controller.torch, controller.trigger)
    switch controller.session {
    case .switchedOff: add(0, of: 64)
    case .idle: add(1, of: 64)
    case .checkingPermission: add(2, of: 64)
    case .opening: add(3, of: 64)
    case .scanning: add(4, of: 64)
    case .announcing(let review, _): add(5 + review.results.count, of: 64)
    case .reviewing(let review, _): add(10 + 4 * review.results.count + review.focusIndex, of: 64)
    case .failed(let dialog): add(40 + Self.number(dialog), of: 64)
    case .waiting(.closed): add(59, of: 64)
    case .waiting(.until): add(60, of: 64)
    case .waiting(.forConfirmation): add(61, of: 64)
    case .waiting(.forTrigger): add(62, of: 64)
    case .finished: add(63, of: 64)
    }
    let permissions: [Permission] = [.notDetermined, .restricted, .denied, .authorized]
    add(permissions.firstIndex(of: camera.permission) ?? 0, of: 4)
    let states: [CameraState] = [
      .notLoaded, .permissionDenied, .unavailable, .inUseByAnotherApplication, .multipleForegroundApps,
      .applicationInBackground, .available,
    ]
    add(states.firstIndex(of: camera.state) ?? 0, of: 7)
    add(camera.capture == .stopped ? nil : camera.capture == .running)
    add(controller.visibility == .hidden ? nil : controller.visibility == .visible)
    for isTrue in [torch.observed, torch.wanted, torchWanted, controller.input.canConfirm] { add(isTrue) }
    for isTrue in [
      camera.isLoading, camera.isLoaded, camera.retryAt != nil, torch.capability.isUsable, torch.isUserWaitingForLight,
      torch.isInUsersHands, torch.changeWantedSince != nil, trigger.isHeld, trigger.holdsSession,
      controller.session.scanningEnd != nil,
      trigger.hasScanned, isPermissionAsked, isLoading, isStarting, isAppearing, isAnnouncing, isCapabilityAsked,
      isTorchLit, controller.screen == .multipleForegroundApps, controller.isPaused,
      controller.input.awaitedUntil != nil, controller.input.holdsCapture, controller.isHoldingResults,
    ] { add(isTrue ? 1 : 0, of: 2) }
    return signature
  }

  private static func number(_ dialog: Dialog) -> Int {
    switch dialog {
    case .permissionDenied: 0
    case .permissionRestricted: 1
    case .interrupted(.applicationInBackground): 2
    case .interrupted(.inUseByAnotherApplication): 3
    case .interrupted(.multipleForegroundApps): 4
    case .failed: 5
    }
  }

  /// Takes the next step of a world that cooperates: first it answers, then time passes. The screen need not answer, as
  /// scanning does not depend on it.
  mutating func goOn() -> Bool {
    let answers: [Step] = [
      .torchFollows, .authorized, .loaded, .incapable, .started, .nothing, .announced, .screenBack,
    ]
    for step in answers where take(step) { return true }
    return take(.time)
  }
}

extension ScanController {
  /// Whether the torch may be lit.
  fileprivate var mayBeLit: Bool { session == .opening || session.isScanning }
}

/// Searches all states that a controller can reach.
private struct StateSearch {
  /// More states than any settings have.
  static let stateCountMax = 1_000_000
  /// More steps than any path back to scanning has.
  static let stepCountMax = 100

  let settings: ScanSettings
  let steps: [Step]
  private var seen: Set<UInt64> = []
  /// States from which a cooperating world returns to scanning.
  private var leadingBack: Set<UInt64> = []
  /// States in which the settings let a station wait for an input, and from which every input has been tried.
  private var tried: Set<UInt64> = []
  private(set) var problems: [String] = []
  var stateCount: Int { seen.count }

  init(settings: ScanSettings, steps: [Step]) {
    self.settings = settings
    self.steps = steps
  }

  mutating func run() {
    let first = World(settings: settings)
    var open = [first]
    var next = 0
    seen.insert(first.signature)
    // In order of length, so that a problem is found with the shortest story.
    while next < open.count, problems.isEmpty, seen.count < Self.stateCountMax {
      let world = open[next]
      next += 1
      check(world)
      for step in steps {
        var after = world
        guard after.take(step), seen.insert(after.signature).inserted else { continue }
        if let problem = after.problem { problems.append(problem) }
        open.append(after)
      }
    }
  }

  /// Checks that a world returns to scanning: by time alone if the settings say so, otherwise through every input that opens
  /// a session.
  private mutating func check(_ world: World) {
    var left = world
    if settle(&left) { return }
    if left.controller.session == .switchedOff {
      check(left, after: .enable)
      _ = left.take(.enable)
      if settle(&left) { return }
    }
    guard mayRest(left.controller.session) else {
      problems.append("\(left.controller.session) is a dead end after \(world.story), left alone: \(left.story)")
      return
    }
    guard tried.insert(left.signature).inserted else { return }
    if left.isTorchLit { problems.append("the torch burns in \(left.controller.session) after \(world.story)") }
    for step in Step.openings where step != .shortcut || settings.entries.contains(.shortcut) { check(left, after: step) }
  }

  private mutating func check(_ world: World, after step: Step) {
    var next = world
    _ = next.take(.release)
    guard next.take(step), !settle(&next) else { return }
    if step == .enable, mayRest(next.controller.session) { return }
    problems.append("\(step) does not lead to scanning from \(world.controller.session), after \(world.story)")
  }

  /// Lets the world answer and time pass until the controller scans, or nothing more happens without an input.
  ///
  /// - Returns: whether it scans.
  private mutating func settle(_ world: inout World) -> Bool {
    var passed: [UInt64] = []
    for _ in 0..<Self.stepCountMax {
      let signature = world.signature
      if world.controller.session.isScanning || leadingBack.contains(signature) {
        leadingBack.formUnion(passed)
        return true
      }
      passed.append(signature)
      guard world.goOn() else { return false }
    }
    return false
  }

  /// Whether, by the settings, an input opens the next session instead of time.
  private func mayRest(_ session: SessionState) -> Bool {
    switch session {
    case .idle: settings.entry != .boot || settings.trigger.opensSessions || settings.reopening.needsInput
    case .waiting(.forTrigger): settings.trigger.opensSessions || settings.reopening == .onTrigger
    case .waiting(.forConfirmation): settings.reopening == .onConfirmation
    default: false
    }
  }
}

extension Reopening {
  fileprivate var needsInput: Bool { if case .after = self { false } else { true } }
}
