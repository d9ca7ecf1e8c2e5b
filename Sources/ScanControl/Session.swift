// Where a session stands. One enum; what only one state needs travels with that state.

/// The state of the session.
public enum SessionState: Equatable, Sendable {
  /// The scanner is switched off (behaviour S0). Out: `enableRequested`, unless the configuration has switched it off.
  case switchedOff
  /// No session. Out: an entry point.
  case idle
  /// A session was asked for, nothing is shown yet. Out: `permissionReported`, cancel.
  case checkingPermission
  /// The scanner is shown, the camera does not record yet. Out: `captureStarted`, a failure, cancel.
  case opening
  /// The camera records. Out: a scan, a failure, cancel, the end of the frames.
  case scanning
  /// Results are being announced before they are put up. Out: `announcementFinished`, its deadline, cancel.
  case announcing(Review, deadline: Instant)
  /// Results are before the user. Out: the last of them confirmed, cancel, its deadline.
  case reviewing(Review, deadline: Instant)
  /// An error dialog is up. Out: the camera comes back, cancel.
  case failed(Dialog)
  /// The session ended by a scan. Out: what the reopening policy waits for, an entry point, cancel.
  case waiting(Wait)
  /// The frames have ended, or the service stops. No way out.
  case finished
}

/// What the next session waits for.
public enum Wait: Equatable, Sendable {
  /// A scan ended the session, and the next one follows by itself.
  case until(Instant)
  /// The user closed the session; the next one follows by itself, later.
  case closed(until: Instant)
  case forConfirmation
  case forTrigger

  /// When the next session opens by itself; nil if it does not.
  var end: Instant? {
    switch self {
    case .until(let time), .closed(let time): time
    case .forConfirmation, .forTrigger: nil
    }
  }
}

/// Results that need the user's word (behaviour N2). The one with the focus is confirmed by `goPressed` (behaviour N7).
public struct Review: Equatable, Sendable {
  /// Never empty while a review is up.
  public internal(set) var results: [ScanResult]
  public internal(set) var focusIndex = 0

  init(_ results: [ScanResult]) { self.results = results }

  /// Takes out the result with the focus; the next one gets it.
  mutating func takeFocused() -> ScanResult {
    let result = results.remove(at: focusIndex)
    if focusIndex == results.count { focusIndex = 0 }
    return result
  }
}

/// How much of the scanner can be seen.
public enum Visibility: Equatable, Sendable {
  /// The idle screen covers it.
  case hidden
  /// It was asked to appear, and is waited for until then.
  case presented(until: Instant)
  /// It is about to be visible, or is (behaviour S3).
  case visible
}
