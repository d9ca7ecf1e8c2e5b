// The keys that serial lines and connections share: how a scan is encoded in bytes, how the host answers, which commands it
// may give.

import BarcodeMessage
import Devices
import Sinks

/// The keys of a line to a host, for a kind of sink.
struct HostLineKeys<Settings: HostLineSettings>: Sendable {
  /// The keys of acknowledgement, as they are written.
  private struct Acknowledgement {
    var isExpected = false
    var settings = AcknowledgementSettings()
  }

  private let framing: KeySection<Settings>
  private let acknowledgement: KeySection<Acknowledgement>
  private let commands: KeySection<Settings>

  /// - Parameter standard: settings with the defaults.
  init(kind: String, _ standard: Settings) {
    framing = KeySection(
      "sinks[].\(kind)", standard,
      [
        Field("prefix", \.framing.prefix, .bytes(20), "The prefix before each scan, such as \\x02."),
        Field("id", \.framing.sendsID, .flag, "Sends the scan's id, 36 characters, and a space before the data."),
        Field(
          "aim", \.framing.sendsAIMIdentifier, .flag, "Sends the AIM symbology identifier, such as ]E0, before the data."),
        Field(
          "letter", \.framing.sendsSymbologyLetter, .flag,
          "Sends the symbology's letter before the data: that of its AIM identifier, such as E for EAN and UPC."),
        Field(
          "trailer", \.framing.trailer, .bytes(20), "The trailer after each scan and before the suffix, such as \\x03."),
        Field("suffix", \.framing.suffix, .choice, "The end of each scan."),
        Field(
          "control_characters", \.framing.controlCharacters, .choice,
          "The control characters of the data to send; the separator is GS1's, 0x1D."),
        Field("non_ascii", \.framing.nonASCII, .choice, "The encoding of characters outside ASCII."),
        Field(
          "replacement", \.framing.writtenReplacement, .byte, "The replacement for a character that cannot be sent."),
      ])
    acknowledgement = KeySection(
      "sinks[].\(kind)", Acknowledgement(),
      [
        Field("acknowledge", \.isExpected, .flag, "Expects the host to answer each scan with ACK or NAK."),
        Field(
          "acknowledge_timeout", \.settings.limit, .duration(.milliseconds(10) ... .seconds(60)),
          "The time limit for the host's answer."),
        Field(
          "acknowledge_number", \.settings.isNumbered, .flag,
          "Sends a digit after the prefix of each scan, which the host repeats after ACK or NAK, however late."),
        Field(
          "acknowledge_late", \.settings.lateLimit, .duration(.zero ... .seconds(60)),
          "The latest time for an answer without a digit: after a missing answer, the next scan waits this long."),
      ])
    commands = KeySection(
      "sinks[].\(kind)", standard,
      [
        Field(
          "commands", \.acceptsCommands, .flag,
          "Accepts the host's commands trigger, stop, torch, enable, disable and status."),
        Field(
          "command_prefix", \.commandPrefix, .byte,
          "The control character that begins each command; without one, a command counts only 10 s after the last "
            + "transmission."),
      ])
  }

  /// The rows in the table of keys.
  var rows: [ConfigurationKey] { framing.rows + acknowledgement.rows + commands.rows }

  /// Reads the keys of a section into the settings of a sink.
  func read(_ section: String, _ reading: inout ConfigurationReading, into settings: inout Settings) {
    framing.read(section, &reading, into: &settings)
    var written = Acknowledgement()
    acknowledgement.read(section, &reading, into: &written)
    settings.acknowledgement = written.isExpected ? written.settings : nil
    commands.read(section, &reading, into: &settings)
    if settings.acceptsCommands { checkPrefix(settings, section, &reading) }
  }

  /// Reports settings that let labels contain the prefix of commands: the echo of a label with the prefix and `disable`
  /// would be a command.
  private func checkPrefix(
    _ settings: Settings, _ section: String, _ reading: inout ConfigurationReading
  ) {
    guard let prefix = settings.commandPrefix else { return }
    let name = "\(section).command_prefix"
    if !HostCommandParser.isPrefix(prefix) {
      reading.report(
        "\(name) must be a control character that nothing else uses, such as \\x16", at: reading.place(of: name))
    } else if settings.framing.controlCharacters == .send {
      let rule = "\(section).control_characters"
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

extension FramingSettings {
  /// The replacement; nothing written leaves it as it is.
  fileprivate var writtenReplacement: UInt8? {
    get { replacement }
    set { replacement = newValue ?? replacement }
  }
}
