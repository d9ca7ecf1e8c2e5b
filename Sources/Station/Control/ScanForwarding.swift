// Where results go: to the outbox, in a station. The controller's loop waits for it, so that nobody is told of a scan
// before it is safe.

public import ScanControl

/// Takes results for good.
public protocol ScanForwarding: Sendable {
  /// Takes the results of a frame: on return they are safe, but for those whose error says why they are lost and what to
  /// do. One outcome for each result, in order.
  func accept(_ results: [ScanResult]) async -> [Result<Void, any Error>]

  /// Waits until everything accepted is delivered, or the limit is over; returns how many scans are not delivered.
  func drain(within limit: Duration) async -> Int
}
