// Pictures of a symbol's modules, a pixel or two each and often nothing around them, as programs make them. No stage that
// looks for edges between pixels can do with them, so they are enlarged, with light around them.

import BarcodeTypes

/// How pictures of a few pixels are enlarged.
enum TinyPicture {
  /// Both sides of a picture that is enlarged, at most, in pixels.
  static let sideMax = 32
  /// Enlarged pixels are 1 << shift wide and high.
  static let shift = 2
  /// Light pixels to each side: four modules of a pixel, the widest quiet zone of the matrix symbologies.
  static let margin = 16

  /// The picture enlarged, if it is a tiny one.
  static func enlarged(_ luma: LumaView, arena: inout Arena) throws(ArenaFull) -> LumaView? {
    guard luma.width <= sideMax, luma.height <= sideMax else { return nil }
    let width = (luma.width << shift) + 2 * margin
    let height = (luma.height << shift) + 2 * margin
    let pixels = try ScratchArray<UInt8>(width * height, arena: &arena)
    pixels.fill(255, count: width * height)
    for y in 0..<(luma.height << shift) {
      for x in 0..<(luma.width << shift) {
        pixels[(y + margin) * width + x + margin] = luma[x >> shift, y >> shift]
      }
    }
    return unsafe LumaView(base: pixels.base, width: width, height: height, bytesPerRow: width)
  }

  /// Where a place of the enlarged picture is in the picture itself: centres of pixels are whole numbers.
  static func original(_ point: PixelPoint) -> PixelPoint {
    let offset = Int32((margin << 16) + (((1 << shift) - 1) << 15))
    return PixelPoint(
      x: Fixed16(bits: (point.x.bits - offset) >> Int32(shift)), y: Fixed16(bits: (point.y.bits - offset) >> Int32(shift)))
  }
}
