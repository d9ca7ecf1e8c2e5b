// Many schedules in a row.

extension Simulation {
  /// What came of them.
  public struct Report: CustomStringConvertible, Sendable {
    public var firstSeed: UInt64
    public var scheduleCount = 0
    /// Promises of a scan to a sink.
    public var promisedCount = 0
    public var elapsed = Duration.zero
    public var violation: Violation?

    public var description: String {
      let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
      let text =
        "\(scheduleCount) schedules from seed \(firstSeed) in \(Int(seconds)) s, \(promisedCount) scans promised to a sink, "
        + "\(violation == nil ? "0 violations" : "1 violation")"
      return violation.map { "\(text)\n\($0)" } ?? text
    }
  }

  /// Runs one schedule after the other, with seeds that count up, until a violation or a limit.
  public static func run(from first: UInt64, count: Int = .max, limit: Duration) -> Report {
    var report = Report(firstSeed: first)
    let start = ContinuousClock.now
    while report.scheduleCount < count, ContinuousClock.now - start < limit {
      let simulation = Simulation(seed: first &+ UInt64(report.scheduleCount))
      defer { simulation.scrap() }
      report.scheduleCount += 1
      do throws(Violation) {
        try simulation.run()
      } catch {
        report.violation = error
      }
      report.promisedCount += simulation.promisedCount
      if report.violation != nil { break }
    }
    report.elapsed = ContinuousClock.now - start
    return report
  }
}
