// The place where a scan is safe. A scan is written here before it is acknowledged, and stays until every sink has it. One
// actor owns all of it, on a thread that may wait for the storage; `OutboxCore` contains the rules.

public import DeliveryModel
import Devices
public import Logging
public import ServiceLifecycle

/// The durable queue between the scan controller and the sinks.
///
/// Each sink has its own state: the numbers of the scans that it is done with. Scans are kept in order; a slow or missing
/// sink delays no other sink.
public actor Outbox {
  /// The outcome of appending a scan.
  public struct Receipt: Equatable, Sendable {
    /// The scan's number; 0 while it is in memory.
    public var sequence: Int64
    /// Whether the scan is on the storage; false if it is held in memory because the storage has trouble.
    public var isDurable: Bool
  }

  /// Scans that could not be written before an outbox was closed, for its replacement, with everything else that only memory
  /// knew.
  public struct Remainder: Sendable {
    /// The scans in memory; in trouble, all that is known of the file, too.
    var ledger = Ledger()
    var counts = OutboxCounts()
    public init() {}

    /// The number of scans.
    public var count: Int { ledger.held.count }
  }

  private nonisolated let executor = BlockingExecutor(label: "outbox")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let core: OutboxCore
  private let arrivals: [String: AsyncSignal]
  /// Functions that make a sink try at once.
  private var retries: [String: @Sendable () -> Void] = [:]

  /// Why a path cannot be used because it names something other than an outbox; nil if an outbox exists there or can be
  /// created. Changes nothing.
  public static func foreignFile(at path: String) -> OutboxTrouble? {
    do throws(OutboxTrouble) {
      try OutboxOwnership(files: SystemFiles(), path: path).check()
    } catch {
      return error.cause == .foreign ? error : nil
    }
    return nil
  }

  /// The trouble that a second station would have because another program holds the outbox; nil if none does. Changes
  /// nothing.
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

  /// Opens the file. An unusable file is not an error here: the outbox starts in trouble and reports it.
  ///
  /// - Parameters:
  ///   - sinks: the configured sinks. One that the file does not know starts after the newest scan.
  ///   - remainder: the scans that a closed outbox of this station could not write.
  ///   - clock: the clock that measures `healInterval`.
  public init(
    settings: OutboxSettings, sinks: [OutboxSink], remainder: Remainder = Remainder(),
    clock: any Clock<Duration> = ContinuousClock(),
    logger: Logger = Logger(label: "reticle.outbox")
  ) async {
    arrivals = Dictionary(sinks.map { ($0.name, AsyncSignal()) }) { first, _ in first }
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
  /// - Returns: the scans that are only in memory.
  @discardableResult
  public func close() -> Remainder {
    defer { wakeAll() }
    return core.close()
  }

  public var state: OutboxState { core.state }

  /// The number of scans in memory, which are lost if the station stops.
  public var inMemoryCount: Int { core.inMemoryCount }

  /// Scans delivered since the station's start, by the sink's name.
  public var deliveredCounts: [String: Int] { core.counts.delivered }

  // MARK: In

  /// Appends a scan: on return it is on the storage, or in memory if the storage has trouble and the settings allow it.
  ///
  /// A scan whose id was appended before is not stored again; its first receipt is returned.
  public func append(_ record: ScanRecord) throws(OutboxRefusal) -> Receipt { try append([record])[0].get() }

  /// Appends the scans of a frame together: they share one sync of the storage instead of each waiting for its own.
  ///
  /// - Returns: the outcome for each, in order.
  public func append(_ records: [ScanRecord]) -> [Result<Receipt, OutboxRefusal>] {
    defer {
      core.publishUndelivered()
      wakeAll()
    }
    return core.append(records)
  }

  // MARK: Out

  /// The next scan for a sink, after waiting for one if necessary.
  ///
  /// - Returns: nil if the task was cancelled or the outbox closed. One task per sink may wait.
  public func nextRecord(for sink: String) async -> ScanRecord? {
    guard let arrival = arrivals[sink] else { return nil }
    core.rewound.remove(sink)
    while !Task.isCancelled, !core.isClosed {
      if let record = core.next(1, for: sink).first { return record }
      await arrival.wait()
    }
    return nil
  }

  /// A scan that may pass those that a sink's receiver rejects, if any.
  func nextPassing(_ search: PassingSearch, for sink: String) -> PassingSearch.Outcome {
    core.nextPassing(search, for: sink)
  }

  /// Waits until `count` scans are available for a sink, or the task is cancelled or the outbox closed.
  func waitForRecords(_ count: Int, for sink: String) async {
    guard let arrival = arrivals[sink] else { return }
    while !Task.isCancelled, !core.isClosed, core.undeliveredCount(for: sink) < count {
      await arrival.wait()
    }
  }

  /// The next scans for a sink that may be sent together; empty if none wait.
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

  /// Notes that a sink has a scan.
  public func acknowledge(_ record: ScanRecord, by sink: String) { acknowledge([record], by: sink) }

  /// Notes that a sink has scans that were sent together.
  func acknowledge(_ records: [ScanRecord], by sink: String) {
    core.acknowledge(records, by: sink)
    core.publishUndelivered()
  }

  /// Notes delivered scans, and returns the sink's next deliveries whose scans are already available: up to a limit of
  /// single scans, or a batch; none if a batch is still to be waited for.
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

  /// The scans among these that the sink must still deliver, because they were not purged in the meantime.
  func stillWanted(_ records: [ScanRecord], by sink: String) -> [ScanRecord] { core.stillWanted(records, by: sink) }

  /// Adds a scan that a sink's receiver permanently refused to the dead letters.
  func bury(_ record: ScanRecord, by sink: String, tryCount: Int, problem: DeliveryProblem) {
    _ = core.bury(record, by: sink, tryCount: tryCount, problem: problem.summary)
    core.publishUndelivered()
  }

  /// - Parameter retry: makes the sink try at once; called on any thread.
  public func whenRetryIsRequested(for sink: String, _ retry: @escaping @Sendable () -> Void) { retries[sink] = retry }

  /// Performs an operator's request.
  /// - Returns: what was done, in words.
  @discardableResult
  public func perform(_ request: OutboxRequest) -> String {
    let outcome = core.perform(request, retries: Set(retries.keys))
    for name in core.sinksMeant(request) {
      arrivals[name]?.signal()
      if request.kind == .retry { retries[name]?() }
    }
    return outcome
  }

  private func wakeAll() { for arrival in arrivals.values { arrival.signal() } }

  // MARK: Inspection

  /// The newest scans, newest first, including those in memory.
  public func newest(_ count: Int) -> [ScanRecord] { core.newest(count) }

  /// The newest scans, newest first, with what became of them at each configured sink.
  public func newestOutcomes(_ count: Int) -> [(scan: ScanRecord, outcomes: [ScanOutcome])] {
    core.newestOutcomes(count)
  }

  /// The scans that receivers permanently refused.
  public func deadLetters() -> [(letter: DeadLetter, scan: ScanRecord?)] { core.deadLetters() }

  /// The scans after a number in order, including those in memory.
  public func records(after number: Int64, limit: Int) -> [ScanRecord] { core.records(after: number, limit: limit) }

  /// The number of scans that a sink does not have yet.
  public func undeliveredCount(for sink: String) -> Int { core.undeliveredCount(for: sink) }

  /// The state of the outbox.
  public func status() -> OutboxStatus { core.status() }

  // MARK: Maintenance

  /// Heals trouble where possible, applies the age limit, deletes scans that every sink has, grants requests and publishes
  /// metrics. To be called every few seconds; `OutboxKeeper` does.
  public func maintain() {
    core.maintain()
    for (number, request) in core.requests() {
      core.answer(request: number, request.map { perform($0) } ?? "this station does not understand the request")
      core.publishUndelivered()
    }
    wakeAll()
  }
}

/// Calls `Outbox.maintain` every few seconds until the service group shuts down, and then once more.
public struct OutboxKeeper: Service {
  private let outbox: Outbox
  private let clock: any Clock<Duration>

  /// The time between calls: the longest delay of the metrics in `/metrics`, except undelivered scans, which are always
  /// current.
  public static let interval = Duration.seconds(5)

  public init(outbox: Outbox, clock: any Clock<Duration> = ContinuousClock()) {
    self.outbox = outbox
    self.clock = clock
  }

  public func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await outbox.maintain()
        try? await clock.sleep(for: Self.interval)
      }
    }
    await outbox.maintain()
  }
}
