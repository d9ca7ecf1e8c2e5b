import PrintQuality
import StationGrading
import Testing

@Suite struct PrintTrendTests {
  private func add(_ grade: Double, times: Int, to trend: inout PrintTrend) -> [PrintTrend.Change] {
    (0..<times).compactMap { _ in trend.add(Grade(grade)) }
  }

  @Test func `the mean is that of the last grades`() {
    var trend = PrintTrend(alarmBelow: 2.0)
    #expect(trend.mean == nil)
    _ = add(4, times: 3, to: &trend)
    _ = add(2, times: 1, to: &trend)
    #expect(trend.mean == 3.5 && trend.gradeCount == 4)
    _ = add(3, times: PrintTrend.gradeCountMax, to: &trend)
    #expect(trend.mean == 3 && trend.gradeCount == PrintTrend.gradeCountMax)
  }

  @Test func `an alarm needs enough grades, is raised once, and is cleared above the threshold with a margin`() {
    var trend = PrintTrend(alarmBelow: 2.0)
    #expect(add(1, times: PrintTrend.alarmCountMin - 1, to: &trend).isEmpty && !trend.isAlarmed)
    #expect(add(1, times: 1, to: &trend) == [.raised] && trend.isAlarmed)
    #expect(add(1, times: 30, to: &trend).isEmpty && trend.isAlarmed)
    // Above the threshold, and below the margin.
    #expect(add(2.2, times: 40, to: &trend).isEmpty && trend.isAlarmed)
    #expect(add(2.4, times: 40, to: &trend) == [.cleared] && !trend.isAlarmed)
    #expect(add(2.0, times: 40, to: &trend).isEmpty, "a mean at the threshold is not below it")
    #expect(add(1.9, times: 40, to: &trend) == [.raised])
  }

  @Test func `the numbers are those that docs/print-quality.md and the purpose of grading.enabled name`() {
    #expect(PrintTrend.gradeCountMax == 20 && PrintTrend.alarmCountMin == 10 && PrintTrend.clearMargin == 0.3)
  }

  @Test func `an alarm below 4.0 can be cleared`() {
    var trend = PrintTrend(alarmBelow: 4.0)
    #expect(add(3.9, times: 20, to: &trend) == [.raised])
    #expect(add(4.0, times: 20, to: &trend) == [.cleared])
  }
}
