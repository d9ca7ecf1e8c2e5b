// Grey values between pixels.

import BarcodeTypes

/// The pixel value at a place in 1/256 pixels, interpolated between its four neighbours. Outside the picture, the nearest
/// pixels of its edge count.
@inline(__always) func interpolated(_ view: LumaView, _ x: Int, _ y: Int) -> Int {
  let column = x >> 8
  let line = y >> 8
  let isInside =
    UInt(bitPattern: column) < UInt(bitPattern: view.width &- 1)
    && UInt(bitPattern: line) < UInt(bitPattern: view.height &- 1)
  return isInside
    ? unsafe mean(of: view.place(column, line), beside: 1, below: view.bytesPerRow, right: x & 0xFF, down: y & 0xFF)
    : interpolatedAtEdge(view, x, y)
}

/// Interpolates at a place less than a pixel from the right or lower edge, or outside the picture.
@inline(never) private func interpolatedAtEdge(_ view: LumaView, _ x: Int, _ y: Int) -> Int {
  let column = max(0, min(view.width &- 2, x >> 8))
  let line = max(0, min(view.height &- 2, y >> 8))
  return unsafe mean(
    of: view.place(column, line), beside: view.width > 1 ? 1 : 0, below: view.height > 1 ? view.bytesPerRow : 0,
    right: max(0, min(256, x &- column &* 256)),
    down: max(0, min(256, y &- line &* 256)))
}

/// The rounded mean of four pixels, weighted by the distance to the right and down in 1/256 pixels. The upper left pixel is
/// at `upper`, the others `beside` and `below` bytes further on.
@inline(__always)
@unsafe private func mean(of upper: PixelPlace, beside: Int, below: Int, right: Int, down: Int) -> Int {
  let lower = unsafe upper + below
  let top = unsafe Int(upper[0]) &* 256 &+ (Int(upper[beside]) &- Int(upper[0])) &* right
  let bottom = unsafe Int(lower[0]) &* 256 &+ (Int(lower[beside]) &- Int(lower[0])) &* right
  return (top &* 256 &+ (bottom &- top) &* down &+ 0x8000) >> 16
}
