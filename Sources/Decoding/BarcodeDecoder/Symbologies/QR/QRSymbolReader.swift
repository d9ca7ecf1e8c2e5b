// Reads symbols from groups of three finder patterns: grid, modules, codewords, message.

import BarcodeTypes

/// Reads the symbols of a picture.
@safe struct QRSymbolReader {
  private var layout: QRLayout
  private let gridSearch: QRGridSearch
  private let values: ModuleValues
  private let codewords: QRCodewordReader
  /// Number of triples tried since the last symbol, and how many of them are measured again if they are blurred.
  private var failureCount = 0
  private static let likelyCount = 30
  /// Least share of correct function modules for a symbol to be certain even if it is not read, in percent.
  private static let (sureTimingMin, sureOthersMin) = (70, 88)
  /// Whether the current grid shows enough of a symbol's function modules to be refined.
  private var looksLikeSymbol = false
  /// Least timing score of a grid that is sampled, see `QRGridSearch.timingScore`.
  private static let timingScoreMin = 300
  /// Greatest difference from the best timing score for another version to be tried.
  private static let timingScoreSlack = 20

  init(_ scratch: QRScratch, _ scene: inout Scene) throws(ArenaFull) {
    layout = try QRLayout(arena: &scene.arena)
    gridSearch = try QRGridSearch(arena: &scene.arena)
    values = scratch.values
    codewords = scratch.codewords
  }

  /// Reads the symbol of three finders, unless one of them belongs to another symbol. Returns the next attempt worth making,
  /// if any.
  mutating func read(_ candidate: Candidate, _ finders: ScratchArray<FinderPattern>, _ scene: inout Scene) -> Attempt? {
    let triple = QRTriple(
      corner: Int(candidate.index), right: Int(candidate.second), below: Int(candidate.third), penalty: 0)
    if finders[triple.corner].isUsed || finders[triple.right].isUsed || finders[triple.below].isUsed { return nil }
    guard scene.budget.spend(30) else { return nil }
    failureCount += 1
    looksLikeSymbol = false
    guard
      readTriple(
        triple, finders, isLikely: failureCount <= QRSymbolReader.likelyCount || candidate.attempt > .glance, &scene)
    else {
      switch candidate.attempt {
      case .glance: return looksLikeSymbol ? .look : .study
      case .look: return .study
      case .study, .inverted, .characters: return nil
      }
    }
    failureCount = 0
    finders[triple.corner].isUsed = true
    finders[triple.right].isUsed = true
    finders[triple.below].isUsed = true
    return nil
  }

  /// Reads the symbol of three finders. Returns whether there was a symbol.
  ///
  /// - Parameter isLikely: whether to measure finders that are blurred along the lines between them again by their outer
  ///   edges.
  private mutating func readTriple(
    _ triple: QRTriple, _ finders: ScratchArray<FinderPattern>, isLikely: Bool, _ scene: inout Scene
  )
    -> Bool
  {
    var corner = finders[triple.corner]
    var right = finders[triple.right]
    var below = finders[triple.below]
    let module = min(corner.module, min(right.module, below.module))
    let sight = Sight(scene.levels, module: module, isInverted: corner.isInverted)
    refineFinder(&corner, sight)
    refineFinder(&right, sight)
    refineFinder(&below, sight)
    let geometry = gridSearch.measure(sight, corner: corner, right: right, below: below, usesEdges: false)
    if let geometry {
      if readGeometry(geometry, sight, &scene) { return true }
      if !geometry.isBlurred { return false }
    }
    guard isLikely,
      let other = gridSearch.measure(sight, corner: corner, right: right, below: below, usesEdges: true)
    else { return false }
    return readGeometry(other, sight, &scene)
  }

  /// Reads the symbol of the candidate version whose timing patterns alternate best, or of another version whose patterns
  /// alternate about as well: between three finders of version 2, five modules can happen to look like those of version 1.
  private mutating func readGeometry(_ geometry: QRGeometry, _ sight: Sight, _ scene: inout Scene) -> Bool {
    var scores: [3 of Int] = .init(repeating: 0)
    var best = 0
    for index in scores.indices {
      guard let grid = geometry.grid(index) else { continue }
      _ = scene.budget.spend(grid.columns / 2)
      scores[index] = gridSearch.timingScore(grid, sight)
      best = max(best, scores[index])
    }
    guard best > QRSymbolReader.timingScoreMin else { return false }
    scene.progress.reach(.grid)
    let least = best - QRSymbolReader.timingScoreSlack
    for index in scores.indices where scores[index] == best {
      if readGrid(index, geometry, sight, &scene) { return true }
    }
    for index in scores.indices where scores[index] >= least && scores[index] < best {
      if readGrid(index, geometry, sight, &scene) { return true }
    }
    return false
  }

  private mutating func readGrid(
    _ index: Int, _ geometry: QRGeometry, _ sight: Sight, _ scene: inout Scene
  ) -> Bool {
    guard let grid = geometry.grid(index) else { return false }
    let version = geometry.version(index)
    if readGrid(grid, version: version, sight, &scene) { return true }
    guard version <= QRModel1.versionMax, isModel1(grid, geometry, sight, &scene) else { return false }
    layout.prepare(version: version, isModel1: true)
    values.sample(grid, sight)
    return readLaidOut(grid, sight, &scene)
  }

  /// Whether the format information agrees better with that of Model 1 than with that of Model 2.
  private func isModel1(
    _ grid: ModuleGrid, _ geometry: QRGeometry, _ sight: Sight, _ scene: inout Scene
  ) -> Bool {
    let size = grid.columns
    _ = scene.budget.spend(60)
    for place in 0..<17 {
      let index = place < 9 ? place : size - 17 + place
      for isAcross in 0..<2 {
        let (column, row) = isAcross == 1 ? (index, 8) : (8, index)
        let difference = geometry.threshold - sight.sample(grid.flatPlace(column * 256 + 128, row * 256 + 128))
        values.values[row * size + column] = Int16(truncatingIfNeeded: sight.isInverted ? -difference : difference)
      }
    }
    var agreements: [2 of Int] = .init(repeating: 0)
    for model in 0..<2 {
      for side in 0..<2 {
        let format = codewords.readFormat(values.values, size: size, isMirrored: side == 1, isModel1: model == 1)
        agreements[model] = max(agreements[model], format?.agreement ?? 0)
      }
    }
    return agreements[1] > agreements[0]
  }

  private mutating func readGrid(
    _ rough: ModuleGrid, version: Int, _ sight: Sight, _ scene: inout Scene
  ) -> Bool {
    _ = scene.budget.spend(300 + rough.columns * rough.columns / 2)
    var version = version
    var grid = gridSearch.alignedGrid(rough, version: version, sight)
    values.sample(grid, sight)
    if version >= 7 {
      values.decide(grid, sight)
    }
    if version >= 7, let named = codewords.readVersion(values.values, size: grid.columns), named != version {
      guard abs(named - version) <= 3,
        let other = ModuleGrid(
          columns: QRTables.size(version: named), rows: QRTables.size(version: named), quad: rough.quad,
          inset: QRGridSearch.inset)
      else { return false }
      version = named
      grid = gridSearch.alignedGrid(other, version: version, sight)
      values.sample(grid, sight)
    }
    layout.prepare(version: version)
    return readLaidOut(grid, sight, &scene)
  }

  /// Reads a grid whose size is laid out and whose modules are sampled.
  private mutating func readLaidOut(
    _ grid: ModuleGrid, _ sight: Sight, _ scene: inout Scene
  ) -> Bool {
    values.decide(grid, sight)
    if readModules(grid, sight, usesErasures: false, &scene) { return true }
    values.decide(grid, sight)
    let shown = functionModules()
    scene.progress.reach(.grid, agreement: min(shown.timing, shown.others))
    guard shown.timing >= 52, shown.others >= 72 else { return false }
    looksLikeSymbol = true
    scene.progress.reach(.codewords)
    if shown.timing >= QRSymbolReader.sureTimingMin, shown.others >= QRSymbolReader.sureOthersMin {
      scene.results.locate(.qr, corners: grid.corners, moduleCount: grid.columns)
    }
    // A glance leaves refining for later, after the symbols that need none.
    guard scene.attempt > .glance else { return false }
    let refiner = values.refiner(grid, sight, roles: layout.modules)
    // The middles of the finder patterns.
    var seeds = GridSeeds(reach: 2)
    seeds.append(column: 3, row: 3)
    seeds.append(column: grid.columns - 4, row: 3)
    seeds.append(column: 3, row: grid.columns - 4)
    if let grown = GridGrowth.bent(grid, from: seeds, sight, budget: &scene.budget), readRefined(grown, sight, &scene) {
      return true
    }
    let flat = refiner.refined(grid, budget: &scene.budget)
    if readRefined(flat, sight, &scene) { return true }
    guard scene.effort == .still else { return false }
    let bent = refiner.bent(grid, budget: &scene.budget)
    return readRefined(bent, sight, &scene)
  }

  /// Samples a grid and reads it with several degrees of sharpening and with erasures.
  private mutating func readRefined(
    _ grid: ModuleGrid, _ sight: Sight, _ scene: inout Scene
  ) -> Bool {
    values.sample(grid, sight)
    for index in ModuleValues.decisions.indices {
      values.decide(grid, sight, by: ModuleValues.decisions[index])
      if readModules(grid, sight, usesErasures: true, &scene) { return true }
    }
    return false
  }

  /// The share of the function modules that have their colour, in percent. With enough of them, a grid is worth more work.
  /// On the corpus, grids that refining made readable have at least 61 % of the timing modules and 97 % of the others right;
  /// of groups of finders that are not a symbol, one in fifty reaches 52 and 72 %.
  private func functionModules() -> (timing: Int, others: Int) {
    var timing = 0
    var timingRight = 0
    var others = 0
    var othersRight = 0
    let size = layout.size
    for row in 0..<size {
      for column in 0..<size {
        let kind = layout.modules[row * size + column]
        guard kind == ModuleRole.dark || kind == ModuleRole.light else { continue }
        let isRight = (values.values[row * size + column] > 0) == (kind == ModuleRole.dark)
        if (row == 6 && column >= 8 && column < size - 8) || (column == 6 && row >= 8 && row < size - 8) {
          timing += 1
          if isRight { timingRight += 1 }
        } else {
          others += 1
          if isRight { othersRight += 1 }
        }
      }
    }
    return (timingRight * 100 / max(1, timing), othersRight * 100 / max(1, others))
  }

  /// Reads decided modules, first as they are and then mirrored.
  private mutating func readModules(
    _ grid: ModuleGrid, _ sight: Sight, usesErasures: Bool, _ scene: inout Scene
  ) -> Bool {
    if readCodewords(grid, sight, isMirrored: false, usesErasures: usesErasures, &scene) { return true }
    values.transpose(size: grid.columns)
    return readCodewords(grid, sight, isMirrored: true, usesErasures: usesErasures, &scene)
  }

  private mutating func readCodewords(
    _ grid: ModuleGrid, _ sight: Sight, isMirrored: Bool, usesErasures: Bool, _ scene: inout Scene
  ) -> Bool {
    let isModel1 = layout.isModel1
    guard let format = codewords.readFormat(values.values, size: grid.columns, isModel1: isModel1) else { return false }
    _ = scene.budget.spend(grid.columns * grid.columns)
    guard
      let correction = isModel1
        ? codewords.readModel1(values.values, version: layout.version, format: format, usesErasures: usesErasures)
        : codewords.read(values.values, layout: layout, format: format, usesErasures: usesErasures)
    else { return false }
    var messageReader = QRMessageReader(
      codewords.data, count: correction.dataCount, version: layout.version, isModel1: isModel1)
    return scene.results.report(
      messageReader.read(into: &scene.results), as: .qr,
      SymbolAppearance(
        corners: isMirrored ? grid.corners.mirrored : grid.corners, isInverted: sight.isInverted, isMirrored: isMirrored),
      correction.cost)
  }
}
