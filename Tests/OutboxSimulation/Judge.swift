// Who knows every scan: what was promised, what arrived, what may be missing and why.

@testable import Delivery

/// The invariants of docs/delivery.md, checked from outside.
struct Judge {
  private struct Promise: Hashable {
    let id: ScanID
    let sink: String
  }

  private var texts: [ScanID: String] = [:]
  private(set) var madeCount = 0
  /// Scans that were signalled good, each for the sinks that were configured then.
  private var promised: Set<Promise> = []
  private var forgiven: Set<Promise> = []
  /// Scans that may be missing, and why.
  private var excuses: [ScanID: String] = [:]
  private var numbers: [Int64: ScanID] = [:]
  private var numberOf: [ScanID: Int64] = [:]
  private var order: [ScanID] = []
  private var discardedBefore = 0
  /// Whether anything happened that may upset the order.
  var hadTrouble = false
  var hadDamage = false
  /// Whether neither receivers nor operators let scans pass others.
  let keepsOrder: Bool

  init(keepsOrder: Bool) { self.keepsOrder = keepsOrder }

  var promises: Int { promised.count }

  mutating func made(_ scan: ScanRecord) {
    madeCount += 1
    texts[scan.id] = scan.text
    order.append(scan.id)
  }

  mutating func promise(_ scan: ScanRecord, to sinks: [String], number: Int64) {
    for sink in sinks { promised.insert(Promise(id: scan.id, sink: sink)) }
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

  mutating func started() { discardedBefore = 0 }

  /// Limits discard the oldest, whatever that is; that they say so is checked by their number.
  mutating func noteDiscarded(_ core: OutboxCore) {
    guard core.discardedCount > discardedBefore else { return }
    discardedBefore = core.discardedCount
    guard core.settings.whenFull == .discardOldest else { return }
    let waiting = core.unfinished
    for (id, number) in numberOf where !waiting.contains(number) { excuses[id] = excuses[id] ?? "discarded" }
    let held = Set(core.held.map(\.record.id))
    for id in texts.keys where numberOf[id] == nil && !held.contains(id) { excuses[id] = excuses[id] ?? "discarded" }
  }

  /// After damage a scan may be missing of which no whole copy is left, neither on the disk nor in memory.
  mutating func noteDamage(_ disk: SimulatedDisk, _ core: OutboxCore?) {
    var whole = Self.wholeScans(disk.bytes(disk.path)).union(Self.wholeScans(disk.bytes(disk.path + "-wal")))
    // Between the two renames of a repair the copy is all there is; before, it is no promise.
    if disk.size(disk.path) == nil { whole.formUnion(Self.wholeScans(disk.bytes(disk.path + "-repair"))) }
    if let core {
      whole.formUnion(core.held.map(\.record.id))
      whole.formUnion(core.recent.values.map(\.id))
      // What was removed while it is open can still be read.
      if let store = core.store, !store.isInPlace { return }
    }
    for id in texts.keys where !whole.contains(id) { excuses[id] = excuses[id] ?? "destroyed" }
  }

  /// Written without the code that it judges.
  private static func wholeScans(_ bytes: [UInt8]) -> Set<ScanID> {
    let mark = Array("RtclScn1".utf8)
    var found: Set<ScanID> = []
    var offset = 0
    while offset + 16 < bytes.count {
      guard bytes[offset] == mark[0], Array(bytes[offset..<(offset + 8)]) == mark else {
        offset += 1
        continue
      }
      func number(_ at: Int, _ count: Int) -> UInt64 { bytes[at..<(at + count)].reduce(0) { $0 << 8 | UInt64($1) } }
      let end = offset + 12 + Int(number(offset + 8, 4))
      if end + 4 <= bytes.count, end > offset + 44 {
        var sum = UInt32.max
        for byte in bytes[offset..<end] {
          sum ^= UInt32(byte)
          for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0x82F6_3B78 : sum >> 1 }
        }
        if ~sum == UInt32(number(end, 4)) {
          found.insert(ScanID(high: number(offset + 20, 8), low: number(offset + 28, 8)))
        }
      }
      offset += 8
    }
    return found
  }

  /// What is wrong now; nil when nothing is.
  mutating func broken(
    _ core: OutboxCore, _ receivers: [String: Receiver], _ settings: OutboxSettings, isLimited: Bool
  ) -> String? {
    for (name, receiver) in receivers.sorted(by: { $0.key < $1.key }) {
      for record in receiver.deliveries {
        guard texts[record.id] == record.text else {
          return "\(name) got a scan that nobody made: \(record.text.prefix(20))"
        }
        if record.sequence > 0 {
          if let other = numbers[record.sequence], other != record.id { return "number \(record.sequence) names two scans" }
          if let other = numberOf[record.id], other != record.sequence, !hadDamage {
            return "scan \(record.text.prefix(6)) has numbers \(other) and \(record.sequence)"
          }
          numbers[record.sequence] = record.id
          numberOf[record.id] = record.sequence
        }
      }
      receiver.deliveries = []
      if let broken = disorder(name, receiver) { return broken }
    }
    // Numbers in the file, too, and each scan once.
    if let store = core.store, core.trouble == nil {
      var ids: Set<ScanID> = []
      for row in (try? store.frames(after: 0, limit: 1000)) ?? [] {
        guard let head = ScanRecord.FrameHead(Array(row.bytes.dropFirst(12))), head.number == row.number else { continue }
        if let other = numbers[head.number], other != head.id { return "number \(head.number) names two scans" }
        guard ids.insert(head.id).inserted else { return "a scan is there twice" }
        guard texts[head.id] != nil || hadDamage else { return "the file has a scan that nobody made" }
        numbers[head.number] = head.id
        numberOf[head.id] = head.number
      }
    }
    guard core.held.count <= settings.memoryCountMax else {
      return "\(core.held.count) scans in memory"
    }
    guard core.recent.count <= settings.memoryCountMax * 2 + 100 else { return "\(core.recent.count) recent scans" }
    for state in core.states.values where state.done.ranges.count > 400 { return "\(state.done.ranges.count) ranges" }
    return missing(core, receivers)
  }

  /// Order holds where the storage does and nothing passes.
  private func disorder(_ name: String, _ receiver: Receiver) -> String? {
    guard keepsOrder, !hadTrouble else { return nil }
    let numbers = receiver.received.map(\.sequence)
    return numbers == numbers.sorted() ? nil : "\(name) got scans in disorder: \(numbers)"
  }

  /// A scan that is owed to a sink is counted by the outbox.
  private func missing(_ core: OutboxCore, _ receivers: [String: Receiver]) -> String? {
    guard core.trouble == nil, core.storeID != nil else { return nil }
    var owed: [String: Int] = [:]
    for promise in promised where excuses[promise.id] == nil && !forgiven.contains(promise) {
      if receivers[promise.sink]?.has(promise.id) == false { owed[promise.sink, default: 0] += 1 }
    }
    for (name, count) in owed {
      let known = core.undeliveredCount(for: name) + (core.states[name]?.dead.count ?? 0)
      if known < count { return "\(count) scans are owed to \(name), and the outbox counts \(known)" }
    }
    return nil
  }

  /// What was promised and neither arrived nor is listed at the end.
  func unkept(_ core: OutboxCore, _ receivers: [String: Receiver]) -> String? {
    for promise in promised.sorted(by: { ($0.id, $0.sink) < ($1.id, $1.sink) }) {
      guard excuses[promise.id] == nil, !forgiven.contains(promise), receivers[promise.sink]?.has(promise.id) != true else {
        continue
      }
      if let number = numberOf[promise.id], core.states[promise.sink]?.dead.contains(number) == true { continue }
      return "scan \(texts[promise.id]?.prefix(6) ?? "?") (\(numberOf[promise.id] ?? 0)) never came to \(promise.sink)"
    }
    return nil
  }
}
