// The time of day where the station stands: rules and their operators go by the clock on the wall.

import Glibc
public import HostText

/// The local calendar.
public enum LocalTime {
  /// A moment as rules look at it.
  public static func moment(unixMilliseconds: Int64) -> RuleMoment {
    var seconds = time_t(unixMilliseconds / 1000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return RuleMoment(minuteOfDay: Int(parts.tm_hour) * 60 + Int(parts.tm_min), year: Int(parts.tm_year) + 1900)
  }
}
