// Time that passes only when a thread sleeps: hours of frames in an instant.

import Synchronization

/// A clock that jumps to the end of each sleep.
public final class SimulatedTime: DeviceTime {
  private let time: Mutex<Int64>

  public init(nanoseconds: Int64 = 0) { time = Mutex(nanoseconds) }

  public func now() -> Int64 { time.withLock { $0 } }

  public func sleep(until nanoseconds: Int64) { time.withLock { $0 = max($0, nanoseconds) } }

  /// Lets time pass, as work would.
  public func advance(by duration: Duration) {
    let (seconds, attoseconds) = duration.components
    time.withLock { $0 += seconds * 1_000_000_000 + attoseconds / 1_000_000_000 }
  }
}
