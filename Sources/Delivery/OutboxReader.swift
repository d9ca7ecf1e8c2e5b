// The outbox as others may see it: `reticle outbox` beside a station that runs. It opens the file read-only, so it can
// neither hold up the station nor change anything.

import GRDB

/// A view of an outbox file that another process may be writing.
public final class OutboxReader {
  private let queue: DatabaseQueue
  private let path: String

  /// How far one sink is.
  public struct SinkPosition: Equatable, Sendable {
    public var name: String
    /// The sequence number of the last scan that it has.
    public var position: Int64
    public var undeliveredCount: Int
  }

  /// Opens a file that is there; never makes one.
  public init(path: String) throws(OutboxTrouble) {
    self.path = path
    do {
      var configuration = Configuration()
      configuration.readonly = true
      configuration.busyMode = .timeout(OutboxStore.busyLimitSeconds)
      queue = try DatabaseQueue(path: path, configuration: configuration)
    } catch {
      throw OutboxTrouble(error, path: path)
    }
  }

  /// The scans after a sequence number, in order.
  public func records(after sequence: Int64, limit: Int) throws(OutboxTrouble) -> [ScanRecord] {
    try read { db in
      let sql = "SELECT sequence, record FROM scan WHERE sequence > ? ORDER BY sequence LIMIT ?"
      return try Row.fetchAll(db, sql: sql, arguments: [sequence, limit]).map(OutboxStore.record)
    }
  }

  /// The scan with this id; nil when it is not there, or no longer.
  public func record(_ id: ScanID) throws(OutboxTrouble) -> ScanRecord? {
    try read { db in
      let sql = "SELECT sequence, record FROM scan WHERE id = ?"
      return try Row.fetchOne(db, sql: sql, arguments: [id.description]).map(OutboxStore.record)
    }
  }

  /// Every sink that the file knows, by name, those no longer configured included.
  public func sinks() throws(OutboxTrouble) -> [SinkPosition] {
    try read { db in
      let sql = """
        SELECT name, position, (SELECT count(*) FROM scan WHERE sequence > position) FROM sink ORDER BY name
        """
      return try Row.fetchAll(db, sql: sql).map { SinkPosition(name: $0[0], position: $0[1], undeliveredCount: $0[2]) }
    }
  }

  private func read<Value>(_ body: (Database) throws -> Value) throws(OutboxTrouble) -> Value {
    do {
      return try queue.read(body)
    } catch {
      throw OutboxTrouble(error, path: path)
    }
  }
}
