// The outbox as others may see it: `reticle outbox` beside a station that runs. It opens the file read-only, so it can
// neither hold up the station nor change anything.

/// A view of an outbox file that another process may be writing.
public final class OutboxReader {
  private let store: OutboxStore

  /// How far one sink is.
  public struct SinkProgress: Equatable, Sendable {
    public var name: String
    /// It is done with all scans up to and including this number.
    public var position: Int64
    public var undeliveredCount: Int
    public var deadCount: Int
    /// Whether it was configured when the station ran last.
    public var isConfigured: Bool
    let state: SinkState

    /// Whether it is still to get a scan.
    public func waits(for number: Int64) -> Bool { state.undelivered(through: number).contains(number) }
  }

  /// Opens a file that is there; never makes one.
  public convenience init(path: String) throws(OutboxTrouble) {
    var settings = OutboxSettings()
    settings.path = path
    try self.init(settings: settings)
  }

  /// - Parameter settings: those of the station.
  public init(settings: OutboxSettings) throws(OutboxTrouble) {
    let path = settings.path
    try OutboxOwnership(files: SystemFiles(), path: path).check()
    store = try OutboxStore(settings: settings, files: SystemFiles(), path: path, .read)
  }

  /// The scans after a number, in order.
  public func records(after number: Int64, limit: Int) throws(OutboxTrouble) -> [ScanRecord] {
    try store.records(after: number, limit: limit)
  }

  /// The scan with this id; nil when it is not there, or no longer.
  public func record(_ id: ScanID) throws(OutboxTrouble) -> ScanRecord? { try store.record(id) }

  /// Every sink that the file knows, by name, those no longer configured included.
  public func sinks() throws(OutboxTrouble) -> [SinkProgress] {
    let last = try store.lastNumber()
    return try store.sinkStates().map { state in
      let waiting = state.undelivered(through: last)
      let end = min(last, state.until ?? last)
      return SinkProgress(
        name: state.name, position: waiting.first.map { $0 - 1 } ?? end, undeliveredCount: waiting.count,
        deadCount: state.dead.count, isConfigured: state.until == nil, state: state)
    }
  }

  /// Why a station with these settings takes no new scans; nil if there is room.
  public func fullness(_ settings: OutboxSettings) throws(OutboxTrouble) -> OutboxTrouble? {
    guard settings.whenFull == .refuse else { return nil }
    let last = try store.lastNumber()
    var waiting = NumberSet()
    var kept = NumberSet()
    for state in try store.sinkStates() {
      waiting.formUnion(state.undelivered(through: last))
      kept.formUnion(state.dead)
    }
    if waiting.count >= settings.undeliveredCountMax {
      return .undelivered(waiting.count, of: settings.undeliveredCountMax, path: settings.path)
    }
    kept.formUnion(waiting)
    return try store.fullness(butFor: kept)
  }

  /// The scans that receivers refused for good, by sink and number, and why.
  public func deadLetters() throws(OutboxTrouble) -> [(letter: DeadLetter, scan: ScanRecord?)] {
    let letters = try store.deadLetters()
    var found: [(letter: DeadLetter, scan: ScanRecord?)] = []
    for letter in letters {
      found.append((letter, try store.records(after: letter.number - 1, limit: 1).first { $0.sequence == letter.number }))
    }
    return found
  }
}
