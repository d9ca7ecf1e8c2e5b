// Events in order, posted from any thread and taken by the controller's task. Written out here because a standard-library
// stream allocates per element; this queue allocates once.

import Dispatch
package import ScanControl
import Synchronization

/// An event with the parties that wait for it.
struct PostedEvent: Sendable {
  var event: Event
  /// Signalled when the event and all resulting actions are done.
  var handover: Handover?
  /// Called once with whether the event changed anything; with nil if the controller never received it.
  var answer: (@Sendable (Bool?) -> Void)?
}

/// A queue of events. Spontaneous events, such as frames and presses, are offered and refused when too many wait. Answers to
/// the controller's actions are posted and always accepted: there are no more of them than actions.
package final class EventQueue: Sendable {
  /// Offered events that may wait: two seconds of frames at 120 frames per second.
  static let offeredCountMax = 256
  /// Events for which memory is reserved from the start.
  static let capacity = offeredCountMax + 64

  private struct State {
    var waiting: [PostedEvent] = []
    /// The number of offered ones among them.
    var offeredCount = 0
    var taker: UnsafeContinuation<Void, Never>?
    var isClosed = false
  }

  private let state = Mutex(State())

  init() { state.withLock { $0.waiting.reserveCapacity(Self.capacity) } }

  /// Posts an answer. It is dropped after `close`.
  package func post(_ event: Event) {
    let taker = state.withLock { state in
      if !state.isClosed { state.waiting.append(PostedEvent(event: event, handover: nil)) }
      return state.taker.take()
    }
    taker?.resume()
  }

  /// Offers an event. Returns false if it is refused because too many wait or the queue is closed; its handover is then
  /// signalled and its answer given at once.
  @discardableResult
  package func offer(
    _ event: Event, handover: Handover? = nil, answer: (@Sendable (Bool?) -> Void)? = nil
  ) -> Bool {
    var isTaken = false
    let taker = state.withLock { state in
      guard !state.isClosed, state.offeredCount < Self.offeredCountMax else { return UnsafeContinuation<Void, Never>?.none }
      isTaken = true
      state.offeredCount += 1
      state.waiting.append(PostedEvent(event: event, handover: handover, answer: answer))
      return state.taker.take()
    }
    taker?.resume()
    if !isTaken {
      handover?.signal()
      answer?(nil)
    }
    return isTaken
  }

  /// Waits for events and takes all that wait, in order. Discards the contents of `batch` and reuses its memory. Only one
  /// task may take.
  ///
  /// - Returns: false, with an empty batch, when the queue is closed and empty.
  func takeAll(into batch: inout [PostedEvent]) async -> Bool {
    batch.removeAll(keepingCapacity: true)
    await withUnsafeContinuation { taker in
      let isReady = state.withLock { state in
        if !state.waiting.isEmpty || state.isClosed { return true }
        state.taker = taker
        return false
      }
      if isReady { taker.resume() }
    }
    state.withLock { state in
      swap(&state.waiting, &batch)
      state.offeredCount = 0
    }
    return !batch.isEmpty
  }

  /// Accepts no more events; waiting ones can still be taken.
  func close() {
    let taker = state.withLock { state in
      state.isClosed = true
      return state.taker.take()
    }
    taker?.resume()
  }

  /// Accepts no more events, and releases callers that wait for those still queued.
  func abandon() {
    close()
    let left = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for posted in left {
      posted.handover?.signal()
      posted.answer?(nil)
    }
  }
}

/// A rendezvous where the capture thread waits until the controller has handled a frame: pictures, unlike camera frames, are not
/// repeated, so none may be lost between a scan and the stop that follows it.
package final class Handover: Sendable {
  /// How often the waiting thread checks whether to keep waiting.
  static let lookInterval = DispatchTimeInterval.milliseconds(100)

  private let done = DispatchSemaphore(value: 0)

  /// Signals that the frame has been handled.
  func signal() { done.signal() }

  /// Waits for the signal, or until no signal can come.
  func wait(unless isOver: () -> Bool) {
    while done.wait(timeout: .now() + Self.lookInterval) == .timedOut {
      if isOver() { return }
    }
  }
}
