// Trouble with the outbox's file, in words on which an operator can act.

import CSQLite

/// Why the outbox's file cannot be used.
public struct OutboxTrouble: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Cause: String, Sendable, CaseIterable {
    /// No space on the disk.
    case full
    /// The file has reached its size limit.
    case limit
    /// The limit of undelivered scans is reached.
    case undelivered
    /// The file or its file system is read-only, or this user may not write it.
    case readOnly = "read-only"
    /// The file is not a sound database.
    case damaged
    /// The path holds something that is not an outbox.
    case foreign
    /// The file cannot be opened or created.
    case cannotOpen = "cannot-open"
    /// Another program has been writing for too long.
    case busy
    /// The storage reports an error.
    case storage
    case other
  }

  public var cause: Cause
  public var path: String
  /// The message of the database or the system.
  public var detail: String

  init(_ cause: Cause, path: String, detail: String) {
    self.cause = cause
    self.path = path
    self.detail = detail
  }

  static func undelivered(_ count: Int, of countMax: Int, path: String) -> OutboxTrouble {
    OutboxTrouble(.undelivered, path: path, detail: "\(count) scans are undelivered, and outbox.undelivered is \(countMax)")
  }

  init(_ error: SQLiteFailure, path: String) {
    let cause: Cause =
      switch error.code {
      case _ where error.extendedCode == SQLiteFailure.shortRead: .damaged
      case SQLITE_FULL: .full
      case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .readOnly
      case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
      case SQLITE_CANTOPEN: .cannotOpen
      case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
      case SQLITE_IOERR: .storage
      // Damaged pages can make SQLite's statements impossible: a schema without tables, a duplicate row.
      case SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_FORMAT, SQLITE_TOOBIG, SQLITE_RANGE: .damaged
      default: .other
      }
    self.init(cause, path: path, detail: error.description)
  }

  public var description: String { "outbox \(path): \(summary): \(detail)" }

  public var summary: String {
    switch cause {
    case .full: "no space left"
    case .limit, .undelivered: "it is full and takes no new scans"
    case .readOnly: "the file cannot be written"
    case .damaged: "the file is damaged"
    case .foreign: "it is not an outbox, and was not touched"
    case .cannotOpen: "the file cannot be opened"
    case .busy: "another program holds the file"
    case .storage: "the storage reports an error"
    case .other: "the file cannot be used"
    }
  }

  /// The remedy.
  public var remedy: String {
    switch cause {
    case .full: "free space on its disk"
    case .limit: "repair the sinks, or raise outbox.megabytes"
    case .undelivered: "repair the sinks, or raise outbox.undelivered"
    case .readOnly:
      "make its folder writable for the station's user, or remount the disk (a failing SD card turns read-only)"
    case .damaged: "check the disk; the damaged file is kept next to the new one"
    case .foreign: "set outbox.path to a file that does not exist yet"
    case .cannotOpen: "make the folder, writable for the station's user, or set outbox.path to one that is"
    case .busy: "end the other program that has the file open"
    case .storage: "check the disk and the kernel log (dmesg); replace a failing SD card"
    case .other: "see the detail"
    }
  }
}

/// Whether scans are safe.
public enum OutboxState: Equatable, Sendable {
  /// Each scan is on the storage before it is acknowledged.
  case durable
  /// The storage has trouble: until it is over, new scans are refused or held in memory, as configured.
  case troubled(OutboxTrouble)
}

/// Why a scan was refused.
public enum OutboxRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The limit of undelivered scans is reached.
  case full(undeliveredCount: Int)
  /// The file's size limit is reached.
  case limit(OutboxTrouble)
  /// The storage has trouble, and the settings refuse scans in that case.
  case troubled(OutboxTrouble)
  /// The storage has trouble, and the memory's limit of scans is reached.
  case memoryFull(OutboxTrouble)

  public var description: String {
    switch self {
    case .full(let count):
      "the scan was refused: \(count) scans are undelivered, as many as outbox.undelivered allows; "
        + "repair the sinks, or raise the limit"
    case .limit(let trouble): "the scan was refused: \(trouble); \(trouble.remedy)"
    case .troubled(let trouble): "the scan was refused: \(trouble); \(trouble.remedy)"
    case .memoryFull(let trouble):
      "the scan was refused: the file cannot be written and the memory is full; \(trouble); \(trouble.remedy)"
    }
  }
}
