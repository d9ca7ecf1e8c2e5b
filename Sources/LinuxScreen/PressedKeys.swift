// A scanner that is plugged in as a keyboard types what it reads: were its keys taken for presses, a label could confirm itself
// or switch the light. Nobody says what is a scanner; but it types faster than fingers do.

/// Tells keys that were pressed from keys that were typed: a key counts when no other key of its device comes shortly before or
/// after it.
struct PressedKeys {
  /// Keys that come closer than this are typed, in microseconds: scanners take 1 to 30 ms from one key to the next, and fingers
  /// that press one key after another 80 ms and more.
  static let typingPause: UInt64 = 60_000

  private struct Keyboard {
    /// When its last key went down.
    var last: UInt64
    /// That key, until it has been alone for long enough.
    var waiting: UInt32?
  }

  private var keyboards: [UInt: Keyboard] = [:]

  /// When the next key has been alone for long enough; nil if none waits.
  var nextMoment: UInt64? {
    keyboards.values.compactMap { $0.waiting == nil ? nil : $0.last + Self.typingPause }.min()
  }

  /// A key went down.
  ///
  /// - Parameter moment: in microseconds of CLOCK_MONOTONIC.
  mutating func press(_ key: UInt32, of device: UInt, at moment: UInt64) {
    let isTyped = keyboards[device].map { moment < $0.last + Self.typingPause } ?? false
    keyboards[device] = Keyboard(last: moment, waiting: isTyped ? nil : key)
  }

  /// Takes the keys that no other has followed until a moment, in the order in which they were pressed.
  mutating func take(until moment: UInt64) -> [UInt32] {
    var taken: [(key: UInt32, at: UInt64)] = []
    for (device, keyboard) in keyboards where keyboard.last + Self.typingPause <= moment {
      if let key = keyboard.waiting { taken.append((key, keyboard.last)) }
      keyboards[device]?.waiting = nil
    }
    return taken.sorted { $0.at < $1.at }.map(\.key)
  }

  /// A device has gone, and its number may be another's.
  mutating func forget(_ device: UInt) { keyboards[device] = nil }
}
