// The station's state, as the broker keeps it for its subscribers.

import FoundationEssentials

/// The payload of the state's topic.
struct MQTTState: Encodable {
  /// `online` or `offline`.
  var state: String
  var station: String
  /// Why it is offline: `stopped`, or `connection lost`.
  var reason: String?

  /// The JSON form on one line, members sorted by name.
  func json() -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return Array(try encoder.encode(self))
    } catch {
      // Strings always have a JSON form.
      preconditionFailure("a state has no JSON form: \(error)")
    }
  }
}
