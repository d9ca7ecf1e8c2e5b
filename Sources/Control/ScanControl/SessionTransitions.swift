// Transitions that open and close sessions and start the next (behaviour §1).

extension ScanController {
  mutating func serviceStarted(_ now: Instant, _ actions: inout [Action]) {
    turnTorchOff(&actions)
    awaitInput(now)
    switch session {
    case .switchedOff: actions.append(.reportSwitchedOff)
    case .idle: if settings.entry == .boot && !settings.trigger.opensSessions { beginOpening(&actions) }
    case .checkingPermission, .opening, .scanning, .announcing, .reviewing, .failed, .waiting, .finished: break
    }
  }

  /// Opens a session for a user. An open session stays as it is and nothing is counted; a disabled entry point has no
  /// effect.
  mutating func open(from entry: EntryPoint, _ actions: inout [Action]) {
    guard canOpen, settings.entries.contains(entry) else { return }
    switch entry {
    case .boot: break
    case .shortcut: actions.append(.count(.openedByShortcut))
    case .search: actions.append(.count(.openedBySearch))
    }
    openAnew(&actions)
  }

  /// Opens a session for a user, who wants every code in view scanned.
  mutating func openAnew(_ actions: inout [Action]) {
    repeats.forgetAll()
    presentation.forget()
    beginOpening(&actions)
  }

  var canOpen: Bool {
    switch session {
    case .idle, .waiting: true
    case .switchedOff, .checkingPermission, .opening, .scanning, .announcing, .reviewing, .failed, .finished: false
    }
  }

  /// Opens a session, regardless of the requester: permission is checked first (behaviour S2).
  mutating func beginOpening(_ actions: inout [Action]) {
    turnTorchOff(&actions)
    votes.forgetAll()
    trigger.sessionBegan()
    session = .checkingPermission
    actions.append(.readPermission)
  }

  mutating func scannerAppeared(_ actions: inout [Action]) {
    guard case .presented = visibility else { return }
    visibility = .visible
    startCaptureIfReady(&actions)
  }

  /// Close, or Cancel in a dialog or review.
  mutating func cancelPressed(_ now: Instant, _ actions: inout [Action]) {
    switch session {
    case .switchedOff, .idle, .finished: break
    case .checkingPermission, .opening, .scanning:
      actions.append(.count(.closed))
      closeToIdle(&actions)
      rest(now)
    case .failed:
      actions.append(.count(.closedFromError))
      actions.append(.dismissDialog)
      closeToIdle(&actions)
      rest(now)
    case .announcing, .reviewing: settle(.cancelled, now, &actions)
    case .waiting: rest(now)
    }
  }

  /// After the user closes a session: if sessions open automatically, the next one follows after a pause; otherwise an entry
  /// point, the trigger or the confirm button opens it (behaviour S6).
  private mutating func rest(_ now: Instant) {
    guard settings.entry == .boot, !settings.trigger.opensSessions, case .after(let delay) = settings.reopening else {
      session = .idle
      return
    }
    session = .waiting(.closed(until: now.advanced(by: max(delay, Self.closedPause))))
  }

  /// Pauses the station until `enableRequested`: the scanner is switched off (behaviour S0), and the camera counts as in the
  /// background (behaviour C3). None of the endings of behaviour S4 is counted: no user closed the session.
  mutating func disableRequested(_ now: Instant, _ actions: inout [Action]) {
    // The wait for the last results to be confirmed is over.
    if haveFramesEnded { return finish(&actions) }
    switch session {
    case .switchedOff, .finished: return
    case .idle, .waiting: break
    case .checkingPermission, .opening, .scanning: closeToIdle(&actions)
    case .failed:
      actions.append(.dismissDialog)
      closeToIdle(&actions)
    case .announcing, .reviewing:
      discardReview(.stopped, &actions)
      closeToIdle(&actions)
    }
    session = .switchedOff
    isPaused = true
    cameraInterrupted(.applicationInBackground, now, &actions)
    actions.append(.reportSwitchedOff)
  }

  /// Resumes a paused scanner, and opens a session if one opens at the start. A scanner that the configuration disables
  /// stays off.
  mutating func enableRequested(_ now: Instant, _ actions: inout [Action]) {
    guard session == .switchedOff, settings.isEnabled else { return }
    isPaused = false
    session = .idle
    interruptionEnded(now, &actions)
    repeats.forgetAll()
    serviceStarted(now, &actions)
  }

  mutating func closeToIdle(_ actions: inout [Action]) {
    // A camera that records behind a dialog has not yet proved that it works: the next session begins by loading it.
    if case .failed = session, camera.capture != .stopped { camera.isLoaded = false }
    stopCapture(&actions)
    turnTorchOff(&actions)
    visibility = .hidden
    camera.endRetries()
    session = .idle
  }

  /// Closes a session that ended with a scan and arranges the next one.
  ///
  /// - Parameter isSettled: whether the user has already confirmed or dismissed the results.
  mutating func closeAfterScan(_ now: Instant, isSettled: Bool, _ actions: inout [Action]) {
    turnTorchOff(&actions)
    visibility = .hidden
    if haveFramesEnded {
      session = .finished
      actions.append(.finish)
      return
    }
    switch settings.trigger.opensSessions ? .onTrigger : settings.reopening {
    case .after(let delay):
      if delay > .zero { session = .waiting(.until(now.advanced(by: delay))) } else { beginOpening(&actions) }
    case .onConfirmation:
      if isSettled { beginOpening(&actions) } else { session = .waiting(.forConfirmation) }
    case .onTrigger: session = .waiting(.forTrigger)
    }
  }

  /// The source has no more frames. Results under review still wait for the user.
  mutating func framesEnded(_ run: UInt32, _ actions: inout [Action]) {
    guard run == camera.run, !haveFramesEnded else { return }
    haveFramesEnded = true
    switch session {
    case .announcing, .reviewing: break
    case .switchedOff, .idle, .checkingPermission, .opening, .scanning, .failed, .waiting, .finished: finish(&actions)
    }
  }

  /// Ends the controller permanently. None of the endings of behaviour S4 is counted: no user closed anything.
  mutating func finish(_ actions: inout [Action]) {
    switch session {
    case .finished: return
    case .failed: actions.append(.dismissDialog)
    case .announcing, .reviewing: discardReview(.stopped, &actions)
    case .switchedOff, .idle, .checkingPermission, .opening, .scanning, .waiting: break
    }
    stopCapture(&actions)
    turnTorchOff(&actions)
    visibility = .hidden
    camera.endRetries()
    session = .finished
    actions.append(.finish)
  }

  mutating func presentScanner(_ now: Instant, _ actions: inout [Action]) {
    guard visibility == .hidden else { return }
    visibility = .presented(until: now.advanced(by: ScanController.appearanceDurationMax))
    actions.append(.presentScanner)
  }

}
