// A sink's loop: carries out the actions of its `DeliveryMachine`, one at a time, and reports their outcomes. Each sink has
// its own loop, so no sink waits for another, and the station waits for none.

public import DeliveryModel
import Devices
public import Logging
import Metrics
public import ServiceLifecycle
import Synchronization

/// Delivers the outbox's scans to one sink, in order, until the service group shuts down.
///
/// On graceful shutdown, a running attempt may end within `RetrySettings.shutdownLimit`; undelivered scans stay in the
/// outbox.
public final class DeliveryLoop: Service, CustomStringConvertible {
  private let sink: any ScanSink
  private let sinkNames: [String]
  private let outbox: Outbox
  private let settings: RetrySettings
  private let clock: any Clock<Duration>
  private let elapsed: @Sendable () -> Duration
  private let logger: Logger
  private let attempts: [String: Counter]
  /// Times from exposure to acceptance, and of each attempt.
  private let latency: Metrics.Timer
  private let attemptTime: Metrics.Timer
  private let parkedGauge: Gauge

  private struct Requests {
    var resumes = false
    var shutsDown = false
  }
  private let requests = Mutex(Requests())
  /// Rung for each request: ends waiting and taking.
  private let requested = AsyncSignal()
  /// Rung on shutdown: starts the time limit of an attempt.
  private let shutdownStarted = AsyncSignal()
  private let statusNow: Mutex<SinkStatus>

  private let makeRun: @Sendable () -> DeliveryRun

  /// - Parameters:
  ///   - names: the names of all sinks, for scans that are not for all of them.
  ///   - clock: the clock that measures delays.
  ///   - random: the source of jitter.
  public init(
    sink: any ScanSink, among names: [String] = [], outbox: Outbox, retry settings: RetrySettings,
    clock: any Clock<Duration> = ContinuousClock(),
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    logger: Logger = Logger(label: "reticle.delivery")
  ) {
    self.sink = sink
    sinkNames = names
    self.outbox = outbox
    self.settings = settings
    self.clock = clock
    elapsed = elapsedTime(of: clock)
    var logger = logger
    logger[metadataKey: "sink"] = "\(sink.name)"
    self.logger = logger
    attempts = ["delivered", "retry", "rejected", "parked"].reduce(into: [:]) { counters, outcome in
      counters[outcome] = Counter(
        label: "reticle_delivery_attempts_total", dimensions: [("sink", sink.name), ("outcome", outcome)])
    }
    latency = Metrics.Timer(label: "reticle_delivery_seconds", dimensions: [("sink", sink.name)])
    attemptTime = Metrics.Timer(label: "reticle_delivery_attempt_seconds", dimensions: [("sink", sink.name)])
    parkedGauge = Gauge(label: "reticle_delivery_parked", dimensions: [("sink", sink.name)])
    statusNow = Mutex(SinkStatus(name: sink.name))
    makeRun = { [logger] in
      DeliveryRun(settings: settings, random: random, log: TroubleLog(logger: logger, interval: settings.logInterval))
    }
  }

  public var description: String { "delivery to \(sink.name)" }

  /// The sink's present state.
  public var status: SinkStatus { statusNow.withLock { $0 } }

  /// Immediately retries a scan that waits or is parked.
  public func resume() {
    requests.withLock { $0.resumes = true }
    requested.signal()
  }

  public func run() async throws {
    await outbox.whenRetryIsRequested(for: sink.name) { [weak self] in self?.resume() }
    await withGracefulShutdownHandler {
      await deliverAll()
    } onGracefulShutdown: {
      self.requests.withLock { $0.shutsDown = true }
      self.requested.signal()
      self.shutdownStarted.signal()
    }
    await sink.close()
    setPhase(.stopped)
  }

  private func deliverAll() async {
    var run = makeRun()
    var actions = run.handle(.started, at: elapsed())
    while !actions.isEmpty {
      let event: DeliveryMachine.Event?
      switch actions.removeFirst() {
      case .take: event = await take(&run)
      case .attempt: event = await attempt(&run, &actions)
      case .acknowledge:
        await noteDelivery(&run)
        event = nil
      case .pass:
        await noteAll(&run)
        event = run.pass(await outbox.nextPassing(run.search, for: sink.name))
      case .putBack:
        run.putBack()
        event = nil
      case .bury(let rejectionCount, let problem):
        await noteAll(&run)
        run.buried()
        for scan in run.records {
          await outbox.bury(scan, by: sink.name, tryCount: rejectionCount, problem: problem)
        }
        event = nil
      case .wait(let until):
        await noteAll(&run)
        event = await wait(until: until)
      case .finish: return await noteAll(&run)
      }
      guard let event else { continue }
      actions += run.handle(event, at: elapsed())
      show(run)
    }
  }

  // MARK: Actions

  private func take(_ run: inout DeliveryRun) async -> DeliveryMachine.Event {
    requests.withLock { $0.resumes = false }
    if isShuttingDown { return .shutdownRequested }
    let records = run.ahead.isEmpty ? await recordsUnlessShutDown(run.countMax(sink.batching)) : run.ahead.removeFirst()
    guard !records.isEmpty, !isShuttingDown else { return .shutdownRequested }
    return run.take(records)
  }

  /// The next scans, after waiting for them; empty on shutdown.
  private func recordsUnlessShutDown(_ countMax: Int) async -> [ScanRecord] {
    setPhase(.idle)
    return await withTaskGroup(of: [ScanRecord].self) { group in
      group.addTask { await self.nextRecords(countMax) }
      group.addTask {
        await self.untilShutdown()
        return []
      }
      defer { group.cancelAll() }
      return await group.next() ?? []
    }
  }

  /// The next scan, with those that arrive within the batch's delay.
  private func nextRecords(_ countMax: Int) async -> [ScanRecord] {
    let batching = sink.batching
    guard let first = await outbox.nextRecord(for: sink.name) else { return [] }
    guard countMax > 1 else { return [first] }
    if batching.delay > .zero {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.outbox.waitForRecords(countMax, for: self.sink.name) }
        group.addTask { try? await self.clock.sleep(for: batching.delay) }
        defer { group.cancelAll() }
        await group.next()
      }
    }
    return await outbox.recordsTogether(for: sink.name, countMax: countMax)
  }

  /// Each call to the outbox may have to wait for the sync of another scan: therefore one call notes several deliveries and,
  /// if more scans wait, also fetches the next.
  private func noteDelivery(_ run: inout DeliveryRun) async {
    run.delivered()
    guard run.ahead.isEmpty else { return }
    guard run.aside.isEmpty, run.singleCount == 0 else { return await noteAll(&run) }
    run.ahead = await outbox.acknowledge(
      run.unnoted, by: sink.name, takingNext: sink.unnotedCountMax, sink.batching)
    run.unnoted = []
  }

  /// Notes deliveries before a wait: an operator may change what comes next.
  private func noteAll(_ run: inout DeliveryRun) async {
    if !run.unnoted.isEmpty { await outbox.acknowledge(run.unnoted, by: sink.name) }
    run.unnoted = []
    run.ahead = []
  }

  private func attempt(_ run: inout DeliveryRun, _ actions: inout [DeliveryMachine.Action]) async -> DeliveryMachine.Event? {
    // An operator may have purged them while they waited.
    if !run.isFresh { run.records = await outbox.stillWanted(run.records, by: sink.name) }
    run.isFresh = false
    let records = run.records.filter { $0.isFor(sink.name, among: sinkNames) }.map { $0.addressed(to: sink.name) }
    guard let last = records.last else {
      statusNow.withLock { $0.delivered() }
      return .attemptEnded(.delivered)
    }
    setPhase(.delivering)
    let begin = ContinuousClock.now
    let outcome = await withTaskGroup(of: DeliveryOutcome?.self) { group in
      group.addTask { await self.sink.deliver(records) }
      group.addTask {
        await self.shutdownStarted.wait()
        try? await self.clock.sleep(for: self.settings.shutdownLimit)
        return nil
      }
      var outcome: DeliveryOutcome?
      while outcome == nil, let ended = await group.next() {
        // Nil: the time limit came first; the attempt ends soon after it is cancelled.
        outcome = ended
        group.cancelAll()
      }
      return outcome ?? .retry(after: nil, DeliveryProblem("the attempt did not end", remedy: "none"))
    }
    attemptTime.recordSeconds((ContinuousClock.now - begin).seconds)
    if isShuttingDown { actions += run.handle(.shutdownRequested, at: elapsed()) }
    note(outcome, of: records, last, &run)
    return run.ended(outcome)
  }

  private func wait(until: Duration?) async -> DeliveryMachine.Event {
    let isOver = await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        await self.requested.wait()
        return false
      }
      group.addTask {
        guard let until else { return await Self.forever() }
        try? await self.clock.sleep(for: max(.zero, until - self.elapsed()))
        return true
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
    if isShuttingDown { return .shutdownRequested }
    let resumes = requests.withLock { requests in
      defer { requests.resumes = false }
      return requests.resumes
    }
    return resumes ? .resumeRequested : isOver ? .waitEnded : .resumeRequested
  }

  private static func forever() async -> Bool {
    await AsyncSignal().wait()
    return false
  }

  private func untilShutdown() async {
    while !isShuttingDown { await requested.wait() }
  }

  private var isShuttingDown: Bool { Task.isCancelled || requests.withLock { $0.shutsDown } }

  // MARK: External view

  private func note(_ outcome: DeliveryOutcome, of records: [ScanRecord], _ last: ScanRecord, _ run: inout DeliveryRun) {
    switch outcome {
    case .delivered:
      attempts["delivered"]?.increment()
      latency.recordSeconds(last.captured.elapsed(until: .now()).seconds)
      statusNow.withLock { $0.delivered() }
      run.log.delivered(at: elapsed())
    case .retry(_, let problem):
      attempts["retry"]?.increment()
      statusNow.withLock { $0.failed(problem) }
      run.log.failed(problem, isParked: false, at: elapsed())
    case .rejected(_, let problem):
      attempts["rejected"]?.increment()
      statusNow.withLock { $0.failed(problem) }
      run.log.failed(problem, isParked: false, at: elapsed())
    case .parked(let problem, _):
      attempts["parked"]?.increment()
      statusNow.withLock { $0.failed(problem) }
      run.log.failed(problem, isParked: true, at: elapsed())
    }
  }

  private func show(_ run: DeliveryRun) {
    switch run.machine.state {
    case .taking, .attempting, .passing, .proving, .stopping, .finished: break
    case .waiting(_, let problem) where run.machine.isStuck: setPhase(.stuck(problem))
    case .waiting(let trial, let problem): setPhase(.retrying(failureCount: trial.failureCount, problem))
    case .parked(_, let problem): setPhase(.parked(problem))
    }
  }

  private func setPhase(_ phase: SinkStatus.Phase) {
    statusNow.withLock { $0.phase = phase }
    if case .parked = phase { parkedGauge.record(1) } else { parkedGauge.record(0) }
  }
}
