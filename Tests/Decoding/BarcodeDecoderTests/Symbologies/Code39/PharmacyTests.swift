import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// The texts of a Code 39 for the numbers of medicines.
private enum PharmacyEncoder {
  private static let base32 = Array("0123456789BCDFGHJKLMNPQRSTUVWXYZ")

  static func code32(_ number: Int) -> String {
    (0..<6).map { String(base32[number >> (5 * (5 - $0)) & 31]) }.joined()
  }

  /// The sum modulo 11 of the digits, weighted 2, 3, 4 … for seven digits and 1, 2, 3 … for eight.
  static func check(_ digits: String) -> Int {
    digits.enumerated().reduce(0) { $0 + ($1.offset + (digits.count == 6 ? 2 : 1)) * $1.element.wholeNumberValue! } % 11
  }
}

@Suite struct PharmacyTests {
  private func settings(_ symbologies: Symbology...) -> DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet { symbologies.contains($0) }
    return settings
  }

  /// 0 1 2 3 4 5 6 7: with 1, 3, 5 and 7 doubled and replaced by their digit sums 2, 6, 1 and 5, and 0, 2, 4 and 6, the sum is 26.
  @Test func `a Code 32 is the number of nine digits after an A`() {
    #expect(PharmacyEncoder.code32(12_345_676) == "0CSSBD")
    for one in [settings(.code32), settings(.code39, .code32)] {
      #expect(readings(LinearEncoder.code39("0CSSBD"), View(), one) == ["code32 A012345676"])
      #expect(modifiers(LinearEncoder.code39("0CSSBD"), one) == "0")
    }
    #expect(readings(LinearEncoder.code39(PharmacyEncoder.code32(999_999_996)), View(), settings(.code32)).isEmpty)
  }

  @Test func `a Code 32 with a wrong check digit stays a Code 39`() {
    for digit in [0, 1, 2, 3, 4, 5, 7, 8, 9] {
      let text = PharmacyEncoder.code32(12_345_670 + digit)
      #expect(readings(LinearEncoder.code39(text), View(), settings(.code39, .code32)) == ["code39 \(text)"])
      #expect(readings(LinearEncoder.code39(text), View(), settings(.code32)).isEmpty)
    }
    for text in ["0CSSAD", "0CSS-D", "0CSSB", "00CSSBD", "ZZZZZZ"] {
      #expect(readings(LinearEncoder.code39(text), View(), settings(.code32)).isEmpty)
    }
  }

  @Test(arguments: ["123456", "020406", "1234567", "0758030"])
  func `a PZN has seven or eight digits and its check digit`(digits: String) {
    let check = PharmacyEncoder.check(digits)
    #expect(check < 10)
    let text = "-\(digits)\(check)"
    for one in [settings(.pzn), settings(.code39, .pzn)] {
      #expect(readings(LinearEncoder.code39(text), View(degrees: 180), one) == ["pzn \(text)"])
    }
    let wrong = "-\(digits)\((check + 1) % 10)"
    #expect(readings(LinearEncoder.code39(wrong), View(), settings(.pzn)).isEmpty)
    #expect(readings(LinearEncoder.code39(wrong), View(), settings(.code39, .pzn)) == ["code39 \(wrong)"])
  }

  @Test func `a Code 39 keeps its text unless the numbers of medicines are asked for`() {
    #expect(readings(LinearEncoder.code39("0CSSBD")) == ["code39 0CSSBD"])
    #expect(readings(LinearEncoder.code39("-12345678")) == ["code39 -12345678"])
  }
}
