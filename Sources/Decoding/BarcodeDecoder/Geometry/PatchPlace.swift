// The place of a patch of label in a frame. A patch is a rectangle on the label; from frame to frame it moves, turns, and
// comes nearer.

import BarcodeTypes

/// The affine map from a patch to the picture. Lengths are pixels times 65536.
struct PatchPlace: BitwiseCopyable {
  /// Cells of a summed patch per pixel and side: pixels of different frames fall between each other.
  static let scale = 3

  /// The place of the centre of the patch's first pixel.
  var x: Int
  var y: Int
  /// The step in the picture from one pixel of the patch to the next, across and down.
  var acrossX: Int
  var acrossY: Int
  var downX: Int
  var downY: Int

  /// The place in the picture of a place in the patch.
  @inline(__always) func place(_ u: Int, _ v: Int) -> (x: Int, y: Int) {
    (x &+ (u &* acrossX &+ v &* downX) >> 16, y &+ (u &* acrossY &+ v &* downY) >> 16)
  }

  /// The pixel of the patch at a place in the picture; nil if the map has no inverse.
  func pixel(_ place: (x: Int, y: Int)) -> (u: Int, v: Int)? {
    let determinant = (acrossX * downY - acrossY * downX) >> 16
    guard abs(determinant) > 1 << 12 else { return nil }
    let (dx, dy) = (place.x - x, place.y - y)
    return (((dx * downY - dy * downX) / determinant) >> 16, ((dy * acrossX - dx * acrossY) / determinant) >> 16)
  }

  /// The place in the picture of a place in the patch's cells.
  func inPicture(_ cell: PixelPoint) -> PixelPoint {
    let scale = PatchPlace.scale
    let half = (scale - 1) << 15
    let found = place((Int(cell.x.bits) - half) / scale, (Int(cell.y.bits) - half) / scale)
    return PixelPoint(x: Fixed16(bits: Int32(clamping: found.x)), y: Fixed16(bits: Int32(clamping: found.y)))
  }
}
