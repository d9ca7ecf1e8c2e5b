import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// The codes read from a picture, by symbology and text.
private func readings(_ elements: [Int], _ view: View = View(), _ settings: DecoderSettings = DecoderSettings()) -> [String]
{
  Picture(elements: elements, view: view).decode(settings).map { "\($0.symbol.symbology.name) \($0.text)" }
}

/// The symbology identifier modifiers of the codes read from a picture.
private func modifiers(_ elements: [Int], _ settings: DecoderSettings) -> String {
  String(decoding: Picture(elements: elements).decode(settings).map(\.symbol.aimModifier), as: UTF8.self)
}

@Suite struct Code39Tests {
  @Test(arguments: [2, 3])
  func `every character of Code 39 is read`(ratio: Int) {
    for text in ["0123456789ABCDEF", "GHIJKLMNOPQRSTUV", "WXYZ-. 12", "CODE39"] {
      #expect(readings(LinearEncoder.code39(text, ratio: ratio)) == ["code39 \(text)"])
    }
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

@Suite struct CodabarTests {
  /// With light on dark, where the ground is as dark as the spaces, a piece of another symbol can have a quiet zone next to
  /// the rest of a bar.
  @Test func `the first bar of a light-on-dark Codabar symbol must be whole`() {
    // In tenths of a module, 0.3 pixels each.
    var elements = LinearEncoder.codabar("A8834B").map { $0 * 10 }
    let view = View(modulePixels: 0.3, blurModules: 2, quietModules: 120)
    func inverted(_ elements: [Int]) -> [String] {
      var picture = Picture(elements: elements, view: view)
      for index in picture.pixels.indices { picture.pixels[index] = 255 - picture.pixels[index] }
      return picture.decode().map(\.text)
    }
    #expect(inverted(elements) == ["A8834B"])
    elements[0] = 6
    #expect(inverted(elements).isEmpty)
    #expect(Picture(elements: elements, view: view).decode().map(\.text) == ["A8834B"])
  }

  @Test(arguments: [2, 3])
  func `every character of Codabar is read`(ratio: Int) {
    for text in ["A1234567890B", "C-$:/.+D", "B31117013206375A"] {
      #expect(readings(LinearEncoder.codabar(text, ratio: ratio)) == ["codabar \(text)"])
    }
  }

  @Test func `start and stop characters are dropped on request`() {
    var settings = DecoderSettings()
    settings.codabarKeepsStartAndStop = false
    #expect(readings(LinearEncoder.codabar("A40156B"), View(), settings) == ["codabar 40156"])
  }

  @Test func `a short Codabar symbol is refused unless the settings allow it`() {
    #expect(readings(LinearEncoder.codabar("A12B")).isEmpty)
    var settings = DecoderSettings()
    settings.lengths[.codabar] = LengthRange(min: 2, max: 3)
    #expect(readings(LinearEncoder.codabar("A12B"), View(), settings) == ["codabar A12B"])
    #expect(readings(LinearEncoder.codabar("A1234B"), View(), settings).isEmpty)
  }

  @Test func `the modulo 16 check character is verified on request`() {
    // A 3 7 8 5 9 B has the sum 16 + 3 + 7 + 8 + 5 + 9 + 17 = 65; + (15) makes it 80, a multiple of 16.
    let symbol = LinearEncoder.codabar("A37859+B")
    var settings = DecoderSettings()
    #expect(modifiers(symbol, settings) == "0")
    settings.checks[.codabar] = .verify
    #expect(readings(symbol, View(), settings) == ["codabar A37859+B"])
    #expect(modifiers(symbol, settings) == "2")
    #expect(readings(LinearEncoder.codabar("A37859.B"), View(), settings).isEmpty)
    settings.checks[.codabar] = .verifyAndDrop
    #expect(readings(symbol, View(), settings) == ["codabar A37859B"])
    #expect(modifiers(symbol, settings) == "4")
    settings.codabarKeepsStartAndStop = false
    #expect(readings(symbol, View(), settings) == ["codabar 37859"])
  }
}

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
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { memory.deallocate() }
    let digits = UnsafeMutablePointer<UInt8>.allocate(capacity: LinearCandidate.byteCountMax)
    defer { digits.deallocate() }
    var arena = Arena(base: memory, byteCount: 1 << 20)
    var row = try ElementRow(arena: &arena)
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
@Suite struct MSITests {
  private func settings(_ check: MSICheck = .mod10, _ symbologies: SymbologySet = SymbologySet().with(.msi))
    -> DecoderSettings
  {
    var settings = DecoderSettings()
    settings.symbologies = symbologies
    settings.msiCheck = check
    return settings
  }

  /// 8 0 5 2 3: with 3, 5 and 8 doubled and replaced by their digit sums 6, 1 and 7, and 2 and 0, the sum is 16; 4 makes it
  /// 20.
  @Test(arguments: [2, 3])
  func `an MSI symbol is read in both directions and at both ratios`(ratio: Int) {
    for degrees in [0.0, 180, 33] {
      #expect(readings(LinearEncoder.msi("805234", ratio: ratio), View(degrees: degrees), settings()) == ["msi 805234"])
    }
    #expect(readings(LinearEncoder.msi("12345678903", ratio: ratio), View(), settings()) == ["msi 12345678903"])
  }

  @Test func `every digit of MSI is read at every place`() {
    for first in 0..<10 {
      let text = (0..<10).map { "\(($0 + first) % 10)" }.joined()
      #expect(readings(LinearEncoder.msi(text), View(), settings(.none)) == ["msi \(text)"])
    }
  }

  @Test func `MSI is read only if it is enabled`() {
    #expect(readings(LinearEncoder.msi("805234")).isEmpty)
    #expect(readings(LinearEncoder.msi("805234"), View(), settings(.mod10, .all)) == ["msi 805234"])
  }

  @Test func `an MSI symbol with a wrong check digit is refused`() {
    for last in [0, 1, 2, 3, 5, 6, 7, 8, 9] {
      #expect(readings(LinearEncoder.msi("80523\(last)"), View(), settings()).isEmpty)
    }
    #expect(readings(LinearEncoder.msi("805235"), View(), settings(.none)) == ["msi 805235"])
  }

  /// 943457842, weighted from the right with 2 to 7, has the sum 195; 3 makes it 198, which is 18 times 11.
  @Test(arguments: [
    (MSICheck.mod10, "805234"), (.mod10Mod10, "8052342"), (.mod11, "9434578423"), (.mod11Mod10, "94345784238"),
  ])
  func `every check digit of MSI is verified, and left out on request`(check: MSICheck, text: String) {
    var settings = settings(check)
    #expect(readings(LinearEncoder.msi(text), View(), settings) == ["msi \(text)"])
    #expect(modifiers(LinearEncoder.msi(text), settings) == "0")
    for place in text.indices.suffix(check.digitCount) {
      var wrong = text
      wrong.replaceSubrange(place...place, with: text[place] == "9" ? "0" : "9")
      #expect(readings(LinearEncoder.msi(wrong), View(), settings).isEmpty)
    }
    settings.msiKeepsCheckDigits = false
    #expect(readings(LinearEncoder.msi(text), View(), settings) == ["msi \(text.dropLast(check.digitCount))"])
    #expect(modifiers(LinearEncoder.msi(text), settings) == "1")
  }

  @Test func `an MSI symbol too short is refused unless the settings allow it`() {
    var settings = settings()
    #expect(readings(LinearEncoder.msi("1230"), View(), settings).isEmpty)
    settings.lengths[.msi] = LengthRange(min: 3, max: 4)
    #expect(readings(LinearEncoder.msi("1230"), View(), settings) == ["msi 1230"])
    #expect(readings(LinearEncoder.msi("805234"), View(), settings).isEmpty)
  }

  @Test func `an MSI symbol without its quiet zones is refused`() {
    let symbol = LinearEncoder.msi("805234")
    #expect(readings([1, 4] + symbol, View(), settings()).isEmpty)
    #expect(readings(symbol + [4, 1], View(), settings()).isEmpty)
    #expect(readings([1, 12] + symbol + [12, 1], View(), settings()) == ["msi 805234"])
  }
}

/// Symbols damaged beyond repair, drawn with seeds: the right text or nothing, for every symbology.
@Suite struct DamagedSymbolTests {
  @Test(arguments: 1...40)
  func `a damaged symbol gives the right text or nothing`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    func digits(_ count: Int) -> String {
      (0..<count).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
    }
    let text: String
    let elements: [Int]
    let ratio = Int.random(in: 2...3, using: &generator)
    switch seed % 4 {
    case 0:
      text = digits(2 * Int.random(in: 3...6, using: &generator))
      elements = LinearEncoder.interleaved(text, ratio: ratio)
    case 1:
      text = "A" + digits(8) + "D"
      elements = LinearEncoder.codabar(text, ratio: ratio)
    case 2:
      text = "K" + digits(6) + "Z"
      elements = LinearEncoder.code39(text, ratio: ratio)
    default:
      text = digits(8)
      elements = LinearEncoder.code93(text.map { $0.wholeNumberValue! })
    }
    var view = View()
    view.seed = seed
    view.degrees = Double.random(in: 0..<360, using: &generator)
    view.modulePixels = Double.random(in: 1.0...3, using: &generator)
    view.blurModules = Double.random(in: 0.2...0.9, using: &generator)
    view.noise = Double.random(in: 0...20, using: &generator)
    view.inkModules = Double.random(in: -0.3...0.3, using: &generator)
    let found = Picture(elements: elements, view: view).decode().map(\.text)
    #expect(found.isEmpty || found == [text])
  }
}
