// A keyboard as the rest of the station sees it: keys that go down and up at a host.

/// A key that goes down or up.
public struct KeyEvent: Equatable, Sendable {
  /// The key's code of Linux (linux/input-event-codes.h), such as 30 for the key that is A on a US keyboard.
  public let key: UInt16
  public let isDown: Bool

  public init(key: UInt16, isDown: Bool) {
    self.key = key
    self.isDown = isDown
  }
}

/// A keyboard with one owner at a time.
public protocol KeyboardPort: Sendable {
  /// The keyboard as people know it, such as `/dev/uinput`; used in messages.
  var name: String { get }

  /// Plugs the keyboard in at the host, and waits until the host has had time to notice it. If it is plugged in, only checks that
  /// the host still takes keys.
  func open() async throws(InputFailure)

  /// Whether Caps Lock is on at the host, as the host last showed it; nil if it has not shown it.
  func readCapsLock() async throws(InputFailure) -> Bool?

  /// Sends events in order, with a pause after each key that goes up. Throws soon after the task is cancelled, between two strokes.
  ///
  /// If it throws, it has tried to release the keys; how much of them the host has received is unknown.
  func send(_ events: [KeyEvent], pause: Duration) async throws(InputFailure)

  /// Pulls the keyboard out. Does nothing when it is out.
  func close() async
}
