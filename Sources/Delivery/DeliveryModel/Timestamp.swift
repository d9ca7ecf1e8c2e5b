// The clocks of a capture, and the only text form of a moment that leaves this program. Written out here because it is forty
// lines of integer arithmetic, exact to the millisecond in both directions; a general formatter uses floating point.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import FoundationEssentials

extension CaptureTime {
  /// The moment of the call on all clocks.
  public static func now() -> CaptureTime {
    CaptureTime(
      unixMilliseconds: nanoseconds(CLOCK_REALTIME) / 1_000_000, bootNanoseconds: nanoseconds(CLOCK_BOOTTIME),
      bootID: currentBootID)
  }

  /// The id of this boot; empty if the kernel does not provide it.
  public static let currentBootID: String = {
    guard let data = try? Data(contentsOf: URL(filePath: "/proc/sys/kernel/random/boot_id")) else { return "" }
    return String(decoding: data.filter { $0 > 0x20 }, as: UTF8.self)
  }()

  /// The wall clock in RFC 3339, in UTC with milliseconds.
  public var text: String { Timestamp.text(unixMilliseconds: unixMilliseconds) }

  /// Whether the wall clock had been set: boards without a battery start in 1970 or at the time of their last shutdown.
  public var isWallClockPlausible: Bool { unixMilliseconds >= Self.plausibleUnixMilliseconds }

  /// The first of January 2025 in UTC; a clock that was set never shows an earlier time.
  package static let plausibleUnixMilliseconds: Int64 = 1_735_689_600_000

  /// The time since this moment, by the boot clock within a boot, else by the wall clock.
  public func elapsed(until later: CaptureTime) -> Duration {
    if bootID == later.bootID, !bootID.isEmpty { return .nanoseconds(later.bootNanoseconds - bootNanoseconds) }
    return .milliseconds(later.unixMilliseconds - unixMilliseconds)
  }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// A moment as RFC 3339 text in UTC with milliseconds, such as `2026-03-01T09:30:00.125Z`.
package enum Timestamp {
  private static let millisecondsPerDay: Int64 = 86_400_000

  /// The text, for years 0000 to 9999; moments outside are clamped.
  package static func text(unixMilliseconds: Int64) -> String {
    let moment = min(max(unixMilliseconds, -62_167_219_200_000), 253_402_300_799_999)
    let days = moment >= 0 ? moment / millisecondsPerDay : -((-moment + millisecondsPerDay - 1) / millisecondsPerDay)
    let rest = moment - days * millisecondsPerDay
    let (year, month, day) = date(daysSince1970: days)
    let clock = "\(digits(rest / 3_600_000, 2)):\(digits(rest / 60_000 % 60, 2)):\(digits(rest / 1000 % 60, 2))"
    return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T\(clock).\(digits(rest % 1000, 3))Z"
  }

  /// The moment of such a text; nil for any other form.
  package static func unixMilliseconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count == 24 else { return nil }
    for (offset, mark) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "."), (23, "Z")] {
      guard bytes[offset] == mark.utf8.first else { return nil }
    }
    func number(_ range: Range<Int>) -> Int64? {
      var value: Int64 = 0
      for byte in bytes[range] {
        guard byte >= 0x30, byte <= 0x39 else { return nil }
        value = value * 10 + Int64(byte - 0x30)
      }
      return value
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19), let fraction = number(20..<23),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
    else { return nil }
    let days = daysSince1970(year: year, month: month, day: day)
    return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + fraction
  }

  // Both directions count years from March, so that the leap day is a year's last, in eras of 400 years or 146 097 days;
  // 719 468 days lie between 0000-03-01 and 1970-01-01.

  private static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
    let yearFromMarch = month <= 2 ? year - 1 : year
    let era = (yearFromMarch >= 0 ? yearFromMarch : yearFromMarch - 399) / 400
    let yearOfEra = yearFromMarch - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func digits(_ value: Int64, _ count: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}

/// The time since this call, by a clock.
package func elapsedTime<C: Clock>(of clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
  let start = clock.now
  return { start.duration(to: clock.now) }
}

extension Duration {
  /// Whole milliseconds, rounded towards zero.
  package var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }

  /// Seconds with a fraction.
  package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
