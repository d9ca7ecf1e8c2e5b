// The outbox's file: every statement of SQL, and what SQLite's errors mean. It blocks and it throws; when to try again and
// what to do meanwhile is the outbox's business. SQLite is used rather than a log file of our own because its recovery after
// a power cut is proved on more storage than we could ever try.

import FoundationEssentials
import GRDB

/// An open outbox file. Used by one task at a time; calls block while the storage works.
final class OutboxStore {
  private let queue: DatabaseQueue
  private let synchronous: OutboxSettings.Synchronous
  private let path: String
  private let identity: FileIdentity?
  private var counts = ScanCounts()

  /// Time to wait for another process that is writing, such as `reticle outbox`.
  static let busyLimitSeconds = 2.0
  /// Free pages that are given back to the file system at once, so that no scan has to wait for long.
  static let pagesGivenBackMax = 256
  /// The write-ahead log is cut back to this size once it has been written into the database.
  static let journalByteCountMax = 4 << 20

  /// Opens or makes the file, brings its schema up to date and checks that it is sound.
  init(settings: OutboxSettings) throws(OutboxTrouble) {
    synchronous = settings.synchronous
    path = settings.path
    do {
      var configuration = Configuration()
      configuration.busyMode = .timeout(Self.busyLimitSeconds)
      configuration.label = "outbox"
      queue = try DatabaseQueue(path: settings.path, configuration: configuration)
      try queue.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA synchronous = \(settings.synchronous.rawValue)")
        // Only a new file takes this: a file that was filled by an outage can become small again.
        try db.execute(sql: "PRAGMA auto_vacuum = incremental")
        guard try String.fetchOne(db, sql: "PRAGMA journal_mode = wal") == "wal" else {
          throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "the file system cannot share memory (WAL)")
        }
        try db.execute(sql: "PRAGMA journal_size_limit = \(Self.journalByteCountMax)")
        let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4096
        try db.execute(sql: "PRAGMA max_page_count = \(max(16, settings.byteCountMax / pageSize))")
        guard try String.fetchOne(db, sql: "PRAGMA quick_check(1)") == "ok" else {
          throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "quick_check found damage")
        }
      }
      try Self.migrator.migrate(queue)
      identity = FileIdentity(path: settings.path)
    } catch {
      throw OutboxTrouble(error, path: settings.path)
    }
  }

  /// The schema, version by version. Applied versions are never edited; a change is a new one.
  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { db in
      try db.execute(
        sql: """
          CREATE TABLE scan (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            captured INTEGER NOT NULL, -- milliseconds since 1970 by the wall clock
            record BLOB NOT NULL       -- the JSON form of ScanRecord
          );
          CREATE TABLE sink (
            name TEXT PRIMARY KEY,
            position INTEGER NOT NULL  -- sequence of the last scan that the sink has
          ) WITHOUT ROWID;
          """)
    }
    migrator.registerMigration("2") { db in
      try db.execute(
        sql: """
          CREATE TABLE request (        -- what `reticle outbox` asks of the station
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL,
            sink TEXT,
            sequence INTEGER,
            outcome TEXT                -- once it is done
          );
          """)
    }
    return migrator
  }

  func close() { try? queue.close() }

  /// Whether the path still names the file that was opened.
  var isInPlace: Bool { FileIdentity(path: path) == identity }

  /// Makes the file smaller where scans were deleted.
  func giveBackSpace() throws {
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA incremental_vacuum(\(Self.pagesGivenBackMax))") }
  }

  // MARK: Scans

  /// The greatest sequence number ever used, also by scans that are deleted by now.
  func lastSequence() throws -> Int64 {
    try queue.read { try Int64.fetchOne($0, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'scan'") ?? 0 }
  }

  /// Writes scans in one transaction; durable on return as `synchronous` says. A scan whose id is there already is left
  /// as it is.
  func insert(_ records: [ScanRecord]) throws {
    let inserted = try queue.write { db in
      var inserted: [Int64] = []
      for record in records {
        let statement = try db.cachedStatement(
          sql: """
            INSERT INTO scan (sequence, id, captured, record) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
            """)
        try statement.execute(arguments: [
          record.sequence, record.id.description, record.captured.unixMilliseconds, Data(record.json()),
        ])
        if db.changesCount > 0 { inserted.append(record.sequence) }
      }
      return inserted
    }
    counts.inserted(inserted)
  }

  /// The sequence number of the scan with this id, if it is there.
  func sequence(of id: ScanID) throws -> Int64? {
    try queue.read { try Int64.fetchOne($0, sql: "SELECT sequence FROM scan WHERE id = ?", arguments: [id.description]) }
  }

  /// The scans after a sequence number, in order.
  func records(after sequence: Int64, limit: Int) throws -> [ScanRecord] {
    try queue.read { db in
      let sql = "SELECT sequence, record FROM scan WHERE sequence > ? ORDER BY sequence LIMIT ?"
      return try Row.fetchAll(db, sql: sql, arguments: [sequence, limit]).map(Self.record)
    }
  }

  /// The newest scans, newest first.
  func newest(_ count: Int) throws -> [ScanRecord] {
    try queue.read { db in
      let sql = "SELECT sequence, record FROM scan ORDER BY sequence DESC LIMIT ?"
      return try Row.fetchAll(db, sql: sql, arguments: [count]).map(Self.record)
    }
  }

  static func record(_ row: Row) throws -> ScanRecord {
    var record = try ScanRecord(json: Array(row[1] as Data))
    record.sequence = row[0]
    return record
  }

  /// The number of scans after a sequence number. Nobody else inserts or deletes, so scans are counted once: a day's outage
  /// is not read again every few seconds.
  func count(after sequence: Int64) throws -> Int {
    try counts.count(after: sequence) { after, through in
      try queue.read { db in
        let sql = "SELECT count(*) FROM scan WHERE sequence > ? AND sequence <= ?"
        return try Int.fetchOne(db, sql: sql, arguments: [after, through]) ?? 0
      }
    }
  }

  /// The wall clock of the oldest scan after a sequence number.
  func oldestCapture(after sequence: Int64) throws -> Int64? {
    try queue.read { db in
      let sql = "SELECT captured FROM scan WHERE sequence > ? ORDER BY sequence LIMIT 1"
      return try Int64.fetchOne(db, sql: sql, arguments: [sequence])
    }
  }

  /// Deletes the scans up to and including a sequence number.
  func delete(through sequence: Int64) throws {
    try write(.normal) { try $0.execute(sql: "DELETE FROM scan WHERE sequence <= ?", arguments: [sequence]) }
    counts.deleted(through: sequence)
  }

  /// Deletes the oldest `count` scans after a sequence number.
  /// - Returns: how many that were.
  func deleteOldest(_ count: Int, after sequence: Int64) throws -> Int {
    let deleted = try write(.normal) { db in
      let sql = """
        DELETE FROM scan WHERE sequence IN (SELECT sequence FROM scan WHERE sequence > ? ORDER BY sequence LIMIT ?)
        """
      try db.execute(sql: sql, arguments: [sequence, count])
      return db.changesCount
    }
    counts.deleted(deleted, after: sequence)
    return deleted
  }

  /// Deletes scans after a sequence number that were captured between two moments of the wall clock, up to the first that
  /// was captured later: scans come in the order of capture, so the others need not be looked at.
  /// - Returns: how many that were.
  func delete(after sequence: Int64, capturedFrom: Int64, before: Int64) throws -> Int {
    let deleted = try write(.normal) { db in
      let sql = """
        DELETE FROM scan WHERE sequence > :after AND captured >= :from AND captured < :before AND sequence < ifnull(
          (SELECT sequence FROM scan WHERE sequence > :after AND captured >= :before ORDER BY sequence LIMIT 1), :end)
        """
      try db.execute(sql: sql, arguments: ["after": sequence, "from": capturedFrom, "before": before, "end": Int64.max])
      return db.changesCount
    }
    counts.deleted(deleted, after: sequence)
    return deleted
  }

  // MARK: Positions

  /// How far each sink is that was ever configured.
  func positions() throws -> [String: Int64] {
    try queue.read { db in
      var positions: [String: Int64] = [:]
      for row in try Row.fetchAll(db, sql: "SELECT name, position FROM sink") { positions[row[0]] = row[1] }
      return positions
    }
  }

  /// Notes how far sinks are. Not synced to the storage of its own accord, but no later than the next scan: after a power
  /// cut a scan may be delivered again under the same id, which costs less than a second sync for each scan.
  func setPositions(_ positions: [String: Int64]) throws {
    try write(.normal) { db in
      for (name, position) in positions {
        let statement = try db.cachedStatement(
          sql: """
            INSERT INTO sink (name, position) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET position = excluded.position
            """)
        try statement.execute(arguments: [name, position])
      }
    }
  }

  private func write<Value>(_ level: OutboxSettings.Synchronous, _ body: (Database) throws -> Value) throws -> Value {
    try queue.writeWithoutTransaction { db in
      let isLowered = level != synchronous
      if isLowered { try db.execute(sql: "PRAGMA synchronous = \(level.rawValue)") }
      defer {
        // Fails only when the connection is unusable, and then every later write fails too.
        if isLowered { try? db.execute(sql: "PRAGMA synchronous = \(synchronous.rawValue)") }
      }
      var value: Value?
      try db.inTransaction(.immediate) {
        value = try body(db)
        return .commit
      }
      guard let value else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
      return value
    }
  }

  // MARK: Requests

  /// Answered requests that nobody fetched are kept up to this number.
  static let answeredRequestCountMax = 20

  /// The requests that wait, in order; nil for one of a kind that is not known.
  func requests() throws -> [(number: Int64, request: OutboxRequest?)] {
    try queue.read { db in
      let sql = "SELECT number, kind, sink, sequence FROM request WHERE outcome IS NULL ORDER BY number"
      return try Row.fetchAll(db, sql: sql).map { row in
        (row[0], OutboxRequest.Kind(rawValue: row[1]).map { OutboxRequest($0, sink: row[2], sequence: row[3]) })
      }
    }
  }

  /// - Returns: the request's number.
  func add(_ request: OutboxRequest) throws -> Int64 {
    try write(.normal) { db in
      try db.execute(
        sql: "INSERT INTO request (kind, sink, sequence) VALUES (?, ?, ?)",
        arguments: [request.kind.rawValue, request.sink, request.sequence])
      return db.lastInsertedRowID
    }
  }

  func answer(request number: Int64, _ outcome: String) throws {
    try write(.normal) { db in
      try db.execute(sql: "UPDATE request SET outcome = ? WHERE number = ?", arguments: [outcome, number])
      try db.execute(
        sql: "DELETE FROM request WHERE outcome IS NOT NULL AND number <= ?",
        arguments: [number - Int64(Self.answeredRequestCountMax)])
    }
  }

  /// The outcome of a request once there is one; it is then forgotten.
  func takeAnswer(to number: Int64) throws -> String? {
    let sql = "SELECT outcome FROM request WHERE number = ?"
    let outcome = try queue.read { try String.fetchOne($0, sql: sql, arguments: [number]) }
    if outcome != nil { try withdraw(request: number) }
    return outcome
  }

  func withdraw(request number: Int64) throws {
    try write(.normal) { try $0.execute(sql: "DELETE FROM request WHERE number = ?", arguments: [number]) }
  }

  // MARK: Damage

  /// Damaged files kept beside the new one, newest first; older ones are deleted.
  static let damagedFileCountMax = 3

  /// Moves a damaged file out of the way, with its companions.
  /// - Returns: the path that it has now.
  static func setAside(path: String, unixMilliseconds: Int64) throws(OutboxTrouble) -> String {
    let files = FileManager.default
    let aside = "\(path).damaged-\(unixMilliseconds)"
    do {
      let url = URL(filePath: path)
      let prefix = url.lastPathComponent + ".damaged-"
      let folder = url.deletingLastPathComponent().path
      let earlier = try files.contentsOfDirectory(atPath: folder)
        .filter { $0.hasPrefix(prefix) && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
      for name in earlier.dropLast(damagedFileCountMax - 1) {
        for companion in ["", "-wal", "-shm"] { try? files.removeItem(atPath: "\(folder)/\(name)\(companion)") }
      }
      try files.moveItem(atPath: path, toPath: aside)
      for companion in ["-wal", "-shm"] where files.fileExists(atPath: path + companion) {
        try files.moveItem(atPath: path + companion, toPath: aside + companion)
      }
    } catch {
      throw OutboxTrouble(.other, path: path, detail: "the damaged file could not be moved aside: \(error)")
    }
    return aside
  }

  /// What can still be read in a damaged file: from the oldest scan up to the damage, then from the newest down to it.
  static func salvage(path: String) -> (records: [ScanRecord], positions: [String: Int64]) {
    var configuration = Configuration()
    configuration.busyMode = .timeout(busyLimitSeconds)
    guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else { return ([], [:]) }
    defer { try? queue.close() }
    var found: [Int64: ScanRecord] = [:]
    for order in ["ASC", "DESC"] {
      try? queue.unsafeRead { db in
        let rows = try Row.fetchCursor(db, sql: "SELECT sequence, record FROM scan ORDER BY sequence \(order)")
        while let row = try rows.next() {
          guard let record = try? record(row) else { continue }
          if found.updateValue(record, forKey: record.sequence) != nil { break }
        }
      }
    }
    var positions: [String: Int64] = [:]
    try? queue.unsafeRead { db in
      for row in try Row.fetchAll(db, sql: "SELECT name, position FROM sink") { positions[row[0]] = row[1] }
    }
    return (found.values.sorted { $0.sequence < $1.sequence }, positions)
  }
}
