// From strokes to keys that go down and up, in the order in which a keyboard reports them.

import Devices

extension KeyEvent {
  private static let capsLock: UInt16 = 58

  /// Caps Lock, pressed once.
  static let capsLockPress = [KeyEvent(key: capsLock, isDown: true), KeyEvent(key: capsLock, isDown: false)]

  /// The keys of modifiers, in the order in which they go down.
  private static let modifierKeys: [(KeyModifiers, UInt16)] = [(.control, 29), (.alt, 56), (.shift, 42), (.altGr, 100)]

  /// The events of a plan. Modifiers go down before a stroke's keys and up behind them, also between strokes with the same
  /// modifiers: hosts that read a number while Alt is down need to see it go up.
  static func events(of plan: [KeyStroke]) -> [KeyEvent] {
    var events: [KeyEvent] = []
    for stroke in plan {
      let modifiers = modifierKeys.filter { stroke.modifiers.contains($0.0) }.map(\.1)
      events += modifiers.map { KeyEvent(key: $0, isDown: true) }
      for key in stroke.keys { events += [KeyEvent(key: key, isDown: true), KeyEvent(key: key, isDown: false)] }
      events += modifiers.reversed().map { KeyEvent(key: $0, isDown: false) }
    }
    return events
  }
}
