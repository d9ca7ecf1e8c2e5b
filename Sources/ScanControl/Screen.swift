// The controller's only knowledge of the screen: whether it is ours. A session goes on without one, for the codes are read by
// the camera: a screen that is lost is told, and interrupts sessions only where the operator wants nothing scanned unseen.

/// Who has the screen. The words are those of the camera's states (behaviour C3).
public enum ScreenState: String, CaseIterable, Equatable, Sendable {
  /// The station has none.
  case absent
  case available
  /// There is no card or no panel, or it cannot be used.
  case unavailable
  /// The console was switched away from us.
  case applicationInBackground
  /// Another program holds the screen.
  case multipleForegroundApps

  /// What of the camera's states this is, if somebody keeps the screen from us.
  fileprivate var interruption: Interruption? {
    switch self {
    case .absent, .available, .unavailable: nil
    case .applicationInBackground: .applicationInBackground
    case .multipleForegroundApps: .multipleForegroundApps
    }
  }
}

extension ScanController {
  mutating func screenReported(_ state: ScreenState, _ now: Instant, _ actions: inout [Action]) {
    guard state != screen else { return }
    let wasAway = lastingInterruption != nil
    screen = state
    actions.append(.reportScreen(state))
    if let interruption = lastingInterruption {
      cameraInterrupted(interruption, now, &actions)
    } else if wasAway {
      interruptionEnded(now, &actions)
    }
  }

  /// Why sessions are interrupted whatever the camera says: the station pauses, or wants for the screen; nil if they are not.
  var lastingInterruption: Interruption? {
    if isPaused { return .applicationInBackground }
    return settings.pausesWithoutScreen ? screen.interruption : nil
  }
}
