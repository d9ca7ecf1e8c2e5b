// A station's outbox, its sinks and their receivers on a failing storage. A seed determines all events, time is a number,
// and the judge tracks every scan. Modelled on TigerBeetle's VOPR and SQLite's torture tests.

import CSimulatedStorage
import Logging
@testable import DeliveryModel
@testable import Outbox

/// A violated invariant.
public struct Violation: Error, CustomStringConvertible {
  public let seed: UInt64
  public let step: Int
  public let what: String
  public let history: [String]

  public var description: String {
    "seed \(seed), step \(step): \(what)\n" + history.suffix(1000).map { "  \($0)" }.joined(separator: "\n")
  }
}

/// A schedule of events.
public final class Simulation {
  /// The kinds of trouble in a schedule.
  public struct Troubles: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Full, read-only, locked, gone, failing reads, writes and syncs.
    public static let storage = Troubles(rawValue: 1)
    /// kill -9, at any write.
    public static let kills = Troubles(rawValue: 2)
    public static let powerCuts = Troubles(rawValue: 4)
    /// Flipped bits, overwritten pages, truncated, emptied and removed files.
    public static let damage = Troubles(rawValue: 8)
    /// Receivers that are unreachable, reject scans, or whose answers get lost.
    public static let receivers = Troubles(rawValue: 16)
    /// Changes of the configuration.
    public static let reloads = Troubles(rawValue: 32)
    /// Requests by an operator.
    public static let requests = Troubles(rawValue: 64)
    public static let limits = Troubles(rawValue: 128)
    static let kindCount = 8
  }

  /// The range of new seeds. Smaller seeds keep giving the schedules from before troubles were combined, so that schedules
  /// which once failed stay the same.
  public static let newSeeds: Range<UInt64> = 1 << 49..<1 << 50
  /// The first seed with combined troubles, where one trouble makes others likelier.
  private static let firstCombinedSeed: UInt64 = 1 << 48

  public let seed: UInt64
  public let troubles: Troubles
  /// Whether one trouble makes others likelier.
  private let combines: Bool
  /// Whether the schedule may cut journals in use, restore older copies, remount storage, and have a receiver that rejects
  /// labels.
  private let isNew: Bool
  /// A backup of the files.
  private var backup: [String: [UInt8]] = [:]
  private var random: SeededRandom
  private let disk: SimulatedDisk
  private let clock = SimulatedMoment()
  private var settings: OutboxSettings
  private var sinks: [OutboxSink]
  private var receivers: [String: Receiver] = [:]
  private var core: OutboxCore?
  private var loops: [String: SimulatedLoop] = [:]
  private var judge: Judge
  private var ids = ScanIDGenerator()
  private var step = 0
  /// The record of events; nil unless requested, as it takes time.
  private let history: History?
  /// The disk's change count when the judge last read the file.
  private var judgedChangeCount: Int64 = -1
  /// The ledger before the last operation of the running station; nil when it has just started.
  private var earlier: Ledger?
  /// A violation that was found ahead of the next check.
  private var broken: String?

  /// Enough actions for a loop to deliver everything: a schedule makes some hundred scans.
  private static let stepCountMax = 20_000

  /// Number of scans that were signalled good and have to arrive, over all sinks.
  public var promisedCount: Int { judge.promisedCount }

  /// - Parameter keepsHistory: whether a violation includes the events before it.
  public init(seed: UInt64, keepsHistory: Bool = false) {
    var random = SeededRandom(seed: seed)
    // Half of the schedules have one or two kinds of trouble, so that the judge can be strict about each of them.
    var troubles = Troubles(rawValue: Int.random(in: 0..<(1 << Troubles.kindCount), using: &random))
    if random.happens(50) {
      troubles = Troubles(rawValue: 1 << Int.random(in: 0..<Troubles.kindCount, using: &random))
      troubles.insert(Troubles(rawValue: 1 << Int.random(in: 0..<Troubles.kindCount, using: &random)))
    }
    let disk = SimulatedDisk(seed: seed)
    var settings = OutboxSettings()
    settings.path = disk.path
    settings.deliveredCountKept = [0, 3, 1000].randomElement(using: &random) ?? 0
    settings.memoryCountMax = [4, 50].randomElement(using: &random) ?? 50
    settings.onTrouble = random.happens(60) ? .memory : .refuse
    settings.synchronous = .full
    if troubles.contains(.limits) {
      settings.undeliveredCountMax = Int.random(in: 3...30, using: &random)
      settings.byteCountMax = Int.random(in: 16...60, using: &random) * 4096
      settings.whenFull = random.happens(50) ? .refuse : .discardOldest
    }
    let combines = seed >= Self.firstCombinedSeed
    if combines, random.happens(40) { settings.whenFull = .discardOldest }
    var sinks = [OutboxSink("a", target: "webhook https://a"), OutboxSink("b", target: "serial /dev/b")]
    if random.happens(40) { sinks.removeLast() }
    self.seed = seed
    self.troubles = troubles
    self.combines = combines
    isNew = seed >= Self.newSeeds.lowerBound
    history = keepsHistory ? History() : nil
    judge = Judge(keepsOrder: !troubles.contains(.requests) && (seed % 3 == 0 || !troubles.contains(.receivers)))
    (self.disk, self.settings, self.sinks, self.random) = (disk, settings, sinks, random)
  }

  /// Runs the schedule to its end.
  public func run() throws(Violation) {
    let count = Int.random(in: 20...90, using: &random)
    start(Outbox.Remainder())
    for number in 1...count {
      step = number
      act()
      if disk.isDead { die(withPower: troubles.contains(.powerCuts) && random.happens(50)) }
      try check()
    }
    try finish()
  }

  /// Frees the disk, as the number of disks is limited. The schedule cannot continue.
  func scrap() {
    core?.store?.close(keepsJournal: true)
    core = nil
    disk.scrap()
  }

  private func note(_ what: @autoclosure () -> String) { history?.lines.append("\(step) \(what())") }

  private func fail(_ what: String) -> Violation {
    Violation(seed: seed, step: step, what: what, history: history?.lines ?? [])
  }

  // MARK: What happens

  private func act() {
    if combines, core?.trouble != nil, troubles.contains(.reloads), random.happens(8) { return reload() }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<34: append()
    case 34..<66: deliver()
    case 66..<76:
      clock.now += .seconds(5)
      core?.maintain()
      note("maintain: \(core?.trouble.map { "\($0.cause)" } ?? "sound")")
    case 76..<78: clock.now += .seconds(Int.random(in: 1...120, using: &random))
    default:
      let kinds = (0..<Troubles.kindCount).map { Troubles(rawValue: 1 << $0) }.filter { troubles.contains($0) }
      guard let kind = kinds.randomElement(using: &random) else { return append() }
      trouble(kind)
    }
  }

  private func trouble(_ kind: Troubles) {
    switch kind {
    case .storage: storageTrouble()
    case .kills:
      if random.happens(50) {
        disk.faults.dies_after = Int64.random(in: 0...25, using: &random)
        note("dies after \(disk.faults.dies_after) writes")
      } else {
        disk_die(disk.disk)
      }
    case .powerCuts:
      note("power cut")
      die(withPower: true)
    case .damage: damage()
    case .receivers:
      guard let sink = sinks.randomElement(using: &random) else { return }
      let mode = isNew && random.happens(30) ? .allergic : Receiver.Mode.random(using: &random)
      receivers[sink.name]?.mode = mode
      if mode == .forgetful { judge.mayRepeat = true }
      note("receiver \(sink.name): \(mode)")
    case .reloads: reload()
    case .requests: request()
    default: break
    }
  }

  private func storageTrouble() {
    let lifetime = disk.faults.dies_after
    disk.faults = .none
    disk.faults.dies_after = lifetime
    judge.hadTrouble = true
    var kind = Int.random(in: 0..<10, using: &random)
    // Writes that fail but still reach the storage are the hardest case.
    if combines, random.happens(25) { kind = 6 }
    switch kind {
    case 0: disk.faults.room = Int64.random(in: 0...200_000, using: &random)
    case 1: disk.faults.read_only = true
    case 2: disk.faults.locked = true
    case 3: disk.faults.no_folder = true
    case 4: disk.faults.write_fails = Int32.random(in: 1...500, using: &random)
    case 5: disk.faults.read_fails = Int32.random(in: 1...500, using: &random)
    case 6: disk.faults.sync_fails = Int32.random(in: 1...700, using: &random)
    default: break
    }
    note(
      "storage: \(["full", "read-only", "locked", "no folder", "writes fail", "reads fail", "syncs fail", "sound", "sound", "sound"][kind])"
    )
  }

  private func damage() {
    judge.hadTrouble = true
    judge.hadDamage = true
    judge.mayRepeat = true
    let file = random.happens(60) ? disk.path : disk.path + "-wal"
    let size = disk.size(file) ?? 0
    let page = Int64.random(in: 0...(size / 4096), using: &random) * 4096
    let kind = Int.random(in: 0..<(isNew ? 10 : 7), using: &random)
    if isNew, random.happens(30) {
      for suffix in ["", "-wal"] { backup[suffix] = disk.bytes(disk.path + suffix) }
      note("a copy is kept")
    }
    // Damage occurs while the station runs, or while it does not.
    if random.happens(50) { if combines, random.happens(50) { end(withPower: false) } else { stop() } }
    let wholeBefore = Judge.wholeScans(disk.bytes(disk.path))
    switch kind {
    case 0: disk_flip(disk.disk, file, Int64.random(in: 0...size, using: &random))
    case 1: disk_overwrite(disk.disk, file, page, 4096, random.happens(50))
    case 2: disk_overwrite(disk.disk, file, 0, 100, random.happens(50))
    case 3: if core == nil { disk_truncate(disk.disk, file, Int64.random(in: 0...size, using: &random)) }
    case 4: if core == nil { disk_truncate(disk.disk, file, 0) }
    case 5: _ = disk_remove(disk.disk, file)
    case 7:
      let journal = disk.path + "-wal"
      disk_truncate(disk.disk, journal, Int64.random(in: 0...(disk.size(journal) ?? 0), using: &random))
    case 8: restoreBackup()
    case 9: disk_remount(disk.disk)
    default:
      for companion in ["", "-wal", "-shm"] { _ = disk_remove(disk.disk, disk.path + companion) }
    }
    let what = [
      "flip", "page", "header", "cut", "emptied", "removed", "all removed", "journal cut in use", "older copy", "remounted",
    ][kind]
    note("damage: \(what) \(file.hasSuffix("-wal") ? "journal" : "file"), \(core == nil ? "stopped" : "running")")
    judge.noteDamage(disk, core, wholeBefore)
    if core == nil {
      start(Outbox.Remainder())
    } else if combines, random.happens(30) {
      reload()
    }
  }

  /// Replaces the database and its journal with an older copy.
  private func restoreBackup() {
    guard !backup.isEmpty else { return }
    for suffix in ["", "-wal", "-shm"] { _ = disk_remove(disk.disk, disk.path + suffix) }
    for (suffix, bytes) in backup.sorted(by: { $0.key < $1.key }) where !bytes.isEmpty {
      try? disk.write(disk.path + suffix, bytes, at: 0, syncs: true)
    }
    judge.noteOlderCopy(disk, isStopped: core == nil)
  }

  private func reload() {
    judge.mayRepeat = true
    // A removed file can be read while it is open; a full disk has no room to copy it when it is closed.
    let isRemoved = core?.store.map { !$0.isInPlace } ?? false
    let remainder = core?.close() ?? Outbox.Remainder()
    if disk.isDead {
      if isRemoved { judge.noteDamage(disk, nil) }
      for entry in remainder.ledger.held { judge.excuse(entry.record.id, "in memory when the station died") }
      return
    }
    core = nil
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      // A new name for the same receiver.
      let index = Int.random(in: 0..<sinks.count, using: &random)
      let old = sinks[index].name
      let new = old + "x"
      if disk.size(disk.path) != nil, !judge.hadDamage, new.count < 12, remainder.ledger.held.isEmpty {
        sinks[index].name = new
        receivers[new] = receivers.removeValue(forKey: old)
        judge.rename(old, to: new)
      }
    case 1:
      settings.byteCountMax += 20 * 4096
      settings.undeliveredCountMax += 10
    case 2: settings.onTrouble = random.happens(50) ? .memory : .refuse
    default: break
    }
    note("reload with \(remainder.count) in memory: \(sinks.map(\.name))")
    start(remainder)
    if isRemoved { judge.noteDamage(disk, core) }
  }

  private func request() {
    guard let core else { return }
    judge.mayRepeat = true
    let kind = OutboxRequest.Kind.allCases.randomElement(using: &random) ?? .retry
    let sink = random.happens(70) ? sinks.randomElement(using: &random)?.name : nil
    let number = random.happens(50) ? Int64.random(in: 1...max(1, core.ledger.lastNumber), using: &random) : nil
    // Purged scans are no longer owed.
    if kind == .purge || kind == .purgeDead {
      for (known, state) in core.ledger.states where sink == nil || sink == known {
        // While the file cannot be written, a renamed sink keeps its former name there.
        let heir = sinks.contains { $0.name == known } ? nil : sinks.first { $0.target == state.target }
        let name = heir?.name ?? known
        var gone = kind == .purge ? state.undelivered(through: number ?? core.ledger.lastNumber) : state.dead
        if kind == .purgeDead, let number {
          gone = NumberSet(number...number).subtracting(NumberSet(number...number).subtracting(state.dead))
        }
        for range in gone.ranges { for number in range { judge.forgive(number: number, for: name) } }
        // The judge cannot have seen a file that could not be opened since.
        for (id, number) in core.ledger.numbered where gone.contains(number) { judge.forgive(id, for: name) }
        if kind == .purge, number == nil { for entry in core.ledger.held { judge.forgive(entry.record.id, for: name) } }
      }
    }
    let outcome = core.perform(OutboxRequest(kind, sink: sink, sequence: number), retries: [])
    note("request \(kind) \(sink ?? "all") \(number ?? 0): \(outcome)")
    for name in sinks.map(\.name) where kind == .retry && (sink == nil || sink == name) { loops[name]?.resume(clock.now) }
  }

  // MARK: The station

  private func start(_ remainder: Outbox.Remainder) {
    for sink in sinks where receivers[sink.name] == nil { receivers[sink.name] = Receiver() }
    core = makeCore(remainder)
    earlier = nil
    loops = [:]
    for sink in sinks {
      loops[sink.name] = SimulatedLoop(name: sink.name, random: SeededRandom(seed: random.next()), isOrdered: seed % 3 == 0)
    }
    note("start: \(core?.trouble.map { "\($0)" } ?? "sound"), last \(core?.ledger.lastNumber ?? 0)")
    if disk.isDead { die(withPower: false) }
  }

  private func makeCore(_ remainder: Outbox.Remainder) -> OutboxCore {
    let clock = clock
    return OutboxCore(
      settings: settings, sinks: sinks, remainder: remainder, files: disk, clock: clock.outboxClock, logger: logger)
  }

  private var logger: Logger {
    Logger(label: "simulation") { [history] _ -> any LogHandler in
      if let history { HistoryLog(history: history) } else { SwiftLogNoOpLogHandler() }
    }
  }

  /// Shuts the station down properly.
  private func stop() {
    guard let core else { return }
    for entry in core.close().ledger.held { judge.excuse(entry.record.id, "in memory when the station stopped") }
    judge.noteNumbers(core)
    if disk.isDead { die(withPower: false) } else { self.core = nil }
  }

  private func die(withPower isCut: Bool) {
    end(withPower: isCut)
    if judge.hadDamage { judge.noteDamage(disk, nil) }
    start(Outbox.Remainder())
  }

  /// Ends the station abruptly.
  private func end(withPower isCut: Bool) {
    judge.mayRepeat = true
    disk_die(disk.disk)
    if let core {
      for entry in core.ledger.held { judge.excuse(entry.record.id, "in memory when the station died") }
      core.store?.close(keepsJournal: true)
    }
    core = nil
    if isCut { disk_cut_power(disk.disk) } else { disk_kill(disk.disk) }
    disk.faults.dies_after = -1
    if isNew, isCut { clock.restart(after: .seconds(5)) }
    note(isCut ? "power cut" : "kill -9")
    disk_restart(disk.disk)
  }

  private func append() {
    guard let core else { return }
    let frame = (0..<(random.happens(25) ? 3 : 1)).map { _ in makeScan() }
    let discardedBefore = core.counts.discarded
    let heldBefore = Set(core.ledger.held.map(\.record.id))
    let receipts = core.append(frame)
    // A station that died has reported nothing.
    let isTold = !disk.isDead
    for (scan, receipt) in zip(frame, receipts) {
      judge.made(scan)
      switch receipt {
      case .success(let receipt) where isTold:
        judge.promise(scan, to: sinks.map(\.name), number: receipt.sequence)
        note("scan \(scan.text.prefix(6)): \(receipt.sequence)\(receipt.isDurable ? "" : " in memory")")
      case .failure(let refusal) where isTold: note("scan \(scan.text.prefix(6)): \(refusal)".prefix(150).description)
      default: note("scan \(scan.text.prefix(6)): died meanwhile")
      }
    }
    noteFile()
    let wasHeld = heldBefore.union(frame.map(\.id))
    broken = broken ?? judge.noteDiscarded(core, since: discardedBefore, wasHeld: wasHeld, receivers)
  }

  private func makeScan() -> ScanRecord {
    let number = judge.madeCount + 1
    let length = random.happens(6) ? Int.random(in: 2000...6000, using: &random) : 0
    let isPoison = isNew && random.happens(15)
    let bytes =
      Array((isPoison ? "poison \(number % 3)" : "s\(number) ").utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: length)
    let moment = clock.captureTime
    return ScanRecord(
      id: ids.next(unixMilliseconds: moment.unixMilliseconds, using: &random), station: "simulated", symbology: "code128",
      aimIdentifier: "]C0", text: String(decoding: bytes, as: UTF8.self), bytes: bytes,
      captured: moment)
  }

  private func deliver() {
    guard let sink = sinks.randomElement(using: &random), let core, let receiver = receivers[sink.name] else { return }
    for _ in 0..<Int.random(in: 1...12, using: &random) where !disk.isDead {
      let hasMoved = loops[sink.name]?.step(core, receiver, at: clock.now) == true
      noteLedger(core)
      guard hasMoved else { break }
    }
    note("deliver \(sink.name): \(receiver.received.count) received")
  }

  // MARK: The judge

  /// Passes the file to the judge.
  private func noteFile() {
    guard let core, core.store != nil, judgedChangeCount != disk_change_count(disk.disk) else { return }
    judgedChangeCount = disk_change_count(disk.disk)
    broken = broken ?? reading { judge.noteFile(core) }
  }

  /// Checks what the outbox promises of itself.
  private func noteLedger(_ core: OutboxCore) {
    broken = broken ?? core.brokenInvariant(since: earlier)
    earlier = core.ledger
  }

  /// Reads the file, regardless of the faults that the disk has for others.
  private func reading<Value>(_ body: () -> Value) -> Value {
    let faults = disk.faults
    disk.faults.read_fails = 0
    defer { disk.faults.read_fails = faults.read_fails }
    return body()
  }

  private func check() throws(Violation) {
    guard let core else { return }
    judge.noteForgotten(disk, core)
    noteFile()
    noteLedger(core)
    noteStates(core)
    if let broken { throw fail(broken) }
    if let broken = judge.broken(core, receivers, settings) { throw fail(broken) }
  }

  private func noteStates(_ core: OutboxCore) {
    guard let history else { return }
    func words(_ numbers: NumberSet) -> String {
      numbers.ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: " ")
    }
    let states = core.ledger.allStates.map { state in
      let until = state.until.map { ", until \($0)" } ?? ""
      return "\(state.name): done \(words(state.done)), dead \(words(state.dead))\(until)"
    }
    let file = reading { try? core.store?.numbers() }.map { "file \(words($0))" } ?? "no file"
    let line =
      "last \(core.ledger.lastNumber), \(file), \(core.ledger.held.count) in memory; \(states.joined(separator: "; "))"
    history.lines.append("    " + line)
  }

  /// Removes all faults: everything that was promised must now arrive.
  private func finish() throws(Violation) {
    step += 1
    disk.faults = .none
    for receiver in receivers.values { receiver.mode = .working }
    settings.undeliveredCountMax = 100_000
    if random.happens(30) { die(withPower: random.happens(50) && troubles.contains(.powerCuts)) }
    for _ in 0..<400 {
      clock.now += .seconds(61)
      core?.maintain()
      var isBusy = false
      for sink in sinks {
        guard let core, let receiver = receivers[sink.name] else { continue }
        loops[sink.name]?.resume(clock.now)
        var stepCount = 0
        while loops[sink.name]?.step(core, receiver, at: clock.now) == true {
          noteLedger(core)
          isBusy = true
          stepCount += 1
          if stepCount > Self.stepCountMax { throw fail("the delivery to \(sink.name) does not end") }
        }
      }
      if !isBusy, core?.trouble == nil, core?.undeliveredCount == 0 { break }
    }
    guard let core else { throw fail("there is no outbox at the end") }
    if let trouble = core.trouble { throw fail("not healed on sound storage: \(trouble)") }
    if core.undeliveredCount > 0 { throw fail("\(core.undeliveredCount) scans are left undelivered") }
    try check()
    if let broken = judge.unkept(core, receivers) { throw fail(broken) }
  }
}

/// The time of a simulation.
final class SimulatedMoment: @unchecked Sendable {
  var now = Duration.zero
  /// The wall clock's lead over `now`, in milliseconds.
  var wallMilliseconds: Int64 = 1_800_000_000_000
  var isSynchronized = true
  /// The boot id and the time of the boot.
  var boot = (id: "boot", start: Duration.zero)

  var captureTime: CaptureTime {
    CaptureTime(
      unixMilliseconds: wallMilliseconds + now.milliseconds,
      bootNanoseconds: (now - boot.start).milliseconds * 1_000_000, bootID: boot.id)
  }

  var outboxClock: OutboxClock {
    OutboxClock(elapsed: { self.now }, now: { self.captureTime }, isSynchronized: { self.isSynchronized })
  }

  /// Switches the station's board off, and on again later.
  func restart(after pause: Duration) {
    now += pause
    boot = ("boot at \(now)", now)
  }
}
