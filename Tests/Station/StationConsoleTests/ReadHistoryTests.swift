import BarcodeTypes
import ScanControl
import Testing

@testable import StationConsole

/// The counts of the last hour and day.
@Suite struct ReadHistoryTests {
  private static let minute: Int64 = 60_000_000_000

  @Test func `minutes and hours have their own counts, and what is older than a day is gone`() {
    let history = ReadHistory()
    let now = 3000 * Self.minute + 5_000_000_000
    history.note(.reportNoRead(.noSymbol), at: now - 2000 * Self.minute)
    history.note(.reportNoRead(.noSymbol), at: now - 61 * Self.minute)
    history.note(.reportNoRead(.unreadable), at: now)
    history.noteUnread(at: now - Self.minute)
    history.noteUnread(at: now)
    let minutes = history.buckets(60, length: 1, at: now, unixSeconds: 1_000_005)
    #expect(minutes.count == 60 && minutes[59].start == 1_000_000 && minutes[0].start == 1_000_000 - 59 * 60)
    #expect(minutes[59].badSymbol == 1 && minutes[58].badSymbol == 1 && minutes.allSatisfy { $0.noSymbol == 0 })
    let hours = history.buckets(24, length: 60, at: now, unixSeconds: 1_000_005)
    #expect(hours[23].badSymbol == 2 && hours.map(\.noSymbol).reduce(0, +) == 1 && hours[22].noSymbol == 1)
    #expect(hours[23].milliseconds == nil)
  }
}
