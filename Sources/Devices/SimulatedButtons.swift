// Buttons that a program presses: a peer of those on lines.

/// Buttons without contacts.
public final class SimulatedButtons: Buttons {
  /// Changes that wait for somebody to look; further ones are lost, as they are on a line.
  public static let waitingCountMax = 64

  private let stream: AsyncStream<ButtonChange>
  private let continuation: AsyncStream<ButtonChange>.Continuation

  public init() {
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.waitingCountMax))
  }

  public func press(_ button: Button) { continuation.yield(ButtonChange(button, isPressed: true)) }

  public func release(_ button: Button) { continuation.yield(ButtonChange(button, isPressed: false)) }

  /// The buttons go away.
  public func remove() { continuation.finish() }

  public func changes() -> AsyncStream<ButtonChange> { stream }
}
