// Snapshots of the camera's view. The capture thread checks a flag per frame and copies a frame only when a client waits for
// it, so the feature costs nothing when unused.

package import BarcodeTypes
package import Devices
package import ScanControl
import Synchronization

/// A copy of a frame with the codes found in it.
package struct Snapshot: Sendable {
  /// The snapshot's number at its desk, from 1.
  package var number: UInt64 = 0
  package let width: Int
  package let height: Int
  /// Rows from the top without gaps.
  package let luma: [UInt8]
  /// Where codes are recognised; nil for the whole frame.
  package let region: PixelRegion?
  /// The codes read in it.
  package let sightings: [Sighting]
  /// The symbols that cannot be read.
  package var unread: [UnreadSymbol] = []
  /// The sensor's settings for the frame.
  package var sensor = SensorReading()
}

/// The desk where snapshots are requested and left.
package final class SnapshotDesk: Sendable {
  /// The shortest time between snapshots: an earlier request gets the last one again. A live view has ten pictures per second.
  package static let interval = Duration.milliseconds(100)
  /// How long a request waits for a frame: longer than a slow camera takes.
  package static let waitLimit = Duration.seconds(2)
  /// The most requests that may wait.
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

  /// Copies a frame if a request waits for it. Called on the capture thread.
  func offer(
    _ frame: LumaView, region: PixelRegion?, sightings: [Sighting], unread: [UnreadSymbol] = [],
    sensor: SensorReading = SensorReading()
  ) {
    guard isAsked.load(ordering: .relaxed) else { return }
    let luma = [UInt8](unsafeUninitializedCapacity: frame.width * frame.height) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      for y in 0..<frame.height { (base + y * frame.width).update(from: frame.row(y), count: frame.width) }
      count = frame.width * frame.height
    }
    var snapshot = Snapshot(
      width: frame.width, height: frame.height, luma: luma, region: region, sightings: sightings, unread: unread,
      sensor: sensor)
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

  /// The answer to a request.
  package enum Answer: Sendable {
    case snapshot(Snapshot)
    /// No frame came in time: the camera does not record.
    case noFrame
    /// Too many requests are waiting.
    case busy
  }

  /// Waits for the next frame, or takes the last snapshot if it is recent.
  package func ask(within limit: Duration = waitLimit) async -> Answer {
    let (stream, continuation) = AsyncStream<Snapshot>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let waiter: UInt64? = state.withLock { state in
      if let last = state.last, .now - last.at < Self.interval {
        continuation.yield(last.snapshot)
        return 0
      }
      // A snapshot takes megabytes: do not keep an old one while no client waits.
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
