// What a key is worth in the end, and who said so.

import BarcodeMessage

/// The value that a key has after the environment, the file and the default were asked, in that order.
public struct EffectiveValue: Equatable, Sendable, CustomStringConvertible {
  /// The key's full name, places in lists as numbers: `sinks.0.webhook.url`.
  public var name: String
  /// As it would be written, without what is secret in it; empty where there is nothing.
  public var shownValue: String
  /// Where it is written; nil for a default.
  public var place: ConfigurationProblem.Place?

  /// Where it comes from, in words.
  public var origin: String {
    switch place {
    case .line(let line): "line \(line)"
    case .variable(let name): name
    case nil: "default"
    }
  }

  /// A line such as `camera.frame_rate: 10  # default`.
  public var description: String { TerminalText.quoting("\(name): \(shownValue)  # \(origin)") }
}
