// Stacked symbologies: regions of rows of bars, the strongest first, and in each of them first the start and stop patterns of
// PDF417. Faint and huge symbols are looked for in smaller pictures, too.

import BarcodeTypes

/// Reads the stacked symbols of a scene.
func readStackedSymbols(_ scene: inout Scene) {
  guard scene.wants(.pdf417) || scene.wants(.micropdf417) else { return }
  let mark = scene.arena.mark
  defer { scene.arena.release(to: mark) }
  var isRead = false
  if let activity = scene.activity { isRead = readStackedSymbols(activity, scene.luma, scale: 1, &scene) }
  var luma = scene.half
  var scale = 2
  while scene.effort == .still, !isRead, scale <= 4, max(luma.width, luma.height) >= 48 {
    guard let tiles = TileMap(width: luma.width, height: luma.height, arena: &scene.arena),
      let half = unsafe scene.arena.take(UInt8.self, count: TileMap.halfByteCount(width: luma.width, height: luma.height)),
      scene.budget.spend(luma.width * luma.height / 64)
    else { return }
    unsafe measureTiles(luma, into: tiles, half: half)
    guard let activity = StripeActivity(tiles, arena: &scene.arena) else { return }
    isRead = readStackedSymbols(activity, luma, scale: scale, &scene)
    luma = unsafe LumaView(
      base: half, width: max(1, luma.width / 2), height: max(1, luma.height / 2),
      bytesPerRow: TileMap.halfBytesPerRow(width: luma.width))
    scale *= 2
  }
}

/// Reads every region of a picture that is `scale` times smaller than the scene. Returns whether there was a symbol.
private func readStackedSymbols(
  _ activity: StripeActivity, _ luma: LumaView, scale: Int, _ scene: inout Scene
) -> Bool {
  let mark = scene.arena.mark
  defer { scene.arena.release(to: mark) }
  guard luma.width >= 2, luma.height >= 2,
    let regions = StripeRegionFinder(activity, kind: .rows, arena: &scene.arena), scene.budget.spend(regions.visitedCount),
    regions.count > 0, var reader = StackedReader(&scene)
  else { return false }
  let isFrame = scene.effort == .frame
  for rank in 0..<(isFrame ? min(regions.count, StackedReader.frameRegionCountMax) : regions.count) {
    let region = regions[rank]
    if isFrame, region.tileCount < StackedReader.frameTileCountMin { continue }
    let center = PixelPoint(
      x: Fixed16(bits: Int32(clamping: region.centerX * scale)), y: Fixed16(bits: Int32(clamping: region.centerY * scale)))
    if scene.results.covers(center) { continue }
    guard !scene.budget.isExhausted else { break }
    reader.read(region, luma, scale: scale, &scene)
  }
  return reader.symbolCount > 0
}

/// The memory of the stacked symbologies' readers.
@safe struct StackedReader {
  /// Regions looked at in a camera frame.
  static let frameRegionCountMax = 2
  /// Least tiles of a region looked at in a camera frame, of every second in both directions.
  static let frameTileCountMin = 8

  private var scanner: StackedScanner
  private var finder: PDF417Finder
  /// Made when the sides of a symbol are first found in a picture.
  private var symbolReader: PDF417SymbolReader?
  private var microFinder: MicroPDF417Finder
  private var microReader: MicroPDF417SymbolReader?
  /// Symbols reported.
  private(set) var symbolCount = 0

  /// Nil if the arena is full.
  init?(_ scene: inout Scene) {
    guard let scanner = StackedScanner(arena: &scene.arena), let finder = PDF417Finder(arena: &scene.arena),
      let microFinder = MicroPDF417Finder(arena: &scene.arena)
    else { return nil }
    self.scanner = scanner
    self.finder = finder
    self.microFinder = microFinder
  }

  /// Reads the symbol of a region.
  mutating func read(_ region: StripeRegion, _ luma: LumaView, scale: Int, _ scene: inout Scene) {
    let known = symbolCount
    if scene.wants(.pdf417) { readPDF417(region, luma, scale: scale, &scene) }
    if scene.wants(.micropdf417), symbolCount == known { readMicroPDF417(region, luma, scale: scale, &scene) }
  }

  private mutating func readPDF417(_ region: StripeRegion, _ luma: LumaView, scale: Int, _ scene: inout Scene) {
    guard
      let sides = finder.find(region, &scanner, luma, effort: scene.effort, &scene.budget)
    else { return }
    if symbolReader == nil { symbolReader = PDF417SymbolReader(arena: &scene.arena) }
    if symbolReader?.read(sides, region, luma, scale: scale, &scene) == true { symbolCount += 1 }
  }

  private mutating func readMicroPDF417(_ region: StripeRegion, _ luma: LumaView, scale: Int, _ scene: inout Scene) {
    let isFrame = scene.effort == .frame
    var region = region
    for attempt in 0..<2 {
      guard microFinder.scan(region, &scanner, luma, effort: scene.effort, &scene.budget) else { return }
      for _ in 0..<(isFrame ? 2 : 3) {
        guard let sides = microFinder.nextSides(region, &scene.budget) else { break }
        if microReader == nil { microReader = MicroPDF417SymbolReader(arena: &scene.arena) }
        if microReader?.read(sides, region, luma, scale: scale, &scene) == true {
          symbolCount += 1
          return
        }
      }
      // The tiles of a low or broken region do not tell well how its rows run.
      guard attempt == 0, !isFrame, abs(region.slope) > 3000 else { return }
      region.slope = 0
    }
  }
}
