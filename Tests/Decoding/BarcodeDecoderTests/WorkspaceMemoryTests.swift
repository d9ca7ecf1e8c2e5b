// The previous contents of a workspace's memory must not matter: every byte read was written for the current picture.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct WorkspaceMemoryTests {
  /// Stripes at several angles, cells and noise: work for every reader, up to the border of the picture.
  private func busyPicture(width: Int, height: Int) -> Picture {
    var picture = Picture(width: width, height: height)
    var generator = SeededGenerator(seed: 5)
    for y in 0..<height {
      for x in 0..<width {
        let part = (y * 4 / height, x * 3 / width)
        let isDark =
          switch part {
          case (0, 0), (3, 2): (x / 3 + x / 7) % 2 == 0
          case (0, 1), (2, 2): ((x + y) / 4) % 2 == 0
          case (0, 2), (3, 0): (x / 5 + y / 5) % 2 == 0
          case (1, _): (x / 4 + (y / 12) * 3) % 5 < 2
          default: Bool.random(using: &generator)
          }
        picture.pixels[y * width + x] = isDark ? 20 : 230
      }
    }
    return picture
  }

  @Test(arguments: [Effort.frame, .still])
  func `earlier contents of the memory do not affect the outcome`(effort: Effort) {
    for (width, height) in [(640, 480), (333, 250), (97, 203)] {
      let picture = busyPicture(width: width, height: height)
      var settings = DecoderSettings()
      settings.effort = effort
      let byteCount = Workspace.byteCount(pixelCount: width * height)
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 64)
      defer { memory.deallocate() }
      var outcomes: [DecodeOutcome] = []
      for filling in [UInt8(0), 0xFF, 0xA5] {
        for index in memory.indices { memory[index] = filling }
        var workspace = Workspace(memory: memory, pixelCountMax: width * height)
        picture.pixels.withUnsafeBufferPointer {
          let luma = LumaView(base: $0.baseAddress!, width: width, height: height, bytesPerRow: width)
          outcomes.append(Decoder.decode(luma, settings: settings, workspace: &workspace))
        }
      }
      #expect(outcomes[0] == outcomes[1] && outcomes[1] == outcomes[2], "\(width)×\(height)")
    }
  }
}
