// The outbox's memory of its scans and sinks: a plain value that changes only through the methods below. These are the
// invariants of docs/delivery.md, and the place of each check:
//
// 1. Identity is the id: a scan is in memory at most once, and has no number there.            `checkInvariants`
// 2. A number names one scan: numbers only grow, and no two scans share one.                   `checkInvariants`
// 3. A sink's state is the set of numbers it is done with: never a number that was not given,
//    nor a dead letter.                                                                        `checkInvariants`
// 4. Nothing unverified is delivered.                                                          `OutboxStore`, `Frame`
// 5. Repair never makes it worse.                                                              `OutboxRepair`
// 6. Healed means found: without trouble no scan is in memory alone.                           `OutboxCore.brokenInvariant`
// 7. Everything is bounded: the scans in memory, the newest scans, a sink's dead letters.      `checkInvariants`
// 8. Nothing comes again without a cause.                                                      `DeliveryMachine`, `OutboxCore.append`
//
// The simulation checks them after every operation, and its judge checks all eight from outside.

/// The scans that are in memory, the numbers in use, and what each sink is done with.
package struct Ledger: Sendable {
  /// A scan that the file does not have.
  package struct Held: Sendable {
    package var record: ScanRecord
    /// Names of the sinks that have it.
    package var holders: Set<String> = []
  }

  /// The store that `states` belong to; nil until one was opened.
  package private(set) var storeID: ScanID?
  /// By name: of each sink that is configured, or has scans or dead letters left.
  package private(set) var states: [String: SinkState] = [:]
  /// The highest number that was given.
  package private(set) var lastNumber: Int64 = 0
  /// Scans that the file does not have, in order.
  package private(set) var held: [Held] = []
  /// The numbers of scans that were in memory and were written since; one that was not read back yet is in both.
  package private(set) var numbered: [ScanID: Int64] = [:]
  /// The newest scans of the file that some sink does not have: what a damaged file may have lost.
  package private(set) var recent: [Int64: ScanRecord] = [:]
  /// Scans that were refused although a write may have reached the storage: taken out again when it heals.
  package private(set) var withdrawn: [ScanID] = []

  /// Dead letters of a sink at most; a sink with as many keeps its order.
  package static let deadLetterCountMax = 1000

  package init() {}

  /// The ledger with which an outbox begins that replaces another.
  ///
  /// - Parameters:
  ///   - former: the ledger of the other one.
  ///   - names: the new outbox's sinks. No other sink counts as a holder: a later sink of that name is a new one.
  package init(_ former: Ledger, sinks names: Set<String>) {
    self = former
    for index in held.indices { held[index].holders.formIntersection(names) }
  }

  /// The scans that the file does not have, without anything that the file holds as well.
  package var inMemoryAlone: Ledger {
    var rest = Ledger()
    rest.held = held
    return rest
  }

  /// Drops the scans in memory: another ledger holds them now.
  package mutating func handOver() { held = [] }

  // MARK: Figures

  /// In the order of their names.
  package var allStates: [SinkState] { states.values.sorted { $0.name < $1.name } }

  /// Numbers of scans that some sink does not have.
  package var undelivered: NumberSet {
    states.values.reduce(into: NumberSet()) { $0.formUnion($1.undelivered(through: lastNumber)) }
  }

  /// Those, and dead letters: what must not be deleted.
  package var unfinished: NumberSet {
    states.values.reduce(into: undelivered) { $0.formUnion($1.dead) }
  }

  package var deadCount: Int { states.values.reduce(0) { $0 + $1.dead.count } }

  /// Scans that some sink does not have, in the file and in memory.
  ///
  /// - Parameter names: the configured sinks.
  package func undeliveredCount(forAll names: Set<String>) -> Int {
    let waiting = undelivered
    return waiting.count + held.count { !$0.holders.isSuperset(of: names) && !isWritten($0, in: waiting) }
  }

  /// How many scans a sink does not have yet.
  package func undeliveredCount(for sink: String) -> Int {
    let waiting = states[sink]?.undelivered(through: lastNumber) ?? NumberSet()
    return waiting.count + held.count { !$0.holders.contains(sink) && !isWritten($0, in: waiting) }
  }

  /// Scans in memory that some of these sinks does not have: lost if the station stops.
  package func inMemoryCount(forAll names: Set<String>) -> Int { held.count { !$0.holders.isSuperset(of: names) } }

  private func isWritten(_ entry: Held, in numbers: NumberSet) -> Bool {
    numbered[entry.record.id].map { numbers.contains($0) } ?? false
  }

  /// A scan's number; nil while the file does not have it.
  package func number(of record: ScanRecord) -> Int64? { record.sequence > 0 ? record.sequence : numbered[record.id] }

  package func isHeld(_ id: ScanID) -> Bool { held.contains { $0.record.id == id } }

  // MARK: Scans

  /// Notes scans that were written under the next numbers.
  ///
  /// - Parameter memoryCountMax: how many of the newest scans are remembered.
  package mutating func write(_ records: [ScanRecord], memoryCountMax: Int) {
    if !withdrawn.isEmpty { withdrawn.removeAll { id in records.contains { $0.id == id } } }
    lastNumber += Int64(records.count)
    for record in records { remember(record, countMax: memoryCountMax) }
  }

  private mutating func remember(_ record: ScanRecord, countMax: Int) {
    recent[record.sequence] = record
    guard recent.count > countMax else { return }
    let waiting = undelivered
    recent = recent.filter { waiting.contains($0.key) }
    while recent.count > countMax * 9 / 10, let oldest = recent.keys.min() { recent[oldest] = nil }
  }

  /// Notes that a write of scans failed that may have reached the storage.
  package mutating func withdraw(_ ids: [ScanID]) { withdrawn += ids }

  /// Keeps a scan that the file does not have.
  package mutating func hold(_ record: ScanRecord) {
    withdrawn.removeAll { $0 == record.id }
    held.append(Held(record: record))
  }

  /// Drops the scans in memory that each of these sinks has.
  package mutating func dropHeld(by names: Set<String>) { held.removeAll { $0.holders.isSuperset(of: names) } }

  /// Drops the oldest scan in memory; the memory must not be empty.
  package mutating func discardOldestHeld() {
    let oldest = held.removeFirst()
    // It may have been written, and not read back yet.
    guard let number = numbered[oldest.record.id] else { return }
    pass(number...number)
  }

  /// Skips numbers that no scan has.
  package mutating func burn(_ count: Int) {
    guard count > 0 else { return }
    let range = lastNumber + 1...lastNumber + Int64(count)
    lastNumber += Int64(count)
    pass(range)
  }

  private mutating func pass(_ numbers: ClosedRange<Int64>) {
    for name in states.keys {
      states[name]?.done.insert(numbers)
      states[name]?.version += 1
    }
  }

  /// Takes scans from the sinks that wait for them.
  ///
  /// - Returns: the numbers to delete, because no sink has a dead letter there.
  package mutating func discard(_ numbers: [Int64]) -> [Int64] {
    for name in states.keys {
      for number in numbers where states[name]?.dead.contains(number) == false { states[name]?.done.insert(number) }
      states[name]?.version += 1
    }
    for number in numbers { recent[number] = nil }
    // A scan that was written and not yet read back is in memory, too. Left there, it would be written again as another.
    let gone = Set(numbers)
    held.removeAll { numbered[$0.record.id].map(gone.contains) ?? false }
    return numbers.filter { number in !states.values.contains { $0.dead.contains(number) } }
  }

  /// Forgets the numbers of scans that every sink has.
  package mutating func forgetFinishedNumbers() {
    guard !numbered.isEmpty else { return }
    let waiting = undelivered
    numbered = numbered.filter { waiting.contains($0.value) }
  }

  // MARK: Sinks

  /// Notes that a sink has scans, without a new version of its state, see `advance`.
  package mutating func acknowledge(_ records: [ScanRecord], by sink: String) {
    for record in records {
      if let index = held.firstIndex(where: { $0.record.id == record.id }) { held[index].holders.insert(sink) }
      guard let number = number(of: record) else { continue }
      states[sink]?.done.insert(number)
      states[sink]?.dead.remove(number)
    }
  }

  /// Takes scans from a sink.
  ///
  /// - Parameter number: the last of them; nil for all, including those in memory.
  package mutating func skip(through number: Int64?, for sink: String) {
    guard let state = states[sink] else { return }
    let last = min(number ?? lastNumber, lastNumber)
    if last >= 1 { states[sink]?.done.formUnion(state.undelivered(through: last)) }
    // Scans that were written but not yet read back are also in memory.
    for index in held.indices where number == nil || numbered[held[index].record.id].map({ $0 <= last }) ?? false {
      held[index].holders.insert(sink)
    }
  }

  /// Increments the version of a sink's state: of several copies, the newest is right.
  package mutating func advance(_ sink: String) { states[sink]?.version += 1 }

  /// Replaces a sink's state.
  package mutating func replace(_ state: SinkState) { states[state.name] = state }

  /// Forgets a sink for which nothing is left.
  package mutating func forget(_ sink: String) { states[sink] = nil }

  /// Replaces all sinks' states, after a configuration.
  package mutating func adopt(_ adopted: [String: SinkState]) { states = adopted }

  // MARK: Stores

  /// Skips numbers that a lost store may have used.
  package mutating func pass(through number: Int64) { lastNumber = max(lastNumber, number) }

  /// Accepts the result of a repair. `belong(to:)` names the new store as soon as it is open.
  package mutating func takeOver(_ found: [SinkState], lastNumber last: Int64) {
    states = Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0) })
    lastNumber = max(lastNumber, last)
  }

  /// Names the store that the states belong to.
  package mutating func belong(to store: ScanID) { storeID = store }

  /// Turns to another store: undelivered scans of the former one are in memory from now on.
  ///
  /// - Parameters:
  ///   - found: the states of its sinks.
  ///   - last: its last scan's number.
  ///   - reserved: the highest number that may have been used in it; none through this one is used again.
  ///   - sinks: those that are configured.
  package mutating func turn(to store: ScanID, _ found: [SinkState], last: Int64, reserved: Int64, sinks: [OutboxSink]) {
    releaseStates(sinks)
    states = Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0) })
    storeID = store
    lastNumber = max(last, reserved, lastNumber, states.values.compactMap(\.done.last).max() ?? 0)
    // Some of these may have been used and lost, and be dead letters of a later state than the store's.
    for name in states.keys where lastNumber > last {
      states[name]?.done.insert(last + 1...lastNumber)
      states[name]?.dead.remove(last + 1...lastNumber)
    }
  }

  /// Turns scans in memory with numbers of a former store into scans without numbers.
  private mutating func releaseStates(_ sinks: [OutboxSink]) {
    let waiting = undelivered
    for number in recent.keys.sorted() where waiting.contains(number) {
      guard var record = recent[number] else { continue }
      record.sequence = 0
      let holders = sinks.filter { sink in
        // A sink with a new name is found by its former one.
        let state = states[sink.name] ?? states.values.first { $0.target == sink.target && !sink.target.isEmpty }
        return state?.undelivered(through: lastNumber).contains(number) != true
      }
      held.append(Held(record: record, holders: Set(holders.map(\.name))))
    }
    recent = [:]
    numbered = [:]
  }

  // MARK: Scans in memory are written

  /// The sinks' states as they are when the scans in memory have numbers.
  ///
  /// - Parameters:
  ///   - numbers: the numbers.
  ///   - names: the configured sinks; the others do not get these scans.
  /// - Returns: the states by name, and whether a failed write had left any of the numbers as done.
  package func states(with numbers: [ScanID: Int64], sinks names: Set<String>) -> (
    states: [String: SinkState], takesBack: Bool
  ) {
    var takesBack = false
    let changed = states.mapValues { state in
      var state = state
      for entry in held {
        guard let number = numbers[entry.record.id] else { continue }
        if entry.holders.contains(state.name) || !names.contains(state.name) {
          state.done.insert(number)
        } else {
          takesBack = takesBack || state.done.contains(number)
          state.done.remove(number)
        }
      }
      state.version += 1
      return state
    }
    return (changed, takesBack)
  }

  /// Notes that the scans in memory were written. They stay there until they were read back, see `settle`.
  package mutating func assign(_ numbers: [ScanID: Int64], _ changed: [String: SinkState], last: Int64) {
    states = changed
    numbered.merge(numbers) { $1 }
    lastNumber = max(lastNumber, last)
  }

  /// Notes that every scan in memory was read back from the file.
  package mutating func settle() {
    for entry in held {
      var record = entry.record
      record.sequence = numbered[record.id] ?? 0
      recent[record.sequence] = record
    }
    held = []
    withdrawn = []
  }

  // MARK: Invariants

  /// The first invariant that does not hold; nil if all do.
  ///
  /// - Parameters:
  ///   - earlier: the ledger before the last operation of the same process.
  ///   - memoryCountMax: the limit of scans in memory.
  package func checkInvariants(since earlier: Ledger? = nil, memoryCountMax: Int) -> String? {
    if Set(held.map(\.record.id)).count < held.count { return "a scan is in memory twice" }
    if held.contains(where: { $0.record.sequence != 0 }) { return "a scan that the file does not have has a number" }
    if let earlier, lastNumber < earlier.lastNumber {
      return "numbers went back from \(earlier.lastNumber) to \(lastNumber)"
    }
    if recent.contains(where: { $0.key != $0.value.sequence }) {
      return "a scan is remembered under another number than its own"
    }
    if Set(numbered.values).count < numbered.count { return "a number names two scans" }
    if numbered.contains(where: { id, number in recent[number].map { $0.id != id } ?? false }) {
      return "a number names two scans, one of them remembered"
    }
    let number = max(recent.keys.max() ?? 0, numbered.values.max() ?? 0)
    if number > lastNumber {
      return "number \(number) is in use, and the last one is \(lastNumber)"
    }
    for (name, state) in states {
      if state.name != name { return "the state of \(state.name) is kept under the name \(name)" }
      let number = max(state.done.last ?? 0, state.dead.last ?? 0)
      if number > lastNumber {
        return "\(name) is done with \(number), and the last number is \(lastNumber)"
      }
      if state.dead.subtracting(state.done) != state.dead { return "a dead letter of \(name) counts as done" }
      if state.dead.count > Self.deadLetterCountMax { return "\(name) has \(state.dead.count) dead letters" }
    }
    if held.count > memoryCountMax { return "\(held.count) scans are in memory" }
    if recent.count > memoryCountMax * 2 + 100 { return "\(recent.count) of the newest scans are remembered" }
    return nil
  }
}
