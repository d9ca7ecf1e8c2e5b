// Notices of newly plugged-in cameras, so that a station that waits for one need not poll.

/// Reports that a camera may have been plugged in.
public protocol CameraArrivals: Sendable {
  /// One element per device that may be a camera; ends when notices end. Called once.
  func arrivals() -> AsyncStream<Void>
}
