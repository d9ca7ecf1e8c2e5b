// A scanner connected as a keyboard types the codes that it reads: if these keys counted as presses, a label could confirm
// itself or switch the light. Nothing identifies a device as a scanner, but it types faster than fingers do.

/// Distinguishes pressed from typed keys: a key counts if no other key of its device comes shortly before or after it.
struct PressedKeys {
  /// Keys closer together than this are typed, in microseconds: scanners take 1 to 30 ms per key, fingers 80 ms and more.
  static let typingPause: UInt64 = 60_000

  private struct Keyboard {
    /// When its last key went down.
    var last: UInt64
    /// That key, until it has been alone long enough.
    var waiting: UInt32?
  }

  private var keyboards: [UInt: Keyboard] = [:]

  /// When the next key has been alone long enough; nil if no key waits.
  var nextMoment: UInt64? {
    keyboards.values.compactMap { $0.waiting == nil ? nil : $0.last + Self.typingPause }.min()
  }

  /// Records a key press.
  ///
  /// - Parameter moment: in microseconds of CLOCK_MONOTONIC.
  mutating func press(_ key: UInt32, of device: UInt, at moment: UInt64) {
    let isTyped = keyboards[device].map { moment < $0.last + Self.typingPause } ?? false
    keyboards[device] = Keyboard(last: moment, waiting: isTyped ? nil : key)
  }

  /// Takes the keys that no other key followed by `moment`, in the order in which they were pressed.
  mutating func take(until moment: UInt64) -> [UInt32] {
    var taken: [(key: UInt32, at: UInt64)] = []
    for (device, keyboard) in keyboards where keyboard.last + Self.typingPause <= moment {
      if let key = keyboard.waiting { taken.append((key, keyboard.last)) }
      keyboards[device]?.waiting = nil
    }
    return taken.sorted { $0.at < $1.at }.map(\.key)
  }

  /// Forgets a device that has gone; its number may be reused.
  mutating func forget(_ device: UInt) { keyboards[device] = nil }
}
