// The trigger: a button or light barrier that signals something to scan.

/// Why a trigger ended without a scan.
public enum NoRead: String, CaseIterable, Equatable, Sendable {
  /// No symbol was seen.
  case noSymbol = "no symbol"
  /// A symbol was seen that could not be read.
  case unreadable
}

/// The controller's entire knowledge of the trigger.
public struct TriggerStatus: Equatable, Sendable {
  public internal(set) var isHeld = false
  /// Whether the held trigger keeps the session open because its press opened it.
  var holdsSession = false
  /// Whether the triggered session has scanned something.
  var hasScanned = false
  /// Whether the session has seen an unreadable symbol.
  var hasSeenUnread = false

  mutating func sessionBegan() {
    holdsSession = false
    hasScanned = false
    hasSeenUnread = false
  }
}

/// Memory of a presentation (`TriggerMode.presentation`): from a scan until the view has been empty for a while.
struct PresentationMemory: Equatable, Sendable {
  private var isScanned = false
  /// Since when frames have been empty.
  private var emptySince: Instant?

  mutating func scanned() {
    isScanned = true
    emptySince = nil
  }

  mutating func forget() { isScanned = false }

  /// Whether a frame belongs to a presentation that was already scanned.
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
