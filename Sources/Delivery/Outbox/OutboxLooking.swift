// External view of the outbox: its scans, the progress of each sink, and how safe the scans are.

public import DeliveryModel
import Metrics

extension OutboxCore {
  /// The newest scans, newest first, including those in memory.
  func newest(_ count: Int) -> [ScanRecord] {
    let fromMemory = Array(ledger.held.suffix(count).reversed()).map(\.record)
    return fromMemory + ((try? store?.newest(count - fromMemory.count)) ?? [])
  }

  /// The scans after a number in order, including those in memory.
  func records(after number: Int64, limit: Int) -> [ScanRecord] {
    let fromFile = (try? store?.records(after: number, limit: limit)) ?? []
    return fromFile + ledger.held.prefix(max(0, limit - fromFile.count)).map(\.record)
  }

  /// The state of the outbox.
  func status() -> OutboxStatus {
    let storage = Storage(path: settings.path)
    var status = OutboxStatus(path: settings.path, fileSystem: storage.fileSystem)
    status.undeliveredCount = undeliveredCount
    status.inMemoryCount = inMemoryCount
    status.oldestAgeSeconds = oldestAge.milliseconds / 1000
    status.deadCount = ledger.deadCount
    status.discardedCount = counts.discarded
    status.refusedCount = counts.refused
    status.lostCount = counts.lost
    status.unknownLossCount = counts.unknownLoss
    let names = sinkNames
    status.removedSinks = ledger.states.values.filter { !names.contains($0.name) }.sorted { $0.name < $1.name }.map {
      OutboxStatus.RemovedSink(name: $0.name, undeliveredCount: $0.undelivered(through: ledger.lastNumber).count)
    }
    switch trouble ?? fullness {
    case .some(let trouble):
      status.durability = self.trouble != nil && !refusesInTrouble ? .memory : .refused
      status.trouble = trouble.description
      status.remedy = trouble.remedy
    case .none where !storage.survivesPowerOff:
      status.durability = .process
      status.remedy = Storage.remedy
    case .none: status.durability = settings.synchronous == .full ? .powerCut : .process
    }
    return status
  }

  /// The minimum time that the oldest undelivered scan has waited.
  var oldestAge: Duration {
    if let oldest = (try? store?.captures(in: ledger.undelivered.first(1)))?.first {
      return clock.age(of: oldest.captured, trusted: oldest.trustedMilliseconds)
    }
    return ledger.held.first.map { clock.age(of: $0.record.captured, trusted: nil) } ?? .zero
  }

  /// Publishes the metric that changes with each scan and each delivery.
  func publishUndelivered() { meters.undelivered.record(undeliveredCount) }

  func publish() {
    publishUndelivered()
    meters.memory.record(ledger.held.count)
    meters.dead.record(ledger.deadCount)
    meters.durable.record(trouble == nil ? 1 : 0)
    meters.oldestAge.record(Double(oldestAge.milliseconds) / 1000)
  }
}

/// The outbox's metrics.
struct OutboxMeters {
  let discarded = Counter(label: "reticle_outbox_discarded_total")
  let refused = Counter(label: "reticle_outbox_refused_total")
  let lost = Counter(label: "reticle_outbox_lost_total")
  let unknownLosses = Counter(label: "reticle_outbox_unknown_losses_total")
  let damagedFiles = Counter(label: "reticle_outbox_damaged_files_total")
  let undelivered = Gauge(label: "reticle_outbox_undelivered")
  let oldestAge = Gauge(label: "reticle_outbox_oldest_age_seconds")
  let durable = Gauge(label: "reticle_outbox_durable")
  let memory = Gauge(label: "reticle_outbox_in_memory")
  let dead = Gauge(label: "reticle_outbox_dead")
}

/// The state of an outbox in numbers and words; its JSON form is part of the station's status.
public struct OutboxStatus: Equatable, Sendable, Encodable {
  /// The events that an acknowledged scan survives.
  public enum Durability: String, Sendable, Encodable {
    /// A power cut.
    case powerCut = "power-cut"
    /// A crash of the station's process, but not a power cut: the file system is volatile, or `synchronous` is `normal`.
    case process
    /// Nothing: the storage has trouble and new scans wait in memory.
    case memory
    /// No new scan is acknowledged: the outbox is full, or its storage has trouble.
    case refused
  }

  /// A sink removed from the configuration, whose scans are kept.
  public struct RemovedSink: Equatable, Sendable, Encodable {
    public var name: String
    public var undeliveredCount: Int
  }

  public var path: String
  /// The type of its file system, such as `ext4`; empty if unknown.
  public var fileSystem: String
  public var durability = Durability.memory
  /// Scans that some sink does not have yet, in the file and in memory.
  public var undeliveredCount = 0
  /// The number of them in memory, which are lost if the station stops.
  public var inMemoryCount = 0
  /// Age of the oldest undelivered scan by the wall clock.
  public var oldestAgeSeconds: Int64 = 0
  /// Scans that receivers permanently refused, in the dead-letter lists of all sinks.
  public var deadCount = 0
  /// Undelivered scans discarded by a limit or by an operator, since the start.
  public var discardedCount = 0
  /// Scans that were refused, since the start.
  public var refusedCount = 0
  /// Scans that have disappeared from the file although some sink does not have them, since the start.
  public var lostCount = 0
  /// Times that an unknown number of further scans may have been lost, since the start.
  public var unknownLossCount = 0
  public var removedSinks: [RemovedSink] = []
  /// The trouble with its remedy; nil without trouble.
  public var trouble: String?
  public var remedy: String?

  init(path: String, fileSystem: String) {
    self.path = path
    self.fileSystem = fileSystem
  }
}

/// Delivery's part of the station's status.
public struct DeliveryReport: Sendable, Encodable {
  /// A sink's part of the report.
  public struct Sink: Sendable, Encodable {
    public var name: String
    /// `idle`, `delivering`, `retrying`, `stuck`, `parked` or `stopped`.
    public var phase: String
    /// Scans delivered since the station's start.
    public var deliveredCount: Int
    /// Whether it has made no progress for a while.
    public var isHeldUp: Bool
    /// The problem with its remedy; nil if there is no problem.
    public var problem: String?
    public var remedy: String?

    public init(_ status: SinkStatus, deliveredCount: Int) {
      name = status.name
      self.deliveredCount = deliveredCount
      isHeldUp = status.isHeldUp
      problem = status.problem?.summary
      remedy = status.problem?.remedy
      switch status.phase {
      case .idle: phase = "idle"
      case .delivering: phase = "delivering"
      case .retrying(_, let trouble): (phase, problem, remedy) = ("retrying", trouble.summary, trouble.remedy)
      case .stuck(let trouble): (phase, problem, remedy) = ("stuck", trouble.summary, trouble.remedy)
      case .parked(let trouble): (phase, problem, remedy) = ("parked", trouble.summary, trouble.remedy)
      case .stopped: phase = "stopped"
      }
    }
  }

  public var outbox: OutboxStatus
  public var sinks: [Sink]

  public init(outbox: OutboxStatus, sinks: [Sink]) {
    self.outbox = outbox
    self.sinks = sinks
  }
}
