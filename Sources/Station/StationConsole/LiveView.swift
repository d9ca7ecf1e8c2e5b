// The camera's view for any number of viewers: each picture is copied, encoded and measured once. Without viewers nothing
// happens.

import Devices
import ScanLoop
import Synchronization

/// Gives every viewer the newest picture, up to ten per second. A viewer that is slow misses pictures.
package final class LiveView: Sendable {
  /// The most viewers at the same time.
  package static let viewerCountMax = 64

  private struct State {
    var viewers: [UInt64: AsyncStream<LivePicture>.Continuation] = [:]
    var nextViewer: UInt64 = 0
    var isPumping = false
    var last: LivePicture?
  }

  private let ask: @Sendable () async -> SnapshotDesk.Answer
  private let press = LivePress()
  private let state = Mutex(State())

  package init(_ inspector: StationInspector) { ask = { await inspector.snapshot() } }

  /// Joins the viewers until the stream is dropped.
  ///
  /// - Returns: nil if there are too many.
  package func pictures() -> AsyncStream<LivePicture>? {
    let (stream, continuation) = AsyncStream<LivePicture>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let (viewer, isFirst): (UInt64?, Bool) = state.withLock { state in
      guard state.viewers.count < Self.viewerCountMax else { return (nil, false) }
      state.nextViewer += 1
      state.viewers[state.nextViewer] = continuation
      if let last = state.last { continuation.yield(last) }
      defer { state.isPumping = true }
      return (state.nextViewer, !state.isPumping)
    }
    guard let viewer else { return nil }
    continuation.onTermination = { [weak self] _ in self?.state.withLock { _ = $0.viewers.removeValue(forKey: viewer) } }
    if isFirst { Task { await pump() } }
    return stream
  }

  /// One picture with everything drawn in; nil if the camera gives no frames or there is no memory.
  package func drawnPicture() async -> LivePicture? {
    guard case .snapshot(let snapshot) = await ask() else { return nil }
    return await press.drawnPicture(of: snapshot)
  }

  /// Makes pictures while there are viewers.
  private func pump() async {
    while true {
      let start = ContinuousClock.now
      let picture: LivePicture? =
        if case .snapshot(let snapshot) = await ask() { await press.picture(of: snapshot) } else { nil }
      let isOver = state.withLock { state in
        // The last picture is for new viewers while others watch; without viewers it grows old.
        state.last = state.viewers.isEmpty ? nil : picture
        state.isPumping = !state.viewers.isEmpty
        if let picture { for viewer in state.viewers.values { viewer.yield(picture) } }
        return !state.isPumping
      }
      if isOver { return }
      try? await Task.sleep(until: start + SnapshotDesk.interval)
    }
  }
}

/// Encodes pictures on a thread of its own. Swift's threads are as few as the board's cores, and the controller needs them.
private actor LivePress {
  private nonisolated let executor = BlockingExecutor(label: "pictures")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The last drawn picture: it is made once for all who ask.
  private var drawn: LivePicture?

  func picture(of snapshot: Snapshot) -> LivePicture? { LivePicture(snapshot) }

  func drawnPicture(of snapshot: Snapshot) -> LivePicture? {
    if drawn?.number != snapshot.number { drawn = LivePicture(snapshot, isDrawn: true) }
    return drawn
  }
}
