// Cameras that a program plugs in.

/// Reports cameras that a program plugs in, instead of real ones.
public final class SimulatedArrivals: CameraArrivals {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  public init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  public func plugIn() { continuation.yield() }

  public func arrivals() -> AsyncStream<Void> { stream }
}
