// The counts of the last day, minute by minute: scans, and what kept the station from scanning.

package import ScanControl
import Synchronization

/// Counts by minute. One history serves all stations of a process, one after the other.
public final class ReadHistory: Sendable {
  /// The counts of a minute or an hour.
  package struct Bucket: Encodable, Sendable, Equatable {
    /// Seconds since 1970 by the present wall clock.
    package var start: Int64
    package var scans = 0
    /// Triggers that ended without any symbol in view.
    package var noSymbol = 0
    /// Symbols that were in view for a while and could not be read.
    package var badSymbol = 0
    /// The median time from the exposure of the picture to the scan, in milliseconds; nil without scans.
    package var milliseconds: Int?
  }

  /// The counts while they are collected.
  private struct Minute {
    /// Minutes since the boot.
    var number: Int64
    var scans = 0
    var noSymbol = 0
    var badSymbol = 0
    /// The times of the first scans.
    var times: [Int] = []
  }

  /// A day.
  private static let minuteCountMax = 24 * 60
  /// The times that are kept of a minute: enough for a median.
  private static let timeCountMax = 60
  private static let nanosecondsPerMinute: Int64 = 60_000_000_000

  private let minutes = Mutex<[Minute]>([])
  /// When the last scan was made, in nanoseconds since the boot; nil before the first.
  private let lastScan = Mutex<Int64?>(nil)

  public init() {}

  /// Notes an action of the controller.
  ///
  /// - Parameter now: nanoseconds since the boot.
  package func note(_ action: Action, at now: Int64) {
    switch action {
    case .forward(let results):
      lastScan.withLock { $0 = now }
      change(at: now) { minute in
        minute.scans += results.count
        for result in results where minute.times.count < Self.timeCountMax {
          minute.times.append(Int(max(0, now - result.capturedAt.nanoseconds) / 1_000_000))
        }
      }
    case .reportNoRead(.noSymbol): change(at: now) { $0.noSymbol += 1 }
    default: break
    }
  }

  /// When the last scan was made, in nanoseconds since the boot; nil before the first.
  var lastScanBootNanoseconds: Int64? { lastScan.withLock { $0 } }

  /// Notes a symbol that was in view for a while and could not be read.
  package func noteUnread(at now: Int64) { change(at: now) { $0.badSymbol += 1 } }

  private func change(at now: Int64, _ body: (inout Minute) -> Void) {
    let number = now / Self.nanosecondsPerMinute
    minutes.withLock { minutes in
      if minutes.last?.number != number {
        minutes.removeAll { $0.number <= number - Int64(Self.minuteCountMax) }
        minutes.append(Minute(number: number))
      }
      body(&minutes[minutes.count - 1])
    }
  }

  /// The counts of the last minutes or hours, oldest first, the present one last.
  ///
  /// - Parameters:
  ///   - count: 1 or more.
  ///   - length: minutes of each.
  ///   - now: nanoseconds since the boot.
  ///   - unixSeconds: the same moment by the wall clock.
  package func buckets(_ count: Int, length: Int64, at now: Int64, unixSeconds: Int64) -> [Bucket] {
    let all = minutes.withLock { $0 }
    let end = now / Self.nanosecondsPerMinute + 1
    let secondsInMinute = now % Self.nanosecondsPerMinute / 1_000_000_000
    return (0..<count).map { index in
      let first = end - Int64(count - index) * length
      let own = all.filter { $0.number >= first && $0.number < first + length }
      let times = own.flatMap(\.times).sorted()
      return Bucket(
        start: unixSeconds - secondsInMinute - (end - 1 - first) * 60, scans: own.reduce(0) { $0 + $1.scans },
        noSymbol: own.reduce(0) { $0 + $1.noSymbol }, badSymbol: own.reduce(0) { $0 + $1.badSymbol },
        milliseconds: times.isEmpty ? nil : times[times.count / 2])
    }
  }
}
