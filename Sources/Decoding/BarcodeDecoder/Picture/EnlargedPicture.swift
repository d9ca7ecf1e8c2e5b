// An enlarged copy of a small picture, for searches that need runs of several pixels. It reads modules one pixel wide and
// symbols that fill the picture to its edge.

import BarcodeTypes

/// A picture at four times its size with a light border, allocated from the arena.
@safe struct EnlargedPicture {
  /// The sides are 2^shift times as long.
  static let shift = 2
  /// Width of the border in enlarged pixels; it replaces a missing quiet zone.
  static let border = 16

  let view: LumaView

  /// Interpolates between the pixels; the border repeats the outermost pixels.
  init?(of source: LumaView, arena: inout Arena) throws(ArenaFull) {
    let scale = 1 << EnlargedPicture.shift
    let width = source.width * scale + 2 * EnlargedPicture.border
    let height = source.height * scale + 2 * EnlargedPicture.border
    guard source.width >= 2, source.height >= 2 else { return nil }
    let pixels = try unsafe arena.take(UInt8.self, count: width * height)
    view = unsafe LumaView(base: pixels, width: width, height: height, bytesPerRow: width)
    for y in 0..<height {
      for x in 0..<width {
        unsafe pixels[y &* width &+ x] = UInt8(
          truncatingIfNeeded: interpolated(source, EnlargedPicture.source(x * 256), EnlargedPicture.source(y * 256)))
      }
    }
  }

  /// Converts a coordinate of the enlarged picture, in 1/256 pixels, to one of its source.
  @inline(__always) static func source(_ coordinate: Int) -> Int {
    // In both pictures, the first pixel centre is half a pixel from the edge.
    (coordinate + 128 - border * 256) >> shift - 128
  }
}
