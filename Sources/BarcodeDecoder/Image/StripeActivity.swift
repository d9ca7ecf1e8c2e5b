// Where a picture is striped: the structure tensor of each tile, smoothed over its neighbours, says how strong the
// gradients are, whether they agree on a direction, and on which. Bars are the one texture in which nearly all agree.

/// Which tiles are striped, and which way their gradients point. Both maps have a border of one unused tile all round, so
/// that neighbours need no bounds.
@safe struct StripeActivity {
  /// Least sum of gx² + gy² over nine tiles (288 pixels): a mean squared central difference of 30, measured as insensitive
  /// from 20 to 150.
  static let energyMin: Int32 = 2160
  /// Least coherence, in sixteenths: 0.45, measured.
  static let coherenceMin: Int32 = 7

  /// Tiles in a row of the maps, two more than the picture has.
  let columns: Int
  /// Rows of the maps, two more than the picture has.
  let rows: Int
  /// 1 for a striped tile that no region has taken yet.
  let isStriped: UnsafeMutablePointer<UInt8>
  /// gx² + gy² over the tile and its neighbours.
  let energy: UnsafeMutablePointer<Int32>
  /// Twice the direction of the gradient as a vector, as long as the coherent part of the energy.
  let doubledX: UnsafeMutablePointer<Int32>
  let doubledY: UnsafeMutablePointer<Int32>
  /// Twice the direction of the gradient as `BinaryAngle` bits; set where the tile was found striped.
  let doubledAngle: UnsafeMutablePointer<UInt16>

  /// Measures the activity of all tiles. Nil if the arena is full.
  init?(_ tiles: TileMap, arena: inout Arena) {
    columns = tiles.columns + 2
    rows = tiles.rows + 2
    let count = columns * rows
    guard let isStriped = unsafe arena.take(UInt8.self, count: count),
      let energy = unsafe arena.take(Int32.self, count: count),
      let doubledX = unsafe arena.take(Int32.self, count: count),
      let doubledY = unsafe arena.take(Int32.self, count: count),
      let doubledAngle = unsafe arena.take(UInt16.self, count: count),
      let columnSums = unsafe arena.take(Int32.self, count: 3 * columns)
    else { return nil }
    unsafe self.isStriped = isStriped
    unsafe self.energy = energy
    unsafe self.doubledX = doubledX
    unsafe self.doubledY = doubledY
    unsafe self.doubledAngle = doubledAngle
    unsafe isStriped.update(repeating: 0, count: count)
    unsafe columnSums.update(repeating: 0, count: 3 * columns)
    for row in 0..<tiles.rows {
      unsafe sumColumns(tiles, row: row, into: columnSums)
      unsafe measureRow(row + 1, columnSums)
    }
  }

  /// Sums three tile rows, column by column, jxx + jyy, jxx - jyy and 2 jxy after one another.
  private func sumColumns(_ tiles: TileMap, row: Int, into sums: UnsafeMutablePointer<Int32>) {
    let middle = row &* tiles.columns
    let above = row > 0 ? middle &- tiles.columns : middle
    let below = row &+ 1 < tiles.rows ? middle &+ tiles.columns : middle
    let total = unsafe sums + 1
    let difference = unsafe sums + columns + 1
    let mixed = unsafe sums + 2 * columns + 1
    for column in 0..<tiles.columns {
      let xx = unsafe tiles.jxx[above &+ column] &+ tiles.jxx[middle &+ column] &+ tiles.jxx[below &+ column]
      let yy = unsafe tiles.jyy[above &+ column] &+ tiles.jyy[middle &+ column] &+ tiles.jyy[below &+ column]
      let xy = unsafe tiles.jxy[above &+ column] &+ tiles.jxy[middle &+ column] &+ tiles.jxy[below &+ column]
      unsafe total[column] = xx &+ yy
      unsafe difference[column] = xx &- yy
      unsafe mixed[column] = xy &+ xy
    }
  }

  /// Finishes the sums along a row, and decides which of its tiles are striped.
  ///
  /// The length of the doubled vector is taken as max + 3/8 min of its parts, which is at most 7 % wrong.
  private func measureRow(_ row: Int, _ sums: UnsafeMutablePointer<Int32>) {
    let start = row &* columns
    for column in 1..<(columns &- 1) {
      let total = unsafe sums[column &- 1] &+ sums[column] &+ sums[column &+ 1]
      let difference = unsafe sums[columns &+ column &- 1] &+ sums[columns &+ column] &+ sums[columns &+ column &+ 1]
      let mixed =
        unsafe sums[2 &* columns &+ column &- 1] &+ sums[2 &* columns &+ column] &+ sums[2 &* columns &+ column &+ 1]
      let a = difference < 0 ? 0 &- difference : difference
      let b = mixed < 0 ? 0 &- mixed : mixed
      let high = a > b ? a : b
      let low = a > b ? b : a
      let length = high &+ ((low &* 3) >> 3)
      let isCoherent = length &* 16 > total &* StripeActivity.coherenceMin
      unsafe energy[start &+ column] = total
      unsafe doubledX[start &+ column] = difference
      unsafe doubledY[start &+ column] = mixed
      unsafe isStriped[start &+ column] = (total > StripeActivity.energyMin ? 1 : 0) & (isCoherent ? 1 : 0)
    }
    for index in (start &+ 1)..<(start &+ columns &- 1) where unsafe isStriped[index] != 0 {
      unsafe doubledAngle[index] = BinaryAngle(x: Int(doubledX[index]), y: Int(doubledY[index])).bits
    }
  }
}
