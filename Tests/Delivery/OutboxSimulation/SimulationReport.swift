// Runs of many schedules.

extension Simulation {
  /// The results of the schedules.
  public struct Report: CustomStringConvertible, Sendable {
    public var firstSeed: UInt64
    public var scheduleCount = 0
    /// Number of promises of a scan to a sink.
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

  /// Runs schedules one after the other, with ascending seeds, until a violation or a limit.
  public static func run(from first: UInt64, count: Int = .max, limit: Duration) -> Report {
    var report = Report(firstSeed: first)
    let start = ContinuousClock.now
    while report.scheduleCount < count, ContinuousClock.now - start < limit {
      let seed = first &+ UInt64(report.scheduleCount)
      let (promisedCount, violation) = violation(of: Simulation(seed: seed))
      report.scheduleCount += 1
      report.promisedCount += promisedCount
      guard let violation else { continue }
      // Run it again with a history: the same seed gives the same schedule.
      report.violation = self.violation(of: Simulation(seed: seed, keepsHistory: true)).1 ?? violation
      break
    }
    report.elapsed = ContinuousClock.now - start
    return report
  }

  private static func violation(of simulation: Simulation) -> (promisedCount: Int, Violation?) {
    defer { simulation.scrap() }
    do throws(Violation) {
      try simulation.run()
    } catch {
      return (simulation.promisedCount, error)
    }
    return (simulation.promisedCount, nil)
  }
}
