// The symbologies to decode, and the options of each.

public import BarcodeDecoder
import BarcodeMessage
import BarcodeTypes
import Configuration

extension ConfigurationKey {
  static let decoderSymbologies = Self(
    "decoder.symbologies", .symbologies(names(of: Decoder.supportedSymbologies)),
    names(of: .onByDefault).joined(separator: ", "),
    "The symbologies to decode. Those that are not decoded by default are weakly protected or rare: name them only where they are expected.",
    isCommon: true)
  static let decoderEffort = Self(
    "decoder.effort", .choice(["auto", "frame", "still"]), "auto",
    "The work per frame. frame: fast, later frames compensate; still: thorough; auto: between the two, up to "
      + "decoder.frame_share.")
  static let decoderFrameShare = Self(
    "decoder.frame_share", .integer(5...100), "60",
    "Percent of the time between frames that decoding may take with effort auto. A scene without symbols still costs "
      + "little more than with effort frame.")
  static let decoderAddOns = Self(
    "decoder.addons", .choice(["ignore", "read", "require"]), "ignore", "The treatment of EAN and UPC add-ons.",
    isCommon: true)

  static let decoderCharset = Self(
    "decoder.charset", .choice(["auto"] + CharacterSetName.all.map(\.name)), "auto",
    "The character set of symbols that do not declare one. auto: UTF-8 if the bytes are valid UTF-8, else the symbology's "
      + "default, which for QR Code may be Shift JIS.")

  private static let checks = ConfigurationKind.choice(["none", "verify", "drop"])

  /// The key for the lengths of a symbology's texts, with the catalogue's limits and default.
  private static func length(_ symbology: Symbology, _ what: String) -> Self {
    guard let option = symbology.lengths else { preconditionFailure("\(symbology.name) limits its texts itself") }
    return Self(
      "decoder.\(symbology.name).length", .lengths(option.limits.min...option.limits.max),
      "\(option.standard.min)-\(option.standard.max)", "Permitted number of \(what)")
  }

  static let code39Check = Self(
    "decoder.code39.check", checks, "none",
    "The check character of Code 39: kept as data, verified, or verified and dropped from the text.")
  static let code39FullASCII = Self(
    "decoder.code39.full_ascii", .choice(["never", "always", "detect"]), "detect",
    "Decodes pairs of Code 39 characters as full ASCII; detect does so if every pair is valid.")
  static let code39Length = length(.code39, "characters in a Code 39.")
  static let code93Length = length(.code93, "characters in a Code 93.")
  static let code128Length = length(.code128, "characters in a Code 128.")
  static let codabarCheck = Self(
    "decoder.codabar.check", checks, "none",
    "The check character of Codabar: kept as data, verified, or verified and dropped from the text.")
  static let codabarStartStop = Self(
    "decoder.codabar.start_stop", .flag, "true", "Keeps the start and stop characters in a Codabar text.")
  static let codabarLength = length(.codabar, "characters in a Codabar between start and stop.")
  static let msiCheck = Self(
    "decoder.msi.check", .choice(MSICheck.names.map(\.name)), "mod10",
    "The check digits of MSI to verify; mod11 uses weights from 2 to 7; none keeps them as data.")
  static let msiCheckDigits = Self(
    "decoder.msi.check_digits", .flag, "true",
    "Keeps the check digits in an MSI text, with AIM identifier ]M0; without them it is ]M1.")
  static let msiLength = length(.msi, "digits in an MSI, without its check digits.")
  static let itfCheck = Self(
    "decoder.itf.check", checks, "none",
    "The check digit of Interleaved 2 of 5: kept as data, verified, or verified and dropped from the text. ITF-14 always "
      + "has one."
  )
  static let itfLength = length(
    .itf, "digits in an Interleaved 2 of 5. A single number is this symbology's best protection.")

  /// The keys of this file, in reading order.
  static let decoder = [
    decoderSymbologies, decoderEffort, decoderFrameShare, decoderAddOns, decoderCharset, code39Check, code39FullASCII,
    code39Length,
    code93Length, code128Length, codabarCheck, codabarStartStop, codabarLength, msiCheck, msiCheckDigits,
    msiLength, itfCheck, itfLength,
  ]
}

extension DecoderSettings {
  /// - Parameter frameShare: set to nil unless `decoder.effort` is `auto`.
  init(_ reading: inout ConfigurationReading, frameShare: inout Int?) {
    self.init()
    symbologies = reading.symbologies(.decoderSymbologies)
    let choice = reading.choice(.decoderEffort)
    effort = choice == "still" ? .still : .frame
    let share = reading.integer(.decoderFrameShare)
    frameShare = choice == "auto" ? share : nil
    addOns =
      switch reading.choice(.decoderAddOns) {
      case "read": .read
      case "require": .require
      default: .ignore
      }
    readOptions(&reading)
  }

  /// The options of symbologies, by their names in the configuration without `decoder.`.
  public static let optionNames = ConfigurationKey.decoder.dropFirst(4).map { String($0.name.dropFirst("decoder.".count)) }

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
    readOptions(&reading)
    problems += reading.problems.map(\.message)
    guard problems.isEmpty else { throw DecoderOptionError(problems: problems) }
  }

  private mutating func readOptions(_ reading: inout ConfigurationReading) {
    let charset = reading.choice(.decoderCharset)
    assumedECI = CharacterSetName.all.first { $0.name == charset }?.eci
    checks[.code39] = CheckPolicy(reading.choice(.code39Check))
    code39FullASCII =
      switch reading.choice(.code39FullASCII) {
      case "never": .never
      case "always": .always
      default: .detect
      }
    lengths[.code39] = LengthRange(reading.lengths(.code39Length))
    lengths[.code93] = LengthRange(reading.lengths(.code93Length))
    lengths[.code128] = LengthRange(reading.lengths(.code128Length))
    checks[.codabar] = CheckPolicy(reading.choice(.codabarCheck))
    codabarKeepsStartAndStop = reading.flag(.codabarStartStop)
    lengths[.codabar] = LengthRange(reading.lengths(.codabarLength))
    let check = reading.choice(.msiCheck)
    msiCheck = MSICheck.names.first { $0.name == check }?.check ?? .mod10
    msiKeepsCheckDigits = reading.flag(.msiCheckDigits)
    lengths[.msi] = LengthRange(reading.lengths(.msiLength))
    checks[.itf] = CheckPolicy(reading.choice(.itfCheck))
    lengths[.itf] = LengthRange(reading.lengths(.itfLength))
  }
}

/// Errors in decoder options.
public struct DecoderOptionError: Error, Equatable {
  public let problems: [String]
}

extension CheckPolicy {
  fileprivate init(_ word: String?) {
    switch word {
    case "verify": self = .verify
    case "drop": self = .verifyAndDrop
    default: self = .none
    }
  }
}

extension MSICheck {
  /// The names in the configuration.
  fileprivate static let names: [(name: String, check: MSICheck)] = [
    ("mod10", .mod10), ("mod10-mod10", .mod10Mod10), ("mod11", .mod11), ("mod11-mod10", .mod11Mod10), ("none", .none),
  ]
}

extension LengthRange {
  fileprivate init(_ range: ClosedRange<Int>?) {
    self = range.map { LengthRange(min: $0.lowerBound, max: $0.upperBound) } ?? LengthRange()
  }
}
