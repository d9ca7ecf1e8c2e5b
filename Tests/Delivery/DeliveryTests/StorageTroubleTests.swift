// The outbox on failing simulated storage, one fault after the other. These cases, which the simulator also covers in
// thousands of schedules, are written from the user's point of view.

import CSimulatedStorage
import Logging
import OutboxSimulation
import Testing
@testable import DeliveryModel
@testable import Outbox
@testable import OutboxSimulation

/// A station's outbox on a disk with injected faults, without tasks.
private final class Bench {
  let disk = SimulatedDisk(seed: 1)
  let moment = SimulatedMoment()
  var settings = OutboxSettings()
  var sinks = [OutboxSink("a", target: "webhook https://a")]
  private(set) var core: OutboxCore { didSet { earlier = nil } }
  /// The ledger before the last operation of `core`.
  private var earlier: Ledger?
  private var scans = ScanMaker()
  private(set) var madeCount = 0

  init(_ change: (inout OutboxSettings) -> Void = { _ in }) {
    settings.path = disk.path
    settings.onTrouble = .memory
    change(&settings)
    core = Self.open(settings, sinks, Outbox.Remainder(), disk, moment)
  }

  deinit {
    core.store?.close(keepsJournal: true)
    disk.scrap()
  }

  private static func open(
    _ settings: OutboxSettings, _ sinks: [OutboxSink], _ remainder: Outbox.Remainder, _ disk: SimulatedDisk,
    _ moment: SimulatedMoment
  ) -> OutboxCore {
    OutboxCore(
      settings: settings, sinks: sinks, remainder: remainder, files: disk, clock: moment.outboxClock, logger: quiet)
  }

  /// Reloads the configuration.
  func reload() { core = Self.open(settings, sinks, core.close(), disk, moment) }

  /// Stops the station, does something, and starts it again.
  func restart(_ meanwhile: () -> Void = {}) {
    _ = core.close()
    meanwhile()
    core = Self.open(settings, sinks, Outbox.Remainder(), disk, moment)
  }

  /// Kills the process, does something, and starts it again.
  func kill(_ meanwhile: () -> Void = {}) {
    disk_die(disk.disk)
    core.store?.close(keepsJournal: true)
    disk_kill(disk.disk)
    disk_restart(disk.disk)
    disk.faults.dies_after = -1
    meanwhile()
    core = Self.open(settings, sinks, Outbox.Remainder(), disk, moment)
  }

  /// Scans labels and returns those that were signalled good.
  @discardableResult
  func scan(_ count: Int, _ text: String? = nil) -> [String] {
    (0..<count).compactMap { _ in
      let scan = scans.next(text, captured: moment.captureTime)
      madeCount += 1
      defer { checkLedger() }
      return (try? core.append([scan])[0].get()).map { _ in scan.text }
    }
  }

  /// Delivers everything to a receiver that accepts it.
  func drain(_ sink: String = "a") -> [ScanRecord] {
    var all: [ScanRecord] = []
    while let next = core.next(1, for: sink).first {
      all.append(next)
      core.acknowledge([next], by: sink)
      checkLedger()
    }
    return all
  }

  func wait(_ duration: Duration = .seconds(6)) {
    moment.now += duration
    core.maintain()
    checkLedger()
  }

  private func checkLedger() {
    #expect(core.brokenInvariant(since: earlier) == nil)
    earlier = core.ledger
  }
}

extension [ScanRecord] {
  fileprivate var texts: [String] { map(\.text) }
  fileprivate var numbers: [Int64] { map(\.sequence) }
}

private func texts(_ range: ClosedRange<Int>) -> [String] { range.map(String.init) }

@Suite struct StorageTroubleTests {
  private enum Fault: CaseIterable { case full, readOnly, locked }

  private func set(_ fault: Fault, on disk: SimulatedDisk) {
    switch fault {
    case .full: disk.faults.room = 0
    case .readOnly: disk.faults.read_only = true
    case .locked: disk.faults.locked = true
    }
  }

  private func heal(_ disk: SimulatedDisk) {
    disk.faults.room = -1
    disk.faults.read_only = false
    disk.faults.locked = false
    disk.faults.write_fails = 0
  }

  @Test(arguments: Fault.allCases)
  private func `scans in an unwritable file are delivered exactly once`(_ fault: Fault) {
    let bench = Bench()
    bench.scan(58)
    set(fault, on: bench.disk)
    bench.scan(20)
    #expect(bench.core.trouble != nil)
    #expect(bench.core.status().inMemoryCount == 20 && bench.core.status().undeliveredCount == 78)
    // Some scans are delivered meanwhile, then the storage heals.
    for _ in 0..<10 {
      let next = bench.core.next(1, for: "a")
      #expect(next.count == 1)
      bench.core.acknowledge(next, by: "a")
    }
    heal(bench.disk)
    bench.wait()
    #expect(bench.core.trouble == nil)
    #expect(bench.drain().texts == texts(11...78))
    #expect(bench.core.status().undeliveredCount == 0)
  }

  @Test func `after the first page was overwritten, new scans are delivered under new numbers`() {
    let bench = Bench()
    bench.scan(300)
    #expect(bench.drain().count == 300)
    bench.restart { disk_overwrite(bench.disk.disk, bench.disk.path, 0, 4096, false) }
    let good = bench.scan(100)
    let delivered = bench.drain()
    #expect(Set(good).isSubset(of: delivered.texts), "\(delivered.count)")
    #expect(delivered.filter { good.contains($0.text) }.allSatisfy { $0.sequence > 300 })
  }

  @Test(arguments: [0, 1, 2, 5, 10, 20, 40, 60, 80, 100])
  func `a killed repair starts again and loses nothing`(_ writeCount: Int64) {
    let bench = Bench()
    bench.scan(600)
    bench.restart { disk_overwrite(bench.disk.disk, bench.disk.path, 0, 100, true) }
    _ = bench.drain()
    bench.scan(500)
    _ = bench.core.close()
    disk_overwrite(bench.disk.disk, bench.disk.path, 0, 100, true)
    bench.disk.faults.dies_after = writeCount
    bench.kill { bench.disk.faults.dies_after = writeCount }
    bench.kill()
    #expect(bench.drain().texts == texts(601...1100))
  }

  @Test func `a repair without room waits for it and touches nothing`() {
    let bench = Bench()
    bench.scan(200)
    bench.restart {
      disk_overwrite(bench.disk.disk, bench.disk.path, 0, 100, true)
      bench.disk.faults.room = 100_000
    }
    #expect(bench.core.trouble?.cause == .full)
    #expect(bench.drain().isEmpty)
    bench.disk.faults.room = -1
    bench.wait()
    #expect(bench.drain().texts == texts(1...200))
  }

  @Test func `a file that is removed while in use is created again with all its waiting scans`() {
    let bench = Bench()
    bench.scan(2500)
    for companion in ["", "-wal", "-shm"] { _ = disk_remove(bench.disk.disk, bench.disk.path + companion) }
    bench.scan(200)
    #expect(bench.core.status().undeliveredCount == 2700)
    bench.kill()
    #expect(bench.drain().texts == texts(1...2700))
  }

  @Test func `a reload in trouble keeps the scans in memory`() {
    let bench = Bench()
    bench.scan(3)
    bench.disk.faults.room = 0
    #expect(bench.scan(502).count == 502)
    bench.settings.byteCountMax *= 2
    bench.reload()
    #expect(bench.core.status().inMemoryCount == 502)
    bench.disk.faults.room = -1
    bench.wait()
    #expect(bench.drain().texts == texts(1...505))
  }

  @Test(arguments: ["a", "erp"])
  func `the state of a failing file moves to the file that the configuration names instead`(_ name: String) {
    let bench = Bench()
    bench.settings.path = bench.disk.path + "-other"
    bench.reload()
    bench.settings.path = bench.disk.path
    bench.reload()
    bench.scan(5)
    bench.core.acknowledge(bench.core.next(2, for: "a"), by: "a")
    bench.disk.faults.read_only = true
    bench.scan(3)
    bench.settings.path = bench.disk.path + "-other"
    bench.sinks = [OutboxSink(name, target: "webhook https://a")]
    bench.reload()
    bench.disk.faults.read_only = false
    bench.wait()
    #expect(bench.core.trouble == nil)
    #expect(Set(bench.drain(name).texts) == Set(texts(3...8)))
  }

  @Test func `in trouble new scans are refused, or held and counted, as the configuration says`() {
    for policy in OutboxSettings.TroublePolicy.allCases {
      let bench = Bench { $0.onTrouble = policy }
      bench.scan(5)
      bench.disk.faults.read_only = true
      let good = bench.scan(10)
      let status = bench.core.status()
      #expect(good.count == (policy == .refuse ? 0 : 10))
      #expect(status.durability == (policy == .refuse ? .refused : .memory))
      #expect(status.inMemoryCount == good.count && status.undeliveredCount == 5 + good.count)
      #expect(status.refusedCount == 10 - good.count && status.trouble != nil)
      bench.disk.faults.read_only = false
      bench.wait()
      #expect(bench.drain().texts == texts(1...5) + good)
    }
  }

  @Test func `scans in memory that every sink has are not at risk`() {
    let bench = Bench { $0.onTrouble = .memory }
    bench.disk.faults.read_only = true
    let good = bench.scan(10)
    #expect(bench.core.status().inMemoryCount == 10)
    #expect(bench.drain().texts == good)
    #expect(bench.core.status().inMemoryCount == 0 && bench.core.status().undeliveredCount == 0)
  }

  @Test func `an outbox that has reached its size refuses scans even in trouble`() {
    let bench = Bench { $0.byteCountMax = 40 * 4096 }
    let good = bench.scan(1000, String(repeating: "x", count: 900))
    #expect(good.count > 10 && good.count < 200)
    #expect(bench.core.ledger.held.isEmpty)
    #expect(bench.core.status().undeliveredCount == good.count)
    #expect(bench.core.status().refusedCount == 1000 - good.count)
    #expect(bench.drain().count == good.count)
  }

  @Test func `a renamed sink keeps its backlog, and a removed one is reported with its backlog`() {
    let bench = Bench()
    bench.scan(10)
    bench.sinks = [OutboxSink("erp", target: "webhook https://a")]
    bench.reload()
    #expect(bench.core.undeliveredCount(for: "erp") == 10)
    bench.sinks = [OutboxSink("other", target: "serial /dev/x")]
    bench.reload()
    bench.scan(5)
    #expect(bench.drain("other").count == 5)
    #expect(bench.core.status().removedSinks == [.init(name: "erp", undeliveredCount: 10)])
    #expect(bench.core.status().undeliveredCount == 10)
    bench.sinks.append(OutboxSink("erp", target: "webhook https://new"))
    bench.reload()
    #expect(bench.drain("erp").texts == texts(1...10))
    bench.sinks.removeLast()
    bench.reload()
    bench.wait()
    #expect(bench.core.status().removedSinks.isEmpty)
  }

  @Test func `a flipped bit is never delivered, and costs one scan at most, which is counted`() {
    for offset in stride(from: Int64(4096 * 3), to: 4096 * 20, by: 1777) {
      let bench = Bench()
      let made = Set(bench.scan(100))
      bench.restart { disk_flip(bench.disk.disk, bench.disk.path, offset) }
      let delivered = bench.drain().texts
      #expect(Set(delivered).isSubset(of: made))
      #expect(delivered.count >= 99, "offset \(offset): \(delivered.count)")
      #expect(delivered.count + bench.core.status().lostCount == 100)
    }
  }

  @Test func `an empty file is distinguished from a new one, and its numbers are not used again`() {
    let bench = Bench()
    bench.scan(10)
    #expect(bench.drain().numbers == Array(1...10))
    bench.restart { disk_truncate(bench.disk.disk, bench.disk.path, 0) }
    bench.scan(1)
    #expect(bench.drain().numbers.allSatisfy { $0 > 10 })
  }

  @Test func `a journal that is damaged gives back every scan behind the damage`() {
    let bench = Bench()
    bench.scan(100)
    bench.kill { disk_overwrite(bench.disk.disk, bench.disk.path + "-wal", 0, 32, false) }
    #expect(bench.drain().texts == texts(1...100))
  }

  @Test func `a damaged header costs nothing`() {
    let bench = Bench()
    bench.scan(100)
    bench.restart { disk_overwrite(bench.disk.disk, bench.disk.path, 0, 100, false) }
    #expect(bench.drain().texts == texts(1...100))
  }

  @Test func `scans of several pages are salvaged too`() {
    let bench = Bench()
    for number in 0..<20 { bench.scan(1, String(repeating: "\(number % 10)", count: 9000)) }
    bench.restart { disk_overwrite(bench.disk.disk, bench.disk.path, 0, 100, false) }
    #expect(bench.drain().count == 20)
  }

  @Test func `a scan delivered from memory has no number until the file gives it one of its own`() {
    let bench = Bench()
    bench.scan(3)
    bench.disk.faults.read_only = true
    bench.scan(3)
    let delivered = bench.drain()
    #expect(delivered.numbers == [1, 2, 3, 0, 0, 0])
    bench.kill { bench.disk.faults.read_only = false }
    bench.scan(3)
    let all = delivered + bench.drain()
    for (number, scans) in Dictionary(grouping: all, by: \.sequence) where number > 0 {
      #expect(Set(scans.texts).count == 1, "number \(number)")
    }
    #expect(all.texts.suffix(3) == texts(7...9)[...])
  }

  @Test func `a reload during trouble keeps the scans that only memory has`() {
    let bench = Bench()
    bench.scan(3)
    let journal = bench.disk.path + "-wal"
    disk_overwrite(bench.disk.disk, journal, 0, bench.disk.size(journal) ?? 0, true)
    bench.disk.faults.sync_fails = 1000
    bench.reload()
    #expect(bench.core.trouble != nil)
    bench.disk.faults.sync_fails = 0
    bench.wait()
    #expect(bench.core.trouble == nil)
    #expect(bench.drain().texts == texts(1...3))
  }

  @Test func `a scan that is in memory and in the file is counted and delivered once`() {
    let bench = Bench()
    bench.scan(2)
    guard var record = bench.core.next(1, for: "a").first else {
      Issue.record("there is no scan")
      return
    }
    // Written, but not read back yet.
    bench.core.enter(OutboxTrouble(.full, path: bench.disk.path, detail: ""))
    let number = record.sequence
    record.sequence = 0
    bench.core.ledger.hold(record)
    bench.core.ledger.assign([record.id: number], bench.core.ledger.states, last: number)
    #expect(bench.core.undeliveredCount(for: "a") == 2 && bench.core.undeliveredCount == 2)
    var delivered: [ScanRecord] = []
    while delivered.count < 10, case let next = bench.core.next(4, for: "a"), !next.isEmpty {
      delivered += next
      bench.core.acknowledge(next, by: "a")
    }
    #expect(delivered.texts == texts(1...2))
    #expect(bench.core.undeliveredCount == 0)
  }

  @Test func `scans that have gone from a sound file are counted as lost`() throws {
    let bench = Bench()
    bench.scan(10)
    bench.restart {
      let database = try? SQLiteDatabase(path: bench.disk.path, .write, layer: bench.disk.layer, busyMilliseconds: 0)
      try? database?.run("DELETE FROM scan WHERE number > 4")
    }
    let delivered = bench.drain().texts
    #expect(delivered.starts(with: texts(1...4)))
    #expect(delivered.count + bench.core.status().lostCount == 10)
  }

  @Test func `an unreadable mark is not treated as missing`() throws {
    let bench = Bench()
    bench.scan(1)
    #expect(try OutboxMark.read(bench.disk, bench.disk.path)?.reserved == 1 + OutboxCore.numberBlock)
    bench.disk.faults.read_fails = 1000
    #expect(throws: OutboxTrouble.self) { try OutboxMark.read(bench.disk, bench.disk.path) }
  }

  @Test func `a scan that makes room for a new one is counted even if the file cannot be written`() {
    let bench = Bench {
      $0.undeliveredCountMax = 3
      $0.whenFull = .discardOldest
    }
    bench.scan(3)
    bench.disk.faults.write_fails = 1000
    bench.scan(1)
    #expect(bench.core.status().discardedCount == 1 && bench.core.status().undeliveredCount == 3)
    heal(bench.disk)
    bench.wait()
    #expect(bench.drain().texts == texts(2...4))
  }

  @Test func `no scan makes room for one that is refused`() {
    let bench = Bench {
      $0.undeliveredCountMax = 3
      $0.whenFull = .discardOldest
      $0.onTrouble = .refuse
    }
    bench.scan(3)
    bench.core.enter(OutboxTrouble(.full, path: bench.disk.path, detail: ""))
    #expect(bench.scan(2).isEmpty)
    #expect(bench.core.status().discardedCount == 0 && bench.core.status().refusedCount == 2)
    #expect(bench.drain().texts == texts(1...3))
  }
}

/// Files whose names change while they are in use.
@Suite struct RemountTests {
  @Test(arguments: [0, 30]) func `storage that is unmounted in use and mounted again is opened again at its path`(
    _ deliveredCount: Int
  ) {
    let bench = Bench()
    bench.scan(60)
    let before = bench.core.next(deliveredCount, for: "a")
    bench.core.acknowledge(before, by: "a")
    disk_remount(bench.disk.disk)
    bench.wait()
    #expect(bench.core.trouble == nil)
    #expect(bench.scan(5).count == 5)
    #expect(bench.disk.names(beginningWith: bench.disk.path + ".damaged").isEmpty, "nothing had to be repaired")
    #expect(bench.drain().texts == texts(deliveredCount + 1...65))
    bench.kill()
    #expect(bench.drain().isEmpty && bench.core.status().lostCount == 0)
  }

  @Test func `scans that come while the storage is away wait in memory, and are written when it is back`() {
    let bench = Bench()
    bench.scan(20)
    bench.disk.faults.no_folder = true
    #expect(bench.scan(10).count == 10)
    #expect(bench.core.trouble != nil && bench.core.status().inMemoryCount == 10)
    disk_remount(bench.disk.disk)
    bench.disk.faults.no_folder = false
    disk_remount(bench.disk.disk)
    bench.wait()
    #expect(bench.core.trouble == nil)
    #expect(Set(bench.drain().texts) == Set(texts(1...30)))
  }

  @Test func `an older copy that takes the place of the file in use costs nothing`() {
    let bench = Bench()
    bench.scan(20)
    bench.reload()
    let old = bench.disk.bytes(bench.disk.path)
    bench.scan(1500)
    for suffix in ["", "-wal", "-shm"] { _ = disk_remove(bench.disk.disk, bench.disk.path + suffix) }
    _ = try? bench.disk.write(bench.disk.path, old, at: 0, syncs: true)
    bench.scan(1)
    #expect(bench.core.trouble == nil && bench.core.status().lostCount == 0)
    #expect(bench.drain().texts == texts(1...1521))
  }

  @Test func `a folder that is renamed in use, and gets its name back, repeats no scan`() {
    let bench = Bench()
    bench.scan(60)
    bench.disk.faults.no_folder = true
    bench.core.maintain()
    let before = bench.core.next(48, for: "a")
    bench.core.acknowledge(before, by: "a")
    #expect(before.count == 48 && bench.core.trouble != nil)
    bench.kill { bench.disk.faults.no_folder = false }
    #expect(bench.drain().texts == texts(49...60))
  }
}

/// An outbox at its limit.
@Suite struct FullOutboxTests {
  @Test func `an outbox at its limit of scans reports that it refuses new ones, until there is room`() {
    let bench = Bench { $0.undeliveredCountMax = 5 }
    #expect(bench.scan(9).count == 5)
    let status = bench.core.status()
    #expect(status.durability == .refused && status.refusedCount == 4)
    #expect(status.trouble?.contains("5 scans are undelivered, and outbox.undelivered is 5") == true)
    #expect(status.remedy == "repair the sinks, or raise outbox.undelivered")
    bench.core.acknowledge(bench.core.next(1, for: "a"), by: "a")
    #expect(bench.core.status().durability != .refused && bench.core.status().trouble == nil)
    #expect(bench.scan(2).count == 1)
  }

  @Test func `an outbox at its limit of bytes reports that it refuses new scans, until there is room`() {
    let bench = Bench { $0.byteCountMax = 40 * 4096 }
    bench.scan(300)
    let status = bench.core.status()
    #expect(status.durability == .refused && status.refusedCount > 0)
    #expect(status.trouble?.contains("as outbox.megabytes allows") == true)
    // Scans that every sink has are removed to make room.
    #expect(!bench.drain().isEmpty)
    #expect(bench.core.status().durability != .refused && bench.scan(1).count == 1)
  }

  @Test func `a full outbox that discards the oldest refuses nothing`() {
    let bench = Bench {
      $0.undeliveredCountMax = 5
      $0.whenFull = .discardOldest
    }
    #expect(bench.scan(9).count == 9)
    #expect(bench.core.status().durability != .refused && bench.core.status().trouble == nil)
  }

  @Test func `a full memory accepts no new scans`() {
    let bench = Bench { $0.memoryCountMax = 3 }
    bench.scan(1)
    bench.disk.faults.read_only = true
    #expect(bench.scan(2).count == 2)
    #expect(bench.core.status().durability == .memory)
    #expect(bench.scan(3).count == 1)
    #expect(bench.core.status().durability == .refused && bench.core.status().refusedCount == 2)
  }

  @Test func `refused, discarded and lost scans are still counted after a reload`() {
    let bench = Bench { $0.undeliveredCountMax = 5 }
    bench.scan(9)
    _ = bench.core.perform(OutboxRequest(.purge, sequence: 2), retries: [])
    bench.core.counts.lost = 3
    bench.reload()
    let status = bench.core.status()
    #expect(status.refusedCount == 4 && status.discardedCount == 2 && status.lostCount == 3)
  }
}

/// Scans that disappeared from the files: each is counted, and nothing else is.
@Suite struct LossTests {
  private func bytes(_ bench: Bench, _ suffix: String = "") -> [UInt8] { bench.disk.bytes(bench.disk.path + suffix) }

  /// Replaces a file's content.
  private func put(_ bytes: [UInt8], _ bench: Bench, _ suffix: String = "") {
    let path = bench.disk.path + suffix
    _ = disk_remove(bench.disk.disk, path)
    try? bench.disk.write(path, bytes, at: 0, syncs: true)
  }

  /// The outbox's counts after everything that is left was delivered.
  private func lost(_ bench: Bench, _ delivered: [ScanRecord] = []) -> (counted: Int, true: Int, unknown: Int, made: Int) {
    let all = Set((delivered + bench.drain()).texts)
    let made = bench.madeCount
    let status = bench.core.status()
    return (status.lostCount, made - all.count, status.unknownLossCount, made)
  }

  @Test(arguments: [0, 32, 4152, 40_000, 100_000, 200_000])
  func `the lost scans of a journal that was cut before a kill are counted`(_ size: Int64) {
    let bench = Bench()
    bench.scan(60)
    let before = bench.core.next(23, for: "a")
    bench.core.acknowledge(before, by: "a")
    bench.scan(60)
    disk_truncate(bench.disk.disk, bench.disk.path + "-wal", size)
    bench.kill()
    let lost = lost(bench, before)
    #expect(lost.counted == lost.true && lost.unknown == 0, "\(lost)")
    #expect(bench.core.status().undeliveredCount == 0)
    if size == 0 { #expect(lost.true == 97) }
    bench.scan(3)
    #expect(bench.drain().numbers.allSatisfy { $0 > 120 })
  }

  @Test(arguments: [0, 4152, 100_000])
  func `the lost scans of a journal that was overwritten before a kill are counted`(
    _ offset: Int64
  ) {
    let bench = Bench()
    bench.scan(120)
    let before = bench.core.next(30, for: "a")
    bench.core.acknowledge(before, by: "a")
    let journal = bench.disk.path + "-wal"
    disk_overwrite(bench.disk.disk, journal, offset, (bench.disk.size(journal) ?? 0) - offset, false)
    bench.kill()
    let lost = lost(bench, before)
    #expect(lost.counted == lost.true && lost.unknown == 0, "\(lost)")
  }

  @Test(arguments: [true, false]) func `a journal that was cut while the station runs costs nothing as long as it runs`(
    _ isCut: Bool
  ) {
    let bench = Bench()
    bench.scan(120)
    let journal = bench.disk.path + "-wal"
    let size = bench.disk.size(journal) ?? 0
    if isCut {
      disk_truncate(bench.disk.disk, journal, size / 2)
    } else {
      disk_overwrite(bench.disk.disk, journal, 0, size, false)
    }
    bench.scan(20)
    bench.wait()
    bench.restart()
    let lost = lost(bench)
    #expect(lost.true == 0 && lost.counted == 0, "\(lost)")
  }

  @Test(arguments: [0, 4096, 4096 * 5]) func `the lost scans of a database that was cut are counted, and nothing else`(
    _ size: Int64
  ) {
    for isDelivered in [false, true] {
      let bench = Bench()
      bench.scan(62)
      let before = isDelivered ? bench.drain() : []
      bench.restart { disk_truncate(bench.disk.disk, bench.disk.path, size) }
      let lost = lost(bench, before)
      #expect(lost.counted == lost.true && lost.unknown == 0, "\(lost)")
      if isDelivered { #expect(lost.counted == 0) }
    }
  }

  @Test func `reserved numbers that were not used do not count as lost`() {
    let bench = Bench()
    bench.scan(62)
    let before = bench.drain()
    bench.kill {
      disk_truncate(bench.disk.disk, bench.disk.path, 4096)
      disk_truncate(bench.disk.disk, bench.disk.path + "-wal", 0)
    }
    let lost = lost(bench, before)
    #expect(lost.counted == 0 && lost.true == 0 && lost.unknown == 0, "\(lost)")
  }

  @Test(arguments: [0, 7, 40]) func `the mark reveals an older copy of the database, and what it lacks`(
    _ deliveredCount: Int
  ) {
    let bench = Bench()
    bench.scan(25)
    var before = bench.drain()
    bench.restart()
    var old: [UInt8] = []
    bench.restart { old = bytes(bench) }
    bench.scan(40)
    let next = bench.core.next(deliveredCount, for: "a")
    bench.core.acknowledge(next, by: "a")
    before += next
    bench.restart { put(old, bench) }
    let lost = lost(bench, before)
    #expect(lost.true == 40 - deliveredCount && lost.counted == lost.true && lost.unknown == 0, "\(lost)")
    bench.scan(1)
    #expect(bench.drain().numbers.allSatisfy { $0 > 65 })
  }

  @Test(arguments: ["emptied", "removed"])
  func `a file lost with its mark is reported with an unknown number of scans`(
    _ way: String
  ) {
    let bench = Bench()
    #expect(bench.core.status().unknownLossCount == 0, "a new station has lost nothing")
    bench.scan(10)
    bench.restart {
      for suffix in ["", "-wal", "-shm", "-mark"] {
        if way == "emptied" {
          disk_truncate(bench.disk.disk, bench.disk.path + suffix, 0)
        } else {
          _ = disk_remove(bench.disk.disk, bench.disk.path + suffix)
        }
      }
    }
    #expect(bench.core.status().unknownLossCount == 1 && bench.core.status().lostCount == 0)
    bench.restart()
    #expect(bench.core.status().unknownLossCount == 0, "it is reported once")
  }

  @Test func `a file that is gone is counted by its mark`() {
    let bench = Bench()
    bench.scan(60)
    let before = bench.core.next(20, for: "a")
    bench.core.acknowledge(before, by: "a")
    bench.kill { for suffix in ["", "-wal", "-shm"] { _ = disk_remove(bench.disk.disk, bench.disk.path + suffix) } }
    #expect(bench.core.status().lostCount == 40 && bench.core.status().unknownLossCount == 0)
  }

  @Test func `after a power cut the mark may be old, and a lost file may have had more scans`() {
    let bench = Bench()
    bench.scan(60)
    bench.kill {
      bench.moment.restart(after: .seconds(10))
      for suffix in ["", "-wal", "-shm"] { _ = disk_remove(bench.disk.disk, bench.disk.path + suffix) }
    }
    #expect(bench.core.status().lostCount == 60 && bench.core.status().unknownLossCount == 1)
  }
}

@Suite struct PoisonTests {
  @Test(arguments: [0, 5, 59]) func `a rejected scan does not delay the others`(_ poison: Int) {
    let bench = Bench()
    bench.scan(60)
    let receiver = PickyReceiver(rejecting: ["\(poison + 1)"])
    var loop = SimulatedLoop(name: "a", random: SeededRandom(seed: 1), isOrdered: false)
    for _ in 0..<5000 {
      if !loop.step(bench.core, receiver, at: bench.moment.now) { bench.moment.now += .seconds(61) }
    }
    #expect(receiver.received.count == 59)
    // The last scan looks like a receiver that accepts nothing until another scan comes.
    let isLast = poison == 59
    #expect(bench.core.status().deadCount == (isLast ? 0 : 1))
    #expect(bench.core.undeliveredCount(for: "a") == (isLast ? 1 : 0))
    if isLast { return }
    #expect((try? bench.core.store?.deadLetters().map(\.number)) == [Int64(poison + 1)])
    bench.restart()
    #expect(bench.core.status().deadCount == 1)
    receiver.rejects = []
    #expect(bench.core.perform(OutboxRequest(.retryDead), retries: []) == "1 dead letters go out again: a")
    #expect(bench.drain().texts == ["\(poison + 1)"])
  }

  private func deliver(_ bench: Bench, to receiver: Receiver, until: Duration = .seconds(7200), _ isDone: () -> Bool) {
    var loop = SimulatedLoop(name: "a", random: SeededRandom(seed: 1), retry: RetrySettings(), batching: BatchSettings())
    while bench.moment.now < until, !isDone() {
      if !loop.step(bench.core, receiver, at: bench.moment.now) { bench.moment.now += .milliseconds(100) }
    }
  }

  /// Rejected labels, and the longest time for which they hold up the labels after them: the first one for its ten
  /// rejections, others until the receiver has been seen to accept anything.
  @Test(
    arguments: [
      ("one label, 11 times", Array(repeating: "x", count: 11), 40),
      ("one label, 300 times", Array(repeating: "x", count: 300), 40),
      ("11 labels", (1...11).map { "x\($0)" }, 80), ("35 labels", (1...35).map { "x\($0)" }, 200),
    ] as [(String, [String], Int)])
  func `rejected labels do not delay the scans behind them`(
    _ name: String, _ poison: [String], _ seconds: Int
  ) {
    let bench = Bench()
    for text in poison { bench.scan(1, text) }
    for number in 1...39 { bench.scan(1, "good \(number)") }
    let receiver = PickyReceiver(rejecting: Set(poison))
    let deadCount = min(poison.count, 39)
    deliver(bench, to: receiver) {
      bench.core.status().deadCount == deadCount && bench.core.undeliveredCount(for: "a") == poison.count - deadCount
    }
    #expect(receiver.received.texts == (1...39).map { "good \($0)" })
    #expect(bench.moment.now < .seconds(seconds), "\(bench.moment.now)")
    // One dead letter per good scan, which shows that the label is at fault.
    #expect((try? bench.core.store?.deadLetters().count) == deadCount)
  }

  @Test func `a label that became a dead letter delays nothing when it is scanned again`() {
    let bench = Bench()
    let receiver = PickyReceiver(rejecting: ["x"])
    bench.scan(1, "x")
    bench.scan(1)
    deliver(bench, to: receiver) { bench.core.status().deadCount == 1 }
    var loop = SimulatedLoop(name: "a", random: SeededRandom(seed: 1), retry: RetrySettings(), batching: BatchSettings())
    for round in 0..<5 {
      bench.scan(1, "x")
      bench.scan(1, "good")
      let start = bench.moment.now
      while bench.core.undeliveredCount(for: "a") > 0, bench.moment.now < start + .seconds(60) {
        if !loop.step(bench.core, receiver, at: bench.moment.now) { bench.moment.now += .milliseconds(100) }
      }
      // A new loop has to learn it first.
      if round > 0 { #expect(bench.moment.now == start) }
    }
    #expect(bench.core.status().deadCount == 6 && receiver.received.count == 6)
  }

  @Test(arguments: 1...25) func `a receiver that is repaired while others pass receives the scan that it rejected`(
    _ count: Int
  ) {
    let bench = Bench()
    bench.scan(30)
    let receiver = PickyReceiver(rejecting: Set((1...30).map(String.init)))
    // It rejects everything for `count` attempts.
    receiver.rejectionCountLeft = count
    deliver(bench, to: receiver) { bench.core.undeliveredCount(for: "a") == 0 }
    #expect(bench.core.status().deadCount == 0)
    #expect(Set(receiver.received.texts) == Set(texts(1...30)))
  }

  @Test func `a receiver that rejects everything makes no dead letters`() {
    let bench = Bench()
    bench.scan(30)
    let receiver = PickyReceiver(rejecting: Set((1...30).map(String.init)))
    var loop = SimulatedLoop(name: "a", random: SeededRandom(seed: 1), isOrdered: false)
    for _ in 0..<2000 {
      if !loop.step(bench.core, receiver, at: bench.moment.now) { bench.moment.now += .seconds(61) }
    }
    #expect(bench.core.status().deadCount == 0)
    #expect(bench.core.undeliveredCount(for: "a") == 30)
  }

  @Test func `a sink that keeps its order is stuck on a rejected scan, and reports it`() {
    var settings = RetrySettings()
    settings.rejectionCountMax = nil
    var machine = DeliveryMachine(settings: settings)
    var random = ConstantRandom()
    _ = machine.handle(.started, at: .zero, using: &random)
    _ = machine.handle(.recordTaken(isSuspect: false), at: .zero, using: &random)
    for _ in 0..<10 {
      #expect(!machine.isStuck)
      _ = machine.handle(.attemptEnded(.rejected(after: nil, trouble)), at: .zero, using: &random)
      _ = machine.isStuck ? [] : machine.handle(.waitEnded, at: .zero, using: &random)
    }
    #expect(machine.isStuck)
  }
}

/// Rejects scans by their text.
private final class PickyReceiver: Receiver {
  var rejects: Set<String>
  /// After this many rejections it accepts everything.
  var rejectionCountLeft = Int.max

  init(rejecting rejects: Set<String>) { self.rejects = rejects }

  override func answer(_ records: [ScanRecord]) -> DeliveryOutcome {
    if rejectionCountLeft > 0, records.contains(where: { rejects.contains($0.text) }) {
      rejectionCountLeft -= 1
      return .rejected(after: nil, trouble)
    }
    return super.answer(records)
  }
}

/// Scans that wait for at most an hour.
@Suite struct OutboxAgeTests {
  private static let hour = Duration.seconds(3600)

  private func bench() -> Bench { Bench { $0.undeliveredAgeMax = Self.hour } }

  private func discarded(_ bench: Bench) -> Int { bench.core.counts.discarded }

  @Test func `scans that are too old are discarded, the oldest first, however many they are`() {
    let bench = bench()
    bench.scan(250)
    bench.wait(.seconds(3000))
    bench.scan(3)
    bench.wait(.seconds(599))
    #expect(discarded(bench) == 0)
    bench.wait(.seconds(2))
    #expect(discarded(bench) == 250)
    #expect(bench.drain().texts == texts(251...253))
  }

  @Test(arguments: [2 * 86_400_000, -2 * 86_400_000]) func `a clock that is set wrong makes no scan older`(_ jump: Int64) {
    let bench = bench()
    bench.scan(60)
    bench.moment.wallMilliseconds += jump
    bench.moment.isSynchronized = false
    bench.wait(.seconds(60))
    #expect(discarded(bench) == 0)
    // Not even after a restart of a board whose clock is not set.
    bench.kill { bench.moment.restart(after: .seconds(60)) }
    bench.wait(.seconds(60))
    #expect(discarded(bench) == 0)
    #expect(bench.drain().count == 60)
  }

  @Test func `a jump that the kernel did not notice makes no scan of this boot older`() {
    let bench = bench()
    bench.scan(60)
    bench.moment.wallMilliseconds += 2 * 86_400_000
    bench.wait(.seconds(60))
    #expect(discarded(bench) == 0)
  }

  @Test func `time that the board was off counts if the clock is kept right before and after`() {
    let bench = bench()
    bench.scan(5)
    bench.kill { bench.moment.restart(after: .seconds(4000)) }
    bench.wait()
    #expect(discarded(bench) == 5)
  }

  @Test func `a scan captured before the clock was set is as old as its boot`() {
    let bench = bench()
    bench.moment.wallMilliseconds -= 10 * 86_400_000
    bench.moment.isSynchronized = false
    bench.scan(5)
    bench.kill {
      bench.moment.wallMilliseconds += 10 * 86_400_000
      bench.moment.isSynchronized = true
      bench.moment.restart(after: .seconds(60))
    }
    bench.wait()
    #expect(discarded(bench) == 0)
    // It is at least as old as this boot.
    bench.wait(.seconds(3600))
    #expect(discarded(bench) == 5)
  }

  @Test func `the metric of the oldest scan does not jump with the clock`() {
    let bench = bench()
    bench.scan(1)
    bench.moment.wallMilliseconds += 2 * 86_400_000
    bench.wait(.seconds(60))
    #expect(bench.core.oldestAge == .seconds(60))
  }
}
