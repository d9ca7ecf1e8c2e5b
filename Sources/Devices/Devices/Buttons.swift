// Controls that a user can press: on a GPIO line, a keyboard, the console.

/// A button by its purpose.
public enum Button: String, CaseIterable, Equatable, Sendable {
  case shortcut, trigger, confirm, next, cancel, torch
}

/// A button was pressed or released.
public struct ButtonChange: Equatable, Sendable {
  public var button: Button
  public var isPressed: Bool

  public init(_ button: Button, isPressed: Bool) {
    self.button = button
    self.isPressed = isPressed
  }
}

/// The buttons of a station.
public protocol Buttons: Sendable {
  /// Changes, debounced, in order, until the buttons are unplugged. Called once.
  func changes() -> AsyncStream<ButtonChange>
}
