import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Bars of Japan Post's customer barcode, from the published table: 1 to 4 are full, ascender, descender and tracker.
private enum JapanPostEncoder {
  private static let values = Array("0123456789-abcdefgh")
  private static let bars = [
    "144", "114", "132", "312", "123", "141", "321", "213", "231", "411", "414", "324", "342", "234", "432", "243", "423",
    "441", "111",
  ]

  /// - Parameter error: added to the check value.
  static func symbol(_ text: String, error: Int = 0) -> String {
    let characters = text.flatMap { character -> [Character] in
      guard let letter = character.asciiValue, character.isLetter else { return [character] }
      let number = Int(letter) - 65
      return [["a", "b", "c"][number / 10], Character("\(number % 10)")]
    }
    let padded = (characters + [Character](repeating: "d", count: 20)).prefix(20).map { values.firstIndex(of: $0)! }
    let check = ((19 - padded.reduce(0, +) % 19) % 19 + error) % 19
    let digits = "13" + (padded + [check]).map { bars[$0] }.joined() + "31"
    return String(digits.map { ["1": "F", "2": "A", "3": "D", "4": "T"][$0]! })
  }
}

@Suite struct JapanPostTests {
  private var settings: DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.japanpost)
    return settings
  }

  @Test(arguments: ["1234567", "15400233-16-4-205", "0123456AJKTUZ", "98765439-8-7"])
  func `a Japanese postal code is read from both sides`(text: String) {
    for degrees in [0.0, 180, 5] {
      #expect(readings(posts: JapanPostEncoder.symbol(text), degrees: degrees, settings) == ["japanpost \(text)"])
    }
  }

  @Test func `a Japanese postal code with a wrong check, or without seven digits, is refused`() {
    for error in [1, 9, 18] { #expect(readings(posts: JapanPostEncoder.symbol("1234567", error: error), settings).isEmpty) }
    #expect(readings(posts: JapanPostEncoder.symbol("123456-"), settings).isEmpty)
    #expect(readings(posts: JapanPostEncoder.symbol("123456"), settings).isEmpty)
  }
}
