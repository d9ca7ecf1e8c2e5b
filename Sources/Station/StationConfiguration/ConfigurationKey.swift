// Every key of the configuration file, declared once: validation, defaults and the reference page derive from these rows.

import Sinks

/// A key with its permitted values.
public struct ConfigurationKey: Sendable {
  /// The key's full name, such as `camera.frame_rate`. `[]` is a position in a list, `<name>` any name, `<symbology>` a
  /// symbology or `any`.
  public let name: String
  public let kind: ConfigurationKind
  /// The default, as it would be written; empty if there is no default.
  public let fallback: String
  /// The key's purpose, in a sentence.
  public let summary: String
  /// Whether the value is never shown.
  public let isSecret: Bool
  /// Whether many users change it, so that a new configuration shows it.
  public let isCommon: Bool

  init(
    _ name: String, _ kind: ConfigurationKind, _ fallback: String, _ summary: String, isSecret: Bool = false,
    isCommon: Bool = false
  ) {
    self.name = name
    self.isSecret = isSecret
    self.isCommon = isCommon
    self.kind = kind
    self.fallback = fallback
    self.summary = summary
  }

  /// The keys that a name means: a key, as it is written in the reference or in a file (`sinks.0.webhook.url`,
  /// `text.ean13.form`), or all keys of a section; empty if it means none.
  public static func named(_ name: String) -> [ConfigurationKey] {
    let wanted = parts(name.replacing("[]", with: ".0"))
    return zip(all, partsOfAll).filter { _, own in
      own.count >= wanted.count
        && zip(own, wanted).allSatisfy { $0 == $1 || $0.hasPrefix("<") || ($0 == "0" && Int($1) != nil) }
    }.map(\.0)
  }

  /// The parts of each key's name, in the order of `all`.
  private static let partsOfAll = all.map { parts($0.name.replacing("[]", with: ".0")) }

  private static func parts(_ name: String) -> [Substring] { name.split(separator: ".") }

  /// The name of the key or section that is most similar to a name; nil if none is similar.
  public static func similar(to name: String) -> String? {
    let sections = all.flatMap { key in
      let own = parts(key.name)
      return (1...own.count).map { own.prefix($0).joined(separator: ".") }
    }
    return nearest(to: name, among: sections)
  }

  /// The word that is shown instead of a secret.
  static let hidden = "(hidden)"

  /// The written value in a form that may be shown, without secrets.
  func shown(_ text: String) -> String {
    if isSecret { return text.isEmpty ? "" : Self.hidden }
    return switch kind {
    case .webAddress: WebhookSettings.shown(url: text)
    case .proxy: WebhookProxy.shown(text)
    default: text
    }
  }
}

/// The kind of value that a key takes.
public enum ConfigurationKind: Sendable {
  case flag
  /// A text of 1 to this number of characters.
  case text(Int)
  /// The path of a file. If `isPresent`, the file must exist, or the value is `credential:` with the name of a file that
  /// systemd passed with `LoadCredential`.
  case path(isPresent: Bool)
  case integer(ClosedRange<Int>)
  case decimal(ClosedRange<Double>)
  /// A duration with its unit: ms, s, min, h or d.
  case duration(ClosedRange<Duration>)
  /// A duration, or this word for no limit.
  case durationOr(String, ClosedRange<Duration>)
  case choice([String])
  /// A list of texts, each of 1 to this number of characters.
  case texts(Int)
  /// A list chosen from these words.
  case choices([String])
  /// A list of paths to existing files, or credentials.
  case paths
  /// A number within the range, or two with a `-` between them.
  case lengths(ClosedRange<Int>)
  /// A list of symbologies chosen from these.
  case symbologies([String])
  /// Four fractions of the frame: left, top, width, height.
  case region
  /// `after` and a duration, `on confirmation`, or `on trigger`.
  case reopening
  /// Text in which control characters are written as `\x02`.
  case bytes(Int)
  case webAddress
  /// `none`, `environment`, or the address of an HTTP proxy.
  case proxy
  /// A GPIO line, by label and name or offset.
  case line
  /// Width and height in pixels.
  case size
  /// Four numbers in sensor pixels.
  case crop
  /// Durations of on, off, on, …
  case pattern
  /// A colour in hexadecimal digits.
  case colour
  /// Two times of day.
  case hours
  /// A template of file names.
  case pictureName
  /// The key alone, with no value or `{}`.
  case nothing

  /// The requirement, as the end of "it must be …".
  public var expectation: String {
    switch self {
    case .flag: "true or false"
    case .text(let countMax): "text of 1 to \(countMax) characters"
    case .path(let isPresent):
      isPresent ? "the path of a file that this user can read, or credential:NAME" : "the path of a file"
    case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .decimal(let range): "a number from \(shortest(range.lowerBound)) to \(shortest(range.upperBound))"
    case .duration(let range): "a time from \(written(range.lowerBound)) to \(written(range.upperBound)), such as 1.5 s"
    case .durationOr(let word, let range):
      "\(word), or a time from \(written(range.lowerBound)) to \(written(range.upperBound)), such as 12 h"
    case .choice(let words): words.count == 1 ? words[0] : "one of " + words.joined(separator: ", ")
    case .texts: "a list such as [first, second]"
    case .paths: "a list of paths of files that this user can read, or credential:NAME entries"
    case .lengths(let range):
      "a number from \(range.lowerBound) to \(range.upperBound), or a range such as 4-20"
    case .symbologies(let names), .choices(let names): "a list chosen from " + names.joined(separator: ", ")
    case .region:
      "four numbers [left, top, width, height] as fractions of the frame from 0 to 1, inside the frame"
    case .reopening: "after and a time, such as after 1.5 s, or on confirmation, or on trigger"
    case .bytes(let countMax): "up to \(countMax) ASCII characters, with control characters written like \\x02"
    case .webAddress: "an address that begins with https:// or http://"
    case .proxy: "none, environment, or an address such as http://proxy:3128"
    case .line: "a line by its chip's label and its name or offset, such as pinctrl-rp1:GPIO17, as shown by `reticle lines`"
    case .crop: "four whole numbers [left, top, width, height] in sensor pixels"
    case .pattern: "up to 9 durations of on, off, on, …, such as [80 ms, 40 ms, 80 ms]"
    case .size: "a width and a height in pixels from 16 to 8192, such as 1280x720"
    case .colour: "a colour such as \"#3ddc84\", with two more digits for opacity if needed"
    case .hours: "two times of day, such as 08:00-17:30, or 22:00-06:00 for a night"
    case .pictureName:
      "letters, digits, -, _, . and the words {date}, {time}, {symbology} and {station}, without a dot at the beginning"
    case .nothing: "the key alone"
    }
  }

  /// Whether the value is a list.
  var isList: Bool {
    switch self {
    case .texts, .choices, .paths, .symbologies, .region, .crop, .pattern: true
    case .flag, .text, .path, .integer, .lengths, .decimal, .duration, .durationOr, .choice, .reopening, .bytes, .webAddress,
      .proxy, .line, .size, .colour, .hours, .pictureName, .nothing:
      false
    }
  }
}

/// A number without a redundant `.0`.
func shortest(_ number: Double) -> String {
  number == number.rounded() ? "\(Int(number))" : "\(number)"
}

/// A duration in the largest unit in which it is a whole number.
package func written(_ duration: Duration) -> String {
  let (seconds, attoseconds) = duration.components
  let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
  let units: [(String, Int64)] = [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000)]
  for (name, length) in units where milliseconds >= length && milliseconds % length == 0 {
    return "\(milliseconds / length) \(name)"
  }
  return milliseconds == 0 ? "0 s" : "\(milliseconds) ms"
}
