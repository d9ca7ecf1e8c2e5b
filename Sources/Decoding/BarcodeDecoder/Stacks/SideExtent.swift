// The first estimate of where a stacked symbol's table lies: between its sides, whose module widths give the perspective
// along the rows. The number of rows is not known yet; steps of about a module take their role.

import BarcodeTypes

/// The strip of a picture between the sides of a symbol.
struct SideExtent: BitwiseCopyable {
  private let region: StripeRegion
  private let vMiddle: Int
  private let halfHeight: Int
  /// The middle and half of the height over which the sides were seen.
  private let seenMiddle: Int
  private let seenHalfHeight: Int
  /// Number of steps of about a module from the top of the strip to its bottom.
  let stepCount: Int

  /// Extends the height over which the sides were seen by a sixth of it and eight modules at both ends, but not beyond the edge of
  /// the symbol next to it.
  init(_ start: SymbolSide, _ stop: SymbolSide?, _ region: StripeRegion, stepCountMax: Int) {
    var first = start.vMin
    var last = start.vMax
    if let stop {
      first = min(first, stop.vMin)
      last = max(last, stop.vMax)
    }
    self.region = region
    seenMiddle = (first + last) / 2
    seenHalfHeight = (last - first) / 2
    let reach = (last - first) * 2 / 3 + 8 * start.module
    var (top, bottom) = (seenMiddle - reach, seenMiddle + reach)
    if region.endsAtCenter {
      if seenMiddle < 0 { bottom = min(bottom, 0) } else { top = max(top, 0) }
    }
    vMiddle = (top + bottom) / 2
    halfHeight = (bottom - top) / 2
    stepCount = min(stepCountMax, 2 * halfHeight / max(1 << 14, start.module))
  }

  /// Number of modules between two sides. A projective map takes a length x to x · √(a · b), where a and b are its scales at
  /// the ends.
  static func moduleCount(_ start: SymbolSide, _ stop: SymbolSide) -> Int {
    let module = integerRoot(UInt64(start.module * stop.module))
    return (abs(stop.offset - start.offset) + Int(module) / 2) / max(1, Int(module))
  }

  /// The strip between two sides. Its height grows with the square root of the module width, which is larger in the nearer
  /// parts.
  func quad(_ start: SymbolSide, _ stop: SymbolSide) -> SubpixelQuad { quad(start, stop, vMiddle, halfHeight) }

  /// The area between two sides, at the height over which they were seen.
  func seenQuad(_ start: SymbolSide, _ stop: SymbolSide) -> SubpixelQuad { quad(start, stop, seenMiddle, seenHalfHeight) }

  private func quad(_ start: SymbolSide, _ stop: SymbolSide, _ vMiddle: Int, _ halfHeight: Int) -> SubpixelQuad {
    let ratio = Int(integerRoot(UInt64((stop.module << 16) / max(1, start.module)) << 16))
    let half = (halfHeight >> 8) * max(32_768, min(131_072, ratio)) >> 8
    return SubpixelQuad(
      topLeft: point(start, modules: 0, v: vMiddle - halfHeight), topRight: point(stop, modules: 0, v: vMiddle - half),
      bottomRight: point(stop, modules: 0, v: vMiddle + half), bottomLeft: point(start, modules: 0, v: vMiddle + halfHeight))
  }

  /// The strip from a side to a number of modules along u from it.
  func quad(_ side: SymbolSide, modules: Int) -> SubpixelQuad {
    SubpixelQuad(
      topLeft: point(side, modules: 0, v: vMiddle - halfHeight),
      topRight: point(side, modules: modules, v: vMiddle - halfHeight),
      bottomRight: point(side, modules: modules, v: vMiddle + halfHeight),
      bottomLeft: point(side, modules: 0, v: vMiddle + halfHeight))
  }

  /// The height v of a place in the region, in pixels times 65536.
  func v(of point: SubpixelPoint) -> Int {
    let x = (point.x << 8) - region.centerX
    let y = (point.y << 8) - region.centerY
    return (y * Int(region.direction.cosine.bits) - x * Int(region.direction.sine.bits)) >> 16
  }

  /// The place a number of modules along u from where the row through (0, v) crosses a side.
  private func point(_ side: SymbolSide, modules: Int, v: Int) -> SubpixelPoint {
    // u = offset + k · (v + slope · u)
    let both = (side.slope * region.slope) >> 16
    let crossing = (side.u(at: v) << 16) / (65_536 - both)
    let u = crossing + side.module * modules
    let atV = v + (region.slope * (u >> 8)) >> 8
    let cosine = Int(region.direction.cosine.bits)
    let sine = Int(region.direction.sine.bits)
    let x = region.centerX + (u * cosine - atV * sine) >> 16
    let y = region.centerY + (u * sine + atV * cosine) >> 16
    return SubpixelPoint(x: x >> 8, y: y >> 8)
  }
}
