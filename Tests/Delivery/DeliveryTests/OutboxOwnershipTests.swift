// Paths that name something other than an outbox are left unchanged.

import FoundationEssentials
import Glibc
import Testing
@testable import DeliveryModel
@testable import Outbox

@Suite(.timeLimit(.minutes(2))) struct OutboxOwnershipTests {
  private let folder: TemporaryFolder
  private var settings = OutboxSettings()

  init() throws {
    folder = try TemporaryFolder()
    settings.path = folder.file("outbox.sqlite")
    settings.onTrouble = .memory
  }

  private func open(at path: String? = nil) async -> Outbox {
    var settings = settings
    if let path { settings.path = path }
    return await Outbox(settings: settings, sinks: [OutboxSink("a")], logger: quiet)
  }

  private func cause(_ outbox: Outbox) async -> OutboxTrouble.Cause? {
    if case .troubled(let trouble) = await outbox.state { trouble.cause } else { nil }
  }

  /// Every file in a folder, with its bytes.
  private func contents(of path: String) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      contents[name] = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
    }
    return contents
  }

  /// Another program's database, as that program keeps it open.
  private func makeDatabase(_ path: String, journal: String, checkpoints: Bool = true) throws -> SQLiteDatabase {
    let database = try SQLiteDatabase(path: path, .create, layer: nil, busyMilliseconds: 0)
    _ = try database.first("PRAGMA journal_mode = \(journal)") { $0.text(0) }
    if !checkpoints { try database.run("PRAGMA wal_autocheckpoint = 0") }
    try database.run("CREATE TABLE invoice (number INTEGER PRIMARY KEY, total REAL)")
    try database.run("INSERT INTO invoice VALUES (1, 19.90)")
    return database
  }

  enum Foreign: String, CaseIterable { case text, database, openDatabase, unwrittenDatabase, binary }

  @Test(arguments: Foreign.allCases)
  func `a file that is not an outbox is refused with a remedy, and neither it nor its folder is changed`(
    foreign: Foreign
  ) async throws {
    var keptOpen: SQLiteDatabase?
    switch foreign {
    case .text: try Data("eggs\nmilk\n".utf8).write(to: URL(filePath: settings.path))
    case .binary: try Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 37) }).write(to: URL(filePath: settings.path))
    case .database: try makeDatabase(settings.path, journal: "delete").close()
    case .openDatabase: keptOpen = try makeDatabase(settings.path, journal: "wal")
    case .unwrittenDatabase: keptOpen = try makeDatabase(settings.path, journal: "wal", checkpoints: false)
    }
    let before = try contents(of: folder.path)
    let outbox = await open()
    #expect(await cause(outbox) == .foreign)
    // Neither retrying nor inspecting changes anything.
    await outbox.maintain()
    #expect(throws: OutboxTrouble.self) { try OutboxReader(path: settings.path) }
    let trouble = try #require(Outbox.foreignFile(at: settings.path))
    #expect(trouble.description.contains("it is not an outbox, and was not touched"))
    #expect(trouble.remedy.contains("outbox.path"))
    await outbox.close()
    #expect(try contents(of: folder.path) == before)
    keptOpen?.close()
  }

  @Test func `a folder, a device and a pipe are refused as outboxes`() throws {
    let pipe = folder.file("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    for path in [folder.path, "/dev/null", pipe] {
      #expect(Outbox.foreignFile(at: path)?.detail == "it is no ordinary file", "\(path)")
    }
    #expect(Outbox.foreignFile(at: folder.file("new.sqlite")) == nil)
  }

  /// A power cut during the first start may leave a part of the database's first page.
  @Test(arguments: [1, 15, 16, 60, 107])
  func `a file that ends within the head of its first page is created again`(byteCount: Int) async throws {
    let other = folder.file("other.sqlite")
    try makeDatabase(other, journal: "delete").close()
    try Data(contentsOf: URL(filePath: other)).prefix(byteCount).write(to: URL(filePath: settings.path))
    #expect(Outbox.foreignFile(at: settings.path) == nil)
    #expect(try Data(contentsOf: URL(filePath: settings.path)).count == byteCount, "looking changes nothing")
    let outbox = await open()
    var scans = ScanMaker()
    #expect(try await outbox.append(scans.next()).isDurable)
    await outbox.close()
  }

  @Test func `an outbox with a damaged first page and without its other files is repaired`() async throws {
    var outbox = await open()
    var scans = ScanMaker()
    for _ in 1...3 { _ = try await outbox.append(scans.next()) }
    await outbox.close()
    try FileManager.default.removeItem(atPath: settings.path + OutboxMark.suffix)
    let file = Glibc.open(settings.path, O_WRONLY)
    try #require(pwrite(file, [UInt8](repeating: 0xA5, count: 512), 512, 0) == 512)
    close(file)
    outbox = await open()
    #expect(await cause(outbox) == nil)
    #expect(await outbox.undeliveredCount(for: "a") == 3)
    await outbox.close()
  }

  @Test func `a file that a killed station left unfinished becomes the outbox`() async throws {
    let begun = try SQLiteDatabase(path: settings.path, .create, layer: nil, busyMilliseconds: 0)
    _ = try begun.first("PRAGMA journal_mode = wal") { $0.text(0) }
    begun.close()
    let outbox = await open()
    #expect(await cause(outbox) == nil)
    await outbox.close()
  }
}
