// The outbox as other programs see it: `reticle outbox` while a station runs. It opens the file read-only, so it can neither
// delay the station nor change anything.

public import DeliveryModel

/// A view of an outbox file that another process may be writing.
public final class OutboxReader {
  private let store: OutboxStore

  /// The progress of a sink.
  public struct SinkProgress: Equatable, Sendable {
    public var name: String
    /// It is done with all scans through this number.
    public var position: Int64
    public var undeliveredCount: Int
    public var deadCount: Int
    /// Whether it was configured when the station last ran.
    public var isConfigured: Bool
    let state: SinkState

    /// Whether the sink must still get a scan.
    public func waits(for number: Int64) -> Bool { state.undelivered(through: number).contains(number) }
  }

  /// Opens an existing file; never creates one.
  public convenience init(path: String) throws(OutboxTrouble) {
    var settings = OutboxSettings()
    settings.path = path
    try self.init(settings: settings)
  }

  /// - Parameter settings: the station's settings.
  public init(settings: OutboxSettings) throws(OutboxTrouble) {
    let path = settings.path
    try OutboxOwnership(files: SystemFiles(), path: path).check()
    store = try OutboxStore(settings: settings, files: SystemFiles(), path: path, .read)
  }

  /// The scans after a number, in order.
  public func records(after number: Int64, limit: Int) throws(OutboxTrouble) -> [ScanRecord] {
    try store.records(after: number, limit: limit)
  }

  /// The scan with this id; nil if it is not in the file.
  public func record(_ id: ScanID) throws(OutboxTrouble) -> ScanRecord? { try store.record(id) }

  /// Every sink that the file knows, by name, including those no longer configured.
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

  /// Why a station with these settings accepts no new scans; nil if there is room.
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

  /// The scans that receivers permanently refused, by sink and number, with the reasons.
  public func deadLetters() throws(OutboxTrouble) -> [(letter: DeadLetter, scan: ScanRecord?)] {
    let letters = try store.deadLetters()
    var found: [(letter: DeadLetter, scan: ScanRecord?)] = []
    for letter in letters {
      found.append((letter, try store.records(after: letter.number - 1, limit: 1).first { $0.sequence == letter.number }))
    }
    return found
  }
}
