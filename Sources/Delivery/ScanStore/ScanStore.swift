// The store in PostgreSQL: each scan once, by its id. A batch is one transaction; a batch that comes again changes nothing.

public import DeliveryModel
public import MQTT

/// Stores messages of stations in a database. Used by one thread at a time.
public final class ScanStore {
  /// Messages of a batch, by what became of them.
  public struct Tally: Equatable, Sendable {
    /// Rows that are new in the table.
    public var stored = 0
    /// Messages whose id the table had.
    public var repeated = 0
    /// Messages that are not scans, in the table `scans_refused`.
    public var refused = 0

    public static func += (a: inout Tally, b: Tally) {
      a.stored += b.stored
      a.repeated += b.repeated
      a.refused += b.refused
    }
  }

  private let database: String
  private let now: @Sendable () -> Int
  private var program: PSQL?
  /// Days whose partition is there, or cannot be made.
  private var days: Set<StoreDay> = []

  /// Days before and after today whose ids get a partition of their own. Others, of clocks that are wrong, share one: it bounds the
  /// number of partitions.
  static let daysBefore = 400
  static let daysAfter = 2

  /// - Parameters:
  ///   - database: a connection string or URI of PostgreSQL, such as `postgresql:///reticle`.
  ///   - now: seconds since 1970.
  public init(database: String, now: @escaping @Sendable () -> Int) { (self.database, self.now) = (database, now) }

  /// Connects, and makes the tables unless they are there.
  public func connect() throws(DeliveryProblem) {
    guard program == nil else { return }
    let opened = try PSQL(database: database)
    do throws(PSQL.Failure) {
      _ = try opened.run(Self.schema)
    } catch {
      throw Self.problem(error)
    }
    (program, days) = (opened, [])
  }

  /// Stores messages. On return, they are committed.
  ///
  /// - Throws: why they are not known to be stored; `connect` comes before the next attempt.
  public func store(_ messages: [MQTTDelivery]) throws(DeliveryProblem) -> Tally {
    do throws(PSQL.Failure) {
      return try commit(messages)
    } catch {
      program = nil
      guard case .data(let reason) = error else { throw Self.problem(error) }
      // The database refuses a row: each message alone, so that the others get in.
      try connect()
      guard messages.count == 1 else {
        var tally = Tally()
        for message in messages { tally += try store([message]) }
        return tally
      }
      do throws(PSQL.Failure) {
        return try commit(messages, refusal: reason)
      } catch {
        program = nil
        throw Self.problem(error)
      }
    }
  }

  private func commit(_ messages: [MQTTDelivery], refusal: String? = nil) throws(PSQL.Failure) -> Tally {
    guard let program else { throw .other(DeliveryProblem("the database is not connected", remedy: "connect first")) }
    var scans: [StoredScan] = []
    var tally = Tally()
    var script = "BEGIN;\n"
    for message in messages {
      do throws(StoredScanFault) {
        if let refusal { throw StoredScanFault(refusal) }
        scans.append(try StoredScan(topic: message.topic, payload: message.payload))
      } catch {
        tally.refused += 1
        script += Self.refusal(of: message, error.reason)
      }
    }
    for day in Set(scans.map { StoreDay(number: $0.day) }).subtracting(days) { try makePartition(of: day, program) }
    if !scans.isEmpty {
      script += "COPY incoming FROM STDIN;\n" + scans.map { $0.row + "\n" }.joined() + "\\.\n" + Self.move
    }
    script += "COMMIT;"
    let answer = try program.run(script)
    if let match = answer.firstMatch(of: /stored (\d+)/), let count = Int(match.1) { tally.stored = count }
    tally.repeated = scans.count - tally.stored
    return tally
  }

  /// Makes the partition of a day, unless the day is far from today.
  private func makePartition(of day: StoreDay, _ program: PSQL) throws(PSQL.Failure) {
    let today = now() * 1000 / StoreDay.milliseconds
    if (today - Self.daysBefore...today + Self.daysAfter).contains(day.number) {
      // Rows of the day may be in the common partition, from before the day was near: then that keeps them all.
      _ = try program.run(
        """
        DO $$ BEGIN
        \(day.statement)
        EXCEPTION WHEN check_violation THEN NULL; END $$;
        """)
    }
    days.insert(day)
  }

  private static func refusal(of message: MQTTDelivery, _ reason: String) -> String {
    func bytes(_ bytes: some Sequence<UInt8>) -> String {
      "'\\x" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'::bytea"
    }
    func text(_ text: String) -> String { "convert_from(\(bytes(text.utf8)), 'UTF8')" }
    let payload = bytes(message.payload)
    return
      "INSERT INTO scans_refused (digest, topic, payload, reason) VALUES (sha256(\(bytes(message.topic.utf8)) || \(payload)), "
      + "\(text(message.topic)), \(payload), \(text(reason))) ON CONFLICT DO NOTHING;\n"
  }

  private static func problem(_ failure: PSQL.Failure) -> DeliveryProblem {
    switch failure {
    case .other(let problem): problem
    case .data(let text):
      DeliveryProblem("the database refuses: \(text)", remedy: "check that the tables are those of Reticle")
    }
  }

  /// The tables, and the one that a connection keeps for what comes in.
  static let schema = """
    SET client_min_messages = warning;
    SET standard_conforming_strings = on;
    SET client_encoding = 'UTF8';
    SET synchronous_commit = on;
    BEGIN;
    SELECT pg_advisory_xact_lock(7260415123) \\g /dev/null
    CREATE TABLE IF NOT EXISTS scans (
      id uuid PRIMARY KEY, station text NOT NULL, captured timestamptz NOT NULL, received timestamptz NOT NULL DEFAULT now(),
      symbology text NOT NULL, text text NOT NULL, no_read text, sequence bigint NOT NULL, record json NOT NULL
    ) PARTITION BY RANGE (id);
    CREATE TABLE IF NOT EXISTS scans_other PARTITION OF scans DEFAULT;
    CREATE INDEX IF NOT EXISTS scans_by_station ON scans (station, captured);
    CREATE INDEX IF NOT EXISTS scans_by_text ON scans USING hash (text);
    CREATE TABLE IF NOT EXISTS scans_refused (
      digest bytea PRIMARY KEY, received timestamptz NOT NULL DEFAULT now(), topic text NOT NULL, payload bytea NOT NULL,
      reason text NOT NULL);
    COMMIT;
    CREATE TEMPORARY TABLE incoming (
      id uuid, station text, captured timestamptz, symbology text, text text, no_read text, sequence bigint, record json
    ) ON COMMIT DELETE ROWS;
    """

  /// Moves what came in to the table, each id once.
  private static let move = """
    WITH new AS (
      INSERT INTO scans (id, station, captured, symbology, text, no_read, sequence, record)
      SELECT DISTINCT ON (id) id, station, captured, symbology, text, no_read, sequence, record FROM incoming
      ON CONFLICT (id) DO NOTHING RETURNING 1)
    SELECT 'stored ' || count(*) FROM new;

    """
}
