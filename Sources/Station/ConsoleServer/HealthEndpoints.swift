// The health of a station and its machine: the doctor's findings, the figures of the machine, and what was read.

import StationConfiguration

#if Console

  import DeliveryModel
  import Devices
  import HTTPServer
  import Outbox
  import StationConsole
  import StationGrading
  import Synchronization

  /// A finding of the doctor.
  public struct ConsoleFinding: Codable, Sendable {
    public var area: String
    /// `ok`, `warning` or `fault`.
    public var state: String
    public var summary: String
    /// A command to paste; nil if the state is ok.
    public var remedy: String?
    /// The trouble's id; nil if the state is ok.
    public var id: String?

    public init(area: String, state: String, summary: String, remedy: String?, id: String?) {
      (self.area, self.state, self.summary, self.remedy, self.id) = (area, state, summary, remedy, id)
    }
  }

  /// Examines the machine for all pages at once, and not too often.
  final class FindingsDesk: Sendable {
    /// How long findings count as present.
    static let life = Duration.seconds(15)

    private struct State {
      var last: (findings: [ConsoleFinding], at: ContinuousClock.Instant)?
      var running: Task<[ConsoleFinding], Never>?
    }

    private let examine: @Sendable () async -> [ConsoleFinding]
    private let state = Mutex(State())

    init(_ examine: @escaping @Sendable () async -> [ConsoleFinding]) { self.examine = examine }

    func findings() async -> [ConsoleFinding] {
      let examine = examine
      let (known, running): ([ConsoleFinding]?, Task<[ConsoleFinding], Never>?) = state.withLock { state in
        if let last = state.last, .now - last.at < Self.life { return (last.findings, nil) }
        if state.running == nil { state.running = Task { await examine() } }
        return (nil, state.running)
      }
      if let known { return known }
      let findings = await running?.value ?? []
      state.withLock { state in
        state.last = (findings, .now)
        state.running = nil
      }
      return findings
    }
  }

  extension PrintReport {
    /// A warning per alarm.
    fileprivate var findings: [ConsoleFinding] {
      alarms.map { ConsoleFinding(area: "print", state: "warning", summary: $0, remedy: Self.remedy, id: nil) }
    }
  }

  extension Console {
    private struct Health: Encodable, Sendable {
      var findings: [ConsoleFinding]
      var machine: MachineFigures
      var minutes: [ReadHistory.Bucket]
      var hours: [ReadHistory.Bucket]
    }

    static func health(_ sights: ConsoleSights) -> [Endpoint] {
      let desk = FindingsDesk(sights.examine)
      return [
        .get(
          "/api/health", .look,
          "The doctor's findings, the machine's figures, and what was read in each minute of the last hour and each hour of the "
            + "last day.", .json("Health")
        ) { _, _ in
          let findings = await desk.findings() + (sights.print?().findings ?? [])
          let now = CaptureTime.now()
          let seconds = now.unixMilliseconds / 1000
          return .json(
            Health(
              findings: findings, machine: MachineFigures(folder: sights.configuration.outbox.path),
              minutes: sights.history.buckets(60, length: 1, at: now.bootNanoseconds, unixSeconds: seconds),
              hours: sights.history.buckets(24, length: 60, at: now.bootNanoseconds, unixSeconds: seconds)))
        }
      ]
    }
  }

#endif
