// The capture thread waits here until the controller has handled a frame. Pictures, unlike camera frames, are not repeated,
// so none may be lost between a scan and the stop that follows it.

import Dispatch

/// A rendezvous where one thread waits for the controller's loop.
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
