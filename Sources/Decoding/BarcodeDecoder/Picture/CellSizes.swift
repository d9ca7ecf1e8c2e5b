// The sizes at which cells, the modules of symbols without finder patterns, are searched.

import BarcodeTypes

/// Which of the reduced pictures is searched first.
enum CellSizes {
  /// The maximum width and height of a picture, in pixels.
  static let sideMax = 512
  /// The longer side, in pixels, beyond which a region is first searched in a smaller picture: that of the largest symbol,
  /// with 144 modules of two pixels, plus the additional extent of the tiles. In a smaller picture its modules would be
  /// indistinguishable, and its many inner bars would use up the work.
  private static let regionSideMax = 352
  /// That limit for a camera frame.
  private static let frameRegionSideMax = 160

  /// The level of the first search of the whole picture.
  static func wholeLevel(_ luma: LumaView) -> Int { level(max(luma.width, luma.height), sideMax) }

  /// The number of pixels that the first search of the whole picture reads.
  static func wholePixelCount(_ luma: LumaView) -> Int { (luma.width * luma.height) >> (2 * wholeLevel(luma)) }

  /// The level of the first search of a region.
  static func firstLevel(_ region: PixelRegion, _ effort: Effort) -> Int {
    level(max(region.width, region.height), effort == .frame ? frameRegionSideMax : regionSideMax)
  }

  /// The first level at which a side is no longer than a limit.
  private static func level(_ side: Int, _ sideMax: Int) -> Int {
    var level = 0
    while level < PictureLevels.levelMax, side >> level > sideMax { level += 1 }
    return level
  }
}
