// MaxiCode symbols from picture to payload: modes, rotations, sizes, mirrored, inverted, blurred, damaged.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct MaxiCodeDrawnTests {
  private func settings(_ effort: Effort) -> DecoderSettings {
    var settings = DecoderSettings()
    settings.effort = effort
    return settings
  }

  @Test(arguments: [(3.0, 0.0), (4.0, 17.0), (7.0, 95.0), (10.0, 141.0), (16.0, 200.0), (25.0, 250.0), (40.0, 333.0)])
  func `a symbol is read at any size and turn, in a frame and in a picture`(modulePixels: Double, degrees: Double) {
    let drawing = MaxiCodeDrawing("SHIP TO 4711, DOCK \(Int(degrees))")
    let picture = drawing.picture(MatrixView(modulePixels: modulePixels, degrees: degrees))
    for effort in [Effort.frame, .still] {
      let read = picture.decode(settings(effort))
      #expect(read.map(\.text) == ["SHIP TO 4711, DOCK \(Int(degrees))"])
      guard let symbol = read.first?.symbol else { continue }
      #expect(symbol.symbology == .maxicode && symbol.aimModifier == 0x30 && !symbol.isMirrored && !symbol.isInverted)
    }
  }

  @Test(arguments: [(7.0 / 8, 0.95), (1.0, 1.0), (7.0 / 8, 0.9), (6.0 / 7, 1.1), (1.0, 1.1)], [0.7, 0.9])
  func `dots with gaps are read, with rows and rings as printers round them`(
    print: (rowPitch: Double, rings: Double), dotWidth: Double
  ) {
    let picture = MaxiCodeDrawing("PRINTED WITH DOTS").picture(
      MatrixView(modulePixels: 8, quietModules: 0.5),
      MaxiCodeDrawing.Print(rowPitch: print.rowPitch, rings: print.rings, dot: (dotWidth, 1.1)))
    #expect(picture.decode().map(\.text) == ["PRINTED WITH DOTS"])
  }

  /// Arcs of its rings form a false bullseye next to the true one.
  @Test(arguments: 0..<8)
  func `a symbol of whole pixels is read from any row on`(rowsCut: Int) {
    let whole = MaxiCodeDrawing("WHOLE PIXELS").picture(MatrixView(modulePixels: 2.5))
    var picture = Picture(width: whole.width, height: whole.height - rowsCut)
    picture.pixels = whole.pixels.dropFirst(rowsCut * whole.width).map { $0 < 128 ? 0 : 255 }
    #expect(picture.decode().map(\.text) == ["WHOLE PIXELS"])
  }

  @Test func `a symbol is read whose rings are blurred to a tenth of their contrast`() {
    let view = MatrixView(
      modulePixels: 8, degrees: 31, blurModules: 0.48, noise: 3, seed: 5, light: 200, dark: 60)
    #expect(MaxiCodeDrawing("FAINT RINGS").picture(view).decode().map(\.text) == ["FAINT RINGS"])
  }

  @Test func `the corners are the symbol's, its top left first`() {
    let read = MaxiCodeDrawing("CORNERS").picture(MatrixView(modulePixels: 8)).decode()
    let side = Int((30 * 2.0.squareRoot() + 8) * 8)
    guard let corners = read.first?.symbol.corners else {
      Issue.record("unread")
      return
    }
    // The bullseye's centre is half a module left of the symbol's.
    let places = [(-14.5, -16.5), (15.5, -16.5), (15.5, 16.5), (-14.5, 16.5)]
    for (point, place) in zip([corners.topLeft, corners.topRight, corners.bottomRight, corners.bottomLeft], places) {
      let x = Double(side) / 2 + place.0 * 8
      let y = Double(side) / 2 + place.1 * 8 * 0.75.squareRoot()
      #expect(abs(Double(point.x.bits) / 65536 - x) < 4 && abs(Double(point.y.bits) / 65536 - y) < 4)
    }
  }

  @Test(arguments: [(true, false), (false, true), (true, true)])
  func `a mirrored or inverted symbol is read and reported as such`(isMirrored: Bool, isInverted: Bool) {
    let view = MatrixView(modulePixels: 6, degrees: 21, isMirrored: isMirrored, isInverted: isInverted)
    let read = MaxiCodeDrawing("BOTH WAYS").picture(view).decode()
    #expect(read.map(\.text) == ["BOTH WAYS"])
    #expect(read.first?.symbol.isMirrored == isMirrored && read.first?.symbol.isInverted == isInverted)
  }

  @Test(arguments: [(4.0, 0.3), (5.0, 0.35), (6.0, 0.45), (9.0, 0.4)])
  func `a blurred and noisy symbol is read`(modulePixels: Double, blur: Double) {
    let view = MatrixView(
      modulePixels: modulePixels, degrees: 52, blurModules: blur, noise: 4, seed: 7, light: 190, dark: 60)
    #expect(MaxiCodeDrawing("BLUR 0123456789").picture(view).decode().map(\.text) == ["BLUR 0123456789"])
  }

  @Test func `damage up to the limit of correction is repaired, and counted`() {
    // Five codewords of the primary message, ten of each block of the secondary one.
    let damaged = [0, 3, 7, 12, 19] + (20..<40)
    let read = MaxiCodeDrawing("DAMAGED", damaged: damaged).picture(MatrixView(modulePixels: 6)).decode()
    #expect(read.map(\.text) == ["DAMAGED"])
    #expect(read.first?.symbol.correctedCodewordCount == 25)
  }

  @Test func `enhanced correction repairs more than standard correction`() {
    let damaged = Array(20..<48)
    let view = MatrixView(modulePixels: 6)
    #expect(MaxiCodeDrawing("MORE", mode: 5, damaged: damaged).picture(view).decode().map(\.text) == ["MORE"])
    #expect(MaxiCodeDrawing("MORE", mode: 4, damaged: damaged).picture(view).decode(settings(.frame)).isEmpty)
  }

  @Test func `a stroke of light across a symbol is corrected by erasures`() {
    var picture = MaxiCodeDrawing("A LABEL WITH A STROKE").picture(MatrixView(modulePixels: 8))
    // A band below the bullseye is grey.
    let top = picture.height / 2 + 60
    for y in top..<(top + 20) {
      for x in 0..<picture.width { picture.pixels[y * picture.width + x] = 150 }
    }
    #expect(picture.decode().map(\.text) == ["A LABEL WITH A STROKE"])
  }

  @Test(arguments: 0..<20)
  func `a ruined symbol is never misread`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed) + 77)
    var drawing = MaxiCodeDrawing("RUINED \(seed)")
    for row in 0..<33 {
      for column in 0..<30 where Double.random(in: 0..<1, using: &generator) < 0.06 + 0.02 * Double(seed) {
        drawing.flip(column: column, row: row)
      }
    }
    let read = drawing.picture(MatrixView(modulePixels: 5, degrees: Double(seed * 17))).decode()
    #expect(read.allSatisfy { $0.text == "RUINED \(seed)" })
  }

  @Test func `a bullseye alone is not read, nor is a symbol unless MaxiCode is enabled`() {
    var drawing = MaxiCodeDrawing("NOTHING")
    #expect(drawing.picture().decode(settings(.still)).count == 1)
    var other = settings(.still)
    other.symbologies.remove(.maxicode)
    #expect(drawing.picture().decode(other).isEmpty)
    for row in 0..<33 {
      for column in 0..<30 where drawing.modules[row][column] { drawing.flip(column: column, row: row) }
    }
    #expect(drawing.picture().decode(settings(.still)).isEmpty)
  }

  @Test func `N10: a symbol that is damaged beyond repair is located`() {
    let picture = MaxiCodeDrawing("LOST", damaged: Array(20..<144)).picture(MatrixView(modulePixels: 6, degrees: 20))
    var workspace = Workspace(pixelCountMax: picture.width * picture.height)
    let kinds = picture.pixels.withUnsafeBufferPointer { bytes in
      let view = LumaView(
        base: bytes.baseAddress!, width: picture.width, height: picture.height, bytesPerRow: picture.width)
      _ = Decoder.decode(view, settings: DecoderSettings(), workspace: &workspace)
      return (0..<workspace.locatedCount).map { workspace.located($0).symbology }
    }
    #expect(kinds == [.maxicode] && workspace.symbolCount == 0)
  }
}
