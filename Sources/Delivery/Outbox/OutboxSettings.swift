// Settings of the outbox: plain values with a station's defaults. Other targets read them from a file or the environment.

/// Where scans wait until every sink has them, and for how long.
public struct OutboxSettings: Equatable, Sendable {
  /// When a scan counts as written.
  public enum Synchronous: String, Sendable, CaseIterable {
    /// After the storage confirms the write: an acknowledged scan survives a power cut.
    case full
    /// After the operating system has it: an acknowledged scan survives a crash of this program, but not a power cut. For SD
    /// cards on which a sync takes longer than a scan may.
    case normal
  }

  /// The treatment of scans when the outbox is full of undelivered ones.
  public enum FullPolicy: String, Sendable, CaseIterable {
    /// The new scan is refused, which the user hears; nothing acknowledged is ever lost.
    case refuse
    /// The oldest undelivered scan is discarded, counted and logged, to make room for the new one.
    case discardOldest = "discard oldest"
  }

  /// The treatment of new scans while the storage has trouble.
  public enum TroublePolicy: String, Sendable, CaseIterable {
    /// They are refused, which the user hears.
    case refuse
    /// They are held in memory, and are lost if the station stops before the trouble is over.
    case memory
  }

  /// The database file. Its folder must exist and be writable; `-wal` and `-shm` files appear next to it.
  public var path = "/var/lib/reticle/outbox.sqlite"
  public var synchronous = Synchronous.full
  public var whenFull = FullPolicy.refuse
  public var onTrouble = TroublePolicy.refuse
  /// The most undelivered scans. A scan takes about 700 bytes, so the default is about 70 MB of disk.
  public var undeliveredCountMax = 100_000
  /// The largest size of the database file in bytes, including delivered scans.
  public var byteCountMax = 256 << 20
  /// Undelivered scans older than this are discarded, counted and logged; nil keeps them while there is room. Never applied
  /// to scans whose wall clock was not set (before 2025).
  public var undeliveredAgeMax: Duration?
  /// The number of newest delivered scans kept for listing and export.
  public var deliveredCountKept = 1000
  /// The most scans held in memory while the database cannot be written; further ones are refused.
  public var memoryCountMax = 1000
  /// The wait before another attempt to write a database that could not be written.
  public var healInterval = Duration.seconds(5)

  public init() {}
}
