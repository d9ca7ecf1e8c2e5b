// A panel's buffers receive every changed pixel exactly once.

import BarcodeTypes
import ScanScreen
import Testing

@Suite struct StalePlacesTests {
  private let panel = ScreenSize(width: 200, height: 100)

  /// A buffer with its picture, padded by some pixels per row, before and after `changes` of it are copied.
  private func copy(_ changes: [[PixelRegion]]) -> (buffer: [UInt32], count: Int) {
    let (pictureWidth, bufferWidth) = (panel.width + 3, panel.width + 5)
    let picture = (0..<UInt32(pictureWidth * panel.height)).map { $0 + 1 }
    var buffer = [UInt32](repeating: 0, count: bufferWidth * panel.height)
    var stale = StalePlaces(panel: panel)
    for change in changes { stale.add(change) }
    var count = 0
    picture.withUnsafeBufferPointer { picture in
      buffer.withUnsafeMutableBufferPointer { buffer in
        guard let picture = picture.baseAddress, let buffer = buffer.baseAddress else { return }
        count = stale.copy(from: picture, pixelsPerRow: pictureWidth, to: buffer, bufferPixelsPerRow: bufferWidth)
        #expect(stale.copy(from: picture, pixelsPerRow: pictureWidth, to: buffer, bufferPixelsPerRow: bufferWidth) == 0)
      }
    }
    for y in 0..<panel.height {
      for x in 0..<bufferWidth {
        let pixel = buffer[y * bufferWidth + x]
        #expect(pixel == 0 || x < panel.width && pixel == UInt32(y * pictureWidth + x + 1))
      }
    }
    return ((0..<panel.height).flatMap { y in buffer[y * bufferWidth..<y * bufferWidth + panel.width] }, count)
  }

  @Test func `overlapping places of two drawings are copied once`() {
    let before = [
      PixelRegion(x: 16, y: 8, width: 40, height: 24), PixelRegion(x: 100, y: 0, width: 10, height: 16),
    ]
    let after = [
      PixelRegion(x: 20, y: 16, width: 50, height: 24), PixelRegion(x: 100, y: 0, width: 10, height: 16),
    ]
    let (buffer, count) = copy([before, after])
    for region in before + after {
      for y in region.y..<region.y + region.height {
        #expect(buffer[y * panel.width + region.x..<y * panel.width + region.x + region.width].allSatisfy { $0 != 0 })
      }
    }
    // 40 × 8 of the first alone, 54 × 16 of both, 50 × 8 of the second alone; and 10 × 16.
    #expect(count == 40 * 8 + 54 * 16 + 50 * 8 + 10 * 16)
    #expect(count == buffer.count { $0 != 0 })
  }

  @Test func `places that cross bands of rows or the panel's edge are copied`() {
    let (buffer, count) = copy([
      [PixelRegion(x: 190, y: 90, width: 30, height: 30), PixelRegion(x: -5, y: 3, width: 9, height: 1)]
    ])
    #expect(buffer[95 * panel.width + 195] != 0 && buffer[99 * panel.width + 199] != 0 && buffer[3 * panel.width + 3] != 0)
    #expect(count == buffer.count { $0 != 0 })
  }

  @Test func `too many places are copied as the whole panel`() {
    let dots = (0..<3000).map { PixelRegion(x: $0 % 100 * 2, y: $0 / 100 * 3, width: 1, height: 1) }
    let (buffer, count) = copy([dots, dots])
    #expect(count == panel.width * panel.height && buffer.allSatisfy { $0 != 0 })
  }
}
