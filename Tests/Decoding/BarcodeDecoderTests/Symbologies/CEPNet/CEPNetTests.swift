import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Bars of CEPNet, from the published table.
private enum CEPNetEncoder {
  private static let digits = [
    "LLSSS", "SSSLL", "SSLSL", "SSLLS", "SLSSL", "SLSLS", "SLLSS", "LSSSL", "LSSLS", "LSLSS",
  ]

  /// - Parameter error: added to the check digit.
  static func symbol(_ text: String, error: Int = 0) -> String {
    let sum = text.reduce(0) { $0 + $1.wholeNumberValue! }
    let all = text.map { $0.wholeNumberValue! } + [((10 - sum % 10) % 10 + error) % 10]
    return "L" + all.map { digits[$0] }.joined() + "L"
  }
}

@Suite struct CEPNetTests {
  private var settings: DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.cepnet)
    return settings
  }

  @Test(arguments: ["01001000", "98765432"])
  func `CEPNet is read from both sides`(text: String) {
    for degrees in [0.0, 180, 5] {
      #expect(readings(posts: CEPNetEncoder.symbol(text), degrees: degrees, settings) == ["cepnet \(text)"])
    }
  }

  @Test func `CEPNet with a wrong check digit or of another length is refused`() {
    let text = "01001000"
    for error in 1..<10 { #expect(readings(posts: CEPNetEncoder.symbol(text, error: error), settings).isEmpty) }
    #expect(readings(posts: CEPNetEncoder.symbol(text + "00"), settings).isEmpty)
    #expect(readings(posts: String(CEPNetEncoder.symbol(text).dropLast()), settings).isEmpty)
  }
}
