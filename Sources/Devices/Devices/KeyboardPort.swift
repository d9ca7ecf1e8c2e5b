// The keyboard and the scanner that a host sees: keys that go down and up, and input reports.

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

/// A scanner at a host, with one owner at a time.
public protocol ScannerPort: Sendable {
  /// The scanner as people know it, such as `/dev/hidg1`; used in messages.
  var name: String { get }

  /// Opens the device where it is closed, and checks that the host fetches reports.
  func open() async throws(InputFailure)

  /// Sends reports in order, each once the host has fetched the one before, and returns when it has fetched the last. Throws
  /// soon after the task is cancelled, between two reports.
  func send(_ reports: [[UInt8]]) async throws(InputFailure)

  /// Closes the device. Does nothing when it is closed.
  func close() async
}

/// The reason why a keyboard or a scanner at a host did not carry out a request.
public struct InputFailure: Error, Equatable, Sendable {
  /// The event, such as `/dev/uinput: open failed: permission denied`.
  public var summary: String
  public var remedy: String
  /// Whether the host may have received a part of what was sent, or all of it.
  public var mayHaveArrived: Bool

  public init(_ summary: String, remedy: String, mayHaveArrived: Bool = false) {
    self.summary = summary
    self.remedy = remedy
    self.mayHaveArrived = mayHaveArrived
  }
}
