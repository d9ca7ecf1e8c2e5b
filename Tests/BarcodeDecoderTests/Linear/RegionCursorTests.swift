import BarcodeTypes
import Testing

@testable import BarcodeDecoder

@Suite struct RegionCursorTests {
  /// Large blocks of random stripes, which use the budget of a frame up, and a small symbol below them.
  private func busyPicture() -> Picture {
    var picture = Picture(width: 1280, height: 720)
    var generator = SeededGenerator(seed: 3)
    for block in 0..<6 {
      let left = 20 + block % 2 * 630
      let top = 10 + block / 2 * 190
      var x = left
      var isDark = true
      while x < left + 560 {
        let width = Int.random(in: 2...8, using: &generator)
        for column in x..<min(left + 560, x + width) {
          for y in top..<(top + 130) { picture.pixels[y * 1280 + column] = isDark ? 30 : 220 }
        }
        isDark.toggle()
        x += width
      }
    }
    var view = View()
    view.modulePixels = 2
    view.barHeightPixels = 60
    let symbol = Picture(elements: LinearEncoder.ean13("4006381333931"), view: view)
    for y in 0..<symbol.height {
      for x in 0..<symbol.width { picture.pixels[(y + 590) * 1280 + x + 500] = symbol.pixels[y * symbol.width + x] }
    }
    return picture
  }

  @Test func `the next frame continues where the last one ran out of budget`() {
    let picture = busyPicture()
    var settings = DecoderSettings()
    settings.effort = .frame
    settings.symbologies.remove(.qr)
    var workspace = Workspace(pixelCountMax: 1280 * 720)
    picture.pixels.withUnsafeBufferPointer {
      let luma = LumaView(base: $0.baseAddress!, width: 1280, height: 720, bytesPerRow: 1280)
      var counts: [Int] = []
      for _ in 0..<8 {
        let outcome = Decoder.decode(luma, settings: settings, workspace: &workspace)
        #expect(workspace.regionCursor == 0 || !outcome.isComplete)
        counts.append(outcome.symbolCount)
      }
      #expect(counts[0] == 0)
      #expect(counts.contains(1))
    }
  }

  @Test func `a still neither uses nor moves the region cursor`() {
    let picture = busyPicture()
    var workspace = Workspace(pixelCountMax: 1280 * 720)
    workspace.regionCursor = 5
    picture.pixels.withUnsafeBufferPointer {
      let luma = LumaView(base: $0.baseAddress!, width: 1280, height: 720, bytesPerRow: 1280)
      let first = Decoder.decode(luma, settings: DecoderSettings(), workspace: &workspace)
      #expect(workspace.regionCursor == 5)
      workspace.regionCursor = 0
      #expect(Decoder.decode(luma, settings: DecoderSettings(), workspace: &workspace) == first)
      #expect(first.symbolCount == 1)
    }
  }
}
