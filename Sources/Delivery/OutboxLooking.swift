// The outbox seen from outside: its scans, how far each sink is, and how safe all of it is.

extension Outbox {
  /// The newest scans, newest first, those in memory included.
  public func newest(_ count: Int) -> [ScanRecord] {
    let fromMemory = Array(tail.suffix(count).reversed())
    return fromMemory + ((try? store?.newest(count - fromMemory.count)) ?? [])
  }

  /// The scans after a sequence number in order, those in memory included.
  public func records(after sequence: Int64, limit: Int) -> [ScanRecord] {
    let fromFile = (try? store?.records(after: sequence, limit: limit)) ?? []
    return fromFile + tail.filter { $0.sequence > sequence }.prefix(limit - fromFile.count)
  }

  /// How many scans a sink does not have yet.
  public func undeliveredCount(for sink: String) -> Int {
    let position = positions[sink] ?? 0
    let there = ((try? store?.count(after: position)) ?? 0) + tail.count { $0.sequence > position }
    return max(0, there - (deliveredAhead[sink]?.count ?? 0))
  }

  /// Makes a sink pass over scans, for a host that will never take them; they count as discarded.
  public func skip(through sequence: Int64, for sink: String) {
    guard let position = positions[sink], sequence > position else { return }
    let skipped = undeliveredCount(for: sink)
    advance(sink, to: min(sequence, nextSequence - 1))
    count(discarded: skipped - undeliveredCount(for: sink), reason: "skipped")
    bells[sink]?.ring()
  }

  /// How the outbox is doing.
  public func status() -> OutboxStatus {
    let storage = Storage(path: settings.path)
    let delivered = deliveredSequence
    let inFile = (try? store?.count(after: delivered)) ?? 0
    let oldest = (try? store?.oldestCapture(after: delivered)) ?? nil
    var status = OutboxStatus(path: settings.path, fileSystem: storage.fileSystem)
    status.undeliveredCount = inFile + tail.count { $0.sequence > delivered }
    status.inMemoryCount = tail.count
    status.oldestAgeSeconds = oldest.map { max(0, wallMilliseconds() - $0) / 1000 } ?? 0
    status.discardedCount = discardedCount
    status.refusedCount = refusedCount
    switch state {
    case .memoryOnly(let trouble):
      status.durability = .memory
      status.trouble = trouble.description
      status.remedy = trouble.remedy
    case .durable where !storage.survivesPowerOff:
      status.durability = .process
      status.remedy = Storage.remedy
    case .durable: status.durability = settings.synchronous == .full ? .powerCut : .process
    }
    return status
  }
}

/// The state of an outbox in figures and words; its JSON form is part of the station's status.
public struct OutboxStatus: Equatable, Sendable, Encodable {
  /// What a scan that was acknowledged survives.
  public enum Durability: String, Sendable, Encodable {
    /// A power cut.
    case powerCut = "power-cut"
    /// The death of the station's process, but not a power cut: the file system forgets, or `synchronous` is `normal`.
    case process
    /// Nothing: scans wait in memory.
    case memory
  }

  public var path: String
  /// The type of the file system under it, such as `ext4`; empty when it cannot be told.
  public var fileSystem: String
  public var durability = Durability.memory
  /// Scans that some sink does not have yet.
  public var undeliveredCount = 0
  /// Those that are in memory only.
  public var inMemoryCount = 0
  /// Age of the oldest undelivered scan by the wall clock.
  public var oldestAgeSeconds: Int64 = 0
  /// Undelivered scans that were discarded by a limit or by an operator, since the start.
  public var discardedCount = 0
  /// Scans that were not taken, since the start.
  public var refusedCount = 0
  /// What is wrong and what to do; nil when nothing is.
  public var trouble: String?
  public var remedy: String?

  init(path: String, fileSystem: String) {
    self.path = path
    self.fileSystem = fileSystem
  }
}

extension ScanRecord {
  /// About the bytes of its JSON form: base64, and what has to be escaped in the text counted twice.
  var byteCountEstimate: Int { 800 + 2 * text.utf8.count + bytes.count * 4 / 3 + 2 * (hri?.utf8.count ?? 0) }
}
