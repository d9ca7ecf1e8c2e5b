// What the screen's thread is told, by whoever has something to tell: the controller's loop, the capture thread, a touch.
// Telling takes a lock for a moment and never waits for the screen.

import BarcodeTypes
import Dispatch
import ScanControl
import ScanScreen
import Synchronization

/// The controller's state, as far as it is shown.
struct ScreenSnapshot: Equatable, Sendable {
  var session: SessionState
  /// Whether it was somebody at the station or a host who switched the scanner off.
  var isPaused = false
  var isScannerPresented: Bool
  /// How often the scanner was presented: each time, who shows it says when it is about to be visible.
  var presentationCount = 0
  var isTorchOn: Bool
  var isTorchEnabled: Bool
  var hasTorch = true
  /// What became of the scan that was forwarded last.
  var fate = ScanFate.stored
}

/// What became of a scan.
enum ScanFate: Equatable, Sendable {
  case stored
  /// It is in memory only, with others: so many are lost if the station stops now.
  case atRisk(count: Int)
  case refused
}

/// A turn at run time (behaviour W2).
enum ScreenTurn: Equatable, Sendable {
  /// The housing with screen and camera: the controls turn, the preview stays as it is.
  case housing(QuarterTurn)
  /// The screen alone: the preview turns with the controls.
  case screen(QuarterTurn)
  /// The camera alone.
  case camera(QuarterTurn)
}

/// A touch, in parts of the panel as it is wired, 0…1 each way.
struct TouchedPlace: Equatable, Sendable {
  var x: Double
  var y: Double
}

/// What has been told since the thread looked last.
struct ScreenNews: Sendable {
  var snapshot: ScreenSnapshot?
  /// The codes of the last frame.
  var sightings: [Sighting]?
  /// What that frame showed and nobody can read.
  var unread: [UnreadSymbol] = []
  /// Whether these, or those of a frame since the last look, are other codes than before; else they have only moved.
  var areCodesNew = false
  /// What was scanned last.
  var scan: [ScanResult]?
  var touches: [TouchedPlace] = []
  var turns: [ScreenTurn] = []
  var isQuitting = false
}

final class ScreenMailbox: Sendable {
  /// Touches and turns that may wait; further ones are lost.
  static let waitingCountMax = 16

  private struct State {
    var news = ScreenNews()
    var isSignalled = false
    var last: ScreenSnapshot?
    /// The codes that were told last.
    var lastSightings: [Sighting] = []
    var lastUnread: [UnreadSymbol] = []
  }

  private let state = Mutex(State())
  private let filled = DispatchSemaphore(value: 0)

  /// The controller's state after an event; nothing happens if it is the one that was told last.
  func tell(_ snapshot: ScreenSnapshot, sightings: [Sighting]?, unread: [UnreadSymbol] = [], scan: [ScanResult]?) {
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
        // The same codes wait for the next frame, wherever they lie: one picture shows both.
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
    for index in 0..<a.count where a[index].kind != b[index].kind || a[index].help != b[index].help { return false }
    return true
  }

  func touch(_ place: TouchedPlace) {
    state.withLock { if $0.news.touches.count < Self.waitingCountMax { $0.news.touches.append(place) } }
    wake()
  }

  func turn(_ turn: ScreenTurn) {
    state.withLock { if $0.news.turns.count < Self.waitingCountMax { $0.news.turns.append(turn) } }
    wake()
  }

  func quit() {
    state.withLock { $0.news.isQuitting = true }
    wake()
  }

  /// Lets the thread look; a frame has come, for instance.
  func wake() {
    let isFirst = state.withLock { state in
      defer { state.isSignalled = true }
      return !state.isSignalled
    }
    if isFirst { filled.signal() }
  }

  /// Waits until there is news, or until a deadline, and takes all of it.
  func take(until deadline: DispatchTime) -> ScreenNews {
    _ = filled.wait(timeout: deadline)
    return state.withLock { state in
      defer { state.news = ScreenNews() }
      state.isSignalled = false
      return state.news
    }
  }
}
