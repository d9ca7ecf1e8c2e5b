// A keyboard layout as libxkbcommon compiles it from xkb-data: which keys, with which modifiers, make a character on a host that
// has this layout.

import CXkbcommon

/// The modifier keys that a stroke holds down.
public struct KeyModifiers: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The left Shift key.
  public static let shift = KeyModifiers(rawValue: 1)
  /// The right Alt key, which the layout must make AltGr.
  public static let altGr = KeyModifiers(rawValue: 2)
  /// The left Ctrl key.
  public static let control = KeyModifiers(rawValue: 4)
  /// The left Alt key.
  public static let alt = KeyModifiers(rawValue: 8)
}

/// Keys that are pressed and released one after another while modifiers are held down.
public struct KeyStroke: Equatable, Sendable {
  public var modifiers: KeyModifiers
  /// Codes of Linux (linux/input-event-codes.h), such as 30 for the key that is A on a US keyboard.
  public var keys: [UInt16]

  public init(_ modifiers: KeyModifiers = [], _ keys: UInt16...) { self.init(modifiers, keys: keys) }

  init(_ modifiers: KeyModifiers, keys: [UInt16]) {
    self.modifiers = modifiers
    self.keys = keys
  }
}

/// The strokes for each character of a layout.
public struct KeyboardLayout: Sendable {
  /// A layout and its variant, as xkb-data names them.
  struct Source: Sendable {
    var layout: String
    var variant = ""
  }

  /// The strokes for each character that the layout's keys make, directly or with a dead key. Characters are compared by canonical
  /// equivalence (Unicode, UAX #15), so that a composed character has the strokes of its parts.
  private(set) var strokes: [Character: [KeyStroke]] = [:]

  /// The names that configurations use, in their order. A name that is not xkb-data's own is one of a country's keyboard.
  public static let names = sources.map(\.name)

  private static let sources: [(name: String, source: Source)] = [
    ("us", Source(layout: "us")), ("us-intl", Source(layout: "us", variant: "intl")), ("uk", Source(layout: "gb")),
    ("de", Source(layout: "de")), ("ch-de", Source(layout: "ch", variant: "de")),
    ("ch-fr", Source(layout: "ch", variant: "fr")),
    ("fr", Source(layout: "fr")), ("be", Source(layout: "be")), ("es", Source(layout: "es")), ("it", Source(layout: "it")),
    ("pt", Source(layout: "pt")), ("br", Source(layout: "br")), ("cz", Source(layout: "cz")), ("dk", Source(layout: "dk")),
    ("no", Source(layout: "no")), ("se", Source(layout: "se")), ("fi", Source(layout: "fi")), ("pl", Source(layout: "pl")),
    ("hu", Source(layout: "hu")), ("tr", Source(layout: "tr")),
  ]

  /// The keys of a keyboard's main block that make characters: digits to =, the letter rows, the space bar, and additional keys.
  private static let typingKeys: [UInt16] =
    Array(2...13) + Array(16...27) + Array(30...41) + Array(43...53) + [57] + additionalKeys
  /// The keys at the left Shift of ISO keyboards and at the right Shift of Brazilian ones. Where a layout's keyboard lacks them,
  /// systems disagree about them: they are used only for characters that no other key makes.
  private static let additionalKeys: [UInt16] = [86, 89]
  private static let altGrKey: UInt16 = 100
  /// xkb counts keys as X does, from 8.
  private static let keyCodeOffset: UInt32 = 8

  /// Compiles a layout; nil if the name is unknown or xkb-data lacks it.
  public init?(name: String) {
    guard let source = Self.sources.first(where: { $0.name == name })?.source else { return nil }
    guard let context = xkb_context_new(XKB_CONTEXT_NO_ENVIRONMENT_NAMES) else { return nil }
    defer { xkb_context_unref(context) }
    xkb_context_set_log_level(context, XKB_LOG_LEVEL_CRITICAL)
    let keymap = "evdev".withCString { rules in
      "pc105".withCString { model in
        source.layout.withCString { layout in
          source.variant.withCString { variant in
            var names = xkb_rule_names(rules: rules, model: model, layout: layout, variant: variant, options: nil)
            return xkb_keymap_new_from_names(context, &names, XKB_KEYMAP_COMPILE_NO_FLAGS)
          }
        }
      }
    }
    guard let keymap else { return nil }
    defer { xkb_keymap_unref(keymap) }
    read(keymap)
  }

  private mutating func read(_ keymap: OpaquePointer) {
    var deadKeys: [(mark: Unicode.Scalar, stroke: KeyStroke)] = []
    var bases: [(scalar: Unicode.Scalar, stroke: KeyStroke)] = []
    for key in Self.typingKeys {
      for (symbol, stroke) in Self.levels(of: key, keymap) {
        if let mark = Self.combiningMark(of: symbol) {
          deadKeys.append((mark, stroke))
        } else if let scalar = Unicode.Scalar(xkb_keysym_to_utf32(symbol)), scalar.value >= 0x20, scalar.value != 0x7F {
          bases.append((scalar, stroke))
          keep([stroke], for: Character(scalar))
        }
      }
    }
    for dead in deadKeys {
      for base in bases where base.scalar.properties.isAlphabetic {
        var composed = String(Character(base.scalar))
        composed.unicodeScalars.append(dead.mark)
        // No host composes a letter and a mark for which Unicode has no composed character.
        guard let scalar = ComposedCharacters.scalar(for: Character(composed)) else { continue }
        keep([dead.stroke, base.stroke], for: Character(scalar))
      }
      // The accents of ASCII by themselves, where all systems agree on a dead key and the space bar.
      if let accent = Self.spacingAccents[dead.mark] { keep([dead.stroke, KeyStroke([], 57)], for: accent) }
    }
  }

  /// The best way to a character: without additional keys, then the shortest, the first of those that are equally long.
  private mutating func keep(_ way: [KeyStroke], for character: Character) {
    func cost(_ way: [KeyStroke]) -> Int {
      way.reduce(0) { sum, stroke in
        let isAdditional = stroke.keys.contains(where: Self.additionalKeys.contains)
        return sum + 4 + stroke.modifiers.rawValue.nonzeroBitCount + (isAdditional ? 16 : 0)
      }
    }
    if let known = strokes[character], cost(known) <= cost(way) { return }
    strokes[character] = way
  }

  /// The symbols of a key with the modifiers that choose them, where Shift and AltGr are enough.
  private static func levels(of key: UInt16, _ keymap: OpaquePointer) -> [(symbol: UInt32, stroke: KeyStroke)] {
    let code = UInt32(key) + keyCodeOffset
    let hasAltGr = symbol(of: altGrKey, level: 0, keymap) == UInt32(XKB_KEY_ISO_Level3_Shift)
    let shift = UInt32(1) << xkb_keymap_mod_get_index(keymap, "Shift")
    let levelThree = UInt32(1) << xkb_keymap_mod_get_index(keymap, "Mod5")
    var levels: [(UInt32, KeyStroke)] = []
    for level in 0..<xkb_keymap_num_levels_for_key(keymap, code, 0) {
      guard let symbol = symbol(of: key, level: level, keymap) else { continue }
      var masks = [xkb_mod_mask_t](repeating: 0, count: maskCountMax)
      let count = xkb_keymap_key_get_mods_for_level(keymap, code, 0, level, &masks, masks.count)
      let plain = masks.prefix(count).filter { $0 & ~(shift | levelThree) == 0 && (hasAltGr || $0 & levelThree == 0) }
      guard let mask = plain.min(by: { $0.nonzeroBitCount < $1.nonzeroBitCount }) else { continue }
      var modifiers: KeyModifiers = []
      if mask & shift != 0 { modifiers.insert(.shift) }
      if mask & levelThree != 0 { modifiers.insert(.altGr) }
      levels.append((symbol, KeyStroke(modifiers, key)))
    }
    return levels
  }

  /// Ways to choose a level that are looked at.
  private static let maskCountMax = 16

  /// The only symbol of a level.
  private static func symbol(of key: UInt16, level: UInt32, _ keymap: OpaquePointer) -> UInt32? {
    var symbols: UnsafePointer<xkb_keysym_t>?
    let count = xkb_keymap_key_get_syms_by_level(keymap, UInt32(key) + keyCodeOffset, 0, level, &symbols)
    return count == 1 ? symbols?.pointee : nil
  }

  /// The combining mark of a dead key whose compositions all systems share.
  private static func combiningMark(of symbol: UInt32) -> Unicode.Scalar? {
    switch Int32(bitPattern: symbol) {
    case XKB_KEY_dead_grave: "\u{300}"
    case XKB_KEY_dead_acute: "\u{301}"
    case XKB_KEY_dead_circumflex: "\u{302}"
    case XKB_KEY_dead_tilde: "\u{303}"
    case XKB_KEY_dead_diaeresis: "\u{308}"
    case XKB_KEY_dead_abovering: "\u{30A}"
    case XKB_KEY_dead_caron: "\u{30C}"
    case XKB_KEY_dead_cedilla: "\u{327}"
    default: nil
    }
  }

  private static let spacingAccents: [Unicode.Scalar: Character] = ["\u{300}": "`", "\u{302}": "^", "\u{303}": "~"]
}

/// The composed characters of alphabetic scripts, found by canonical equivalence (Unicode, UAX #15).
enum ComposedCharacters {
  private static let scalars: [Character: Unicode.Scalar] = {
    // From Latin-1 to Greek Extended. Of equivalent scalars, hosts know the first: U+00B4, not U+1FFD.
    let all = (0xA0...0x1FFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
    return Dictionary(all.map { (Character($0), $0) }, uniquingKeysWith: { first, _ in first })
  }()

  /// The one scalar that is canonically equivalent to a character; nil without one.
  static func scalar(for character: Character) -> Unicode.Scalar? { scalars[character] }
}
