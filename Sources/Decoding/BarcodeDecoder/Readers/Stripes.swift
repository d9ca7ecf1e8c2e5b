// The stripes of a picture: the bars of linear symbols, and the rows of bars of stacked ones. Both kinds share the activity of
// the tiles.

import BarcodeTypes

/// The striped regions of a picture and the readers of their symbols.
@safe struct Stripes {
  /// The minimum probability by its tiles for which a region of stripes gets a look.
  private static let lookChanceMin = 4
  /// The expected work units of a glance: per pixel across the bars, for about three lines with two samples per pixel, their
  /// overhang and edges; for rows, fewer lines over more pixels.
  private static let barsCost = (perPixel: 12, overhang: 60)
  private static let rowsCost = (perPixel: 8, overhang: 400)
  /// The heights of the areas in which the component of a GS1-128 is looked for above it, and a linear symbol below its component,
  /// in 256ths of the width: of three rows of CC-C and of many, and of GS1 DataBar Limited and of EAN.
  private static let componentHeights: [3 of Int] = [24, 8, 160]
  private static let linearHeights: [2 of Int] = [40, 140]
  /// The index of the region of a picture too narrow for tiles.
  private static let stripIndex = -1

  private let settings: DecoderSettings
  private let look: StripeLook
  private var bars: [4 of StripeRegionFinder?] = .init(repeating: nil)
  private var rows: [4 of StripeRegionFinder?] = .init(repeating: nil)
  private var linear: LinearReader?
  private var components = Components()
  private var stacked: StackedReader?
  /// Whether a list had no room for a region.
  private(set) var isCut = false

  init(_ scene: inout Scene) throws(ArenaFull) {
    settings = scene.settings
    look = try StripeLook(arena: &scene.arena)
  }

  /// Finds the regions at all sizes.
  mutating func collect(_ queue: inout CandidateQueue, _ scene: inout Scene) {
    let (hasBars, hasRows) = (settings.symbologies.hasLinear, settings.symbologies.hasStacked)
    for level in 0..<scene.levels.measuredCount where hasBars || hasRows {
      let tiles = scene.levels.tiles(level)
      let luma = scene.levels.picture(level).view
      guard luma.width >= 2, luma.height >= 2 else { continue }
      scene.budget.charge(tiles.columns * tiles.rows / 6)
      guard let activity = try? StripeActivity(tiles, arena: &scene.arena) else { continue }
      if hasBars, let found = regions(activity, .bars, &scene) {
        bars[level] = found
        addBars(found, level, &queue, &scene)
      }
      if hasRows, let found = regions(activity, .rows, &scene) {
        rows[level] = found
        addRows(found, level, &queue, &scene)
      }
    }
    if hasBars, let strip = StripeRegion.strip(scene.luma) {
      queue.offer(Stripes.barsCandidate(strip, index: Stripes.stripIndex, level: 0, chance: Evidence.strip))
    }
  }

  private mutating func regions(
    _ activity: StripeActivity, _ kind: StripeKind, _ scene: inout Scene
  ) -> StripeRegionFinder? {
    guard let found = try? StripeRegionFinder(activity, kind: kind, arena: &scene.arena) else { return nil }
    scene.budget.charge(found.visitedCount)
    isCut = isCut || found.isCut
    return found
  }

  private func addBars(
    _ found: StripeRegionFinder, _ level: Int, _ queue: inout CandidateQueue, _ scene: inout Scene
  ) {
    let luma = scene.levels.picture(level).view
    for index in 0..<found.count where !isCovered(found[index], level, scene) {
      var region = found[index]
      region.energy = PictureLevels.clearEnergy(region.energy, contrastMin: scene.levels.contrastMin)
      var chance = Evidence.bars(region)
      if chance >= Stripes.lookChanceMin {
        scene.budget.charge(Int(region.length >> 18))
        let seen = look.look(at: region, luma, agreementTurnCountMin: Evidence.turnCountMin)
        (region.turnCount, region.lookedLength, region.agreement) = (seen.turnCount, seen.length, seen.agreement)
        chance = Evidence.bars(
          chance, coherence: region.coherence, turnCount: seen.turnCount, agreement: seen.agreement)
      }
      found[index] = region
      if level == 0 { queue.note(PatchRegion(region, promise: chance), level: level) }
      queue.offer(Stripes.barsCandidate(region, index: index, level: level, chance: chance))
    }
  }

  private func addRows(
    _ found: StripeRegionFinder, _ level: Int, _ queue: inout CandidateQueue, _ scene: inout Scene
  ) {
    let luma = scene.levels.picture(level).view
    for index in 0..<found.count
    where found[index].tileCount >= StackedReader.frameTileCountMin && !isCovered(found[index], level, scene) {
      var region = found[index]
      region.energy = PictureLevels.clearEnergy(region.energy, contrastMin: scene.levels.contrastMin)
      var chance = Evidence.rows(region)
      if chance >= Stripes.lookChanceMin {
        scene.budget.charge(Int(region.length >> 18))
        let seen = look.look(at: region, luma, agreementTurnCountMin: Int.max)
        chance = Evidence.rows(chance, turnCount: seen.turnCount)
      }
      queue.offer(
        Candidate(
          kind: .rows, attempt: .glance, level: Int8(level), index: Int16(index), place: region.place(level),
          promise: Int32(chance),
          cost: Int32(
            truncatingIfNeeded: (region.length >> 16 + Stripes.rowsCost.overhang) * Stripes.rowsCost.perPixel)))
    }
  }

  /// Whether the middle of a region is in a symbol already read.
  private func isCovered(_ region: StripeRegion, _ level: Int, _ scene: borrowing Scene) -> Bool {
    scene.results.count > 0 && scene.results.covers(region.place(level).point)
  }

  private static func barsCandidate(_ region: StripeRegion, index: Int, level: Int, chance: Int) -> Candidate {
    Candidate(
      kind: .bars, attempt: .glance, level: Int8(level), index: Int16(index), place: region.place(level),
      promise: Int32(chance),
      cost: Int32(truncatingIfNeeded: (region.length >> 16 + barsCost.overhang) * barsCost.perPixel))
  }

  // MARK: Reading

  /// Whether a symbol of the last region was left to a larger picture.
  var hasDeferred: Bool { linear?.isDeferred == true }

  /// Reads the linear symbols of a region. Returns the next attempt worth making, if any.
  mutating func readBars(_ candidate: Candidate, _ scene: inout Scene) -> Attempt? {
    let (index, level) = (Int(candidate.index), Int(candidate.level))
    // For light on dark, half a bar may pass for a whole one if pixels are coarse: the finest level with the bars decides.
    if candidate.attempt == .inverted, showsBars(at: candidate.place, below: level) { return nil }
    if linear == nil { linear = try? LinearReader(&scene) }
    if index == Stripes.stripIndex {
      guard var strip = StripeRegion.strip(scene.luma) else { return nil }
      return linear?.read(&strip, level: 0, candidate.attempt, &scene) ?? nil
    }
    guard let regions = bars[level] else { return nil }
    var region = regions[index]
    let again = linear?.read(&region, level: level, candidate.attempt, &scene) ?? nil
    // Keeps the directions as a study has refined them; those of a glance are rough.
    if candidate.attempt == .study { regions[index] = region }
    if linear?.showsUnreadBars == true, Evidence.isSurelyBars(region) {
      // Elements have 1.6 modules on average: EAN-13 has 59 in 95, Code 128 6 in 11, Code 39 9 in 12 to 15.
      let moduleCount = (region.length >> 16) * region.turnCount * 8 / 5 / max(1, region.lookedLength)
      scene.results.locate(nil, corners: region.corners(scale: 1 << level), moduleCount: moduleCount)
    }
    return again
  }

  /// Reads the other parts of GS1 Composite symbols: one part of each is among the results from an index on.
  mutating func readOtherParts(from first: Int, _ scene: inout Scene) {
    guard !scene.results.isEnlarged else { return }
    let end = scene.results.count
    if settings.composite == .wait { readComponents(first..<end, &scene) }
    readLinear(first..<end, &scene)
  }

  /// Reads the components of linear symbols.
  private mutating func readComponents(_ range: Range<Int>, _ scene: inout Scene) {
    for index in range {
      let symbol = scene.results.stored(index)
      switch symbol.linear.linkage {
      case .none: continue
      case .untold, .columns: if components.sees(symbol, &scene) { scene.results.noteComponent(above: index) }
      case .rows:
        if stacked == nil { stacked = try? StackedReader(&scene) }
        let corners = symbol.upper(scene.results.origin)
        for attempt in Stripes.componentHeights.indices where !scene.results.hasComponent(above: index) {
          stacked?.read(StripeRegion(beside: corners, share: -Stripes.componentHeights[attempt]), &scene)
        }
      }
    }
  }

  /// Reads the linear symbols below components. Their bars may be too low to make regions of their own.
  private mutating func readLinear(_ range: Range<Int>, _ scene: inout Scene) {
    guard settings.symbologies.hasLinear else { return }
    for index in range where scene.results.stored(index).isComponent {
      if linear == nil { linear = try? LinearReader(&scene) }
      let corners = SubpixelQuad(scene.results.stored(index).symbol.corners, from: scene.results.origin)
      for attempt in 0..<2 {
        let known = scene.results.count
        var region = StripeRegion(beside: corners, share: Stripes.linearHeights[attempt])
        _ = linear?.read(&region, level: 0, .study, &scene)
        if scene.results.count > known { break }
      }
    }
  }

  /// Reads the stacked symbol of a region. Returns the next attempt worth making, if any.
  mutating func readRows(_ candidate: Candidate, _ scene: inout Scene) -> Attempt? {
    if stacked == nil { stacked = try? StackedReader(&scene) }
    guard let regions = rows[Int(candidate.level)] else { return nil }
    return stacked?.read(regions, Int(candidate.index), level: Int(candidate.level), candidate.attempt, &scene) ?? nil
  }

  /// Whether bars at a place also appear on a finer level than `level`, with at least half the extent.
  private func showsBars(at place: CandidatePlace, below level: Int) -> Bool {
    for finer in 0..<level {
      guard let found = bars[finer] else { continue }
      for index in 0..<found.count {
        let other = found[index].place(finer)
        if abs(other.x - place.x) < place.reach, abs(other.y - place.y) < place.reach, 2 * other.reach > place.reach {
          return true
        }
      }
    }
    return false
  }
}

extension StripeRegion {
  /// The area directly below a symbol, or above it.
  ///
  /// - Parameters:
  ///   - corners: those of the symbol.
  ///   - share: the height of the area, in 256ths of the symbol's width; negative above the symbol.
  fileprivate init(beside corners: SubpixelQuad, share: Int) {
    let (left, right) = share < 0 ? (corners.topLeft, corners.topRight) : (corners.bottomLeft, corners.bottomRight)
    let along = right - left
    let width = along.length << 8
    // Half a turn further, both axes point the other way.
    let angle = BinaryAngle(x: along.x, y: along.y)
    let isTurned = angle.bits >= 0x8000
    self.init(
      centerX: (left.x + right.x) << 7, centerY: (left.y + right.y) << 7,
      direction: BinaryAngle(bits: isTurned ? angle.bits &- 0x8000 : angle.bits), tileCount: 1, energy: 0)
    // v grows a quarter turn from the direction of u; the symbol's lower edge may lie on either side.
    let isDown = ((corners.bottomLeft - corners.topLeft).across(along) > 0) != isTurned
    let height = (isDown ? share : -share) * (width >> 8)
    (uMin, uMax) = (-width / 2, width / 2)
    (vMin, vMax) = (min(0, height), max(0, height))
    endsAtCenter = true
  }

  /// The place of a region of the picture at a level.
  fileprivate func place(_ level: Int) -> CandidatePlace {
    let cosine = Int(direction.cosine.bits)
    let sine = Int(direction.sine.bits)
    let u = (uMin + uMax) / 2
    let v = (vMin + vMax) / 2
    let x = (centerX + (u * cosine - v * sine) >> 16) << level
    let y = (centerY + (u * sine + v * cosine) >> 16) << level
    return CandidatePlace(x: x >> 16, y: y >> 16, reach: max(uMax - uMin, vMax - vMin) >> (17 - level))
  }
}
