// What a user can press, wherever it is: on a line, a keyboard, the console.

/// A button by what it is for.
public enum Button: String, CaseIterable, Equatable, Sendable {
  case shortcut, trigger, confirm, cancel, torch
}

/// The buttons of a station.
public protocol Buttons: Sendable {
  /// Presses, debounced, in order, until the buttons go away. Asked for once.
  func presses() -> AsyncStream<Button>
}
