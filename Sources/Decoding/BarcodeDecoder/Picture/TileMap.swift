// The only pass that reads every pixel of a frame. All later stages look here first, and read pixels only where a tile has
// content.

import BarcodeTypes
import CVector

/// Statistics of 8×8 pixel tiles, row by row from the top left. Tiles that extend past the right or lower edge see the last
/// pixels repeated.
///
/// The structure tensor is computed over rows 0, 2, 4, 6 of the tile: gx = (p(x+1) - p(x-1)) >> 1 and gy = (p(y+1) - p(y-1))
/// >> 1, jxx = Σ gx², jyy = Σ gy², jxy = Σ gx·gy over 32 pixels.
@safe struct TileMap {
  static let side = 8

  /// Tiles per row, and rows of tiles.
  let columns: Int
  let rows: Int
  let minimum: UnsafeMutablePointer<UInt8>
  let maximum: UnsafeMutablePointer<UInt8>
  let jxx: UnsafeMutablePointer<Int32>
  let jyy: UnsafeMutablePointer<Int32>
  let jxy: UnsafeMutablePointer<Int32>

  /// Allocates the tiles of a picture without measuring them.
  init(width: Int, height: Int, arena: inout Arena) throws(ArenaFull) {
    let columns = (width + TileMap.side - 1) / TileMap.side
    let rows = (height + TileMap.side - 1) / TileMap.side
    // Sums over tiles read up to eight at a time.
    let count = columns * rows + 7
    unsafe minimum = try arena.take(UInt8.self, count: count)
    unsafe maximum = try arena.take(UInt8.self, count: count)
    unsafe jxx = try arena.take(Int32.self, count: count)
    unsafe jyy = try arena.take(Int32.self, count: count)
    unsafe jxy = try arena.take(Int32.self, count: count)
    self.columns = columns
    self.rows = rows
  }

  /// The contrast of the noise; every sixteenth tile is a sufficient sample.
  var noiseContrast: Int { unsafe ThresholdMap.noiseContrast(minimum, maximum, count: columns &* rows, step: 16) }

  /// Whether the grey levels of any tile, or of any two adjacent tiles, differ by `least` or more: all edges may lie on the
  /// borders of tiles.
  func hasContrast(_ least: UInt8) -> Bool {
    var greatest: UInt8 = 0
    for row in 0..<rows {
      let first = row &* columns
      let below = row &+ 1 < rows ? columns : 0
      for tile in first..<(first &+ columns &- 1) {
        let light = unsafe max(maximum[tile], max(maximum[tile &+ 1], maximum[tile &+ below]))
        let dark = unsafe min(minimum[tile], min(minimum[tile &+ 1], minimum[tile &+ below]))
        greatest = max(greatest, light &- dark)
      }
      let last = first &+ columns &- 1
      unsafe greatest = max(
        greatest, max(maximum[last], maximum[last &+ below]) &- min(minimum[last], minimum[last &+ below]))
      if greatest >= least { return true }
    }
    return false
  }

  /// The mean energy of a tile's gradients in a part of the picture.
  ///
  /// - Parameters: region: at full size, inside the picture; level: the level of the tiles.
  func energy(in region: PixelRegion, level: Int) -> Int {
    let side = TileMap.side << level
    var sum = 0
    let left = min(columns - 1, region.x / side)
    let top = min(rows - 1, region.y / side)
    let right = max(left + 1, min(columns, (region.x + region.width) / side))
    let bottom = max(top + 1, min(rows, (region.y + region.height) / side))
    for row in top..<bottom {
      for tile in (row &* columns &+ left)..<(row &* columns &+ right) { unsafe sum &+= Int(jxx[tile] &+ jyy[tile]) }
    }
    return sum / ((right - left) * (bottom - top))
  }

  /// Removes the contrast from the tiles whose middles lie in a quadrilateral.
  ///
  /// - Parameters:
  ///   - quad: at full size, inside the picture.
  ///   - level: the level of the tiles.
  ///   - hasAll: whether the symbol ends inside the quadrilateral; then its gradients are removed, too.
  func flatten(_ quad: Quad, level: Int, hasAll: Bool) {
    let (a, b, c, d) = (quad.topLeft, quad.topRight, quad.bottomRight, quad.bottomLeft)
    // In pixels, so that products fit words.
    let xs = SIMD4(a.x.bits, b.x.bits, c.x.bits, d.x.bits) &>> 16
    let ys = SIMD4(a.y.bits, b.y.bits, c.y.bits, d.y.bits) &>> 16
    let alongX = SIMD4(xs[1], xs[2], xs[3], xs[0]) &- xs
    let alongY = SIMD4(ys[1], ys[2], ys[3], ys[0]) &- ys
    let side = Int32(TileMap.side << level)
    let zero = SIMD4<Int32>(repeating: 0)
    let left = min(min(xs[0], xs[1]), min(xs[2], xs[3])) / side
    let right = min(Int32(columns) - 1, max(max(xs[0], xs[1]), max(xs[2], xs[3])) / side)
    let top = min(min(ys[0], ys[1]), min(ys[2], ys[3])) / side
    let bottom = min(Int32(rows) - 1, max(max(ys[0], ys[1]), max(ys[2], ys[3])) / side)
    precondition(left >= 0 && top >= 0)
    for row in top..<max(top, bottom + 1) {
      // The side of each line through two corners on which a tile lies.
      let (x, y) = (left &* side &+ side / 2, row &* side &+ side / 2)
      var sides = alongX &* (SIMD4(repeating: y) &- ys) &- alongY &* (SIMD4(repeating: x) &- xs)
      for column in left..<max(left, right + 1) {
        let isBefore = cvector_long_bytes(cvector_above_long(zero, sides)) != 0
        let isBehind = cvector_long_bytes(cvector_above_long(sides, zero)) != 0
        sides = sides &- alongY &* side
        if isBefore, isBehind { continue }
        let tile = Int(row) &* columns &+ Int(column)
        unsafe minimum[tile] = maximum[tile]
        guard hasAll else { continue }
        unsafe jxx[tile] = 0
        unsafe jyy[tile] = 0
        unsafe jxy[tile] = 0
      }
    }
  }

  /// Bytes per row of the half-size picture: the measuring pass writes 8 at a time.
  static func halfBytesPerRow(width: Int) -> Int { (width + 15) / 16 * 8 }

  /// Bytes of the half-size copy of a picture. The next halving reads 16 at a time.
  static func halfByteCount(width: Int, height: Int) -> Int { halfBytesPerRow(width: width) * max(1, height / 2) + 8 }

  /// The index of the tile that holds pixel (x, y).
  @inline(__always) func index(x: Int, y: Int) -> Int { (y >> 3) &* columns &+ (x >> 3) }
}

/// Measures all tiles of `luma` and writes its half-size picture, in one pass.
///
/// `half` needs room for max(1, height / 2) rows of max(1, width / 2) pixels, `halfBytesPerRow(width:)` bytes apart:
/// `halfByteCount(width:height:)` bytes in all.
func measureTiles(_ luma: LumaView, into tiles: TileMap, half: UnsafeMutablePointer<UInt8>) {
  let halfBytesPerRow = TileMap.halfBytesPerRow(width: luma.width)
  let halfHeight = max(1, luma.height / 2)
  unsafe withUnsafeTemporaryAllocation(byteCount: 9 * EdgeBlock.bytesPerRow, alignment: 16) { memory in
    let edge = unsafe EdgeBlock(memory: memory.baseAddress!.assumingMemoryBound(to: UInt8.self))
    for tileRow in 0..<tiles.rows {
      let y = tileRow &* TileMap.side
      let firstTile = tileRow &* tiles.columns
      let firstHalf = unsafe half + tileRow &* 4 &* halfBytesPerRow
      // Blocks with pixels all around them, from `x` 16 to `end`.
      let isWhole = y &+ TileMap.side <= luma.height
      let end = isWhole ? max(16, (luma.width &- 1) & ~15) : 16
      let above = unsafe luma.place(0, max(0, y &- 1))
      let row = unsafe luma.place(0, y)
      let lastRow = 7 &* luma.bytesPerRow
      var x = 16
      while x < end {
        unsafe measureBlock(
          (row + x).pointer(first: -1, last: lastRow &+ 16), above: (above + x).pointer(first: 0, last: 15),
          luma.bytesPerRow, tiles, firstTile &+ x / TileMap.side, isPair: true, firstHalf + x / 2,
          halfBytesPerRow, 4)
        x &+= 16
      }
      let halfRows = min(4, halfHeight &- tileRow &* 4)
      x = 0
      while x < luma.width {
        unsafe edge.copy(luma, x: x, y: y)
        unsafe measureBlock(
          edge.origin, above: edge.origin - EdgeBlock.bytesPerRow, EdgeBlock.bytesPerRow, tiles,
          firstTile &+ x / TileMap.side, isPair: x &+ TileMap.side < luma.width, firstHalf + x / 2, halfBytesPerRow, halfRows
        )
        x = x == 0 ? end : x &+ 16
      }
    }
  }
}

/// Two adjacent tiles and the pixels around them, copied near the end of the picture with its last pixels repeated.
@unsafe private struct EdgeBlock {
  static let bytesPerRow = 32

  /// Nine rows of `bytesPerRow` bytes: one above the tiles, then their eight; pixel 0 of the tiles is byte 1 of a row.
  let memory: UnsafeMutablePointer<UInt8>

  /// The top left pixel of the left tile.
  var origin: UnsafePointer<UInt8> { unsafe UnsafePointer(memory + EdgeBlock.bytesPerRow + 1) }

  func copy(_ luma: LumaView, x: Int, y: Int) {
    let first = max(0, x &- 1)
    let start = first &- (x &- 1)
    let count = min(luma.width &- first, 18 &- start)
    var source = unsafe luma.place(first, max(0, y &- 1))
    var target = unsafe memory
    // In a picture that is wide enough, a block lacks at most one pixel, the first or the last.
    let last = count &- 1
    let (missing, repeated) = start == 1 ? (0, 0) : (17, last)
    for row in 0..<9 {
      if count >= 17 {
        unsafe EdgeBlock.copySixteen(from: source.pointer(first: 0, last: 15), to: target + start)
        unsafe target[start &+ 16] = source[16]
        unsafe target[missing] = source[repeated]
      } else {
        unsafe target[0] = source[0]
        for index in start..<18 { unsafe target[index] = source[min(last, index &- start)] }
      }
      unsafe target += EdgeBlock.bytesPerRow
      let below = y &+ row
      if below > 0, below < luma.height { unsafe source += luma.bytesPerRow }
    }
  }

  @inline(__always) private static func copySixteen(
    from source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>
  ) {
    unsafe UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: 16)
  }
}

/// Measures two tiles, with the left tile's top left pixel at `place`, and halves them; `isPair` is false if the picture has
/// no tile on the right.
///
/// - Safety: 16 bytes at `above`, the row over the tiles, and rows 0…7 and columns -1…16 at `place` must be readable; 8
///   bytes must be writable in each half-size row.
@inline(__always)
@unsafe private func measureBlock(
  _ place: UnsafePointer<UInt8>, above: UnsafePointer<UInt8>, _ bytesPerRow: Int, _ tiles: TileMap, _ tile: Int,
  isPair: Bool, _ half: UnsafeMutablePointer<UInt8>, _ halfBytesPerRow: Int, _ halfRows: Int
) {
  var above = unsafe cvector_load(above)
  var low = cvector_u8x16(repeating: 255)
  var high = cvector_u8x16(repeating: 0)
  var xx = (cvector_s32x4(), cvector_s32x4())
  var yy = (cvector_s32x4(), cvector_s32x4())
  var xy = (cvector_s32x4(), cvector_s32x4())
  for two in 0..<2 {
    let row = unsafe place + 4 &* two &* bytesPerRow
    let a = unsafe measurePair(row, bytesPerRow, &above, &low, &high)
    let b = unsafe measurePair(row + 2 &* bytesPerRow, bytesPerRow, &above, &low, &high)
    if 2 &* two < halfRows { unsafe cvector_store8(half + 2 &* two &* halfBytesPerRow, a.half) }
    if 2 &* two &+ 1 < halfRows { unsafe cvector_store8(half + (2 &* two &+ 1) &* halfBytesPerRow, b.half) }
    xx = (cvector_add_squares_low(xx.0, a.x, b.x), cvector_add_squares_high(xx.1, a.x, b.x))
    yy = (cvector_add_squares_low(yy.0, a.y, b.y), cvector_add_squares_high(yy.1, a.y, b.y))
    xy = (cvector_add_products_low(xy.0, a.x, a.y), cvector_add_products_high(xy.1, a.x, a.y))
    xy = (cvector_add_products_low(xy.0, b.x, b.y), cvector_add_products_high(xy.1, b.x, b.y))
  }
  unsafe store(cvector_least_of_halves(low), tiles.minimum + tile, isPair: isPair)
  unsafe store(cvector_greatest_of_halves(high), tiles.maximum + tile, isPair: isPair)
  unsafe store(cvector_sums(xx.0, xx.1), tiles.jxx + tile, isPair: isPair)
  unsafe store(cvector_sums(yy.0, yy.1), tiles.jyy + tile, isPair: isPair)
  unsafe store(cvector_sums(xy.0, xy.1), tiles.jxy + tile, isPair: isPair)
}

/// Computes the gradients of a row, the extremes of it and the row below, and halves both rows.
///
/// - Parameter above: the row above; on return the row below.
@inline(__always)
@unsafe private func measurePair(
  _ row: UnsafePointer<UInt8>, _ bytesPerRow: Int, _ above: inout cvector_u8x16, _ low: inout cvector_u8x16,
  _ high: inout cvector_u8x16
) -> (x: cvector_s8x16, y: cvector_s8x16, half: cvector_u8x8) {
  let upper = unsafe cvector_load(row)
  let lower = unsafe cvector_load(row + bytesPerRow)
  let y = cvector_halving_difference(lower, above)
  above = lower
  low = cvector_min(low, cvector_min(upper, lower))
  high = cvector_max(high, cvector_max(upper, lower))
  return unsafe (
    cvector_halving_difference(cvector_load(row + 1), cvector_load(row - 1)), y, cvector_mean_2x2(upper, lower)
  )
}

/// Stores the values of two tiles, one per half of `both`, or only that of the left tile.
@inline(__always)
@unsafe private func store<Both: FixedWidthInteger & UnsignedInteger, Element: FixedWidthInteger & BitwiseCopyable>(
  _ both: Both, _ place: UnsafeMutablePointer<Element>, isPair: Bool
) {
  if isPair {
    unsafe UnsafeMutableRawPointer(place).storeBytes(of: both, as: Both.self)
  } else {
    unsafe place.pointee = Element(truncatingIfNeeded: both)
  }
}
