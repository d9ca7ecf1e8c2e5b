// Where a picture is striped: the structure tensor of each tile, smoothed over its neighbours, says how strong the
// gradients are, whether they agree on a direction, and on which. Bars are the one texture in which nearly all agree.

import CVector

/// Which tiles are striped, and which way their gradients point. Both maps have a border of one unused tile all round, so
/// that neighbours need no bounds.
@safe struct StripeActivity {
  /// Least sum of gx² + gy² over nine tiles (288 pixels): a mean squared central difference of 30.
  static let energyMin: Int32 = 2160
  /// Least coherence, in sixteenths: 0.44.
  static let coherenceMin: Int32 = 7
  /// Least coherence of a tile that may be of a stacked symbol, in sixteenths: the ends of its rows run across the bars, and
  /// faint, blurred ones have a coherence of 0.2 to 0.5.
  static let rowsCoherenceMin: Int32 = 4
  /// Bits of `flags`.
  static let striped: UInt8 = 1
  static let rows: UInt8 = 2
  /// What changes when a region takes a tile: the bit moves up by two.
  static let takeStriped: UInt8 = 1 | 4
  static let takeRows: UInt8 = 2 | 8

  /// Tiles in a row of the maps, two more than the picture has.
  let columns: Int
  /// Sums in a row of one kind, with room for vectors.
  private let sumCount: Int
  /// Rows of the maps, two more than the picture has.
  let rows: Int
  /// Bit `striped` for a striped tile, bit `rows` for one of rows of bars, until a region has taken it.
  let flags: UnsafeMutablePointer<UInt8>
  /// gx² + gy² over the tile and its neighbours. This and the next three are set for tiles with a flag.
  let energy: UnsafeMutablePointer<Int32>
  /// Twice the direction of the gradient as a vector, as long as the coherent part of the energy.
  let doubledX: UnsafeMutablePointer<Int32>
  let doubledY: UnsafeMutablePointer<Int32>
  /// Twice the direction of the gradient as `BinaryAngle` bits; set where the tile was found striped.
  let doubledAngle: UnsafeMutablePointer<UInt16>

  /// Measures the activity of all tiles.
  init(_ tiles: TileMap, arena: inout Arena) throws(ArenaFull) {
    columns = tiles.columns + 2
    rows = tiles.rows + 2
    sumCount = columns + 8
    let count = columns * rows + 8
    // Regions of rows look two rows on, which is one row past the last.
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

  /// The first tile with a bit of `flags` from index `start` on, before `end`; nil if there is none.
  @inline(__always) func firstTile(of bit: UInt8, from start: Int, to end: Int, everySecond: Bool = false) -> Int? {
    // Eight tiles at once; what is read past the last tile lies in the map still.
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

  /// Gives back the tiles that regions have taken.
  func releaseTiles() {
    for index in 0..<(columns &* rows) {
      unsafe flags[index] = (flags[index] | flags[index] >> 2) & (StripeActivity.striped | StripeActivity.rows)
    }
  }

  /// Sums three tile rows, column by column: jxx + jyy, jxx - jyy and 2 jxy after one another.
  private func sumColumns(_ tiles: TileMap, row: Int, into sums: UnsafeMutablePointer<Int32>) {
    let middle = row &* tiles.columns
    let above = row > 0 ? middle &- tiles.columns : middle
    let below = row &+ 1 < tiles.rows ? middle &+ tiles.columns : middle
    var column = 0
    while column < tiles.columns {
      // Four tiles at once; what is read past the last tile of a row lies in the map still, and its sums are not used.
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
    // The border counts nothing.
    for part in 1...3 {
      unsafe sums[(part &- 1) &* sumCount &+ tiles.columns &+ 1] = 0
    }
  }

  /// Finishes the sums along a row, and decides which of its tiles are striped.
  ///
  /// The length of the doubled vector is taken as max + 3/8 min of its parts, which is at most 7 % wrong.
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
      // Lanes past the last tile of the row hold nothing.
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
