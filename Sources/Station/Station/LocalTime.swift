// Local time at the station: rules and operators use the clock on the wall.

import Glibc
public import HostText

/// The local calendar.
public enum LocalTime {
  /// The earliest year in a clock that has been set.
  private static let yearMin = 2025

  /// Today's date; nil if the clock is not set.
  public static func today() -> (year: Int, month: Int, day: Int)? {
    var seconds = time(nil)
    var parts = tm()
    localtime_r(&seconds, &parts)
    let year = Int(parts.tm_year) + 1900
    return year >= yearMin ? (year, Int(parts.tm_mon) + 1, Int(parts.tm_mday)) : nil
  }

  /// A moment in the form that rules use.
  public static func moment(unixMilliseconds: Int64) -> RuleMoment {
    var seconds = time_t(unixMilliseconds / 1000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return RuleMoment(minuteOfDay: Int(parts.tm_hour) * 60 + Int(parts.tm_min), year: Int(parts.tm_year) + 1900)
  }
}
