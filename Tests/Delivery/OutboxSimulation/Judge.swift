// Tracks every scan: which were promised, which arrived, and which may be missing and why.

@testable import DeliveryModel
@testable import Outbox

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The invariants of docs/delivery.md, checked from outside.
struct Judge {
  private struct Promise: Hashable {
    let id: ScanID
    let sink: String
  }

  private var texts: [ScanID: String] = [:]
  private(set) var madeCount = 0
  /// Scans that were signalled good, once for each sink that was configured then and does not have them yet.
  private var promised: Set<Promise> = []
  /// Number of promises.
  private(set) var promisedCount = 0
  private var forgiven: Set<Promise> = []
  /// Scans that may be missing, and why.
  private var excuses: [ScanID: String] = [:]
  /// Scans whose only whole copy, after damage, is in memory.
  private var fragile: Set<ScanID> = []
  private var numbers: [Int64: ScanID] = [:]
  private var numberOf: [ScanID: Int64] = [:]
  /// The numbers in receipts and in records received. These never change.
  private var toldNumberOf: [ScanID: Int64] = [:]
  /// Whole frames in the file, by their numbers.
  private var seen: [Int64: (bytes: [UInt8], id: ScanID)] = [:]
  private var order: [ScanID] = []
  /// Whether an event occurred that may upset the order.
  var hadTrouble = false
  var hadDamage = false
  /// Numbers of the scans in restored older copies of the files. Such a copy may hold a scan only under the number of a
  /// failed write. The outbox has skipped that number and counts the scan as lost under its later one.
  private var restored: [ScanID: Set<Int64>] = [:]
  /// Whether an event occurred after which scans may be sent again: a lost answer, a death, damage, a reload, an operator's
  /// request.
  var mayRepeat = false
  /// The promises whose scans have arrived.
  private var arrived: Set<Promise> = []
  /// Whether the order is certain: neither receivers nor operators let scans overtake others.
  let keepsOrder: Bool

  init(keepsOrder: Bool) { self.keepsOrder = keepsOrder }

  mutating func made(_ scan: ScanRecord) {
    madeCount += 1
    texts[scan.id] = scan.text
    order.append(scan.id)
  }

  mutating func promise(_ scan: ScanRecord, to sinks: [String], number: Int64) {
    for sink in sinks where promised.insert(Promise(id: scan.id, sink: sink)).inserted { promisedCount += 1 }
    guard number > 0 else { return }
    numbers[number] = scan.id
    numberOf[scan.id] = number
    toldNumberOf[scan.id] = number
  }

  mutating func excuse(_ id: ScanID, _ why: String) { excuses[id] = why }

  mutating func forgive(_ id: ScanID, for sink: String) { forgiven.insert(Promise(id: id, sink: sink)) }

  mutating func forgive(number: Int64, for sink: String) {
    if let id = numbers[number] { forgive(id, for: sink) }
  }

  mutating func rename(_ old: String, to new: String) {
    promised = Set(promised.map { $0.sink == old ? Promise(id: $0.id, sink: new) : $0 })
    forgiven = Set(forgiven.map { $0.sink == old ? Promise(id: $0.id, sink: new) : $0 })
  }

  /// Forgives scans that limits discarded. The outbox discards the oldest ones and counts them.
  ///
  /// - Parameters:
  ///   - before: the outbox's previous count of discarded scans.
  ///   - wasHeld: scans that were in memory before or have just arrived.
  /// - Returns: a description of the violation, if any.
  mutating func noteDiscarded(
    _ core: OutboxCore, since before: Int, wasHeld: Set<ScanID>, _ receivers: [String: Receiver]
  ) -> String? {
    guard core.counts.discarded > before, core.settings.whenFull == .discardOldest else { return nil }
    var gone: Set<ScanID> = []
    for promise in promised where excuses[promise.id] == nil && !forgiven.contains(promise) {
      guard receivers[promise.sink]?.has(promise.id) == false, !isKept(promise, core, wasHeld) else { continue }
      forgiven.insert(promise)
      gone.insert(promise.id)
    }
    let count = core.counts.discarded - before
    return gone.count <= count
      ? nil : "\(count) scans were discarded, and \(gone.count) are gone: \(gone.map(word).sorted())"
  }

  /// Whether the outbox still has a scan for a sink, to deliver or as a dead letter, to the best knowledge of the judge.
  private func isKept(_ promise: Promise, _ core: OutboxCore, _ wasHeld: Set<ScanID>) -> Bool {
    if core.ledger.held.contains(where: { $0.record.id == promise.id && !$0.holders.contains(promise.sink) }) { return true }
    guard let number = numberOf[promise.id] ?? core.ledger.numbered[promise.id] else { return !wasHeld.contains(promise.id) }
    // A file that is not open keeps its contents. A file that cannot be written has a sink under its former name, which
    // begins like its new one.
    let former = core.ledger.states.values.first { $0.name.first == promise.sink.first }
    guard core.ledger.storeID != nil, let state = core.ledger.states[promise.sink] ?? former else { return true }
    return state.dead.contains(number) || state.undelivered(through: core.ledger.lastNumber).contains(number)
  }

  /// Excuses scans that damage left without a whole copy, on the disk or in memory.
  ///
  /// - Parameter wholeBefore: scans that were whole in the database before. If one is no longer whole there, the journal may
  ///   have an old copy, which the next write overwrites unless the damage is noticed first.
  mutating func noteDamage(_ disk: SimulatedDisk, _ core: OutboxCore?, _ wholeBefore: Set<ScanID> = []) {
    if core != nil { fragile.formUnion(wholeBefore.subtracting(Self.wholeScans(disk.bytes(disk.path)))) }
    var whole = Self.wholeScans(disk.bytes(disk.path)).union(Self.wholeScans(disk.bytes(disk.path + "-wal")))
    // Between the two renames of a repair, the copy is the only file; before, it promises nothing.
    if disk.size(disk.path) == nil { whole.formUnion(Self.wholeScans(disk.bytes(disk.path + "-repair"))) }
    if let core {
      whole.formUnion(core.ledger.held.map(\.record.id))
      let recent = Set(core.ledger.recent.values.map(\.id))
      fragile.formUnion(recent.subtracting(whole))
      whole.formUnion(recent)
      // A file that was removed while open can still be read.
      if let store = core.store, !store.isInPlace { return }
    }
    for id in texts.keys where !whole.contains(id) { excuses[id] = excuses[id] ?? "destroyed" }
  }

  /// Notes the numbers of scans that were in memory until the outbox was healed as it closed.
  mutating func noteNumbers(_ core: OutboxCore) {
    for (id, number) in core.ledger.numbered where numberOf[id] == nil && texts[id] != nil {
      numbers[number] = id
      numberOf[id] = number
    }
  }

  /// Notes the scans of restored older copies of the files. If no memory has a scan that such a copy holds only under another
  /// number than its own, it may be missing.
  mutating func noteOlderCopy(_ disk: SimulatedDisk, isStopped: Bool) {
    var copies: [ScanID: Set<Int64>] = [:]
    for file in [disk.path, disk.path + "-wal"] { copies.merge(Self.wholeCopies(disk.bytes(file))) { $0.union($1) } }
    restored.merge(copies) { $0.union($1) }
    guard isStopped else { return }
    for (id, found) in copies {
      guard let number = numberOf[id], !found.contains(number) else { continue }
      excuses[id] = excuses[id] ?? "came back under the number of a failed write"
    }
  }

  /// Excuses scans whose only whole copy was among the newest scans in memory, once newer ones have displaced it there
  /// before the damage was noticed.
  mutating func noteForgotten(_ disk: SimulatedDisk, _ core: OutboxCore) {
    let forgotten = fragile.subtracting(core.ledger.recent.values.map(\.id))
    guard !forgotten.isEmpty else { return }
    fragile.subtract(forgotten)
    let whole = Self.wholeScans(disk.bytes(disk.path)).union(Self.wholeScans(disk.bytes(disk.path + "-wal")))
    for id in forgotten.subtracting(whole) {
      excuses[id] = excuses[id] ?? "destroyed, and forgotten before that was noticed"
    }
  }

  private static let sums: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0x82F6_3B78 : sum >> 1 }
  }
  private static let mark = Array("RtclScn1".utf8)

  static func wholeScans(_ bytes: [UInt8]) -> Set<ScanID> { Set(wholeCopies(bytes).keys) }

  /// The numbers under which scans are whole in a file's bytes. Independent of the code under test.
  static func wholeCopies(_ bytes: [UInt8]) -> [ScanID: Set<Int64>] {
    var found: [ScanID: Set<Int64>] = [:]
    bytes.withUnsafeBytes { bytes in
      func number<Value: FixedWidthInteger>(_ offset: Int, _: Value.Type) -> Value {
        Value(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Value.self))
      }
      var offset = 0
      while offset + 16 < bytes.count, let start = bytes.baseAddress,
        let place = memchr(start + offset, Int32(mark[0]), bytes.count - 16 - offset)
      {
        offset = UnsafeRawPointer(place) - start
        defer { offset += 1 }
        guard memcmp(place, mark, mark.count) == 0 else { continue }
        let end = offset + 12 + Int(number(offset + 8, UInt32.self))
        guard end + 4 <= bytes.count, end > offset + 44 else { continue }
        let sum = sums.withUnsafeBufferPointer { sums in
          bytes[offset..<end].reduce(UInt32.max) { sums[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
        }
        guard ~sum == number(end, UInt32.self) else { continue }
        let id = ScanID(high: number(offset + 20, UInt64.self), low: number(offset + 28, UInt64.self))
        found[id, default: []].insert(number(offset + 12, Int64.self))
      }
    }
    return found
  }

  /// The first violated invariant, if any.
  mutating func broken(
    _ core: OutboxCore, _ receivers: [String: Receiver], _ settings: OutboxSettings
  ) -> String? {
    for (name, receiver) in receivers.sorted(by: { $0.key < $1.key }) {
      for record in receiver.deliveries {
        let promise = Promise(id: record.id, sink: name)
        promised.remove(promise)
        guard arrived.insert(promise).inserted || mayRepeat else {
          return "scan \(record.text.prefix(6)) came to \(name) again without a cause"
        }
        guard texts[record.id] == record.text else {
          return "\(name) got a scan that was never made: \(record.text.prefix(20))"
        }
        if record.sequence > 0 {
          if let other = numbers[record.sequence], other != record.id { return "number \(record.sequence) names two scans" }
          if let other = toldNumberOf[record.id], other != record.sequence, !hadDamage {
            return "scan \(record.text.prefix(6)) has numbers \(other) and \(record.sequence)"
          }
          numbers[record.sequence] = record.id
          numberOf[record.id] = record.sequence
          toldNumberOf[record.id] = record.sequence
        }
      }
      receiver.deliveries = []
      if let broken = disorder(name, receiver) { return broken }
    }
    for (name, state) in core.ledger.states {
      for range in state.dead.ranges {
        for id in range.compactMap({ numbers[$0] }) where receivers[name]?.proven.contains(id) == false {
          return "\(word(id)) was buried for \(name), which did not reject it while it took others"
        }
      }
    }
    guard core.ledger.held.count <= settings.memoryCountMax else {
      return "\(core.ledger.held.count) scans in memory"
    }
    guard core.ledger.recent.count <= settings.memoryCountMax * 2 + 100 else {
      return "\(core.ledger.recent.count) recent scans"
    }
    for state in core.ledger.states.values where state.done.ranges.count > 400 { return "\(state.done.ranges.count) ranges" }
    return missing(core, receivers)
  }

  /// Reads the file and checks that each scan occurs once, with its own number.
  mutating func noteFile(_ core: OutboxCore) -> String? {
    guard let store = core.store else { return nil }
    let rows = (try? store.frames(after: 0, limit: 1000)) ?? []
    var hasNews = false
    for row in rows where !(seen[row.number].map { $0.bytes.hasSameBytes(as: row.bytes) } ?? false) {
      guard let (content, _) = Frame.content(ScanRecord.frameMark, in: row.bytes),
        let head = ScanRecord.FrameHead(content), head.number == row.number
      else { continue }
      if let other = numbers[head.number], other != head.id { return "number \(head.number) names two scans" }
      guard texts[head.id] != nil || hadDamage else { return "the file has a scan that was never made" }
      seen[row.number] = (row.bytes, head.id)
      hasNews = true
    }
    // Scans delivered under another number since then count until the next change of the file.
    guard hasNews || hadDamage else { return nil }
    var ids: Set<ScanID> = []
    for row in rows {
      guard let (bytes, id) = seen[row.number], bytes.hasSameBytes(as: row.bytes) else { continue }
      guard ids.insert(id).inserted else { return "a scan is there twice" }
      if numberOf[id] != row.number, restored[id]?.contains(row.number) == true {
        excuses[id] = excuses[id] ?? "came back under the number of a failed write"
      }
      numbers[row.number] = id
      numberOf[id] = row.number
    }
    return nil
  }

  /// Checks the order, which holds while the storage works and no scan may overtake another.
  private func disorder(_ name: String, _ receiver: Receiver) -> String? {
    guard keepsOrder, !hadTrouble else { return nil }
    let numbers = receiver.received.lazy.map(\.sequence)
    return zip(numbers, numbers.dropFirst()).allSatisfy(<=) ? nil : "\(name) got scans in disorder: \(Array(numbers))"
  }

  /// Checks that the outbox counts every scan that it owes to a sink.
  private func missing(_ core: OutboxCore, _ receivers: [String: Receiver]) -> String? {
    guard core.trouble == nil, core.ledger.storeID != nil else { return nil }
    var owed: [String: [ScanID]] = [:]
    for promise in promised where excuses[promise.id] == nil && !forgiven.contains(promise) {
      if receivers[promise.sink]?.has(promise.id) == false { owed[promise.sink, default: []].append(promise.id) }
    }
    for (name, ids) in owed.sorted(by: { $0.key < $1.key }) {
      let known = core.undeliveredCount(for: name) + (core.ledger.states[name]?.dead.count ?? 0)
      guard known < ids.count else { continue }
      return "\(ids.count) scans are owed to \(name), and the outbox counts \(known): \(ids.map(word).sorted())"
    }
    return nil
  }

  /// A description of a scan: the beginning of its text, and its number.
  private func word(_ id: ScanID) -> String { "\(texts[id]?.prefix(6) ?? "?") (\(numberOf[id] ?? 0))" }

  /// The first promised scan that neither arrived nor is listed at the end.
  func unkept(_ core: OutboxCore, _ receivers: [String: Receiver]) -> String? {
    for promise in promised.sorted(by: { ($0.id, $0.sink) < ($1.id, $1.sink) }) {
      guard excuses[promise.id] == nil, !forgiven.contains(promise), receivers[promise.sink]?.has(promise.id) != true else {
        continue
      }
      if let number = numberOf[promise.id], core.ledger.states[promise.sink]?.dead.contains(number) == true { continue }
      return "scan \(word(promise.id)) never came to \(promise.sink)"
    }
    return nil
  }
}

extension [UInt8] {
  /// Whether two arrays are equal, using a fast comparison.
  fileprivate func hasSameBytes(as other: [UInt8]) -> Bool { count == other.count && memcmp(self, other, count) == 0 }
}
