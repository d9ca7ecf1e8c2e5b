// Symbols from picture to payload: every size, then rotated, tilted, mirrored, inverted, blurred, damaged, with seeds.

import BarcodeTypes
import Foundation
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct DataMatrixDrawnTests {
  private var still: DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.datamatrix)
    return settings
  }

  private var frame: DecoderSettings {
    var settings = still
    settings.effort = .frame
    return settings
  }

  private func size(_ rows: Int, _ columns: Int) -> DataMatrixSize {
    (0..<DataMatrixTables.sizeCount).map { DataMatrixTables.size($0) }.first { $0.rows == rows && $0.columns == columns }!
  }

  /// A rectangular symbol extended by light modules below to a square.
  private func square(_ drawing: DataMatrixDrawing) -> [[Bool]] {
    let blank = Array(repeating: Array(repeating: false, count: drawing.columns), count: drawing.columns - drawing.rows)
    return drawing.modules + blank
  }

  /// The symbol of ISO/IEC 16022 Annex O, from its literal codewords.
  @Test func `the standard's worked example is read`() {
    let drawing = DataMatrixDrawing(codewords: [142, 164, 186, 114, 25, 5, 88, 102], size: size(10, 10))
    let read = Picture.drawn(drawing.modules).picture.decode(still)
    #expect(read.map(\.text) == ["123456"])
    #expect(read.first?.symbol.correctedCodewordCount == 0 && read.first?.symbol.confidence == 100)
    #expect(read.first?.symbol.aimModifier == 0x31)
  }

  @Test(arguments: 0..<DataMatrixTables.sizeCount)
  func `every size of Data Matrix is read`(index: Int) {
    let size = DataMatrixTables.size(index)
    let text = String((0..<(size.dataCount - 1)).map { Character(UnicodeScalar(UInt8(0x21 + ($0 * 7 + index) % 90))) })
    let drawing = DataMatrixDrawing(text, size: size)
    let modulePixels = size.columns > 64 ? 3.0 : 4.0
    let (picture, corners) = Picture.drawn(square(drawing), view: MatrixView(modulePixels: modulePixels))
    let read = picture.decode(still)
    #expect(read.map(\.text) == [text], "\(size.rows)×\(size.columns)")
    if size.rows == size.columns, let symbol = read.first?.symbol {
      #expect(cornerError(symbol, corners, modulePixels: modulePixels) < 0.75)
    }
  }

  /// Tiles have 8 pixels, cells 16: the border of a symbol with wide modules may lie in cells without gradients in two directions. With
  /// modules of 18 pixels the symbol covers a third of the frame, as texture does. The parts of such a symbol are regions, too, and
  /// use up the first frame unless the whole comes before them: at 17 pixels it reads 10 of 16 without that.
  @Test(arguments: [(12, 1, 16), (14, 1, 16), (17, 1, 12), (18, 2, 16)])
  func `frames read a Data Matrix with wide modules at any place among the tiles`(
    module: Int, frameCount: Int, readCountMin: Int
  ) {
    let symbol = Picture.sharp(DataMatrixDrawing("RETICLE-PHASE-1", size: size(18, 18)).modules, side: module, margin: 0)
    let (width, height) = (640, 480)
    var readCount = 0
    for phase in 0..<16 {
      var picture = Picture(width: width, height: height, grey: 220)
      for y in 0..<symbol.height {
        for x in 0..<symbol.width {
          picture.pixels[(100 + phase + y) * width + 150 + phase * 5 % 16 + x] = symbol.pixels[y * symbol.width + x]
        }
      }
      var workspace = Workspace(pixelCountMax: width * height)
      var symbolCount = 0
      for _ in 0..<frameCount where symbolCount == 0 {
        symbolCount = picture.pixels.withUnsafeBufferPointer {
          let luma = LumaView(base: $0.baseAddress!, width: width, height: height, bytesPerRow: width)
          return Decoder.decode(luma, settings: frame, workspace: &workspace).symbolCount
        }
      }
      readCount += symbolCount
    }
    #expect(readCount >= readCountMin)
  }

  @Test(arguments: Array(stride(from: 0.0, to: 360.0, by: 15.0)))
  func `a Data Matrix is read at any angle and reports its corners`(degrees: Double) {
    let drawing = DataMatrixDrawing("any angle will do", size: size(18, 18))
    let (picture, corners) = Picture.drawn(drawing.modules, view: MatrixView(modulePixels: 4.3, degrees: degrees))
    let read = picture.decode(frame)
    #expect(read.map(\.text) == ["any angle will do"])
    if let symbol = read.first?.symbol { #expect(cornerError(symbol, corners, modulePixels: 4.3) < 0.75) }
  }

  @Test(arguments: [(0.2, 0.0), (0.0, 0.25), (0.2, 0.15), (0.35, 0.0)])
  func `a Data Matrix is read in perspective`(taper: Double, taperDown: Double) {
    let drawing = DataMatrixDrawing("tilted a good deal", size: size(20, 20))
    let view = MatrixView(modulePixels: 5, degrees: 20, taper: taper, taperDown: taperDown)
    let (picture, corners) = Picture.drawn(drawing.modules, view: view)
    let read = picture.decode(still)
    #expect(read.map(\.text) == ["tilted a good deal"])
    if let symbol = read.first?.symbol { #expect(cornerError(symbol, corners, modulePixels: 5) < 1) }
  }

  /// Columns twice as wide on the left as on the right, with straight sides: no projective map of the corners fits.
  @Test(arguments: [0, 1])
  func `columns of unequal width are read`(turn: Int) {
    let drawing = DataMatrixDrawing("stretched unevenly", size: size(20, 20))
    var columns: [Int] = []
    for column in 0..<20 { columns += Array(repeating: column, count: 8 - column / 4) }
    let (margin, side) = (24, columns.count + 48)
    var picture = Picture(width: side, height: 20 * 6 + 2 * margin, grey: 230)
    for y in 0..<(20 * 6) {
      for (x, column) in columns.enumerated() where drawing.modules[y / 6][column] {
        picture.pixels[(y + margin) * side + x + margin] = 20
      }
    }
    if turn == 1 { picture.pixels.reverse() }
    #expect(picture.decode(still).map(\.text) == ["stretched unevenly"])
  }

  /// Small symbols, in black and white with ragged edges, whose columns are wide on one side and narrow on the other. At
  /// some angles they are too rough to be followed edge by edge.
  @Test(arguments: [(3.4, 1.6, 1.0, 0.1), (3.0, 1.3, 2.5, 0.2)], [0.0, 90.0, 180.0, 270.0])
  func `columns that narrow along a parabola are read`(
    view: (modulePixels: Double, bend: Double, blur: Double, noise: Double), degrees: Double
  ) {
    let drawing = DataMatrixDrawing("pulled while it was printed", size: size(26, 26))
    let side = 132
    var random = SeededGenerator(seed: 5)
    var picture = Picture(width: side, height: side, grey: 255)
    let (sine, cosine) = (sin((degrees + 4) * .pi / 180), cos((degrees + 4) * .pi / 180))
    for y in 0..<side {
      for x in 0..<side {
        var dark = 0.0
        for part in 0..<16 {
          let right = Double(x) + (Double(part & 3) + 0.5) / 4 * view.blur - Double(side) / 2
          let down = Double(y) + (Double(part >> 2) + 0.5) / 4 * view.blur - Double(side) / 2
          let place = (right * cosine + down * sine) / view.modulePixels / 26 + 0.5
          let u = place * 26 + view.bend * 4 * place * (1 - place)
          let v = (down * cosine - right * sine) / view.modulePixels + 13
          if u >= 0, u < 26, v >= 0, v < 26, drawing.modules[Int(v)][Int(u)] { dark += 1.0 / 16 }
        }
        if dark + random.normal() * view.noise > 0.5 { picture.pixels[y * side + x] = 0 }
      }
    }
    #expect(picture.decode(still).map(\.text) == ["pulled while it was printed"])
  }

  @Test(arguments: [(false, true), (true, false), (true, true)])
  func `a mirrored or inverted Data Matrix is read and reported as such`(isMirrored: Bool, isInverted: Bool) {
    let drawing = DataMatrixDrawing("both ways round", size: size(18, 18))
    let view = MatrixView(modulePixels: 4, degrees: 33, isMirrored: isMirrored, isInverted: isInverted)
    let (picture, corners) = Picture.drawn(drawing.modules, view: view)
    let read = picture.decode(still)
    #expect(read.map(\.text) == ["both ways round"])
    #expect(read.first?.symbol.isMirrored == isMirrored && read.first?.symbol.isInverted == isInverted)
    if let symbol = read.first?.symbol { #expect(cornerError(symbol, corners, modulePixels: 4) < 0.75) }
  }

  @Test func `a mirrored rectangular Data Matrix is read`() {
    let drawing = DataMatrixDrawing("long and thin", size: size(12, 26))
    let view = MatrixView(modulePixels: 4, degrees: 70, isMirrored: true)
    let read = Picture.drawn(square(drawing), view: view).picture.decode(still)
    #expect(read.map(\.text) == ["long and thin"] && read.first?.symbol.isMirrored == true)
  }

  @Test(arguments: [2.0, 3.0, 9.0, 20.0])
  func `small and large modules are read`(modulePixels: Double) {
    let drawing = DataMatrixDrawing("from near and far", size: size(18, 18))
    let view = MatrixView(modulePixels: modulePixels, degrees: 10)
    #expect(Picture.drawn(drawing.modules, view: view).picture.decode(still).map(\.text) == ["from near and far"])
  }

  @Test(arguments: [(0.4, 2.0, 90.0), (0.3, 2.0, 60.0), (0.3, 1.5, 165.0)])
  func `a blurred, faint and unevenly lit Data Matrix is read`(blur: Double, noise: Double, dark: Double) {
    let drawing = DataMatrixDrawing("hard to see", size: size(16, 16))
    let view = MatrixView(
      modulePixels: 4, degrees: 25, blurModules: blur, noise: noise, seed: 7, light: 210, dark: dark, shade: 0.25)
    #expect(Picture.drawn(drawing.modules, view: view).picture.decode(still).map(\.text) == ["hard to see"])
  }

  @Test(arguments: 1...8)
  func `a damaged Data Matrix is corrected or refused, but never misread`(seed: UInt64) {
    let size = size(22, 22)
    var generator = SeededGenerator(seed: seed)
    for flips in [3, 6, 12, 40, 80] {
      var drawing = DataMatrixDrawing("nothing but the truth", size: size)
      for _ in 0..<flips {
        drawing.flip(column: 1 + Int(generator.next() % 20), row: 1 + Int(generator.next() % 20))
      }
      let read = Picture.drawn(drawing.modules, view: MatrixView(modulePixels: 4)).picture.decode(still)
      // Ten codewords can be wrong; each flip damages at most one.
      if flips <= 6 { #expect(read.map(\.text) == ["nothing but the truth"], "\(flips) modules") }
      #expect(read.allSatisfy { $0.text == "nothing but the truth" })
    }
  }

  @Test(arguments: 1...6)
  func `a small symbol damaged beyond correction is never misread`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<10 {
      var drawing = DataMatrixDrawing("abc", size: size(10, 10))
      // One flip in each of three or four codewords; two can be corrected.
      for _ in 0..<10 { drawing.flip(column: 1 + Int(generator.next() % 8), row: 1 + Int(generator.next() % 8)) }
      let read = Picture.drawn(drawing.modules, view: MatrixView(modulePixels: 5)).picture.decode(still)
      #expect(read.allSatisfy { $0.text == "abc" })
    }
  }

  @Test func `the largest size is read with the other order of check codewords`() {
    // In ISO/IEC 16022 the check codewords begin with the first block, in most printers with the ninth.
    let size = size(144, 144)
    let data = DataMatrixDrawing.padded(Array("the largest size".utf8).map { Int($0) + 1 }, count: size.dataCount)
    var codewords = DataMatrixDrawing.withCheckCodewords(data, size: size)
    let check = Array(codewords.suffix(size.checkCount))
    for index in 0..<size.checkCount { codewords[size.dataCount + index] = check[index / 10 * 10 + (index + 2) % 10] }
    let drawing = DataMatrixDrawing(codewords: codewords, size: size)
    let read = Picture.drawn(drawing.modules, view: MatrixView(modulePixels: 3)).picture.decode(still)
    #expect(read.map(\.text) == ["the largest size"])
  }

  /// Eleven lines of strokes like print, and a symbol between two of them that touches them within a cell.
  @Test func `a symbol in a block of print is read`() {
    let modules = DataMatrixDrawing("A1B2C3D4E5F6", size: size(16, 16)).modules
    var readCount = 0
    for seed in 0..<12 {
      var generator = SeededGenerator(seed: UInt64(seed) + 1)
      func random(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }
      var picture = Picture(width: 640, height: 480, grey: 215)
      func draw(x: Int, y: Int, width: Int, height: Int) {
        for row in y..<(y + height) {
          for column in x..<(x + width) { picture.pixels[row * picture.width + column] = 40 }
        }
      }
      for line in 0..<14 where !(4...6).contains(line) {
        for letter in 0..<18 where random(8) > 0 {
          let (x, y) = (100 + 12 * letter, 60 + 24 * line)
          for _ in 0..<3 {
            if random(2) == 0 {
              draw(x: x + random(8), y: y, width: 2, height: 14)
            } else {
              draw(x: x, y: y + random(12), width: 9, height: 2)
            }
          }
        }
      }
      for (row, line) in modules.enumerated() {
        for (column, isDark) in line.enumerated() where isDark {
          draw(x: 108 + seed + 2 * column, y: 146 + seed % 8 + 2 * row, width: 2, height: 2)
        }
      }
      if picture.decode(still).map(\.text) == ["A1B2C3D4E5F6"] { readCount += 1 }
    }
    // One block in twelve has denser print than the symbol.
    #expect(readCount >= 11)
  }
}
