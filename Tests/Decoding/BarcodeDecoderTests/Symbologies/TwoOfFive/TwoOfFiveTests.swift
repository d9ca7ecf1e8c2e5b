import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Elements of the codes 2 of 5, from the published weights of the five elements: 1, 2, 4, 7 and parity.
private enum TwoOfFiveEncoder {
  /// Whether each of the five elements of a digit is wide: two of them, whose weights add up to the digit; 4 and 7 to 0.
  private static func wides(_ digit: Int) -> [Bool] {
    let weights = [1, 2, 4, 7, 0]
    for first in 0..<5 {
      for second in (first + 1)..<5 where (weights[first] + weights[second]) % 11 == digit {
        return (0..<5).map { $0 == first || $0 == second }
      }
    }
    preconditionFailure("no digit")
  }

  private static func digits(_ text: String, ratio: Int, onlyBars: Bool) -> [Int] {
    text.flatMap { digit -> [Int] in
      let wides = wides(digit.wholeNumberValue!)
      return onlyBars ? wides.flatMap { [$0 ? ratio : 1, 1] } : wides.map { $0 ? ratio : 1 } + [1]
    }
  }

  static func symbol(_ symbology: Symbology, _ text: String, ratio: Int = 3) -> [Int] {
    let r = ratio
    return switch symbology {
    case .industrial2of5: [r, 1, r, 1, 1, 1] + digits(text, ratio: r, onlyBars: true) + [r, 1, 1, 1, r]
    case .iata2of5: [1, 1, 1, 1] + digits(text, ratio: r, onlyBars: true) + [r, 1, 1]
    case .matrix2of5: [r + 1, 1, 1, 1, 1, 1] + digits(text, ratio: r, onlyBars: false) + [r + 1, 1, 1, 1, 1]
    default: [1, 1, 1, 1] + digits(text, ratio: r, onlyBars: false) + [r, 1, 1]
    }
  }
}

@Suite struct TwoOfFiveTests {
  static let all: [Symbology] = [.industrial2of5, .iata2of5, .matrix2of5, .datalogic2of5]

  private func settings(_ symbology: Symbology) -> DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(symbology)
    return settings
  }

  @Test(arguments: all, [2, 3])
  func `a code 2 of 5 is read in both directions and at both ratios`(symbology: Symbology, ratio: Int) {
    for text in ["0123456789", "987654", "1000000001", "141514", "999999"] {
      for degrees in [0.0, 180, 33] {
        let symbol = TwoOfFiveEncoder.symbol(symbology, text, ratio: ratio)
        #expect(readings(symbol, View(degrees: degrees), settings(symbology)) == ["\(symbology.name) \(text)"])
      }
    }
  }

  @Test(arguments: all)
  func `a code 2 of 5 is read as no other one, and only if it is asked for`(symbology: Symbology) {
    let symbol = TwoOfFiveEncoder.symbol(symbology, "4071826359")
    #expect(readings(symbol).isEmpty)
    for other in Self.all where other != symbology { #expect(readings(symbol, View(), settings(other)).isEmpty) }
    var settings = DecoderSettings()
    settings.symbologies = .all
    #expect(readings(symbol, View(), settings) == ["\(symbology.name) 4071826359"])
  }

  @Test(arguments: all)
  func `a code 2 of 5 that is short or lacks its quiet zones is refused`(symbology: Symbology) {
    #expect(readings(TwoOfFiveEncoder.symbol(symbology, "12345"), View(), settings(symbology)).isEmpty)
    var short = settings(symbology)
    short.lengths[symbology] = LengthRange(min: 5, max: 5)
    #expect(readings(TwoOfFiveEncoder.symbol(symbology, "12345"), View(), short) == ["\(symbology.name) 12345"])
    let symbol = TwoOfFiveEncoder.symbol(symbology, "4071826359")
    #expect(readings([1, 4] + symbol, View(), settings(symbology)).isEmpty)
    #expect(readings(symbol + [4, 1], View(), settings(symbology)).isEmpty)
  }

  /// 1 2 3 4 5 6, weighted 3 and 1 from the right: 18 + 5 + 12 + 3 + 6 + 1 = 45; 5 makes it 50.
  @Test(arguments: all)
  func `the check digit of a code 2 of 5 is verified and dropped on request`(symbology: Symbology) {
    var settings = settings(symbology)
    settings.checks[symbology] = .verify
    let right = TwoOfFiveEncoder.symbol(symbology, "1234565")
    #expect(readings(right, View(), settings) == ["\(symbology.name) 1234565"])
    #expect(readings(TwoOfFiveEncoder.symbol(symbology, "1234566"), View(), settings).isEmpty)
    settings.checks[symbology] = .verifyAndDrop
    #expect(readings(right, View(), settings) == ["\(symbology.name) 123456"])
    #expect(modifiers(right, settings) == (symbology == .iata2of5 ? "3" : "0"))
  }
}
