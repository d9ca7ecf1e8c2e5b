// The cells of a picture, regions with gradients in two directions: Data Matrix.

import BarcodeTypes

/// A region with gradients in two directions, in pixels at full size.
private struct CellRegion: BitwiseCopyable {
  let area: PixelRegion
  /// The rectangle to search. The edges next to a region belong to its symbol.
  let surroundings: PixelRegion
  /// The probability that it is a symbol, in 65536ths.
  let chance: Int
  /// The attempts made at it, a bit each.
  var attempts: UInt8 = 0
}

/// The regions of cells of a picture and the reader of their symbols.
@safe struct Cells {
  /// The factor of the expected work of a glance at cells in a single picture: it takes half as much again, and bars, rows and
  /// rings, whose costs are expected to be half of what they are, come first.
  private static let stillFactor = 3
  /// The maximum number of pixels of a picture tried as a whole.
  private static let wholePixelCountMax = 40_000
  /// The minimum number of likely parts, regions of a finer level inside a region, for which the region is probably a symbol of wide
  /// modules, and the factor of its probability in a camera frame.
  private static let partCountMin = 3
  private static let wholeFactor = 2
  /// The maximum number of regions, over all levels.
  private static let countMax = 1024
  /// The least side of a picture with cells, in pixels.
  private static let sideMin = 8
  /// The expected work units of the search for active regions of any shape.
  private static let activeRegionsCost = 4_000
  /// The work units of a search of the whole picture for cells without any edges, in addition to a quarter of its pixels at the size
  /// that is searched. A busy picture costs up to eight times as much, but its cells use up the patience before.
  private static let wholePictureCost = 4_000
  /// The factor of that cost in a single picture, which is searched at several sizes.
  private static let stillWholeFactor = 5

  /// The maximum number of regions, over all levels, if a region stands alone; its maximum side, and the paper around it, in
  /// pixels.
  private static let (loneCountMax, loneSideMax, loneMargin) = (8, 128, 8)
  /// The maximum work units for the search of such a region in a sharpened copy.
  private static let blurredWorkMax = 40_000

  private let regions: ScratchArray<CellRegion>
  private var count = 0
  /// The index of a small picture as a whole, which a glance tries unconditionally; -1 without one.
  private var wholeIndex = -1
  private var symbologies: CellSymbologies?
  /// Whether there was no room for a region.
  private(set) var isCut = false

  init(_ scene: inout Scene) throws(ArenaFull) {
    regions = try ScratchArray(Cells.countMax, arena: &scene.arena)
  }

  /// Finds the regions at all sizes. If it `isPatient`, it takes regions apart, whose parts are many in a page of print.
  mutating func collect(_ queue: inout CandidateQueue, isPatient: Bool, _ scene: inout Scene) {
    guard scene.settings.symbologies.hasCells, min(scene.luma.width, scene.luma.height) >= Cells.sideMin else { return }
    for level in 0..<scene.levels.measuredCount {
      addRegions(level, isPatient ? .apart : .filled, .glance, &queue, &scene)
    }
    // A symbol may fill a small picture regardless of the evidence of its tiles.
    if scene.luma.width * scene.luma.height <= Cells.wholePixelCountMax {
      let whole = PixelRegion(x: 0, y: 0, width: scene.luma.width, height: scene.luma.height)
      wholeIndex = count
      add(CellRegion(area: whole, surroundings: whole, chance: Evidence.wholePicture), level: 0, .glance, &queue)
    }
  }

  /// The likeliest region of a picture with few of them, if it is small, with the paper next to it: a symbol that stands alone; nil
  /// without one.
  var loneRegion: PixelRegion? {
    guard count <= Cells.loneCountMax else { return nil }
    var best: PixelRegion?
    var chance = 0
    for index in 0..<count where index != wholeIndex && regions[index].chance > chance {
      let region = regions[index].surroundings
      guard max(region.width, region.height) <= Cells.loneSideMax else { continue }
      let margin = Cells.loneMargin
      best = PixelRegion(
        x: region.x - margin, y: region.y - margin, width: region.width + 2 * margin, height: region.height + 2 * margin)
      chance = regions[index].chance
    }
    return best
  }

  /// The expected work units of the search for active regions of any shape; nil if nothing asks for it.
  func costOfActiveRegions(_ scene: borrowing Scene) -> Int? {
    scene.settings.symbologies.hasCells ? Cells.activeRegionsCost : nil
  }

  /// The expected work units of a search of the whole picture; nil if nothing asks for it.
  func costOfWholePicture(isSequence: Bool, _ scene: borrowing Scene) -> Int? {
    guard scene.settings.symbologies.hasCells else { return nil }
    return (isSequence ? 1 : Cells.stillWholeFactor)
      * (Cells.wholePictureCost + CellSizes.wholePixelCount(scene.luma) / 4)
  }

  /// Searches for active regions of any shape.
  mutating func searchActiveRegions(_ queue: inout CandidateQueue, _ scene: inout Scene) {
    addRegions(0, .anyShape, .study, &queue, &scene)
  }

  /// Reads the symbols of the whole picture, without the help of tiles.
  mutating func readWholePicture(_ scene: inout Scene) {
    if hasStudiedWhole(scene.luma) { return }
    if symbologies == nil { symbologies = try? CellSymbologies(&scene) }
    symbologies?.readWhole(&scene)
  }

  /// Reads the symbols of a small blurred region of a camera frame in a sharpened copy.
  mutating func readBlurred(_ region: PixelRegion, _ scene: inout Scene) {
    if symbologies == nil { symbologies = try? CellSymbologies(&scene) }
    scene.budget.beginTask(Cells.blurredWorkMax)
    symbologies?.readBlurred(region, &scene)
    scene.budget.endTask()
  }

  /// Reads the symbols of a region. Returns the next attempt worth making, if any.
  mutating func read(_ candidate: Candidate, _ scene: inout Scene) -> Attempt? {
    let index = Int(candidate.index)
    let next: Attempt? = candidate.attempt == .study ? nil : .study
    guard begin(candidate.attempt, index) else { return next }
    if symbologies == nil { symbologies = try? CellSymbologies(&scene) }
    let readCount = symbologies?.readRegion(regions[index].area, in: regions[index].surroundings, &scene) ?? 1
    return readCount > 0 ? nil : next
  }

  /// Adds the active regions of the picture at a level.
  private mutating func addRegions(
    _ level: Int, _ search: ActiveRegions.Search, _ attempt: Attempt, _ queue: inout CandidateQueue,
    _ scene: inout Scene
  ) {
    let mark = scene.arena.mark
    defer { scene.arena.release(to: mark) }
    guard
      let found = try? ActiveRegions(
        scene.levels.tiles(level), scene.levels.picture(level).view, search,
        contrastMin: scene.levels.contrastMin, arena: &scene.arena, budget: &scene.budget)
    else { return }
    isCut = isCut || found.isCut
    let picture = scene.levels.picture(level).view
    for index in 0..<found.count {
      let region = found.regions[index]
      let isTexture =
        max(scene.luma.width, scene.luma.height) > CellSizes.sideMax
        && region.isTexture(of: picture, sideCountMin: scene.effort == .frame ? PixelRegion.textureSideCountMin : 0)
      let chance = Evidence.cells(rank: Int(found.ranks[index])) / (isTexture ? Evidence.textureDivisor : 1)
      let cells = CellRegion(
        area: region.enlarged(level), surroundings: found.surroundings[index].enlarged(level), chance: chance)
      add(cells, level: level, attempt, &queue)
      queue.note(PatchRegion(cells.area, promise: cells.chance), level: level)
    }
  }

  /// Adds a region detected at a level.
  private mutating func add(_ region: CellRegion, level: Int, _ attempt: Attempt, _ queue: inout CandidateQueue) {
    guard count < Cells.countMax else {
      isCut = true
      return
    }
    regions[count] = region
    let (area, chance) = (region.area, region.chance)
    let isWhole = queue.memory != nil && level > 0 && partCount(of: region) >= Cells.partCountMin
    let pixelCount = area.width * area.height >> (2 * CellSizes.firstLevel(area, .frame))
    let factor = queue.memory == nil ? Cells.stillFactor : 1
    queue.offer(
      Candidate(
        kind: .cells, attempt: attempt, level: Int8(level), index: Int16(count),
        place: CandidatePlace(
          x: area.x + area.width / 2, y: area.y + area.height / 2, reach: max(area.width, area.height) / 2),
        promise: Int32(isWhole ? chance * Cells.wholeFactor : chance),
        // If a region is detected at several levels, the finest one gives its borders best.
        cost: Int32(truncatingIfNeeded: factor * (2000 + min(pixelCount, 40_000) / 2) * (8 + level) / 8)))
    count += 1
  }

  /// The number of regions found so far whose centre lies in a region, which are at least half as likely and less than half as long.
  private func partCount(of region: CellRegion) -> Int {
    let whole = region.area
    var partCount = 0
    for index in 0..<count where 2 * regions[index].chance >= region.chance {
      let part = regions[index].area
      let x = part.x + part.width / 2 - whole.x
      let y = part.y + part.height / 2 - whole.y
      if x > 0, x < whole.width, y > 0, y < whole.height,
        2 * max(part.width, part.height) < max(whole.width, whole.height)
      {
        partCount += 1
      }
    }
    return partCount
  }

  /// Records an attempt at a region; returns false if the same attempt was made at nearly the same region, detected at
  /// another level.
  private func begin(_ attempt: Attempt, _ index: Int) -> Bool {
    if attempt == .glance, index == wholeIndex { return true }
    let bit: UInt8 = 1 << attempt.rawValue
    for other in 0..<count where regions[other].attempts & bit != 0 && other != index {
      if isNearly(regions[other].area, regions[index].area) { return false }
    }
    regions[index].attempts |= bit
    return true
  }

  /// Whether a study covered the whole picture, nearly all of it, or a region of at least half its area: the rest has no
  /// strong gradients.
  private func hasStudiedWhole(_ luma: LumaView) -> Bool {
    let whole = PixelRegion(x: 0, y: 0, width: luma.width, height: luma.height)
    for index in 0..<count where regions[index].attempts & 1 << Attempt.study.rawValue != 0 {
      let area = regions[index].area
      if isNearly(area, whole) || 2 * area.width * area.height >= whole.width * whole.height { return true }
    }
    return false
  }

  /// Whether the sides of two regions differ by at most an eighth of the longer side.
  private func isNearly(_ a: PixelRegion, _ b: PixelRegion) -> Bool {
    let slack = max(a.width, a.height) / 8
    return abs(a.x - b.x) <= slack && abs(a.y - b.y) <= slack && abs(a.x + a.width - b.x - b.width) <= slack
      && abs(a.y + a.height - b.y - b.height) <= slack
  }
}

extension PixelRegion {
  /// Least number of sides of a camera frame that its texture reaches; a symbol held close lies within its quiet zone. A single
  /// picture has the time to try the parts of a large region first.
  fileprivate static let textureSideCountMin = 2

  /// Whether the region is more likely the texture of a picture than a symbol in it: it covers more than a third of the picture and
  /// goes on beyond `sideCountMin` of its sides.
  fileprivate func isTexture(of picture: LumaView, sideCountMin: Int) -> Bool {
    guard width * height * 3 > picture.width * picture.height else { return false }
    var sideCount = x == 0 ? 1 : 0
    if y == 0 { sideCount += 1 }
    if x + width == picture.width { sideCount += 1 }
    if y + height == picture.height { sideCount += 1 }
    return sideCount >= sideCountMin
  }

  /// A region at a level, in pixels of the whole picture.
  fileprivate func enlarged(_ level: Int) -> PixelRegion {
    PixelRegion(x: x << level, y: y << level, width: width << level, height: height << level)
  }
}
