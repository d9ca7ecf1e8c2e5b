// Commands by topic: a word of the allow list, with what it takes as the payload. Each becomes the same command that a serial line or
// the console gives.

import Devices

/// A command that clients of the broker may give, at the topic of its name.
public enum MQTTCommand: String, Sendable, CaseIterable {
  case open, trigger, cancel, torch, confirm, next, enable

  /// The button that it replaces.
  var button: Button? {
    switch self {
    case .open: .shortcut
    case .trigger: .trigger
    case .cancel: .cancel
    case .torch: .torch
    case .confirm: .confirm
    case .next: .next
    case .enable: nil
    }
  }

  /// The payloads that it takes, for a message.
  var payloads: String {
    switch self {
    case .torch: "on, off or toggle"
    case .enable: "on or off"
    case .open, .trigger, .cancel, .confirm, .next: "press"
    }
  }

  /// The host's command; nil for a payload that the command does not take.
  ///
  /// `torch` takes `on`, `off` and `toggle`; `enable` takes `on` and `off`; each other one takes `press`, in upper or lower case. An empty
  /// payload is no command: it also clears a retained message.
  func hostCommand(_ payload: [UInt8]) -> HostCommand? {
    let word = String(decoding: payload.map(HostCommandParser.lowercase), as: UTF8.self)
    return switch (self, word) {
    case (.torch, "toggle"): .torch
    case (.torch, "on"): .torchOn
    case (.torch, "off"): .torchOff
    case (.enable, "on"): .enable
    case (.enable, "off"): .disable
    case (.open, "press"): .open
    case (.trigger, "press"): .trigger
    case (.cancel, "press"): .cancel
    case (.confirm, "press"): .confirm
    case (.next, "press"): .next
    default: nil
    }
  }
}
