// A small picture made larger, so that what looks for runs of pixels finds some in it. Modules of one pixel and symbols that
// fill the picture to its edge are read this way.

import BarcodeTypes

/// A picture at four times its size with a light border, from the arena.
@safe struct EnlargedPicture {
  /// The sides are this power of two times as long.
  static let shift = 2
  /// Pixels of the border, which takes the place of a missing quiet zone, at the enlarged size.
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

  /// A coordinate of the enlarged picture, in 1/256 pixels, in the picture that it was made of.
  @inline(__always) static func source(_ coordinate: Int) -> Int {
    // Pixel centres are at half a pixel from the edges in both.
    (coordinate + 128 - border * 256) >> shift - 128
  }
}
