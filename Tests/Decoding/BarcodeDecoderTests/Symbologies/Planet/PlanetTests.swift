import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Bars of PLANET, from the published table.
private enum PlanetEncoder {
  private static let digits = [
    "SSLLL", "LLLSS", "LLSLS", "LLSSL", "LSLLS", "LSLSL", "LSSLL", "SLLLS", "SLLSL", "SLSLL",
  ]

  /// - Parameter error: added to the check digit.
  static func symbol(_ text: String, error: Int = 0) -> String {
    let sum = text.reduce(0) { $0 + $1.wholeNumberValue! }
    let all = text.map { $0.wholeNumberValue! } + [((10 - sum % 10) % 10 + error) % 10]
    return "L" + all.map { digits[$0] }.joined() + "L"
  }
}

@Suite struct PlanetTests {
  private var settings: DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.planet)
    return settings
  }

  @Test(arguments: ["01234567890", "5555512371234"])
  func `PLANET is read from both sides`(text: String) {
    for degrees in [0.0, 180, 5] {
      #expect(readings(posts: PlanetEncoder.symbol(text), degrees: degrees, settings) == ["planet \(text)"])
    }
  }

  @Test func `PLANET with a wrong check digit or of another length is refused`() {
    let text = "5555512371234"
    for error in 1..<10 { #expect(readings(posts: PlanetEncoder.symbol(text, error: error), settings).isEmpty) }
    #expect(readings(posts: PlanetEncoder.symbol(text + "00"), settings).isEmpty)
    #expect(readings(posts: String(PlanetEncoder.symbol(text).dropLast()), settings).isEmpty)
  }
}
