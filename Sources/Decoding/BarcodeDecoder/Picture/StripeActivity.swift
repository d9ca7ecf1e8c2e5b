// The striped parts of a picture. The structure tensor of each tile, smoothed over its neighbours, gives the strength of the
// gradients, their agreement on a direction, and that direction. Only in bars do nearly all gradients agree.

import CVector

/// Flags of striped tiles, and the direction of their gradients. Both maps have a border of unused tiles all round, so
/// that neighbours need no bounds checks.
@safe struct StripeActivity {
  /// Least sum of gx² + gy² over nine tiles (288 pixels): a mean squared central difference of 30.
  static let energyMin: Int32 = 2160
  /// Least coherence, in sixteenths: 0.44.
  static let coherenceMin: Int32 = 7
  /// Least coherence of a tile of a stacked symbol, in sixteenths. The ends of its rows run across the bars, and faint,
  /// blurred ones have a coherence of 0.2 to 0.5.
  static let rowsCoherenceMin: Int32 = 4
  /// Bits of `flags`.
  static let striped: UInt8 = 1
  static let rows: UInt8 = 2
  /// The change of the flags when a region takes a tile: the bit moves up by two.
  static let takeStriped: UInt8 = 1 | 4
  static let takeRows: UInt8 = 2 | 8

  /// Tiles per row of the maps, two more than in the picture.
  let columns: Int
  /// Length of a row of sums of a kind, with room for vectors.
  private let sumCount: Int
  /// Rows of the maps, two more than in the picture.
  let rows: Int
  /// Bit `striped` for a striped tile, bit `rows` for a tile of rows of bars, until a region has taken it.
  let flags: UnsafeMutablePointer<UInt8>
  /// gx² + gy² over the tile and its neighbours. This and the next three maps are valid for tiles with a flag.
  let energy: UnsafeMutablePointer<Int32>
  /// The gradient as a vector with twice its direction, whose length is the coherent part of the energy.
  let doubledX: UnsafeMutablePointer<Int32>
  let doubledY: UnsafeMutablePointer<Int32>
  /// Twice the direction of the gradient as `BinaryAngle` bits; valid for striped tiles.
  let doubledAngle: UnsafeMutablePointer<UInt16>

  /// Measures the activity of all tiles.
  init(_ tiles: TileMap, arena: inout Arena) throws(ArenaFull) {
    columns = tiles.columns + 2
    rows = tiles.rows + 2
    sumCount = columns + 8
    let count = columns * rows + 8
    // Regions of rows look two rows ahead, which is one row past the last.
    let flagCount = count + columns
    unsafe flags = try arena.take(UInt8.self, count: flagCount)
    unsafe energy = try arena.take(Int32.self, count: count)
    unsafe doubledX = try arena.take(Int32.self, count: count)
    unsafe doubledY = try arena.take(Int32.self, count: count)
    unsafe doubledAngle = try arena.take(UInt16.self, count: count)
    let columnSums = try unsafe arena.take(Int32.self, count: 3 * sumCount)
    unsafe flags.update(repeating: 0, count: flagCount)
    unsafe columnSums.update(repeating: 0, count: 3 * sumCount)
    for row in 0..<tiles.rows {
      unsafe sumColumns(tiles, row: row, into: columnSums)
      unsafe measureRow(row + 1, columnSums)
    }
  }

  /// The first tile with a bit of `flags` in start..<end; nil if there is no such tile.
  @inline(__always) func firstTile(of bit: UInt8, from start: Int, to end: Int, everySecond: Bool = false) -> Int? {
    // Eight tiles at a time; reads past the last tile stay inside the map.
    let bits = (everySecond ? 0x0001_0001_0001_0001 : 0x0101_0101_0101_0101) &* UInt64(bit)
    var index = start
    while index < end {
      let found = unsafe UnsafeRawPointer(flags + index).loadUnaligned(as: UInt64.self) & bits
      if found != 0 {
        index &+= found.trailingZeroBitCount >> 3
        return index < end ? index : nil
      }
      index &+= 8
    }
    return nil
  }

  /// Releases the tiles that regions have taken.
  func releaseTiles() {
    for index in 0..<(columns &* rows) {
      unsafe flags[index] = (flags[index] | flags[index] >> 2) & (StripeActivity.striped | StripeActivity.rows)
    }
  }

  /// Sums three tile rows, column by column: first jxx + jyy, then jxx - jyy, then 2 jxy.
  private func sumColumns(_ tiles: TileMap, row: Int, into sums: UnsafeMutablePointer<Int32>) {
    let middle = row &* tiles.columns
    let above = row > 0 ? middle &- tiles.columns : middle
    let below = row &+ 1 < tiles.rows ? middle &+ tiles.columns : middle
    var column = 0
    while column < tiles.columns {
      // Four tiles at a time; reads past the last tile of a row stay inside the map, and their sums are not used.
      let xx =
        unsafe four(tiles.jxx, above &+ column) &+ four(tiles.jxx, middle &+ column) &+ four(tiles.jxx, below &+ column)
      let yy =
        unsafe four(tiles.jyy, above &+ column) &+ four(tiles.jyy, middle &+ column) &+ four(tiles.jyy, below &+ column)
      let xy =
        unsafe four(tiles.jxy, above &+ column) &+ four(tiles.jxy, middle &+ column) &+ four(tiles.jxy, below &+ column)
      unsafe store(xx &+ yy, sums + 1 + column)
      unsafe store(xx &- yy, sums + sumCount + 1 + column)
      unsafe store(xy &+ xy, sums + (2 &* sumCount &+ 1 &+ column))
      column &+= 4
    }
    // The border contributes nothing.
    for part in 1...3 {
      unsafe sums[(part &- 1) &* sumCount &+ tiles.columns &+ 1] = 0
    }
  }

  /// Completes the sums along a row, and decides which of its tiles are striped.
  ///
  /// The length of the doubled vector is approximated as max + 3/8 min of its parts, with an error of at most 7 %.
  private func measureRow(_ row: Int, _ sums: UnsafeMutablePointer<Int32>) {
    let start = row &* columns
    let zero = SIMD4<Int32>(repeating: 0)
    let energyMin = SIMD4(repeating: StripeActivity.energyMin)
    let end = columns &- 1
    for column in stride(from: 1, to: end, by: 4) {
      let total = unsafe sumOfThree(sums + column)
      let isActive = cvector_above_long(total, energyMin)
      if cvector_long_bytes(isActive) == 0 { continue }
      let difference = unsafe sumOfThree(sums + sumCount + column)
      let mixed = unsafe sumOfThree(sums + (2 &* sumCount &+ column))
      let a = cvector_longer(zero, difference)
      let b = cvector_longer(zero, mixed)
      let length = pointwiseMax(a, b) &+ ((pointwiseMin(a, b) &* 3) &>> 3)
      let isStriped = cvector_above_long(length &* 16, total &* StripeActivity.coherenceMin)
      let isOfRows = cvector_above_long(length &* 16, total &* StripeActivity.rowsCoherenceMin)
      var kinds = cvector_long_bytes(isActive & (isStriped & 1 | isOfRows & 2))
      // Clear the lanes past the last tile of the row.
      if end &- column < 4 { kinds &= 0xFFFF_FFFF &>> UInt32(truncatingIfNeeded: 8 &* (column &+ 4 &- end)) }
      if kinds == 0 { continue }
      unsafe store(total, energy + start + column)
      unsafe store(difference, doubledX + start + column)
      unsafe store(mixed, doubledY + start + column)
      unsafe UnsafeMutableRawPointer(flags + start + column).storeBytes(of: kinds, as: UInt32.self)
      var striped = kinds & 0x0101_0101
      while striped != 0 {
        let tile = start &+ column &+ striped.trailingZeroBitCount >> 3
        striped &= striped &- 1
        unsafe doubledAngle[tile] = BinaryAngle(x: Int(doubledX[tile]), y: Int(doubledY[tile])).bits
      }
    }
  }

  @unsafe @inline(__always) private func four(_ values: UnsafeMutablePointer<Int32>, _ index: Int) -> SIMD4<Int32> {
    unsafe UnsafeRawPointer(values + index).loadUnaligned(as: SIMD4<Int32>.self)
  }

  @unsafe @inline(__always) private func store(_ value: SIMD4<Int32>, _ place: UnsafeMutablePointer<Int32>) {
    unsafe UnsafeMutableRawPointer(place).storeBytes(of: value, as: SIMD4<Int32>.self)
  }

  @unsafe @inline(__always) private func sumOfThree(_ place: UnsafeMutablePointer<Int32>) -> SIMD4<Int32> {
    unsafe four(place, -1) &+ four(place, 0) &+ four(place, 1)
  }
}
