// The outbox's promises: order, positions, limits, and that no acknowledged scan is lost when its file is in trouble.

import FoundationEssentials
import Glibc
import Testing
@testable import DeliveryModel
@testable import Outbox

@Suite(.timeLimit(.minutes(2))) struct OutboxTests {
  private let folder: TemporaryFolder
  private var settings = OutboxSettings()
  private let clock = SimulatedClock()

  init() throws {
    folder = try TemporaryFolder()
    settings.path = folder.file("outbox.sqlite")
    settings.onTrouble = .memory
  }

  private func open(
    _ sinks: [String] = ["a"], at path: String? = nil, _ change: (inout OutboxSettings) -> Void = { _ in }
  ) async -> Outbox {
    var settings = settings
    if let path { settings.path = path }
    change(&settings)
    return await Outbox(settings: settings, sinks: sinks.map { OutboxSink($0) }, clock: clock, logger: quiet)
  }

  /// Takes and acknowledges all scans that a sink does not have yet.
  private func drain(_ outbox: Outbox, _ sink: String = "a", limit: Int = .max) async -> [String] {
    var texts: [String] = []
    while texts.count < limit, await outbox.undeliveredCount(for: sink) > 0,
      let record = await outbox.nextRecord(for: sink)
    {
      texts.append(record.text)
      await outbox.acknowledge(record, by: sink)
    }
    return texts
  }

  @Test func `scans are numbered and come back in order`() async throws {
    let outbox = await open()
    var scans = ScanMaker()
    for number in 1...5 {
      #expect(try await outbox.append(scans.next()) == Outbox.Receipt(sequence: Int64(number), isDurable: true))
    }
    #expect(await drain(outbox) == ["1", "2", "3", "4", "5"])
  }

  @Test func `scans survive reopening the outbox`() async throws {
    var scans = ScanMaker()
    var outbox = await open()
    for _ in 1...4 { _ = try await outbox.append(scans.next()) }
    #expect(await drain(outbox, limit: 2) == ["1", "2"])
    await outbox.close()
    outbox = await open()
    #expect(try await outbox.append(scans.next()).sequence == 5)
    #expect(await drain(outbox) == ["3", "4", "5"])
  }

  @Test func `sequence numbers go on after everything was deleted`() async throws {
    var scans = ScanMaker()
    var outbox = await open { $0.deliveredCountKept = 0 }
    for _ in 1...3 { _ = try await outbox.append(scans.next()) }
    _ = await drain(outbox)
    await outbox.maintain()
    #expect(await outbox.newest(10).isEmpty)
    await outbox.close()
    outbox = await open()
    #expect(try await outbox.append(scans.next()).sequence == 4)
  }

  @Test func `each sink has a separate position`() async throws {
    var scans = ScanMaker()
    let outbox = await open(["fast", "slow"])
    for _ in 1...3 { _ = try await outbox.append(scans.next()) }
    #expect(await drain(outbox, "fast") == ["1", "2", "3"])
    #expect(await drain(outbox, "slow", limit: 1) == ["1"])
    #expect(await outbox.undeliveredCount(for: "slow") == 2)
    #expect(await outbox.undeliveredCount(for: "fast") == 0)
  }

  @Test func `a new sink is not flooded with old scans`() async throws {
    var scans = ScanMaker()
    var outbox = await open(["a"])
    _ = try await outbox.append(scans.next())
    await outbox.close()
    outbox = await open(["a", "new"])
    #expect(await outbox.undeliveredCount(for: "new") == 0)
    #expect(await outbox.undeliveredCount(for: "a") == 1)
    _ = try await outbox.append(scans.next())
    #expect(await drain(outbox, "new") == ["2"])
  }

  @Test func `the same scan is accepted once`() async throws {
    var scans = ScanMaker()
    let outbox = await open()
    let scan = scans.next()
    let receipt = try await outbox.append(scan)
    _ = try await outbox.append(scans.next())
    #expect(try await outbox.append(scan) == receipt)
    #expect(await drain(outbox) == ["1", "2"])
  }

  @Test func `the newest delivered scans are kept as a history`() async throws {
    var scans = ScanMaker()
    let outbox = await open { $0.deliveredCountKept = 3 }
    for _ in 1...10 { _ = try await outbox.append(scans.next()) }
    _ = await drain(outbox, limit: 9)
    await outbox.maintain()
    #expect(await outbox.newest(100).map(\.text) == ["10", "9", "8"])
    #expect(await drain(outbox) == ["10"])
  }

  @Test func `a waiting sink gets a scan as soon as it comes`() async throws {
    var scans = ScanMaker()
    let outbox = await open()
    async let waited = outbox.nextRecord(for: "a")
    try await Task.sleep(for: .milliseconds(20))
    _ = try await outbox.append(scans.next("late"))
    #expect(await waited?.text == "late")
  }

  @Test func `waiting ends when the task is cancelled`() async throws {
    let outbox = await open()
    let waiting = Task { await outbox.nextRecord(for: "a") }
    try await Task.sleep(for: .milliseconds(20))
    waiting.cancel()
    #expect(await waiting.value == nil)
  }

  @Test func `others can read the outbox while it is in use`() async throws {
    var scans = ScanMaker()
    let outbox = await open(["a", "b"])
    for _ in 1...3 { _ = try await outbox.append(scans.next()) }
    _ = await drain(outbox, "a", limit: 2)
    let reader = try OutboxReader(path: settings.path)
    #expect(try reader.records(after: 1, limit: 10).map(\.text) == ["2", "3"])
    #expect(try reader.sinks().map(\.name) == ["a", "b"])
    #expect(try reader.sinks().map(\.position) == [2, 0])
    #expect(try reader.sinks().map(\.undeliveredCount) == [1, 3])
    let scan = scans.next()
    #expect(try reader.record(scan.id) == nil)
    #expect(try await outbox.append(scan).isDurable)
    #expect(try reader.record(scan.id)?.text == "4")
    #expect(throws: OutboxTrouble.self) { try OutboxReader(path: folder.file("missing.sqlite")) }
  }

  // MARK: Limits

  @Test func `an outbox full of undelivered scans refuses new ones`() async throws {
    var scans = ScanMaker()
    let outbox = await open { $0.undeliveredCountMax = 3 }
    for _ in 1...3 { _ = try await outbox.append(scans.next()) }
    let fourth = scans.next()
    await #expect(throws: OutboxRefusal.full(undeliveredCount: 3)) { try await outbox.append(fourth) }
    #expect(await drain(outbox, limit: 1) == ["1"])
    #expect(try await outbox.append(fourth).isDurable)
    #expect(await drain(outbox) == ["2", "3", "4"])
  }

  @Test func `a full outbox discards the oldest scans when told to`() async throws {
    var scans = ScanMaker()
    let outbox = await open {
      $0.undeliveredCountMax = 3
      $0.whenFull = .discardOldest
    }
    for _ in 1...5 { #expect(try await outbox.append(scans.next()).isDurable) }
    #expect(await drain(outbox) == ["3", "4", "5"])
  }

  @Test func `skipping passes over scans for one sink`() async throws {
    var scans = ScanMaker()
    let outbox = await open(["a", "b"])
    for _ in 1...4 { _ = try await outbox.append(scans.next()) }
    await outbox.perform(OutboxRequest(.purge, sink: "a", sequence: 3))
    #expect(await drain(outbox, "a") == ["4"])
    #expect(await drain(outbox, "b") == ["1", "2", "3", "4"])
  }

  // MARK: Trouble

  @Test func `scanning continues in memory while the folder is missing, and the outbox heals when it appears`() async throws
  {
    let path = folder.file("later/outbox.sqlite")
    var scans = ScanMaker()
    var outbox = await open(at: path)
    guard case .troubled(let trouble) = await outbox.state else {
      Issue.record("the state says nothing of the missing folder")
      return
    }
    #expect(trouble.cause == .cannotOpen)
    #expect(trouble.remedy.contains("folder"))
    #expect(try await outbox.append(scans.next()) == Outbox.Receipt(sequence: 0, isDurable: false))
    #expect(try await outbox.append(scans.next()) == Outbox.Receipt(sequence: 0, isDurable: false))
    #expect(await drain(outbox, limit: 1) == ["1"])
    try FileManager.default.createDirectory(atPath: folder.file("later"), withIntermediateDirectories: true)
    await outbox.maintain()
    #expect(await outbox.state != .durable, "healing is not tried more often than the interval says")
    clock.advance(by: .seconds(6))
    await outbox.maintain()
    #expect(await outbox.state == .durable)
    await outbox.close()
    outbox = await open(at: path)
    #expect(await drain(outbox) == ["2"])
  }

  @Test func `scans in memory come after those in the file and are not doubled`() async throws {
    var scans = ScanMaker()
    var outbox = await open(["a", "b"])
    for _ in 1...3 { _ = try await outbox.append(scans.next()) }
    await outbox.close()
    // The folder is missing when the station starts: for the time being, scans have no numbers.
    try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + "-away")
    outbox = await open(["a", "b"])
    #expect(try await outbox.append(scans.next()).sequence == 0)
    #expect(try await outbox.append(scans.next()).sequence == 0)
    #expect(await drain(outbox, "a", limit: 1) == ["4"])
    try FileManager.default.moveItem(atPath: folder.path + "-away", toPath: folder.path)
    clock.advance(by: .seconds(6))
    #expect(try await outbox.append(scans.next()) == Outbox.Receipt(sequence: 6, isDurable: true))
    #expect(await drain(outbox, "b") == ["1", "2", "3", "4", "5", "6"])
    #expect(await drain(outbox, "a") == ["1", "2", "3", "5", "6"])
  }

  private func nextNow(_ outbox: Outbox, _ sink: String) async -> ScanRecord? {
    let task = Task { await outbox.nextRecord(for: sink) }
    let watch = Task {
      try await Task.sleep(for: .milliseconds(200))
      task.cancel()
    }
    defer { watch.cancel() }
    return await task.value
  }

  @Test func `memory is bounded`() async throws {
    var scans = ScanMaker()
    let outbox = await open(at: folder.file("missing/outbox.sqlite")) { $0.memoryCountMax = 3 }
    for _ in 1...3 { _ = try await outbox.append(scans.next()) }
    let fourth = scans.next()
    await #expect(throws: OutboxRefusal.self) { try await outbox.append(fourth) }
    #expect(await drain(outbox, limit: 1) == ["1"])
    #expect(try await outbox.append(fourth).isDurable == false)
    #expect(await drain(outbox) == ["2", "3", "4"])
  }

  @Test func `a full memory discards the oldest scans when told to`() async throws {
    var scans = ScanMaker()
    let outbox = await open(at: folder.file("missing/outbox.sqlite")) {
      $0.memoryCountMax = 3
      $0.whenFull = .discardOldest
    }
    for _ in 1...5 { _ = try await outbox.append(scans.next()) }
    #expect(await drain(outbox) == ["3", "4", "5"])
  }

  /// Byte 18 of the header is the version required to write the file. SQLite reads a file with an unknown version but
  /// refuses to write it, as if it were read-only.
  @Test func `a header that no writer knows is damage, and the file is repaired`() async throws {
    var scans = ScanMaker()
    var outbox = await open()
    _ = try await outbox.append(scans.next())
    await outbox.close()
    let file = Glibc.open(settings.path, O_WRONLY)
    try #require(file >= 0)
    var version: UInt8 = 3
    try #require(pwrite(file, &version, 1, 18) == 1)
    Glibc.close(file)
    outbox = await open()
    #expect(await outbox.state == .durable)
    #expect(try await outbox.append(scans.next()).isDurable)
    #expect(await drain(outbox) == ["1", "2"])
  }

  @Test func `a scan taken from memory keeps its identity when the file is found meanwhile`() async throws {
    var scans = ScanMaker()
    var outbox = await open()
    _ = try await outbox.append(scans.next())
    await outbox.close()
    try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + "-away")
    outbox = await open()
    _ = try await outbox.append(scans.next())
    let taken = try #require(await outbox.nextRecord(for: "a"))
    #expect(taken.text == "2" && taken.sequence == 0)
    try FileManager.default.moveItem(atPath: folder.path + "-away", toPath: folder.path)
    clock.advance(by: .seconds(6))
    await outbox.maintain()
    await outbox.acknowledge(taken, by: "a")
    let first = try #require(await outbox.nextRecord(for: "a"))
    #expect(first.text == "1", "the scan that was in the file must not be lost")
    await outbox.acknowledge(first, by: "a")
    #expect(await nextNow(outbox, "a") == nil, "the scan that was delivered must not be doubled")
  }

  @Test func `a file that is removed while in use is created again`() async throws {
    var scans = ScanMaker()
    var outbox = await open()
    for _ in 1...3 { _ = try await outbox.append(scans.next()) }
    #expect(await drain(outbox, limit: 1) == ["1"])
    for companion in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: settings.path + companion) }
    await outbox.maintain()
    #expect(await outbox.state == .durable)
    #expect(try await outbox.append(scans.next()).sequence == 4)
    await outbox.close()
    outbox = await open()
    #expect(await drain(outbox) == ["2", "3", "4"])
  }

  @Test func `the file becomes small again after an outage`() async throws {
    var scans = ScanMaker()
    let outbox = await open { $0.deliveredCountKept = 10 }
    let text = String(repeating: "x", count: 1500)
    for _ in 1...600 { _ = try await outbox.append(scans.next(text)) }
    _ = await drain(outbox)
    for _ in 1...6 { await outbox.maintain() }
    await outbox.close()
    let size = try Data(contentsOf: URL(filePath: settings.path)).count
    #expect(size < 400_000, "\(size) bytes")
  }

  @Test func `storage that does not survive power-off is recognised`() {
    let mounts = """
      22 1 179:2 / / rw,noatime - overlay overlay rw
      30 22 0:25 / /run rw shared:5 - tmpfs tmpfs rw
      31 22 179:3 / /var/lib rw shared:6 - ext4 /dev/mmcblk0p3 rw
      40 31 0:30 / /var/lib/my\\040data rw - tmpfs tmpfs rw
      """
    #expect(Storage.fileSystem(of: "/home/pi", mounts: mounts) == "overlay")
    #expect(Storage.fileSystem(of: "/var/lib/reticle", mounts: mounts) == "ext4")
    #expect(Storage.fileSystem(of: "/var/lib/my data", mounts: mounts) == "tmpfs")
    #expect(Storage.fileSystem(of: "/running", mounts: mounts) == "overlay")
    #expect(Storage.fileSystem(of: "/", mounts: "") == "")
    #expect(!Storage(path: folder.file("x")).fileSystem.isEmpty)
    #expect(Storage(path: "/no/such/folder/outbox.sqlite").survivesPowerOff)
  }

  // MARK: Damage

  /// Changes the file as another program would.
  private func other(_ sql: String) throws {
    let database = try SQLiteDatabase(path: settings.path, .write, layer: nil, busyMilliseconds: 1000)
    try database.run(sql)
    database.close()
  }

  @Test func `a file that is no longer a database is set aside and replaced`() async throws {
    await open().close()
    try Data("this is no database, but longer than the header of one would be; it goes on and on and on".utf8)
      .write(to: URL(filePath: settings.path))
    var scans = ScanMaker()
    let outbox = await open()
    #expect(await outbox.state == .durable)
    #expect(try await outbox.append(scans.next()).isDurable)
    let kept = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains(".damaged-") }
    #expect(kept.count == 1)
  }

  @Test func `the readable scans of a damaged file are saved`() async throws {
    var scans = ScanMaker()
    var outbox = await open()
    for _ in 1...200 { _ = try await outbox.append(scans.next()) }
    #expect(await drain(outbox, limit: 10).count == 10)
    await outbox.close()
    // A page in the middle of the file is overwritten, as by a failing SD card.
    var data = try Data(contentsOf: URL(filePath: settings.path))
    let pageCount = data.count / 4096
    let start = pageCount / 2 * 4096
    data.replaceSubrange(start..<start + 4096, with: [UInt8](repeating: 0xA5, count: 4096))
    try data.write(to: URL(filePath: settings.path))
    outbox = await open()
    #expect(await outbox.state == .durable)
    let texts = await drain(outbox)
    #expect(texts.count > 150 && texts.count < 190, "salvaged \(texts.count)")
    #expect(texts.first == "11")
    #expect(texts.last == "200")
    #expect(try await outbox.append(scans.next()).sequence == 201)
  }

  @Test func `damage while running loses no new scan`() async throws {
    var scans = ScanMaker()
    let outbox = await open()
    for _ in 1...50 { _ = try await outbox.append(scans.next()) }
    #expect(await drain(outbox, limit: 50).count == 50)
    try other("UPDATE scan SET frame = x'00' WHERE number = 50")
    for _ in 51...60 { _ = try await outbox.append(scans.next()) }
    #expect(await drain(outbox).map { Int($0) ?? 0 } == Array(51...60))
  }

  @Test func `a record that cannot be read is found again where it is still whole`() async throws {
    var scans = ScanMaker()
    let outbox = await open()
    for _ in 1...5 { _ = try await outbox.append(scans.next()) }
    try other("UPDATE scan SET frame = x'00' WHERE number = 2")
    // Its frame remains in memory and in the journal.
    #expect(await drain(outbox) == ["1", "2", "3", "4", "5"])
    #expect(await outbox.state == .durable)
  }

  @Test func `damaged files do not pile up`() async throws {
    await open().close()
    for _ in 1...6 {
      try Data(repeating: 0x41, count: 5000).write(to: URL(filePath: settings.path))
      await open().close()
      try await Task.sleep(for: .milliseconds(3))
    }
    let kept = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.contains(".damaged-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
    #expect(kept.count == OutboxRepair.damagedFileCountMax)
  }

  @Test func `a file that another program holds is waited for and then healed`() async throws {
    var scans = ScanMaker()
    let outbox = await open()
    _ = try await outbox.append(scans.next())
    let other = try SQLiteDatabase(path: settings.path, .write, layer: nil, busyMilliseconds: 0)
    try other.run("BEGIN IMMEDIATE")
    #expect(try await !outbox.append(scans.next()).isDurable)
    #expect(await drain(outbox) == ["1", "2"])
    try other.run("ROLLBACK")
    other.close()
    clock.advance(by: .seconds(6))
    // The number of the failed write is not used again.
    #expect(try await outbox.append(scans.next()) == Outbox.Receipt(sequence: 4, isDurable: true))
    #expect(await outbox.newest(3).map(\.text) == ["3", "2", "1"])
  }
}
