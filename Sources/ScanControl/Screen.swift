// The controller's only knowledge of the screen: whether it is ours. A session goes on without one, for the codes are read by
// the camera; so a screen that is lost is told and no reason to interrupt anything.

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
}

extension ScanController {
  mutating func screenReported(_ state: ScreenState, _ actions: inout [Action]) {
    guard state != screen else { return }
    screen = state
    actions.append(.reportScreen(state))
  }
}
