// The controller's commands for the capture thread, in order. The thread waits here when it does not record.

import Dispatch
import Synchronization

/// A command for the capture thread.
enum CaptureCommand: Equatable, Sendable {
  case readPermission
  case requestPermission
  case load
  case start(run: UInt32)
  case stop
  case quit
}

/// The queue of commands. It stays short: a repeated command is queued once, and a start followed by a stop before the
/// thread saw either is removed.
final class CaptureCommands: Sendable {
  private let queue = Mutex<[CaptureCommand]>([])
  private let filled = DispatchSemaphore(value: 0)

  func append(_ command: CaptureCommand) {
    queue.withLock { queue in
      if command == .stop, case .start = queue.last {
        queue.removeLast()
        return
      }
      if queue.last != command { queue.append(command) }
    }
    filled.signal()
  }

  /// The next command; nil if none came in time, or if the one that came was removed again.
  ///
  /// - Parameter deadline: how long to wait for one.
  func next(until deadline: DispatchTime) -> CaptureCommand? {
    guard filled.wait(timeout: deadline) == .success else { return nil }
    return queue.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }

  /// Whether the thread is ending, and must not wait for anything.
  var isQuitting: Bool { queue.withLock { $0.contains(.quit) } }
}
