import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct Code39Tests {
  @Test(arguments: [2, 3])
  func `every character of Code 39 is read`(ratio: Int) {
    for text in ["0123456789ABCDEF", "GHIJKLMNOPQRSTUV", "WXYZ-. 12", "CODE39"] {
      #expect(readings(LinearEncoder.code39(text, ratio: ratio)) == ["code39 \(text)"])
    }
  }

  /// A single character does not tell narrow elements from wide ones here.
  @Test(arguments: [0.65, 0.7])
  func `blurred elements are compared with those of several characters`(blur: Double) {
    var view = View()
    (view.blurModules, view.modulePixels, view.noise, view.degrees, view.barHeightPixels) = (blur, 2.3, 2, 12, 60)
    #expect(readings(LinearEncoder.code39("XQ-4807", ratio: 2), view) == ["code39 XQ-4807"])
  }

  @Test(arguments: [1.5, 1.8])
  func `the mean of many rows shows faint edges`(modulePixels: Double) {
    var view = View()
    (view.blurModules, view.modulePixels, view.noise, view.degrees, view.barHeightPixels) = (0.7, modulePixels, 1, 12, 60)
    #expect(readings(LinearEncoder.code39("XQ-4807", ratio: 2), view) == ["code39 XQ-4807"])
  }

  @Test func `by default, full ASCII applies only if every pair is valid`() {
    #expect(readings(LinearEncoder.code39("12+A+B")) == ["code39 12ab"])
    #expect(readings(LinearEncoder.code39("A%KB/C%B")) == ["code39 A[B#\u{1C}"])
    #expect(readings(LinearEncoder.code39("2/4-8/16-32")) == ["code39 2/4-8/16-32"])
    var settings = DecoderSettings()
    settings.code39FullASCII = .never
    #expect(readings(LinearEncoder.code39("12+A+B"), View(), settings) == ["code39 12+A+B"])
    settings.code39FullASCII = .always
    #expect(readings(LinearEncoder.code39("2/4-8"), View(), settings).isEmpty)
  }

  @Test func `full ASCII reaches all 128 characters`() {
    var bytes: Set<UInt8> = []
    for shift in "$%/+".utf8 {
      for letter in UInt8(ascii: "A")...UInt8(ascii: "Z") {
        if let byte = FullASCII.byte(shift: shift, letter: letter) { bytes.insert(byte) }
      }
    }
    for byte in UInt8(0)..<128 {
      let isPlain = LinearEncoder.code39Characters.dropLast().contains(Character(UnicodeScalar(byte)))
      #expect(bytes.contains(byte) || isPlain, "byte \(byte)")
    }
  }

  @Test func `the modulo 43 check character is verified on request`() {
    // ISO/IEC 16388 annex A: CODE39 has the sum 12 + 24 + 13 + 14 + 3 + 9 = 75, so W (32).
    var settings = DecoderSettings()
    settings.checks[.code39] = .verify
    #expect(readings(LinearEncoder.code39("CODE39W"), View(), settings) == ["code39 CODE39W"])
    #expect(readings(LinearEncoder.code39("CODE39X"), View(), settings).isEmpty)
    settings.checks[.code39] = .verifyAndDrop
    #expect(readings(LinearEncoder.code39("CODE39W"), View(), settings) == ["code39 CODE39"])
  }

  @Test(arguments: Array(stride(from: 0.0, to: 360.0, by: 40.0)))
  func `a Code 39 symbol is read at any angle`(degrees: Double) {
    var view = View()
    view.degrees = degrees
    view.noise = 4
    #expect(readings(LinearEncoder.code39("SHELF-12"), view) == ["code39 SHELF-12"])
  }

  @Test func `the AIM modifier states the check and full ASCII`() {
    // ISO/IEC 15424: 0 plain, 1 verified, 3 dropped, 4 more for full ASCII. "12+A" has the sum 1 + 2 + 41 + 10 = 54, so B (11).
    var settings = DecoderSettings()
    #expect(modifiers(LinearEncoder.code39("CODE39W"), settings) == "0")
    #expect(modifiers(LinearEncoder.code39("12+A"), settings) == "4")
    settings.checks[.code39] = .verify
    #expect(modifiers(LinearEncoder.code39("CODE39W"), settings) == "1")
    settings.checks[.code39] = .verifyAndDrop
    #expect(modifiers(LinearEncoder.code39("CODE39W"), settings) == "3")
    #expect(modifiers(LinearEncoder.code39("12+AB"), settings) == "7")
  }

  @Test func `only lengths within the configured range are read`() {
    var settings = DecoderSettings()
    settings.lengths[.code39] = LengthRange(min: 5, max: 6)
    #expect(readings(LinearEncoder.code39("ABCD"), View(), settings).isEmpty)
    #expect(readings(LinearEncoder.code39("ABCDE"), View(), settings) == ["code39 ABCDE"])
    #expect(readings(LinearEncoder.code39("ABCDEF"), View(), settings) == ["code39 ABCDEF"])
    #expect(readings(LinearEncoder.code39("ABCDEFG"), View(), settings).isEmpty)
  }
}
