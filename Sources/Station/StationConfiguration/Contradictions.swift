// Conflicting keys: each is valid, but they cannot work together. An operator who writes a key expects an effect, so a key
// that can have none is an error.

import BarcodeDecoder
import BarcodeTypes
import DeliveryModel
import Devices
import Glibc
import HostText
import ScanControl
import Sinks

extension StationConfiguration {
  func reportContradictions(_ reading: inout ConfigurationReading) {
    reportUnreachableTrigger(&reading)
    reportUnreachableSession(&reading)
    reportUnreadSymbologies(&reading)
    reportSharedDevices(&reading)
    reportOwnConsole(&reading)
    reportSharedPorts(&reading)
    reportUnreachedTexts(&reading)
    if !scan.trigger.opensSessions, host.sets.isEmpty {
      for key in ["host.no_read", "host.unreadable", "host.no_read_records"] where reading.isWritten(key) {
        reading.report(
          "\(key) has no effect with trigger.mode continuous or presentation, which have no no-reads; write level, edge or "
            + "timed, or a set of codes", at: reading.place(of: key))
      }
    }
    reportMissingPictures(&reading)
    if !scan.trigger.opensSessions, host.sets.isEmpty, pictures?.kinds.contains(.noRead) == true {
      reading.report(
        "pictures.of names no-reads, which trigger.mode continuous and presentation do not have; take them out, or write "
          + "level, edge or timed, or a set of codes", at: reading.place(of: "pictures.of"))
    }
    if host.sets.isEmpty, reading.isWritten("host.incomplete") {
      reading.report(
        "host.incomplete has no effect without sets; write one, or take it out",
        at: reading.place(of: "host.incomplete"))
    }
    if devices.speech.isEnabled, scan.confirmation == .never {
      reading.report(
        "speech.enabled has no effect with confirm: never, which forwards each result without a word; write confirm: "
          + "alphanumeric or always", at: reading.place(of: "speech.enabled"))
    }
  }

  /// Reports sinks that send pictures which are not kept.
  private func reportMissingPictures(_ reading: inout ConfigurationReading) {
    for sink in sinks where sink.publishesPictures && pictures == nil {
      reading.report(
        "the sink \(sink.name) has a picture_topic, and no pictures are kept; write pictures.of, or take the topic out",
        at: reading.place(of: ConfigurationReading.sinksName))
    }
    for sink in sinks where sink.sendsPictures && pictures?.kinds.isDisjoint(with: [.scan, .noRead]) != false {
      reading.report(
        "the sink \(sink.name) has picture: multipart, and no pictures of scans or no-reads are kept; write pictures.of: [scans], "
          + "or picture: none", at: reading.place(of: ConfigurationReading.sinksName))
    }
  }

  /// Whether any input can give a command: one of these buttons, a keyboard or touch, the console, or a host.
  private func canCommand(by buttons: Set<Button>) -> Bool {
    let hasHost = sinks.contains { !$0.commandedButtons.isDisjoint(with: buttons) }
    return hasHost || console.port > 0 || screen.output == .kms || devices.buttons.contains { buttons.contains($0.button) }
  }

  private static let commandRemedy =
    "console.port, commands of a serial, tcp or mqtt sink, or screen.output: kms for a keyboard"

  /// Reports a trigger mode without an input that can pull the trigger.
  private func reportUnreachableTrigger(_ reading: inout ConfigurationReading) {
    let name: String
    switch scan.trigger {
    case .level:
      guard !devices.buttons.contains(where: { $0.button == .trigger }) else { return }
      return reading.report(
        "trigger.mode level needs a trigger that can be held down, but no such trigger is configured; set buttons.trigger.line, or write edge, "
          + "which a key, the console and hosts can pull", at: reading.place(of: "trigger.mode"))
    case .edge, .timed: name = "trigger.mode"
    case .continuous, .presentation:
      guard scan.reopening == .onTrigger else { return }
      name = "session.reopen"
    }
    guard !canCommand(by: [.trigger]) else { return }
    reading.report(
      "\(name) needs a trigger, but no trigger is configured; set buttons.trigger.line, \(Self.commandRemedy)",
      at: reading.place(of: name))
  }

  /// Reports a session that waits for a user without an input that the user could press (behaviour S6).
  private func reportUnreachableSession(_ reading: inout ConfigurationReading) {
    if !scan.entries.contains(scan.entry), reading.isWritten("session.entries") {
      reading.report(
        "session.entries leaves out \(scan.entry.rawValue), which session.entry names; add it, or write another session.entry",
        at: reading.place(of: "session.entries"))
    }
    // With a trigger, session.entry does not matter.
    if scan.entry != .boot, !scan.trigger.opensSessions, !canCommand(by: [.shortcut, .trigger, .confirm]) {
      reading.report(
        "session.entry \(scan.entry.rawValue) needs something that opens a session, and there is nothing; set "
          + "buttons.shortcut.line, \(Self.commandRemedy), or write boot",
        at: reading.place(of: "session.entry"))
    }
    if scan.reopening == .onConfirmation, !canCommand(by: [.confirm, .shortcut, .trigger]) {
      reading.report(
        "session.reopen on confirmation needs something that confirms, and there is nothing; set buttons.confirm.line, "
          + "\(Self.commandRemedy), or write after 0 s", at: reading.place(of: "session.reopen"))
    }
    if scan.confirmation != .never, !canCommand(by: [.confirm]) {
      reading.report(
        "confirm \(scan.confirmation.rawValue) needs something that confirms, and there is nothing, so that results would be "
          + "dropped; set buttons.confirm.line, \(Self.commandRemedy), or write never",
        at: reading.place(of: "confirm"))
    }
  }

  private func reportUnreadSymbologies(_ reading: inout ConfigurationReading) {
    if decoder.symbologies.isEmpty {
      reading.report(
        "decoder.symbologies names none, so that nothing would be read; name those that are scanned, or take the key out",
        at: reading.place(of: "decoder.symbologies"))
    }
    if setup.isEnabled, !decoder.symbologies.isEmpty, !decoder.symbologies.contains(.qr) {
      reading.report(
        "setup.public_keys needs QR Codes, which decoder.symbologies does not look for; add qr there, or take these keys out",
        at: reading.place(of: "setup.public_keys"))
    }
    guard reading.isWritten("vote.symbologies") else { return }
    for symbology in Symbology.allCases
    where scan.votes.symbologies.contains(symbology) && !decoder.symbologies.contains(symbology) {
      reading.report(
        "vote.symbologies names \(symbology.name), which decoder.symbologies does not look for; add it there, or take it out here",
        at: reading.place(of: "vote.symbologies"))
    }
  }

  /// Reports two sinks on the same serial line: they would mix their frames and read each other's answers.
  private func reportSharedDevices(_ reading: inout ConfigurationReading) {
    var owners: [String: String] = [:]
    for sink in sinks {
      guard let named = sink.serialDevice else { continue }
      // A device may have several paths.
      let path = realpath(named, nil)
      let device = path.map { String(cString: $0) } ?? named
      free(path)
      if let owner = owners.updateValue(sink.name, forKey: device) {
        reading.report(
          "the sinks \(owner) and \(sink.name) have the same device, \(named); give each a line of its own",
          at: reading.place(of: ConfigurationReading.sinksName))
      }
    }
  }

  /// Reports two listeners on one port of this machine.
  private func reportSharedPorts(_ reading: inout ConfigurationReading) {
    var owners = console.port > 0 ? [console.port: "console.port"] : [:]
    for sink in sinks {
      guard let place = sink.listeningPlace else { continue }
      if let owner = owners.updateValue("the sink \(sink.name)", forKey: place.port) {
        reading.report(
          "\(owner) and the sink \(sink.name) have the same port, \(place.port); give each a port of its own",
          at: reading.place(of: ConfigurationReading.sinksName))
      }
    }
  }

  /// Reports text choices without effect: a sink that sends the symbol's own bytes uses no text, and an AIM identifier is
  /// sent once.
  private func reportUnreachedTexts(_ reading: inout ConfigurationReading) {
    guard host.changesTexts else { return }
    for (index, sink) in sinks.enumerated() {
      guard let framing = sink.textFraming else { continue }
      let place = { [reading] (word: String) in reading.place(of: word, inItem: "\(ConfigurationReading.sinksName).\(index)")
      }
      if framing.nonASCII == .raw {
        reading.report(
          "the sink \(sink.name) sends the bytes of symbols (non_ascii: raw), which the keys of text and rewrites do not reach; write "
            + "utf8 or latin1, or take these out", at: place("non_ascii"))
      }
      if framing.sendsAIMIdentifier, host.sendsAIMIdentifiers {
        reading.report(
          "the sink \(sink.name) and a key text.….aim both send the AIM identifier, so that it comes twice; keep one",
          at: place("aim"))
      }
      if sink.acceptsCommands, let prefix = sink.commandPrefix, host.writes(Unicode.Scalar(prefix)) {
        reading.report(
          "a key of text or a rewrite sends the command_prefix of the sink \(sink.name), so that the echoes of scans are commands; choose "
            + "another, such as \\x05", at: place("command_prefix"))
      }
    }
  }

  /// Reports a webhook to the station's own console, which accepts no scans and would refuse each one.
  private func reportOwnConsole(_ reading: inout ConfigurationReading) {
    guard console.port > 0 else { return }
    for sink in sinks {
      guard let place = sink.peer, place.port == console.port,
        place.host == "localhost" || place.host.hasPrefix("127.") || place.host == "::1" || place.host == console.address
      else { continue }
      reading.report(
        "the sink \(sink.name) sends scans to this station's own console; write the address of the receiver, or choose another "
          + "console.port", at: reading.place(of: ConfigurationReading.sinksName))
    }
  }
}

/// Whether a text is an IPv4 or IPv6 address.
func isNumericAddress(_ text: String) -> Bool {
  var address = in6_addr()
  return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1
}
