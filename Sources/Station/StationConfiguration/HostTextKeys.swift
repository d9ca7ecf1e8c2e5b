// The text choices for each symbology.

import BarcodeMessage
import BarcodeTypes
import HostText
import ScanControl

extension ConfigurationKey {
  /// The placeholder in a key's name for a symbology or `any`.
  static let symbologyPlace = "<symbology>"

  static let textForm = Self(
    "text.<symbology>.form", .choice(words(TextChoices.NumberForm.self)), "own",
    "The form of an EAN, UPC or ITF-14 number: its own, or 12, 13 or 14 digits if possible; UPC-E is expanded.")
  static let textLeadingZero = Self(
    "text.<symbology>.leading_zero", .flag, "true",
    "Sends a leading zero of such a number, such as the number system of a UPC-E.")
  static let textCheckDigit = Self(
    "text.<symbology>.check_digit", .flag, "true",
    "Sends the check digit of an EAN, UPC or ITF-14. Other symbologies have separate keys, such as decoder.code39.check."
  )
  static let textAddOn = Self(
    "text.<symbology>.addon", .choice(words(TextChoices.AddOn.self)), "separate",
    "Sends an add-on after the separator, directly after the number, or not at all. decoder.addons sets whether it is "
      + "read."
  )
  static let textAddOnSeparator = Self(
    "text.<symbology>.addon_separator", .bytes(textByteCountMax), " ", "The separator between the number and its add-on.")
  static let textAIM = Self(
    "text.<symbology>.aim", .flag, "false", "Sends the AIM symbology identifier, such as ]E0, before the data.")
  static let textLabel = Self(
    "text.<symbology>.label", .bytes(textByteCountMax), "",
    "A custom identifier of the symbology, sent before the data and after an AIM identifier.")
  static let textPrefix = Self(
    "text.<symbology>.prefix", .bytes(textByteCountMax), "", "The prefix before everything else, such as \\x02.")
  static let textSuffix = Self(
    "text.<symbology>.suffix", .bytes(textByteCountMax), "", "The suffix after the data, such as \\x09.")
  static let textCase = Self(
    "text.<symbology>.case", .choice(words(LetterCase.self)), "keep", "The case of letters in the data.")
  static let textSeparator = Self(
    "text.<symbology>.fnc1", .bytes(textByteCountMax), "\\x1d", "The replacement for FNC1 between GS1 element strings.")
  static let textControlCharacters = Self(
    "text.<symbology>.control_characters", .choice(words(ControlCharacterRule.self)), "send",
    "The control characters of the data to send. A serial line's own rule applies afterwards; neither changes texts "
      + "configured here."
  )

  static let hostNoRead = Self(
    "host.no_read", .text(64), "",
    "The line that serial sinks get when a trigger finds nothing, and the text of no-read records. Default: no line.")
  static let hostUnreadable = Self(
    "host.unreadable", .text(64), "",
    "The line that serial sinks get when a symbol was seen but could not be read. Default: host.no_read.")
  static let hostNoReadRecords = Self(
    "host.no_read_records", .flag, "true",
    "Sends webhooks and standard output a no-read record when a trigger finds nothing.")

  static let hostIncomplete = Self(
    "host.incomplete", .text(64), "",
    "The line that serial sinks get when a set of codes was given up; {set} is its name, {missing} its missing parts. "
      + "Default: host.no_read, a blank and the missing parts.")

  /// The most bytes of a text that surrounds data.
  static let textByteCountMax = 20

  /// The keys of this file.
  static let hostText = [
    textForm, textLeadingZero, textCheckDigit, textAddOn, textAddOnSeparator, textAIM, textLabel, textPrefix, textSuffix,
    textCase, textSeparator, textControlCharacters, hostNoRead, hostUnreadable,
    hostIncomplete, hostNoReadRecords,
  ]
}

/// Reads the section `text`.
struct HostTextReading {
  static let section = "text"
  /// The name that means all symbologies.
  static let anySymbology = "any"

  static func isSymbology(_ name: some StringProtocol) -> Bool {
    name == anySymbology || ConfigurationParsing.symbology(String(name)) != nil
  }

  /// The possible names of a key, with list positions left open.
  static func names(of key: ConfigurationKey) -> [String] {
    guard key.name.contains(ConfigurationKey.symbologyPlace) else { return [key.name] }
    return ([anySymbology] + Symbology.allCases.map { "\($0.name)" }).map {
      key.name.replacing(ConfigurationKey.symbologyPlace, with: $0)
    }
  }

  /// Reports sections of unknown symbologies.
  static func reportUnknownSymbologies(_ reading: inout ConfigurationReading) {
    let names = [anySymbology] + Symbology.allCases.map { "\($0.name)" }
    let written = Set(
      (Array(reading.file.sections.keys) + reading.file.entries.keys).compactMap { path -> String? in
        let parts = path.split(separator: ".")
        return parts.count > 1 && parts[0] == section ? String(parts[1]) : nil
      })
    for name in written.sorted() where !isSymbology(name) {
      let place = "\(section).\(name)"
      reading.takeOver(place)
      let near = nearest(to: name, among: names)
      reading.report(
        "\(place): there is no symbology \(name); "
          + (near.map { "did you mean \($0)?" } ?? "write any, or one of \(names.dropFirst().joined(separator: ", "))"),
        at: reading.place(of: place))
    }
  }

  /// Bytes as text: each is a character of ISO/IEC 8859-1, which equals ASCII below 0x80.
  static func text(_ bytes: [UInt8]) -> String { String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })) }

  /// The choices for a name.
  static func choices(_ name: String, _ reading: inout ConfigurationReading) -> TextChoices {
    var choices = TextChoices()
    /// Reads a key if it is written; otherwise the choices for all symbologies apply.
    func read<Value>(
      _ key: ConfigurationKey, _ value: (inout ConfigurationReading, String) -> Value?
    ) -> Value? {
      let written = key.name.replacing(ConfigurationKey.symbologyPlace, with: name)
      return reading.isWritten(written) ? value(&reading, written) : nil
    }
    func text(_ key: ConfigurationKey) -> String? {
      read(key) { $0.bytes(key, $1).map { HostTextReading.text($0) } }
    }
    choices.form = read(.textForm) { $0.choice(.textForm, TextChoices.NumberForm.self, $1) }
    choices.sendsLeadingZero = read(.textLeadingZero) { $0.flag(.textLeadingZero, $1) }
    choices.sendsCheckDigit = read(.textCheckDigit) { $0.flag(.textCheckDigit, $1) }
    choices.addOn = read(.textAddOn) { $0.choice(.textAddOn, TextChoices.AddOn.self, $1) }
    choices.addOnSeparator = text(.textAddOnSeparator)
    choices.sendsAIMIdentifier = read(.textAIM) { $0.flag(.textAIM, $1) }
    choices.label = text(.textLabel)
    choices.prefix = text(.textPrefix)
    choices.suffix = text(.textSuffix)
    choices.letters = read(.textCase) { $0.choice(.textCase, LetterCase.self, $1) }
    choices.separator = text(.textSeparator)
    choices.controlCharacters = read(.textControlCharacters) {
      $0.choice(.textControlCharacters, ControlCharacterRule.self, $1)
    }
    return choices
  }

  /// Reports keys without effect on a symbology.
  static func reportWithoutEffect(_ symbology: Symbology, _ reading: inout ConfigurationReading) {
    let numbers: [ConfigurationKey] = [.textForm, .textLeadingZero, .textCheckDigit]
    let addOns: [ConfigurationKey] = [.textAddOn, .textAddOnSeparator]
    var without: [(ConfigurationKey, String)] = []
    if !HostContent.gtinSymbologies.contains(symbology) {
      let check = [.code39: "code39.check", .itf: "itf.check", .codabar: "codabar.check", .msi: "msi.check_digits"][
        symbology]
      without += numbers.map { key in
        let remedy = check.flatMap { key.name == ConfigurationKey.textCheckDigit.name ? "write decoder.\($0) instead" : nil }
        return (key, remedy ?? "it is for EAN, UPC and ITF-14; take it out")
      }
    }
    if !HostContent.addOnSymbologies.contains(symbology) {
      without += addOns.map { ($0, "only EAN and UPC have add-ons; take it out") }
    }
    for (key, remedy) in without {
      let name = key.name.replacing(ConfigurationKey.symbologyPlace, with: "\(symbology.name)")
      guard reading.isWritten(name) else { continue }
      reading.report("\(name) has no effect on \(symbology.name): \(remedy)", at: reading.place(of: name))
    }
  }
}

extension NoReadTexts {
  init(_ reading: inout ConfigurationReading) {
    let noSymbol = reading.text(.hostNoRead)
    self.init(
      noSymbol: noSymbol, unreadable: reading.text(.hostUnreadable) ?? noSymbol, incomplete: reading.text(.hostIncomplete),
      sendsRecords: reading.flag(.hostNoReadRecords))
  }
}

extension HostFormat {
  /// - Parameters:
  ///   - sinks: the names of the sinks.
  ///   - retail: the retail settings.
  init(_ reading: inout ConfigurationReading, sinks: [String], retail: RetailSettings?) {
    self.init()
    rules = RuleReading.read(&reading, sinks: sinks)
    let flags = rules.compactMap(\.actions.flag)
    sets = SetReading.read(&reading, flags: flags)
    comparison = Comparison.read(&reading, flags: flags)
    product = ProductText(&reading)
    let isSetIDPrefix = reading.choice(.retailSetID) == "prefix"
    sendsSetID = isSetIDPrefix && retail?.mode == .all
    HostTextReading.reportUnknownSymbologies(&reading)
    choices = HostTextReading.choices(HostTextReading.anySymbology, &reading)
    for symbology in Symbology.allCases {
      let own = HostTextReading.choices("\(symbology.name)", &reading)
      if !own.isEmpty { choicesBySymbology[symbology] = own }
      HostTextReading.reportWithoutEffect(symbology, &reading)
    }
  }
}
