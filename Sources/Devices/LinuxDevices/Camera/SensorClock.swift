// Converts a frame's time stamp to the clock that the station uses. Sensors of a Pi stamp by CLOCK_BOOTTIME, USB cameras by
// CLOCK_MONOTONIC; libcamera does not say which. The two differ by the time that the machine was suspended.

import Glibc

enum SensorClock {
  /// Shorter suspensions cannot be distinguished from a frame that waited.
  static let suspensionMin: Int64 = 1_000_000_000

  /// The stamp converted to CLOCK_BOOTTIME, given the clocks' current readings.
  static func bootTime(ofStamp stamp: Int64) -> Int64 {
    bootTime(ofStamp: stamp, boot: now(CLOCK_BOOTTIME), monotonic: now(CLOCK_MONOTONIC))
  }

  /// A stamp older than the total suspended time is one of CLOCK_MONOTONIC: no frame waits that long. A missing stamp counts
  /// as now.
  static func bootTime(ofStamp stamp: Int64, boot: Int64, monotonic: Int64) -> Int64 {
    guard stamp > 0 else { return boot }
    let suspended = boot - monotonic
    return suspended > suspensionMin && boot - stamp >= suspended ? stamp + suspended : stamp
  }

  private static func now(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

extension Duration {
  var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
  var microseconds: Int64 { nanoseconds / 1000 }
  var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
