import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct Code93Tests {
  private func values(_ text: String) -> [Int] { text.map { LinearEncoder.code39Characters.firstIndex(of: $0)! } }

  @Test(arguments: ["CODE93", "0123456789", "TEST-. $/+%", "WIWV8ETQZ1"])
  func `Code 93 text is read`(text: String) {
    #expect(readings(LinearEncoder.code93(values(text))) == ["code93 \(text)"])
  }

  @Test func `full ASCII is read`() {
    // Shift 46 is (+): "a" is (+)A.
    #expect(readings(LinearEncoder.code93([46, 10, 11, 45, 12])) == ["code93 aB#"])
  }

  @Test func `only lengths within the configured range are read`() {
    var settings = DecoderSettings()
    settings.lengths[.code93] = LengthRange(min: 4, max: 5)
    for (text, isRead) in [("ABC", false), ("ABCD", true), ("ABCDE", true), ("ABCDEF", false)] {
      #expect(readings(LinearEncoder.code93(values(text)), View(), settings) == (isRead ? ["code93 \(text)"] : []))
    }
  }

  @Test func `a wrong check character is refused`() {
    for error in [1, 7, 46] { #expect(readings(LinearEncoder.code93(values("CODE93"), error: error)).isEmpty) }
  }

  @Test(arguments: Array(stride(from: 0.0, to: 360.0, by: 40.0)))
  func `a Code 93 symbol is read at any angle`(degrees: Double) {
    var view = View()
    view.degrees = degrees
    view.noise = 4
    #expect(readings(LinearEncoder.code93(values("SHELF-12")), view) == ["code93 SHELF-12"])
  }
}
