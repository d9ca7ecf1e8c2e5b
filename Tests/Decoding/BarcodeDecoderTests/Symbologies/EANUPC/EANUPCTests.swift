import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// The codes read from a picture, by symbology and text.
private func readings(_ picture: Picture, _ settings: DecoderSettings = DecoderSettings()) -> [String] {
  picture.decode(settings).map { "\($0.symbol.symbology.name) \($0.text)" }
}

@Suite struct EANUPCTests {
  @Test func `the digit table matches the module patterns of the standard`() {
    // Set A of GS1 General Specifications figure 5.2.1.2-1 as modules.
    let setA = [
      "0001101", "0011001", "0010011", "0111101", "0100011", "0110001", "0101111", "0111011", "0110111", "0001011",
    ]
    for value in 0..<10 {
      let widths = LinearEncoder.elements(ofModules: setA[value])
      for element in 0..<4 {
        #expect(digitWidths[value * 4 + element] == Int32(widths[element]))
        #expect(digitWidths[(value + 10) * 4 + element] == Int32(widths[3 - element]))
      }
    }
  }

  @Test func `the number sets of leading and check digits are distinct`() {
    for one in 0..<10 {
      for other in 0..<one {
        #expect(leadingDigitSets[one] != leadingDigitSets[other])
        #expect(checkDigitSets[one] != checkDigitSets[other])
        #expect(checkDigitSets[one] != checkDigitSets[other] ^ 0b111111)
      }
    }
  }

  @Test func `the check digit matches the worked example`() {
    // GS1 General Specifications figure 7.9-1: 629104150021 has check digit 3.
    let memory = TestArena()
    defer { withExtendedLifetime(memory) {} }
    #expect(GTIN.hasCheckDigit(memory.array(Array("6291041500213".utf8)), count: 13))
    #expect(!GTIN.hasCheckDigit(memory.array(Array("6291041500214".utf8)), count: 13))
  }

  @Test(arguments: ["4006381333931", "9780201379624", "5901234123457", "7612345678900", "2001234567893"])
  func `an EAN-13 symbol is read`(text: String) {
    #expect(readings(Picture(elements: LinearEncoder.ean13(text))) == ["ean13 \(text)"])
  }

  @Test func `an EAN-13 symbol with a leading zero is UPC-A, unless only EAN-13 is enabled`() {
    let picture = Picture(elements: LinearEncoder.ean13("0036000291452"))
    #expect(readings(picture) == ["upca 036000291452"])
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.ean13)
    #expect(readings(picture, settings) == ["ean13 0036000291452"])
    settings.symbologies = SymbologySet().with(.upca)
    #expect(readings(picture, settings) == ["upca 036000291452"])
    #expect(readings(Picture(elements: LinearEncoder.ean13("4006381333931")), settings).isEmpty)
  }

  @Test(arguments: ["73513537", "96385074", "12345670"])
  func `an EAN-8 symbol is read`(text: String) {
    #expect(readings(Picture(elements: LinearEncoder.ean8(text))) == ["ean8 \(text)"])
  }

  @Test(arguments: ["01234565", "04252614", "01240136", "12345670"])
  func `a UPC-E symbol is read`(text: String) {
    #expect(readings(Picture(elements: LinearEncoder.upce(text))) == ["upce \(text)"])
  }

  @Test(arguments: Array(stride(from: 0.0, to: 360.0, by: 15.0)))
  func `an EAN-13 symbol is read at any angle`(degrees: Double) {
    var view = View()
    view.degrees = degrees
    view.modulePixels = 2
    view.noise = 4
    #expect(readings(Picture(elements: LinearEncoder.ean13("4006381333931"), view: view)) == ["ean13 4006381333931"])
  }

  @Test func `corners follow the reading direction`() throws {
    var view = View()
    view.degrees = 180
    let picture = Picture(elements: LinearEncoder.ean13("4006381333931"), view: view)
    let corners = try #require(picture.decode().first).symbol.corners
    #expect(corners.topLeft.x > corners.topRight.x)
    #expect(corners.topLeft.y > corners.bottomLeft.y)
    let length = Double((corners.topLeft.x - corners.topRight.x).bits) / 65536
    #expect(abs(length - 95 * 3) < 3)
    let height = Double((corners.topLeft.y - corners.bottomLeft.y).bits) / 65536
    #expect(abs(height - 80) < 20)
  }

  @Test func `a wrong check digit is refused`() {
    for last in 0..<10 where last != 1 {
      #expect(readings(Picture(elements: LinearEncoder.ean13("400638133393\(last)"))).isEmpty)
    }
  }

  @Test func `a symbol without a quiet zone is refused`() {
    var view = View()
    view.quietModules = 1.5
    #expect(readings(Picture(elements: LinearEncoder.ean13("4006381333931"), view: view)).isEmpty)
    #expect(readings(Picture(elements: LinearEncoder.ean8("73513537"), view: view)).isEmpty)
    #expect(readings(Picture(elements: LinearEncoder.upce("01234565"), view: view)).isEmpty)
  }

  @Test func `a piece of an EAN-13 symbol is refused`() {
    let whole = LinearEncoder.ean13("4006381333931")
    for first in stride(from: 0, to: 40, by: 2) {
      for last in stride(from: first + 20, to: 59, by: 3) where first > 0 || last < 58 {
        let piece = Array(whole[first...last])
        #expect(readings(Picture(elements: piece)).isEmpty, "elements \(first) to \(last)")
      }
    }
  }

  @Test func `the left half of an EAN-13 symbol with the bars of a UPC-E symbol is refused`() throws {
    let half = LinearEncoder.upce("13624378")
    #expect(readings(Picture(elements: half)) == ["upce 13624378"])
    // Cut off after the first bar of the right half; the area beyond is nearly as light as the paper.
    var view = View()
    view.modulePixels = 2.5
    view.blurModules = 0.7
    var picture = Picture(elements: half, view: view)
    let right = picture.width / 2 + Int(51 * view.modulePixels / 2) + 1
    for y in 0..<picture.height {
      for x in right..<picture.width where picture.pixels[y * picture.width + x] > 185 {
        picture.pixels[y * picture.width + x] = 185
      }
    }
    #expect(readings(picture).isEmpty)
  }

  /// 1 and 7, and 2 and 8, differ only in how bar and space share a sum. Blur makes narrow spaces between wide bars look
  /// wider, and several digits misread together leave the check digit right.
  @Test(arguments: [
    "38777134", "87771770", "72888780", "1618171378874", "6777888717774", "4178228272878", "288228882183", "228878722712",
    "01178784", "12217786", "02828282",
  ])
  func `blur never turns one digit into another`(text: String) {
    let isSuppressed = text.count == 8 && text.utf8.first! < UInt8(ascii: "2")
    let elements =
      isSuppressed
      ? LinearEncoder.upce(text)
      : (text.count == 8 ? LinearEncoder.ean8(text) : LinearEncoder.ean13(text.count == 12 ? "0" + text : text))
    var readCount = 0
    for pixels in [1.7, 2.2, 2.8, 3.8] {
      for blur in stride(from: 0.45, through: 0.75, by: 0.1) {
        for ink in [-0.2, 0, 0.2] {
          let picture = Picture(
            elements: elements, view: View(modulePixels: pixels, blurModules: blur, inkModules: ink))
          let texts = picture.decode().map(\.text)
          readCount += texts.count
          #expect(texts == [text] || texts.isEmpty, "\(pixels) pixels a module, blur \(blur), ink \(ink)")
        }
      }
    }
    #expect(readCount > 24, "of 48")
  }

  @Test(arguments: 1...20)
  func `a blurred and noisy EAN-13 symbol gives the right text or nothing`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var digits = (0..<12).map { _ in Int.random(in: 0...9, using: &generator) }
    digits.append(LinearEncoder.checkDigit(digits))
    let text = digits.map(String.init).joined()
    var view = View()
    view.seed = seed
    view.degrees = Double.random(in: 0..<360, using: &generator)
    view.modulePixels = Double.random(in: 1.0...3, using: &generator)
    view.blurModules = Double.random(in: 0.2...1.0, using: &generator)
    view.noise = Double.random(in: 0...20, using: &generator)
    view.inkModules = Double.random(in: -0.4...0.4, using: &generator)
    let expected = text.hasPrefix("0") ? "upca \(text.dropFirst())" : "ean13 \(text)"
    let found = readings(Picture(elements: LinearEncoder.ean13(text), view: view))
    #expect(found.isEmpty || found == [expected])
  }

  /// Glare narrows the bars in the middle of these symbols so that three digits look like others with a valid leading digit and the same
  /// check digit.
  @Test(
    arguments: [
      32, 133, 456, 672, 763, 950, 1426, 1598, 1640, 2381, 2763, 2955, 4131, 5107, 5184, 5302, 5384, 5913,
    ] as [UInt64])
  func `glare across an EAN-13 changes no digits`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var view = View(seed: seed)
    view.noise = Double.random(in: 1...5, using: &generator)
    view.dark = Double.random(in: 25...40, using: &generator)
    view.degrees = Double.random(in: -3...3, using: &generator)
    view.modulePixels = Double.random(in: 2.3...2.8, using: &generator)
    view.blurModules = Double.random(in: 0.2...0.5, using: &generator)
    view.light = Double.random(in: 110...150, using: &generator)
    view.barHeightPixels = 120
    let drawn = Picture(elements: LinearEncoder.ean13("2872741841246"), view: view)
    let middle = Double(drawn.width) * Double.random(in: 0.38...0.52, using: &generator)
    let width = view.modulePixels * Double.random(in: 4...8, using: &generator)
    let glaring = drawn.glaring(at: middle, width: width, light: Double.random(in: 90...160, using: &generator))
    var settings = DecoderSettings()
    settings.effort = .frame
    let found = glaring.decode(settings).map(\.text)
    #expect(found.isEmpty || found == ["2872741841246"])
  }
}
