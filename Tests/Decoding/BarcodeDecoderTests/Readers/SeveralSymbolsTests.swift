// Several symbols, or bars with other structures, in what looks like a single striped region.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// A sheet with several symbols.
private struct Sheet {
  private(set) var picture: Picture

  init(width: Int, height: Int, grey: UInt8 = 220) { picture = Picture(width: width, height: height, grey: grey) }

  /// Draws the bars of a symbol, without quiet zones, at a place; returns the x of their end.
  @discardableResult
  mutating func lay(_ elements: [Int], x: Int, y: Int, height: Int, modulePixels: Int = 2) -> Int {
    var at = x
    for (index, element) in elements.enumerated() {
      if index % 2 == 0 { fill(x: at, y: y, width: element * modulePixels, height: height) }
      at += element * modulePixels
    }
    return at
  }

  mutating func fill(x: Int, y: Int, width: Int, height: Int, grey: UInt8 = 30) {
    for row in y..<(y + height) {
      for column in x..<(x + width) { picture.pixels[row * picture.width + column] = grey }
    }
  }

  func texts(_ effort: Effort = .still, addOns: AddOnPolicy = .ignore) -> Set<String> {
    var settings = DecoderSettings()
    settings.effort = effort
    settings.addOns = addOns
    return Set(picture.decode(settings).map(\.text))
  }
}

@Suite struct SeveralSymbolsTests {
  @Test(arguments: [Effort.still, .frame])
  func `two symbols side by side are both read`(effort: Effort) {
    var sheet = Sheet(width: 560, height: 120)
    let end = sheet.lay(LinearEncoder.ean13("4006381333931"), x: 40, y: 30, height: 60)
    sheet.lay(LinearEncoder.code128(text: "LEFT-7"), x: end + 24, y: 30, height: 60)
    #expect(sheet.texts(effort) == ["4006381333931", "LEFT-7"])
  }

  @Test(arguments: [Effort.still, .frame])
  func `two symbols one above the other are both read`(effort: Effort) {
    var sheet = Sheet(width: 320, height: 220)
    sheet.lay(LinearEncoder.ean13("4006381333931"), x: 60, y: 30, height: 70)
    sheet.lay(LinearEncoder.ean13("9780201379624"), x: 60, y: 108, height: 70)
    #expect(sheet.texts(effort) == ["4006381333931", "9780201379624"])
  }

  @Test(arguments: [Effort.still, .frame])
  func `asking for add-ons loses no symbol of a grid`(effort: Effort) {
    var sheet = Sheet(width: 800, height: 640)
    var texts: Set<String> = []
    for row in 0..<4 {
      for column in 0..<2 {
        let text = "GRID-\(row)\(column)"
        sheet.lay(LinearEncoder.code128(text: text), x: 60 + 360 * column, y: 40 + 150 * row, height: 70)
        texts.insert(text)
      }
    }
    #expect(sheet.texts(effort) == texts)
    #expect(sheet.texts(effort, addOns: .read) == texts)
    #expect(sheet.texts(effort, addOns: .require) == texts)
  }

  @Test func `the corners of stacked symbols do not overlap`() throws {
    var sheet = Sheet(width: 320, height: 220)
    sheet.lay(LinearEncoder.ean13("4006381333931"), x: 60, y: 30, height: 70)
    sheet.lay(LinearEncoder.ean13("9780201379624"), x: 60, y: 108, height: 70)
    let read = sheet.picture.decode()
    let upper = try #require(read.first { $0.text == "4006381333931" }).symbol.corners
    let lower = try #require(read.first { $0.text == "9780201379624" }).symbol.corners
    #expect(upper.center.y.bits >> 16 < 104 && lower.center.y.bits >> 16 > 104)
    #expect(upper.bottomLeft.y.bits <= lower.topLeft.y.bits)
  }

  @Test func `bearer bars are not part of an ITF-14 symbol`() {
    // GS1 General Specifications §5.3.2.4: bearer bars above and below, or all around the symbol and its quiet zones.
    for isFramed in [false, true] {
      var sheet = Sheet(width: 460, height: 200)
      let elements = LinearEncoder.interleaved("30712345000010")
      let end = sheet.lay(elements, x: 70, y: 60, height: 80)
      let left = isFramed ? 40 : 70
      let right = isFramed ? end + 30 : end
      sheet.fill(x: left, y: 52, width: right - left, height: 8)
      sheet.fill(x: left, y: 140, width: right - left, height: 8)
      if isFramed {
        sheet.fill(x: left, y: 52, width: 8, height: 96)
        sheet.fill(x: right - 8, y: 52, width: 8, height: 96)
      }
      #expect(sheet.texts() == ["30712345000010"])
    }
  }
}

@Suite struct InvertedSymbolTests {
  private func inverted(_ elements: [Int], degrees: Double = 0) -> Picture {
    var view = View()
    view.degrees = degrees
    view.noise = 3
    var picture = Picture(elements: elements, view: view)
    for index in picture.pixels.indices { picture.pixels[index] = 255 - picture.pixels[index] }
    return picture
  }

  @Test(arguments: [0.0, 33, 90, 200])
  func `light bars on a dark ground are read and reported as inverted`(degrees: Double) throws {
    for (elements, text) in [
      (LinearEncoder.ean13("4006381333931"), "4006381333931"), (LinearEncoder.code128(text: "DARK-1"), "DARK-1"),
      (LinearEncoder.code39("DARK2"), "DARK2"), (LinearEncoder.interleaved("30712345000010"), "30712345000010"),
    ] {
      let read = inverted(elements, degrees: degrees).decode()
      #expect(read.map(\.text) == [text])
      #expect(try #require(read.first).symbol.isInverted)
    }
  }

  @Test func `dark bars are not reported as inverted`() throws {
    let read = Picture(elements: LinearEncoder.ean13("4006381333931")).decode()
    #expect(try !#require(read.first).symbol.isInverted)
  }
}
