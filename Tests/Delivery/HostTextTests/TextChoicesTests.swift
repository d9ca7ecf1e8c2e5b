// The text choices of each symbology, tested with the texts that a host receives for real labels.

import BarcodeMessage
import BarcodeTypes
import HostText
import Testing

@Suite struct TextChoicesTests {
  private let aim: [Symbology: String] = [
    .ean13: "]E0", .ean8: "]E4", .upca: "]E0", .upce: "]E0", .itf14: "]I1", .code128: "]C0", .datamatrix: "]d2", .qr: "]Q1",
  ]

  private let moment = RuleMoment(minuteOfDay: 0, year: 2026)

  /// The texts for a label.
  private func text(
    _ symbology: Symbology, _ text: String, isGS1: Bool = false, sinks: [HostSink] = [],
    _ choose: (inout TextChoices) -> Void
  ) -> HostTexts {
    var choices = TextChoices()
    choose(&choices)
    var format = HostFormat()
    format.choicesBySymbology[symbology] = choices
    let content = HostContent(symbology: symbology, aimIdentifier: aim[symbology] ?? "]X0", text: text, isGS1: isGS1)
    return format.texts(of: content, for: sinks, at: RuleMoment(minuteOfDay: 0, year: 2026))
  }

  @Test(
    arguments: [
      (.upca, "036000291452", .ean13, "0036000291452"), (.upca, "036000291452", .gtin14, "00036000291452"),
      (.upce, "01234565", .upca, "012345000065"), (.upce, "01234565", .ean13, "0012345000065"),
      (.ean13, "0036000291452", .upca, "036000291452"), (.ean13, "4006381333931", .upca, nil),
      (.ean13, "4006381333931", .gtin14, "04006381333931"), (.ean8, "96385074", .ean13, "0000096385074"),
      (.ean8, "96385074", .upca, nil), (.itf14, "04006381333931", .ean13, "4006381333931"),
      (.itf14, "14006381333938", .ean13, nil), (.upca, "036000291452 12", .ean13, "0036000291452 12"),
      (.upce, "nodigits", .ean13, nil), (.ean13, "4006381333931", .own, nil),
    ] as [(Symbology, String, TextChoices.NumberForm, String?)])
  func `a number is sent in the chosen form where it has it`(
    _ symbology: Symbology, _ label: String, _ form: TextChoices.NumberForm, _ expected: String?
  ) {
    #expect(text(symbology, label) { $0.form = form }.text == expected)
  }

  @Test func `check digit, leading zero and add-on are sent or not`() {
    #expect(text(.ean13, "4006381333931") { $0.sendsCheckDigit = false }.text == "400638133393")
    #expect(text(.upce, "01234565") { $0.sendsCheckDigit = false }.text == "0123456")
    #expect(
      text(.upce, "01234565") {
        $0.sendsCheckDigit = false
        $0.sendsLeadingZero = false
      }.text == "123456")
    #expect(text(.upca, "612345678903") { $0.sendsLeadingZero = false }.text == nil)
    #expect(text(.ean13, "4006381333931 12") { $0.sendsCheckDigit = false }.text == "400638133393 12")
    #expect(text(.ean13, "4006381333931 12") { $0.addOn = .joined }.text == "400638133393112")
    #expect(text(.ean13, "4006381333931 12") { $0.addOn = .remove }.text == "4006381333931")
    #expect(text(.ean13, "4006381333931 12") { $0.addOnSeparator = "+" }.text == "4006381333931+12")
    #expect(text(.ean13, "4006381333931") { $0.addOn = .joined }.text == nil)
  }

  @Test func `H1: an AIM identifier, a label, a prefix and a suffix enclose the data`() {
    let all = text(.code128, "A1") {
      $0.prefix = "\u{2}"
      $0.sendsAIMIdentifier = true
      $0.label = "k"
      $0.suffix = "\t"
      $0.letters = .lower
    }
    #expect(all.text == "\u{2}]C0ka1\t")
  }

  @Test func `behind an AIM identifier EAN and UPC have its number of digits, unless others are chosen`() {
    #expect(text(.upca, "036000291452") { $0.sendsAIMIdentifier = true }.text == "]E00036000291452")
    #expect(text(.ean8, "96385074 12") { $0.sendsAIMIdentifier = true }.text == "]E496385074]E112")
    let chosen = text(.upce, "01234565") {
      $0.sendsAIMIdentifier = true
      $0.form = .upca
    }
    #expect(chosen.text == "]E0012345000065")
    let short = text(.upca, "036000291452") {
      $0.sendsAIMIdentifier = true
      $0.sendsCheckDigit = false
    }
    #expect(short.text == "]E0003600029145")
  }

  @Test func `a sink that sends the AIM identifier itself gets the digits that go with it`() {
    let sinks = [HostSink(name: "till", controlCharacters: .separatorOnly, sendsAIMIdentifier: true)]
    let texts = text(.upca, "036000291452", sinks: sinks) { $0.suffix = "\t" }
    #expect(texts.text == "036000291452\t")
    #expect(texts.bySink == ["till": "0036000291452\t"])
  }

  @Test func `FNC1 becomes the chosen characters only in GS1 data`() {
    let data = "010950110153000310AB\u{1D}17261130"
    #expect(text(.datamatrix, data, isGS1: true) { $0.separator = "|" }.text == "010950110153000310AB|17261130")
    #expect(text(.datamatrix, data, isGS1: true) { $0.separator = "" }.text == "010950110153000310AB17261130")
    #expect(text(.datamatrix, data) { $0.separator = "|" }.text == nil)
  }

  @Test func `control characters of the data follow their rule, and those of prefix and suffix are always sent`() {
    let label = "a\tb\u{1D}c\\"
    #expect(text(.qr, label) { $0.controlCharacters = .remove }.text == "abc\\")
    #expect(text(.qr, label) { $0.controlCharacters = .separatorOnly }.text == "ab\u{1D}c\\")
    #expect(text(.qr, label) { $0.controlCharacters = .escape }.text == #"a\x09b\x1Dc\\"#)
    // The line's own rule applies after the choice and does not escape twice.
    let sinks = [HostSink(name: "line", controlCharacters: .escape), HostSink(name: "till", controlCharacters: .remove)]
    let chosen = text(.qr, label, sinks: sinks) { $0.suffix = "\t" }
    #expect(chosen.text == label + "\t")
    #expect(chosen.bySink == ["line": #"a\x09b\x1Dc\\"# + "\t", "till": "abc\\\t"])
    let escaped = text(.qr, label, sinks: sinks) { $0.controlCharacters = .escape }
    #expect(escaped.text == #"a\x09b\x1Dc\\"#)
    #expect(escaped.bySink == [:])
  }

  @Test func `letters change their case in any script`() {
    #expect(text(.qr, "Straße ÿ 12") { $0.letters = .upper }.text == "STRASSE Ÿ 12")
    #expect(text(.qr, "ABC-Ä") { $0.letters = .lower }.text == "abc-ä")
  }

  @Test func `choices for a symbology have precedence over those for all, and without choices the text is unchanged`() {
    var format = HostFormat()
    let content = HostContent(symbology: .qr, aimIdentifier: "]Q1", text: "a\u{1D}\u{0}ß")
    #expect(format.texts(of: content, for: [HostSink(name: "x", controlCharacters: .remove)], at: moment) == HostTexts())
    format.choices.prefix = "<"
    format.choices.suffix = ">"
    format.choicesBySymbology[.qr] = TextChoices()
    format.choicesBySymbology[.qr]?.prefix = "["
    #expect(format.texts(of: content, for: [], at: moment).text == "[a\u{1D}\u{0}ß>")
    let other = HostContent(symbology: .code128, aimIdentifier: "]C0", text: "1")
    #expect(format.texts(of: other, for: [], at: moment).text == "<1>")
  }
}
