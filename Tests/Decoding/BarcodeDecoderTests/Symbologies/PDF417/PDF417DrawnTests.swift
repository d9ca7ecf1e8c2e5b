// PDF417 and MicroPDF417 symbols from picture to payload: turned, tilted, mirrored, inverted, blurred, damaged
// (behaviour N2).

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct PDF417DrawnTests {
  private func settings(_ symbology: Symbology, _ effort: Effort = .still) -> DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(symbology)
    settings.effort = effort
    return settings
  }

  @Test func `the standard's worked example is read`() {
    let drawing = StackedDrawing(codewords: ReedSolomon929Tests.example, columns: 3, level: 1)
    let (picture, corners) = drawing.seen()
    let read = picture.decode(settings(.pdf417))
    #expect(read.map(\.text) == ["PDF417"])
    #expect(read.first?.symbol.correctedCodewordCount == 0 && read.first?.symbol.confidence == 100)
    if let symbol = read.first?.symbol { #expect(cornerError(symbol, corners, modulePixels: 4) < 1) }
  }

  @Test(arguments: Array(stride(from: 0.0, to: 360.0, by: 15.0)))
  func `a PDF417 symbol is read at any angle and reports its corners`(degrees: Double) {
    let (picture, corners) = StackedDrawing("ANY ANGLE WILL DO 417").seen(MatrixView(modulePixels: 2.6, degrees: degrees))
    let read = picture.decode(settings(.pdf417))
    #expect(read.map(\.text) == ["ANY ANGLE WILL DO 417"])
    if let symbol = read.first?.symbol { #expect(cornerError(symbol, corners, modulePixels: 2.6) < 1) }
  }

  /// A frame examines few lines and occasionally misses an angle; the next frame is another chance.
  @Test func `a PDF417 symbol is read at almost any angle at frame effort`() {
    var readCount = 0
    for degrees in stride(from: 0.0, to: 360.0, by: 15.0) {
      let view = MatrixView(modulePixels: 4, degrees: degrees)
      let read = StackedDrawing("ANY ANGLE WILL DO 417").seen(view).picture.decode(settings(.pdf417, .frame))
      #expect(read.allSatisfy { $0.text == "ANY ANGLE WILL DO 417" })
      readCount += read.count
    }
    #expect(readCount >= 22)
  }

  /// A level of the picture shows only a part of the symbol, another one the whole.
  @Test(arguments: 4...9)
  func `the first frame reads a clean MicroPDF417 of any size at almost any place`(side: Int) {
    let data = [900] + StackedEncoder.text("MICRO PDF417 1234")
    let widest = (0..<34).first {
      let size = MicroPDF417Tables.size($0)
      return size.columnCount == 4 && size.codewordCount - size.checkCount >= data.count
    }!
    let drawing = StackedDrawing(micro: data, size: widest)
    let symbol = Picture.sharp(drawing.modules, side: side, margin: 0)
    let (width, height) = (1280, 720)
    var readCount = 0
    for phase in 0..<16 {
      var picture = Picture(width: width, height: height, grey: 220)
      let left = 150 + phase * 5 % 16
      for y in 0..<symbol.height {
        let target = (100 + phase + y) * width + left
        for x in 0..<symbol.width { picture.pixels[target + x] = symbol.pixels[y * symbol.width + x] }
      }
      readCount += picture.decode(settings(.micropdf417, .frame)).count
    }
    #expect(readCount >= 15, "\(side) pixels per module")
  }

  @Test(arguments: [(1, 5), (2, 3), (6, 4), (12, 5), (30, 4)])
  func `narrow and wide PDF417 symbols are read`(columns: Int, level: Int) {
    let text = String(repeating: "WIDE OR NARROW ", count: columns > 6 ? 12 : 2) + "\(columns)"
    let (picture, _) = StackedDrawing(text, columns: columns, level: level).seen(MatrixView(modulePixels: 2.2, degrees: 5))
    #expect(picture.decode(settings(.pdf417)).map(\.text) == [text])
  }

  /// Three rows give too little perspective information to bend six columns by it.
  @Test(arguments: [Effort.still, .frame])
  func `a sharp PDF417 symbol of three rows is read with its edges anywhere on the tiles`(effort: Effort) {
    let text = "THREE ROWS AND SIX COLUMNS"
    let drawing = StackedDrawing(text, columns: 6, level: 1)
    #expect(drawing.height == 9)
    for margin in 33..<49 {
      let picture = Picture.sharp(drawing.modules, side: 3, margin: margin)
      #expect(picture.decode(settings(.pdf417, effort)).map(\.text) == [text], "margin \(margin)")
    }
  }

  @Test func `Compact PDF417 is read`() {
    let (picture, _) = StackedDrawing("COMPACT", columns: 3, level: 2, isCompact: true).seen(MatrixView(degrees: 12))
    #expect(picture.decode(settings(.pdf417)).map(\.text) == ["COMPACT"])
  }

  @Test(arguments: [(false, true), (true, false), (true, true)])
  func `a mirrored or inverted PDF417 symbol is read and reported as such`(isMirrored: Bool, isInverted: Bool) {
    let view = MatrixView(modulePixels: 3, degrees: 33, isMirrored: isMirrored, isInverted: isInverted)
    let (picture, corners) = StackedDrawing("BOTH WAYS").seen(view)
    let read = picture.decode(settings(.pdf417))
    #expect(read.map(\.text) == ["BOTH WAYS"])
    #expect(read.first?.symbol.isMirrored == isMirrored && read.first?.symbol.isInverted == isInverted)
    if let symbol = read.first?.symbol { #expect(cornerError(symbol, corners, modulePixels: 3) < 1) }
  }

  @Test(arguments: [(0.2, 0.0), (0.0, 0.25), (0.2, 0.15), (0.3, 0.0)])
  func `a PDF417 symbol is read in perspective`(taper: Double, taperDown: Double) {
    let view = MatrixView(modulePixels: 3.5, degrees: 20, taper: taper, taperDown: taperDown)
    let (picture, _) = StackedDrawing("TILTED AWAY FROM THE CAMERA").seen(view)
    #expect(picture.decode(settings(.pdf417)).map(\.text) == ["TILTED AWAY FROM THE CAMERA"])
  }

  @Test(arguments: [(0.5, 2.0, 90.0), (0.5, 2.0, 30.0), (0.3, 1.5, 170.0)])
  func `a blurred, faint and unevenly lit PDF417 symbol is read`(blur: Double, noise: Double, dark: Double) {
    let view = MatrixView(
      modulePixels: 2.5, degrees: 25, blurModules: blur, noise: noise, seed: 7, light: 210, dark: dark, shade: 0.3)
    #expect(
      StackedDrawing("HARD TO SEE 123").seen(view).picture.decode(settings(.pdf417)).map(\.text) == ["HARD TO SEE 123"])
  }

  /// Security level 3 has 16 check codewords: a patch over up to six codewords is corrected, and the correction is reported.
  @Test(arguments: 1...6)
  func `a partly covered PDF417 symbol is corrected and read`(seed: Int) {
    var (picture, _) = StackedDrawing("PARTLY COVERED BY A STICKER", columns: 5, level: 3).seen(MatrixView(modulePixels: 3))
    var generator = SeededGenerator(seed: UInt64(seed))
    let (left, top) = (
      Int.random(in: (picture.width / 3)...(picture.width / 2), using: &generator),
      Int.random(in: (picture.height * 4 / 10)...(picture.height / 2), using: &generator)
    )
    for y in top..<(top + 18) {
      for x in left..<(left + 60) { picture.pixels[y * picture.width + x] = 128 }
    }
    let read = picture.decode(settings(.pdf417))
    #expect(read.map(\.text) == ["PARTLY COVERED BY A STICKER"])
    #expect((read.first?.symbol.correctedCodewordCount ?? 0) > 0)
  }

  /// A symbol with too much missing is not reported.
  @Test func `half a PDF417 symbol is not read`() {
    var (picture, _) = StackedDrawing("HALF OF THIS IS GONE", columns: 5, level: 2).seen(MatrixView(modulePixels: 3))
    for y in 0..<picture.height {
      for x in (picture.width * 2 / 5)..<picture.width { picture.pixels[y * picture.width + x] = 220 }
    }
    #expect(picture.decode(settings(.pdf417)).isEmpty)
  }

  @Test(arguments: 0..<34)
  func `every size of MicroPDF417 is read`(index: Int) {
    let size = MicroPDF417Tables.size(index)
    let text = String(
      "MICRO 417 HAS 34 SIZES AND THIS IS ONE".prefix((size.codewordCount - size.checkCount - 1) * 3 / 2 - 2))
    let trimmed = text.trimmingPrefix(" ").description
    let drawing = StackedDrawing(micro: [900] + StackedEncoder.text(trimmed), size: index)
    let view = MatrixView(modulePixels: 3, degrees: Double(index * 11))
    let (picture, corners) = drawing.seen(view)
    let read = picture.decode(settings(.micropdf417))
    #expect(read.map(\.text) == [trimmed], "\(size)")
    if let symbol = read.first?.symbol { #expect(cornerError(symbol, corners, modulePixels: 3) < 1) }
  }

  @Test(arguments: [(false, true), (true, false), (true, true)])
  func `a mirrored or inverted MicroPDF417 symbol is read and reported as such`(isMirrored: Bool, isInverted: Bool) {
    let drawing = StackedDrawing(micro: [900] + StackedEncoder.text("SMALL"), size: 8)
    let view = MatrixView(modulePixels: 3.4, degrees: 14, isMirrored: isMirrored, isInverted: isInverted)
    let read = drawing.seen(view).picture.decode(settings(.micropdf417))
    #expect(read.map(\.text) == ["SMALL"])
    #expect(read.first?.symbol.isMirrored == isMirrored && read.first?.symbol.isInverted == isInverted)
  }
}
