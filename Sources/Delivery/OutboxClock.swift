// What the outbox knows of time. The wall clock of a board jumps: it starts in 1970 or at the last shutdown until the network
// sets it, and anybody can set it wrong. A scan is discarded for its age only by time that has surely passed.

import CLinux

/// The clocks of an outbox.
struct OutboxClock: Sendable {
  /// Time since any moment; it never jumps.
  let elapsed: @Sendable () -> Duration
  let now: @Sendable () -> CaptureTime
  /// Whether the wall clock is kept right, as the kernel says. Whoever sets it by hand ends that.
  let isSynchronized: @Sendable () -> Bool

  /// The system's.
  ///
  /// - Parameter clock: what `elapsed` is measured with.
  static func system(_ clock: any Clock<Duration>) -> OutboxClock {
    OutboxClock(
      elapsed: elapsedTime(of: clock), now: { .now() }, isSynchronized: { clinux_clock_is_synchronized() == 1 })
  }

  /// When a scan was captured, in milliseconds since 1970 by a wall clock that is kept right; nil if none tells. A scan of this
  /// boot that was captured before the clock was set has the right time, too.
  func trustedMilliseconds(of captured: CaptureTime) -> Int64? {
    let now = now()
    guard isSynchronized(), now.isWallClockPlausible, captured.isSameBoot(as: now) else { return nil }
    return now.unixMilliseconds - (now.bootNanoseconds - captured.bootNanoseconds) / 1_000_000
  }

  /// How long ago a scan was captured, at least: exact within a boot. A scan of an earlier boot is as old as this boot, and as
  /// the wall clock says if it was kept right then and is now.
  ///
  /// - Parameter trusted: `trustedMilliseconds` when the scan was stored.
  func age(of captured: CaptureTime, trusted: Int64?) -> Duration {
    let now = now()
    if captured.isSameBoot(as: now) { return .nanoseconds(now.bootNanoseconds - captured.bootNanoseconds) }
    let sinceBoot = Duration.nanoseconds(now.bootNanoseconds)
    guard let trusted, isSynchronized() else { return sinceBoot }
    return max(sinceBoot, .milliseconds(now.unixMilliseconds - trusted))
  }
}

extension CaptureTime {
  fileprivate func isSameBoot(as other: CaptureTime) -> Bool { !bootID.isEmpty && bootID == other.bootID }
}
