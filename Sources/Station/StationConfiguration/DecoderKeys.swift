// The symbologies to decode, and the options of each.

public import BarcodeDecoder
import BarcodeMessage
import BarcodeTypes
import Configuration

extension DecoderSettings {
  /// The options of symbologies.
  static let optionKeys = KeySection(
    "decoder", DecoderSettings(),
    [
      Field(
        "charset", \.assumedECI, .words([("auto", nil)] + CharacterSetName.all.map { ($0.name, $0.eci) }),
        "The character set of symbols that do not declare one. auto: UTF-8 if the bytes are valid UTF-8, else the "
          + "symbology's default, which for QR Code may be Shift JIS."),
      Field(
        "code39.check", \.checks[.code39], .check,
        "The check character of Code 39: kept as data, verified, or verified and dropped from the text."),
      Field(
        "code39.full_ascii", \.code39FullASCII, .words([("never", .never), ("always", .always), ("detect", .detect)]),
        "Decodes pairs of Code 39 characters as full ASCII; detect does so if every pair is valid."),
      length(.code39, "characters in a Code 39."),
      length(.code93, "characters in a Code 93."),
      length(.code128, "characters in a Code 128."),
      Field(
        "codabar.check", \.checks[.codabar], .check,
        "The check character of Codabar: kept as data, verified, or verified and dropped from the text."),
      Field(
        "codabar.start_stop", \.codabarKeepsStartAndStop, .flag, "Keeps the start and stop characters in a Codabar text."),
      length(.codabar, "characters in a Codabar between start and stop."),
      Field(
        "msi.check", \.msiCheck, .msiCheck,
        "The check digits of MSI to verify; mod11 uses weights from 2 to 7; none keeps them as data."),
      Field(
        "msi.check_digits", \.msiKeepsCheckDigits, .flag,
        "Keeps the check digits in an MSI text, with AIM identifier ]M0; without them it is ]M1."),
      length(.msi, "digits in an MSI, without its check digits."),
      Field(
        "itf.check", \.checks[.itf], .check,
        "The check digit of Interleaved 2 of 5: kept as data, verified, or verified and dropped from the text. ITF-14 "
          + "always has one."),
      length(.itf, "digits in an Interleaved 2 of 5. A single number is this symbology's best protection."),
      Field(
        "code11.check", \.code11Check, .words([("either", .either), ("one", .one), ("two", .two), ("none", .none)]),
        "The number of check characters of Code 11 to verify; either accepts two or one; none keeps them as data."),
      Field(
        "code11.check_digits", \.code11KeepsCheckDigits, .flag,
        "Keeps the check characters in a Code 11 text, with AIM identifier ]H0 or ]H1; without them it is ]H3."),
      length(.code11, "characters in a Code 11, without its check characters."),
    ] + [.industrial2of5, .iata2of5, .matrix2of5, .datalogic2of5].flatMap { twoOfFive($0) })

  /// The keys of a code 2 of 5.
  private static func twoOfFive(_ symbology: Symbology) -> [Field<DecoderSettings>] {
    [
      Field(
        "\(symbology.name).check", \.checks[symbology], .check,
        "The check digit of \(symbology.title): kept as data, verified, or verified and dropped from the text."),
      length(symbology, "digits in \(symbology.title). A single number is this symbology's best protection."),
    ]
  }

  /// The key for the lengths of a symbology's texts, within the catalogue's limits.
  private static func length(_ symbology: Symbology, _ what: String) -> Field<DecoderSettings> {
    guard let limits = symbology.lengths?.limits else { preconditionFailure("\(symbology.name) limits its texts itself") }
    return Field(
      "\(symbology.name).length", \.lengths[symbology], .lengths(limits.min...limits.max), "Permitted number of \(what)")
  }

  /// The options of symbologies, by their names in the configuration without `decoder.`.
  public static let optionNames = optionKeys.rows.map { String($0.name.dropFirst("decoder.".count)) }

  /// Applies command-line options such as `code39.check=verify`, named as in the configuration without `decoder.`.
  ///
  /// - Throws: all errors in the options at once.
  public mutating func apply(options: [String]) throws(DecoderOptionError) {
    let names = Self.optionNames
    var values: [String: String] = [:]
    var problems: [String] = []
    for option in options {
      let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if parts.count == 2, names.contains(parts[0]) {
        values[ConfigurationReading.variable(for: "decoder." + parts[0])] = parts[1]
      } else {
        let near = nearest(to: parts[0], among: names)
        problems.append(
          "\(option) is not an option; "
            + (near.map { "did you mean \($0)=…?" } ?? "they are \(names.joined(separator: ", "))"))
      }
    }
    var reading = ConfigurationReading(
      file: ConfigurationFile(bytes: []), fileLayer: InMemoryProvider(values: [:]), environment: values)
    Self.optionKeys.read(&reading, into: &self)
    problems += reading.problems.map(\.message)
    guard problems.isEmpty else { throw DecoderOptionError(problems: problems) }
  }
}

/// Errors in decoder options.
public struct DecoderOptionError: Error, Equatable {
  public let problems: [String]
}

extension ValueForm<CheckPolicy> {
  fileprivate static let check = words([("none", .none), ("verify", .verify), ("drop", .verifyAndDrop)])
}

extension ValueForm<MSICheck> {
  fileprivate static let msiCheck = words([
    ("mod10", .mod10), ("mod10-mod10", .mod10Mod10), ("mod11", .mod11), ("mod11-mod10", .mod11Mod10), ("none", .none),
  ])
}
