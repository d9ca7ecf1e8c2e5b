import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct Code128Tests {
  @Test func `every character has eleven modules, an even number of them in bars`() {
    var seen: Set<UInt32> = []
    for value in 0..<106 {
      let widths = (0..<6).map { Int(code128Widths[value] >> UInt32(20 - 4 * $0)) & 0xF }
      #expect(widths.reduce(0, +) == 11)
      #expect((widths[0] + widths[2] + widths[4]) % 2 == 0)
      #expect(widths.allSatisfy { (1...4).contains($0) })
      seen.insert(code128Widths[value])
    }
    #expect(seen.count == 106)
  }

  @Test(arguments: ["Wikipedia", "PJJ123C", "a", "RI476394652CH", "!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~"])
  func `code set B is read`(text: String) throws {
    let read = Picture(elements: LinearEncoder.code128(text: text)).decode()
    #expect(read.map(\.text) == [text])
    #expect(read.first?.symbol.symbology == .code128)
    #expect(read.first?.symbol.aimModifier == UInt8(ascii: "0"))
  }

  @Test func `control characters and Shift are read`() {
    // Start A, "A", NUL, US, shift to B "b", "C".
    let read = Picture(elements: LinearEncoder.code128([103, 33, 64, 95, 98, 66, 35])).decode()
    #expect(read.map(\.bytes) == [[0x41, 0x00, 0x1F, 0x62, 0x43]])
  }

  @Test func `code sets change within a symbol`() {
    // Start C 12 34, to B "x", to A "Y", to C 00.
    let read = Picture(elements: LinearEncoder.code128([105, 12, 34, 100, 88, 101, 57, 99, 0])).decode()
    #expect(read.map(\.text) == ["1234xY00"])
  }

  @Test func `FNC1 in first position marks GS1, and a later one is a separator`() throws {
    // (01)09506000134352 (10)AB FNC1 (21)7
    let values = [105, 102, 1, 9, 50, 60, 0, 13, 43, 52, 10, 100, 33, 34, 102, 18, 17, 23]
    let read = Picture(elements: LinearEncoder.code128(values)).decode()
    #expect(read.map(\.text) == ["010950600013435210AB\u{1D}217"])
    let symbol = try #require(read.first).symbol
    #expect(symbol.isGS1)
    #expect(symbol.aimModifier == UInt8(ascii: "1"))
  }

  @Test func `FNC1 in second position marks an industry application`() throws {
    let read = Picture(elements: LinearEncoder.code128([104, 33, 102, 34, 35])).decode()
    #expect(read.map(\.text) == ["ABC"])
    #expect(read.first?.symbol.aimModifier == UInt8(ascii: "2"))
    #expect(read.first?.symbol.isGS1 == false)
  }

  @Test func `FNC4 reaches the upper half of Latin-1`() {
    // "A"; FNC4 + "d" is 0xE4; FNC4 twice latches: "v" is 0xF6, "|" 0xFC; a single FNC4 then exempts "x".
    let read = Picture(elements: LinearEncoder.code128([104, 33, 100, 68, 100, 100, 86, 92, 100, 88])).decode()
    #expect(read.map(\.bytes) == [[0x41, 0xE4, 0xF6, 0xFC, 0x78]])
  }

  @Test func `only lengths within the configured range are read`() {
    var settings = DecoderSettings()
    settings.lengths[.code128] = LengthRange(min: 4, max: 5)
    for (text, isRead) in [("abc", false), ("abcd", true), ("abcde", true), ("abcdef", false)] {
      let read = Picture(elements: LinearEncoder.code128(text: text)).decode(settings).map(\.text)
      #expect(read == (isRead ? [text] : []))
    }
  }

  /// At half its size this symbol loses edges, and a line passes the check character by chance.
  @Test(arguments: [1.5, 2, 3, 4, 6]) func `characters of different widths do not form a symbol`(modulePixels: Double) {
    let view = View(modulePixels: modulePixels, blurModules: 0, barHeightPixels: 50 * modulePixels)
    let read = Picture(elements: LinearEncoder.code128([104, 52, 85, 101, 79, 69, 70, 66]), view: view).decode()
    #expect(read.map(\.bytes) == [[0x54, 0x75, 0x0F, 0x05, 0x06, 0x02]])
  }

  @Test func `a wrong check character is refused`() {
    for check in stride(from: 0, to: 103, by: 9) {
      let values = [104, 55, 73, 75, 73]
      let right = (104 + 55 + 2 * 73 + 3 * 75 + 4 * 73) % 103
      guard check != right else { continue }
      #expect(Picture(elements: LinearEncoder.code128(values, check: check)).decode().isEmpty)
    }
  }

  @Test(arguments: Array(stride(from: 0.0, to: 360.0, by: 20.0)))
  func `a Code 128 symbol is read at any angle`(degrees: Double) {
    var view = View()
    view.degrees = degrees
    view.modulePixels = 2
    view.noise = 4
    #expect(Picture(elements: LinearEncoder.code128(text: "RETICLE-7"), view: view).decode().map(\.text) == ["RETICLE-7"])
  }

  @Test(arguments: 1...20)
  func `a blurred and noisy Code 128 symbol gives the right text or nothing`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let characters = Array("ABCDEFGHJKLMNPQRSTUVWXYZ0123456789-")
    let text = String(
      (0..<Int.random(in: 4...12, using: &generator)).map { _ in characters.randomElement(using: &generator)! })
    var view = View()
    view.seed = seed
    view.degrees = Double.random(in: 0..<360, using: &generator)
    view.modulePixels = Double.random(in: 1.0...3, using: &generator)
    view.blurModules = Double.random(in: 0.2...1.0, using: &generator)
    view.noise = Double.random(in: 0...20, using: &generator)
    let found = Picture(elements: LinearEncoder.code128(text: text), view: view).decode().map(\.text)
    #expect(found.isEmpty || found == [text])
  }

  /// Motion makes two or three characters of these symbols look like others, on all lines alike, and the drawn check character is that of
  /// the others.
  @Test(
    arguments: [
      (50_527, 29), (50_658, 65), (50_821, 25), (51_108, 2), (51_425, 28), (51_509, 88), (51_591, 62), (51_703, 10),
      (51_751, 7), (52_067, 74), (52_098, 83), (52_404, 26), (52_539, 101), (52_656, 21), (52_840, 25), (53_041, 1),
    ] as [(UInt64, Int)])
  func `characters that motion makes look like others are refused`(seed: UInt64, check: Int) {
    var generator = SeededGenerator(seed: seed)
    var view = View(seed: seed)
    view.noise = Double.random(in: 1...5, using: &generator)
    view.dark = Double.random(in: 25...40, using: &generator)
    view.degrees = Double.random(in: -3...3, using: &generator)
    let digits = (0..<8).map { _ in Int.random(in: 0...9, using: &generator) }
    view.modulePixels = Double.random(in: 1.5...2.4, using: &generator)
    view.blurModules = Double.random(in: 0.2...0.5, using: &generator)
    view.light = Double.random(in: 110...150, using: &generator)
    view.barHeightPixels = Double.random(in: 40...100, using: &generator)
    // Start B, "P", to C, and four pairs of digits.
    var values = [104, 48, 99]
    for pair in 0..<4 { values.append(digits[2 * pair] * 10 + digits[2 * pair + 1]) }
    let length = Int.random(in: 2...6, using: &generator)
    var settings = DecoderSettings()
    settings.effort = .frame
    let drawn = Picture(elements: LinearEncoder.code128(values, check: check), view: view)
    #expect(drawn.moved(by: length).decode(settings).map(\.text) == [])
  }
}
