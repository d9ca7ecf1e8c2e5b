// Micro QR symbols from picture to payload: all versions, levels, masks and modes, then rotated, mirrored, inverted,
// blurred, damaged and tiny.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct MicroQRTests {
  private func settings(_ effort: Effort) -> DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.qr).with(.microqr)
    settings.effort = effort
    return settings
  }

  private static let numbers = 0..<8

  @Test(arguments: numbers)
  func `every version, level and mask of Micro QR is read`(number: Int) {
    let version = MicroQRDrawing.version(number)
    let text = String("90210".prefix(version == 1 ? 4 : 5))
    for mask in 0..<4 {
      let drawing = MicroQRDrawing(MicroQRDrawing.digits(text, version: version), number: number, mask: mask)
      let view = MatrixView(modulePixels: 4, degrees: Double(number * 40 + mask * 13))
      let (picture, corners) = Picture.drawn(drawing.modules, view: view)
      for effort in [Effort.frame, .still] {
        let read = picture.decode(settings(effort))
        #expect(read.map(\.text) == [text], "mask \(mask)")
        guard let symbol = read.first?.symbol else { continue }
        #expect(symbol.symbology == .microqr && symbol.aimModifier == 0x31 && !symbol.isMirrored)
        let found = [
          symbol.corners.topLeft, symbol.corners.topRight, symbol.corners.bottomRight, symbol.corners.bottomLeft,
        ]
        for (point, corner) in zip(found, corners) {
          #expect(abs(Double(point.x.bits) / 65536 - corner.0) < 4 && abs(Double(point.y.bits) / 65536 - corner.1) < 4)
        }
      }
    }
  }

  @Test func `every mode of Micro QR is read`() {
    for (bits, number, bytes) in [
      (MicroQRDrawing.letters("AB-1", version: 2), 2, Array("AB-1".utf8)),
      (MicroQRDrawing.bytes(Array("Reticle".utf8), version: 3), 3, Array("Reticle".utf8)),
      (MicroQRDrawing.kanji([0x935F, 0x8ABF], version: 4), 6, [0x93, 0x5F, 0x8A, 0xBF]),
      (
        MicroQRDrawing.digits("12", version: 4) + MicroQRDrawing.bytes(Array("kg".utf8), version: 4), 7, Array("12kg".utf8)
      ),
    ] {
      let drawing = MicroQRDrawing(bits, number: number, mask: 1)
      #expect(Picture.drawn(drawing.modules).picture.decode(settings(.frame)).map(\.bytes) == [bytes])
    }
  }

  @Test(arguments: [(true, false), (false, true), (true, true)])
  func `a mirrored or inverted Micro QR Code is read and reported as such`(isMirrored: Bool, isInverted: Bool) {
    let drawing = MicroQRDrawing(MicroQRDrawing.letters("BOTH WAYS", version: 4), number: 5, mask: 2)
    let view = MatrixView(modulePixels: 4, degrees: 21, isMirrored: isMirrored, isInverted: isInverted)
    let read = Picture.drawn(drawing.modules, view: view).picture.decode(settings(.still))
    #expect(read.map(\.text) == ["BOTH WAYS"])
    #expect(read.first?.symbol.isMirrored == isMirrored && read.first?.symbol.isInverted == isInverted)
  }

  @Test(arguments: [(2.0, 0.3), (3.0, 0.45), (4.0, 0.55)])
  func `a blurred, tilted and noisy Micro QR Code is read`(modulePixels: Double, blur: Double) {
    let drawing = MicroQRDrawing(MicroQRDrawing.letters("BLUR", version: 3), number: 4, mask: 3)
    let view = MatrixView(
      modulePixels: modulePixels, degrees: 50, taper: 0.1, blurModules: blur, noise: 1.5, seed: 5, light: 200, dark: 60)
    #expect(Picture.drawn(drawing.modules, view: view).picture.decode(settings(.still)).map(\.text) == ["BLUR"])
  }

  /// Four errors in M3-M are corrected; M1 detects one and reports nothing.
  @Test func `damage is corrected, but only detected in M1`() {
    let bits = MicroQRDrawing.digits("31415", version: 3)
    let damaged = MicroQRDrawing(bits, number: 4, mask: 0, damaged: [0, 3, 11, 16])
    let read = Picture.drawn(damaged.modules).picture.decode(settings(.still))
    #expect(read.map(\.text) == ["31415"] && read.first?.symbol.correctedCodewordCount == 4)
    for place in 0..<5 {
      let spoilt = MicroQRDrawing(MicroQRDrawing.digits("123", version: 1), number: 0, mask: 0, damaged: [place])
      #expect(Picture.drawn(spoilt.modules).picture.decode(settings(.still)).isEmpty)
    }
  }

  @Test(arguments: 0..<24)
  func `a ruined Micro QR Code is never misread`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let number = seed % 8
    let text = "27"
    var drawing = MicroQRDrawing(
      MicroQRDrawing.digits(text, version: MicroQRDrawing.version(number)), number: number, mask: seed % 4)
    for row in 0..<drawing.size {
      for column in 0..<drawing.size
      where !drawing.isFunctionModule(column: column, row: row) && Double.random(in: 0..<1, using: &generator) < 0.25 {
        drawing.flip(column: column, row: row)
      }
    }
    let read = Picture.drawn(drawing.modules).picture.decode(settings(.still))
    #expect(read.isEmpty || read.map(\.text) == [text])
  }

  @Test func `modules of one pixel are read without a quiet zone`() {
    for number in MicroQRTests.numbers {
      let version = MicroQRDrawing.version(number)
      let drawing = MicroQRDrawing(MicroQRDrawing.digits("60", version: version), number: number, mask: 1)
      var picture = Picture(width: drawing.size, height: drawing.size)
      for y in 0..<drawing.size {
        for x in 0..<drawing.size { picture.pixels[y * drawing.size + x] = drawing.modules[y][x] ? 0 : 255 }
      }
      let read = picture.decode(settings(.still))
      #expect(read.map(\.text) == ["60"], "symbol number \(number)")
      guard let corner = read.first?.symbol.corners.bottomRight else { continue }
      // The outer corner of the last pixel is half a pixel past its centre.
      #expect(abs(Double(corner.x.bits) / 65536 - Double(drawing.size) + 0.5) < 0.5)
    }
  }

  @Test func `a Micro QR Code beside a QR Code is read only if Micro QR is enabled`() {
    let micro = Picture.drawn(
      MicroQRDrawing(MicroQRDrawing.digits("1234", version: 4), number: 6, mask: 0).modules,
      view: MatrixView(modulePixels: 4, degrees: 8)
    ).picture
    let large = Picture.drawn(QRDrawing("large", version: 2, level: 1, mask: 0).modules).picture
    var picture = Picture(width: micro.width + large.width, height: max(micro.height, large.height), grey: 220)
    for (part, left) in [(micro, 0), (large, micro.width)] {
      for y in 0..<part.height {
        for x in 0..<part.width { picture.pixels[y * picture.width + left + x] = part.pixels[y * part.width + x] }
      }
    }
    #expect(Set(picture.decode(settings(.frame)).map(\.text)) == ["1234", "large"])
    var qrOnly = settings(.still)
    qrOnly.symbologies = SymbologySet().with(.qr)
    #expect(picture.decode(qrOnly).map(\.text) == ["large"])
  }
}
