// The controller's view of the screen: whether the station has it. The camera reads codes without a screen, so its loss is
// reported, and interrupts sessions only if the operator wants nothing scanned unseen.

/// Who has the screen. The cases are named like the camera's states (behaviour C3).
public enum ScreenState: String, CaseIterable, Equatable, Sendable {
  /// The station has no screen.
  case absent
  case available
  /// No card or panel is present, or it cannot be used.
  case unavailable
  /// The user switched to another console.
  case applicationInBackground
  /// Another program holds the screen.
  case multipleForegroundApps

  /// The corresponding camera interruption, if another program or console has the screen.
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

  /// Why sessions are interrupted regardless of the camera: the station is paused, or needs the screen; nil if they are not.
  var lastingInterruption: Interruption? {
    if isPaused { return .applicationInBackground }
    return settings.pausesWithoutScreen ? screen.interruption : nil
  }
}
