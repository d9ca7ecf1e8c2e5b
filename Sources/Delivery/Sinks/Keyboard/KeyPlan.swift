// From a text to strokes. Pure, so that every rule is a line in a test: what is typed is known before a key goes down, and a text
// that cannot be typed whole is not begun.

import Devices

/// How a text is typed on a host.
public struct TypingSettings: Equatable, Sendable {
  /// The way to characters that the host's layout lacks.
  public enum Fallback: String, Sendable, CaseIterable {
    /// Texts with such a character are refused.
    case refuse
    /// Alt and the number of Windows-1252 on the keypad, with a leading zero: Windows, with Num Lock on.
    case altNumpad = "alt numpad"
    /// Ctrl, Shift and U, the hexadecimal number, and the space bar: GTK and IBus.
    case controlShiftU = "ctrl shift u"
    /// A question mark instead.
    case replace
  }

  /// One of `KeyboardLayout.names`: the layout that the host is set to.
  public var layout = "us"
  public var fallback = Fallback.refuse
  /// Whether control characters become chords with Ctrl, such as Ctrl and ] for U+001D; otherwise texts with one are refused.
  /// Tab, carriage return and line feed are keys of their own.
  public var typesChords = false
  /// Keys before and after each text.
  public var prefix: [NamedKey] = []
  public var suffix: [NamedKey] = [.enter]

  public init() {}
}

/// A key that does the same on every layout.
public enum NamedKey: String, Sendable, CaseIterable {
  case enter, tab, escape, space, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12

  /// Its code of Linux.
  var code: UInt16 {
    switch self {
    case .enter: 28
    case .tab: 15
    case .escape: 1
    case .space: 57
    case .f1: 59
    case .f2: 60
    case .f3: 61
    case .f4: 62
    case .f5: 63
    case .f6: 64
    case .f7: 65
    case .f8: 66
    case .f9: 67
    case .f10: 68
    case .f11: 87
    case .f12: 88
    }
  }
}

/// Makes plans for one layout.
public struct KeyPlanner: Sendable {
  /// A character that cannot be typed.
  public struct Refusal: Error, Equatable, Sendable, CustomStringConvertible {
    public let character: Character
    public let layout: String

    public var description: String {
      let names = character.unicodeScalars.map { "U+" + hexadecimal($0.value, digitCount: 4) }.joined(separator: " ")
      return "the layout \(layout) has no keys for the character \(names)"
    }
  }

  private let settings: TypingSettings
  private let strokes: [Character: [KeyStroke]]

  /// The keypad's digits from 0.
  private static let keypad: [UInt16] = [82, 79, 80, 81, 75, 76, 77, 71, 72, 73]

  /// - Returns: nil if xkb-data lacks the layout.
  public init?(_ settings: TypingSettings) {
    guard let layout = KeyboardLayout(name: settings.layout) else { return nil }
    self.settings = settings
    strokes = layout.strokes
  }

  /// The strokes for a text, prefix and suffix included, for a host whose Caps Lock is off.
  public func plan(_ text: String) throws(Refusal) -> [KeyStroke] {
    var plan = keys(settings.prefix)
    for character in text {
      if character == "\r\n" {
        // One key for the two characters that end a line.
        plan += keys([.enter])
      } else if let way = strokes[character] {
        plan += way
      } else if let composed = ComposedCharacters.scalar(for: character) {
        plan += try strokes(for: composed)
      } else {
        for scalar in character.unicodeScalars { plan += try strokes(for: scalar) }
      }
    }
    return plan + keys(settings.suffix)
  }

  /// The suffix keys alone: they end a text that was broken off.
  public var ending: [KeyStroke] { keys(settings.suffix) }

  private func keys(_ keys: [NamedKey]) -> [KeyStroke] { keys.map { KeyStroke([], $0.code) } }

  private func strokes(for scalar: Unicode.Scalar) throws(Refusal) -> [KeyStroke] {
    if let way = strokes[Character(scalar)] { return way }
    let refusal = Refusal(character: Character(scalar), layout: settings.layout)
    switch scalar {
    case "\t": return keys([.tab])
    case "\r", "\n": return keys([.enter])
    default: break
    }
    if scalar.properties.generalCategory == .control {
      // ASCII's own rule: Ctrl and the character 64 above.
      guard settings.typesChords, scalar.value < 0x20, let base = Unicode.Scalar(scalar.value + 0x40),
        let way = strokes[Character(base.properties.lowercaseMapping)], way.count == 1
      else { throw refusal }
      return [KeyStroke(way[0].modifiers.union(.control), keys: way[0].keys)]
    }
    switch settings.fallback {
    case .refuse: throw refusal
    case .altNumpad:
      guard let number = windowsNumber(of: scalar) else { throw refusal }
      return [KeyStroke(.alt, keys: ([0] + decimalDigits(number)).map { Self.keypad[$0] })]
    case .controlShiftU:
      guard let letter = strokes["u"] else { throw refusal }
      var plan = [KeyStroke([.control, .shift], keys: letter[0].keys)]
      for digit in hexadecimal(scalar.value, digitCount: 1).lowercased() {
        guard let way = strokes[digit] else { throw refusal }
        plan += way
      }
      return plan + keys([.space])
    case .replace:
      guard let way = strokes["?"] else { throw refusal }
      return way
    }
  }

  /// The number of a character in Windows-1252, where it is that of Latin-1 or the euro sign.
  private func windowsNumber(of scalar: Unicode.Scalar) -> Int? {
    switch scalar.value {
    case 0x20...0x7E, 0xA0...0xFF: Int(scalar.value)
    case 0x20AC: 128
    default: nil
    }
  }

  private func decimalDigits(_ number: Int) -> [Int] { [number / 100, number / 10 % 10, number % 10] }
}

private func hexadecimal(_ number: UInt32, digitCount: Int) -> String {
  let digits = String(number, radix: 16, uppercase: true)
  return String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
}

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
