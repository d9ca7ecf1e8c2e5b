// The runs of one row of pixels: where it crosses the thresholds of its tiles.
//
// Eight pixels are compared at once in a 64-bit word, and only crossings cost more than that. A bit picture is not kept:
// rows are scanned apart from each other, and what crosses them is followed in grey.

import BarcodeTypes

/// Crossings of the thresholds along a row, from left to right.
@safe struct RowEdges {
  /// The first pixel of each run; at even indices the run is dark, at odd ones light. What comes before the first is light.
  let places: ScratchArray<Int32>
  private(set) var count = 0

  /// For rows of up to `width` pixels; nil if the arena is full.
  init?(width: Int, arena: inout Arena) {
    guard let places = ScratchArray<Int32>(width + 16, arena: &arena) else { return nil }
    self.places = places
  }

  /// Finds the crossings of row `y` in the tiles from `firstTile` up to, not including, `endTile`. Values are compared
  /// without their lowest bit. The last run ends where the tiles end.
  mutating func find(_ view: LumaView, y: Int, thresholds: ThresholdMap, firstTile: Int, endTile: Int) {
    let width = view.width
    precondition(y >= 0 && y < view.height && firstTile >= 0 && endTile <= thresholds.columns && width >= 8)
    let row = unsafe UnsafeRawPointer(view.row(y))
    let levels = unsafe thresholds.values.base + (y >> 3) &* thresholds.columns
    let places = unsafe places.base
    var found = 0
    var isLight: UInt64 = 0x80
    let wholeTiles = min(endTile, width / 8)
    for tile in firstTile..<max(firstTile, wholeTiles) {
      let x = tile &* 8
      let light = unsafe lightPixels(row.loadUnaligned(fromByteOffset: x, as: UInt64.self), level: levels[tile])
      var changes = light ^ (light << 8 | isLight)
      isLight = light >> 56
      while changes != 0 {
        unsafe places[found] = Int32(truncatingIfNeeded: x &+ changes.trailingZeroBitCount >> 3)
        found &+= 1
        changes &= changes &- 1
      }
    }
    if endTile > wholeTiles {
      // The last tile reaches past the row: its pixels are taken from the row's last eight, the rest is light.
      let x = wholeTiles &* 8
      let past = UInt64(x &+ 8 &- width) &* 8
      let pixels = unsafe row.loadUnaligned(fromByteOffset: width &- 8, as: UInt64.self) >> past
      let light = unsafe lightPixels(pixels, level: levels[wholeTiles]) | ~(~0 >> past) & 0x8080_8080_8080_8080
      var changes = light ^ (light << 8 | isLight)
      isLight = 0x80
      while changes != 0 {
        unsafe places[found] = Int32(truncatingIfNeeded: x &+ changes.trailingZeroBitCount >> 3)
        found &+= 1
        changes &= changes &- 1
      }
    }
    if isLight == 0 {
      unsafe places[found] = Int32(truncatingIfNeeded: min(width, endTile &* 8))
      found &+= 1
    }
    count = found
  }

  /// The highest bit of each of eight pixels set where the pixel is not below the level, both without their lowest bit.
  @inline(__always) private func lightPixels(_ pixels: UInt64, level: UInt8) -> UInt64 {
    let levels = UInt64(level >> 1) &* 0x0101_0101_0101_0101
    return (((pixels >> 1) & 0x7F7F_7F7F_7F7F_7F7F | 0x8080_8080_8080_8080) &- levels) & 0x8080_8080_8080_8080
  }
}
