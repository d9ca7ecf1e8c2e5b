// A signal between tasks: one task signals, another waits. A signal without a waiting task is kept; several count as one.
// Unlike a stream, it can be awaited repeatedly alongside other events, and stores only a flag.

import Synchronization

/// A latch with one waiting task at a time.
package final class AsyncSignal: Sendable {
  private struct State {
    var isPending = false
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  package init() {}

  /// Wakes the waiting task, or the next one that waits.
  package func signal() {
    let waiting = state.withLock { state in
      defer { state.waiting = nil }
      if state.waiting == nil { state.isPending = true }
      return state.waiting
    }
    waiting?.resume()
  }

  /// Returns when the signal has been given since the last return, or when the task is cancelled.
  package func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let earlier = state.withLock { state -> CheckedContinuation<Void, Never>? in
          if Task.isCancelled { return continuation }
          if state.isPending {
            state.isPending = false
            return continuation
          }
          defer { state.waiting = continuation }
          return state.waiting
        }
        earlier?.resume()
      }
    } onCancel: {
      let waiting = state.withLock { state in
        defer { state.waiting = nil }
        return state.waiting
      }
      waiting?.resume()
    }
  }
}
