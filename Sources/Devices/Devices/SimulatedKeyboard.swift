// A keyboard without a host, instead of the real one.

import Synchronization

/// A keyboard in memory, at a host that switches its Caps Lock by the key. It can be made to fail, also in the middle of a text.
public final class SimulatedKeyboard: KeyboardPort {
  private struct State {
    var isOpen = false
    var capsLockIsOn = false
    var switchesCapsLock = true
    /// Whether the host has shown Caps Lock, and whether it does when the key is pressed.
    var hasShownCapsLock = true
    var showsCapsLock = true
    var failure: InputFailure?
    var breaksOffAfter: Int?
    var events: [KeyEvent] = []
    var openCount = 0
  }

  /// Events kept; older ones are discarded.
  public static let eventCountMax = 1 << 20

  public let name: String
  private let state = Mutex(State())

  public init(name: String = "simulated") { self.name = name }

  /// Events that were sent, in order.
  public var events: [KeyEvent] { state.withLock { $0.events } }
  /// How often the keyboard was plugged in.
  public var openCount: Int { state.withLock { $0.openCount } }

  /// Switches the host's Caps Lock.
  ///
  /// - Parameter followsKey: whether the key will switch it.
  public func setCapsLock(_ isOn: Bool, followsKey: Bool = true) {
    state.withLock { state in
      state.capsLockIsOn = isOn
      state.switchesCapsLock = followsKey
    }
  }

  /// Hides the host's Caps Lock from the keyboard until the key is pressed.
  ///
  /// - Parameter forever: also then.
  public func hideCapsLock(forever: Bool = false) {
    state.withLock { state in
      state.hasShownCapsLock = false
      state.showsCapsLock = !forever
    }
  }

  /// Fails once, after this number of further events.
  public func breakOff(after eventCount: Int) { state.withLock { $0.breaksOffAfter = eventCount } }

  /// Fails from now on with this failure; nil works again.
  public func fail(with failure: InputFailure?) { state.withLock { $0.failure = failure } }

  public func open() async throws(InputFailure) {
    try check()
    state.withLock { state in
      if !state.isOpen { state.openCount += 1 }
      state.isOpen = true
    }
  }

  public func readCapsLock() async throws(InputFailure) -> Bool? {
    try check()
    return state.withLock { $0.hasShownCapsLock ? $0.capsLockIsOn : nil }
  }

  public func send(_ events: [KeyEvent], pause: Duration) async throws(InputFailure) {
    try check()
    let isWhole = state.withLock { state in
      let sent = events.prefix(state.breaksOffAfter ?? events.count)
      for event in sent where state.switchesCapsLock && event.isDown && event.key == Self.capsLock {
        state.capsLockIsOn.toggle()
        state.hasShownCapsLock = state.showsCapsLock
      }
      state.events += sent
      if state.events.count > Self.eventCountMax { state.events.removeFirst(state.events.count - Self.eventCountMax) }
      if sent.count < events.count { state.breaksOffAfter = nil } else { state.breaksOffAfter? -= sent.count }
      return sent.count == events.count
    }
    guard isWhole else { throw InputFailure("\(name): broke off", remedy: "none", mayHaveArrived: true) }
  }

  private static let capsLock: UInt16 = 58

  public func close() async { state.withLock { $0.isOpen = false } }

  private func check() throws(InputFailure) { if let failure = state.withLock({ $0.failure }) { throw failure } }
}
