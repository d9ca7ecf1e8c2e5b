// Sessions that a trigger opens and ends, and no-read reports for those that scanned nothing.

extension ScanController {
  /// Opens a session if none is open, in every mode: pulling the trigger means the user wants to scan.
  mutating func triggerPressed(_ actions: inout [Action]) {
    trigger.isHeld = true
    guard canOpen else { return }
    openAnew(&actions)
    trigger.holdsSession = settings.trigger.endsOnRelease
  }

  mutating func triggerPulsed(_ actions: inout [Action]) {
    if canOpen { openAnew(&actions) }
  }

  mutating func triggerReleased(_ now: Instant, _ actions: inout [Action]) {
    guard trigger.isHeld else { return }
    trigger.isHeld = false
    guard trigger.holdsSession else { return }
    scanHeld(now, &actions)
    switch session {
    case .checkingPermission, .opening, .scanning: endWithoutScan(&actions)
    case .switchedOff, .idle, .announcing, .reviewing, .failed, .waiting, .finished: break
    }
  }

  /// Starts the triggered session's time limit when the camera records: loading does not count against the user.
  mutating func triggeredCaptureStarted(_ now: Instant, _ actions: inout [Action]) {
    guard settings.trigger.opensSessions else { return }
    if trigger.holdsSession {
      // The user may have released the trigger while a dialog was up.
      if !trigger.isHeld { endWithoutScan(&actions) }
    } else {
      session = .scanning(until: settings.trigger.limit.map { now.advanced(by: $0) })
    }
  }

  mutating func triggeredTimePassed(_ now: Instant, _ actions: inout [Action]) {
    scanHeld(now, &actions)
    guard session.isScanning else { return }
    guard trigger.hasScanned else { return endWithoutScan(&actions) }
    stopCapture(&actions)
    closeAfterScan(now, isSettled: false, &actions)
  }

  /// Closes a session that scanned nothing, counted as if the user had closed it (behaviour S4), and reports a no-read.
  private mutating func endWithoutScan(_ actions: inout [Action]) {
    actions.append(.count(.closed))
    actions.append(.reportNoRead(trigger.hasSeenUnread ? .unreadable : .noSymbol))
    closeToIdle(&actions)
  }
}
