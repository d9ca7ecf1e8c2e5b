// The trigger: a button, or a light barrier, that says when there is something to scan.

/// Why a trigger ended without a scan.
public enum NoRead: String, CaseIterable, Equatable, Sendable {
  /// No symbol was seen.
  case noSymbol = "no symbol"
  /// A symbol was seen that could not be read.
  case unreadable
}

/// The one owner of what is known about the trigger.
public struct TriggerStatus: Equatable, Sendable {
  public internal(set) var isHeld = false
  /// Whether a trigger held down keeps the session open: it was opened by the trigger's press.
  var holdsSession = false
  /// When the triggered session ends if nothing else ends it before.
  public internal(set) var until: Instant?
  /// Whether the triggered session has scanned something.
  var hasScanned = false
  /// Whether the session has seen a symbol that could not be read.
  var hasSeenUnread = false

  mutating func sessionBegan() {
    until = nil
    holdsSession = false
    hasScanned = false
    hasSeenUnread = false
  }
}

/// What is presented together (`TriggerMode.presentation`): from a scan until the view has been empty for a while.
struct PresentationMemory: Equatable, Sendable {
  private var isScanned = false
  /// Since when frames have been empty.
  private var emptySince: Instant?

  mutating func scanned() {
    isScanned = true
    emptySince = nil
  }

  mutating func forget() { isScanned = false }

  /// Whether a frame belongs to a presentation that was scanned already.
  mutating func isPresented(_ isEmpty: Bool, at time: Instant, absence: Duration) -> Bool {
    guard isScanned else { return false }
    if let emptySince, emptySince.duration(to: time) >= absence {
      isScanned = false
      return false
    }
    if !isEmpty {
      emptySince = nil
    } else if emptySince == nil {
      emptySince = time
    }
    return true
  }
}
