// The picture at several sizes. A module is best sampled where it is three to six pixels wide: interpolation then takes in
// a good part of it, and noise falls by the averaging that made the smaller picture.

import BarcodeTypes

/// A picture at full size, half, a quarter and an eighth.
@safe struct LumaPyramid {
  /// The last level; level i has sides of 1 / 2^i.
  static let levelMax = 3

  private let full: LumaView
  private let half: LumaView
  private var quarter: LumaView?
  private var eighth: LumaView?

  /// Makes the smaller pictures, as far as the arena has room and a pixel is left.
  init(full: LumaView, half: LumaView, arena: inout Arena) {
    self.full = full
    self.half = half
    quarter = LumaPyramid.halve(half, arena: &arena)
    if let quarter { eighth = LumaPyramid.halve(quarter, arena: &arena) }
  }

  /// The picture at a level; where there is none so small, the smallest, and its level.
  func picture(_ level: Int) -> (view: LumaView, level: Int) {
    if level >= 3, let eighth { return (eighth, 3) }
    if level >= 2, let quarter { return (quarter, 2) }
    return level >= 1 ? (half, 1) : (full, 0)
  }

  /// A coordinate of the picture at `level`, in 1/`unit` pixels, at full size. The centres of four pixels have their mean
  /// at the centre of the smaller pixel, so half a pixel is gained on the way.
  @inline(__always) static func fullSize(_ coordinate: Int, level: Int, unit: Int = 1) -> Int {
    (coordinate << level) + ((1 << level) - 1) * unit / 2
  }

  /// The rounded means of 2×2 pixels.
  private static func halve(_ view: LumaView, arena: inout Arena) -> LumaView? {
    let width = view.width / 2
    let height = view.height / 2
    guard width > 0, height > 0, let pixels = unsafe arena.take(UInt8.self, count: width * height) else { return nil }
    for y in 0..<height {
      let upper = unsafe view.row(2 &* y)
      let lower = unsafe view.row(2 &* y &+ 1)
      let target = unsafe pixels + y &* width
      for x in 0..<width {
        let sum =
          unsafe UInt16(upper[2 &* x]) &+ UInt16(upper[2 &* x &+ 1]) &+ UInt16(lower[2 &* x]) &+ UInt16(lower[2 &* x &+ 1])
        unsafe target[x] = UInt8(truncatingIfNeeded: (sum &+ 2) >> 2)
      }
    }
    return unsafe LumaView(base: pixels, width: width, height: height, bytesPerRow: width)
  }
}

/// The pixel value at a place in 1/256 pixels, interpolated between its four neighbours; the nearest one of the edge
/// outside of the picture. The view must be at least 2×2.
@inline(__always) func interpolated(_ view: LumaView, _ x: Int, _ y: Int) -> Int {
  let column = max(0, min(view.width &- 2, x >> 8))
  let line = max(0, min(view.height &- 2, y >> 8))
  let right = max(0, min(256, x &- column &* 256))
  let down = max(0, min(256, y &- line &* 256))
  let upper = unsafe view.row(line) + column
  let lower = unsafe upper + view.bytesPerRow
  let top = unsafe Int(upper[0]) &* (256 &- right) &+ Int(upper[1]) &* right
  let bottom = unsafe Int(lower[0]) &* (256 &- right) &+ Int(lower[1]) &* right
  return (top &* (256 &- down) &+ bottom &* down &+ 0x8000) >> 16
}
