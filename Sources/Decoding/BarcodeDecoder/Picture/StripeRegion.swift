// Connected striped tiles that agree on a direction form a region: the place of a linear symbol, or of something that looks
// like one. Regions hold the parameters of scan lines: direction, extent, and how tilt has skewed and fanned out the bars.

import BarcodeTypes

/// A striped part of a picture. Lengths are pixels times 65536.
///
/// u runs across the bars, along the gradient; v runs along the bars, a quarter turn further on. Both are 0 at the centre.
struct StripeRegion: BitwiseCopyable {
  /// The mean of the tile centres.
  var centerX: Int
  var centerY: Int
  /// The direction of u, from 0 up to half a turn.
  var direction: BinaryAngle
  /// The extent of the tile centres.
  var uMin = 0
  var uMax = 0
  var vMin = 0
  var vMax = 0
  /// dv/du of the region's long axis, times 65536; under tilt the bars are not perpendicular to it.
  var slope = 0
  /// How far lines bend along v from the middle of u to either end, in pixels times 65536: the arc of a label on a bottle.
  var bow = 0
  /// The change of direction along u due to tilt: 65536ths of a turn per pixel, times 65536.
  var turn = 0
  /// The angle from `direction` to the gradient at the centre, in 65536ths of a turn.
  var lean = 0
  /// Whether `turn` and `lean` were measured in the pixels.
  var isRefined = false
  /// Whether a symbol of the region ends where v is 0, because another one begins there.
  var endsAtCenter = false
  /// Number of tiles.
  var tileCount: Int
  /// Sum of the tiles' energies.
  var energy: Int
  /// The agreement of the tiles' gradients on a direction, in 256ths. In a linear symbol nearly all agree; the ends of a
  /// stacked symbol's rows run across its bars.
  var coherence = 0

  /// Results of a look at two lines across the region: the number of grey turns along the first line, its length in pixels,
  /// and the agreement of the second line, in 256ths; 0 before the look.
  var turnCount = 0
  var lookedLength = 0
  var agreement = 0

  /// Pictures with a side of fewer pixels, two rows of tiles, are read as one region, because their stripes fill no tile.
  private static let stripSideMax = 16

  /// The region of a picture too low or too narrow for tiles: its bars run across it. Nil for any other picture.
  static func strip(_ luma: LumaView) -> StripeRegion? {
    guard min(luma.width, luma.height) < stripSideMax else { return nil }
    let isUpright = luma.width < luma.height
    var region = StripeRegion(
      centerX: (luma.width - 1) << 15, centerY: (luma.height - 1) << 15,
      direction: BinaryAngle(bits: isUpright ? 1 << 14 : 0), tileCount: 1, energy: 0)
    region.uMax = (max(luma.width, luma.height) - 1) << 15
    region.uMin = -region.uMax
    region.vMax = (min(luma.width, luma.height) - 1) << 15
    region.vMin = -region.vMax
    return region
  }

  /// The extent across the bars, in pixels times 65536.
  var length: Int { uMax - uMin + 8 << 16 }

  /// The extent along the bars, in pixels times 65536.
  var height: Int { vMax - vMin + 8 << 16 }

  /// Makes the bars parallel to each other and square to the region.
  mutating func straighten() { (slope, bow, turn, lean) = (0, 0, 0, 0) }

  /// The direction of the bars near a place.
  func bars(at place: (x: Int, y: Int)) -> BinaryAngle {
    let (cosine, sine) = (Int(direction.cosine.bits), Int(direction.sine.bits))
    let u = ((place.x - centerX) * cosine + (place.y - centerY) * sine) >> 32
    let gradient = UInt16(truncatingIfNeeded: lean + (turn * u) >> 16)
    return BinaryAngle(bits: direction.bits &+ gradient &+ 1 << 14)
  }

  /// The corners of the area of its tiles, in pixels of a picture that is `scale` times as large.
  func corners(scale: Int) -> Quad {
    let half = 4 << 16
    let (left, right, top, bottom) = (uMin - half, uMax + half, vMin - half, vMax + half)
    return Quad(
      topLeft: place(left, top, scale), topRight: place(right, top, scale), bottomRight: place(right, bottom, scale),
      bottomLeft: place(left, bottom, scale))
  }

  private func place(_ u: Int, _ v: Int, _ scale: Int) -> PixelPoint {
    let (cosine, sine) = (Int(direction.cosine.bits), Int(direction.sine.bits))
    let x = (centerX + (u * cosine - v * sine) >> 16) * scale
    let y = (centerY + (u * sine + v * cosine) >> 16) * scale
    return PixelPoint(x: Fixed16(bits: Int32(clamping: x)), y: Fixed16(bits: Int32(clamping: y)))
  }
}
