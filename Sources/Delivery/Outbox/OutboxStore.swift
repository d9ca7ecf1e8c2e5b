// The outbox's database: every SQL statement, and the meaning of SQLite's errors. It blocks and it throws; the outbox
// decides when to retry and what to do meanwhile.

import CSQLite
import DeliveryModel

/// An open outbox database. Used by one task at a time; calls block while the storage works.
final class OutboxStore {
  private let database: SQLiteDatabase
  private let synchronous: OutboxSettings.Synchronous
  private let files: any OutboxFiles
  private let pageCountMax: Int64
  let path: String
  /// The identity of the opened files: the database and its journal.
  private let identity: FileIdentity?
  private let journalIdentity: FileIdentity?
  /// The store's id, created with it: a sink's state belongs to one store.
  let id: ScanID

  /// How long to wait for another program that is writing, such as `reticle outbox`.
  static let busyMilliseconds: Int32 = 2000
  /// Free pages returned to the file system at once, so that no scan has to wait long.
  static let pagesGivenBackMax = 256
  /// The write-ahead log is cut back to this size once it has been written into the database.
  static let journalByteCountMax = 4 << 20
  /// Pages above the limit for scans, so that sinks' states can be noted in a full outbox.
  static let reservePageCount: Int64 = 64
  static let pageByteCount = 4096
  /// `RtOb`: the id by which file(1) and SQLite recognise an outbox.
  static let applicationID: Int64 = 0x5274_4F62
  static let schemaVersion: Int64 = 1

  enum Purpose: Equatable {
    /// The station's own file, which must exist.
    case use
    /// The file of another program, for inspection.
    case read
    /// A new file with a new id, or with that of the store that it copies.
    case make(ScanID)
    /// A copy under construction: one file, without a journal that could be left behind.
    case build(ScanID)
  }

  private static let schema = [
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
    """
    CREATE TABLE scan (
      number INTEGER PRIMARY KEY,
      id BLOB NOT NULL UNIQUE,
      captured INTEGER NOT NULL, -- milliseconds since 1970 by a wall clock that is kept right; 0 where none tells
      frame BLOB NOT NULL        -- ScanRecord.frame
    )
    """,
    "CREATE TABLE sink (name TEXT PRIMARY KEY, frame BLOB NOT NULL) WITHOUT ROWID",  // SinkState.frame
    """
    CREATE TABLE dead (          -- why and when; which scans they are, the sink's state says
      sink TEXT NOT NULL,
      number INTEGER NOT NULL,
      time INTEGER NOT NULL,     -- milliseconds since 1970 by the wall clock
      tries INTEGER NOT NULL,
      problem TEXT NOT NULL,
      PRIMARY KEY (sink, number)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE request (       -- what `reticle outbox` asks of the station
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL,
      sink TEXT,
      sequence INTEGER,
      outcome TEXT               -- once it is done
    )
    """,
  ]

  /// Opens or creates the file and checks that it is sound.
  init(
    settings: OutboxSettings, files: any OutboxFiles, path: String, _ purpose: Purpose,
    busyMilliseconds: Int32 = OutboxStore.busyMilliseconds
  ) throws(OutboxTrouble) {
    synchronous = settings.synchronous
    self.files = files
    self.path = path
    do throws(SQLiteFailure) {
      let database = try SQLiteDatabase(
        path: path, purpose == .use ? .write : purpose == .read ? .read : .create, layer: files.layer,
        busyMilliseconds: busyMilliseconds)
      self.database = database
      try database.run("PRAGMA synchronous = full")
      if purpose != .use, purpose != .read {
        try database.run("PRAGMA page_size = \(Self.pageByteCount)")
        // A file that grew during an outage can shrink again. SQLite writes this setting whenever it is set, and a file
        // whose journal may be damaged must be opened without a write.
        try database.run("PRAGMA auto_vacuum = incremental")
      }
      pageCountMax = max(16, Int64(settings.byteCountMax / Self.pageByteCount))
      if purpose == .read {
        // Nothing is set, because nothing may be changed.
      } else if case .build = purpose {
        _ = try database.first("PRAGMA journal_mode = delete") { $0.text(0) }
      } else {
        guard try database.first("PRAGMA journal_mode = wal", [], { $0.text(0) }) == "wal" else {
          throw SQLiteFailure(SQLITE_CANTOPEN, "the file system cannot share memory (WAL)")
        }
        try database.run("PRAGMA journal_size_limit = \(Self.journalByteCountMax)")
        try database.run("PRAGMA max_page_count = \(pageCountMax + Self.reservePageCount)")
      }
      let version = try database.first("PRAGMA user_version") { $0.integer(0) } ?? 0
      let tableCount = try database.first("SELECT count(*) FROM sqlite_schema") { $0.integer(0) } ?? 0
      switch purpose {
      case .make(let id), .build(let id):
        guard tableCount == 0 else { fallthrough }
        try database.transaction { () throws(SQLiteFailure) in
          for statement in Self.schema { try database.run(statement) }
          try database.run("INSERT INTO meta VALUES ('store', ?)", [.text(id.description)])
          try database.run("PRAGMA application_id = \(Self.applicationID)")
          try database.run("PRAGMA user_version = \(Self.schemaVersion)")
        }
        self.id = id
      case .use, .read:
        let check = purpose == .read ? "ok" : try database.first("PRAGMA quick_check(1)") { $0.text(0) }
        guard version == Self.schemaVersion, tableCount > 0, check == "ok",
          !Self.asksForUnknownWriter(database, path, files),
          let text = try database.first("SELECT value FROM meta WHERE name = 'store'", [], { $0.text(0) }),
          let id = ScanID(text)
        else { throw SQLiteFailure(SQLITE_CORRUPT, "quick_check found damage") }
        self.id = id
      }
      if synchronous == .normal { try database.run("PRAGMA synchronous = normal") }
      identity = files.identity(path)
      journalIdentity = files.identity(path + "-wal")
    } catch {
      throw OutboxTrouble(error, path: path)
    }
  }

  /// Whether the file was opened for reading only, as the storage could not be written.
  var isReadOnly: Bool { database.isReadOnly }

  /// Whether the header requires an unknown writer version (sqlite.org/fileformat2.html, §1.3.3 "File format version
  /// numbers"). SQLite then reads the file and refuses to write, as if its folder were read-only.
  private static func asksForUnknownWriter(_ database: SQLiteDatabase, _ path: String, _ files: any OutboxFiles) -> Bool {
    guard database.isReadOnly, let version = try? files.read(path, at: writeVersionOffset, count: 1).first else {
      return false
    }
    return version > writeVersionMax
  }

  /// The offset of the write version in the header, and the highest defined one: 2, a write-ahead journal.
  private static let writeVersionOffset: Int64 = 18
  private static let writeVersionMax: UInt8 = 2

  /// - Parameter keepsJournal: leaves the journal of a damaged file in place, to be searched.
  func close(keepsJournal: Bool = false) { database.close(keepsJournal: keepsJournal) }

  /// Whether a file is a complete copy.
  static func isCompleteCopy(_ path: String, _ files: any OutboxFiles) -> Bool {
    guard files.size(path) ?? 0 > 0,
      let database = try? SQLiteDatabase(path: path, .write, layer: files.layer, busyMilliseconds: busyMilliseconds)
    else { return false }
    let isComplete = try? database.first("SELECT value FROM meta WHERE name = 'complete'") { $0.integer(0) == 1 }
    return isComplete == true
  }

  /// Whether a file is a sound database without tables: the station was killed while it created the file.
  static func isEmpty(_ path: String, _ files: any OutboxFiles) -> Bool {
    guard let database = try? SQLiteDatabase(path: path, .write, layer: files.layer, busyMilliseconds: busyMilliseconds),
      let tableCount = try? database.first("SELECT count(*) FROM sqlite_schema", [], { $0.integer(0) }), tableCount == 0
    else { return false }
    return (try? database.first("PRAGMA quick_check(1)") { $0.text(0) }) == "ok"
  }

  /// Whether the path still names the opened file, with its journal next to it. Data written to files without a name are
  /// lost when they are closed.
  var isInPlace: Bool { isFileInPlace && files.identity(path + "-wal") == journalIdentity }

  /// Whether the path still names the opened database; its journal may be gone.
  var isFileInPlace: Bool { files.identity(path) == identity }

  /// Shrinks the file after scans were deleted.
  func giveBackSpace() throws(OutboxTrouble) {
    try calling { () throws(SQLiteFailure) in
      try database.run("PRAGMA incremental_vacuum(\(Self.pagesGivenBackMax))")
    }
  }

  private func calling<Value>(_ body: () throws(SQLiteFailure) -> Value) throws(OutboxTrouble) -> Value {
    do {
      return try body()
    } catch {
      throw OutboxTrouble(error, path: path)
    }
  }

  private func damaged(_ what: String) -> OutboxTrouble { OutboxTrouble(.damaged, path: path, detail: what) }

  /// A transaction that is synced as configured, or only with the next one that is.
  private func write<Value>(
    syncs: Bool, _ body: () throws(SQLiteFailure) -> Value
  ) throws(OutboxTrouble) -> Value {
    try calling { () throws(SQLiteFailure) -> Value in
      let isLowered = !syncs && synchronous == .full
      if isLowered { try database.run("PRAGMA synchronous = normal") }
      // This fails only if the connection is unusable, and then every later write fails too.
      defer { if isLowered { try? database.run("PRAGMA synchronous = full") } }
      return try database.transaction(body)
    }
  }

  // MARK: Scans

  /// The greatest number of a scan, or the number of the last one written: if that scan is missing, it was lost.
  func lastNumber() throws(OutboxTrouble) -> Int64 {
    try calling { () throws(SQLiteFailure) -> Int64 in
      let there = try database.first("SELECT max(number) FROM scan") { $0.integer(0) } ?? 0
      return max(there, try database.first("SELECT value FROM meta WHERE name = 'last'") { $0.integer(0) } ?? 0)
    }
  }

  /// The numbers of all scans.
  func numbers() throws(OutboxTrouble) -> NumberSet {
    try calling { () throws(SQLiteFailure) -> NumberSet in
      var numbers = NumberSet()
      try database.rows("SELECT number FROM scan ORDER BY number") { row throws(SQLiteFailure) in
        numbers.insert(row.integer(0))
        return true
      }
      return numbers
    }
  }

  /// The highest number that may ever have been given, according to the file.
  func reservedNumber() throws(OutboxTrouble) -> Int64 {
    try calling { () throws(SQLiteFailure) -> Int64 in
      try database.first("SELECT value FROM meta WHERE name = 'reserved'") { $0.integer(0) } ?? 0
    }
  }

  /// Writes numbered scans, with the sinks' states that belong to them, in one transaction; on return durable as configured.
  ///
  /// - Parameters:
  ///   - trusted: when a scan was captured, from `OutboxClock.trustedMilliseconds`.
  ///   - last: the highest number given.
  ///   - reserved: the highest number that may be in use.
  ///   - forgotten: ids of scans that must not exist.
  func insert(
    _ records: [ScanRecord], trusted: (CaptureTime) -> Int64?, states: [SinkState] = [], last: Int64,
    reserved: Int64, forgotten: [ScanID] = []
  ) throws(OutboxTrouble) {
    try checkRoom(for: records)
    try write(syncs: true) { () throws(SQLiteFailure) in
      for id in forgotten { try database.run("DELETE FROM scan WHERE id = ?", [Self.value(id)]) }
      for record in records {
        try insertRow(record.sequence, record.id, trusted(record.captured), record.frame)
      }
      for state in states { try put(state) }
      try database.run(
        "INSERT OR REPLACE INTO meta VALUES ('last', ?), ('reserved', ?)", [SQLiteValue(last), SQLiteValue(reserved)])
    }
  }

  /// Copies frames found intact elsewhere. It is unknown whether the clock was synchronised when they were captured.
  func insert(
    frames: [(head: ScanRecord.FrameHead, bytes: [UInt8])], syncs: Bool = false
  ) throws(OutboxTrouble) {
    try write(syncs: syncs) { () throws(SQLiteFailure) in
      for frame in frames { try insertRow(frame.head.number, frame.head.id, nil, frame.bytes) }
    }
  }

  /// A scan whose number or id already exists is left unchanged.
  private func insertRow(_ number: Int64, _ id: ScanID, _ trusted: Int64?, _ frame: [UInt8]) throws(SQLiteFailure) {
    try database.run(
      "INSERT OR IGNORE INTO scan VALUES (?, ?, ?, ?)",
      [SQLiteValue(number), Self.value(id), SQLiteValue(trusted ?? 0), .blob(frame)])
  }

  private static func value(_ id: ScanID) -> SQLiteValue {
    var writer = ByteWriter()
    writer.put(id.high)
    writer.put(id.low)
    return .blob(writer.bytes)
  }

  /// - Throws: `limit` if the file would exceed its size limit.
  private func checkRoom(for records: [ScanRecord]) throws(OutboxTrouble) {
    let byteCount = records.reduce(0) { $0 + $1.byteCountEstimate }
    guard !records.isEmpty, let trouble = try lack(of: byteCount) else { return }
    throw trouble
  }

  /// Why there is no room for another scan of the usual size; nil if there is.
  ///
  /// - Parameter kept: numbers of the scans that must not be deleted; the others can be.
  func fullness(butFor kept: NumberSet) throws(OutboxTrouble) -> OutboxTrouble? {
    guard let trouble = try lack(of: 0) else { return nil }
    let count = try calling { () throws(SQLiteFailure) -> Int64 in
      try database.first("SELECT count(*) FROM scan") { $0.integer(0) } ?? 0
    }
    return count > kept.count ? nil : trouble
  }

  /// The trouble if there is no room for this number of bytes of scans plus their pages; nil if there is.
  private func lack(of byteCount: Int) throws(OutboxTrouble) -> OutboxTrouble? {
    let used = try calling { () throws(SQLiteFailure) -> Int64 in
      let pages = try database.first("PRAGMA page_count") { $0.integer(0) } ?? 0
      guard pages >= pageCountMax - 8 else { return 0 }
      return pages - (try database.first("PRAGMA freelist_count") { $0.integer(0) } ?? 0)
    }
    guard used + Int64(2 + byteCount / Self.pageByteCount) > pageCountMax else { return nil }
    let detail = "\(used) of \(pageCountMax) pages of \(Self.pageByteCount) bytes are in use, as outbox.megabytes allows"
    return OutboxTrouble(.limit, path: path, detail: detail)
  }

  /// The number of the scan with this id, if it exists.
  func number(of id: ScanID) throws(OutboxTrouble) -> Int64? {
    try calling { () throws(SQLiteFailure) -> Int64? in
      try database.first("SELECT number FROM scan WHERE id = ?", [Self.value(id)]) { $0.integer(0) }
    }
  }

  /// Whether the scan with this id exists exactly as it was written.
  func hasWhole(_ id: ScanID) throws(OutboxTrouble) -> Bool {
    let frame = try calling { () throws(SQLiteFailure) -> [UInt8]? in
      try database.first("SELECT frame FROM scan WHERE id = ?", [Self.value(id)]) { $0.blob(0) }
    }
    return frame.flatMap { Frame.content(ScanRecord.frameMark, in: $0) } != nil
  }

  /// Verifies that the scans with these numbers exist exactly as they were written.
  func verify(_ numbers: NumberSet) throws(OutboxTrouble) {
    for range in numbers.ranges {
      var wholeCount = 0
      try calling { () throws(SQLiteFailure) in
        let sql = "SELECT number, frame FROM scan WHERE number BETWEEN ? AND ?"
        try database.rows(sql, [SQLiteValue(range.lowerBound), SQLiteValue(range.upperBound)]) {
          row throws(SQLiteFailure) in
          let head = Frame.content(ScanRecord.frameMark, in: row.blob(1)).flatMap { ScanRecord.FrameHead($0.content) }
          if head?.number == row.integer(0) { wholeCount += 1 }
          return true
        }
      }
      guard wholeCount == range.count else { throw damaged("a scan from \(range) is not as it was written") }
    }
  }

  /// The scans with these numbers, in order; each is verified and must exist.
  func records(in numbers: NumberSet) throws(OutboxTrouble) -> [ScanRecord] {
    var found: [ScanRecord] = []
    for range in numbers.ranges {
      let part = try records(
        "SELECT number, frame FROM scan WHERE number BETWEEN ? AND ? ORDER BY number",
        [SQLiteValue(range.lowerBound), SQLiteValue(range.upperBound)])
      guard part.count == range.count else { throw damaged("a scan from \(range) is missing") }
      found += part
    }
    return found
  }

  /// The first scans after a number.
  func records(after number: Int64, limit: Int) throws(OutboxTrouble) -> [ScanRecord] {
    try records(
      "SELECT number, frame FROM scan WHERE number > ? ORDER BY number LIMIT ?",
      [SQLiteValue(number), SQLiteValue(Int64(limit))])
  }

  /// The newest scans, newest first.
  func newest(_ count: Int) throws(OutboxTrouble) -> [ScanRecord] {
    try records("SELECT number, frame FROM scan ORDER BY number DESC LIMIT ?", [SQLiteValue(Int64(count))])
  }

  func record(_ id: ScanID) throws(OutboxTrouble) -> ScanRecord? {
    try records("SELECT number, frame FROM scan WHERE id = ?", [Self.value(id)]).first
  }

  private func records(_ sql: String, _ values: [SQLiteValue]) throws(OutboxTrouble) -> [ScanRecord] {
    let rows = try calling { () throws(SQLiteFailure) -> [(Int64, [UInt8])] in
      try database.all(sql, values) { ($0.integer(0), $0.blob(1)) }
    }
    var records: [ScanRecord] = []
    for (number, frame) in rows {
      guard let record = ScanRecord(frame: frame), record.sequence == number else {
        throw damaged("scan \(number) is not as it was written")
      }
      records.append(record)
    }
    return records
  }

  /// When scans were captured, in order; each must exist.
  func captures(in numbers: NumberSet) throws(OutboxTrouble) -> [StoredCapture] {
    var found: [StoredCapture] = []
    for record in try records(in: numbers) {
      let trusted = try calling { () throws(SQLiteFailure) -> Int64? in
        try database.first("SELECT captured FROM scan WHERE number = ?", [SQLiteValue(record.sequence)]) { $0.integer(0) }
      }
      found.append(
        StoredCapture(
          number: record.sequence, captured: record.captured,
          trustedMilliseconds: trusted.flatMap { $0 > 0 ? $0 : nil }))
    }
    return found
  }

  /// The oldest numbers in a set.
  func oldest(_ limit: Int, in numbers: NumberSet) throws(OutboxTrouble) -> [Int64] {
    var found: [Int64] = []
    for range in numbers.ranges where found.count < limit {
      found += try calling { () throws(SQLiteFailure) -> [Int64] in
        try database.all(
          "SELECT number FROM scan WHERE number BETWEEN ? AND ? ORDER BY number LIMIT ?",
          [SQLiteValue(range.lowerBound), SQLiteValue(range.upperBound), SQLiteValue(Int64(limit - found.count))]
        ) { $0.integer(0) }
      }
    }
    return found
  }

  /// Deletes scans by number, and notes the effect on sinks.
  func delete(_ numbers: [Int64], states: [SinkState]) throws(OutboxTrouble) {
    try write(syncs: false) { () throws(SQLiteFailure) in
      for number in numbers { try database.run("DELETE FROM scan WHERE number = ?", [SQLiteValue(number)]) }
      for state in states { try put(state) }
    }
  }

  /// Deletes the scans through a number, except those in a set.
  func delete(through last: Int64, but kept: NumberSet) throws(OutboxTrouble) {
    let numbers = NumberSet(through: last).subtracting(kept)
    try write(syncs: false) { () throws(SQLiteFailure) in
      for range in numbers.ranges {
        try database.run(
          "DELETE FROM scan WHERE number BETWEEN ? AND ?",
          [SQLiteValue(range.lowerBound), SQLiteValue(range.upperBound)])
      }
    }
  }

  /// Passes on every frame that SQL can reach, oldest first, intact or not.
  func frames(after number: Int64, limit: Int) throws(OutboxTrouble) -> [(number: Int64, bytes: [UInt8])] {
    try calling { () throws(SQLiteFailure) -> [(number: Int64, bytes: [UInt8])] in
      let sql = "SELECT number, frame FROM scan WHERE number > ? ORDER BY number LIMIT ?"
      return try database.all(sql, [SQLiteValue(number), SQLiteValue(Int64(limit))]) { ($0.integer(0), $0.blob(1)) }
    }
  }

  // MARK: Sinks

  /// Every sink that was ever configured and not purged since.
  func sinkStates() throws(OutboxTrouble) -> [SinkState] {
    let rows = try calling { () throws(SQLiteFailure) -> [[UInt8]] in
      try database.all("SELECT frame FROM sink ORDER BY name") { $0.blob(0) }
    }
    var states: [SinkState] = []
    for row in rows {
      guard let (content, _) = Frame.content(SinkState.frameMark, in: row),
        let state = SinkState(content: content, store: id)
      else { throw damaged("a sink's state is not as it was written") }
      states.append(state)
    }
    return states
  }

  /// Notes sinks' states. They are synced at the latest with the next scan: after a power cut a scan may be delivered again
  /// under the same id, which costs less than a second sync per scan.
  func save(_ states: [SinkState], removing names: [String] = [], syncs: Bool = false) throws(OutboxTrouble) {
    try write(syncs: syncs) { () throws(SQLiteFailure) in
      for name in names {
        try database.run("DELETE FROM sink WHERE name = ?", [.text(name)])
        try database.run("DELETE FROM dead WHERE sink = ?", [.text(name)])
      }
      for state in states { try put(state) }
    }
  }

  private func put(_ state: SinkState) throws(SQLiteFailure) {
    try database.run(
      "INSERT OR REPLACE INTO sink VALUES (?, ?)", [.text(state.name), .blob(state.frame(store: id))])
  }

  /// Replaces all sinks at once, and moves the dead letters of renamed sinks to their new names.
  func adopt(_ states: [SinkState], renamed: [(old: String, new: String)]) throws(OutboxTrouble) {
    try write(syncs: true) { () throws(SQLiteFailure) in
      for name in renamed {
        try database.run("UPDATE OR REPLACE dead SET sink = ? WHERE sink = ?", [.text(name.new), .text(name.old)])
      }
      try database.run("DELETE FROM sink")
      for state in states { try put(state) }
    }
  }

  // MARK: Dead letters

  /// Notes scans that a sink's receiver permanently refused.
  func bury(_ letters: [DeadLetter], state: SinkState) throws(OutboxTrouble) {
    try write(syncs: true) { () throws(SQLiteFailure) in
      for letter in letters {
        try database.run(
          "INSERT OR REPLACE INTO dead VALUES (?, ?, ?, ?, ?)",
          [
            .text(letter.sink), SQLiteValue(letter.number), SQLiteValue(letter.unixMilliseconds),
            SQLiteValue(Int64(letter.tryCount)), .text(letter.problem),
          ])
      }
      try put(state)
    }
  }

  /// Removes scans from the list.
  func exhume(_ numbers: NumberSet, state: SinkState) throws(OutboxTrouble) {
    try write(syncs: true) { () throws(SQLiteFailure) in
      for range in numbers.ranges {
        try database.run(
          "DELETE FROM dead WHERE sink = ? AND number BETWEEN ? AND ?",
          [.text(state.name), SQLiteValue(range.lowerBound), SQLiteValue(range.upperBound)])
      }
      try put(state)
    }
  }

  func deadLetters() throws(OutboxTrouble) -> [DeadLetter] {
    try calling { () throws(SQLiteFailure) -> [DeadLetter] in
      try database.all("SELECT sink, number, time, tries, problem FROM dead ORDER BY sink, number") { row in
        DeadLetter(
          sink: row.text(0), number: row.integer(1), unixMilliseconds: row.integer(2), tryCount: Int(row.integer(3)),
          problem: row.text(4))
      }
    }
  }

  // MARK: A copy under construction

  /// Marks a copy as complete.
  func markComplete() throws(OutboxTrouble) {
    try write(syncs: true) { () throws(SQLiteFailure) in
      try database.run("INSERT OR REPLACE INTO meta VALUES ('complete', 1)")
    }
  }

  // MARK: Requests

  /// Answered requests that were not fetched are kept up to this number.
  static let answeredRequestCountMax = 20

  /// The waiting requests, in order; nil for an unknown kind of request.
  func requests() throws(OutboxTrouble) -> [(number: Int64, request: OutboxRequest?)] {
    try calling { () throws(SQLiteFailure) -> [(number: Int64, request: OutboxRequest?)] in
      let sql = "SELECT number, kind, sink, sequence FROM request WHERE outcome IS NULL ORDER BY number"
      return try database.all(sql) { row in
        let kind = OutboxRequest.Kind(rawValue: row.text(1))
        return (row.integer(0), kind.map { OutboxRequest($0, sink: row.optionalText(2), sequence: row.optionalInteger(3)) })
      }
    }
  }

  /// - Returns: the request's number.
  func add(_ request: OutboxRequest) throws(OutboxTrouble) -> Int64 {
    try write(syncs: false) { () throws(SQLiteFailure) -> Int64 in
      try database.run(
        "INSERT INTO request (kind, sink, sequence) VALUES (?, ?, ?)",
        [.text(request.kind.rawValue), SQLiteValue(request.sink), SQLiteValue(request.sequence)])
      return database.lastInsertedRow
    }
  }

  func answer(request number: Int64, _ outcome: String) throws(OutboxTrouble) {
    try write(syncs: false) { () throws(SQLiteFailure) in
      try database.run("UPDATE request SET outcome = ? WHERE number = ?", [.text(outcome), SQLiteValue(number)])
      try database.run(
        "DELETE FROM request WHERE outcome IS NOT NULL AND number <= ?",
        [SQLiteValue(number - Int64(Self.answeredRequestCountMax))])
    }
  }

  /// The outcome of a request, once available; it is then deleted.
  func takeAnswer(to number: Int64) throws(OutboxTrouble) -> String? {
    let outcome = try calling { () throws(SQLiteFailure) -> String? in
      try database.first("SELECT outcome FROM request WHERE number = ?", [SQLiteValue(number)]) { $0.optionalText(0) } ?? nil
    }
    if outcome != nil { try withdraw(request: number) }
    return outcome
  }

  func withdraw(request number: Int64) throws(OutboxTrouble) {
    try write(syncs: false) { () throws(SQLiteFailure) in
      try database.run("DELETE FROM request WHERE number = ?", [SQLiteValue(number)])
    }
  }
}

extension ScanRecord {
  /// Estimated bytes of its JSON form: base64, with text that may need escaping counted twice.
  var byteCountEstimate: Int { 800 + 2 * text.utf8.count + bytes.count * 4 / 3 + 2 * (hri?.utf8.count ?? 0) }
}

/// The capture time of a stored scan.
struct StoredCapture {
  let number: Int64
  let captured: CaptureTime
  /// Milliseconds since 1970 by a wall clock that was synchronised when the scan was stored; nil if it was not.
  let trustedMilliseconds: Int64?
}
