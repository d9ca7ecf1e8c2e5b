// A place for calls that block: a database that waits for its storage, a serial line that waits for its cable. Swift's own
// threads are as few as the board has cores and must never wait; an actor on this executor waits on a thread of its own and
// keeps its code straight-line.

import Dispatch

/// A serial executor on a dispatch queue. An actor that returns it from `unownedExecutor` may block.
public final class BlockingExecutor: SerialExecutor {
  private let queue: DispatchQueue

  /// - Parameter label: names the queue in debuggers.
  public init(label: String) { queue = DispatchQueue(label: label) }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Runs a call that may never return, after all that was asked for before, and waits for it no longer than a limit. Must
  /// not be called on the executor itself.
  ///
  /// - Returns: whether it has returned. If not it goes on, and what is asked for later waits for it.
  public func run(within limit: Duration, _ body: @escaping @Sendable () -> Void) -> Bool {
    let done = DispatchSemaphore(value: 0)
    queue.async {
      body()
      done.signal()
    }
    let (seconds, attoseconds) = limit.components
    return done.wait(timeout: .now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000))) == .success
  }

  /// Runs a call after all that was asked for before, and does not wait.
  public func runLater(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
