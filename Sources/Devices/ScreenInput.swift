// What a user does at the screen: touches and keys, from whatever devices there are.

public import BarcodeTypes

/// Something that a user did.
public enum InputAct: Equatable, Sendable {
  /// A finger or a pointer came down, at a place in parts of the panel as it is wired: 0…1 from its top left.
  case touch(x: Double, y: Double)
  case button(Button)
  /// The housing was turned (a key for it, or a sensor that acts as one).
  case turn(QuarterTurn)
}

/// The input devices at the screen.
public protocol ScreenInput: Sendable {
  /// Acts in order, until the devices go away for good. Asked for once.
  func acts() -> AsyncStream<InputAct>

  /// Whether something is plugged in with which a user can confirm a result.
  var canConfirm: Bool { get }
}

/// Input without devices: a peer of the real one.
public final class SimulatedScreenInput: ScreenInput {
  /// Acts that wait for somebody to look; further ones are lost.
  public static let waitingCountMax = 64

  private let stream: AsyncStream<InputAct>
  private let continuation: AsyncStream<InputAct>.Continuation

  public let canConfirm: Bool

  public init(canConfirm: Bool = true) {
    self.canConfirm = canConfirm
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.waitingCountMax))
  }

  public func act(_ act: InputAct) { continuation.yield(act) }

  public func acts() -> AsyncStream<InputAct> { stream }
}
