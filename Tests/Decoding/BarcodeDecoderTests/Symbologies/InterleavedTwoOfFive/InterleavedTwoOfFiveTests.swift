import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct InterleavedTwoOfFiveTests {
  @Test(arguments: [2, 3])
  func `every digit of ITF is read`(ratio: Int) {
    for text in ["0123456789", "367895", "00000091"] {
      #expect(readings(LinearEncoder.interleaved(text, ratio: ratio)) == ["itf \(text)"])
    }
  }

  @Test func `fourteen digits with a valid check digit are ITF-14`() {
    #expect(readings(LinearEncoder.interleaved("30712345000010")) == ["itf14 30712345000010"])
    #expect(readings(LinearEncoder.interleaved("30712345000011")) == ["itf 30712345000011"])
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.itf14)
    #expect(readings(LinearEncoder.interleaved("30712345000011"), View(), settings).isEmpty)
  }

  @Test func `the minimum length and the check digit follow the settings`() {
    #expect(readings(LinearEncoder.interleaved("1234")).isEmpty)
    var settings = DecoderSettings()
    settings.lengths[.itf].min = 4
    #expect(readings(LinearEncoder.interleaved("1234"), View(), settings) == ["itf 1234"])
    settings.checks[.itf] = .verify
    #expect(readings(LinearEncoder.interleaved("123457"), View(), settings) == ["itf 123457"])
    #expect(readings(LinearEncoder.interleaved("123458"), View(), settings).isEmpty)
    settings.checks[.itf] = .verifyAndDrop
    #expect(readings(LinearEncoder.interleaved("123457"), View(), settings) == ["itf 12345"])
  }

  @Test func `only digit counts within the configured range are read`() {
    var settings = DecoderSettings()
    settings.lengths[.itf] = LengthRange(min: 8, max: 8)
    #expect(readings(LinearEncoder.interleaved("12345670"), View(), settings) == ["itf 12345670"])
    #expect(readings(LinearEncoder.interleaved("1234567890"), View(), settings).isEmpty)
    #expect(readings(LinearEncoder.interleaved("123456"), View(), settings).isEmpty)
  }

  @Test func `the AIM modifier states the check`() {
    // ISO/IEC 15424: 0 no check, 1 verified, 3 verified and dropped.
    let symbol = LinearEncoder.interleaved("123457")
    var settings = DecoderSettings()
    #expect(modifiers(symbol, settings) == "0")
    settings.checks[.itf] = .verify
    #expect(modifiers(symbol, settings) == "1")
    settings.checks[.itf] = .verifyAndDrop
    #expect(modifiers(symbol, settings) == "3")
    #expect(modifiers(LinearEncoder.interleaved("30712345000010"), DecoderSettings()) == "1")
  }

  /// A symbol whose modules grow by half from one end to the other, as under tilt; in eighths of a module.
  @Test(arguments: [0.0, 180])
  func `an ITF symbol is read even when tilt makes one end smaller`(degrees: Double) {
    let elements = LinearEncoder.interleaved("30712345000010", ratio: 2)
    let widths = elements.enumerated().map { Int(8 * Double($1) * (0.8 + 0.4 * Double($0) / Double(elements.count)) + 0.5) }
    var view = View()
    view.modulePixels = 3.0 / 8
    view.blurModules = 3
    view.quietModules = 84
    view.degrees = degrees
    #expect(readings(widths, view) == ["itf14 30712345000010"])
  }

  @Test(arguments: [("123457", false), ("12345670", true), ("12345671", false)])
  func `a valid check digit counts only from eight digits on`(text: String, isChecked: Bool) throws {
    let settings = DecoderSettings()
    let memory = TestArena()
    defer { withExtendedLifetime(memory) {} }
    let digits = try ScratchArray<UInt8>(LinearCandidate.byteCountMax, arena: &memory.arena)
    var row = try ElementRow(arena: &memory.arena)
    // Eight samples per module.
    var profile = [Int32](repeating: 200 << 6, count: 160)
    for (index, width) in LinearEncoder.interleaved(text).enumerated() {
      profile += [Int32](repeating: (index % 2 == 0 ? 30 : 200) << 6, count: width * 8)
    }
    profile += [Int32](repeating: 200 << 6, count: 160)
    profile.withUnsafeMutableBufferPointer {
      row.find(in: $0.baseAddress!, sampleCount: $0.count, rule: .vertex)
    }
    let first = row.beginsDark ? 0 : 1
    let candidate = try #require(InterleavedTwoOfFive.read(row, from: first, settings, into: digits))
    #expect(candidate.byteCount == text.utf8.count)
    #expect(candidate.hasCheckDigit == isChecked)
  }

  @Test func `a piece that ends like a stop pattern on another surface is refused`() {
    // The first six digits and the elements after them up to a wide bar, a narrow space and a narrow bar, with grey beyond.
    let whole = LinearEncoder.interleaved("123456127890")
    var piecesTried = 0
    for last in stride(from: 36, to: whole.count - 2, by: 10) where Array(whole[(last - 2)...last]) == [3, 1, 1] {
      var view = View()
      view.quietModules = 0
      piecesTried += 1
      #expect(readings(Array(whole[0...last]), view).isEmpty, "to element \(last)")
    }
    #expect(piecesTried > 0)
  }

  @Test func `a piece of an ITF symbol is refused`() {
    let whole = LinearEncoder.interleaved("30712345000010")
    for first in stride(from: 2, to: 30, by: 2) {
      #expect(readings(Array(whole[first...])).isEmpty, "from element \(first)")
    }
    for last in stride(from: 34, to: whole.count - 2, by: 2) {
      // A piece that ends like a stop is a valid symbol.
      let isWhole = (last - 6) % 10 == 0 && Array(whole[(last - 2)...last]) == [3, 1, 1]
      #expect(isWhole || readings(Array(whole[0...last])).isEmpty, "to element \(last)")
    }
  }
}
