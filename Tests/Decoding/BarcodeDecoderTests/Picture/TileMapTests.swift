// The tile pass against its definition, pixel by pixel.

import BarcodeTypes
import TestScenes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct TileMapTests {
  /// Sizes around the 8×8 tile and the 16 pixels of a vector, and one with a camera's aspect ratio.
  static let sizes = [
    (1, 1), (2, 1), (1, 2), (7, 9), (8, 8), (9, 8), (15, 16), (16, 15), (17, 17), (18, 24), (31, 33), (32, 8), (33, 40),
    (48, 48), (100, 75), (160, 120),
  ]

  @Test(arguments: sizes)
  func `the tile map matches its definition`(width: Int, height: Int) {
    for (seed, kind) in [(1, SeededNoise.Kind.full), (2, .extremes), (3, .faint)] {
      let bytesPerRow = width + seed
      let bytes = SeededNoise(seed: UInt64(seed * 1000 + width * 7 + height)).bytes(count: bytesPerRow * height, kind: kind)
      checkTiles(bytes, width: width, height: height, bytesPerRow: bytesPerRow)
    }
  }

  private func checkTiles(_ bytes: [UInt8], width: Int, height: Int, bytesPerRow: Int) {
    let byteCount = Workspace.byteCount(pixelCount: width * height)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
    defer { memory.deallocate() }
    var arena = Arena(base: memory, byteCount: byteCount)
    bytes.withUnsafeBufferPointer { bytes in
      let luma = LumaView(base: bytes.baseAddress!, width: width, height: height, bytesPerRow: bytesPerRow)
      let tiles = try! TileMap(width: width, height: height, arena: &arena)
      let halfHeight = max(1, height / 2)
      let halfBytesPerRow = TileMap.halfBytesPerRow(width: width)
      let half = try! arena.take(UInt8.self, count: halfBytesPerRow * halfHeight)
      measureTiles(luma, into: tiles, half: half)

      #expect(tiles.columns == (width + 7) / 8 && tiles.rows == (height + 7) / 8)
      for row in 0..<tiles.rows {
        for column in 0..<tiles.columns {
          let expected = ReferenceTile(luma, column: column, row: row)
          let index = row * tiles.columns + column
          let measured = ReferenceTile(
            minimum: tiles.minimum[index], maximum: tiles.maximum[index],
            jxx: tiles.jxx[index], jyy: tiles.jyy[index], jxy: tiles.jxy[index])
          #expect(measured == expected, "\(width)×\(height), tile \(column), \(row)")
        }
      }
      for y in 0..<halfHeight {
        for x in 0..<max(1, width / 2) {
          let expected = referenceHalf(luma, x: x, y: y)
          #expect(half[y * halfBytesPerRow + x] == expected, "\(width)×\(height), half-size pixel \(x), \(y)")
        }
      }
    }
  }
}

/// A tile as defined by `TileMap`.
private struct ReferenceTile: Equatable {
  var minimum: UInt8 = 255
  var maximum: UInt8 = 0
  var jxx: Int32 = 0
  var jyy: Int32 = 0
  var jxy: Int32 = 0
}

extension ReferenceTile {
  init(_ luma: LumaView, column: Int, row: Int) {
    func pixel(_ x: Int, _ y: Int) -> UInt8 {
      luma[max(0, min(luma.width - 1, x)), max(0, min(luma.height - 1, y))]
    }
    for y in row * 8..<row * 8 + 8 {
      for x in column * 8..<column * 8 + 8 {
        minimum = min(minimum, pixel(x, y))
        maximum = max(maximum, pixel(x, y))
        guard y % 2 == 0 else { continue }
        let gx = (Int32(pixel(x + 1, y)) - Int32(pixel(x - 1, y))) >> 1
        let gy = (Int32(pixel(x, y + 1)) - Int32(pixel(x, y - 1))) >> 1
        jxx += gx * gx
        jyy += gy * gy
        jxy += gx * gy
      }
    }
  }
}

private func referenceHalf(_ luma: LumaView, x: Int, y: Int) -> UInt8 {
  let right = min(luma.width - 1, 2 * x + 1)
  let below = min(luma.height - 1, 2 * y + 1)
  let sum = [luma[2 * x, 2 * y], luma[right, 2 * y], luma[2 * x, below], luma[right, below]].reduce(0) { $0 + Int($1) }
  return UInt8((sum + 2) / 4)
}
