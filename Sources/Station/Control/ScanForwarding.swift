// Where results go: to the outbox, in a station. The controller's loop waits for it, so that nobody is told of a scan
// before it is safe.

public import ScanControl

/// Takes results for good.
public protocol ScanForwarding: Sendable {
  /// Takes a result: on return it is safe. An error says why it is lost and what to do.
  func accept(_ result: ScanResult) async throws

  /// Waits until everything accepted is delivered, or the limit is over; returns how many scans are not delivered.
  func drain(within limit: Duration) async -> Int
}
