// Time for devices. A source paces and stamps its frames by it; tests use a simulated clock.

import Glibc

/// A clock that never goes back and counts suspended time.
public protocol DeviceTime: Sendable {
  /// Nanoseconds since boot.
  func now() -> Int64
  /// Blocks the thread until a moment; returns at once if it has passed.
  func sleep(until nanoseconds: Int64)
}

/// CLOCK_BOOTTIME.
public struct BootTime: DeviceTime {
  public init() {}

  public func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  public func sleep(until nanoseconds: Int64) {
    var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    while clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &time, nil) == EINTR {}
  }
}
