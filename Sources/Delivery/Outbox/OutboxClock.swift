// The outbox's knowledge of time. A board's wall clock jumps: it starts in 1970 or at the last shutdown until the network
// sets it, and anyone can set it wrong. Age discards a scan only by time that has certainly passed.

import CLinux
public import DeliveryModel

/// The clocks of an outbox.
struct OutboxClock: Sendable {
  /// Time since an arbitrary moment; it never jumps.
  let elapsed: @Sendable () -> Duration
  let now: @Sendable () -> CaptureTime
  /// Whether the kernel reports the wall clock as synchronised. Setting it by hand ends that.
  let isSynchronized: @Sendable () -> Bool

  /// The system's clocks.
  ///
  /// - Parameter clock: the clock that measures `elapsed`.
  static func system(_ clock: any Clock<Duration>) -> OutboxClock {
    OutboxClock(
      elapsed: elapsedTime(of: clock), now: { .now() }, isSynchronized: { clinux_clock_is_synchronized() == 1 })
  }

  /// When a scan was captured, in milliseconds since 1970 by a synchronised wall clock; nil if unknown. A scan captured in
  /// this boot before the clock was set also gets the correct time.
  func trustedMilliseconds(of captured: CaptureTime) -> Int64? {
    let now = now()
    guard isSynchronized(), now.isWallClockPlausible, captured.isSameBoot(as: now) else { return nil }
    return now.unixMilliseconds - (now.bootNanoseconds - captured.bootNanoseconds) / 1_000_000
  }

  /// The minimum age of a scan: exact within a boot. A scan of an earlier boot is at least as old as this boot, and older by
  /// the wall clock if that was synchronised then and is now.
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

extension CaptureTime {
  /// Seconds since 1970; nil unless the kernel reports the wall clock as synchronised.
  public static var trustedUnixSeconds: Int64? {
    clinux_clock_is_synchronized() == 1 ? CaptureTime.now().unixMilliseconds / 1000 : nil
  }
}
