// Checks whether each rule is useful: one without a match for a week waits for labels that do not come, or is wrong.

import DeliveryModel
import HostText
import Sinks
import StationConfiguration

extension Doctor {
  /// How long a rule may be without a match, in seconds.
  static let ruleSilenceMax: Int64 = 7 * 86_400

  static func rules(_ system: SystemView, _ configuration: StationConfiguration) -> [Finding] {
    guard !configuration.host.rules.isEmpty, system.unixSeconds >= plausibleUnixSeconds else { return [] }
    let silent = configuration.host.rules.filter { rule in
      guard let entry = system.rules[rule.name], entry.firstSeen >= plausibleUnixSeconds else { return false }
      return system.unixSeconds - (entry.lastMatched ?? entry.firstSeen) > ruleSilenceMax
    }
    guard !silent.isEmpty else { return [.ok(.rules, "none has been without a match for a week")] }
    return silent.map { Trouble.ruleUnused.found(["rule": $0.name, "file": fileName(system)]) }
  }
}
