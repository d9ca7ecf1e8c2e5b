// A small blurred symbol that stands alone in a camera frame: its finder patterns show only in a sharpened copy.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct LoneRegionTests {
  private static let count = 10

  /// A symbol in the middle of a frame, seen at an angle with modules of a pixel and a half.
  private func frame(_ modules: [[Bool]], turn: Int) -> Picture {
    let view = MatrixView(
      modulePixels: 1.5, degrees: Double(turn * 3 - 12), blurModules: 0.6, noise: 3, seed: UInt64(turn + 1), light: 220,
      dark: 40)
    let symbol = Picture.drawn(modules, view: view).picture
    var frame = Picture(width: 960, height: 640, grey: 220)
    for y in 0..<symbol.height {
      let place = (y + 280 + turn) * frame.width + 440 + turn
      for x in 0..<symbol.width { frame.pixels[place + x] = symbol.pixels[y * symbol.width + x] }
    }
    return frame
  }

  @Test func `one frame reads most blurred QR codes of one and a half pixels per module`() {
    var settings = DecoderSettings()
    settings.effort = .frame
    let link = "https://example.org/reticle"
    let modules = QRDrawing(link, version: 2, level: 0, mask: 3).modules
    let readCount = (0..<LoneRegionTests.count).count { turn in
      let read = frame(modules, turn: turn).decode(settings).map(\.text)
      #expect(read.isEmpty || read == [link])
      return read == [link]
    }
    print("of \(LoneRegionTests.count) QR codes, \(readCount) are read")
    #expect(readCount >= 6)
  }
}
