// rMQR symbols from picture to payload: all sizes, levels and modes, then rotated, mirrored, inverted, blurred and damaged.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct RMQRTests {
  private func settings(_ effort: Effort) -> DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.qr).with(.microqr).with(.rmqr)
    settings.effort = effort
    return settings
  }

  private func digits(_ text: String, _ data: Int, damaged: [Int] = []) -> RMQRDrawing {
    var bits = RMQRBits(RMQRFormat(data: data))
    bits.appendDigits(text)
    return RMQRDrawing(bits, damaged: damaged)
  }

  @Test(arguments: 0..<32)
  func `every size and level of rMQR is read`(version: Int) {
    for level in 0..<2 {
      let drawing = digits("90210", version | level << 5)
      let view = MatrixView(modulePixels: 3, degrees: Double(version * 40 + level * 13))
      let (picture, corners) = Picture.drawn(drawing.square, view: view)
      for effort in [Effort.frame, .still] {
        let read = picture.decode(settings(effort))
        #expect(read.map(\.text) == ["90210"], "level \(level)")
        guard let symbol = read.first?.symbol else { continue }
        #expect(symbol.symbology == .rmqr && symbol.aimModifier == 0x31 && !symbol.isMirrored)
        // The symbol fills the upper part of the square.
        let part = Double(drawing.rows) / Double(drawing.columns)
        for (point, corner) in [
          (symbol.corners.topLeft, corners[0]), (symbol.corners.topRight, corners[1]),
          (
            symbol.corners.bottomLeft,
            (
              corners[0].0 + (corners[3].0 - corners[0].0) * part, corners[0].1 + (corners[3].1 - corners[0].1) * part
            )
          ),
        ] {
          #expect(abs(Double(point.x.bits) / 65536 - corner.0) < 3 && abs(Double(point.y.bits) / 65536 - corner.1) < 3)
        }
      }
    }
  }

  /// The codewords of Table 1 fill all modules not taken by function patterns, at both levels.
  @Test func `codewords fill the modules that no function pattern takes`() throws {
    let memory = TestArena()
    var layout = try RMQRLayout(arena: &memory.arena)
    for data in 0..<64 {
      let format = RMQRFormat(data: data)
      layout.prepare(format)
      var count = 0
      for index in 0..<(layout.columns * layout.rows) where layout.modules[index] == ModuleRole.data { count += 1 }
      #expect(format.blocks.codewordCount == count / 8, "\(format)")
      #expect(format.data == data)
    }
  }

  @Test func `every mode of rMQR is read, with its identifier`() {
    let format = RMQRFormat(data: 21)
    let cases: [((inout RMQRBits) -> Void, [UInt8], UInt8)] = [
      ({ $0.appendLetters("AB-1") }, Array("AB-1".utf8), 0x31),
      ({ $0.appendBytes(Array("Reticle".utf8)) }, Array("Reticle".utf8), 0x31),
      ({ $0.appendKanji([0x935F, 0x8ABF]) }, [0x93, 0x5F, 0x8A, 0xBF], 0x31),
      (
        {
          $0.append(7, 3)
          $0.append(26, 8)
          $0.appendBytes(Array("ä".utf8))
        }, Array("ä".utf8), 0x32
      ),
      (
        {
          $0.append(5, 3)
          $0.appendLetters("0109521234543213%10A")
        }, Array("0109521234543213\u{1D}10A".utf8), 0x33
      ),
      (
        {
          $0.append(6, 3)
          $0.append(37, 8)
          $0.appendDigits("4711")
        }, Array("374711".utf8), 0x35
      ),
    ]
    for (fill, bytes, modifier) in cases {
      var bits = RMQRBits(format)
      fill(&bits)
      let read = Picture.drawn(RMQRDrawing(bits).square).picture.decode(settings(.frame))
      #expect(read.map(\.bytes) == [bytes])
      #expect(read.first?.symbol.aimModifier == modifier && read.first?.symbol.isGS1 == (modifier == 0x33))
    }
  }

  @Test(arguments: [(true, false), (false, true), (true, true)])
  func `a mirrored or inverted rMQR Code is read and reported as such`(isMirrored: Bool, isInverted: Bool) {
    let view = MatrixView(modulePixels: 4, degrees: 21, isMirrored: isMirrored, isInverted: isInverted)
    let read = Picture.drawn(digits("20261123", 11).square, view: view).picture.decode(settings(.still))
    #expect(read.map(\.text) == ["20261123"])
    #expect(read.first?.symbol.isMirrored == isMirrored && read.first?.symbol.isInverted == isInverted)
  }

  @Test(arguments: [(2.0, 0.35, 2), (3.0, 0.45, 12), (2.5, 0.3, 15), (4.0, 0.5, 31)])
  func `a blurred, tilted and noisy rMQR Code is read`(modulePixels: Double, blur: Double, data: Int) {
    let view = MatrixView(
      modulePixels: modulePixels, degrees: 50, taper: 0.12, blurModules: blur, noise: 1.5, seed: 5, light: 200, dark: 60)
    let read = Picture.drawn(digits("314159", data).square, view: view).picture.decode(settings(.still))
    #expect(read.map(\.text) == ["314159"])
  }

  /// R7x43-H has ten check codewords, R11x27-M eight.
  @Test func `damage is corrected up to half of the check codewords`() {
    for (data, damaged) in [(32, [0, 2, 4, 9, 12]), (10, [1, 6, 7, 14])] {
      let read = Picture.drawn(digits("27", data, damaged: damaged).square).picture.decode(settings(.still))
      #expect(read.map(\.text) == ["27"] && Int(read.first?.symbol.correctedCodewordCount ?? 0) == damaged.count)
    }
  }

  @Test(arguments: 0..<32)
  func `a ruined rMQR Code is never misread`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var drawing = digits("271828", seed)
    for row in 0..<drawing.rows {
      for column in 0..<drawing.columns
      where !drawing.isFunctionModule(column: column, row: row) && Double.random(in: 0..<1, using: &generator) < 0.3 {
        drawing.flip(column: column, row: row)
      }
    }
    let read = Picture.drawn(drawing.square).picture.decode(settings(.still))
    #expect(read.isEmpty || read.map(\.text) == ["271828"])
  }

  @Test func `an rMQR Code is read only if it is enabled, and never as another symbol`() {
    for version in 0..<32 {
      let picture = Picture.drawn(digits("4711", version).square).picture
      var others = DecoderSettings()
      others.symbologies.remove(.rmqr)
      #expect(picture.decode(others).isEmpty)
      #expect(picture.decode(DecoderSettings()).map(\.symbol.symbology) == [.rmqr])
    }
  }
}
