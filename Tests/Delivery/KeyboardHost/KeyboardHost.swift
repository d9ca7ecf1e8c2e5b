// A host's side of a keyboard, by libxkbcommon: from keys that go down and up to text, with the layout's own rules and Compose
// table. It does not know how a plan is made.

import CXkbcommon

/// Reads what a keyboard types on a host with a layout.
public final class KeyboardHost {
  private let context: OpaquePointer
  private let keymap: OpaquePointer
  private let state: OpaquePointer
  private let table: OpaquePointer
  private let compose: OpaquePointer
  public private(set) var text = ""
  /// Chords with Ctrl, as `ctrl+` and the character of the key.
  public private(set) var chords: [String] = []
  /// Digits of the keypad while Alt is down; of a hexadecimal number after Ctrl, Shift and U.
  private var keypadDigits: String?
  private var hexadecimalDigits: String?

  private static let keypad: [UInt16: String] = [
    82: "0", 79: "1", 80: "2", 81: "3", 75: "4", 76: "5", 77: "6", 71: "7", 72: "8", 73: "9",
  ]

  /// The names of xkb-data for those of configurations that differ.
  private static let otherNames = [
    "us-intl": ("us", "intl"), "uk": ("gb", ""), "ch-de": ("ch", "de"), "ch-fr": ("ch", "fr"),
  ]

  /// - Parameter name: the layout's name in configurations.
  public init?(_ name: String, capsLock: Bool = false) {
    let (layout, variant) = Self.otherNames[name] ?? (name, "")
    guard let context = xkb_context_new(XKB_CONTEXT_NO_ENVIRONMENT_NAMES) else { return nil }
    self.context = context
    let keymap = "evdev".withCString { rules in
      "pc105".withCString { model in
        layout.withCString { layout in
          variant.withCString { variant in
            var names = xkb_rule_names(rules: rules, model: model, layout: layout, variant: variant, options: nil)
            return xkb_keymap_new_from_names(context, &names, XKB_KEYMAP_COMPILE_NO_FLAGS)
          }
        }
      }
    }
    guard let keymap, let state = xkb_state_new(keymap),
      let table = xkb_compose_table_new_from_locale(context, "en_US.UTF-8", XKB_COMPOSE_COMPILE_NO_FLAGS),
      let compose = xkb_compose_state_new(table, XKB_COMPOSE_STATE_NO_FLAGS)
    else { return nil }
    (self.keymap, self.state, self.table, self.compose) = (keymap, state, table, compose)
    if capsLock {
      key(58, isDown: true)
      key(58, isDown: false)
    }
  }

  deinit {
    xkb_compose_state_unref(compose)
    xkb_compose_table_unref(table)
    xkb_state_unref(state)
    xkb_keymap_unref(keymap)
    xkb_context_unref(context)
  }

  public var capsLockIsOn: Bool { xkb_state_mod_name_is_active(state, "Lock", XKB_STATE_MODS_LOCKED) == 1 }

  /// A key goes down or up.
  public func key(_ code: UInt16, isDown: Bool) {
    if isDown { press(code) }
    _ = xkb_state_update_key(state, UInt32(code) + 8, isDown ? XKB_KEY_DOWN : XKB_KEY_UP)
    if !isDown, code == 56, let digits = keypadDigits {
      keypadDigits = nil
      text += Self.windowsCharacter(digits)
    }
  }

  private func press(_ code: UInt16) {
    func isActive(_ name: String) -> Bool { xkb_state_mod_name_is_active(state, name, XKB_STATE_MODS_EFFECTIVE) == 1 }
    if isActive("Mod1"), let digit = Self.keypad[code] {
      keypadDigits = (keypadDigits ?? "") + digit
      return
    }
    let symbol = xkb_state_key_get_one_sym(state, UInt32(code) + 8)
    let scalar = Unicode.Scalar(xkb_keysym_to_utf32(symbol))
    if isActive("Control") {
      guard let scalar, scalar.value != 0 else { return }
      if isActive("Shift"), "uU".unicodeScalars.contains(scalar) {
        hexadecimalDigits = ""
      } else {
        chords.append("ctrl+\(scalar)")
      }
      return
    }
    if let digits = hexadecimalDigits, let scalar, scalar.value != 0 {
      if scalar == " " {
        hexadecimalDigits = nil
        if let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) { text.unicodeScalars.append(scalar) }
      } else {
        hexadecimalDigits = digits + String(scalar)
      }
      return
    }
    guard xkb_compose_state_feed(compose, symbol) == XKB_COMPOSE_FEED_ACCEPTED else { return }
    switch xkb_compose_state_get_status(compose) {
    case XKB_COMPOSE_COMPOSED:
      var bytes = [CChar](repeating: 0, count: 64)
      let count = Int(xkb_compose_state_get_utf8(compose, &bytes, bytes.count))
      text += String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      xkb_compose_state_reset(compose)
    case XKB_COMPOSE_NOTHING:
      if let scalar, scalar.value != 0 { text.unicodeScalars.append(scalar) }
    case XKB_COMPOSE_CANCELLED: xkb_compose_state_reset(compose)
    default: break
    }
  }

  /// A character by its decimal number in Windows-1252, with a leading zero; U+FFFD for any other number.
  private static func windowsCharacter(_ digits: String) -> String {
    guard digits.hasPrefix("0"), let number = UInt32(digits) else { return "\u{FFFD}" }
    if number == 128 { return "€" }
    return (0xA0...0xFF).contains(number) || (0x20...0x7E).contains(number)
      ? String(Unicode.Scalar(number).map(Character.init) ?? "\u{FFFD}") : "\u{FFFD}"
  }

  /// The text so far, which is forgotten.
  public func takeText() -> String {
    defer { (text, chords) = ("", []) }
    return text
  }
}
