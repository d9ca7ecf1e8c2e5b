// The requirements of a sink, and the outcomes of a delivery. `DeliveryMachine` decides whether and when to try again, so a sink
// is straight-line code.

public import ServiceLifecycle

/// A receiver of scans: a webhook, a serial line, standard output.
public protocol ScanSink: Sendable {
  /// The configured name, which its position in the outbox, its metrics and its log lines carry.
  var name: String { get }

  /// The number of scans that it accepts at once.
  var batching: BatchSettings { get }

  /// The most deliveries of single scans that the outbox may record together while more scans wait. After a crash, up to this
  /// many scans are sent again under the same ids. 1 if the receiver cannot recognise a repeat.
  var unnotedCountMax: Int { get }

  /// Tries once to deliver scans in order: one, or up to the number of `batching`. The outcome applies to all of them. Called
  /// once at a time. It ends soon after the task is cancelled; whether the receiver has the scans is then unknown, and they
  /// are sent again under the same ids.
  func deliver(_ records: [ScanRecord]) async -> DeliveryOutcome

  /// Services that run as long as the station does, such as listening to the host.
  var services: [any Service] { get }

  /// Closes connections and devices; no delivery follows.
  func close() async
}

extension ScanSink {
  public var batching: BatchSettings { BatchSettings() }

  public var unnotedCountMax: Int { 1 }

  public var services: [any Service] { [] }

  public func close() async {}

  /// Tries once to deliver one scan.
  public func deliver(_ record: ScanRecord) async -> DeliveryOutcome { await deliver([record]) }
}

/// Batches for a receiver that accepts several scans at once.
public struct BatchSettings: Equatable, Sendable {
  /// The most scans per delivery; 1 delivers each separately.
  public var countMax = 1
  /// How long the first scan waits for others.
  public var delay = Duration.zero
  /// The highest permitted `countMax`.
  public static let countLimit = 1000
  /// The approximate size limit of a batch in bytes: a scan that would exceed it begins the next batch, so that a receiver
  /// with the usual limit of 1 MiB accepts it.
  public static let byteCountMax = 512 << 10

  public init() {}
}

/// The outcome of an attempt.
public enum DeliveryOutcome: Equatable, Sendable {
  /// The receiver has it.
  case delivered
  /// A later attempt may succeed; `after` is the wait that the receiver asked for, if any.
  case retry(after: Duration?, DeliveryProblem)
  /// The receiver rejects this scan or batch, and may accept others. `after` is as in `retry`.
  case rejected(after: Duration?, DeliveryProblem)
  /// No attempt succeeds until someone changes something. `isFinal`: the receiver reported that it is permanently gone.
  case parked(DeliveryProblem, isFinal: Bool)
}

/// The reason for which an attempt failed, and its remedy.
public struct DeliveryProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// The event, such as `https://host/scans: connection refused`.
  public var summary: String
  /// The action that helps.
  public var remedy: String

  public init(_ summary: String, remedy: String) {
    self.summary = summary
    self.remedy = remedy
  }

  public var description: String { "\(summary); \(remedy)" }
}

/// The state of a sink.
public struct SinkStatus: Equatable, Sendable {
  /// The sink's activity.
  public enum Phase: Equatable, Sendable {
    /// Nothing to deliver.
    case idle
    /// An attempt is under way.
    case delivering
    /// Waiting before the next attempt; `failureCount` attempts have failed in a row.
    case retrying(failureCount: Int, DeliveryProblem)
    /// The receiver keeps rejecting a scan, and the others wait behind it.
    case stuck(DeliveryProblem)
    /// No attempts until someone changes something.
    case parked(DeliveryProblem)
    case stopped
  }

  public var name: String
  public var phase = Phase.idle {
    didSet {
      switch phase {
      case .parked, .stuck: isHeldUp = true
      case .idle, .delivering, .retrying, .stopped: break
      }
    }
  }
  /// The problem of the last attempt; nil once one has succeeded.
  public private(set) var problem: DeliveryProblem?
  /// Attempts that have failed in a row.
  public private(set) var failureCount = 0
  /// Whether delivery is held up: the sink is parked or stuck, or `heldUpFailureCount` attempts have failed in a row. True until
  /// an attempt succeeds.
  public private(set) var isHeldUp = false

  /// About half a minute of failures: longer than a receiver takes to restart.
  public static let heldUpFailureCount = 10

  package init(name: String) { self.name = name }

  package mutating func delivered() {
    (problem, failureCount, isHeldUp) = (nil, 0, false)
  }

  package mutating func failed(_ problem: DeliveryProblem) {
    self.problem = problem
    failureCount += 1
    if failureCount >= Self.heldUpFailureCount { isHeldUp = true }
  }
}
