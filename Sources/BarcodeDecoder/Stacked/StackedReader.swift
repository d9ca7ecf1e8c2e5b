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
  var joined: UInt32 = 0
  let regionCount = min(regions.count, isFrame ? StackedReader.frameRegionCountMax : StackedReader.regionCountMax)
  let lengthMax = isFrame ? MicroPDF417Finder.frameLengthMax : Int.max
  for rank in 0..<regionCount {
    guard joined >> UInt32(rank) & 1 == 0 else { continue }
    var region = regions[rank]
    if isFrame, region.tileCount < StackedReader.frameTileCountMin { continue }
    let center = PixelPoint(
      x: Fixed16(bits: Int32(clamping: region.centerX * scale)), y: Fixed16(bits: Int32(clamping: region.centerY * scale)))
    if scene.results.covers(center) { continue }
    guard !scene.budget.isExhausted else { break }
    for other in (rank + 1)..<max(rank + 1, regions.count) where joined >> UInt32(other) & 1 == 0 {
      if region.join(regions[other], lengthMax: lengthMax) { joined |= 1 << UInt32(other) }
    }
    reader.read(region, luma, scale: scale, &scene)
  }
  return reader.symbolCount > 0
}

/// The memory of the stacked symbologies' readers.
@safe struct StackedReader {
  /// Regions looked at. Of 900 symbols of pictures and three simulated sets none was in a weaker one than the eighth.
  static let regionCountMax = 8
  /// The same in a camera frame.
  static let frameRegionCountMax = 2
  /// Least tiles of a region looked at in a camera frame, of every second in both directions.
  static let frameTileCountMin = 6

  private let directions: StackedDirections
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
    guard let directions = StackedDirections(arena: &scene.arena), let scanner = StackedScanner(arena: &scene.arena),
      let finder = PDF417Finder(arena: &scene.arena), let microFinder = MicroPDF417Finder(arena: &scene.arena)
    else { return nil }
    self.directions = directions
    self.scanner = scanner
    self.finder = finder
    self.microFinder = microFinder
  }

  /// Reads the symbol of a region: PDF417 as the tiles have it, whose start and stop patterns are long; what remains, along its
  /// measured directions.
  mutating func read(_ region: StripeRegion, _ luma: LumaView, scale: Int, _ scene: inout Scene) {
    let known = symbolCount
    let isFrame = scene.effort == .frame
    var isStacked = false
    if scene.wants(.pdf417) { isStacked = readPDF417(region, luma, scale: scale, &scene) && !isFrame }
    let isMicro = scene.wants(.micropdf417) && MicroPDF417Finder.canBe(region, scene.effort)
    var measured = region
    guard symbolCount == known, isStacked || isMicro,
      directions.measure(&measured, luma, effort: scene.effort, &scene.budget)
    else { return }
    if isStacked { _ = readPDF417(measured, luma, scale: scale, &scene) }
    if isMicro, symbolCount == known { readMicroPDF417(measured, luma, scale: scale, &scene) }
  }

  /// Returns whether any start or stop pattern was seen.
  private mutating func readPDF417(_ region: StripeRegion, _ luma: LumaView, scale: Int, _ scene: inout Scene) -> Bool {
    guard
      let sides = finder.find(region, &scanner, luma, effort: scene.effort, &scene.budget)
    else { return finder.sightingCount > 0 }
    if symbolReader == nil { symbolReader = PDF417SymbolReader(arena: &scene.arena) }
    if symbolReader?.read(sides, region, luma, scale: scale, &scene) == true { symbolCount += 1 }
    return true
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

extension StripeRegion {
  /// Neighbours of one symbol differ by at most 12 degrees, here doubled as the angles are.
  private static let joinedAngleMax: Int16 = 4369

  /// Takes in another region if it goes on where this one ends and both together are not too long: the tiles of a low symbol
  /// hang together in pieces only. Returns whether it did.
  fileprivate mutating func join(_ other: StripeRegion, lengthMax: Int) -> Bool {
    let turned = Int16(bitPattern: (other.direction.bits &- direction.bits) << 1)
    guard turned <= StripeRegion.joinedAngleMax, turned >= -StripeRegion.joinedAngleMax else { return false }
    let x = other.centerX - centerX
    let y = other.centerY - centerY
    let cosine = Int(direction.cosine.bits)
    let sine = Int(direction.sine.bits)
    let u = (x * cosine + y * sine) >> 16
    let v = (y * cosine - x * sine) >> 16
    let height = vMax - vMin + 8 << 16
    let otherHeight = other.vMax - other.vMin + 8 << 16
    let gap = abs(u) - (u > 0 ? uMax - other.uMin : other.uMax - uMin)
    guard 2 * height > otherHeight, 2 * otherHeight > height, gap < min(height, otherHeight),
      abs(v - (vMin + vMax) / 2) * 2 < height
    else { return false }
    let (first, last) = (min(uMin, u + other.uMin), max(uMax, u + other.uMax))
    guard last - first < lengthMax else { return false }
    uMin = first
    uMax = last
    return true
  }
}
