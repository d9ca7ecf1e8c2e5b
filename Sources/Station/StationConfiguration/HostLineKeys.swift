// The keys that serial lines and connections share: how a scan is encoded in bytes, how the host answers, which commands it
// may give.

import BarcodeMessage
import Delivery
import Devices

/// The keys of a line to a host, for a kind of sink.
struct HostLineKeys: Sendable {
  let prefix, id, aim, letter, trailer, suffix, controlCharacters, nonASCII, replacement: ConfigurationKey
  let acknowledge, acknowledgeTimeout, acknowledgeNumber, acknowledgeLate: ConfigurationKey
  let commands, commandPrefix: ConfigurationKey

  init(kind: String) {
    func key(_ word: String, _ expected: ConfigurationKind, _ fallback: String, _ summary: String) -> ConfigurationKey {
      ConfigurationKey("sinks[].\(kind).\(word)", expected, fallback, summary)
    }
    prefix = key("prefix", .bytes(20), "", "The prefix before each scan, such as \\x02.")
    id = key(
      "id", .flag, "false", "Sends the scan's id, 36 characters, and a space before the data.")
    aim = key(
      "aim", .flag, "false", "Sends the AIM symbology identifier, such as ]E0, before the data.")
    letter = key(
      "letter", .flag, "false",
      "Sends the symbology's letter before the data: that of its AIM identifier, such as E for EAN and UPC.")
    trailer = key("trailer", .bytes(20), "", "The trailer after each scan and before the suffix, such as \\x03.")
    suffix = key(
      "suffix", .choice(ConfigurationKey.words(FramingSettings.Suffix.self)), "cr",
      "The end of each scan.")
    controlCharacters = key(
      "control_characters", .choice(ConfigurationKey.words(ControlCharacterRule.self)), "separator only",
      "The control characters of the data to send; the separator is GS1's, 0x1D.")
    nonASCII = key(
      "non_ascii", .choice(ConfigurationKey.words(FramingSettings.NonASCIIRule.self)), "utf8",
      "The encoding of characters outside ASCII.")
    replacement = key("replacement", .bytes(1), "?", "The replacement for a character that cannot be sent.")
    acknowledge = key("acknowledge", .flag, "false", "Expects the host to answer each scan with ACK or NAK.")
    acknowledgeTimeout = key(
      "acknowledge_timeout", .duration(.milliseconds(10) ... .seconds(60)), "2 s",
      "The time limit for the host's answer.")
    acknowledgeNumber = key(
      "acknowledge_number", .flag, "false",
      "Sends a digit after the prefix of each scan, which the host repeats after ACK or NAK, however late.")
    acknowledgeLate = key(
      "acknowledge_late", .duration(.zero ... .seconds(60)), "3 s",
      "The latest time for an answer without a digit: after a missing answer, the next scan waits this long.")
    commands = key(
      "commands", .flag, "false", "Accepts the host's commands trigger, stop, torch, enable, disable and status.")
    commandPrefix = key(
      "command_prefix", .bytes(1), "\\x16",
      "The control character that begins each command; without one, a command counts only 10 s after the last "
        + "transmission.")
  }

  /// The keys in reference order.
  var all: [ConfigurationKey] {
    [
      prefix, id, aim, letter, trailer, suffix, controlCharacters, nonASCII, replacement, acknowledge, acknowledgeTimeout,
      acknowledgeNumber, acknowledgeLate, commands, commandPrefix,
    ]
  }

  /// Reads the keys of a section into the settings of a sink.
  func read(_ section: String, _ reading: inout ConfigurationReading, into settings: inout some HostLineSettings) {
    settings.framing = framing(section, &reading)
    settings.acceptsCommands = reading.flag(commands, commands.name(in: section))
    if let prefix = reading.bytes(commandPrefix, commandPrefix.name(in: section)) { settings.commandPrefix = prefix.first }
    if settings.acceptsCommands { checkPrefix(settings, section, &reading) }
    let isNumbered = reading.flag(acknowledgeNumber, acknowledgeNumber.name(in: section))
    let lateLimit = reading.duration(acknowledgeLate, acknowledgeLate.name(in: section))
    let limit = reading.duration(acknowledgeTimeout, acknowledgeTimeout.name(in: section))
    if reading.flag(acknowledge, acknowledge.name(in: section)) {
      var acknowledgement = AcknowledgementSettings()
      acknowledgement.limit = limit ?? acknowledgement.limit
      acknowledgement.isNumbered = isNumbered
      acknowledgement.lateLimit = lateLimit ?? acknowledgement.lateLimit
      settings.acknowledgement = acknowledgement
    }
  }

  private func framing(_ section: String, _ reading: inout ConfigurationReading) -> FramingSettings {
    var framing = FramingSettings()
    framing.prefix = reading.bytes(prefix, prefix.name(in: section)) ?? framing.prefix
    framing.sendsID = reading.flag(id, id.name(in: section))
    framing.sendsAIMIdentifier = reading.flag(aim, aim.name(in: section))
    framing.sendsSymbologyLetter = reading.flag(letter, letter.name(in: section))
    framing.trailer = reading.bytes(trailer, trailer.name(in: section)) ?? framing.trailer
    framing.suffix = reading.choice(suffix, FramingSettings.Suffix.self, suffix.name(in: section)) ?? framing.suffix
    framing.controlCharacters =
      reading.choice(controlCharacters, ControlCharacterRule.self, controlCharacters.name(in: section))
      ?? framing.controlCharacters
    framing.nonASCII =
      reading.choice(nonASCII, FramingSettings.NonASCIIRule.self, nonASCII.name(in: section)) ?? framing.nonASCII
    framing.replacement = reading.bytes(replacement, replacement.name(in: section))?.first ?? framing.replacement
    return framing
  }

  /// Reports settings that let labels contain the prefix of commands: the echo of a label with the prefix and `disable`
  /// would be a command.
  private func checkPrefix(
    _ settings: some HostLineSettings, _ section: String, _ reading: inout ConfigurationReading
  ) {
    guard let prefix = settings.commandPrefix else { return }
    let name = commandPrefix.name(in: section)
    if !HostCommandParser.isPrefix(prefix) {
      reading.report(
        "\(name) must be a control character that nothing else uses, such as \\x16", at: reading.place(of: name))
    } else if settings.framing.controlCharacters == .send {
      let rule = controlCharacters.name(in: section)
      reading.report(
        "\(rule): send lets a label hold the prefix of a host's commands, so that its echo is one; write separator only, remove "
          + "or escape, or commands: false", at: reading.place(of: rule))
    } else if settings.framing.prefix.contains(prefix) || settings.framing.trailer.contains(prefix) {
      reading.report(
        "\(name) is in the prefix or trailer of scans, so that their echoes are commands; choose another, such as \\x05",
        at: reading.place(of: name))
    }
  }
}
