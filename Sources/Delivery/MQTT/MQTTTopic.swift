// Topics by a template. Values are escaped so that each stays within its level of the topic, even if it contains separators or
// wildcards.

/// A topic with places for values of the message.
public struct MQTTTopicTemplate: Equatable, Sendable {
  /// A value that a topic may contain, written as `{station}`.
  public enum Place: String, Sendable, CaseIterable {
    case station, sink, type, symbology
  }

  /// As it is written.
  public let text: String
  private let parts: [Part]

  private enum Part: Equatable {
    case text(String)
    case place(Place)
  }

  /// Bytes of a topic at most, as written: AWS IoT takes no more than 256.
  public static let byteCountMax = 256

  /// Reads a template.
  ///
  /// - Parameter places: those that have a value.
  /// - Returns: nil for a text that is empty or too long, has a wildcard, a control character or a brace without its other half, or
  ///   names another place.
  public init?(_ text: String, places: Set<Place>) {
    guard (1...Self.byteCountMax).contains(text.utf8.count), !text.unicodeScalars.contains(where: Self.isRefused) else {
      return nil
    }
    var parts: [Part] = []
    var rest = text[...]
    while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}"),
        let place = Place(rawValue: String(rest[rest.index(after: open)..<close])), places.contains(place)
      else { return nil }
      if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
      parts.append(.place(place))
      rest = rest[rest.index(after: close)...]
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
    self.text = text
    self.parts = parts
  }

  /// Whether a place is part of the topic.
  func names(_ place: Place) -> Bool { parts.contains(.place(place)) }

  /// The topic for these values; a place without one is left empty.
  func topic(_ values: [Place: String]) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .place(let place): Self.escaped(values[place] ?? "")
      }
    }.joined()
  }

  /// The value with `%` and two hexadecimal digits for each byte that is special in a topic: separators of levels,
  /// wildcards, a `$` at its beginning (topics of the broker itself), control characters, and `%`.
  static func escaped(_ value: String) -> String {
    let digits = Array("0123456789ABCDEF")
    var text = ""
    for scalar in value.unicodeScalars {
      let isSpecial = scalar == "/" || scalar == "%" || scalar == "$" && text.isEmpty
      if isSpecial || isRefused(scalar) {
        for byte in String(scalar).utf8 { text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])" }
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// Wildcards, control characters and what is no character: MQTT 5 §1.5.4 and §4.7.
  private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
    let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    return isControl || scalar == "+" || scalar == "#" || scalar.properties.isNoncharacterCodePoint
  }
}
