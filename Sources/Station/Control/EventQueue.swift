// All that happens, in order, on its way to the controller: posted from any thread, taken by one task.

import ScanControl
import Synchronization

/// An event with who waits for it.
struct PostedEvent: Sendable {
  var event: Event
  /// Signalled when the event and all actions that it led to are done.
  var handover: Handover?
  /// Whether the event was offered, and counts against the limit.
  var isOffered: Bool
}

/// A queue of events. What comes by itself, frames and presses, is offered and refused when too much waits; what answers
/// an action of the controller is posted and always taken: there is no more of it than there were actions.
final class EventQueue: Sendable {
  /// Offered events that may wait: two seconds of frames at 120 frames a second.
  static let offeredCountMax = 256

  let events: AsyncStream<PostedEvent>
  private let continuation: AsyncStream<PostedEvent>.Continuation
  private let offeredCount = Atomic<Int>(0)

  init() { (events, continuation) = AsyncStream.makeStream() }

  /// Posts an answer.
  func post(_ event: Event) {
    continuation.yield(PostedEvent(event: event, handover: nil, isOffered: false))
  }

  /// Offers an event; false if it is refused, because too many wait or the queue is closed. Its handover is then signalled
  /// at once.
  @discardableResult
  func offer(_ event: Event, handover: Handover? = nil) -> Bool {
    let isRefused = offeredCount.add(1, ordering: .relaxed).newValue > Self.offeredCountMax
    if !isRefused,
      case .enqueued = continuation.yield(PostedEvent(event: event, handover: handover, isOffered: true))
    {
      return true
    }
    offeredCount.subtract(1, ordering: .relaxed)
    handover?.signal()
    return false
  }

  /// To be told of each event that was taken out of `events`.
  func took(_ posted: PostedEvent) {
    if posted.isOffered { offeredCount.subtract(1, ordering: .relaxed) }
  }

  /// Takes no more events.
  func close() { continuation.finish() }
}
