// Grey values between pixels.

import BarcodeTypes

/// The pixel value at a place in 1/256 pixels, interpolated between its four neighbours; the nearest one of the edge
/// outside of the picture. The view must be at least 2×2.
@inline(__always) func interpolated(_ view: LumaView, _ x: Int, _ y: Int) -> Int {
  let column = x >> 8
  let line = y >> 8
  let isInside =
    UInt(bitPattern: column) < UInt(bitPattern: view.width &- 1)
    && UInt(bitPattern: line) < UInt(bitPattern: view.height &- 1)
  return isInside
    ? unsafe mean(of: view.row(line) + column, view.bytesPerRow, right: x & 0xFF, down: y & 0xFF)
    : interpolatedAtEdge(view, x, y)
}

/// The same for a place less than a pixel from the right or lower edge, or outside of the picture.
@inline(never) private func interpolatedAtEdge(_ view: LumaView, _ x: Int, _ y: Int) -> Int {
  let column = max(0, min(view.width &- 2, x >> 8))
  let line = max(0, min(view.height &- 2, y >> 8))
  return unsafe mean(
    of: view.row(line) + column, view.bytesPerRow, right: max(0, min(256, x &- column &* 256)),
    down: max(0, min(256, y &- line &* 256)))
}

/// The rounded mean of four pixels, the upper left one at `upper`, weighted by 256ths of the way to the right and down.
@inline(__always)
@unsafe private func mean(of upper: UnsafePointer<UInt8>, _ bytesPerRow: Int, right: Int, down: Int) -> Int {
  let lower = unsafe upper + bytesPerRow
  let top = unsafe Int(upper[0]) &* 256 &+ (Int(upper[1]) &- Int(upper[0])) &* right
  let bottom = unsafe Int(lower[0]) &* 256 &+ (Int(lower[1]) &- Int(lower[0])) &* right
  return (top &* 256 &+ (bottom &- top) &* down &+ 0x8000) >> 16
}
