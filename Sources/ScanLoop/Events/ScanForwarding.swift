// Where results go: to the outbox, in a station. The controller's loop waits for it, so that nobody is told of a scan
// before it is safe.

public import ScanControl

/// How safe a scan is that was taken.
public enum ScanSafety: Equatable, Sendable {
  /// It is where it was to be kept.
  case stored
  /// It is in memory only, with others: so many are lost if the station stops now.
  case atRisk(count: Int)
  /// It is where it was to be kept, and is not what it was compared with.
  case mismatched
  /// A rule dropped it; no sink gets it.
  case dropped(rule: String)
  /// It waits in memory for the other codes of its set.
  case waiting(missing: [String])
}

/// The codes of a set that was given up, as others did not come.
public struct IncompleteScans: Sendable {
  public var set: String
  /// The parts that did not come.
  public var missing: [String]
  /// The codes that did; at least one.
  public var results: [ScanResult]

  public init(set: String, missing: [String], results: [ScanResult]) {
    (self.set, self.missing, self.results) = (set, missing, results)
  }
}

/// Takes results for good.
public protocol ScanForwarding: Sendable {
  /// Takes the results of a frame: on return they are as safe as they get, but for those whose error says why they are lost
  /// and what to do. One outcome for each result, in order.
  func accept(_ results: [ScanResult]) async -> [Result<ScanSafety, any Error>]

  /// Sets of codes that are given up; taken by one loop.
  var incomplete: AsyncStream<IncompleteScans> { get }

  /// Another forwarding will take over the sets that are not complete: `abandonSets` gives up none.
  func keepSets()

  /// Gives up the sets that are not complete, at the end.
  func abandonSets() -> [IncompleteScans]

  /// Waits until everything accepted is delivered, or the limit is over; returns how many scans are not delivered.
  func drain(within limit: Duration) async -> Int

  /// Tells hosts that a trigger ended without a scan; nil where they are not told.
  func reportNoRead(_ cause: NoRead) async -> Result<ScanSafety, any Error>?

  /// Tells hosts that a set was given up; nil where they are not told.
  func reportIncomplete(_ scans: IncompleteScans) async -> Result<ScanSafety, any Error>?
}

extension ScanForwarding {
  public func reportNoRead(_ cause: NoRead) async -> Result<ScanSafety, any Error>? { nil }
  public func reportIncomplete(_ scans: IncompleteScans) async -> Result<ScanSafety, any Error>? { nil }
}

extension ScanForwarding {
  /// No sets.
  public var incomplete: AsyncStream<IncompleteScans> { AsyncStream { $0.finish() } }
  public func keepSets() {}
  public func abandonSets() -> [IncompleteScans] { [] }
}
