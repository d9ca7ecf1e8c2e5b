// Stacked symbologies: in a region of rows of bars, first the start and stop patterns of PDF417, then the row addresses of
// MicroPDF417.

import BarcodeTypes

/// The memory of the stacked symbologies' readers.
@safe struct StackedReader {
  /// Least number of tiles for a region to be examined in a camera frame, which has every second tile in both directions.
  static let frameTileCountMin = 6

  private let directions: StackedDirections
  private var scanner: StackedScanner
  private var finder: PDF417Finder
  /// Created when the sides of a symbol are first found in a picture.
  private var symbolReader: PDF417SymbolReader?
  private var microFinder: MicroPDF417Finder
  private var microReader: MicroPDF417SymbolReader?
  /// Number of symbols reported.
  private(set) var symbolCount = 0

  init(_ scene: inout Scene) throws(ArenaFull) {
    directions = try StackedDirections(arena: &scene.arena)
    scanner = try StackedScanner(arena: &scene.arena)
    finder = try PDF417Finder(arena: &scene.arena)
    microFinder = try MicroPDF417Finder(arena: &scene.arena)
  }

  /// Reads the symbol of a region of the picture at a level: first the region alone and, from the second attempt on, with
  /// the regions that continue it. Returns the next attempt worth making, if any.
  mutating func read(
    _ regions: StripeRegionFinder, _ index: Int, level: Int, _ attempt: Attempt, _ scene: inout Scene
  ) -> Attempt? {
    let known = symbolCount
    let lengthMax = scene.effort == .frame ? MicroPDF417Finder.frameLengthMax : Int.max
    let luma = scene.levels.picture(level).view
    var region = regions[index]
    if attempt != .look { read(region, luma, scale: 1 << level, &scene) }
    if symbolCount > known { return nil }
    var isJoined = false
    for other in 0..<regions.count where other != index && regions[other].energy <= region.energy {
      if region.join(regions[other], lengthMax: lengthMax) { isJoined = true }
    }
    if attempt == .glance { return isJoined ? .look : .study }
    if isJoined { read(region, luma, scale: 1 << level, &scene) }
    return symbolCount > known || attempt == .study ? nil : .study
  }

  /// Reads the symbol of a region: PDF417, whose start and stop patterns are long, by the directions of the tiles;
  /// everything else by the measured directions.
  private mutating func read(_ region: StripeRegion, _ luma: LumaView, scale: Int, _ scene: inout Scene) {
    let known = symbolCount
    let isFrame = scene.effort == .frame
    var isStacked = false
    if scene.wants(.pdf417) { isStacked = readPDF417(region, luma, scale: scale, &scene) && !isFrame }
    let isMicro = scene.wants(.micropdf417) && MicroPDF417Finder.canBe(region, scene.effort)
    var measured = region
    guard symbolCount == known, isStacked || isMicro,
      directions.measure(&measured, luma, effort: scene.effort, &scene.budget)
    else { return }
    if isStacked {
      _ = readPDF417(measured, luma, scale: scale, &scene)
      // Without a stop pattern nothing else gives the direction of low rows: they are square to the bars, unless the symbol
      // is tilted.
      var upright = measured
      upright.slope = 0
      if symbolCount == known, measured.slope != 0 { _ = readPDF417(upright, luma, scale: scale, &scene) }
    }
    if isMicro, symbolCount == known { readMicroPDF417(measured, luma, scale: scale, &scene) }
  }

  /// Lines that must show both sides for a PDF417 symbol to be certain, even if it is not read.
  private static let sureSightingCountMin = 4
  /// Lines that must show the start pattern if only that is seen, as with Compact PDF417.
  private static let sureStartCountMin = 8

  /// Returns whether any start or stop pattern was seen.
  private mutating func readPDF417(_ region: StripeRegion, _ luma: LumaView, scale: Int, _ scene: inout Scene) -> Bool {
    guard
      let sides = finder.find(region, &scanner, luma, effort: scene.effort, &scene.budget)
    else { return finder.sightingCount > 0 }
    if symbolReader == nil { symbolReader = try? PDF417SymbolReader(arena: &scene.arena) }
    if symbolReader?.read(sides, region, luma, scale: scale, &scene) == true {
      symbolCount += 1
    } else if let stop = sides.stop, min(sides.start.count, stop.count) >= StackedReader.sureSightingCountMin {
      let seen = SideExtent(sides.start, stop, region, stepCountMax: 1).seenQuad(sides.start, stop)
      // If the symbol is read against u, its top lies towards greater v.
      let upright =
        sides.isReversed
        ? SubpixelQuad(
          topLeft: seen.bottomLeft, topRight: seen.bottomRight, bottomRight: seen.topRight, bottomLeft: seen.topLeft) : seen
      scene.results.locate(
        .pdf417, corners: upright.corners(scale: scale), moduleCount: SideExtent.moduleCount(sides.start, stop))
    } else if sides.stop == nil, sides.start.count >= StackedReader.sureStartCountMin {
      scene.results.locate(
        .pdf417, corners: region.corners(scale: scale), moduleCount: region.length / max(1, sides.start.module))
    }
    return true
  }

  private mutating func readMicroPDF417(_ region: StripeRegion, _ luma: LumaView, scale: Int, _ scene: inout Scene) {
    let isFrame = scene.effort == .frame
    var region = region
    for attempt in 0..<2 {
      guard microFinder.scan(region, &scanner, luma, effort: scene.effort, &scene.budget) else { return }
      for _ in 0..<(isFrame ? 2 : 3) {
        guard let sides = microFinder.nextSides(region, &scene.budget) else { break }
        if microReader == nil { microReader = try? MicroPDF417SymbolReader(arena: &scene.arena) }
        if microReader?.read(sides, region, luma, scale: scale, &scene) == true {
          symbolCount += 1
          return
        }
      }
      // The tiles of a low or broken region do not give the direction of its rows well.
      guard attempt == 0, !isFrame, abs(region.slope) > 3000 else { return }
      region.slope = 0
    }
  }
}

extension StripeRegion {
  /// Greatest difference between neighbouring pieces of a symbol: 12 degrees, doubled like the angles compared.
  private static let joinedAngleMax: Int16 = 4369

  /// Merges another region if it continues this one and both together are not too long: the tiles of a low symbol cohere
  /// only in pieces. Returns whether it did.
  fileprivate mutating func join(_ other: StripeRegion, lengthMax: Int) -> Bool {
    let turned = Int16(bitPattern: (other.direction.bits &- direction.bits) << 1)
    guard turned <= StripeRegion.joinedAngleMax, turned >= -StripeRegion.joinedAngleMax else { return false }
    let x = other.centerX - centerX
    let y = other.centerY - centerY
    let cosine = Int(direction.cosine.bits)
    let sine = Int(direction.sine.bits)
    let u = (x * cosine + y * sine) >> 16
    let v = (y * cosine - x * sine) >> 16
    let otherHeight = other.height
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
