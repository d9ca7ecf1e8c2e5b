// The cheap passes over a picture and their results: a list of possible symbols per kind, and an entry in the queue for each
// of them.

import BarcodeTypes

/// The additional searches, in order. They are worth their cost only if a glance has not read everything.
enum ExtraSearch {
  /// For finder patterns and bullseyes in sharpened pictures.
  static let sharpened = 0..<FinderSearches.sharpenedCount
  /// For Data Matrix in active regions of any shape; then in the whole picture.
  static let activeRegions = FinderSearches.sharpenedCount
  static let wholePicture = activeRegions + 1
  /// For Aztec Code in small pictures, enlarged.
  static let enlarged = activeRegions + 2
  static let count = activeRegions + 3
}

/// The candidates found by the passes over a picture.
@safe struct CandidateLists {
  /// The minimum probability by its tiles for which a region of stripes gets a look.
  private static let lookChanceMin = 4
  /// The expected work units of a glance at a single finder pattern, most of them for grids that fit no symbol.
  private static let finderCost: Int32 = 6_000
  /// The factor of the expected work of a glance at cells in a single picture: it takes half as much again, and bars, rows and
  /// rings, whose costs are expected to be half of what they are, come first.
  private static let stillCellsFactor = 3
  /// The maximum number of pixels of a picture tried as a whole.
  private static let wholePixelCountMax = 40_000

  private(set) var bars: [4 of StripeRegionFinder?] = .init(repeating: nil)
  private(set) var rows: [4 of StripeRegionFinder?] = .init(repeating: nil)
  var finders: FinderSearches?
  /// The number of finder patterns already in the queue.
  private var knownFinderCount = 0
  /// The number of finder patterns of read symbols when threes were last formed.
  private var knownUsedCount = 0
  private var knownBullseyeCount = 0
  private let triples: QRTriples?
  private let stripeLook: StripeLook
  /// The number of triples per corner so far.
  private let ranks: ScratchArray<Int16>
  let cells: ScratchArray<PixelRegion>
  /// The rectangle to search per region. The edges next to a region belong to its symbol.
  let cellsSurroundings: ScratchArray<PixelRegion>
  /// The attempts made at each region, a bit each.
  private let cellsAttempts: ScratchArray<UInt8>
  private(set) var cellsCount = 0
  /// The probability of each region, in 65536ths.
  private let cellsChances: ScratchArray<Int32>
  /// The minimum number of likely parts, regions of a finer level inside a region, for which the region is probably a symbol of wide
  /// modules, and the factor of its probability in a camera frame.
  private static let partCountMin = 3
  private static let wholeFactor = 2
  /// The index of a small picture as a whole, which a glance tries unconditionally; -1 without one.
  private var wholeIndex = -1
  /// The maximum number of regions for Data Matrix, over all levels.
  private static let cellsCountMax = 1024
  /// Whether a list had no room for a candidate.
  private(set) var isCut = false

  init(_ scene: inout Scene) throws(ArenaFull) {
    ranks = try ScratchArray(QRFinderSearch.finderCountMax, arena: &scene.arena)
    cells = try ScratchArray(CandidateLists.cellsCountMax, arena: &scene.arena)
    cellsSurroundings = try ScratchArray(CandidateLists.cellsCountMax, arena: &scene.arena)
    cellsAttempts = try ScratchArray(CandidateLists.cellsCountMax, arena: &scene.arena)
    cellsChances = try ScratchArray(CandidateLists.cellsCountMax, arena: &scene.arena)
    stripeLook = try StripeLook(arena: &scene.arena)
    triples = try scene.wants(.qr) ? QRTriples(arena: &scene.arena) : nil
  }

  /// Makes the passes over the picture that a glance needs. If it `isPatient`, it takes regions of cells apart, whose parts are many in
  /// a page of print.
  mutating func collect(_ queue: inout CandidateQueue, isPatient: Bool, _ scene: inout Scene) {
    collectFinders(&queue, &scene)
    let hasLines = scene.settings.symbologies.hasLinear
    let hasRows = scene.wants(.pdf417) || scene.wants(.micropdf417)
    for level in 0..<scene.levels.measuredCount where hasLines || hasRows {
      collectStripes(level, hasLines: hasLines, hasRows: hasRows, &queue, &scene)
    }
    if hasLines, let strip = StripeRegion.strip(scene.luma) {
      addBars(strip, index: -1, level: 0, chance: Evidence.strip, &queue)
    }
    guard scene.wants(.datamatrix), scene.luma.width >= 8, scene.luma.height >= 8 else { return }
    for level in 0..<scene.levels.measuredCount {
      collectCells(level, isTwoWay: true, takesApart: isPatient, .glance, &queue, &scene)
    }
    // A symbol may fill a small picture regardless of the evidence of its tiles.
    if scene.luma.width * scene.luma.height <= CandidateLists.wholePixelCountMax {
      let whole = PixelRegion(x: 0, y: 0, width: scene.luma.width, height: scene.luma.height)
      wholeIndex = cellsCount
      add(whole, surroundings: whole, level: 0, .glance, chance: Evidence.wholePicture, &queue)
    }
  }

  // MARK: Stripes

  private mutating func collectStripes(
    _ level: Int, hasLines: Bool, hasRows: Bool, _ queue: inout CandidateQueue, _ scene: inout Scene
  ) {
    let tiles = scene.levels.tiles(level)
    let luma = scene.levels.picture(level).view
    guard luma.width >= 2, luma.height >= 2 else { return }
    scene.budget.charge(tiles.columns * tiles.rows / 6)
    guard let activity = try? StripeActivity(tiles, arena: &scene.arena) else { return }
    if hasLines, let found = try? StripeRegionFinder(activity, arena: &scene.arena) {
      scene.budget.charge(found.visitedCount)
      isCut = isCut || found.isCut
      bars[level] = found
      for index in 0..<found.count where !isCovered(found[index], level, scene) {
        found[index].energy = PictureLevels.clearEnergy(found[index].energy, contrastMin: scene.levels.contrastMin)
        var chance = Evidence.bars(found[index])
        if chance >= CandidateLists.lookChanceMin {
          scene.budget.charge(Int(found[index].length >> 18))
          let seen = stripeLook.look(at: found[index], luma, agreementTurnCountMin: Evidence.turnCountMin)
          var region = found[index]
          (region.turnCount, region.lookedLength, region.agreement) = (seen.turnCount, seen.length, seen.agreement)
          found[index] = region
          chance = Evidence.bars(
            chance, coherence: found[index].coherence, turnCount: seen.turnCount, agreement: seen.agreement)
        }
        addBars(found[index], index: index, level: level, chance: chance, &queue)
      }
    }
    if hasRows, let found = try? StripeRegionFinder(activity, kind: .rows, arena: &scene.arena) {
      scene.budget.charge(found.visitedCount)
      isCut = isCut || found.isCut
      rows[level] = found
      for index in 0..<found.count
      where found[index].tileCount >= StackedReader.frameTileCountMin && !isCovered(found[index], level, scene) {
        var region = found[index]
        region.energy = PictureLevels.clearEnergy(region.energy, contrastMin: scene.levels.contrastMin)
        var chance = Evidence.rows(region)
        if chance >= CandidateLists.lookChanceMin {
          scene.budget.charge(Int(region.length >> 18))
          chance = Evidence.rows(
            chance, turnCount: stripeLook.look(at: region, luma, agreementTurnCountMin: Int.max).turnCount)
        }
        queue.offer(
          Candidate(
            kind: .rows, attempt: .glance, level: Int8(level), index: Int16(index),
            place: CandidateLists.place(region, level: level), promise: Int32(chance),
            cost: Int32(truncatingIfNeeded: (region.length >> 16 + 400) * 8)))
      }
    }
  }

  /// Whether the middle of a region is in a symbol already read.
  private func isCovered(_ region: StripeRegion, _ level: Int, _ scene: borrowing Scene) -> Bool {
    scene.results.count > 0 && scene.results.covers(CandidateLists.place(region, level: level).point)
  }

  private func addBars(_ region: StripeRegion, index: Int, level: Int, chance: Int, _ queue: inout CandidateQueue) {
    // About three lines with two samples per pixel, an overhang, and the edges on them.
    queue.offer(
      Candidate(
        kind: .bars, attempt: .glance, level: Int8(level), index: Int16(index),
        place: CandidateLists.place(region, level: level), promise: Int32(chance),
        cost: Int32(truncatingIfNeeded: (region.length >> 16 + 60) * 12)))
  }

  /// Whether stripes at a place also appear on a finer level than `level`, with at least half the extent.
  func showsBars(at place: CandidatePlace, below level: Int) -> Bool {
    for finer in 0..<level {
      guard let found = bars[finer] else { continue }
      for index in 0..<found.count {
        let other = CandidateLists.place(found[index], level: finer)
        if abs(other.x - place.x) < place.reach, abs(other.y - place.y) < place.reach, 2 * other.reach > place.reach {
          return true
        }
      }
    }
    return false
  }

  private static func place(_ region: StripeRegion, level: Int) -> CandidatePlace {
    let cosine = Int(region.direction.cosine.bits)
    let sine = Int(region.direction.sine.bits)
    let u = (region.uMin + region.uMax) / 2
    let v = (region.vMin + region.vMax) / 2
    let x = (region.centerX + (u * cosine - v * sine) >> 16) << level
    let y = (region.centerY + (u * sine + v * cosine) >> 16) << level
    return CandidatePlace(
      x: x >> 16, y: y >> 16, reach: max(region.uMax - region.uMin, region.vMax - region.vMin) >> (17 - level))
  }

  // MARK: Finder patterns and rings

  private mutating func collectFinders(_ queue: inout CandidateQueue, _ scene: inout Scene) {
    guard scene.settings.symbologies.hasFinders || scene.wants(.maxicode) else { return }
    guard var found = try? FinderSearches(&scene) else { return }
    found.searchPlain(frameCount: queue.memory?.frameCount ?? 1, &scene)
    finders = found
    addFinders(&queue, &scene)
  }

  /// Searches a sharpened picture, and adds the new candidates.
  mutating func searchSharpened(_ index: Int, _ queue: inout CandidateQueue, _ scene: inout Scene) {
    guard finders != nil else { return }
    finders?.searchSharpened(index, &scene)
    addFinders(&queue, &scene)
  }

  private mutating func addFinders(_ queue: inout CandidateQueue, _ scene: inout Scene) {
    guard let finders else { return }
    let found = finders.finders.found
    var usedCount = 0
    for index in 0..<found.count where found.all[index].isUsed { usedCount += 1 }
    if scene.wants(.qr), found.count >= 3, found.count > knownFinderCount || usedCount > knownUsedCount, var triples {
      // The finder patterns in use may have been between others.
      _ = triples.find(
        found.all, count: found.count, firstNew: usedCount > knownUsedCount ? 0 : knownFinderCount, budget: &scene.budget
      )
      knownUsedCount = usedCount
      ranks.fill(0, count: found.count)
      for index in 0..<triples.count { addTriple(triples[index], found.all, &queue) }
    }
    if scene.wants(.microqr) || scene.wants(.rmqr) {
      for index in knownFinderCount..<max(knownFinderCount, found.count) {
        let finder = found.all[index]
        queue.offer(
          Candidate(
            kind: .finder, attempt: .glance, level: 0, index: Int16(index),
            place: CandidatePlace(x: finder.center.x >> 8, y: finder.center.y >> 8, reach: finder.module >> 6),
            promise: Int32(Evidence.finder), cost: CandidateLists.finderCost))
      }
    }
    knownFinderCount = found.count
    guard let bullseyes = finders.bullseyes?.found else { return }
    for index in knownBullseyeCount..<max(knownBullseyeCount, bullseyes.count) {
      let bullseye = bullseyes.all[index]
      let module = max(bullseye.moduleX, bullseye.moduleY)
      queue.offer(
        Candidate(
          kind: .bullseye, attempt: .glance, level: 0, index: Int16(index),
          place: CandidatePlace(x: bullseye.center.x >> 8, y: bullseye.center.y >> 8, reach: module >> 5),
          promise: Int32(Evidence.bullseye), cost: 4_000))
    }
    knownBullseyeCount = bullseyes.count
  }

  /// Adds a triple. The first one of a corner is the most promising; the following ones probably consist of parts of several
  /// symbols.
  private func addTriple(_ triple: QRTriple, _ finders: ScratchArray<FinderPattern>, _ queue: inout CandidateQueue) {
    let rank = Int(ranks[triple.corner])
    ranks[triple.corner] += 1
    let right = finders[triple.right].center
    let below = finders[triple.below].center
    let x = (right.x + below.x) / 2
    let y = (right.y + below.y) / 2
    queue.offer(
      Candidate(
        kind: .finders, attempt: .glance, level: 0, index: Int16(triple.corner), second: Int16(triple.right),
        third: Int16(triple.below),
        place: CandidatePlace(x: x >> 8, y: y >> 8, reach: max(abs(right.x - below.x), abs(right.y - below.y)) >> 9),
        promise: Int32(max(1, Evidence.finders(penalty: triple.penalty, rank: rank))), cost: 1_000))
  }

  // MARK: Cells

  /// Adds the active regions of the picture at a level.
  mutating func collectCells(
    _ level: Int, isTwoWay: Bool, takesApart: Bool = false, _ attempt: Attempt, _ queue: inout CandidateQueue,
    _ scene: inout Scene
  ) {
    let mark = scene.arena.mark
    defer { scene.arena.release(to: mark) }
    guard
      let found = try? ActiveRegions(
        scene.levels.tiles(level), scene.levels.picture(level).view, isTwoWay: isTwoWay,
        takesApart: takesApart, contrastMin: scene.levels.contrastMin, arena: &scene.arena, budget: &scene.budget)
    else { return }
    isCut = isCut || found.isCut
    let picture = scene.levels.picture(level).view
    for index in 0..<found.count {
      let region = found.regions[index]
      let isTexture =
        max(scene.luma.width, scene.luma.height) > EdgeLineFinder.sideMax
        && region.isTexture(of: picture, sideCountMin: scene.effort == .frame ? PixelRegion.textureSideCountMin : 0)
      add(
        region.enlarged(level), surroundings: found.surroundings[index].enlarged(level), level: level, attempt,
        chance: Evidence.cells(rank: Int(found.ranks[index])) / (isTexture ? Evidence.textureDivisor : 1), &queue)
    }
  }

  /// Adds a region of the picture.
  private mutating func add(
    _ region: PixelRegion, surroundings: PixelRegion, level: Int, _ attempt: Attempt, chance: Int,
    _ queue: inout CandidateQueue
  ) {
    guard cellsCount < CandidateLists.cellsCountMax else {
      isCut = true
      return
    }
    cells[cellsCount] = region
    cellsSurroundings[cellsCount] = surroundings
    cellsAttempts[cellsCount] = 0
    cellsChances[cellsCount] = Int32(chance)
    let isWhole = queue.memory != nil && level > 0 && partCount(of: region, chance: chance) >= CandidateLists.partCountMin
    let area = region.width * region.height >> (2 * DataMatrixReader.firstLevel(region, .frame))
    let factor = queue.memory == nil ? CandidateLists.stillCellsFactor : 1
    queue.offer(
      Candidate(
        kind: .cells, attempt: attempt, level: Int8(level), index: Int16(cellsCount),
        place: CandidatePlace(
          x: region.x + region.width / 2, y: region.y + region.height / 2, reach: max(region.width, region.height) / 2),
        promise: Int32(isWhole ? chance * CandidateLists.wholeFactor : chance),
        // If a region is detected at several levels, the finest one gives its borders best.
        cost: Int32(truncatingIfNeeded: factor * (2000 + min(area, 40_000) / 2) * (8 + level) / 8)))
    cellsCount += 1
  }

  /// The number of regions found so far whose centre lies in a region, which are at least half as likely and less than half as long.
  private func partCount(of region: PixelRegion, chance: Int) -> Int {
    var count = 0
    for index in 0..<cellsCount where 2 * Int(cellsChances[index]) >= chance {
      let part = cells[index]
      let x = part.x + part.width / 2 - region.x
      let y = part.y + part.height / 2 - region.y
      if x > 0, x < region.width, y > 0, y < region.height,
        2 * max(part.width, part.height) < max(region.width, region.height)
      {
        count += 1
      }
    }
    return count
  }

  /// Records an attempt at a region; returns false if the same attempt was made at nearly the same region, detected at
  /// another level.
  func begin(_ attempt: Attempt, cells index: Int) -> Bool {
    let bit: UInt8 = 1 << attempt.rawValue
    let region = cells[index]
    if attempt == .glance, index == wholeIndex { return true }
    for other in 0..<cellsCount where cellsAttempts[other] & bit != 0 && other != index {
      if isNearly(cells[other], region) { return false }
    }
    cellsAttempts[index] |= bit
    return true
  }

  /// Whether a study covered the whole picture, nearly all of it, or a region of at least half its area: the rest has no
  /// strong gradients.
  func hasStudiedWhole(_ luma: LumaView) -> Bool {
    let whole = PixelRegion(x: 0, y: 0, width: luma.width, height: luma.height)
    for index in 0..<cellsCount where cellsAttempts[index] & 1 << Attempt.study.rawValue != 0 {
      if isNearly(cells[index], whole) || 2 * cells[index].width * cells[index].height >= whole.width * whole.height {
        return true
      }
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
