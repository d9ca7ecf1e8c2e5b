// Symbols that are found but cannot be read (behaviour N10): their places, and that nothing else is mistaken for one.

import BarcodeTypes
import TestScenes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct LocatedTests {
  /// The symbols located in a sequence of pictures, per frame.
  private func located(
    _ pictures: [Picture], _ effort: Effort = .frame
  ) -> (found: [[LocatedSymbol]], readCount: Int) {
    var settings = DecoderSettings()
    settings.effort = effort
    var workspace = Workspace(pixelCountMax: pictures[0].width * pictures[0].height)
    var found: [[LocatedSymbol]] = []
    var readCount = 0
    for picture in pictures {
      picture.pixels.withUnsafeBufferPointer { bytes in
        let luma = LumaView(
          base: bytes.baseAddress!, width: picture.width, height: picture.height, bytesPerRow: picture.width)
        readCount += Decoder.decode(luma, settings: settings, workspace: &workspace).symbolCount
      }
      found.append((0..<workspace.locatedCount).map { workspace.located($0) })
    }
    return (found, readCount)
  }

  /// The first symbol located in a picture that is held still for three frames and never read.
  private func unread(_ picture: Picture, _ effort: Effort) throws -> LocatedSymbol {
    let (found, readCount) = located([picture, picture, picture], effort)
    #expect(readCount == 0)
    return try #require(found.flatMap { $0 }.first, "\(effort)")
  }

  /// The greatest distance of the corners from the true ones, in pixels, for any rotation of the symbol.
  private func cornerError(_ symbol: LocatedSymbol, _ corners: [(Double, Double)]) -> Double {
    (0..<4).map { turn in cornerDistances(symbol.corners, Array(corners[turn...] + corners[..<turn])).max()! }.min()!
  }

  /// A QR Code with the given share of its data modules wrong.
  private func damaged(_ part: Double, seed: UInt64) -> QRDrawing {
    var drawing = QRDrawing("nobody can read this", version: 3, level: 1, mask: 2)
    var generator = SeededGenerator(seed: seed)
    for row in 0..<drawing.size {
      for column in 0..<drawing.size where !drawing.isFunctionModule(column: column, row: row) {
        if Double.random(in: 0..<1, using: &generator) < part { drawing.flip(column: column, row: row) }
      }
    }
    return drawing
  }

  @Test(arguments: [0.0, 27.0, 200.0])
  func `N10: a QR Code that is damaged beyond repair is located, in a frame and in a picture`(degrees: Double) {
    let drawing = damaged(0.4, seed: UInt64(degrees) + 1)
    for effort in [Effort.frame, .still] {
      let (picture, corners) = Picture.drawn(drawing.modules, view: MatrixView(modulePixels: 4, degrees: degrees))
      let (found, readCount) = located([picture], effort)
      #expect(readCount == 0)
      #expect(found[0].map(\.symbology) == [.qr])
      guard let symbol = found[0].first else { continue }
      #expect(cornerError(symbol, corners) < 4)
      #expect(abs(Double(symbol.module.bits) / 65536 - 4) < 0.4)
    }
  }

  @Test func `N10: an Aztec Code that is damaged beyond repair is located`() {
    var drawing = AztecDrawing("nobody can read this either", isCompact: true, layers: 3)
    var generator = SeededGenerator(seed: 5)
    // The bullseye and the mode message of a compact symbol are the eleven modules in the middle.
    let core = (drawing.size / 2 - 5)...(drawing.size / 2 + 5)
    for row in 0..<drawing.size {
      for column in 0..<drawing.size where !(core.contains(row) && core.contains(column)) {
        if Double.random(in: 0..<1, using: &generator) < 0.4 { drawing.flip(column: column, row: row) }
      }
    }
    let (picture, corners) = Picture.drawn(drawing.modules, view: MatrixView(modulePixels: 4, degrees: 20))
    let (found, readCount) = located([picture, picture, picture], .frame)
    #expect(readCount == 0)
    let symbol = found.flatMap { $0 }.first
    #expect(symbol?.symbology == .aztec)
    if let symbol { #expect(cornerError(symbol, corners) < 6) }
  }

  @Test(arguments: [(10, 4.0, 0.0), (10, 3.0, 17.0), (12, 4.0, 71.0), (14, 4.0, 0.0), (24, 3.0, 33.0), (48, 3.0, 200.0)])
  func `N10: a Data Matrix that is damaged beyond repair is located`(
    side: Int, modulePixels: Double, degrees: Double
  ) throws {
    let index = try #require((0..<DataMatrixTables.sizeCount).first { DataMatrixTables.size($0).columns == side })
    let size = DataMatrixTables.size(index)
    var drawing = DataMatrixDrawing(data: DataMatrixDrawing.padded([66, 67, 68], count: size.dataCount), size: size)
    var generator = SeededGenerator(seed: UInt64(side))
    for row in 0..<size.rows where row % size.regionHeight != 0 && row % size.regionHeight != size.regionHeight - 1 {
      for column in 0..<size.columns
      where column % size.regionWidth != 0 && column % size.regionWidth != size.regionWidth - 1 {
        if Double.random(in: 0..<1, using: &generator) < 0.4 { drawing.flip(column: column, row: row) }
      }
    }
    for effort in [Effort.frame, .still] {
      let (picture, corners) = Picture.drawn(drawing.modules, view: MatrixView(modulePixels: modulePixels, degrees: degrees))
      let symbol = try unread(picture, effort)
      #expect(symbol.symbology == .datamatrix && cornerError(symbol, corners) < 4)
      #expect(abs(Double(symbol.module.bits) / 65536 - modulePixels) < 0.4)
    }
  }

  /// Its codewords do not match each other, but its sides are visible.
  @Test(arguments: [0.0, 25.0, 180.0])
  func `N10: a PDF417 symbol that is damaged beyond repair is located`(degrees: Double) throws {
    let codewords = StackedEncoder.pdf417(StackedEncoder.text("NOBODY CAN READ THIS SYMBOL"), columns: 4, level: 2)
    var generator = SeededGenerator(seed: UInt64(degrees) + 3)
    let wrong = codewords.map { _ in Int.random(in: 0..<929, using: &generator) }
    let drawing = StackedDrawing(codewords: wrong, columns: 4, level: 2)
    for effort in [Effort.frame, .still] {
      let (picture, corners) = drawing.seen(MatrixView(modulePixels: 2.5, degrees: degrees))
      let symbol = try unread(picture, effort)
      #expect(symbol.symbology == .pdf417 && cornerError(symbol, corners) < 12)
      #expect(abs(Double(symbol.module.bits) / 65536 - 2.5) < 0.3)
    }
  }

  /// Its left side is visible; the tiles that it fills give its extent to the right.
  @Test(arguments: [0.0, 25.0, 180.0])
  func `N10: a Compact PDF417 symbol that is damaged beyond repair is located`(degrees: Double) throws {
    let codewords = StackedEncoder.pdf417(StackedEncoder.text("NOBODY CAN READ THIS SYMBOL"), columns: 4, level: 2)
    var generator = SeededGenerator(seed: UInt64(degrees) + 5)
    let wrong = codewords.map { _ in Int.random(in: 0..<929, using: &generator) }
    let drawing = StackedDrawing(codewords: wrong, columns: 4, level: 2, isCompact: true)
    for effort in [Effort.frame, .still] {
      let (picture, corners) = drawing.seen(MatrixView(modulePixels: 2.5, degrees: degrees))
      let symbol = try unread(picture, effort)
      #expect(symbol.symbology == .pdf417 && cornerError(symbol, corners) < 64)
      #expect(abs(Double(symbol.module.bits) / 65536 - 2.5) < 0.3)
    }
  }

  @Test(arguments: [0.0, 25.0])
  func `N10: a MicroPDF417 symbol that is damaged beyond repair is located`(degrees: Double) throws {
    let index = try #require((0..<MicroPDF417Size.count).first { MicroPDF417Tables.size($0).columnCount == 3 })
    let size = MicroPDF417Tables.size(index)
    var generator = SeededGenerator(seed: UInt64(degrees) + 4)
    let wrong = (0..<size.codewordCount).map { _ in Int.random(in: 0..<929, using: &generator) }
    let drawing = StackedDrawing(microCodewords: wrong, size: index, rowHeight: 3)
    for effort in [Effort.frame, .still] {
      let (picture, corners) = drawing.seen(MatrixView(modulePixels: 3, degrees: degrees))
      let symbol = try unread(picture, effort)
      #expect(symbol.symbology == .micropdf417 && cornerError(symbol, corners) < 8)
      #expect(abs(Double(symbol.module.bits) / 65536 - 3) < 0.3)
    }
  }

  /// The noise differs from frame to frame, as with a camera.
  @Test(arguments: [1.2, 1.5])
  func `N10: a label out of focus is located as bars`(blur: Double) {
    let pictures = (0..<20).map { frame in
      Picture(
        elements: LinearEncoder.code128(text: "PALLET-4711"),
        view: View(modulePixels: 2, degrees: 3, blurModules: blur, noise: 2, seed: UInt64(frame + 1)))
    }
    let (found, readCount) = located(pictures)
    #expect(readCount == 0)
    #expect(found.count { $0.first.map { $0.symbology == nil } ?? false } >= 5)
    // Blur merges bars, so the remaining modules look wider.
    for symbol in found.flatMap({ $0 }) { #expect(symbol.module.bits > 1 << 16) }
  }

  @Test(arguments: [0.5, 0.6, 0.7])
  func `N10: a label that is too far away is located, and its modules are small`(modulePixels: Double) {
    let pictures = (0..<20).map { frame in
      Picture(
        elements: LinearEncoder.code128(text: "PALLET-4711"),
        view: View(
          modulePixels: modulePixels, degrees: 3, blurModules: 0.9, noise: 4, seed: UInt64(frame + 1),
          barHeightPixels: 60))
    }
    let (found, readCount) = located(pictures)
    #expect(readCount == 0 && found.count { !$0.isEmpty } >= 6)
    for symbol in found.flatMap({ $0 }) { #expect(symbol.symbology == nil && symbol.module.bits < 2 << 16) }
  }

  @Test func `N10: a symbol that is read is not located, and neither are its surroundings`() throws {
    for ground in [ShelfScene.Ground.carton, .cloth] {
      let scene = try ShelfScene(ground)
      let frame = Picture(width: ShelfScene.width, height: ShelfScene.height, pixels: scene.luma)
      let (found, readCount) = located([Picture](repeating: frame, count: 12))
      #expect(readCount >= 22)
      #expect(found.flatMap { $0 }.isEmpty, "\(ground): \(found)")
      let bare = Picture(
        width: ShelfScene.width, height: ShelfScene.height, pixels: try ShelfScene(ground, showsLabel: false).luma)
      #expect(located([Picture](repeating: bare, count: 12)).found.flatMap { $0 }.isEmpty)
    }
  }
}

extension Picture {
  fileprivate init(width: Int, height: Int, pixels: [UInt8]) {
    self.init(width: width, height: height)
    self.pixels = pixels
  }
}
