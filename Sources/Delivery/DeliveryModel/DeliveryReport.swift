// Delivery as operators see it: the state of the outbox and its sinks, and the state of a scan at each.

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

    package init(name: String, undeliveredCount: Int) { (self.name, self.undeliveredCount) = (name, undeliveredCount) }
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

  package init(path: String, fileSystem: String) {
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

/// The state of a scan at a sink.
public struct ScanOutcome: Equatable, Sendable, Encodable {
  public enum State: String, Sendable, Encodable, CaseIterable {
    /// The receiver has it.
    case delivered
    /// The sink is done with it: the receiver had it before the station's last start, or an operator or a limit passed it over.
    case done
    case waiting
    /// The receiver permanently refused it.
    case dead
    /// It was not meant for this sink.
    case notSent
  }

  public var sink: String
  public var state: State
  /// The receiver's refusal.
  public var problem: String?

  public init(sink: String, state: State, problem: String? = nil) {
    (self.sink, self.state, self.problem) = (sink, state, problem)
  }
}

/// The scans that a receiver took last.
package struct RecentDeliveries: Sendable {
  /// As many as an operator looks through.
  package static let countMax = 1000

  private var ids: Set<ScanID> = []
  private var order: [ScanID] = []
  /// The place in `order` of the oldest, once there are `countMax`.
  private var oldest = 0

  package init() {}

  package func contains(_ id: ScanID) -> Bool { ids.contains(id) }

  package mutating func add(_ id: ScanID) {
    guard ids.insert(id).inserted else { return }
    guard order.count == Self.countMax else { return order.append(id) }
    ids.remove(order[oldest])
    order[oldest] = id
    oldest = (oldest + 1) % Self.countMax
  }
}

/// A scan that a receiver permanently refused.
public struct DeadLetter: Equatable, Sendable, Encodable {
  public let sink: String
  /// The scan's `sequence`.
  public let number: Int64
  /// When it was given up, in milliseconds since 1970 by the wall clock.
  public let unixMilliseconds: Int64
  public let tryCount: Int
  /// The receiver's answer.
  public let problem: String

  package init(sink: String, number: Int64, unixMilliseconds: Int64, tryCount: Int, problem: String) {
    (self.sink, self.number, self.unixMilliseconds) = (sink, number, unixMilliseconds)
    (self.tryCount, self.problem) = (tryCount, problem)
  }
}
