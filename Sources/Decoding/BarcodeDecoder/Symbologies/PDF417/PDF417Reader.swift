// PDF417 in a region of rows of bars: its start and stop patterns, then its codewords.

import BarcodeTypes

/// Reads the PDF417 symbols of a picture.
@safe struct PDF417Reader {
  /// Lines that must show both sides for a PDF417 symbol to be certain, even if it is not read.
  private static let sureSightingCountMin = 4
  /// Lines that must show the start pattern if only that is seen, as with Compact PDF417.
  private static let sureStartCountMin = 8

  private var finder: PDF417Finder
  /// Created when the sides of a symbol are first found in a picture.
  private var symbols: PDF417SymbolReader?

  init(arena: inout Arena) throws(ArenaFull) { finder = try PDF417Finder(arena: &arena) }

  /// Reads the symbol of a region. Start and stop patterns are so long that the directions of the tiles are enough.
  mutating func read(_ place: StackedRegion, _ scanner: inout StackedScanner, _ scene: inout Scene) -> StackedSighting {
    guard let sides = finder.find(place.region, &scanner, place.luma, effort: scene.effort, &scene.budget) else {
      return finder.sightingCount > 0 ? .sides : .none
    }
    scene.progress.reach(.grid)
    if symbols == nil { symbols = try? PDF417SymbolReader(arena: &scene.arena) }
    if symbols?.read(sides, place.region, place.luma, scale: place.scale, &scene) == true { return .symbol }
    locate(sides, place, &scene)
    return .sides
  }

  /// Reports the place of a symbol that is certain, though it was not read.
  private func locate(_ sides: PDF417Sides, _ place: StackedRegion, _ scene: inout Scene) {
    let (region, scale) = (place.region, place.scale)
    if let stop = sides.stop, min(sides.start.count, stop.count) >= PDF417Reader.sureSightingCountMin {
      let seen = SideExtent(sides.start, stop, region, stepCountMax: 1).seenQuad(sides.start, stop)
      // If the symbol is read against u, its top lies towards greater v.
      let upright =
        sides.isReversed
        ? SubpixelQuad(
          topLeft: seen.bottomLeft, topRight: seen.bottomRight, bottomRight: seen.topRight, bottomLeft: seen.topLeft) : seen
      scene.results.locate(
        .pdf417, corners: upright.corners(scale: scale), moduleCount: SideExtent.moduleCount(sides.start, stop))
    } else if sides.stop == nil, sides.start.count >= PDF417Reader.sureStartCountMin {
      scene.results.locate(
        .pdf417, corners: region.corners(scale: scale), moduleCount: region.length / max(1, sides.start.module))
    }
  }
}
