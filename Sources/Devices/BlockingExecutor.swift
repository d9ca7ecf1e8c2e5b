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
}
