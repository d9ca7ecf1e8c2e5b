// What a way out has to be able to do, and the three things that can come of it. Whether and when to try again is decided
// elsewhere (`DeliveryMachine`), so a sink is straight-line code.

public import ServiceLifecycle

/// A way out for scans: a webhook, a serial line, standard output.
public protocol ScanSink: Sendable {
  /// The name it is configured under: its position in the outbox, its metrics and its log lines go by it.
  var name: String { get }

  /// How many scans it takes at once.
  var batching: BatchSettings { get }

  /// Deliveries of single scans that may wait to be noted together while more scans wait: so many at most are repeated, under
  /// their ids, after the station's death. 1 where the receiver cannot tell a repeat.
  var unnotedCountMax: Int { get }

  /// Tries once to deliver scans: one, or as many as `batching` says, in order. The outcome is that of all of them. One call
  /// at a time. Must end soon when the task is cancelled; whether the receiver has the scans is then unknown, and they will
  /// be offered again under the same ids.
  func deliver(_ records: [ScanRecord]) async -> DeliveryOutcome

  /// Services that run as long as the station does, such as listening to the host.
  var services: [any Service] { get }

  /// Lets go of connections and devices; no delivery follows.
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

/// How scans are gathered for a receiver that takes several at once.
public struct BatchSettings: Equatable, Sendable {
  /// Scans of one delivery at most; 1 delivers each by itself.
  public var countMax = 1
  /// How long the first scan waits for others.
  public var delay = Duration.zero
  /// The most scans that may be gathered.
  public static let countLimit = 1000
  /// What a delivery may hold in bytes, nearly: a batch ends before the scan that would exceed it, so that a receiver with
  /// a usual limit of 1 MiB takes it.
  public static let byteCountMax = 512 << 10

  public init() {}
}

/// What came of one attempt.
public enum DeliveryOutcome: Equatable, Sendable {
  /// The receiver has it.
  case delivered
  /// It may work later; `after` is how long the receiver asked to be left alone, if it did.
  case retry(after: Duration?, DeliveryProblem)
  /// The receiver is there and does not take this scan, or this batch; it may take others. `after` is as in `retry`.
  case rejected(after: Duration?, DeliveryProblem)
  /// It will not work until someone changes something. `isFinal`: the receiver said that it is gone for good.
  case parked(DeliveryProblem, isFinal: Bool)
}

/// Why an attempt failed, for whoever has to repair it.
public struct DeliveryProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// What happened, such as `https://host/scans: connection refused`.
  public var summary: String
  /// What to do about it.
  public var remedy: String

  public init(_ summary: String, remedy: String) {
    self.summary = summary
    self.remedy = remedy
  }

  public var description: String { "\(summary); \(remedy)" }
}

/// How a sink is doing.
public struct SinkStatus: Equatable, Sendable {
  /// What the sink is at.
  public enum Phase: Equatable, Sendable {
    /// Nothing to deliver.
    case idle
    /// An attempt is under way.
    case delivering
    /// Waiting before the next attempt; `failureCount` attempts have failed in a row.
    case retrying(failureCount: Int, DeliveryProblem)
    /// The receiver rejects a scan again and again and the others wait behind it.
    case stuck(DeliveryProblem)
    /// Not trying until someone changes something.
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
  /// Why the last attempt failed; nil once one has succeeded.
  public private(set) var problem: DeliveryProblem?
  /// Attempts that have failed in a row.
  public private(set) var failureCount = 0
  /// Whether it gets nowhere: it is parked or stuck, or `heldUpFailureCount` attempts have failed in a row. Stays so, whatever
  /// is tried, until an attempt succeeds.
  public private(set) var isHeldUp = false

  /// About half a minute of failures: longer than a receiver takes to restart.
  public static let heldUpFailureCount = 10

  init(name: String) { self.name = name }

  mutating func delivered() {
    (problem, failureCount, isHeldUp) = (nil, 0, false)
  }

  mutating func failed(_ problem: DeliveryProblem) {
    self.problem = problem
    failureCount += 1
    if failureCount >= Self.heldUpFailureCount { isHeldUp = true }
  }
}
