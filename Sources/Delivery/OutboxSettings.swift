// What can be set about the outbox. Plain values with the defaults a station runs with; where they come from (a file, the
// environment, a test) is not this target's business.

/// Where scans wait until every sink has them, and for how long.
public struct OutboxSettings: Equatable, Sendable {
  /// When a scan counts as written.
  public enum Synchronous: String, Sendable, CaseIterable {
    /// After the storage says that it is written: a scan that was acknowledged survives a power cut.
    case full
    /// After the operating system has it: an acknowledged scan survives the death of this program, but not a power cut.
    /// For SD cards on which a sync takes longer than a scan may.
    case normal
  }

  /// What happens to scans when the outbox is full of undelivered ones.
  public enum FullPolicy: String, Sendable, CaseIterable {
    /// The new scan is refused, so whoever scans hears it; nothing acknowledged is ever lost.
    case refuse
    /// The oldest undelivered scan is discarded, counted and logged, to make room for the new one.
    case discardOldest
  }

  /// What happens to new scans while the storage is in trouble.
  public enum TroublePolicy: String, Sendable, CaseIterable {
    /// They are refused, so whoever scans hears it.
    case refuse
    /// They are held in memory, and are lost if the station stops before the trouble is over.
    case memory
  }

  /// The database file. Its folder must exist and be writable; `-wal` and `-shm` files appear beside it.
  public var path = "/var/lib/reticle/outbox.sqlite"
  public var synchronous = Synchronous.full
  public var whenFull = FullPolicy.refuse
  public var onTrouble = TroublePolicy.refuse
  /// Undelivered scans at most. A scan takes about 700 bytes, so the default is about 70 MB of disk.
  public var undeliveredCountMax = 100_000
  /// Size of the database file at most, in bytes, delivered scans included.
  public var byteCountMax = 256 << 20
  /// Undelivered scans older than this are discarded, counted and logged; nil keeps them for as long as there is room.
  /// Never applied to scans whose wall clock was not set (before 2025).
  public var undeliveredAgeMax: Duration?
  /// How many delivered scans are kept, the newest, to be listed and exported.
  public var deliveredCountKept = 1000
  /// How many scans are held in memory while the database cannot be written; more are refused.
  public var memoryCountMax = 1000
  /// How long to wait before trying again to write a database that could not be written.
  public var healInterval = Duration.seconds(5)

  public init() {}
}
