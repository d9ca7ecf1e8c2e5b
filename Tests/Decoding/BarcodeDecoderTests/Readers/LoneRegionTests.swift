// A small blurred symbol that stands alone in a camera frame: its finder patterns and its edges show only in a sharpened copy.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct LoneRegionTests {
  private static let count = 10

  /// A symbol in the middle of a frame, seen at an angle with modules of a pixel and a half.
  private static func frame(_ modules: [[Bool]], turn: Int, noise: Double = 3) -> Picture {
    let view = MatrixView(
      modulePixels: 1.5, degrees: Double(turn * 3 - 12), blurModules: 0.6, noise: noise, seed: UInt64(turn + 1), light: 220,
      dark: 40)
    let symbol = Picture.drawn(modules, view: view).picture
    var frame = Picture(width: 960, height: 640, grey: 220)
    for y in 0..<symbol.height {
      let place = (y + 280 + turn) * frame.width + 440 + turn
      for x in 0..<symbol.width { frame.pixels[place + x] = symbol.pixels[y * symbol.width + x] }
    }
    return frame
  }

  private static var frameSettings: DecoderSettings {
    var settings = DecoderSettings()
    settings.effort = .frame
    return settings
  }

  /// A symbol of each kind, and the least number of its frames that are read.
  static let symbols: [(text: String, modules: [[Bool]], readCountMin: Int)] = [
    ("https://example.org/reticle", QRDrawing("https://example.org/reticle", version: 2, level: 0, mask: 3).modules, 6),
    ("12345", MicroQRDrawing(MicroQRDrawing.digits("12345", version: 1), number: 0, mask: 1).modules, 4),
    ("Held up, 2026", AztecDrawing("Held up, 2026", isCompact: true, layers: 2).modules, 4),
    ("Held up, 2026", DataMatrixDrawing("Held up, 2026", size: squareSize(18)).modules, 7),
  ]

  private static func squareSize(_ side: Int) -> DataMatrixSize {
    (0..<DataMatrixTables.sizeCount).map { DataMatrixTables.size($0) }.first { $0.rows == side && $0.columns == side }!
  }

  @Test(arguments: symbols.indices)
  func `one frame reads most blurred symbols at 1.5 pixels per module`(kind: Int) {
    let symbol = LoneRegionTests.symbols[kind]
    let readCount = (0..<LoneRegionTests.count).count { turn in
      let read = LoneRegionTests.frame(symbol.modules, turn: turn).decode(LoneRegionTests.frameSettings).map(\.text)
      #expect(read.isEmpty || read == [symbol.text])
      return read == [symbol.text]
    }
    print("of \(LoneRegionTests.count) symbols of kind \(kind), \(readCount) are read")
    #expect(readCount >= symbol.readCountMin)
  }

  @Test func `noise that has more edges than a symbol ends the search for its sides`() throws {
    let quiet = LoneRegionTests.frame(LoneRegionTests.symbols[3].modules, turn: 2)
    let noisy = LoneRegionTests.frame(LoneRegionTests.symbols[3].modules, turn: 2, noise: 60)
    let byteCount = 32 << 20
    let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
    defer { memory.deallocate() }
    var arena = Arena(base: memory, byteCount: byteCount)
    var lines = try EdgeLineFinder(arena: &arena)
    for (picture, hasLines) in [(quiet, true), (noisy, false)] {
      picture.pixels.withUnsafeBufferPointer { pixels in
        let luma = LumaView(
          base: pixels.baseAddress!, width: picture.width, height: picture.height, bytesPerRow: picture.width)
        guard let (view, _, _) = luma.cropped(to: PixelRegion(x: 444, y: 284, width: 56, height: 56)) else { return }
        var budget = WorkBudget(limit: 1_000_000)
        lines.find(view, EdgeLimits(areaDivisor: EdgeLimits.clearAreaDivisor), budget: &budget)
        #expect((lines.count > 0) == hasLines)
        lines.find(view, EdgeLimits(gradientMin: 3_000), budget: &budget)
        #expect(lines.count == 0)
      }
    }
  }
}
