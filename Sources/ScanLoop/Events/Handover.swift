// The capture thread waits here until the controller has dealt with a frame: so that of pictures, which are not repeated by
// the next frame as a camera's are, none is lost between a scan and the stop that it leads to.

import Dispatch

/// A place where one thread waits for the controller's loop.
package final class Handover: Sendable {
  /// How often the waiting thread looks whether it is still to wait.
  static let lookInterval = DispatchTimeInterval.milliseconds(100)

  private let done = DispatchSemaphore(value: 0)

  /// The frame has been dealt with.
  func signal() { done.signal() }

  /// Waits for the signal, or until nobody will give it.
  func wait(unless isOver: () -> Bool) {
    while done.wait(timeout: .now() + Self.lookInterval) == .timedOut {
      if isOver() { return }
    }
  }
}
