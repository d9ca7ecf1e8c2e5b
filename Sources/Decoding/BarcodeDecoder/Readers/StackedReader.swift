// Stacked symbologies: in a region of rows of bars, first by the directions of the tiles, then by measured ones.

import BarcodeTypes

/// Reads the stacked symbols of a picture.
@safe struct StackedReader {
  /// Least number of tiles for a region to be examined in a camera frame, which has every second tile in both directions.
  static let frameTileCountMin = 6
  /// The longest region of low rows that is examined in a camera frame, and the longest that several are joined to, in pixels
  /// times 65536.
  private static let frameLengthMax = 440 << 16

  private let directions: StackedDirections
  private var scanner: StackedScanner
  private var symbologies: StackedSymbologies

  init(_ scene: inout Scene) throws(ArenaFull) {
    directions = try StackedDirections(arena: &scene.arena)
    scanner = try StackedScanner(arena: &scene.arena)
    symbologies = try StackedSymbologies(&scene)
  }

  /// Reads the symbol of a region of the picture at a level: first the region alone and, from the second attempt on, with
  /// the regions that continue it. Returns the next attempt worth making, if any.
  mutating func read(
    _ regions: StripeRegionFinder, _ index: Int, level: Int, _ attempt: Attempt, _ scene: inout Scene
  ) -> Attempt? {
    let lengthMax = scene.effort == .frame ? StackedReader.frameLengthMax : Int.max
    var place = StackedRegion(
      region: regions[index], luma: scene.levels.picture(level).view, scale: 1 << level)
    if attempt != .look, read(place, &scene) { return nil }
    var isJoined = false
    for other in 0..<regions.count where other != index && regions[other].energy <= place.region.energy {
      if place.region.join(regions[other], lengthMax: lengthMax) { isJoined = true }
    }
    if attempt == .glance { return isJoined ? .look : .study }
    if isJoined, read(place, &scene) { return nil }
    return attempt == .study ? nil : .study
  }

  /// Reads the symbol of a region of the whole picture.
  mutating func read(_ region: StripeRegion, _ scene: inout Scene) {
    _ = read(StackedRegion(region: region, luma: scene.luma, scale: 1), &scene)
  }

  /// Reads the symbol of a region. Returns whether there was one.
  private mutating func read(_ place: StackedRegion, _ scene: inout Scene) -> Bool {
    let sighting = symbologies.read(place, &scanner, &scene)
    if sighting == .symbol { return true }
    let hasSides = sighting == .sides && scene.effort == .still
    let isLow =
      scene.wants(.micropdf417) && (scene.effort == .still || place.region.length < StackedReader.frameLengthMax)
    var measured = place
    guard hasSides || isLow, directions.measure(&measured.region, place.luma, effort: scene.effort, &scene.budget) else {
      return false
    }
    if hasSides {
      if symbologies.read(measured, &scanner, &scene) == .symbol { return true }
      // Without a stop pattern nothing else gives the direction of low rows: they are square to the bars, unless the symbol
      // is tilted.
      var upright = measured
      upright.region.slope = 0
      if measured.region.slope != 0, symbologies.read(upright, &scanner, &scene) == .symbol { return true }
    }
    return isLow && symbologies.readMeasured(measured, &scanner, &scene)
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
