// Striped tiles against their definition, tile by tile.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct StripeActivityTests {
  /// Widths around the four tiles of a vector and the eight that are skipped at once.
  @Test(arguments: [8, 24, 32, 40, 64, 72, 80, 136, 200])
  func `stripe activity matches its definition`(width: Int) throws {
    for seed in 0..<6 {
      let memory = TestArena()
      let height = 48
      let pixels = Self.stripes(width: width, height: height, seed: seed)
      try pixels.withUnsafeBufferPointer { buffer in
        let view = LumaView(base: buffer.baseAddress!, width: width, height: height, bytesPerRow: width)
        let tiles = memory.tiles(of: view)
        let activity = try StripeActivity(tiles, arena: &memory.arena)
        for row in 0..<activity.rows {
          for column in 0..<activity.columns {
            let index = row * activity.columns + column
            let expected = ReferenceActivity(tiles, column: column - 1, row: row - 1)
            #expect(activity.flags[index] == expected.flags, "tile \(column), \(row) of seed \(seed)")
            if expected.flags == 0 { continue }
            let measured = [activity.energy[index], activity.doubledX[index], activity.doubledY[index]]
            #expect(measured == [expected.energy, expected.doubledX, expected.doubledY])
            if expected.flags & StripeActivity.striped == 0 { continue }
            #expect(
              activity.doubledAngle[index]
                == BinaryAngle(x: Int(expected.doubledX), y: Int(expected.doubledY)).bits)
          }
        }
        let kinds = Set((0..<(activity.columns * activity.rows)).map { activity.flags[$0] })
        #expect(width < 64 || kinds.contains(StripeActivity.striped | StripeActivity.rows), "nothing striped to compare")
        checkFirstTiles(activity)
      }
    }
  }

  /// The search for the next flagged tile finds the same as a plain walk.
  private func checkFirstTiles(_ activity: StripeActivity) {
    for (bit, step) in [(StripeActivity.striped, 1), (StripeActivity.rows, 2)] {
      for row in 1..<(activity.rows - 1) {
        let end = (row + 1) * activity.columns - 1
        for start in (row * activity.columns + 1)..<end {
          let expected = stride(from: start, to: end, by: step).first { activity.flags[$0] & bit != 0 }
          #expect(activity.firstTile(of: bit, from: start, to: end, everySecond: step == 2) == expected)
        }
      }
    }
  }

  /// Stripes whose direction changes along the picture, over noise, next to an empty area.
  private static func stripes(width: Int, height: Int, seed: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(seed))
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let phase = (x * (1 + seed % 3) + y * (x / 40) * seed / 2) / 3 % 2
        let isStriped = seed % 2 == 0 || x < width / 2
        pixels.append(UInt8((isStriped ? 60 + 100 * phase : 120) + Int.random(in: 0...(4 * seed), using: &generator)))
      }
    }
    return pixels
  }
}

/// A tile as defined by `StripeActivity`; the border has no activity.
private struct ReferenceActivity {
  var energy: Int32 = 0
  var doubledX: Int32 = 0
  var doubledY: Int32 = 0
  var flags: UInt8 = 0

  init(_ tiles: TileMap, column: Int, row: Int) {
    guard (0..<tiles.columns).contains(column), (0..<tiles.rows).contains(row) else { return }
    for y in (row - 1)...(row + 1) {
      for x in (column - 1)...(column + 1) where (0..<tiles.columns).contains(x) {
        // Above the first row and below the last one, that row is repeated.
        let index = max(0, min(tiles.rows - 1, y)) * tiles.columns + x
        energy += tiles.jxx[index] + tiles.jyy[index]
        doubledX += tiles.jxx[index] - tiles.jyy[index]
        doubledY += 2 * tiles.jxy[index]
      }
    }
    guard energy > StripeActivity.energyMin else { return }
    let length = max(abs(doubledX), abs(doubledY)) + min(abs(doubledX), abs(doubledY)) * 3 / 8
    if length * 16 > energy * StripeActivity.coherenceMin { flags |= StripeActivity.striped }
    if length * 16 > energy * StripeActivity.rowsCoherenceMin { flags |= StripeActivity.rows }
  }
}
