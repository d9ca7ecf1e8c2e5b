// Keys that are right each by itself and cannot work together. An operator who writes one of them expects an effect, so it is an
// error that there can be none.

import Delivery
import Devices
import Glibc
import ScanControl

extension StationConfiguration {
  func reportContradictions(_ reading: inout ConfigurationReading) {
    reportUnreachableTrigger(&reading)
    if devices.speech.isEnabled, scan.confirmation == .never {
      reading.report(
        "speech.enabled has no effect with confirm: never, which forwards each result without a word; write confirm: "
          + "alphanumeric or always", at: reading.place(of: ConfigurationKey.speechEnabled.name))
    }
  }

  /// A session that only the trigger opens needs something that can pull it.
  private func reportUnreachableTrigger(_ reading: inout ConfigurationReading) {
    let name: String
    switch scan.trigger {
    case .level, .edge, .timed: name = ConfigurationKey.triggerMode.name
    case .continuous, .presentation:
      guard scan.reopening == .onTrigger else { return }
      name = ConfigurationKey.sessionReopen.name
    }
    let hasHost = sinks.contains { sink in
      if case .serial(let settings) = sink { settings.acceptsCommands } else { false }
    }
    let hasButton = devices.buttons.contains { $0.button == .trigger }
    guard !hasButton, !hasHost, consolePort == 0, screen.output != .kms else { return }
    reading.report(
      "\(name) needs a trigger, and there is none; set buttons.trigger.line, console.port, commands: true of a serial sink, or "
        + "screen.output: kms for a keyboard", at: reading.place(of: name))
  }
}

/// Whether a text is an IPv4 or IPv6 address.
func isNumericAddress(_ text: String) -> Bool {
  var address = in6_addr()
  return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1
}
