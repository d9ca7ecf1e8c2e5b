// The picture at several sizes. A module is best sampled where it is three to six pixels wide: interpolation then takes in
// a good part of it, and noise falls by the averaging that made the smaller picture.

import BarcodeTypes

/// A picture at full size, half, a quarter and an eighth. The smaller two are made when one of them is first asked for.
@safe struct LumaPyramid {
  /// The last level; level i has sides of 1 / 2^i.
  static let levelMax = 3

  private let full: LumaView
  private let half: LumaView
  private let quarter: UnsafeMutablePointer<UInt8>?
  private let eighth: UnsafeMutablePointer<UInt8>?
  private var isFilled = false

  /// Takes the memory of the smaller pictures, as far as the arena has room and a pixel is left.
  init(full: LumaView, half: LumaView, arena: inout Arena) {
    self.full = full
    self.half = half
    let pixelCount = (half.width / 2) * (half.height / 2)
    let pixelCountOfEighth = (half.width / 4) * (half.height / 4)
    unsafe quarter = pixelCount > 0 ? arena.take(UInt8.self, count: pixelCount) : nil
    unsafe eighth = pixelCountOfEighth > 0 ? arena.take(UInt8.self, count: pixelCountOfEighth) : nil
  }

  /// The picture at a level; where there is none so small, the smallest, and its level.
  mutating func picture(_ level: Int) -> (view: LumaView, level: Int) {
    if level <= 0 { return (full, 0) }
    guard level >= 2, let quarter = unsafe quarter else { return (half, 1) }
    let quarterView = unsafe LumaView(
      base: quarter, width: half.width / 2, height: half.height / 2, bytesPerRow: half.width / 2)
    if !isFilled { unsafe LumaPyramid.halve(half, into: quarter) }
    guard let eighth = unsafe eighth else {
      isFilled = true
      return (quarterView, 2)
    }
    if !isFilled { unsafe LumaPyramid.halve(quarterView, into: eighth) }
    isFilled = true
    if level == 2 { return (quarterView, 2) }
    return unsafe (
      LumaView(base: eighth, width: half.width / 4, height: half.height / 4, bytesPerRow: half.width / 4), 3
    )
  }

  /// A coordinate of the picture at `level`, in 1/`unit` pixels, at full size. The centres of four pixels have their mean
  /// at the centre of the smaller pixel, so half a pixel is gained on the way.
  @inline(__always) static func fullSize(_ coordinate: Int, level: Int, unit: Int = 1) -> Int {
    (coordinate << level) + ((1 << level) - 1) * unit / 2
  }

  /// The rounded means of 2×2 pixels.
  private static func halve(_ view: LumaView, into pixels: UnsafeMutablePointer<UInt8>) {
    let width = view.width / 2
    for y in 0..<(view.height / 2) {
      let upper = unsafe view.row(2 &* y)
      let lower = unsafe view.row(2 &* y &+ 1)
      let target = unsafe pixels + y &* width
      for x in 0..<width {
        let left = unsafe UInt16(upper[2 &* x]) &+ UInt16(lower[2 &* x])
        let right = unsafe UInt16(upper[2 &* x &+ 1]) &+ UInt16(lower[2 &* x &+ 1])
        unsafe target[x] = UInt8(truncatingIfNeeded: (left &+ right &+ 2) >> 2)
      }
    }
  }
}

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
