// What is wrong with the outbox's file, in words an operator can act on.

import CSQLite

/// Why the outbox's file cannot be used.
public struct OutboxTrouble: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Cause: String, Sendable, CaseIterable {
    /// No space on the disk.
    case full
    /// The file is as large as its settings allow.
    case limit
    /// As many scans are undelivered as the settings allow.
    case undelivered
    /// The file or its file system is read-only, or this user may not write it.
    case readOnly = "read-only"
    /// The file is not a sound database.
    case damaged
    /// There is something at the path that is not an outbox.
    case foreign
    /// The file cannot be opened or made.
    case cannotOpen = "cannot-open"
    /// Another program has been writing for too long.
    case busy
    /// The storage reports an error.
    case storage
    case other
  }

  public var cause: Cause
  public var path: String
  /// What the database or the system said.
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
      // What SQLite reads in damaged pages can make its statements impossible: a schema without tables, a row twice.
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

  /// What to do about it.
  public var remedy: String {
    switch cause {
    case .full: "free space on its disk"
    case .limit: "repair the sinks, or raise outbox.megabytes"
    case .undelivered: "repair the sinks, or raise outbox.undelivered"
    case .readOnly:
      "make its folder writable for the station's user, or remount the disk (a failing SD card turns read-only)"
    case .damaged: "check the disk; the damaged file is kept beside the new one"
    case .foreign: "set outbox.path to a file that is not there yet"
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
  /// The storage is in trouble: new scans are refused or held in memory, as the settings say, until it is over.
  case troubled(OutboxTrouble)
}

/// Why a scan was not taken.
public enum OutboxRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// There are as many undelivered scans as the settings allow.
  case full(undeliveredCount: Int)
  /// The file has as many bytes as the settings allow.
  case limit(OutboxTrouble)
  /// The storage is in trouble, and the settings say that scans are then refused.
  case troubled(OutboxTrouble)
  /// The storage is in trouble and the memory holds as many scans as the settings allow.
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
