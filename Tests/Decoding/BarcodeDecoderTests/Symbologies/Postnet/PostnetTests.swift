import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Bars of POSTNET, from the published table.
private enum PostnetEncoder {
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

@Suite struct PostnetTests {
  private var settings: DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.postnet)
    return settings
  }

  @Test(arguments: ["12345", "555551237", "67890123451"])
  func `POSTNET is read from both sides`(text: String) {
    for degrees in [0.0, 180, 5] {
      #expect(readings(posts: PostnetEncoder.symbol(text), degrees: degrees, settings) == ["postnet \(text)"])
    }
  }

  @Test func `POSTNET with a wrong check digit or of another length is refused`() {
    let text = "67890123451"
    for error in 1..<10 { #expect(readings(posts: PostnetEncoder.symbol(text, error: error), settings).isEmpty) }
    #expect(readings(posts: PostnetEncoder.symbol(text + "00"), settings).isEmpty)
    #expect(readings(posts: String(PostnetEncoder.symbol(text).dropLast()), settings).isEmpty)
  }
}
