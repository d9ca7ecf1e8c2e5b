// User input at the screen: touches and keys, from any device.

public import BarcodeTypes

/// An action of the user.
public enum InputAct: Equatable, Sendable {
  /// A finger or pointer came down, at a position in fractions of the panel as wired: 0…1 from its top left.
  case touch(x: Double, y: Double)
  case button(Button)
  /// The housing was turned (reported by a key, or by a sensor that acts as one).
  case turn(QuarterTurn)
  /// The input devices have changed, or are known for the first time.
  case equipment(InputEquipment)
}

/// The capabilities of the connected input devices.
public struct InputEquipment: Equatable, Sendable {
  /// Whether the screen can be touched or pointed at.
  public var canTouch: Bool
  /// Whether a key can confirm.
  public var hasKeys: Bool

  public init(canTouch: Bool, hasKeys: Bool) {
    self.canTouch = canTouch
    self.hasKeys = hasKeys
  }

  public static let none = InputEquipment(canTouch: false, hasKeys: false)

  /// Whether a user can confirm a result with these devices.
  public var canConfirm: Bool { canTouch || hasKeys }
}

/// The input devices at the screen.
public protocol ScreenInput: Sendable {
  /// Actions in order, until the devices are permanently gone. Called once.
  func acts() -> AsyncStream<InputAct>
}

/// Input without devices, instead of the real one.
public final class SimulatedScreenInput: ScreenInput {
  /// Actions that wait to be taken; further ones are lost.
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
