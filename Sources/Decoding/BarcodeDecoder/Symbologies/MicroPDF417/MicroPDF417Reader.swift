// MicroPDF417 in a region of rows of bars: its row addresses, then its codewords.

import BarcodeTypes

/// Reads the MicroPDF417 symbols of a picture.
@safe struct MicroPDF417Reader {
  /// The most places of a symbol tried per scan of a region.
  private static let sidesCountMax = (frame: 2, still: 3)
  /// The slope of rows, times 65536, from which they are also tried without slope: the tiles of a low or broken region do not
  /// give the direction of its rows well.
  private static let doubtfulSlopeMin = 3000

  private var finder: MicroPDF417Finder
  /// Created when the sides of a symbol are first found in a picture.
  private var symbols: MicroPDF417SymbolReader?

  init(arena: inout Arena) throws(ArenaFull) { finder = try MicroPDF417Finder(arena: &arena) }

  /// Reads the symbol of a region whose directions were measured. Returns whether there was one.
  mutating func read(_ place: StackedRegion, _ scanner: inout StackedScanner, _ scene: inout Scene) -> Bool {
    let isFrame = scene.effort == .frame
    var region = place.region
    for attempt in 0..<2 {
      guard finder.scan(region, &scanner, place.luma, effort: scene.effort, &scene.budget) else { return false }
      for _ in 0..<(isFrame ? MicroPDF417Reader.sidesCountMax.frame : MicroPDF417Reader.sidesCountMax.still) {
        guard let sides = finder.nextSides(region, &scene.budget) else { break }
        scene.progress.reach(.grid)
        if symbols == nil { symbols = try? MicroPDF417SymbolReader(arena: &scene.arena) }
        if symbols?.read(sides, region, place.luma, scale: place.scale, &scene) == true { return true }
      }
      guard attempt == 0, !isFrame, abs(region.slope) > MicroPDF417Reader.doubtfulSlopeMin else { return false }
      region.slope = 0
    }
    return false
  }
}
