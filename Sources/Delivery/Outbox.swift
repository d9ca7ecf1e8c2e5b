// Where a scan is safe. It is written here before anyone is told that it was good, and stays until every sink has it. When
// the file cannot be written the station still scans: scans wait in memory, loudly, and are written as soon as the file
// can be opened again. One actor owns all of it, on a thread that may wait for the storage.

import Devices
public import Logging
import Metrics

/// The durable queue between the scan controller and the sinks.
///
/// Each sink has a position of its own: the sequence number of the last scan that it has. Scans are kept in order; a sink
/// that is slow or away holds up nobody else.
public actor Outbox {
  /// What became of a scan that was appended.
  public struct Receipt: Equatable, Sendable {
    /// Provisional while `isDurable` is false: moves up if the file turns out to hold scans that were not known.
    public var sequence: Int64
    /// Whether the scan is on the storage; false while the outbox is in `memoryOnly`.
    public var isDurable: Bool
  }

  nonisolated let settings: OutboxSettings
  private nonisolated let executor = BlockingExecutor(label: "outbox")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let logger: Logger
  let elapsed: @Sendable () -> Duration
  let wallMilliseconds: @Sendable () -> Int64

  /// nil while the file cannot be opened.
  var store: OutboxStore?
  /// Held as long as the file is in use.
  var claim: OutboxClaim?
  public internal(set) var state = OutboxState.durable
  var nextSequence: Int64 = 1
  var positions: [String: Int64] = [:]
  /// Scans that the file does not have yet, in order; every one of them comes after those of the file.
  var tail: [ScanRecord] = []
  /// Scans that a sink got from memory before older scans were found in the file: skipped when their turn comes.
  var deliveredAhead: [String: Set<ScanID>] = [:]
  /// The new numbers of scans that moved up when memory and file were last brought together.
  var renumbered: [ScanID: Int64] = [:]
  private(set) var bells: [String: Bell] = [:]
  /// Sinks that were sent back to earlier scans, until they take the next one: what they had in hand no longer counts.
  private var rewound: Set<String> = []
  /// What makes a sink try at once.
  private(set) var retries: [String: @Sendable () -> Void] = [:]
  var nextHealing = Duration.zero
  var isClosed = false

  /// Part of the undelivered scans that is discarded at once when there is no room: one delete for many scans.
  static let discardPart = 100

  /// Since the start.
  private(set) var discardedCount = 0
  private(set) var refusedCount = 0

  private let discarded = Counter(label: "reticle_outbox_discarded_total")
  private let refused = Counter(label: "reticle_outbox_refused_total")
  let damagedFiles = Counter(label: "reticle_outbox_damaged_files_total")
  private let undeliveredGauge = Gauge(label: "reticle_outbox_undelivered")
  private let oldestAgeGauge = Gauge(label: "reticle_outbox_oldest_age_seconds")
  let durableGauge = Gauge(label: "reticle_outbox_durable")
  private let memoryGauge = Gauge(label: "reticle_outbox_in_memory")

  /// Opens the file. A file that cannot be used is not an error here: the outbox begins in `memoryOnly` and says so.
  ///
  /// - Parameters:
  ///   - sinks: the names of the sinks that are configured. One that the file does not know starts after the newest scan.
  ///   - clock: what `healInterval` is measured with.
  ///   - wallMilliseconds: milliseconds since 1970, for age limits.
  public init(
    settings: OutboxSettings, sinks: [String], clock: any Clock<Duration> = ContinuousClock(),
    wallMilliseconds: @escaping @Sendable () -> Int64 = { CaptureTime.now().unixMilliseconds },
    logger: Logger = Logger(label: "reticle.outbox")
  ) async {
    self.settings = settings
    self.logger = logger
    self.wallMilliseconds = wallMilliseconds
    elapsed = elapsedTime(of: clock)
    for sink in sinks {
      positions[sink] = 0
      bells[sink] = Bell()
    }
    do {
      try openStore()
    } catch {
      enter(error)
    }
    let storage = Storage(path: settings.path)
    if !storage.survivesPowerOff {
      logger.warning(
        "scans that are not delivered are lost at power-off",
        metadata: ["path": "\(settings.path)", "fileSystem": "\(storage.fileSystem)", "remedy": "\(Storage.remedy)"])
    }
    publish()
  }

  /// Closes the file. Later scans are refused a place on the storage and wait in memory.
  public func close() {
    store?.close()
    store = nil
    claim = nil
    isClosed = true
    for bell in bells.values { bell.ring() }
  }

  // MARK: In

  /// Takes a scan: on return it is on the storage, or in memory when the storage is in trouble.
  ///
  /// A scan whose id was taken before is not taken again; its first receipt is repeated.
  public func append(_ record: ScanRecord) throws(OutboxRefusal) -> Receipt {
    if let index = tail.firstIndex(where: { $0.id == record.id }) {
      return Receipt(sequence: tail[index].sequence, isDurable: false)
    }
    heal()
    try makeRoom()
    var record = record
    record.sequence = nextSequence
    if state == .durable, let store {
      do {
        if let sequence = try insertMakingRoom(record, into: store) {
          return Receipt(sequence: sequence, isDurable: true)
        }
        nextSequence += 1
        ringAll()
        return Receipt(sequence: record.sequence, isDurable: true)
      } catch {
        enter(OutboxTrouble(error, path: settings.path))
        // Damage is repaired at once; the scan then goes to the new file.
        heal()
        record.sequence = nextSequence
        if state == .durable, let healed = self.store, (try? healed.insert([record])) != nil {
          nextSequence += 1
          ringAll()
          return Receipt(sequence: record.sequence, isDurable: true)
        }
      }
    }
    try appendToTail(record)
    return Receipt(sequence: record.sequence, isDurable: false)
  }

  /// Takes the scans of a frame together: they share one sync of the storage, where each by itself would wait for its own.
  ///
  /// - Returns: what became of each, in order.
  public func append(_ records: [ScanRecord]) -> [Result<Receipt, OutboxRefusal>] {
    if records.count > 1, let receipts = insertTogether(records) { return receipts.map { .success($0) } }
    return records.map { record in Result { () throws(OutboxRefusal) in try append(record) } }
  }

  /// - Returns: nil, with nothing done, when there is anything that has to be decided scan by scan.
  private func insertTogether(_ records: [ScanRecord]) -> [Receipt]? {
    heal()
    guard state == .durable, let store, Set(records.map(\.id)).count == records.count,
      Int(nextSequence - 1 - deliveredSequence) + records.count <= settings.undeliveredCountMax
    else { return nil }
    var numbered = records
    for index in numbered.indices { numbered[index].sequence = nextSequence + Int64(index) }
    do {
      for record in records where try store.sequence(of: record.id) != nil { return nil }
      try store.insert(numbered)
    } catch {
      // Whatever it is, it happens again to the first of them, and is dealt with there.
      return nil
    }
    nextSequence += Int64(records.count)
    ringAll()
    return numbered.map { Receipt(sequence: $0.sequence, isDurable: true) }
  }

  /// - Returns: the sequence number of the scan if it was there before, else nil: it has been inserted.
  private func insertMakingRoom(_ record: ScanRecord, into store: OutboxStore) throws -> Int64? {
    if let sequence = try store.sequence(of: record.id) { return sequence }
    do {
      try store.insert([record])
    } catch {
      guard OutboxTrouble(error, path: settings.path).cause == .full else { throw error }
      try store.delete(through: deliveredSequence)
      if settings.whenFull == .discardOldest { try discardOldest(Self.discardPart, from: store, reason: "full") }
      try store.insert([record])
    }
    return nil
  }

  private func appendToTail(_ record: ScanRecord) throws(OutboxRefusal) {
    let delivered = deliveredSequence
    while tail.count >= settings.memoryCountMax {
      guard let oldest = tail.first else { break }
      if oldest.sequence > delivered {
        guard settings.whenFull == .discardOldest else {
          countRefusal()
          guard case .memoryOnly(let trouble) = state else { break }
          throw .memoryFull(trouble)
        }
        count(discarded: 1, reason: "memory-full")
      }
      tail.removeFirst()
    }
    tail.append(record)
    nextSequence += 1
    memoryGauge.record(tail.count)
    ringAll()
  }

  /// Keeps the number of undelivered scans within its limit.
  private func makeRoom() throws(OutboxRefusal) {
    let undelivered = Int(nextSequence - 1 - deliveredSequence)
    guard undelivered >= settings.undeliveredCountMax else { return }
    // Sequence numbers have gaps where scans were discarded: what is really there decides.
    let there = ((try? store?.count(after: deliveredSequence)) ?? 0) + tail.count
    guard there >= settings.undeliveredCountMax else { return }
    guard settings.whenFull == .discardOldest else {
      countRefusal()
      throw .full(undeliveredCount: there)
    }
    if let store {
      let part = min(Self.discardPart, 1 + settings.undeliveredCountMax / Self.discardPart)
      try? discardOldest(part, from: store, reason: "count")
    }
  }

  private func discardOldest(_ part: Int, from store: OutboxStore, reason: String) throws {
    count(discarded: try store.deleteOldest(part, after: deliveredSequence), reason: reason)
  }

  private func countRefusal() {
    refused.increment()
    refusedCount += 1
  }

  func count(discarded number: Int, reason: String) {
    guard number > 0 else { return }
    discarded.increment(by: number)
    discardedCount += number
    logger.error(
      "undelivered scans were discarded", metadata: ["count": "\(number)", "reason": "\(reason)", "policy": "discardOldest"])
  }

  // MARK: Out

  /// The next scan for a sink, waiting for it if there is none.
  ///
  /// - Returns: nil when the task was cancelled or the outbox closed. One task a sink may wait.
  public func nextRecord(for sink: String) async -> ScanRecord? {
    guard let bell = bells[sink] else { return nil }
    rewound.remove(sink)
    while !Task.isCancelled, !isClosed {
      if let record = recordAtPosition(of: sink) { return record }
      await bell.heard()
    }
    return nil
  }

  /// Waits until there are so many scans for a sink, or the task is cancelled or the outbox closed.
  func waitForRecords(_ count: Int, for sink: String) async {
    guard let bell = bells[sink] else { return }
    while !Task.isCancelled, !isClosed, undeliveredCount(for: sink) < count {
      await bell.heard()
    }
  }

  /// The next scans for a sink, as many as may go together; none if there are none.
  func recordsTogether(for sink: String, countMax: Int) -> [ScanRecord] {
    guard let first = recordAtPosition(of: sink) else { return [] }
    guard countMax > 1 else { return [first] }
    var together = [first]
    var byteCount = first.byteCountEstimate
    for record in records(after: first.sequence, limit: countMax - 1) {
      byteCount += record.byteCountEstimate
      guard byteCount <= BatchSettings.byteCountMax, deliveredAhead[sink]?.contains(record.id) != true else { break }
      together.append(record)
    }
    return together
  }

  private func recordAtPosition(of sink: String) -> ScanRecord? {
    while let position = positions[sink] {
      guard let record = record(after: position) else { return nil }
      guard deliveredAhead[sink]?.remove(record.id) != nil else { return record }
      advance(sink, to: record.sequence)
    }
    return nil
  }

  private func record(after position: Int64) -> ScanRecord? {
    if let store {
      do {
        if let record = try store.records(after: position, limit: 1).first { return record }
      } catch {
        enter(OutboxTrouble(error, path: settings.path))
        heal()
      }
    }
    return tail.first { $0.sequence > position }
  }

  /// Notes that a sink has a scan that it took.
  public func acknowledge(_ record: ScanRecord, by sink: String) { acknowledge([record], by: sink) }

  /// Notes that a sink has the scans that it took together.
  func acknowledge(_ records: [ScanRecord], by sink: String) {
    guard let position = positions[sink], !rewound.contains(sink) else { return }
    var last = position
    for record in records {
      if isTakenUnderOldNumber(record) {
        deliveredAhead[sink, default: []].insert(record.id)
      } else {
        last = max(last, record.sequence)
      }
    }
    if last > position { advance(sink, to: last) }
  }

  /// The same, and the sink's next deliveries as far as their scans are there already: up to so many of single scans, or a
  /// batch; none where a batch is to be waited for.
  func acknowledge(
    _ records: [ScanRecord], by sink: String, takingNext countMax: Int, _ batching: BatchSettings
  ) -> [[ScanRecord]] {
    acknowledge(records, by: sink)
    let isBatch = batching.countMax > 1
    guard !isClosed, !isBatch || batching.delay == .zero else { return [] }
    rewound.remove(sink)
    let next = recordsTogether(for: sink, countMax: isBatch ? batching.countMax : countMax)
    return isBatch ? (next.isEmpty ? [] : [next]) : next.map { [$0] }
  }

  /// Those of the scans that a sink took which are still its to deliver: not skipped meanwhile.
  func notPassed(_ records: [ScanRecord], by sink: String) -> [ScanRecord] {
    records.filter { !isPassed($0, by: sink) }
  }

  private func isPassed(_ record: ScanRecord, by sink: String) -> Bool {
    guard let position = positions[sink], !isTakenUnderOldNumber(record) else { return false }
    return record.sequence <= position
  }

  /// Whether a record's number is another scan's by now.
  private func isTakenUnderOldNumber(_ record: ScanRecord) -> Bool {
    renumbered[record.id].map { $0 != record.sequence } ?? false
  }

  /// Sends a sink back, so that it gets again what it had after this sequence number.
  func rewind(_ sink: String, to sequence: Int64) {
    advance(sink, to: sequence)
    deliveredAhead[sink] = nil
    rewound.insert(sink)
    bells[sink]?.ring()
  }

  /// - Parameter retry: makes the sink try at once; called on any thread.
  func whenRetryIsRequested(for sink: String, _ retry: @escaping @Sendable () -> Void) { retries[sink] = retry }

  func advance(_ sink: String, to sequence: Int64) {
    positions[sink] = sequence
    persistPositions([sink: sequence])
  }

  private func persistPositions(_ changed: [String: Int64]) {
    guard state == .durable, let store else { return }
    do {
      try store.setPositions(changed)
    } catch {
      enter(OutboxTrouble(error, path: settings.path))
    }
  }

  /// The sequence number up to which every sink has every scan.
  var deliveredSequence: Int64 { positions.values.min() ?? nextSequence - 1 }

  func ringAll() {
    for bell in bells.values { bell.ring() }
  }

  // MARK: Upkeep

  /// Heals what can be healed, applies the age limit, deletes what every sink has and publishes the figures. To be called
  /// every few seconds; `OutboxKeeper` does.
  public func maintain() {
    noticeRemoval()
    heal()
    serveRequests()
    if state == .durable, let store {
      do {
        try store.delete(through: min(deliveredSequence, nextSequence - 1 - Int64(settings.deliveredCountKept)))
        try store.giveBackSpace()
        if let ageMax = settings.undeliveredAgeMax {
          let before = wallMilliseconds() - ageMax.milliseconds
          let number = try store.delete(
            after: deliveredSequence, capturedFrom: CaptureTime.plausibleUnixMilliseconds, before: before)
          count(discarded: number, reason: "age")
        }
      } catch {
        enter(OutboxTrouble(error, path: settings.path))
      }
    }
    publish()
  }

  func publish() {
    let delivered = deliveredSequence
    let inFile = (try? store?.count(after: delivered)) ?? 0
    undeliveredGauge.record(inFile + tail.count { $0.sequence > delivered })
    memoryGauge.record(tail.count)
    durableGauge.record(state == .durable ? 1 : 0)
    let oldest = (try? store?.oldestCapture(after: delivered)) ?? nil
    oldestAgeGauge.record(oldest.map { Double(max(0, wallMilliseconds() - $0)) / 1000 } ?? 0)
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
