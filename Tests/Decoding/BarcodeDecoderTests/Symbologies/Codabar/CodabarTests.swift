import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

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
