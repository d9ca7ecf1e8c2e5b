// What a user can press, wherever it is: on a line, a keyboard, the console.

/// A button by what it is for.
public enum Button: String, CaseIterable, Equatable, Sendable {
  case shortcut, trigger, confirm, next, cancel, torch
}

/// A button went down or came up.
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
  /// Changes, debounced, in order, until the buttons go away. Asked for once.
  func changes() -> AsyncStream<ButtonChange>
}
