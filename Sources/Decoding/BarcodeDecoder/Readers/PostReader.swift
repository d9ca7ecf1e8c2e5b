// Symbols of bars that differ in height, in the regions of linear symbols: what no line across them shows.

import BarcodeTypes

/// Reads the postal codes of a picture, region by region.
@safe struct PostReader {
  private let meter: PostMeter
  private let symbologies: PostSymbologies

  /// Nil if the settings ask for no such symbology.
  init?(_ scene: inout Scene) throws(ArenaFull) {
    guard let symbologies = PostSymbologies(scene.settings) else { return nil }
    self.symbologies = symbologies
    meter = try PostMeter(arena: &scene.arena)
  }

  /// Reads the symbol of a scan's region, first as it lies, then from its other side.
  func read(_ scan: inout RegionScan, _ scene: inout Scene) {
    guard !scan.isInverted, let found = meter.measure(&scan, &scene) else { return }
    for turn in 0..<2 {
      let bars = turn == 0 ? found.bars : found.bars.reversed
      guard let candidate = symbologies.read(bars, into: scan.text) else { continue }
      scan.report(candidate, corners: found.corners, turned: turn == 1, &scene)
      return
    }
  }
}
