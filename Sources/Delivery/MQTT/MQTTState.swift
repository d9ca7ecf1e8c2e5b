// The station's state, as the broker keeps it for its subscribers.

/// The payload of the state's topic.
struct MQTTState: Encodable, Equatable {
  /// `online` or `offline`.
  var state: String
  var station: String
  /// Why it is offline: `stopped`, or `connection lost`.
  var reason: String?
  /// Of the station that runs, as its answer to a host's `status` has them; nil while they are not known.
  var session: String?
  var torch: String?
  var undelivered: Int?
  var durability: String?

  init(state: String, station: String, reason: String? = nil) {
    (self.state, self.station, self.reason) = (state, station, reason)
  }

  /// Takes what an answer to `status` says: `name=value` pairs, separated by blanks.
  mutating func take(status: String) {
    for pair in status.split(separator: " ") {
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { continue }
      switch parts[0] {
      case "session": session = parts[1]
      case "torch": torch = parts[1]
      case "undelivered": undelivered = Int(parts[1])
      case "durability": durability = parts[1]
      default: break
      }
    }
  }
}
