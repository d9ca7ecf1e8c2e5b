// The one pass that reads every pixel of a frame. All later stages look here first, and touch pixels only where a tile
// says that there may be something.

import BarcodeTypes

/// Statistics of 8×8 pixel tiles, row by row from the top left. Tiles at the right and bottom edge that reach past the
/// picture see its last pixels repeated.
///
/// The structure tensor is taken over rows 0, 2, 4, 6 of the tile: gx = (p(x+1) - p(x-1)) >> 1 and gy = (p(y+1) - p(y-1)) >> 1,
/// jxx = Σ gx², jyy = Σ gy², jxy = Σ gx·gy over 32 pixels.
@safe struct TileMap {
  static let side = 8

  /// Tiles in a row, and rows of tiles.
  let columns: Int
  let rows: Int
  let minimum: UnsafeMutablePointer<UInt8>
  let maximum: UnsafeMutablePointer<UInt8>
  let jxx: UnsafeMutablePointer<Int32>
  let jyy: UnsafeMutablePointer<Int32>
  let jxy: UnsafeMutablePointer<Int32>

  /// Takes memory for the tiles of a picture; they are not measured yet. Nil if the arena is full.
  init?(width: Int, height: Int, arena: inout Arena) {
    let columns = (width + TileMap.side - 1) / TileMap.side
    let rows = (height + TileMap.side - 1) / TileMap.side
    // The measuring pass writes two tiles at a time.
    let count = (columns + 1) * rows
    guard let minimum = unsafe arena.take(UInt8.self, count: count),
      let maximum = unsafe arena.take(UInt8.self, count: count),
      let jxx = unsafe arena.take(Int32.self, count: count), let jyy = unsafe arena.take(Int32.self, count: count),
      let jxy = unsafe arena.take(Int32.self, count: count)
    else { return nil }
    self.columns = columns
    self.rows = rows
    unsafe self.minimum = minimum
    unsafe self.maximum = maximum
    unsafe self.jxx = jxx
    unsafe self.jyy = jyy
    unsafe self.jxy = jxy
  }

  /// The index of the tile that holds pixel (x, y).
  @inline(__always) func index(x: Int, y: Int) -> Int { (y >> 3) &* columns &+ (x >> 3) }
}

/// Measures all tiles of `luma` and writes its half-size picture, in one pass.
///
/// `half` takes max(1, width / 2) × max(1, height / 2) bytes without gaps.
func measureTiles(_ luma: LumaView, into tiles: TileMap, half: UnsafeMutablePointer<UInt8>) {
  let lastX = luma.width - 1
  let lastY = luma.height - 1
  for tileRow in 0..<tiles.rows {
    for tileColumn in 0..<tiles.columns {
      var low: UInt8 = 255
      var high: UInt8 = 0
      var xx: Int32 = 0
      var yy: Int32 = 0
      var xy: Int32 = 0
      for dy in 0..<8 {
        let y = min(lastY, tileRow * 8 + dy)
        let row = unsafe luma.row(y)
        let above = unsafe luma.row(max(0, min(lastY, tileRow * 8 + dy - 1)))
        let below = unsafe luma.row(min(lastY, tileRow * 8 + dy + 1))
        for dx in 0..<8 {
          let x = min(lastX, tileColumn * 8 + dx)
          let p = unsafe row[x]
          low = min(low, p)
          high = max(high, p)
          if dy & 1 == 0 {
            let left = unsafe Int32(row[max(0, min(lastX, tileColumn * 8 + dx - 1))])
            let right = unsafe Int32(row[min(lastX, tileColumn * 8 + dx + 1)])
            let gx = (right - left) >> 1
            let gy = unsafe (Int32(below[x]) - Int32(above[x])) >> 1
            xx += gx * gx
            yy += gy * gy
            xy += gx * gy
          }
        }
      }
      let index = tileRow * tiles.columns + tileColumn
      unsafe tiles.minimum[index] = low
      unsafe tiles.maximum[index] = high
      unsafe tiles.jxx[index] = xx
      unsafe tiles.jyy[index] = yy
      unsafe tiles.jxy[index] = xy
    }
  }
  let halfWidth = max(1, luma.width / 2)
  for y in 0..<max(1, luma.height / 2) {
    let upper = unsafe luma.row(2 * y)
    let lower = unsafe luma.row(min(lastY, 2 * y + 1))
    for x in 0..<halfWidth {
      let right = min(lastX, 2 * x + 1)
      let sum = unsafe Int(upper[2 * x]) + Int(upper[right]) + Int(lower[2 * x]) + Int(lower[right])
      unsafe half[y * halfWidth + x] = UInt8((sum + 2) >> 2)
    }
  }
}
