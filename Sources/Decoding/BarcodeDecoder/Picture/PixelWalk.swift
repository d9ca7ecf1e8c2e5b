// The inputs of the searches for finder patterns and rings: a threshold, a walk over pixels, and the picture.

import BarcodeTypes

/// The grey that separates dark from light, and whether light counts as dark.
struct Threshold: BitwiseCopyable {
  let value: Int
  let isInverted: Bool

  /// 1, or -1 if light counts as dark.
  @inline(__always) var sign: Int { isInverted ? -1 : 1 }
}

/// A start in whole pixels and one step: -1, 0 or 1 each, not both 0.
struct PixelWalk: BitwiseCopyable {
  var x: Int
  var y: Int
  var dx: Int
  var dy: Int

  /// The same start in the opposite direction.
  @inline(__always) var reversed: PixelWalk { PixelWalk(x: x, y: y, dx: 0 &- dx, dy: 0 &- dy) }
}

/// A picture that is searched row by row.
struct SearchedPicture {
  /// The picture to search; it may be filtered.
  let view: LumaView
  /// The unfiltered picture, from which the thresholds of the finder patterns are computed.
  let plain: LumaView
  /// The level of both in the pyramid.
  let level: Int
  /// Whether only the differences from the surrounding mean are left.
  var isWithoutMean = false
  /// The place of its first pixel in the whole picture, in 1/256 pixels at full size.
  var origin = SubpixelPoint(x: 0, y: 0)

  /// A place in 1/256 pixels at full size, from one in 1/256 pixels of the picture.
  func fullSize(_ x: Int, _ y: Int) -> SubpixelPoint {
    SubpixelPoint(
      x: origin.x + PictureLevels.fullSize(x, level: level, unit: 256),
      y: origin.y + PictureLevels.fullSize(y, level: level, unit: 256))
  }
}
