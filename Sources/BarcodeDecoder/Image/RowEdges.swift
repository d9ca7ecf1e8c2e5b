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
    for tile in firstTile..<endTile {
      let x = tile &* 8
      let past = max(0, x &+ 8 &- width)
      // The last tile may reach past the row: its pixels are taken from the row's last eight.
      let pixels = unsafe row.loadUnaligned(fromByteOffset: x &- past, as: UInt64.self) >> UInt64(past &* 8)
      let level = unsafe UInt64(levels[tile] >> 1) &* 0x0101_0101_0101_0101
      var light = ((((pixels >> 1) & 0x7F7F_7F7F_7F7F_7F7F) | 0x8080_8080_8080_8080) &- level) & 0x8080_8080_8080_8080
      if past > 0 { light |= ~(~0 >> UInt64(past &* 8)) & 0x8080_8080_8080_8080 }
      var changes = light ^ ((light << 8) | isLight)
      isLight = light >> 56
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
}
