// Pictures with a pixel or two per module, often without a quiet zone, as programs generate them. Stages that look for edges
// between pixels cannot handle them, so they are enlarged and get a light border.

import BarcodeTypes

/// Enlarges tiny pictures.
enum TinyPicture {
  /// Greatest width and height of a picture that is enlarged, in pixels.
  static let sideMax = 32
  /// Enlarged pixels are 1 << shift wide and high.
  static let shift = 2
  /// Light enlarged pixels on each side: four single-pixel modules, the widest quiet zone of the matrix symbologies.
  static let margin = 16

  /// The enlarged picture; nil if the picture is not tiny.
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

  /// Converts a place in the enlarged picture to the original picture; pixel centres are at whole numbers.
  static func original(_ point: PixelPoint) -> PixelPoint {
    let offset = Int32((margin << 16) + (((1 << shift) - 1) << 15))
    return PixelPoint(
      x: Fixed16(bits: (point.x.bits - offset) >> Int32(shift)), y: Fixed16(bits: (point.y.bits - offset) >> Int32(shift)))
  }
}
