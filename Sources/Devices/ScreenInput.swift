// What a user does at the screen: touches and keys, from whatever devices there are.

public import BarcodeTypes

/// Something that a user did.
public enum InputAct: Equatable, Sendable {
  /// A finger or a pointer came down, at a place in parts of the panel as it is wired: 0…1 from its top left.
  case touch(x: Double, y: Double)
  case button(Button)
  /// The housing was turned (a key for it, or a sensor that acts as one).
  case turn(QuarterTurn)
  /// The devices that are plugged in have changed, or are known for the first time.
  case equipment(InputEquipment)
}

/// What the devices that are plugged in can do.
public struct InputEquipment: Equatable, Sendable {
  /// Whether the screen can be touched or pointed at.
  public var canTouch: Bool
  /// Whether there is a key that confirms.
  public var hasKeys: Bool

  public init(canTouch: Bool, hasKeys: Bool) {
    self.canTouch = canTouch
    self.hasKeys = hasKeys
  }

  public static let none = InputEquipment(canTouch: false, hasKeys: false)

  /// Whether a user can confirm a result with it.
  public var canConfirm: Bool { canTouch || hasKeys }
}

/// The input devices at the screen.
public protocol ScreenInput: Sendable {
  /// Acts in order, until the devices go away for good. Asked for once.
  func acts() -> AsyncStream<InputAct>
}

/// Input without devices: a peer of the real one.
public final class SimulatedScreenInput: ScreenInput {
  /// Acts that wait for somebody to look; further ones are lost.
  public static let waitingCountMax = 64

  private let stream: AsyncStream<InputAct>
  private let continuation: AsyncStream<InputAct>.Continuation

  public init(_ equipment: InputEquipment = InputEquipment(canTouch: true, hasKeys: true)) {
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.waitingCountMax))
    continuation.yield(.equipment(equipment))
  }

  public func act(_ act: InputAct) { continuation.yield(act) }

  public func acts() -> AsyncStream<InputAct> { stream }
}
