// The state of a session. One enum: data needed in one state only is that case's associated value.

/// The state of the session.
public enum SessionState: Equatable, Sendable {
  /// The scanner is switched off (behaviour S0). Out: `enableRequested`, unless the configuration has switched it off.
  case switchedOff
  /// No session. Out: an entry point.
  case idle
  /// A session was requested; nothing is shown yet. Out: `permissionReported`, cancel.
  case checkingPermission
  /// The scanner is shown; the camera does not record yet. Out: `captureStarted`, a failure, cancel.
  case opening
  /// The camera records, in a triggered session until an instant at the latest. Out: a scan, a failure, cancel, the end of the
  /// frames or of the time.
  case scanning(until: Instant?)
  /// Results are announced before the review. Out: `announcementFinished`, its deadline, cancel.
  case announcing(Review, deadline: Instant)
  /// The user reviews results. Out: the last result confirmed, cancel, its deadline.
  case reviewing(Review, deadline: Instant)
  /// An error dialog is up. Out: the camera recovers, cancel.
  case failed(Dialog)
  /// The session ended with a scan. Out: the condition of the reopening policy, an entry point, cancel.
  case waiting(Wait)
  /// The frames have ended, or the service is stopping. No way out.
  case finished

  public var isScanning: Bool {
    if case .scanning = self { true } else { false }
  }

  /// When a triggered session ends at the latest; nil without a limit, and in other states.
  public var scanningEnd: Instant? {
    if case .scanning(let end) = self { end } else { nil }
  }

  /// The results that are announced or reviewed; nil in other states.
  var review: Review? {
    switch self {
    case .announcing(let review, _), .reviewing(let review, _): review
    case .switchedOff, .idle, .checkingPermission, .opening, .scanning, .failed, .waiting, .finished: nil
    }
  }
}

/// The condition for the next session.
public enum Wait: Equatable, Sendable {
  /// A scan ended the session, and the next one follows automatically.
  case until(Instant)
  /// The user closed the session; the next one follows automatically after a pause.
  case closed(until: Instant)
  case forConfirmation
  case forTrigger

  /// When the next session opens automatically; nil if it does not.
  var end: Instant? {
    switch self {
    case .until(let time), .closed(let time): time
    case .forConfirmation, .forTrigger: nil
    }
  }
}

/// Results that need confirmation (behaviour N2). `goPressed` confirms the one with the focus (behaviour N7).
public struct Review: Equatable, Sendable {
  /// Never empty while a review is up.
  public internal(set) var results: [ScanResult]
  public internal(set) var focusIndex = 0

  init(_ results: [ScanResult]) { self.results = results }

  /// Removes the result with the focus; the next one gets the focus.
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
  /// It was asked to appear; the controller waits until this deadline.
  case presented(until: Instant)
  /// It is about to be visible, or is (behaviour S3).
  case visible
}
