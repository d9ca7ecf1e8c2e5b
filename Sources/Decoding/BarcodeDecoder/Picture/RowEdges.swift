// The runs of a row of pixels, delimited by where the row crosses the thresholds of its tiles.
//
// Sixteen pixels are compared at once, so only crossings cost more. There is no binarised picture: rows are scanned
// separately, and structures across them are followed in grey.

import BarcodeTypes
import CVector

/// Crossings of the thresholds along a row, from left to right.
@safe struct RowEdges {
  /// Readable places after the last one, with unspecified values: searches examine eight groups of runs at once.
  static let readablePast = 16
  /// The most places in excess of the row's pixels: two before the first, two after the last.
  private static let borderCount = 4

  /// The first pixel of each run; runs at even indices are dark, at odd ones light. The area before the first run is light.
  /// A light run at the picture's border is enclosed by a dark run of no pixels, as the area beyond the border may be light
  /// or dark.
  let places: ScratchArray<Int16>
  private(set) var count = 0

  /// For rows of up to `width` pixels, at most `DecoderLimits.sidePixelsMax`.
  init(width: Int, arena: inout Arena) throws(ArenaFull) {
    precondition(width <= DecoderLimits.sidePixelsMax)
    places = try ScratchArray(width + RowEdges.borderCount + RowEdges.readablePast, arena: &arena)
    places.fill(0, count: places.count)
  }

  /// Finds the crossings of row `y` in tiles that have a threshold; other tiles count as light.
  mutating func find(_ view: LumaView, y: Int, thresholds: ThresholdMap) {
    let width = view.width
    precondition(y >= 0 && y < view.height && width >= 16)
    precondition(width + RowEdges.borderCount + RowEdges.readablePast <= places.count)
    let tiles = thresholds.tiles(row: y >> 3)
    precondition(tiles.upperBound <= (width + 7) / 8)
    let row = unsafe view.place(0, y)
    let levels = unsafe thresholds.values.base + (y >> 3) &* thresholds.columns
    let places = unsafe places.base
    var found = 0
    var tile = tiles.lowerBound
    // Tiles in pairs, while both are entirely inside the row.
    let wholeEnd = min(tiles.upperBound, width / 8) - 1
    var last = cvector_u8x16(repeating: 255)
    if tiles.lowerBound == 0, !tiles.isEmpty, unsafe levels[0] > 0, unsafe row[0] >= levels[0] {
      unsafe places[0] = 0
      unsafe places[1] = 0
      found = 2
    }
    while tile < wholeEnd {
      let level = unsafe cvector_two(levels[tile], levels[tile &+ 1])
      let light = unsafe cvector_not_below(cvector_load((row + tile &* 8).pointer(first: 0, last: 15)), level)
      var changes = cvector_lanes(cvector_changes(last, light))
      last = light
      while changes != 0 {
        let lane = Int(truncatingIfNeeded: cvector_lane(Int64(changes.trailingZeroBitCount)))
        unsafe places[found] = Int16(truncatingIfNeeded: tile &* 8 &+ lane)
        found &+= 1
        changes &= changes &- 1
      }
      tile &+= 2
    }
    // One or two more tiles; the last one may be incomplete.
    var isLight = last[15] != 0
    let end = min(width, tiles.upperBound &* 8)
    for x in (tile &* 8)..<max(tile &* 8, end) {
      let isLightHere = unsafe row[x] >= levels[x >> 3]
      if isLightHere == isLight { continue }
      isLight = isLightHere
      unsafe places[found] = Int16(truncatingIfNeeded: x)
      found &+= 1
    }
    if !isLight || (found > 0 && end == width) {
      unsafe places[found] = Int16(truncatingIfNeeded: end)
      found &+= 1
    }
    count = found
  }
}
