// The promise of the outbox against power cuts. A layer under SQLite records every write and sync. For a cut at any moment,
// the test builds the files as a disk might leave them: everything synced is kept; of the rest nothing, everything, or any
// part, torn at any byte. Every scan acknowledged before the cut must then be there.

import CStorageRecorder
import FoundationEssentials
import Glibc
import TestSupport
import Testing
@testable import DeliveryModel
@testable import Outbox

/// The folder of an outbox whose storage records all operations, or fails.
final class WatchedFolder {
  let folder: TemporaryFolder
  private let watcher: OpaquePointer

  init() throws {
    storage_install()
    folder = try TemporaryFolder()
    watcher = storage_watch(folder.path)
  }

  deinit { storage_unwatch(watcher) }

  func mark(_ number: Int64) { storage_add_mark(watcher, number) }
  func set(_ fault: storage_fault) { storage_set_fault(watcher, fault) }
  var entryCount: Int { Int(storage_entry_count(watcher)) }
  func entry(_ index: Int) -> storage_entry { storage_entry_at(watcher, Int64(index)).pointee }
}

extension storage_entry {
  var fileName: String { withUnsafeBytes(of: name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) } }
  var content: [UInt8] { Array(UnsafeBufferPointer(start: bytes, count: Int(size))) }
}

/// A disk that loses everything that was not synced.
private struct ForgetfulDisk {
  private struct File {
    var durable: [UInt8] = []
    /// Changes since the last sync, in order.
    var pending: [Change] = []
  }

  private enum Change {
    case write(Int, [UInt8])
    case truncate(Int)

    func apply(to bytes: inout [UInt8]) {
      switch self {
      case .truncate(let size):
        bytes = size <= bytes.count ? Array(bytes.prefix(size)) : bytes + [UInt8](repeating: 0, count: size - bytes.count)
      case .write(let offset, let content):
        let end = offset + content.count
        if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
        bytes.replaceSubrange(offset..<end, with: content)
      }
    }

    /// The part of the change that is written if the power fails meanwhile, up to any byte.
    func torn() -> Change {
      guard case .write(let offset, let content) = self else { return self }
      return .write(offset, Array(content.prefix(Int.random(in: 0...content.count))))
    }
  }

  private var files: [String: File] = [:]
  /// The current names, and those that would be found after a cut.
  private var names: Set<String> = []
  private var durableNames: Set<String> = []

  /// - Parameter folder: its initial files are durable.
  init(folder: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      files[name] = File(durable: Array(try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))))
    }
    names = Set(files.keys)
    durableNames = names
  }

  mutating func take(_ entry: storage_entry) {
    let name = entry.fileName
    switch entry.kind {
    case storage_write: files[name, default: File()].pending.append(.write(Int(entry.offset), entry.content))
    case storage_truncate: files[name, default: File()].pending.append(.truncate(Int(entry.offset)))
    case storage_sync:
      guard var file = files[name] else { return }
      for change in file.pending { change.apply(to: &file.durable) }
      file.pending = []
      files[name] = file
    case storage_create:
      files[name] = File()
      names.insert(name)
    case storage_delete: names.remove(name)
    case storage_sync_names: durableNames = names
    default: break
    }
  }

  /// Writes the remainder after a cut to a folder.
  func cut(into folder: String) throws {
    // Names created or removed since the names were synced may or may not be there.
    var left = durableNames
    for name in names.symmetricDifference(durableNames) where Bool.random() { left.formSymmetricDifference([name]) }
    for name in left where !name.hasSuffix("-shm") {
      guard let file = files[name] else { continue }
      var bytes = file.durable
      switch Int.random(in: 0..<3) {
      case 0: break
      case 1:
        for change in file.pending.dropLast() { change.apply(to: &bytes) }
        file.pending.last?.torn().apply(to: &bytes)
      default:
        for change in file.pending where Bool.random() {
          (Bool.random() ? change : change.torn()).apply(to: &bytes)
        }
      }
      try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
    }
  }
}

@Suite(.serialized, .timeLimit(.minutes(10))) struct PowerCutTests {
  /// Number of power cuts.
  private var cutCount: Int { TestDepth.scaled(60) }
  private static let cutsOfARun = 20

  /// The events of a run, by the number of marks: a scan was acknowledged, or the sink has it.
  private struct Run {
    let watched: WatchedFolder
    var disk: ForgetfulDisk
    var acknowledged: [Int: String] = [:]
    var delivered: [Int: String] = [:]
  }

  private func settings(_ folder: TemporaryFolder, _ synchronous: OutboxSettings.Synchronous) -> OutboxSettings {
    var settings = OutboxSettings()
    settings.path = folder.file("outbox.sqlite")
    settings.synchronous = synchronous
    settings.deliveredCountKept = 5
    return settings
  }

  /// Fills and drains an outbox for a while, with maintenance, so that the log is written back and truncated.
  private func run(in watched: WatchedFolder, _ synchronous: OutboxSettings.Synchronous, scanCount: Int) async throws -> Run
  {
    var run = Run(watched: watched, disk: try ForgetfulDisk(folder: watched.folder.path))
    var scans = ScanMaker()
    let outbox = await Outbox(settings: settings(watched.folder, synchronous), sinks: [OutboxSink("a")], logger: quiet)
    var mark = 0
    for number in 1...scanCount {
      // One scan, or the codes of a frame.
      let frame = (0..<(number % 7 == 0 ? 4 : 1)).map { _ in scans.next(String(repeating: "x", count: 40 * (number % 60))) }
      for receipt in await outbox.append(frame) { #expect(try receipt.get().isDurable) }
      for scan in frame {
        mark += 1
        run.acknowledged[mark] = scan.id.description
        watched.mark(Int64(mark))
      }
      for _ in 0..<Int.random(in: 0...2) where await outbox.undeliveredCount(for: "a") > 0 {
        guard let record = await outbox.nextRecord(for: "a") else { break }
        // The sink has it before the outbox knows: after a cut between the two, it is delivered again.
        mark += 1
        run.delivered[mark] = record.id.description
        watched.mark(Int64(mark))
        await outbox.acknowledge(record, by: "a")
      }
      if number % 25 == 0 { await outbox.maintain() }
    }
    await outbox.close()
    return run
  }

  /// Cuts the power at a moment of a run and returns the scans that were acknowledged before and are lost.
  private func lostScans(_ run: Run, _ cut: Int, _ synchronous: OutboxSettings.Synchronous) async throws -> [String] {
    var disk = run.disk
    var marks = 0
    for index in 0..<cut {
      let entry = run.watched.entry(index)
      if entry.kind == storage_mark { marks = Int(entry.offset) } else { disk.take(entry) }
    }
    let folder = try TemporaryFolder()
    try disk.cut(into: folder.path)
    let outbox = await Outbox(settings: settings(folder, synchronous), sinks: [OutboxSink("a")], logger: quiet)
    #expect(await outbox.state == .durable)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!files.contains { $0.contains(".damaged-") }, "a power cut damaged the file")
    let there = await outbox.records(after: 0, limit: .max).map(\.id.description)
    #expect(there == there.sorted() && Set(there).count == there.count)
    let undelivered = Set(there.suffix(await outbox.undeliveredCount(for: "a")))
    let delivered = Set(run.delivered.filter { $0.key <= marks }.values)
    var scans = ScanMaker()
    #expect(try await outbox.append(scans.next()).isDurable, "the outbox goes on after the cut")
    await outbox.close()
    return run.acknowledged.filter { $0.key <= marks && !delivered.contains($0.value) && !undelivered.contains($0.value) }
      .map(\.value)
  }

  @Test func `no acknowledged scan is lost by a power cut`() async throws {
    var acknowledgedCount = 0
    for first in stride(from: 0, to: cutCount, by: Self.cutsOfARun) {
      let run = try await run(in: try WatchedFolder(), .full, scanCount: 120)
      acknowledgedCount += run.acknowledged.count
      for _ in first..<min(first + Self.cutsOfARun, cutCount) {
        let cut = Int.random(in: 0...run.watched.entryCount)
        let lost = try await lostScans(run, cut, .full)
        #expect(lost.isEmpty, "a cut after entry \(cut) of \(run.watched.entryCount) lost acknowledged scans")
      }
    }
    print("\(cutCount) power cuts, \(acknowledgedCount) scans acknowledged in all runs, 0 lost")
  }

  /// The storage cost of a scan, independent of the machine's load: one sync for a frame's scans, none for their delivery,
  /// and occasionally two when the log is written back.
  @Test func `a frame of scans costs one sync, and its delivery no further one`() async throws {
    let watched = try WatchedFolder()
    let outbox = await Outbox(settings: settings(watched.folder, .full), sinks: [OutboxSink("a")], logger: quiet)
    func syncCount() -> Int { (0..<watched.entryCount).count { watched.entry($0).kind == storage_sync } }
    var scans = ScanMaker()
    let before = syncCount()
    let frameCount = 100
    for number in 1...frameCount {
      let frame = (0..<(number % 4 + 1)).map { _ in scans.next() }
      for receipt in await outbox.append(frame) { #expect(try receipt.get().isDurable) }
      for _ in frame {
        guard let record = await outbox.nextRecord(for: "a") else { break }
        await outbox.acknowledge(record, by: "a")
      }
    }
    #expect(await outbox.undeliveredCount(for: "a") == 0)
    #expect((frameCount...frameCount + 10).contains(syncCount() - before), "\(syncCount() - before) syncs")
    await outbox.close()
  }

  /// A disk forgets other parts of its writes in each attempt.
  @Test func `after a power cut while the file is created the outbox opens`() async throws {
    let run = try await run(in: try WatchedFolder(), .full, scanCount: 3)
    for cut in 0...min(120, run.watched.entryCount) {
      for _ in 0..<4 {
        let lost = try await lostScans(run, cut, .full)
        #expect(lost.isEmpty, "a cut after entry \(cut) of \(run.watched.entryCount) lost acknowledged scans")
      }
    }
  }

  /// Proves that such a disk can lose scans.
  @Test func `without syncs acknowledged scans are lost by a power cut`() async throws {
    let run = try await run(in: try WatchedFolder(), .normal, scanCount: 60)
    var lostCount = 0
    for _ in 0..<20 {
      lostCount += try await lostScans(run, Int.random(in: 0...run.watched.entryCount), .normal).count
    }
    #expect(lostCount > 0)
  }
}

/// A disk that fails under a running outbox: scanning continues in memory with a warning, and the outbox heals.
@Suite(.timeLimit(.minutes(2))) struct FailingDiskTests {
  private let watched: WatchedFolder
  private let clock = SimulatedClock()

  init() throws { watched = try WatchedFolder() }

  private func open() async -> Outbox {
    var settings = OutboxSettings()
    settings.path = watched.folder.file("outbox.sqlite")
    settings.onTrouble = .memory
    return await Outbox(settings: settings, sinks: [OutboxSink("a")], clock: clock, logger: quiet)
  }

  private func drain(_ outbox: Outbox) async -> [String] {
    var texts: [String] = []
    while await outbox.undeliveredCount(for: "a") > 0, let record = await outbox.nextRecord(for: "a") {
      texts.append(record.text)
      await outbox.acknowledge(record, by: "a")
    }
    return texts
  }

  @Test(
    arguments: [
      (storage_full, .full), (storage_read_only, .storage), (storage_sync_fails, .storage),
    ] as [(storage_fault, OutboxTrouble.Cause)])
  func `scans are kept in memory and written once the disk works again`(
    _ fault: storage_fault, _ cause: OutboxTrouble.Cause
  ) async throws {
    var scans = ScanMaker()
    var outbox = await open()
    for _ in 1...3 { #expect(try await outbox.append(scans.next()).isDurable) }
    watched.set(fault)
    // Each of a frame's codes is reported as not safe.
    let frame = (0..<3).map { _ in scans.next(String(repeating: "y", count: 3000)) }
    for receipt in await outbox.append(frame) { #expect(try !receipt.get().isDurable) }
    guard case .troubled(let trouble) = await outbox.state else {
      Issue.record("the state says nothing of the disk")
      return
    }
    #expect(trouble.cause == cause, "\(trouble)")
    let status = await outbox.status()
    #expect(status.durability == .memory && status.inMemoryCount == 3 && status.undeliveredCount == 6)
    #expect(status.trouble != nil && status.remedy != nil)
    // The state lasts as long as the disk's.
    clock.advance(by: .seconds(6))
    await outbox.maintain()
    #expect(await outbox.status().durability == .memory)
    watched.set(storage_sound)
    clock.advance(by: .seconds(6))
    await outbox.maintain()
    #expect(await outbox.state == .durable)
    #expect(await outbox.status().trouble == nil)
    await outbox.close()
    outbox = await open()
    #expect(await drain(outbox) == ["1", "2", "3"] + frame.map(\.text))
    await outbox.close()
  }

  @Test func `a read-only disk at the start is reported with its remedy`() async throws {
    var scans = ScanMaker()
    var outbox = await open()
    _ = try await outbox.append(scans.next())
    await outbox.close()
    watched.set(storage_read_only)
    outbox = await open()
    guard case .troubled(let trouble) = await outbox.state else {
      Issue.record("the state says nothing of the disk")
      return
    }
    #expect(trouble.cause == .readOnly || trouble.cause == .cannotOpen, "\(trouble)")
    #expect(try await !outbox.append(scans.next()).isDurable)
    watched.set(storage_sound)
    clock.advance(by: .seconds(6))
    await outbox.maintain()
    #expect(await drain(outbox) == ["1", "2"])
    await outbox.close()
  }
}
