import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct PostalNumberTests {
  private func settings(_ symbologies: Symbology...) -> DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet { symbologies.contains($0) }
    return settings
  }

  /// Weights 4 and 9 in turn from the right: 2134807501640 has the sum 239, 56310243031 has 187.
  @Test(arguments: [(Symbology.leitcode, "21348075016401"), (.identcode, "563102430313")])
  func `a postal number has its length and check digit`(symbology: Symbology, text: String) {
    for one in [settings(symbology), settings(symbology, .itf)] {
      for degrees in [0.0, 180] {
        #expect(readings(LinearEncoder.interleaved(text), View(degrees: degrees), one) == ["\(symbology.name) \(text)"])
      }
      #expect(modifiers(LinearEncoder.interleaved(text), one) == "1")
    }
    for digit in 0..<10 where "\(digit)" != text.suffix(1) {
      let wrong = text.dropLast() + "\(digit)"
      #expect(readings(LinearEncoder.interleaved(String(wrong)), View(), settings(symbology)).isEmpty)
      #expect(readings(LinearEncoder.interleaved(String(wrong)), View(), settings(symbology, .itf)) == ["itf \(wrong)"])
    }
    #expect(readings(LinearEncoder.interleaved(text)) == ["itf \(text)"])
  }
}
