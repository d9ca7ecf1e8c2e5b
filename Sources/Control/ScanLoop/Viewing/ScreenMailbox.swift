// News for the screen's thread, from the controller's loop, the capture thread or a touch. Leaving news takes a lock for a
// moment and never waits for the screen.

package import BarcodeTypes
package import Devices
package import Dispatch
package import ScanControl
package import ScanScreen
import Synchronization

/// The part of the controller's state that is shown.
package struct ScreenSnapshot: Equatable, Sendable {
  package var session: SessionState
  /// Whether a person at the station or a host switched the scanner off, not the configuration.
  package var isPaused = false
  package var isScannerPresented: Bool
  /// How often the scanner was presented; each time, the screen reports when it is about to be visible.
  package var presentationCount = 0
  package var isTorchOn: Bool
  package var isTorchEnabled: Bool
  package var hasTorch = true
  /// The entry points that open sessions.
  package var entries = EntryPoints.all
  /// The last decision about results; nil before the first one.
  package var decision: Decision?
}

/// The results of a frame, and whether to play the animation of a recognised code for them: not if they are announced
/// (behaviour N6).
package struct Scan: Sendable {
  package var results: [ScanResult]
  package var flashes = true
}

/// A touch, in fractions of the panel as wired, 0…1 each way.
package struct TouchedPlace: Equatable, Sendable {
  package var x: Double
  package var y: Double

  package init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}

/// News since the thread last looked.
package struct ScreenNews: Sendable {
  package var snapshot: ScreenSnapshot?
  /// The codes of the last frame.
  package var sightings: [Sighting]?
  /// The unreadable symbols of that frame.
  package var unread: [UnreadSymbol] = []
  /// Whether these codes, or those of a frame since the last look, differ from earlier ones; otherwise they have only moved.
  package var areCodesNew = false
  /// The last scan.
  package var scan: Scan?
  package var touches: [TouchedPlace] = []
  /// Keys and buttons that the screen handles itself.
  package var presses: [Button] = []
  /// The input devices, if they have changed.
  package var equipment: InputEquipment?
  /// Turns of the housing, with screen and camera (behaviour W2).
  package var turns: [QuarterTurn] = []
  package var isQuitting = false
}

/// News on the way to the screen's thread.
package final class ScreenMailbox: Sendable {
  /// Touches and turns that may wait; further ones are lost.
  static let waitingCountMax = 16

  private struct State {
    var news = ScreenNews()
    var isSignalled = false
    var last: ScreenSnapshot?
    /// The codes of the last news.
    var lastSightings: [Sighting] = []
    var lastUnread: [UnreadSymbol] = []
    /// When the list of codes closes, in nanoseconds of the boot clock.
    var listEnd: Int64 = .min
  }

  private let state = Mutex(State())
  private let filled = DispatchSemaphore(value: 0)

  /// Leaves the controller's state after an event; no effect if it equals the last one.
  func tell(_ snapshot: ScreenSnapshot, sightings: [Sighting]?, unread: [UnreadSymbol] = [], scan: Scan?) {
    let isNew = state.withLock { state in
      var isNew = false
      if snapshot != state.last {
        state.last = snapshot
        state.news.snapshot = snapshot
        isNew = true
      }
      let wasEmpty = state.lastSightings.isEmpty && state.lastUnread.isEmpty
      if let sightings, !(sightings.isEmpty && unread.isEmpty && wasEmpty) {
        state.news.sightings = sightings
        state.news.unread = unread
        // The same codes wait for the next frame, even if they moved: one picture then shows both.
        if !Self.areSame(sightings, state.lastSightings) || !Self.areSame(unread, state.lastUnread) {
          state.news.areCodesNew = true
          isNew = true
        }
        (state.lastSightings, state.lastUnread) = (sightings, unread)
      }
      if let scan {
        state.news.scan = scan
        isNew = true
      }
      return isNew
    }
    if isNew { wake() }
  }

  private static func areSame(_ a: [Sighting], _ b: [Sighting]) -> Bool {
    guard a.count == b.count else { return false }
    for index in 0..<a.count where a[index].code != b[index].code { return false }
    return true
  }

  private static func areSame(_ a: [UnreadSymbol], _ b: [UnreadSymbol]) -> Bool {
    guard a.count == b.count else { return false }
    for index in 0..<a.count where a[index].symbology != b[index].symbology || a[index].help != b[index].help {
      return false
    }
    return true
  }

  package func touch(_ place: TouchedPlace) {
    state.withLock { if $0.news.touches.count < Self.waitingCountMax { $0.news.touches.append(place) } }
    wake()
  }

  /// Notes that the list of codes is open until `end`, unless closed earlier.
  package func noteList(until end: Int64) { state.withLock { $0.listEnd = end } }

  /// Offers a key or button to the screen. While the list of codes is open, the screen takes those that turn its pages or
  /// close it; otherwise the one that opens it, unless results are under review.
  ///
  /// - Returns: whether the screen takes it.
  package func press(_ button: Button, at now: Int64) -> Bool {
    let isTaken = state.withLock { state in
      let isListOpen = now < state.listEnd
      let isReviewed = if case .reviewing = state.last?.session { true } else { false }
      guard isListOpen ? [.next, .cancel, .confirm].contains(button) : button == .next && !isReviewed else { return false }
      if state.news.presses.count < Self.waitingCountMax { state.news.presses.append(button) }
      return true
    }
    if isTaken { wake() }
    return isTaken
  }

  package func setEquipment(_ equipment: InputEquipment) {
    state.withLock { $0.news.equipment = equipment }
    wake()
  }

  package func turn(_ turn: QuarterTurn) {
    state.withLock { if $0.news.turns.count < Self.waitingCountMax { $0.news.turns.append(turn) } }
    wake()
  }

  package func quit() {
    state.withLock { $0.news.isQuitting = true }
    wake()
  }

  /// Wakes the screen's thread, for instance because a frame has come.
  func wake() {
    let isFirst = state.withLock { state in
      defer { state.isSignalled = true }
      return !state.isSignalled
    }
    if isFirst { filled.signal() }
  }

  /// Waits for news until a deadline, and takes all of it.
  package func take(until deadline: DispatchTime) -> ScreenNews {
    _ = filled.wait(timeout: deadline)
    return state.withLock { state in
      defer { state.news = ScreenNews() }
      state.isSignalled = false
      return state.news
    }
  }
}

/// Frames and news for a screen, whose thread takes them when it can.
public struct ScreenFeed: Sendable {
  package let mailbox = ScreenMailbox()
  package let gallery: FrameGallery
  /// Where codes are recognised on the screen.
  let viewport: ViewportChoice

  /// - Parameter makeMemory: allocates memory for frames that the screen's hardware reads; nil if it reads none.
  package init(viewport: ViewportChoice, makeMemory: FrameGallery.MemoryMaker?) {
    self.viewport = viewport
    gallery = FrameGallery(makeMemory: makeMemory)
  }
}
