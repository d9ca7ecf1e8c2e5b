// Word of cameras that are plugged in, so that nobody who waits for one has to look.

/// Tells that a camera may have come.
public protocol CameraArrivals: Sendable {
  /// An element for each device that may be a camera's, until nobody tells any more. Asked for once.
  func arrivals() -> AsyncStream<Void>
}
