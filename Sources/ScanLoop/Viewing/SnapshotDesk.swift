// One frame for whoever asks to see what the camera sees. The capture thread looks at a flag for each frame and copies one
// only when somebody waits for it, so that nobody who does not ask pays.

package import BarcodeTypes
import ScanControl
import Synchronization

/// A copy of a frame with what was found in it.
package struct Snapshot: Sendable {
  /// Counts the copies of a desk, from 1.
  package var number: UInt64 = 0
  package let width: Int
  package let height: Int
  /// Rows from the top without gaps.
  package let luma: [UInt8]
  /// Where codes are recognised; nil for the whole frame.
  package let region: PixelRegion?
  package let outlines: [Quad]
  /// Of symbols that cannot be read.
  package var unreadOutlines: [Quad] = []
}

/// Where snapshots are asked for and left.
package final class SnapshotDesk: Sendable {
  /// The shortest time from one snapshot to the next: who asks earlier gets the last one again.
  static let interval = Duration.milliseconds(250)
  /// How long a frame is waited for: longer than a slow camera takes for one.
  package static let waitLimit = Duration.seconds(2)
  /// Those who may wait at the same time.
  static let waiterCountMax = 8

  private struct State {
    var waiters: [UInt64: AsyncStream<Snapshot>.Continuation] = [:]
    var nextWaiter: UInt64 = 0
    var copyCount: UInt64 = 0
    var last: (snapshot: Snapshot, at: ContinuousClock.Instant)?
  }

  private let isAsked = Atomic(false)
  private let state = Mutex(State())

  package init() {}

  /// Takes a copy of a frame if somebody waits for it. Called on the capture thread.
  func offer(_ frame: LumaView, region: PixelRegion?, sightings: [Sighting], unread: [UnreadSymbol] = []) {
    guard isAsked.load(ordering: .relaxed) else { return }
    let luma = [UInt8](unsafeUninitializedCapacity: frame.width * frame.height) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      for y in 0..<frame.height { (base + y * frame.width).update(from: frame.row(y), count: frame.width) }
      count = frame.width * frame.height
    }
    var snapshot = Snapshot(
      width: frame.width, height: frame.height, luma: luma, region: region, outlines: sightings.map(\.corners),
      unreadOutlines: unread.map(\.corners))
    let waiters = state.withLock { state in
      defer { state.waiters.removeAll() }
      state.copyCount += 1
      snapshot.number = state.copyCount
      state.last = (snapshot, .now)
      isAsked.store(false, ordering: .relaxed)
      return state.waiters
    }
    for waiter in waiters.values { waiter.yield(snapshot) }
  }

  /// What became of asking.
  package enum Answer: Sendable {
    case snapshot(Snapshot)
    /// No frame came in time: the camera does not record.
    case noFrame
    /// Too many are waiting.
    case busy
  }

  /// Waits for the next frame, or takes the last snapshot if it is fresh.
  package func ask(within limit: Duration = waitLimit) async -> Answer {
    let (stream, continuation) = AsyncStream<Snapshot>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let waiter: UInt64? = state.withLock { state in
      if let last = state.last, .now - last.at < Self.interval {
        continuation.yield(last.snapshot)
        return 0
      }
      // A picture is some megabytes: an old one is not kept for nobody.
      state.last = nil
      guard state.waiters.count < Self.waiterCountMax else { return nil }
      state.nextWaiter += 1
      state.waiters[state.nextWaiter] = continuation
      isAsked.store(true, ordering: .relaxed)
      return state.nextWaiter
    }
    guard let waiter else { return .busy }
    let deadline = Task {
      try? await Task.sleep(for: limit)
      continuation.finish()
    }
    defer {
      deadline.cancel()
      forget(waiter)
    }
    for await snapshot in stream { return .snapshot(snapshot) }
    return .noFrame
  }

  private func forget(_ waiter: UInt64) {
    state.withLock { state in
      state.waiters[waiter] = nil
      if state.waiters.isEmpty { isAsked.store(false, ordering: .relaxed) }
    }
  }
}
