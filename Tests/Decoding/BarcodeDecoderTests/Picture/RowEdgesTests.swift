// Crossings of a row against a plain walk along it, and thresholds between dark and light.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct RowEdgesTests {
  @Test(arguments: [16, 17, 23, 24, 40, 41, 100, 127, 128])
  func `row edges match a plain walk`(width: Int) throws {
    for seed in 0..<8 {
      let memory = TestArena()
      var generator = SeededGenerator(seed: UInt64(seed))
      let height = 24
      var pixels = [UInt8](repeating: 120, count: width * height)
      // Noisy stripes of random widths on the left half or everywhere.
      let end = seed % 2 == 0 ? width : width / 2
      for y in 0..<height {
        var x = 0
        var isDark = Bool.random(using: &generator)
        while x < end {
          for _ in 0..<Int.random(in: 1...6, using: &generator) where x < end {
            pixels[y * width + x] = UInt8(isDark ? 40 : 200) + UInt8.random(in: 0...20, using: &generator)
            x += 1
          }
          isDark.toggle()
        }
      }
      try pixels.withUnsafeBufferPointer { buffer in
        let view = LumaView(base: buffer.baseAddress!, width: width, height: height, bytesPerRow: width)
        let tiles = memory.tiles(of: view)
        let map = try #require(
          try ThresholdMap(
            columns: tiles.columns, rows: tiles.rows, minimum: tiles.minimum, maximum: tiles.maximum,
            contrastMax: ThresholdMap.contrastMax, arena: &memory.arena))
        var edges = try RowEdges(width: width, arena: &memory.arena)
        for y in 0..<height {
          edges.find(view, y: y, thresholds: map)
          let found = (0..<edges.count).map { Int(edges.places[$0]) }
          let row = (0..<width).map { buffer[y * width + $0] >= map.values[y / 8 * tiles.columns + $0 / 8] }
          var expected: [Int] = []
          var isLight = true
          let tileEnd = min(width, map.tiles(row: y / 8).upperBound * 8)
          for x in 0..<tileEnd where row[x] != isLight {
            expected.append(x)
            isLight.toggle()
          }
          // At the border, a light run is enclosed by a dark run of no pixels.
          if row[0], map.values[y / 8 * tiles.columns] > 0, map.tiles(row: y / 8).lowerBound == 0 {
            expected = [0, 0] + expected
          }
          if !isLight || (!expected.isEmpty && tileEnd == width) { expected.append(tileEnd) }
          #expect(found == expected, "row \(y) of seed \(seed)")
        }
        for index in 0..<(tiles.columns * tiles.rows) where tiles.maximum[index] > tiles.minimum[index] &+ 100 {
          #expect(map.values[index] > tiles.minimum[index] && map.values[index] < tiles.maximum[index])
        }
      }
    }
  }
}
