// All that happens, in order, on its way to the controller: posted from any thread, taken by one task. It is written out
// here because a stream of the standard library allocates for each element; this queue takes its memory once.

package import ScanControl
import Synchronization

/// An event with who waits for it.
struct PostedEvent: Sendable {
  var event: Event
  /// Signalled when the event and all actions that it led to are done.
  var handover: Handover?
  /// Hears once whether the event has changed anything; nil if it never came to the controller.
  var answer: (@Sendable (Bool?) -> Void)?
}

/// A queue of events. What comes by itself, frames and presses, is offered and refused when too much waits; what answers
/// an action of the controller is posted and always taken: there is no more of it than there were actions.
package final class EventQueue: Sendable {
  /// Offered events that may wait: two seconds of frames at 120 frames a second.
  static let offeredCountMax = 256
  /// Events for which there is memory from the start.
  static let capacity = offeredCountMax + 64

  private struct State {
    var waiting: [PostedEvent] = []
    /// How many of these were offered.
    var offeredCount = 0
    var taker: UnsafeContinuation<Void, Never>?
    var isClosed = false
  }

  private let state = Mutex(State())

  init() { state.withLock { $0.waiting.reserveCapacity(Self.capacity) } }

  /// Posts an answer. After `close` it is dropped.
  package func post(_ event: Event) {
    let taker = state.withLock { state in
      if !state.isClosed { state.waiting.append(PostedEvent(event: event, handover: nil)) }
      return state.taker.take()
    }
    taker?.resume()
  }

  /// Offers an event; false if it is refused, because too many wait or the queue is closed. Its handover is then signalled and
  /// its answer given at once.
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

  /// Waits for events and takes all that wait, in order; what was in `batch` is forgotten and its memory used again. One
  /// task may take.
  ///
  /// - Returns: false, with an empty batch, when the queue is closed and nothing waits any more.
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

  /// Takes no more events; those that wait are still given out.
  func close() {
    let taker = state.withLock { state in
      state.isClosed = true
      return state.taker.take()
    }
    taker?.resume()
  }

  /// Takes no more events and lets go whoever waits for one of those that are left.
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
