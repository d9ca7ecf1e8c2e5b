// The destination of results: in a station, the outbox. The controller's loop waits for it, so that a scan is acknowledged
// only when it is safe.

public import ScanControl

/// How safe an accepted scan is.
public enum ScanSafety: Equatable, Sendable {
  /// Stored where it belongs.
  case stored
  /// Held only in memory, with others: this number of scans is lost if the station stops now.
  case atRisk(count: Int)
  /// Stored, but different from the code it was compared with.
  case mismatched
  /// Dropped by a rule; no sink gets it.
  case dropped(rule: String)
  /// Waiting in memory for the other codes of its set.
  case waiting(missing: [String])
  /// No scan but a set-up code; no sink gets it.
  case setup(SetupOutcome)
}

/// The codes of a set that was given up because others did not come.
public struct IncompleteScans: Sendable {
  public var set: String
  /// The missing parts.
  public var missing: [String]
  /// The codes that came; at least one.
  public var results: [ScanResult]

  public init(set: String, missing: [String], results: [ScanResult]) {
    (self.set, self.missing, self.results) = (set, missing, results)
  }
}

/// Accepts results and takes responsibility for them.
public protocol ScanForwarding: Sendable {
  /// Accepts the results of a frame. On return they are as safe as possible, except those whose error says why they are lost
  /// and what to do. One outcome per result, in order.
  func accept(_ results: [ScanResult]) async -> [Result<ScanSafety, any Error>]

  /// Sets of codes that were given up; only one loop may take them.
  var incomplete: AsyncStream<IncompleteScans> { get }

  /// Keeps incomplete sets for another forwarding, which will take them over: `abandonSets` then gives up none.
  func keepSets()

  /// Gives up incomplete sets, at the end.
  func abandonSets() -> [IncompleteScans]

  /// Waits until everything accepted is delivered or the limit has passed; returns the number of undelivered scans.
  func drain(within limit: Duration) async -> Int

  /// Reports to hosts that a trigger ended without a scan; nil if they do not get such reports.
  func reportNoRead(_ cause: NoRead) async -> Result<ScanSafety, any Error>?

  /// Reports to hosts that a set was given up; nil if they do not get such reports.
  func reportIncomplete(_ scans: IncompleteScans) async -> Result<ScanSafety, any Error>?

  /// The outcome of the set-up code that made this station replace another one; nil if no code did, or the outcome was taken.
  func takeNotice() -> SetupNotice?
}

extension ScanForwarding {
  public func reportNoRead(_ cause: NoRead) async -> Result<ScanSafety, any Error>? { nil }
  public func reportIncomplete(_ scans: IncompleteScans) async -> Result<ScanSafety, any Error>? { nil }
  public func takeNotice() -> SetupNotice? { nil }
}

extension ScanForwarding {
  /// Without sets: ends at once.
  public var incomplete: AsyncStream<IncompleteScans> { AsyncStream { $0.finish() } }
  public func keepSets() {}
  public func abandonSets() -> [IncompleteScans] { [] }
}
