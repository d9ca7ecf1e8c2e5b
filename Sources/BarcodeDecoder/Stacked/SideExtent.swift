// The strip of a picture in which the sides of a stacked symbol are looked at closely, before its rows are known.

import BarcodeTypes

/// The heights over which sides are read, in steps of about a module.
struct SideExtent: BitwiseCopyable {
  private let region: StripeRegion
  private let vStart: Int
  private let vEnd: Int
  let stepCount: Int

  /// A sixth of the height and eight modules more than where the sides were seen, at both ends.
  init(_ start: SymbolSide, _ stop: SymbolSide?, _ region: StripeRegion, stepCountMax: Int) {
    var first = start.vMin
    var last = start.vMax
    if let stop {
      first = min(first, stop.vMin)
      last = max(last, stop.vMax)
    }
    let margin = (last - first) / 6 + 8 * start.module
    self.region = region
    vStart = first - margin
    vEnd = last + margin
    stepCount = min(stepCountMax, (vEnd - vStart) / max(1 << 14, start.module))
  }

  /// The part from some modules before or behind a side to others, in direction of u, first step first.
  func quad(_ side: SymbolSide, from: Int, to: Int) -> SubpixelQuad {
    SubpixelQuad(
      topLeft: point(side, modules: from, v: vStart), topRight: point(side, modules: to, v: vStart),
      bottomRight: point(side, modules: to, v: vEnd), bottomLeft: point(side, modules: from, v: vEnd))
  }

  /// The place some modules along u from where the row through (0, v) crosses a side.
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
