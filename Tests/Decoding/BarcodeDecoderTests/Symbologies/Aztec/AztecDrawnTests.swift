// Symbols from picture to payload: all sizes, then rotated, tilted, mirrored, inverted, small, blurred, damaged.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct AztecDrawnTests {
  private var aztecOnly: DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.aztec)
    return settings
  }

  private var frame: DecoderSettings {
    var settings = aztecOnly
    settings.effort = .frame
    return settings
  }

  /// "Code 2D!", the example of ISO/IEC 24778, as drawn by an independent encoder: a compact symbol with a single layer.
  private static let code2D = [
    "...##...##.....", "......##.....#.", "#.##....#...#.#", ".############..", "####.......##.#",
    "...#.#####.##..", "#..#.#...#.####", "..##.#.#.#.#..#", "..##.#...#.#.#.", ".#.#.#####.#..#",
    "#..#.......#.##", "#..##########.#", ".#...##...#..#.", ".##....##.##.#.", "###..##.##.....",
  ]

  @Test func `the standard's example is read, and drawing it gives the same symbol`() {
    let modules = Self.code2D.map { $0.map { $0 == "#" } }
    #expect(Picture.drawn(modules).picture.decode(frame).map(\.text) == ["Code 2D!"])
    let data = [0b001001, 0b110010, 0b000001, 0b101001, 0b101111, 0b000010, 0b100111, 0b100101, 0b000001, 0b011011]
    let check = AztecDrawing.checkCodewords(data, count: 7, width: 6)
    let drawing = AztecDrawing(codewords: data + check, dataCount: 10, isCompact: true, layers: 1)
    #expect(drawing.modules == modules)
  }

  @Test(arguments: (1...4).map { (true, $0) } + (1...32).map { (false, $0) })
  func `every size of Aztec Code is read`(isCompact: Bool, layers: Int) {
    let capacity = AztecDrawing.bitCount(isCompact: isCompact, layers: layers)
    let text = String((0..<(capacity / 16)).map { Character(UnicodeScalar(UInt8(0x21 + ($0 * 7 + layers) % 90))) })
    let drawing = AztecDrawing(text, isCompact: isCompact, layers: layers)
    #expect(drawing.size == AztecFormat(isCompact: isCompact, layers: layers).size)
    let (picture, corners) = Picture.drawn(drawing.modules, view: MatrixView(modulePixels: 3, degrees: Double(layers) * 9))
    let read = picture.decode(aztecOnly)
    #expect(read.map(\.text) == [text])
    if let symbol = read.first?.symbol { #expect(cornerError(symbol, corners, modulePixels: 3) < 1) }
  }

  @Test(arguments: Array(stride(from: 0.0, to: 360.0, by: 15.0)))
  func `an Aztec Code is read at any angle and reports its corners`(degrees: Double) {
    for (isCompact, layers) in [(true, 3), (false, 5)] {
      let drawing = AztecDrawing("any angle will do", isCompact: isCompact, layers: layers)
      let (picture, corners) = Picture.drawn(drawing.modules, view: MatrixView(modulePixels: 4.3, degrees: degrees))
      let read = picture.decode(frame)
      #expect(read.map(\.text) == ["any angle will do"])
      if let symbol = read.first?.symbol { #expect(cornerError(symbol, corners, modulePixels: 4.3) < 0.5) }
    }
  }

  @Test(arguments: [(0.2, 0.0), (0.0, 0.25), (0.2, 0.15), (0.3, 0.0)])
  func `an Aztec Code is read in perspective`(taper: Double, taperDown: Double) {
    for (isCompact, layers) in [(true, 2), (true, 4), (false, 4), (false, 9)] {
      let drawing = AztecDrawing("tilted", isCompact: isCompact, layers: layers)
      let view = MatrixView(modulePixels: 5, degrees: 20, taper: taper, taperDown: taperDown)
      let (picture, corners) = Picture.drawn(drawing.modules, view: view)
      let read = picture.decode(aztecOnly)
      #expect(read.map(\.text) == ["tilted"], "compact \(isCompact), layers \(layers)")
      if let symbol = read.first?.symbol { #expect(cornerError(symbol, corners, modulePixels: 5) < 1) }
    }
  }

  @Test func `a mirrored or inverted Aztec Code is read and reported as such`() {
    let drawing = AztecDrawing("other way round", isCompact: true, layers: 3)
    for isMirrored in [false, true] {
      for isInverted in [false, true] {
        let view = MatrixView(degrees: 100, isMirrored: isMirrored, isInverted: isInverted)
        let (picture, corners) = Picture.drawn(drawing.modules, view: view)
        let read = picture.decode(frame)
        #expect(read.map(\.text) == ["other way round"])
        #expect(read.first?.symbol.isMirrored == isMirrored && read.first?.symbol.isInverted == isInverted)
        if let symbol = read.first?.symbol { #expect(cornerError(symbol, corners, modulePixels: 4) < 0.5) }
      }
    }
  }

  @Test(arguments: [0, 1, 25, 100, 170, 255])
  func `an Aztec rune is read`(rune: Int) {
    let read = Picture.drawn(AztecDrawing(rune: rune).modules, view: MatrixView(degrees: Double(rune))).picture.decode(frame)
    let digits = String(rune)
    #expect(read.map(\.text) == [String(repeating: "0", count: 3 - digits.count) + digits])
    #expect(read.first?.symbol.aimModifier == 0x43)
  }

  @Test func `a damaged rune is refused, and so is one with dark modules around it`() {
    for index in 0..<28 {
      for other in [index + 3, index + 11] where other < 28 {
        var drawing = AztecDrawing(rune: 77)
        for place in [index, other] {
          let offset = AztecLayout.modeOffset(place, isCompact: true)
          drawing.flip(column: 5 + offset.x, row: 5 + offset.y)
        }
        #expect(Picture.drawn(drawing.modules).picture.decode(frame).isEmpty)
      }
    }
    var crowded = [[Bool]](repeating: [Bool](repeating: false, count: 15), count: 15)
    for row in 0..<11 { for column in 0..<11 { crowded[row + 2][column + 2] = AztecDrawing(rune: 77).modules[row][column] } }
    crowded[1][6] = true
    #expect(Picture.drawn(crowded).picture.decode(frame).isEmpty)
  }

  @Test func `a reader initialisation symbol is read like any other`() {
    var bits = AztecBits()
    bits.appendUpper("SETUP")
    for (isCompact, layers) in [(true, 1), (false, 2)] {
      let drawing = AztecDrawing(bits, isCompact: isCompact, layers: layers, isReaderInitialisation: true)
      #expect(Picture.drawn(drawing.modules).picture.decode(frame).map(\.text) == ["SETUP"])
    }
  }

  @Test func `modules of one pixel are read without a quiet zone`() {
    for (isCompact, layers) in [(true, 1), (true, 2), (false, 1), (false, 4)] {
      let drawing = AztecDrawing("tiny", isCompact: isCompact, layers: layers)
      var picture = Picture(width: drawing.size, height: drawing.size)
      for y in 0..<drawing.size {
        for x in 0..<drawing.size { picture.pixels[y * drawing.size + x] = drawing.modules[y][x] ? 20 : 230 }
      }
      let read = picture.decode(frame)
      #expect(read.map(\.text) == ["tiny"], "compact \(isCompact), layers \(layers)")
      if let symbol = read.first?.symbol {
        let far = Double(drawing.size) - 0.5
        #expect(cornerError(symbol, [(-0.5, -0.5), (far, -0.5), (far, far), (-0.5, far)], modulePixels: 1) < 0.5)
      }
    }
  }

  /// With this noise and blur some symbols are unread, but none is misread and at least two of three are read.
  @Test func `most small, blurred and noisy symbols are read, and none is misread`() {
    var readCount = 0
    for seed in 0..<12 {
      let text = "blurred and small, number \(seed)"
      let drawing = AztecDrawing(text, isCompact: true, layers: 4)
      let view = MatrixView(
        modulePixels: 2.4, degrees: Double(seed) * 31, blurModules: 0.4, noise: 3, seed: UInt64(seed), light: 190, dark: 70,
        shade: 0.3)
      let read = Picture.drawn(drawing.modules, view: view).picture.decode(aztecOnly).map(\.text)
      #expect(read.isEmpty || read == [text])
      readCount += read.count
    }
    #expect(readCount >= 8)
  }

  @Test func `an Aztec Code on a cylinder is read`() {
    let drawing = AztecDrawing("bent around a bottle", isCompact: true, layers: 4)
    let view = MatrixView(modulePixels: 5, bowModules: 1.2)
    #expect(Picture.drawn(drawing.modules, view: view).picture.decode(aztecOnly).map(\.text) == ["bent around a bottle"])
  }

  @Test(arguments: [25.0, 40, 55], [-2.0, 2])
  func `one frame reads an Aztec Code around a bottle`(roll: Double, bow: Double) {
    let text = "around a bottle, where it covers a good part of the front"
    let drawing = AztecDrawing(text, isCompact: false, layers: 5)
    let view = MatrixView(modulePixels: 6, degrees: 10, bowModules: bow, rollDegrees: roll)
    var settings = aztecOnly
    settings.effort = .frame
    #expect(Picture.drawn(drawing.modules, view: view).picture.decode(settings).map(\.text) == [text])
  }

  @Test(arguments: 0..<8)
  func `damage up to the limit is corrected, and more is never misread`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let text = "damage \(seed)"
    let clean = AztecDrawing(text, isCompact: true, layers: 3)
    for count in [4, 10, 30, 60, 90, 120, 160] {
      var drawing = clean
      for _ in 0..<count {
        let column = Int.random(in: 0..<23, using: &generator)
        let row = Int.random(in: 0..<23, using: &generator)
        // The core stays undamaged.
        if max(abs(column - 11), abs(row - 11)) > 5 { drawing.flip(column: column, row: row) }
      }
      let read = Picture.drawn(drawing.modules, view: MatrixView(degrees: Double(seed) * 20)).picture.decode(aztecOnly)
      if count <= 10 { #expect(read.map(\.text) == [text]) } else { #expect(read.allSatisfy { $0.text == text }) }
    }
  }

  @Test func `a bullseye with no Aztec Code around it is not read`() {
    // Concentric squares, with empty surroundings and with random modules.
    var generator = SeededGenerator(seed: 9)
    for trial in 0..<40 {
      var modules = [[Bool]](repeating: [Bool](repeating: false, count: 23), count: 23)
      for row in 0..<23 {
        for column in 0..<23 {
          let ring = max(abs(row - 11), abs(column - 11))
          modules[row][column] = ring < 5 ? ring % 2 == 0 : trial > 0 && Bool.random(using: &generator)
        }
      }
      #expect(Picture.drawn(modules).picture.decode(aztecOnly).isEmpty)
    }
  }
}
