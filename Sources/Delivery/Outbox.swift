// Where a scan is safe. It is written here before anyone is told that it was good, and stays until every sink has it. One actor
// owns all of it, on a thread that may wait for the storage; the rules are in `OutboxCore`.

import Devices
public import Logging

/// The durable queue between the scan controller and the sinks.
///
/// Each sink has a state of its own: the numbers of the scans that it is done with. Scans are kept in order; a sink that is
/// slow or away holds up nobody else.
public actor Outbox {
  /// What became of a scan that was appended.
  public struct Receipt: Equatable, Sendable {
    /// The scan's number; 0 as long as it is in memory.
    public var sequence: Int64
    /// Whether the scan is on the storage; false when it is held in memory because the storage is in trouble.
    public var isDurable: Bool
  }

  /// Scans that could not be written before an outbox was closed, for the one that takes its place, and what else only memory
  /// knew.
  public struct Remainder: Sendable {
    var held: [OutboxCore.Held] = []
    /// nil when the file has all of it.
    var memory: OutboxCore.Memory?
    var counts = OutboxCounts()
    public init() {}

    /// How many there are.
    public var count: Int { held.count }
  }

  private nonisolated let executor = BlockingExecutor(label: "outbox")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let core: OutboxCore
  private let bells: [String: Bell]
  /// What makes a sink try at once.
  private var retries: [String: @Sendable () -> Void] = [:]

  /// What is wrong with a path that names something else than an outbox; nil if an outbox is there or can be made. Nothing is
  /// changed.
  public static func foreignFile(at path: String) -> OutboxTrouble? {
    do throws(OutboxTrouble) {
      try OutboxOwnership(files: SystemFiles(), path: path).check()
    } catch {
      return error.cause == .foreign ? error : nil
    }
    return nil
  }

  /// The trouble of a second station while another program holds the outbox; nil while none does. Nothing is changed.
  public static func holder(of path: String) -> OutboxTrouble? {
    let files = SystemFiles()
    guard files.size(path + OutboxClaim.suffix) != nil else { return nil }
    do throws(OutboxTrouble) {
      _ = try files.claim(path)
    } catch {
      return error.cause == .busy ? error : nil
    }
    return nil
  }

  /// Opens the file. A file that cannot be used is not an error here: the outbox begins in trouble and says so.
  ///
  /// - Parameters:
  ///   - sinks: those that are configured. One that the file does not know starts after the newest scan.
  ///   - remainder: what an outbox of this station that was closed could not write.
  ///   - clock: what `healInterval` is measured with.
  public init(
    settings: OutboxSettings, sinks: [OutboxSink], remainder: Remainder = Remainder(),
    clock: any Clock<Duration> = ContinuousClock(),
    logger: Logger = Logger(label: "reticle.outbox")
  ) async {
    bells = Dictionary(sinks.map { ($0.name, Bell()) }) { first, _ in first }
    core = OutboxCore(
      settings: settings, sinks: sinks, remainder: remainder, files: SystemFiles(), clock: .system(clock),
      logger: logger)
    let storage = Storage(path: settings.path)
    if !storage.survivesPowerOff {
      logger.warning(
        "scans that are not delivered are lost at power-off",
        metadata: ["path": "\(settings.path)", "fileSystem": "\(storage.fileSystem)", "remedy": "\(Storage.remedy)"])
    }
  }

  /// Closes the file. Later scans are refused.
  /// - Returns: the scans that are in memory only.
  @discardableResult
  public func close() -> Remainder {
    defer { ringAll() }
    return core.close()
  }

  public var state: OutboxState { core.state }

  /// How many scans are in memory and are lost if the station stops.
  public var inMemoryCount: Int { core.inMemoryCount }

  /// Scans delivered since the station's start, by the sink's name.
  public var deliveredCounts: [String: Int] { core.counts.delivered }

  // MARK: In

  /// Takes a scan: on return it is on the storage, or in memory when the storage is in trouble and the settings allow it.
  ///
  /// A scan whose id was taken before is not taken again; its first receipt is repeated.
  public func append(_ record: ScanRecord) throws(OutboxRefusal) -> Receipt { try append([record])[0].get() }

  /// Takes the scans of a frame together: they share one sync of the storage, where each by itself would wait for its own.
  ///
  /// - Returns: what became of each, in order.
  public func append(_ records: [ScanRecord]) -> [Result<Receipt, OutboxRefusal>] {
    defer {
      core.publishUndelivered()
      ringAll()
    }
    return core.append(records)
  }

  // MARK: Out

  /// The next scan for a sink, waiting for it if there is none.
  ///
  /// - Returns: nil when the task was cancelled or the outbox closed. One task a sink may wait.
  public func nextRecord(for sink: String) async -> ScanRecord? {
    guard let bell = bells[sink] else { return nil }
    core.rewound.remove(sink)
    while !Task.isCancelled, !core.isClosed {
      if let record = core.next(1, for: sink).first { return record }
      await bell.heard()
    }
    return nil
  }

  /// A scan that may pass those that a sink's receiver rejects, if there is one.
  func nextPassing(_ search: PassingSearch, for sink: String) -> PassingSearch.Outcome {
    core.nextPassing(search, for: sink)
  }

  /// Waits until there are so many scans for a sink, or the task is cancelled or the outbox closed.
  func waitForRecords(_ count: Int, for sink: String) async {
    guard let bell = bells[sink] else { return }
    while !Task.isCancelled, !core.isClosed, core.undeliveredCount(for: sink) < count {
      await bell.heard()
    }
  }

  /// The next scans for a sink, as many as may go together; none if there are none.
  func recordsTogether(for sink: String, countMax: Int) -> [ScanRecord] {
    var together: [ScanRecord] = []
    var byteCount = 0
    for record in core.next(countMax, for: sink) {
      byteCount += record.byteCountEstimate
      guard together.isEmpty || byteCount <= BatchSettings.byteCountMax else { break }
      together.append(record)
    }
    return together
  }

  /// Notes that a sink has a scan that it took.
  public func acknowledge(_ record: ScanRecord, by sink: String) { acknowledge([record], by: sink) }

  /// Notes that a sink has the scans that it took together.
  func acknowledge(_ records: [ScanRecord], by sink: String) {
    core.acknowledge(records, by: sink)
    core.publishUndelivered()
  }

  /// The same, and the sink's next deliveries as far as their scans are there already: up to so many of single scans, or a
  /// batch; none where a batch is to be waited for.
  func acknowledge(
    _ records: [ScanRecord], by sink: String, takingNext countMax: Int, _ batching: BatchSettings
  ) -> [[ScanRecord]] {
    acknowledge(records, by: sink)
    let isBatch = batching.countMax > 1
    guard !core.isClosed, !isBatch || batching.delay == .zero else { return [] }
    core.rewound.remove(sink)
    let next = recordsTogether(for: sink, countMax: isBatch ? batching.countMax : countMax)
    return isBatch ? (next.isEmpty ? [] : [next]) : next.map { [$0] }
  }

  /// Those of the scans that a sink took which are still its to deliver: not purged meanwhile.
  func stillWanted(_ records: [ScanRecord], by sink: String) -> [ScanRecord] { core.stillWanted(records, by: sink) }

  /// Puts a scan that a sink's receiver refused for good on the list of dead letters.
  func bury(_ record: ScanRecord, by sink: String, tryCount: Int, problem: DeliveryProblem) {
    _ = core.bury(record, by: sink, tryCount: tryCount, problem: problem.summary)
    core.publishUndelivered()
  }

  /// - Parameter retry: makes the sink try at once; called on any thread.
  public func whenRetryIsRequested(for sink: String, _ retry: @escaping @Sendable () -> Void) { retries[sink] = retry }

  /// Does what an operator asks for.
  /// - Returns: what was done, in words.
  @discardableResult
  public func perform(_ request: OutboxRequest) -> String {
    let outcome = core.perform(request, retries: Set(retries.keys))
    for name in core.sinksMeant(request) {
      bells[name]?.ring()
      if request.kind == .retry { retries[name]?() }
    }
    return outcome
  }

  private func ringAll() { for bell in bells.values { bell.ring() } }

  // MARK: Looking

  /// The newest scans, newest first, those in memory included.
  public func newest(_ count: Int) -> [ScanRecord] { core.newest(count) }

  /// The scans after a number in order, those in memory included.
  public func records(after number: Int64, limit: Int) -> [ScanRecord] { core.records(after: number, limit: limit) }

  /// How many scans a sink does not have yet.
  public func undeliveredCount(for sink: String) -> Int { core.undeliveredCount(for: sink) }

  /// How the outbox is doing.
  public func status() -> OutboxStatus { core.status() }

  // MARK: Upkeep

  /// Heals what can be healed, applies the age limit, deletes what every sink has, grants requests and publishes the figures.
  /// To be called every few seconds; `OutboxKeeper` does.
  public func maintain() {
    core.maintain()
    for (number, request) in core.requests() {
      core.answer(request: number, request.map { perform($0) } ?? "this station does not understand the request")
      core.publishUndelivered()
    }
    ringAll()
  }
}

/// The time since this call by a clock.
func elapsedTime<C: Clock>(of clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
  let start = clock.now
  return { start.duration(to: clock.now) }
}

extension Duration {
  /// Whole milliseconds, rounded towards zero.
  var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }

  /// Seconds with a fraction.
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
