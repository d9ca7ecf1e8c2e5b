// The boot keyboard's report (Device Class Definition for HID 1.11, appendices B.1 and E.6), and the usages of its keys (HID Usage
// Tables 1.3, page 0x07).

import Devices

/// The keys that are down, as a report for the host.
struct KeyboardReport: Equatable {
  /// Bits 0 to 7: left Ctrl, Shift, Alt, GUI, right Ctrl, Shift, Alt, GUI.
  private var modifiers: UInt8 = 0
  /// The usages of other keys that are down, in the order in which they went down.
  private var usages: [UInt8] = []

  /// Keys that a report can hold besides modifiers.
  static let keyCountMax = 6
  /// The bit of the output report.
  static let capsLockLight: UInt8 = 2

  /// Modifiers, a reserved byte, six usages.
  var bytes: [UInt8] { [modifiers, 0] + usages + [UInt8](repeating: 0, count: Self.keyCountMax - usages.count) }

  /// Takes a key that goes down or up. A key without a usage, or more than six at once, change nothing: plans have none.
  mutating func apply(_ event: KeyEvent) {
    guard let usage = Self.usage(of: event.key) else { return }
    if usage >= Self.firstModifier {
      let bit = UInt8(1) << (usage - Self.firstModifier)
      if event.isDown { modifiers |= bit } else { modifiers &= ~bit }
    } else {
      usages.removeAll { $0 == usage }
      if event.isDown, usages.count < Self.keyCountMax { usages.append(usage) }
    }
  }

  private static let firstModifier: UInt8 = 0xE0

  /// The usage of a key by its code of Linux (linux/input-event-codes.h).
  static func usage(of key: UInt16) -> UInt8? {
    let usage = key < usagesByKey.count ? usagesByKey[Int(key)] : 0
    return usage == 0 ? nil : usage
  }

  /// By the code of Linux from 0; 0 for keys that no plan has.
  private static let usagesByKey: [UInt8] = [
    // Escape, 1 to 0, - =, backspace, tab.
    0, 0x29, 0x1E, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2D, 0x2E, 0x2A, 0x2B,
    // Q to P, [ ], Enter, left Ctrl, A, S.
    0x14, 0x1A, 0x08, 0x15, 0x17, 0x1C, 0x18, 0x0C, 0x12, 0x13, 0x2F, 0x30, 0x28, 0xE0, 0x04, 0x16,
    // D to L, ; ' `, left Shift, backslash, Z to V.
    0x07, 0x09, 0x0A, 0x0B, 0x0D, 0x0E, 0x0F, 0x33, 0x34, 0x35, 0xE1, 0x31, 0x1D, 0x1B, 0x06, 0x19,
    // B N M , . /, right Shift, keypad *, left Alt, space, Caps Lock, F1 to F5.
    0x05, 0x11, 0x10, 0x36, 0x37, 0x38, 0xE5, 0x55, 0xE2, 0x2C, 0x39, 0x3A, 0x3B, 0x3C, 0x3D, 0x3E,
    // F6 to F10, Num Lock, Scroll Lock, keypad 7 8 9 - 4 5 6 + 1.
    0x3F, 0x40, 0x41, 0x42, 0x43, 0x53, 0x47, 0x5F, 0x60, 0x61, 0x56, 0x5C, 0x5D, 0x5E, 0x57, 0x59,
    // Keypad 2 3 0 ., 84 and 85, the ISO key at the left Shift, F11, F12, the Brazilian key, 90 to 95.
    0x5A, 0x5B, 0x62, 0x63, 0, 0, 0x64, 0x44, 0x45, 0x87, 0, 0, 0, 0, 0, 0,
    // Keypad Enter, right Ctrl, keypad /, SysRq, right Alt.
    0x58, 0xE4, 0x54, 0x46, 0xE6,
  ]
}
