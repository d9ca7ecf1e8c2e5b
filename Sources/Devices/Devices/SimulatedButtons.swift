// Buttons that a program presses, instead of those on GPIO lines.

/// Buttons without contacts.
public final class SimulatedButtons: Buttons {
  /// Changes that wait to be taken; further ones are lost, as on a line.
  public static let waitingCountMax = 64

  private let stream: AsyncStream<ButtonChange>
  private let continuation: AsyncStream<ButtonChange>.Continuation

  public init() {
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.waitingCountMax))
  }

  public func press(_ button: Button) { continuation.yield(ButtonChange(button, isPressed: true)) }

  public func release(_ button: Button) { continuation.yield(ButtonChange(button, isPressed: false)) }

  /// Removes the buttons.
  public func remove() { continuation.finish() }

  public func changes() -> AsyncStream<ButtonChange> { stream }
}
