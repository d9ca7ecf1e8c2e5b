// What the controller wants of the capture thread, in order. The thread waits here while it has nothing to record.

import Dispatch
import Synchronization

/// Something for the capture thread to do.
enum CaptureCommand: Equatable, Sendable {
  case readPermission
  case requestPermission
  case load
  case start(run: UInt32)
  case stop
  case quit
}

/// The queue of commands. It stays short by itself: what is asked for twice is done once, and a start that is followed by
/// a stop before anybody saw it is taken back.
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

  /// The next command; nil if none came in time, or one that came was taken back.
  ///
  /// - Parameter deadline: until when to wait for one.
  func next(until deadline: DispatchTime) -> CaptureCommand? {
    guard filled.wait(timeout: deadline) == .success else { return nil }
    return queue.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }

  /// Whether the thread is to end: then it waits for nobody any more.
  var isQuitting: Bool { queue.withLock { $0.contains(.quit) } }
}
