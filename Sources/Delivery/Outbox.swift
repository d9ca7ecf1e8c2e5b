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

  private let logger: Logger
  private let elapsed: @Sendable () -> Duration
  private let wallMilliseconds: @Sendable () -> Int64

  /// nil while the file cannot be opened.
  private var store: OutboxStore?
  public private(set) var state = OutboxState.durable
  private var nextSequence: Int64 = 1
  private var positions: [String: Int64] = [:]
  /// Scans that the file does not have yet, in order; every one of them comes after those of the file.
  private var tail: [ScanRecord] = []
  /// Scans that a sink got from memory before older scans were found in the file: skipped when their turn comes.
  private var deliveredAhead: [String: Set<ScanID>] = [:]
  /// The new numbers of scans that moved up when memory and file were last brought together.
  private var renumbered: [ScanID: Int64] = [:]
  private var bells: [String: Bell] = [:]
  private var nextHealing = Duration.zero
  private var isClosed = false

  /// Part of the undelivered scans that is discarded at once when there is no room: one delete for many scans.
  static let discardPart = 100

  private let discarded = Counter(label: "reticle_outbox_discarded_total")
  private let refused = Counter(label: "reticle_outbox_refused_total")
  private let damagedFiles = Counter(label: "reticle_outbox_damaged_files_total")
  private let undeliveredGauge = Gauge(label: "reticle_outbox_undelivered")
  private let oldestAgeGauge = Gauge(label: "reticle_outbox_oldest_age_seconds")
  private let durableGauge = Gauge(label: "reticle_outbox_durable")
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
          refused.increment()
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
      refused.increment()
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

  private func count(discarded number: Int, reason: String) {
    guard number > 0 else { return }
    discarded.increment(by: number)
    logger.error(
      "undelivered scans were discarded", metadata: ["count": "\(number)", "reason": "\(reason)", "policy": "discardOldest"])
  }

  // MARK: Out

  /// The next scan for a sink, waiting for it if there is none.
  ///
  /// - Returns: nil when the task was cancelled or the outbox closed. One task a sink may wait.
  public func nextRecord(for sink: String) async -> ScanRecord? {
    guard let bell = bells[sink] else { return nil }
    while !Task.isCancelled, !isClosed {
      if let record = recordAtPosition(of: sink) { return record }
      await bell.heard()
    }
    return nil
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
  public func acknowledge(_ record: ScanRecord, by sink: String) {
    guard let position = positions[sink] else { return }
    if isTakenUnderOldNumber(record) {
      deliveredAhead[sink, default: []].insert(record.id)
    } else if record.sequence > position {
      advance(sink, to: record.sequence)
    }
  }

  /// Whether a scan that a sink took is no longer its to deliver: it was skipped.
  func isPassed(_ record: ScanRecord, by sink: String) -> Bool {
    guard let position = positions[sink], !isTakenUnderOldNumber(record) else { return false }
    return record.sequence <= position
  }

  /// Whether a record's number is another scan's by now.
  private func isTakenUnderOldNumber(_ record: ScanRecord) -> Bool {
    renumbered[record.id].map { $0 != record.sequence } ?? false
  }

  private func advance(_ sink: String, to sequence: Int64) {
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
  private var deliveredSequence: Int64 { positions.values.min() ?? nextSequence - 1 }

  private func ringAll() {
    for bell in bells.values { bell.ring() }
  }

  // MARK: Looking in

  /// The newest scans, newest first, those in memory included.
  public func newest(_ count: Int) -> [ScanRecord] {
    let fromMemory = Array(tail.suffix(count).reversed())
    return fromMemory + ((try? store?.newest(count - fromMemory.count)) ?? [])
  }

  /// The scans after a sequence number in order, those in memory included.
  public func records(after sequence: Int64, limit: Int) -> [ScanRecord] {
    let fromFile = (try? store?.records(after: sequence, limit: limit)) ?? []
    return fromFile + tail.filter { $0.sequence > sequence }.prefix(limit - fromFile.count)
  }

  /// How many scans a sink does not have yet.
  public func undeliveredCount(for sink: String) -> Int {
    let position = positions[sink] ?? 0
    let there = ((try? store?.count(after: position)) ?? 0) + tail.count { $0.sequence > position }
    return max(0, there - (deliveredAhead[sink]?.count ?? 0))
  }

  /// Makes a sink pass over scans, for a host that will never take them; they count as discarded.
  public func skip(through sequence: Int64, for sink: String) {
    guard let position = positions[sink], sequence > position else { return }
    let skipped = undeliveredCount(for: sink)
    advance(sink, to: min(sequence, nextSequence - 1))
    count(discarded: skipped - undeliveredCount(for: sink), reason: "skipped")
    bells[sink]?.ring()
  }

  // MARK: Upkeep

  /// Heals what can be healed, applies the age limit, deletes what every sink has and publishes the figures. To be called
  /// every few seconds; `OutboxKeeper` does.
  public func maintain() {
    noticeRemoval()
    heal()
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

  private func publish() {
    let delivered = deliveredSequence
    let inFile = (try? store?.count(after: delivered)) ?? 0
    undeliveredGauge.record(inFile + tail.count { $0.sequence > delivered })
    memoryGauge.record(tail.count)
    durableGauge.record(state == .durable ? 1 : 0)
    let oldest = (try? store?.oldestCapture(after: delivered)) ?? nil
    oldestAgeGauge.record(oldest.map { Double(max(0, wallMilliseconds() - $0)) / 1000 } ?? 0)
  }

  /// A file that someone removes goes on working for whoever has it open, and is gone at the next start.
  private func noticeRemoval() {
    guard state == .durable, let store, !store.isInPlace else { return }
    let saved = (try? store.records(after: deliveredSequence, limit: settings.memoryCountMax)) ?? []
    tail = saved
    enter(OutboxTrouble(.cannotOpen, path: settings.path, detail: "the file was removed or replaced while in use"))
    nextHealing = elapsed()
  }

  // MARK: Trouble and healing

  private func enter(_ trouble: OutboxTrouble) {
    nextHealing = trouble.cause == .damaged ? elapsed() : elapsed() + settings.healInterval
    guard state != .memoryOnly(trouble) else { return }
    state = .memoryOnly(trouble)
    durableGauge.record(0)
    logger.critical(
      "scans are held in memory only and are lost if the station stops",
      metadata: ["trouble": "\(trouble)", "remedy": "\(trouble.remedy)"])
  }

  /// Opens the file anew and writes what waits in memory, if it is time to try.
  private func heal() {
    guard case .memoryOnly(let trouble) = state, !isClosed, elapsed() >= nextHealing else { return }
    nextHealing = elapsed() + settings.healInterval
    store?.close()
    store = nil
    do {
      if trouble.cause == .damaged { try replaceDamagedFile() } else { try openStore() }
    } catch {
      if error.cause == .damaged, trouble.cause != .damaged {
        enter(error)
        heal()
      } else {
        enter(error)
      }
      return
    }
    state = .durable
    logger.notice("the outbox is healed: every scan is on the storage again")
    publish()
    ringAll()
  }

  /// Opens the file, and brings it and the memory together. All or nothing: on failure both are as they were.
  private func openStore() throws(OutboxTrouble) {
    let opened: OutboxStore
    do {
      opened = try OutboxStore(settings: settings)
    } catch {
      guard error.cause == .damaged else { throw error }
      try replaceDamagedFile()
      return
    }
    do {
      try merge(into: opened)
    } catch {
      opened.close()
      throw OutboxTrouble(error, path: settings.path)
    }
  }

  private func replaceDamagedFile() throws(OutboxTrouble) {
    let aside = try OutboxStore.setAside(path: settings.path, unixMilliseconds: wallMilliseconds())
    var (records, known) = OutboxStore.salvage(path: aside)
    // A sink whose position is lost gets again what was salvaged: doubled under the same id rather than lost.
    for (sink, position) in positions where known[sink] == nil { known[sink] = position }
    damagedFiles.increment()
    logger.critical(
      "the outbox's file was damaged and has been replaced",
      metadata: ["kept": "\(aside)", "salvaged": "\(records.count)", "remedy": "check the disk"])
    let opened = try OutboxStore(settings: settings)
    do {
      try opened.insert(records)
      try opened.setPositions(known)
      try merge(into: opened)
    } catch {
      opened.close()
      throw OutboxTrouble(error, path: settings.path)
    }
  }

  /// Writes the scans of the memory after those of the file. Where both used the same sequence numbers, because the file
  /// could not be opened when numbering began, those of the memory move up.
  private func merge(into opened: OutboxStore) throws {
    let last = try opened.lastSequence()
    let known = try opened.positions()
    var moved: [ScanRecord] = []
    var next = last + 1
    var movedUp: [ScanID: Int64] = [:]
    for var record in tail {
      if try opened.sequence(of: record.id) == record.sequence { continue }
      if record.sequence < next { movedUp[record.id] = next }
      record.sequence = max(record.sequence, next)
      next = record.sequence + 1
      moved.append(record)
    }
    var merged: [String: Int64] = [:]
    var ahead: [String: Set<ScanID>] = [:]
    for (sink, position) in positions {
      let inFile = known[sink] ?? last
      merged[sink] = movedUp.isEmpty ? max(position, inFile) : inFile
      ahead[sink] = deliveredAhead[sink] ?? []
      guard !movedUp.isEmpty else { continue }
      ahead[sink]?.formUnion(tail.lazy.filter { $0.sequence <= position }.map(\.id))
    }
    do {
      try opened.insert(moved)
    } catch {
      guard OutboxTrouble(error, path: settings.path).cause == .full else { throw error }
      // The history of delivered scans gives way to those that are not delivered.
      let delivered = merged.values.min() ?? last
      try opened.setPositions(merged)
      try opened.delete(through: delivered)
      try opened.insert(moved.filter { $0.sequence > delivered })
    }
    try opened.setPositions(merged)
    positions = merged
    deliveredAhead = ahead
    renumbered = movedUp
    nextSequence = max(next, nextSequence)
    tail = []
    store = opened
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
