// The text choices for each symbology.

import BarcodeMessage
import BarcodeTypes
import HostText
import ScanControl

extension ConfigurationKey {
  /// The placeholder in a key's name for a symbology or `any`.
  static let symbologyPlace = "<symbology>"
}

extension TextChoices {
  /// The most bytes of a text that surrounds data.
  static let textByteCountMax = 20

  /// The choices that have the effect of none.
  private static let usual: TextChoices = {
    var choices = TextChoices()
    (choices.form, choices.sendsLeadingZero, choices.sendsCheckDigit) = (.own, true, true)
    (choices.addOn, choices.addOnSeparator) = (.separate, Self.usualAddOnSeparator)
    (choices.sendsAIMIdentifier, choices.label, choices.prefix, choices.suffix) = (false, "", "", "")
    (choices.letters, choices.separator, choices.controlCharacters) = (.keep, "\u{1D}", .send)
    return choices
  }()

  static let keys = KeySection(
    "text.<symbology>", usual,
    [
      Field(
        "form", \.form, .optional(.choice),
        "The form of an EAN, UPC or ITF-14 number: its own, or 12, 13 or 14 digits if possible; UPC-E is expanded."),
      Field(
        "leading_zero", \.sendsLeadingZero, .optional(.flag),
        "Sends a leading zero of such a number, such as the number system of a UPC-E."),
      Field(
        "check_digit", \.sendsCheckDigit, .optional(.flag),
        "Sends the check digit of an EAN, UPC or ITF-14. Other symbologies have separate keys, such as "
          + "decoder.code39.check."),
      Field(
        "addon", \.addOn, .optional(.choice),
        "Sends an add-on after the separator, directly after the number, or not at all. decoder.addons sets whether it "
          + "is read."),
      Field(
        "addon_separator", \.addOnSeparator, .optional(.bytes(textByteCountMax)),
        "The separator between the number and its add-on."),
      Field(
        "aim", \.sendsAIMIdentifier, .optional(.flag), "Sends the AIM symbology identifier, such as ]E0, before the data."),
      Field(
        "label", \.label, .optional(.bytes(textByteCountMax)),
        "A custom identifier of the symbology, sent before the data and after an AIM identifier."),
      Field("prefix", \.prefix, .optional(.bytes(textByteCountMax)), "The prefix before everything else, such as \\x02."),
      Field("suffix", \.suffix, .optional(.bytes(textByteCountMax)), "The suffix after the data, such as \\x09."),
      Field("case", \.letters, .optional(.choice), "The case of letters in the data."),
      Field(
        "fnc1", \.separator, .optional(.bytes(textByteCountMax)), "The replacement for FNC1 between GS1 element strings."),
      Field(
        "control_characters", \.controlCharacters, .optional(.choice),
        "The control characters of the data to send. A serial line's own rule applies afterwards; neither changes texts "
          + "configured here."),
    ])
}

extension NoReadTexts {
  static let keys = KeySection(
    "host", NoReadTexts(),
    [
      Field(
        "no_read", \.noSymbol, .optional(.text(64)),
        "The line that serial sinks get when a trigger finds nothing, and the text of no-read records. Default: no line."),
      Field(
        "unreadable", \.unreadable, .optional(.text(64)),
        "The line that serial sinks get when a symbol was seen but could not be read. Default: host.no_read."),
      Field(
        "incomplete", \.incomplete, .optional(.text(64)),
        "The line that serial sinks get when a set of codes was given up; {set} is its name, {missing} its missing "
          + "parts. Default: host.no_read, a blank and the missing parts."),
      Field(
        "no_read_records", \.sendsRecords, .flag,
        "Sends webhooks and standard output a no-read record when a trigger finds nothing."),
    ])

  init(_ reading: inout ConfigurationReading) {
    var written = NoReadTexts()
    Self.keys.read(&reading, into: &written)
    self.init(
      noSymbol: written.noSymbol, unreadable: written.unreadable ?? written.noSymbol, incomplete: written.incomplete,
      sendsRecords: written.sendsRecords)
  }
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

  /// The choices that are written for a name; those that are not follow the choices for all symbologies.
  static func choices(_ name: String, _ reading: inout ConfigurationReading) -> TextChoices {
    var choices = TextChoices()
    TextChoices.keys.read("\(section).\(name)", onlyWritten: true, &reading, into: &choices)
    return choices
  }

  /// Reports keys without effect on a symbology.
  static func reportWithoutEffect(_ symbology: Symbology, _ reading: inout ConfigurationReading) {
    var without: [(word: String, remedy: String)] = []
    if !HostContent.gtinSymbologies.contains(symbology) {
      let check = [
        .code39: "code39.check", .itf: "itf.check", .codabar: "codabar.check", .msi: "msi.check_digits",
        .code11: "code11.check_digits", .industrial2of5: "industrial2of5.check", .iata2of5: "iata2of5.check",
        .matrix2of5: "matrix2of5.check", .datalogic2of5: "datalogic2of5.check",
      ][symbology]
      let general = "it is for EAN, UPC and ITF-14; take it out"
      without += [
        ("form", general), ("leading_zero", general),
        ("check_digit", check.map { "write decoder.\($0) instead" } ?? general),
      ]
    }
    if !HostContent.addOnSymbologies.contains(symbology) {
      without += ["addon", "addon_separator"].map { ($0, "only EAN and UPC have add-ons; take it out") }
    }
    for (word, remedy) in without {
      let name = "\(section).\(symbology.name).\(word)"
      guard reading.isWritten(name) else { continue }
      reading.report("\(name) has no effect on \(symbology.name): \(remedy)", at: reading.place(of: name))
    }
  }
}

extension HostFormat {
  /// - Parameters:
  ///   - sinks: the names of the sinks.
  ///   - retail: the keys of retail.
  init(_ reading: inout ConfigurationReading, sinks: [String], retail: WrittenRetail) {
    self.init()
    rules = RuleReading.read(&reading, sinks: sinks)
    let flags = rules.compactMap(\.actions.flag)
    sets = SetReading.read(&reading, flags: flags)
    comparison = Comparison.read(&reading, flags: flags)
    product = retail.product
    sendsSetID = retail.isSetIDPrefix
    HostTextReading.reportUnknownSymbologies(&reading)
    choices = HostTextReading.choices(HostTextReading.anySymbology, &reading)
    for symbology in Symbology.allCases {
      let own = HostTextReading.choices("\(symbology.name)", &reading)
      if !own.isEmpty { choicesBySymbology[symbology] = own }
      HostTextReading.reportWithoutEffect(symbology, &reading)
    }
  }
}
