// The text that a till receives for an article from every symbol that may carry it.

import BarcodeMessage
import BarcodeTypes
import HostText
import Testing

@Suite struct ProductTextTests {
  private let moment = RuleMoment(minuteOfDay: 0, year: 2026)

  private func content(_ symbology: Symbology, _ aim: String, _ text: String, isGS1: Bool = false) -> HostContent {
    HostContent(
      symbology: symbology, aimIdentifier: aim, text: text, isGS1: isGS1,
      elements: GS1Reading(symbology: symbology, isGS1: isGS1, text: text)?.elements ?? [])
  }

  /// The text for a sink, or for a sink with the AIM identifier.
  private func texts(_ content: HostContent, _ product: ProductText, aim: Bool = false) -> String {
    var format = HostFormat()
    format.product = product
    if aim { format.choices.sendsAIMIdentifier = true }
    return format.texts(of: content, for: [], at: moment).text ?? content.text
  }

  private static let link = "https://example.org/01/04006381333931/10/AB?17=261130"

  @Test(
    arguments: [
      (.ean13, "]E0", "4006381333931", false), (.itf14, "]I1", "04006381333931", false),
      (.datamatrix, "]d2", "0104006381333931" + "10AB\u{1D}17261130", true), (.qr, "]Q1", link, false),
      (.databar, "]e0", "0104006381333931", true), (.ean13, "]E0", "4006381333931 12", false),
    ] as [(Symbology, String, String, Bool)])
  func `a GTIN alone is the same from every symbol`(symbology: Symbology, aim: String, text: String, isGS1: Bool) {
    let label = content(symbology, aim, text, isGS1: isGS1)
    #expect(texts(label, ProductText(.gtin, form: .ean13)) == "4006381333931")
    #expect(texts(label, ProductText(.gtin, form: .gtin14)) == "04006381333931")
  }

  @Test func `a GTIN is never cut: where it has more digits than wanted it keeps them`() {
    func gtin(_ digits: String, _ form: TextChoices.NumberForm) -> String {
      texts(content(.datamatrix, "]d2", "01" + digits, isGS1: true), ProductText(.gtin, form: form))
    }
    #expect(gtin("00036000291452", .upca) == "036000291452")
    #expect(gtin("00036000291452", .ean13) == "0036000291452")
    #expect(gtin("04006381333931", .upca) == "4006381333931")
    #expect(gtin("14006381333938", .upca) == "14006381333938")
    #expect(gtin("14006381333938", .ean13) == "14006381333938")
    #expect(gtin("00000096385074", .upca) == "000096385074")
  }

  @Test func `with data, a 2D symbol is sent as element strings, even if it holds a Digital Link`() {
    let wanted = "010400638133393110AB\u{1D}17261130"
    let product = ProductText(.gtinAndData, form: .ean13)
    #expect(texts(content(.qr, "]Q1", Self.link), product) == wanted)
    #expect(texts(content(.datamatrix, "]d2", wanted, isGS1: true), product) == wanted)
    #expect(texts(content(.datamatrix, "]d1", Self.link), product) == wanted)
    #expect(texts(content(.ean13, "]E0", "4006381333931"), product) == "4006381333931")
    #expect(texts(content(.upca, "]E0", "036000291452"), product) == "0036000291452")
    // The AIM identifier matches the text that is sent.
    #expect(texts(content(.qr, "]Q1", Self.link), product, aim: true) == "]Q3" + wanted)
    #expect(texts(content(.datamatrix, "]d1", Self.link), product, aim: true) == "]d2" + wanted)
  }

  @Test func `text without an article number is sent unchanged, and a choice for a symbology has precedence`() {
    for product in [ProductText(.gtin, form: .ean13), ProductText(.gtinAndData, form: .ean13)] {
      #expect(texts(content(.qr, "]Q1", "https://example.org/"), product) == "https://example.org/")
      #expect(texts(content(.code128, "]C1", "00" + "340123450000000000", isGS1: true), product) == "00340123450000000000")
      // Invalid elements are not converted to another form.
      #expect(
        texts(content(.datamatrix, "]d2", "010400638133393110", isGS1: true), product).hasPrefix(
          product.content == .gtin ? "4006381333931" : "010400638133393110"))
    }
    var format = HostFormat()
    format.product = ProductText(.gtin, form: .ean13)
    format.choicesBySymbology[.upca] = TextChoices()
    format.choicesBySymbology[.upca]?.form = .gtin14
    #expect(format.texts(of: content(.upca, "]E0", "036000291452"), for: [], at: moment).text == "00036000291452")
  }

  @Test func `a set id precedes the text, or is where a rule puts it`() throws {
    var format = HostFormat()
    var label = content(.ean13, "]E0", "4006381333931")
    label.setID = "00001100"
    #expect(format.texts(of: label, for: [], at: moment).text == nil)
    format.sendsSetID = true
    #expect(format.texts(of: label, for: [], at: moment).text == "000011004006381333931")
    format.choices.prefix = "\u{02}"
    format.choices.sendsAIMIdentifier = true
    #expect(format.texts(of: label, for: [], at: moment).text == "\u{02}00001100]E04006381333931")
    label.setID = nil
    #expect(format.texts(of: label, for: [], at: moment).text == "\u{02}]E04006381333931")

    var rule = Rule(name: "set")
    rule.actions.rewrite = try TextTemplate("{set}/{text}")
    format = HostFormat()
    format.rules = [rule]
    #expect(format.texts(of: label, for: [], at: moment).text == nil)
    label.setID = "00001100"
    #expect(format.texts(of: label, for: [], at: moment).text == "00001100/4006381333931")
  }
}
