// SQLite's C interface with Swift's errors and ownership, and nothing else: a database, its statements, a transaction. The
// file layer below is an argument, so that the same code runs on simulated storage.

import CSQLite

/// An error from SQLite.
struct SQLiteFailure: Error, Equatable, CustomStringConvertible {
  /// The extended result code, such as `SQLITE_IOERR_FSYNC`.
  let extendedCode: Int32
  let message: String

  /// `SQLITE_IOERR_SHORT_READ`: a file is shorter than required; a journal was cut while in use.
  static let shortRead = SQLITE_IOERR | 2 << 8

  /// The primary result code, such as `SQLITE_FULL`.
  var code: Int32 { extendedCode & 0xFF }

  init(_ extendedCode: Int32, _ message: String) {
    self.extendedCode = extendedCode
    self.message = message
  }

  var description: String { "\(message) (SQLite \(extendedCode))" }
}

/// A value bound to a statement.
enum SQLiteValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
  case integer(Int64)
  case text(String)
  case blob([UInt8])
  case null

  init(integerLiteral value: Int64) { self = .integer(value) }
  init(stringLiteral value: String) { self = .text(value) }
  init(nilLiteral: ()) { self = .null }
  init(_ value: Int64) { self = .integer(value) }
  init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
  init(_ value: String?) { self = value.map { .text($0) } ?? .null }
}

/// An open database. Used by one task at a time.
final class SQLiteDatabase {
  private var handle: OpaquePointer?
  /// Prepared statements by text, kept for reuse.
  private var statements: [String: OpaquePointer] = [:]

  enum Access {
    case read, write, create
  }

  /// - Parameters:
  ///   - layer: the name of the file layer (VFS); nil for the system's.
  ///   - busyMilliseconds: how long to wait for another program's lock.
  init(path: String, _ access: Access, layer: String?, busyMilliseconds: Int32) throws(SQLiteFailure) {
    let flags =
      switch access {
      case .read: SQLITE_OPEN_READONLY
      case .write: SQLITE_OPEN_READWRITE
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    let code = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, layer)
    guard code == SQLITE_OK else {
      let failure = failure(code)
      sqlite3_close_v2(handle)
      handle = nil
      throw failure
    }
    sqlite3_busy_timeout(handle, busyMilliseconds)
  }

  /// A database that is not closed properly may be damaged: its journal stays, to be searched.
  deinit { close(keepsJournal: true) }

  /// Closes the file. Later calls fail.
  ///
  /// - Parameter keepsJournal: leaves the journal next to the file, as kill -9 would.
  func close(keepsJournal: Bool = false) {
    if handle != nil { _ = csqlite_keep_journal(handle, keepsJournal ? 1 : 0) }
    for statement in statements.values { sqlite3_finalize(statement) }
    statements = [:]
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// Whether every write is refused.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Runs a statement to completion.
  func run(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteFailure) {
    try rows(sql, values) { _ throws(SQLiteFailure) in true }
  }

  /// The first row of a query; nil if there are no rows.
  func first<Value>(
    _ sql: String, _ values: [SQLiteValue] = [], _ read: (SQLiteRow) -> Value
  ) throws(SQLiteFailure) -> Value? {
    var value: Value?
    try rows(sql, values) { row throws(SQLiteFailure) in
      value = read(row)
      return false
    }
    return value
  }

  /// Every row of a query.
  func all<Value>(
    _ sql: String, _ values: [SQLiteValue] = [], _ read: (SQLiteRow) -> Value
  ) throws(SQLiteFailure) -> [Value] {
    var found: [Value] = []
    try rows(sql, values) { row throws(SQLiteFailure) in
      found.append(read(row))
      return true
    }
    return found
  }

  /// Passes rows on one by one, until the body returns false.
  func rows(
    _ sql: String, _ values: [SQLiteValue] = [], _ body: (SQLiteRow) throws(SQLiteFailure) -> Bool
  ) throws(SQLiteFailure) {
    let statement = try prepared(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (offset, value) in values.enumerated() { try bind(value, to: statement, at: Int32(offset + 1)) }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        if try body(SQLiteRow(statement: statement)) { continue }
        // A statement that writes, such as a change of the journal's mode, commits at its end, and may fail there.
        let code = sqlite3_reset(statement)
        guard code == SQLITE_OK else { throw failure(code) }
        return
      case SQLITE_DONE: return
      case let code: throw failure(code)
      }
    }
  }

  /// Commits the body's changes when it returns; undoes them all if it or the commit fails.
  func transaction<Value>(_ body: () throws(SQLiteFailure) -> Value) throws(SQLiteFailure) -> Value {
    try run("BEGIN IMMEDIATE")
    do {
      let value = try body()
      try run("COMMIT")
      return value
    } catch {
      // Some failures have already ended the transaction.
      if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
      throw error
    }
  }

  private func prepared(_ sql: String) throws(SQLiteFailure) -> OpaquePointer {
    guard handle != nil else { throw SQLiteFailure(SQLITE_MISUSE, "the database is closed") }
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw failure(code) }
    statements[sql] = statement
    return statement
  }

  private func bind(_ value: SQLiteValue, to statement: OpaquePointer, at place: Int32) throws(SQLiteFailure) {
    let code =
      switch value {
      case .integer(let value): sqlite3_bind_int64(statement, place, value)
      case .text(let value): sqlite3_bind_text(statement, place, value, -1, csqlite_transient())
      case .blob(let value):
        value.withUnsafeBytes {
          sqlite3_bind_blob(statement, place, $0.baseAddress, Int32($0.count), csqlite_transient())
        }
      case .null: sqlite3_bind_null(statement, place)
      }
    guard code == SQLITE_OK else { throw failure(code) }
  }

  private func failure(_ code: Int32) -> SQLiteFailure {
    SQLiteFailure(code, handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code)))
  }
}

/// A row of a query, valid until the next one.
struct SQLiteRow {
  fileprivate let statement: OpaquePointer

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  func optionalInteger(_ column: Int32) -> Int64? {
    sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : integer(column)
  }

  func text(_ column: Int32) -> String { optionalText(column) ?? "" }

  func optionalText(_ column: Int32) -> String? {
    sqlite3_column_text(statement, column).map { String(cString: $0) }
  }

  func blob(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(statement, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
  }
}
