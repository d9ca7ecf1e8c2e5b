// An executor for calls that block: a database that waits for its storage, a serial line that waits for its cable. Swift's
// own threads are as few as the board's cores and must never wait; an actor on this executor waits on a separate thread and
// keeps its code straight-line.

import Dispatch

/// A serial executor on a dispatch queue. An actor that returns it from `unownedExecutor` may block.
public final class BlockingExecutor: SerialExecutor {
  private let queue: DispatchQueue

  /// - Parameter label: the queue's name in debuggers.
  public init(label: String) { queue = DispatchQueue(label: label) }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Runs a call that may never return, after all earlier ones, and waits for it at most `limit`. Must not be called on the
  /// executor itself.
  ///
  /// - Returns: whether it returned in time. If not, it goes on, and later calls wait for it.
  public func run(within limit: Duration, _ body: @escaping @Sendable () -> Void) -> Bool {
    let done = DispatchSemaphore(value: 0)
    queue.async {
      body()
      done.signal()
    }
    let (seconds, attoseconds) = limit.components
    return done.wait(timeout: .now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000))) == .success
  }

  /// Runs a call after all earlier ones, without waiting.
  public func runLater(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
