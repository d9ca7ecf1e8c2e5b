import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// The examples of USPS-B-3200.
@Suite struct IntelligentMailTests {
  static let examples = [
    ("01234567094987654321", "ATTFATTDTTADTAATTDTDTATTDAFDDFADFDFTFFFFFTATFAAAATDFFTDAADFTFDTDT"),
    ("0123456709498765432101234", "DTTAFADDTTFTDTFTFDTDDADADAFADFATDDFTAAAFDTTADFAAATDFDTDFADDDTDFFT"),
    ("01234567094987654321012345678", "ADFTTAFDTTTTFATTADTAAATFTFTATDAAAFDDADATATDTDTTDFDTDATADADTDFFTFA"),
    ("0123456709498765432101234567891", "AADTFFDFTDADTAADAATFDTDDAAADDTDTTDAFADADDDTFFFDDTTTADFAAADFTDAADA"),
  ]

  private var settings: DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.intelligentMail)
    return settings
  }

  @Test(arguments: examples)
  func `Intelligent Mail is read from both sides`(text: String, bars: String) {
    for degrees in [0.0, 180, 4] { #expect(readings(posts: bars, degrees: degrees, settings) == ["usps-im \(text)"]) }
  }

  @Test(arguments: examples)
  func `Intelligent Mail with any wrong bar is refused`(text: String, bars: String) {
    for index in stride(from: 0, to: 65, by: 8) {
      var wrong = Array(bars)
      wrong[index] = wrong[index] == "F" ? "T" : "F"
      #expect(readings(posts: String(wrong), settings).isEmpty)
    }
  }
}
