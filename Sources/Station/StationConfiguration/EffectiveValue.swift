// The effective value of a key, with its origin.

import BarcodeMessage

/// The value of a key after looking in the environment, the changes of set-up codes, the file and the defaults, in that order.
public struct EffectiveValue: Equatable, Sendable, CustomStringConvertible {
  /// The key's full name, with positions in lists as numbers: `sinks.0.webhook.url`.
  public var name: String
  /// The value as it would be written, without secrets; empty without a value.
  public var shownValue: String
  /// Where it is written; nil for a default.
  public var place: ConfigurationProblem.Place?

  /// The value's origin, in words.
  public var origin: String {
    switch place {
    case .line(let line): "line \(line)"
    case .setupCode: "set-up code"
    case .variable(let name): name
    case nil: "default"
    }
  }

  /// A line such as `camera.frame_rate: 10  # default`.
  public var description: String { TerminalText.quoting("\(name): \(shownValue)  # \(origin)") }
}
