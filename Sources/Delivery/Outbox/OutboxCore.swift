// The outbox's rules, without tasks and threads: what is taken, who gets what next, what trouble means. Calls come one at a
// time and block while the storage works. The simulator runs this very code over storage, clock and receivers of its own.

import DeliveryModel
import Logging
import Metrics

/// Numbers of scans by what became of them, since the station's start. A reload keeps them.
struct OutboxCounts: Sendable {
  /// Deliveries that each sink's receiver took, by the sink's name.
  var delivered: [String: Int] = [:]
  /// The last of them.
  var recent: [String: RecentDeliveries] = [:]
  var discarded = 0
  var refused = 0
  var lost = 0
  /// Times that an unknown number of scans may have been lost.
  var unknownLoss = 0
}

/// The durable queue between the scan controller and the sinks; `Outbox` is its actor.
///
/// A scan has a number as soon as it is in the file. Each sink's state is the set of numbers that it is done with. Scans
/// that the file does not have are in memory, without numbers.
final class OutboxCore {
  let settings: OutboxSettings
  let files: any OutboxFiles
  let sinks: [OutboxSink]
  let logger: Logger
  let clock: OutboxClock

  /// nil while the file cannot be opened. In trouble it stays open: what can be read is delivered.
  var store: OutboxStore?
  /// Held as long as the file is in use.
  var claim: AnyObject?
  var trouble: OutboxTrouble?
  /// Whether the file that lies there was found damaged.
  var needsRepair = false
  var ledger: Ledger
  /// Whether the configured sinks have been matched with those in the file.
  var hasAdoptedSinks = false
  var mark: OutboxMark?
  /// Sinks that were sent back to earlier scans, until they take the next one: what they had in hand no longer counts.
  var rewound: Set<String> = []
  var nextHealing = Duration.zero
  var isClosed = false

  /// Part of the undelivered scans that is discarded at once when there is no room: one delete for many scans.
  static let discardPart = 100
  /// Numbers that are reserved together.
  static let numberBlock: Int64 = 100
  /// Scans that are read together in search of one that may pass.
  private static let passingPart = 20

  var counts = OutboxCounts()
  let meters = OutboxMeters()

  init(
    settings: OutboxSettings, sinks: [OutboxSink], remainder: Outbox.Remainder, files: any OutboxFiles,
    clock: OutboxClock, logger: Logger
  ) {
    self.settings = settings
    self.sinks = sinks
    ledger = Ledger(remainder.ledger, sinks: Set(sinks.map(\.name)))
    counts = remainder.counts
    self.files = files
    self.clock = clock
    self.logger = logger
    do {
      try openStore()
      try settle()
    } catch {
      enter(error)
      heal()
    }
    publish()
  }

  static func newStoreID() -> ScanID {
    var random = SystemRandomNumberGenerator()
    return ScanID(high: random.next(), low: random.next())
  }

  /// Closes the file.
  /// - Returns: what it does not have, for an outbox that takes this one's place.
  func close() -> Outbox.Remainder {
    noticeRemoval()
    // An open file without a name is lost when this process ends, so it is healed now.
    nextHealing = clock.elapsed()
    heal()
    checkJournal()
    if trouble == nil, let store,
      (try? store.insert(
        [], trusted: clock.trustedMilliseconds, states: ledger.allStates, last: ledger.lastNumber,
        reserved: ledger.lastNumber)) != nil
    {
      mark?.reserved = ledger.lastNumber
      saveMark(syncs: true)
    }
    store?.close(keepsJournal: needsRepair)
    store = nil
    claim = nil
    isClosed = true
    var remainder = Outbox.Remainder()
    remainder.ledger = trouble != nil && ledger.storeID != nil ? ledger : ledger.inMemoryAlone
    remainder.counts = counts
    ledger.handOver()
    return remainder
  }

  var state: OutboxState { trouble.map { .troubled($0) } ?? .durable }

  // MARK: In

  /// Takes the scans of a frame: on return each is on the storage, in memory, or refused. They share one sync.
  ///
  /// A scan whose id was taken before is not taken again; its first receipt is repeated.
  func append(_ records: [ScanRecord]) -> [Result<Outbox.Receipt, OutboxRefusal>] {
    noticeRemoval()
    heal()
    if records.count > 1, let receipts = insertTogether(records) { return receipts.map { .success($0) } }
    return records.map { record in Result { () throws(OutboxRefusal) in try append(record) } }
  }

  /// - Returns: nil, with nothing done, when there is anything that has to be decided scan by scan.
  private func insertTogether(_ records: [ScanRecord]) -> [Outbox.Receipt]? {
    guard trouble == nil, let store, Set(records.map(\.id)).count == records.count,
      undeliveredCount + records.count <= settings.undeliveredCountMax,
      !records.contains(where: { ledger.isHeld($0.id) })
    else { return nil }
    do {
      for record in records where try store.number(of: record.id) != nil { return nil }
      return try insert(records, into: store).map { Outbox.Receipt(sequence: $0.sequence, isDurable: true) }
    } catch {
      // Inserting the first of them alone repeats the error, and handles it.
      if error.cause != .limit { ledger.withdraw(records.map(\.id)) }
      return nil
    }
  }

  private func append(_ record: ScanRecord) throws(OutboxRefusal) -> Outbox.Receipt {
    if ledger.isHeld(record.id) { return Outbox.Receipt(sequence: 0, isDurable: false) }
    if let trouble, settings.onTrouble == .refuse {
      countRefusal()
      throw .troubled(trouble)
    }
    try makeRoom()
    // Damage is repaired at once; the scan then goes to the new file.
    for _ in 0..<2 {
      guard trouble == nil, let store else { break }
      do {
        if let number = try store.number(of: record.id) { return Outbox.Receipt(sequence: number, isDurable: true) }
        let inserted = try insertMakingRoom(record, into: store)
        return Outbox.Receipt(sequence: inserted.sequence, isDurable: true)
      } catch {
        guard error.cause != .limit else {
          countRefusal()
          throw .limit(error)
        }
        ledger.withdraw([record.id])
        enter(error)
        heal()
      }
    }
    return try hold(record)
  }

  /// Numbers scans and writes them. Numbers of a write that failed are never used again: it may have reached the storage.
  private func insert(_ records: [ScanRecord], into store: OutboxStore) throws(OutboxTrouble) -> [ScanRecord] {
    try reserve(records.count)
    var numbered = records
    for index in numbered.indices { numbered[index].sequence = ledger.lastNumber + 1 + Int64(index) }
    do {
      let last = ledger.lastNumber + Int64(records.count)
      try store.insert(numbered, trusted: clock.trustedMilliseconds, last: last, reserved: mark?.reserved ?? last)
    } catch {
      // A limit is found before anything is written.
      if error.cause != .limit { ledger.burn(records.count) }
      throw error
    }
    ledger.write(numbered, memoryCountMax: settings.memoryCountMax)
    saveMark(syncs: false)
    return numbered
  }

  private func insertMakingRoom(_ record: ScanRecord, into store: OutboxStore) throws(OutboxTrouble) -> ScanRecord {
    do {
      return try insert([record], into: store)[0]
    } catch {
      guard error.cause == .limit || error.cause == .full else { throw error }
      try store.delete(through: ledger.lastNumber, but: ledger.unfinished)
      if error.cause == .limit, settings.whenFull == .discardOldest { try discardOldest(Self.discardPart, reason: "full") }
      return try insert([record], into: store)[0]
    }
  }

  /// Makes sure that numbers are marked as used before they are.
  private func reserve(_ count: Int) throws(OutboxTrouble) {
    guard var mark else { return }
    guard ledger.lastNumber + Int64(count) > mark.reserved else { return }
    mark.reserved = ledger.lastNumber + Int64(count) + Self.numberBlock
    mark.sinks = ledger.allStates
    try mark.write(files, settings.path, syncs: true)
    self.mark = mark
  }

  /// Keeps a scan in memory, where the settings allow it.
  private func hold(_ record: ScanRecord) throws(OutboxRefusal) -> Outbox.Receipt {
    guard let trouble else { throw .troubled(OutboxTrouble(.cannotOpen, path: settings.path, detail: "it is closed")) }
    guard settings.onTrouble == .memory else {
      countRefusal()
      throw .troubled(trouble)
    }
    if ledger.held.count >= settings.memoryCountMax { ledger.dropHeld(by: sinkNames) }
    if ledger.held.count >= settings.memoryCountMax {
      guard settings.whenFull == .discardOldest else {
        countRefusal()
        throw .memoryFull(trouble)
      }
      ledger.discardOldestHeld()
      count(discarded: 1, reason: "memory-full")
    }
    ledger.hold(record)
    return Outbox.Receipt(sequence: 0, isDurable: false)
  }

  /// Keeps the number of undelivered scans within its limit.
  private func makeRoom() throws(OutboxRefusal) {
    guard undeliveredCount >= settings.undeliveredCountMax else { return }
    guard settings.whenFull == .discardOldest else {
      countRefusal()
      throw .full(undeliveredCount: undeliveredCount)
    }
    do {
      try discardOldest(min(Self.discardPart, 1 + settings.undeliveredCountMax / Self.discardPart), reason: "count")
    } catch {
      enter(error)
    }
  }

  private func discardOldest(_ part: Int, reason: String) throws(OutboxTrouble) {
    guard let store else { return }
    try discard(try store.oldest(part, in: ledger.undelivered), reason: reason)
  }

  /// Takes scans from the sinks that wait for them, and deletes those that are no sink's dead letters.
  func discard(_ numbers: [Int64], reason: String) throws(OutboxTrouble) {
    guard let store, !numbers.isEmpty else { return }
    // They count as discarded even if this fails: a part of what was written may be found again.
    let deleted = ledger.discard(numbers)
    count(discarded: numbers.count, reason: reason)
    saveMark(syncs: false)
    try store.delete(deleted, states: ledger.allStates)
  }

  /// Discards scans from the oldest on, up to the first that is not surely too old.
  private func discardAged(_ store: OutboxStore) throws(OutboxTrouble) {
    guard let ageMax = settings.undeliveredAgeMax else { return }
    while true {
      let part = try store.captures(in: ledger.undelivered.first(Self.discardPart))
      let old = part.prefix { clock.age(of: $0.captured, trusted: $0.trustedMilliseconds) > ageMax }
      try discard(old.map(\.number), reason: "age")
      if old.isEmpty || old.count < part.count { return }
    }
  }

  /// Counts scans that are gone, and says so.
  ///
  /// - Parameter isUnknown: whether there may have been more.
  func count(lost number: Int, isMoreUnknown isUnknown: Bool, _ what: Logger.Message, _ details: Logger.Metadata) {
    guard number > 0 || isUnknown else { return }
    counts.lost += number
    meters.lost.increment(by: number)
    if isUnknown {
      counts.unknownLoss += 1
      meters.unknownLosses.increment()
    }
    let lost = isUnknown ? number > 0 ? "\(number), and perhaps more" : "not known" : "\(number)"
    logger.critical(what, metadata: details.merging(["lost": "\(lost)", "path": "\(settings.path)"]) { own, _ in own })
  }

  private func countRefusal() {
    meters.refused.increment()
    counts.refused += 1
  }

  func count(discarded number: Int, reason: String) {
    guard number > 0 else { return }
    meters.discarded.increment(by: number)
    counts.discarded += number
    logger.error("undelivered scans were discarded", metadata: ["count": "\(number)", "reason": "\(reason)"])
  }

  // MARK: Figures

  /// Why a scan that came now would be refused although the storage works; nil if it would be taken.
  var fullness: OutboxTrouble? {
    guard settings.whenFull == .refuse else { return nil }
    let waiting = undeliveredCount
    if waiting >= settings.undeliveredCountMax {
      return .undelivered(waiting, of: settings.undeliveredCountMax, path: settings.path)
    }
    return trouble == nil ? try? store?.fullness(butFor: ledger.unfinished) : nil
  }

  /// Whether the memory holds as many scans as it may, and each is one that some sink does not have.
  private var isMemoryFull: Bool { settings.whenFull == .refuse && inMemoryCount >= settings.memoryCountMax }

  /// Whether new scans are refused while the storage is in trouble.
  var refusesInTrouble: Bool { settings.onTrouble == .refuse || isMemoryFull || fullness != nil }

  var sinkNames: Set<String> { Set(sinks.map(\.name)) }

  /// Scans that some sink does not have, in the file and in memory.
  var undeliveredCount: Int { ledger.undeliveredCount(forAll: sinkNames) }

  /// Scans in memory that some sink does not have: lost if the station stops.
  var inMemoryCount: Int { ledger.inMemoryCount(forAll: sinkNames) }

  /// How many scans a sink does not have yet.
  func undeliveredCount(for sink: String) -> Int { ledger.undeliveredCount(for: sink) }

  /// The first invariant that does not hold; nil if all do.
  ///
  /// - Parameter earlier: the ledger before the last operation of the same process.
  func brokenInvariant(since earlier: Ledger? = nil) -> String? {
    if trouble == nil, !ledger.held.isEmpty { return "without trouble \(ledger.held.count) scans are in memory alone" }
    return ledger.checkInvariants(since: earlier, memoryCountMax: settings.memoryCountMax)
  }

  // MARK: Out

  /// A sink's next scans.
  func next(_ countMax: Int, for sink: String) -> [ScanRecord] { next(countMax, for: sink, behind: nil) }

  /// A sink's next scans behind another one; nil: from the beginning.
  private func next(_ countMax: Int, for sink: String, behind last: ScanRecord?) -> [ScanRecord] {
    var found: [ScanRecord] = []
    let lastSequence = last.flatMap(ledger.number(of:)) ?? 0
    for _ in 0..<2 {
      guard let store, let state = ledger.states[sink] else { break }
      do {
        var waiting = state.undelivered(through: ledger.lastNumber)
        if lastSequence > 0 { waiting.remove(1...lastSequence) }
        found = try store.records(in: waiting.first(countMax))
        break
      } catch {
        found = []
        // While it is in trouble already, that the file cannot be read either is no news.
        guard trouble == nil || error.cause == .damaged && !needsRepair else { break }
        enter(error)
        heal()
      }
    }
    guard found.count < countMax else { return found }
    let ids = Set(found.map(\.id))
    let start = last.flatMap { last in ledger.held.firstIndex { $0.record.id == last.id } }.map { $0 + 1 } ?? 0
    let inMemory = ledger.held[start...].lazy.filter { !$0.holders.contains(sink) && !ids.contains($0.record.id) }
    return found + inMemory.prefix(countMax - found.count).map(\.record)
  }

  /// A scan that may pass those that a sink's receiver rejects.
  func nextPassing(_ search: PassingSearch, for sink: String) -> PassingSearch.Outcome {
    var last = search.last
    var lookCount = 0
    while lookCount < PassingSearch.lookCountMax {
      let part = next(Self.passingPart, for: sink, behind: last)
      if let scan = part.first(where: { !search.rejected.contains(ScanContent($0)) }) {
        return PassingSearch.Outcome(scan: scan, last: scan)
      }
      guard let end = part.last else { return PassingSearch.Outcome() }
      last = end
      lookCount += part.count
    }
    return PassingSearch.Outcome(last: last)
  }

  /// Notes that a sink has scans that it took.
  func acknowledge(_ records: [ScanRecord], by sink: String) {
    counts.delivered[sink, default: 0] += records.count
    for record in records { counts.recent[sink, default: RecentDeliveries()].add(record.id) }
    guard !rewound.contains(sink), !records.isEmpty else { return }
    ledger.acknowledge(records, by: sink)
    changed(sink)
  }

  /// Those of the scans that a sink took which are still its to deliver: not purged meanwhile.
  func stillWanted(_ records: [ScanRecord], by sink: String) -> [ScanRecord] {
    let waiting = ledger.states[sink]?.undelivered(through: ledger.lastNumber)
    return records.filter { record in
      if let entry = ledger.held.first(where: { $0.record.id == record.id }) { return !entry.holders.contains(sink) }
      guard let number = ledger.number(of: record) else { return false }
      return waiting?.contains(number) ?? true
    }
  }

  /// Records a scan that a sink's receiver keeps rejecting while it accepts others as a dead letter.
  ///
  /// - Returns: false if there are too many dead letters, or the storage is in trouble; the scan then remains undelivered.
  func bury(_ record: ScanRecord, by sink: String, tryCount: Int, problem: String) -> Bool {
    guard trouble == nil, let store, var state = ledger.states[sink], let number = ledger.number(of: record),
      state.undelivered(through: ledger.lastNumber).contains(number), state.dead.count < Ledger.deadLetterCountMax,
      state.dead.ranges.count < SinkState.rangeCountMax, state.done.ranges.count < SinkState.rangeCountMax
    else { return false }
    state.dead.insert(number)
    state.version += 1
    let letter = DeadLetter(
      sink: sink, number: number, unixMilliseconds: clock.now().unixMilliseconds, tryCount: tryCount, problem: problem)
    do {
      try store.bury([letter], state: state)
    } catch {
      enter(error)
      return false
    }
    ledger.replace(state)
    saveMark(syncs: false)
    logger.error(
      "the receiver keeps rejecting a scan, which is kept as a dead letter",
      metadata: [
        "sink": "\(sink)", "sequence": "\(number)", "problem": "\(problem)",
        "remedy": "reticle outbox list --dead; reticle outbox retry --dead --sink \(sink)",
      ])
    return true
  }

  /// Writes down what a sink is done with.
  func changed(_ sink: String) {
    ledger.advance(sink)
    guard let store, let state = ledger.states[sink] else { return }
    guard trouble == nil else {
      // A file whose folder was renamed may come back under its name.
      if !store.isInPlace { try? store.save([state]) }
      return
    }
    do {
      try store.save([state])
      saveMark(syncs: false)
    } catch {
      enter(error)
    }
  }

  // MARK: Upkeep

  /// Heals what can be healed, applies the age limit, deletes what every sink has and publishes the figures. To be called
  /// every few seconds; `OutboxKeeper` does.
  func maintain() {
    noticeRemoval()
    heal()
    if trouble == nil, let store {
      do {
        try store.delete(through: ledger.lastNumber - Int64(settings.deliveredCountKept), but: ledger.unfinished)
        try store.giveBackSpace()
        try discardAged(store)
        try forgetFinishedSinks()
        ledger.forgetFinishedNumbers()
        saveMark(syncs: false)
      } catch {
        enter(error)
      }
    }
    publish()
  }

  /// A sink that was removed is forgotten when nothing is left for it.
  private func forgetFinishedSinks() throws(OutboxTrouble) {
    for (name, state) in ledger.states
    where state.until != nil && state.dead.isEmpty && state.undelivered(through: ledger.lastNumber).isEmpty {
      try store?.save([], removing: [name])
      ledger.forget(name)
    }
  }

  /// The second copy of what must outlive the database. It is a help, not a promise: without it numbers jump, sinks get scans
  /// again, and the losses of a damaged file cannot be counted. Without a sync it survives the death of the process.
  func saveMark(syncs: Bool) {
    guard var mark else { return }
    let sinks = ledger.allStates
    guard syncs || sinks != mark.sinks || ledger.lastNumber != mark.last else { return }
    mark.sinks = sinks
    (mark.last, mark.bootID) = (ledger.lastNumber, clock.now().bootID)
    guard (try? mark.write(files, settings.path, syncs: syncs)) != nil else { return }
    self.mark = mark
  }
}
