// Symbols from picture to payload: all versions, masks and levels, then rotated, tilted, mirrored, inverted, damaged.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct QRDrawnTests {
  private var qrOnly: DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.qr)
    return settings
  }

  private var frame: DecoderSettings {
    var settings = qrOnly
    settings.effort = .frame
    return settings
  }

  /// The codewords of the example in ISO/IEC 18004:2015 Annex I, drawn with its mask 010.
  @Test func `the standard's worked example is read`() {
    let drawing = QRDrawing(codewords: ReedSolomonTests.example.map { Int($0) }, version: 1, level: 1, mask: 2)
    let (picture, _) = Picture.drawn(drawing.modules)
    let read = picture.decode(qrOnly)
    #expect(read.map(\.text) == ["01234567"])
    #expect(read.first?.symbol.correctedCodewordCount == 0 && read.first?.symbol.confidence == 100)
    #expect(read.first?.symbol.aimModifier == 0x31)
  }

  @Test(arguments: 1...40)
  func `every version and level of QR Code is read`(version: Int) {
    // All levels of the small versions; one level each of the large ones, which take long to draw.
    for level in 0..<4 where version <= 8 || level == version % 4 {
      let count = QRTables.blocks(version: version, level: QRCorrectionLevel(rawValue: level)!).dataCodewordCount
      let text = String((0..<(count - 3)).map { Character(UnicodeScalar(UInt8(0x21 + ($0 * 7 + level) % 90))) })
      let drawing = QRDrawing(text, version: version, level: level, mask: (version + level) % 8)
      let (picture, corners) = Picture.drawn(drawing.modules, view: MatrixView(modulePixels: 3))
      let read = picture.decode(frame)
      #expect(read.map(\.text) == [text], "version \(version), level \(level)")
      if let symbol = read.first?.symbol { #expect(cornerError(symbol, corners, modulePixels: 3) < 0.5) }
    }
  }

  @Test(arguments: 0..<8)
  func `every mask of QR Code is read`(mask: Int) {
    let drawing = QRDrawing("mask \(mask)", version: 2, level: 1, mask: mask)
    #expect(Picture.drawn(drawing.modules).picture.decode(frame).map(\.text) == ["mask \(mask)"])
  }

  @Test(arguments: Array(stride(from: 0.0, to: 360.0, by: 15.0)))
  func `a QR Code is read at any angle and reports its corners`(degrees: Double) {
    let drawing = QRDrawing("any angle will do", version: 3, level: 2, mask: 5)
    let (picture, corners) = Picture.drawn(drawing.modules, view: MatrixView(modulePixels: 3.3, degrees: degrees))
    let read = picture.decode(frame)
    #expect(read.map(\.text) == ["any angle will do"])
    if let symbol = read.first?.symbol { #expect(cornerError(symbol, corners, modulePixels: 3.3) < 0.5) }
  }

  @Test(arguments: [(0.2, 0.0), (0.0, 0.25), (0.2, 0.15), (0.35, 0.0)])
  func `a QR Code is read in perspective`(taper: Double, taperDown: Double) {
    for version in [1, 2, 7] {
      let drawing = QRDrawing("tilted", version: version, level: 1, mask: 3)
      let view = MatrixView(modulePixels: 5, degrees: 20, taper: taper, taperDown: taperDown)
      let (picture, corners) = Picture.drawn(drawing.modules, view: view)
      let read = picture.decode(qrOnly)
      #expect(read.map(\.text) == ["tilted"], "version \(version)")
      if let symbol = read.first?.symbol { #expect(cornerError(symbol, corners, modulePixels: 5) < 1) }
    }
  }

  @Test(arguments: [(false, true), (true, false), (true, true)])
  func `a mirrored or inverted QR Code is read and reported as such`(isMirrored: Bool, isInverted: Bool) {
    let drawing = QRDrawing("both ways", version: 2, level: 1, mask: 1)
    let view = MatrixView(modulePixels: 4, degrees: 33, isMirrored: isMirrored, isInverted: isInverted)
    let (picture, corners) = Picture.drawn(drawing.modules, view: view)
    let read = picture.decode(frame)
    #expect(read.map(\.text) == ["both ways"])
    #expect(read.first?.symbol.isMirrored == isMirrored && read.first?.symbol.isInverted == isInverted)
    if let symbol = read.first?.symbol { #expect(cornerError(symbol, corners, modulePixels: 4) < 0.5) }
  }

  @Test(arguments: [1.6, 2.0, 8.0, 16.0, 30.0])
  func `small and large modules are read`(modulePixels: Double) {
    let drawing = QRDrawing("from near and far", version: 2, level: 1, mask: 6)
    let view = MatrixView(modulePixels: modulePixels, degrees: 10)
    #expect(Picture.drawn(drawing.modules, view: view).picture.decode(qrOnly).map(\.text) == ["from near and far"])
  }

  @Test(arguments: [(0.5, 2.0, 90.0), (0.6, 2.0, 30.0), (0.3, 1.5, 185.0)])
  func `a blurred, faint and unevenly lit QR Code is read`(blur: Double, noise: Double, dark: Double) {
    let drawing = QRDrawing("hard to see", version: 2, level: 1, mask: 4)
    let view = MatrixView(
      modulePixels: 4, degrees: 25, blurModules: blur, noise: noise, seed: 7, light: 210, dark: dark, shade: 0.3)
    #expect(Picture.drawn(drawing.modules, view: view).picture.decode(qrOnly).map(\.text) == ["hard to see"])
  }

  @Test(arguments: [-1.2, -0.7, 0.7, 1.2])
  func `a bent QR Code is read`(bow: Double) {
    for version in [2, 4] {
      let text = "bent around a can of version \(version)"
      let drawing = QRDrawing(String(text.prefix(14 + 20 * (version / 4))), version: version, level: 1, mask: 5)
      let view = MatrixView(modulePixels: 6, degrees: 10, bowModules: bow)
      let read = Picture.drawn(drawing.modules, view: view).picture.decode(qrOnly)
      #expect(read.map(\.text) == [String(text.prefix(14 + 20 * (version / 4)))], "version \(version)")
    }
  }

  @Test(arguments: [25.0, 35, 45], [-1.0, 1])
  func `one frame reads a QR Code around a bottle`(roll: Double, bow: Double) {
    let text = "around a bottle in one frame"
    let drawing = QRDrawing(text, version: 3, level: 1, mask: 5)
    let view = MatrixView(modulePixels: 6, degrees: 10, bowModules: bow, rollDegrees: roll)
    var settings = qrOnly
    settings.effort = .frame
    #expect(Picture.drawn(drawing.modules, view: view).picture.decode(settings).map(\.text) == [text])
  }

  /// Of the 16 check codewords of version 2-M, eight can be wrong if their uncertainty is unknown. A grey patch over more
  /// than that is read by erasing the codewords under it.
  @Test func `a QR Code under a grey patch is read by erasures`() {
    let drawing = QRDrawing("under the patch", version: 2, level: 1, mask: 0)
    var picture = Picture.drawn(drawing.modules, view: MatrixView(modulePixels: 6)).picture
    let left = (picture.width - drawing.size * 6) / 2
    var readCount = 0
    for patch in 0..<4 {
      var patched = picture
      for y in (left + 54)..<(left + 54 + 18 + patch * 6) {
        for x in (left + 60)..<(left + 60 + 60) { patched.pixels[y * picture.width + x] = 125 }
      }
      let read = patched.decode(qrOnly)
      #expect(read.isEmpty || read.map(\.text) == ["under the patch"])
      if let symbol = read.first?.symbol { readCount += symbol.correctedCodewordCount > 0 ? 1 : 0 }
    }
    picture.pixels[0] = 0
    #expect(readCount >= 2)
  }

  /// A block of version 2-Q corrects 11 of its 44 codewords; ten are damaged.
  @Test(arguments: 0..<10)
  func `damaged codewords are corrected`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var bits = QRBits()
    bits.appendBytes(Array("damaged".utf8), version: 2)
    let blocks = QRTables.blocks(version: 2, level: .quartile)
    let data = bits.codewords(count: blocks.dataCodewordCount)
    var codewords = data + QRDrawing.checkCodewords(data, count: blocks.checkCount)
    for place in Array(codewords.indices).shuffled(using: &generator).prefix(10) {
      codewords[place] ^= Int.random(in: 1...255, using: &generator)
    }
    let drawing = QRDrawing(codewords: codewords, version: 2, level: 2, mask: 0)
    let read = Picture.drawn(drawing.modules).picture.decode(frame)
    #expect(read.map(\.text) == ["damaged"] && read.first?.symbol.correctedCodewordCount == 10)
  }

  @Test(arguments: 0..<20)
  func `a ruined QR Code is never misread`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var drawing = QRDrawing("0123456789ABC", version: 1, level: 0, mask: 2)
    for row in 0..<drawing.size {
      for column in 0..<drawing.size
      where !drawing.isFunctionModule(column: column, row: row) && Double.random(in: 0..<1, using: &generator) < 0.25 {
        drawing.flip(column: column, row: row)
      }
    }
    let read = Picture.drawn(drawing.modules).picture.decode(qrOnly)
    #expect(read.isEmpty || read.map(\.text) == ["0123456789ABC"])
  }

  /// Behaviour N5: all symbols of a frame are reported, each with its corners.
  @Test func `sixty-four QR Codes in one picture are all read`() {
    var picture = Picture(width: 8 * 150, height: 8 * 150, grey: 220)
    var texts: Set<String> = []
    for index in 0..<64 {
      let text = "symbol \(index)"
      texts.insert(text)
      let drawing = QRDrawing(text, version: 1, level: 1, mask: index % 8)
      let part = Picture.drawn(drawing.modules, view: MatrixView(modulePixels: 3.4, degrees: Double(index * 11))).picture
      let left = index % 8 * 150 + (150 - part.width) / 2
      let top = index / 8 * 150 + (150 - part.height) / 2
      for y in 0..<part.height {
        for x in 0..<part.width { picture.pixels[(top + y) * picture.width + left + x] = part.pixels[y * part.width + x] }
      }
    }
    #expect(Set(picture.decode(frame).map(\.text)) == texts)
  }

  @Test func `a symbol reports its structured append and GS1`() {
    var bits = QRBits()
    bits.append(0b0011, 4)
    bits.append(1, 4)
    bits.append(3, 4)
    bits.append(0xA7, 8)
    bits.append(0b0101, 4)
    bits.appendAlphanumeric("0104012345678901", version: 3)
    let drawing = QRDrawing(bits, version: 3, level: 1, mask: 7)
    let symbol = Picture.drawn(drawing.modules).picture.decode(qrOnly).first?.symbol
    #expect(symbol?.structuredAppend == StructuredAppend(index: 1, count: 4, identifier: 0xA7))
    #expect(symbol?.isGS1 == true && symbol?.aimModifier == 0x33)
  }

  @Test func `a QR Code is not read unless QR is enabled`() {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.ean13)
    let drawing = QRDrawing("not asked", version: 1, level: 1, mask: 0)
    #expect(Picture.drawn(drawing.modules).picture.decode(settings).isEmpty)
  }

  @Test func `nothing is read in noise`() {
    for seed in 0..<4 {
      var picture = Picture(width: 320, height: 240)
      var generator = SeededGenerator(seed: UInt64(seed))
      for index in picture.pixels.indices { picture.pixels[index] = UInt8.random(in: 0...255, using: &generator) }
      #expect(picture.decode(qrOnly).isEmpty && picture.decode(frame).isEmpty)
    }
  }

  @Test(arguments: [(1, 1), (15, 40), (16, 16), (17, 23), (8, 4000)])
  func `nothing is read in small and oddly shaped pictures`(width: Int, height: Int) {
    var picture = Picture(width: width, height: height)
    var generator = SeededGenerator(seed: 3)
    for index in picture.pixels.indices { picture.pixels[index] = Bool.random(using: &generator) ? 20 : 230 }
    #expect(picture.decode(qrOnly).isEmpty)
  }
}
