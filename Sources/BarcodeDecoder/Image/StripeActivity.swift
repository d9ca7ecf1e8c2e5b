// Where a picture is striped: the structure tensor of each tile, smoothed over its neighbours, says how strong the
// gradients are, whether they agree on a direction, and on which. Bars are the one texture in which nearly all agree.

/// Which tiles are striped, and which way their gradients point. Both maps have a border of one unused tile all round, so
/// that neighbours need no bounds.
@safe struct StripeActivity {
  /// Least sum of gx² + gy² over nine tiles (288 pixels): a mean squared central difference of 30, measured as insensitive
  /// from 20 to 150.
  static let energyMin: Int32 = 2160
  /// Least coherence, in sixteenths: 0.44; a floating-point model read alike from 0.4 to 0.55.
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
  private let stride: Int
  /// Rows of the maps, two more than the picture has.
  let rows: Int
  /// Bit `striped` for a striped tile, bit `rows` for one of rows of bars, until a region has taken it.
  let flags: UnsafeMutablePointer<UInt8>
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
    stride = columns + 8
    let count = columns * rows + 8
    // Regions of rows look two rows on, which is one row past the last.
    let flagCount = count + columns
    guard let flags = unsafe arena.take(UInt8.self, count: flagCount),
      let energy = unsafe arena.take(Int32.self, count: count),
      let doubledX = unsafe arena.take(Int32.self, count: count),
      let doubledY = unsafe arena.take(Int32.self, count: count),
      let doubledAngle = unsafe arena.take(UInt16.self, count: count),
      let columnSums = unsafe arena.take(Int32.self, count: 4 * stride)
    else { return nil }
    unsafe self.flags = flags
    unsafe self.energy = energy
    unsafe self.doubledX = doubledX
    unsafe self.doubledY = doubledY
    unsafe self.doubledAngle = doubledAngle
    unsafe flags.update(repeating: 0, count: flagCount)
    unsafe columnSums.update(repeating: 0, count: 4 * stride)
    for row in 0..<tiles.rows {
      unsafe sumColumns(tiles, row: row, into: columnSums)
      unsafe measureRow(row + 1, columnSums, columnSums + 3 * stride)
    }
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
      // Four tiles at once; what is read past the last tile of a row lies in the arena still, and its sums are not used.
      let xx =
        unsafe four(tiles.jxx, above &+ column) &+ four(tiles.jxx, middle &+ column) &+ four(tiles.jxx, below &+ column)
      let yy =
        unsafe four(tiles.jyy, above &+ column) &+ four(tiles.jyy, middle &+ column) &+ four(tiles.jyy, below &+ column)
      let xy =
        unsafe four(tiles.jxy, above &+ column) &+ four(tiles.jxy, middle &+ column) &+ four(tiles.jxy, below &+ column)
      unsafe store(xx &+ yy, sums + 1 + column)
      unsafe store(xx &- yy, sums + stride + 1 + column)
      unsafe store(xy &+ xy, sums + (2 &* stride &+ 1 &+ column))
      column &+= 4
    }
    // The border counts nothing.
    for part in 1...3 {
      unsafe sums[(part &- 1) &* stride &+ tiles.columns &+ 1] = 0
    }
  }

  /// Finishes the sums along a row, and decides which of its tiles are striped.
  ///
  /// The length of the doubled vector is taken as max + 3/8 min of its parts, which is at most 7 % wrong.
  private func measureRow(_ row: Int, _ sums: UnsafeMutablePointer<Int32>, _ kinds: UnsafeMutablePointer<Int32>) {
    let start = row &* columns
    let zero = SIMD4<Int32>(repeating: 0)
    var column = 1
    while column < columns &- 1 {
      let total = unsafe sumOfThree(sums + column)
      let difference = unsafe sumOfThree(sums + stride + column)
      let mixed = unsafe sumOfThree(sums + (2 &* stride &+ column))
      let a = difference.replacing(with: zero &- difference, where: difference .< zero)
      let b = mixed.replacing(with: zero &- mixed, where: mixed .< zero)
      let isLower = a .< b
      let high = a.replacing(with: b, where: isLower)
      let low = b.replacing(with: a, where: isLower)
      let length = high &+ ((low &* 3) &>> 3)
      let isActive = total .> SIMD4(repeating: StripeActivity.energyMin)
      let isStriped = (length &* 16 .> total &* StripeActivity.coherenceMin) .& isActive
      let isOfRows = (length &* 16 .> total &* StripeActivity.rowsCoherenceMin) .& isActive
      unsafe store(total, energy + start + column)
      unsafe store(difference, doubledX + start + column)
      unsafe store(mixed, doubledY + start + column)
      let kind = zero.replacing(with: SIMD4(repeating: 2), where: isOfRows)
      unsafe store(kind.replacing(with: SIMD4(repeating: 3), where: isStriped), kinds + column)
      column &+= 4
    }
    for column in 1..<(columns &- 1) where unsafe kinds[column] != 0 {
      unsafe flags[start &+ column] = UInt8(truncatingIfNeeded: kinds[column])
      guard unsafe kinds[column] == 3 else { continue }
      unsafe doubledAngle[start &+ column] =
        BinaryAngle(x: Int(doubledX[start &+ column]), y: Int(doubledY[start &+ column])).bits
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
