// Reads the symbols in a part of a picture: edges, finder patterns, grids, modules, codewords, message.

import BarcodeTypes

/// A part of the picture at the size of its search, with the transformation to the whole picture.
@safe struct DataMatrixPart {
  let view: LumaView
  /// The pyramid level; -1 for a part at twice the size.
  let level: Int
  /// The part's first pixel in the picture at that level.
  let x: Int
  let y: Int
  /// Which of its edge pixels count.
  var edges = EdgeLimits()

  /// The part as the readers of grids see it: their places are the part's own.
  func sight(isInverted: Bool) -> Sight { Sight(view: view, level: 0, isInverted: isInverted) }

  /// A point of the part, in 1/256 pixels, as a point of the picture.
  func inPicture(_ point: SubpixelPoint) -> SubpixelPoint {
    let column = point.x + x * 256
    let line = point.y + y * 256
    if level < 0 { return SubpixelPoint(x: column / 2 - 64, y: line / 2 - 64) }
    return SubpixelPoint(
      x: PictureLevels.fullSize(column, level: level, unit: 256), y: PictureLevels.fullSize(line, level: level, unit: 256))
  }
}

/// Reads the symbols in parts of a picture.
@safe struct DataMatrixSymbolReader {
  /// The maximum contradiction of a corrected symbol, see `DataMatrixCorrection`.
  private static let contradictionMax = 110
  /// The minimum score after the refinement of the finder pattern. Measured: flat symbols that were read have 826 and more,
  /// false candidates rarely more than 700. Below `likelyScoreMin` at most `unlikelyCountMax` grids are refined, as
  /// they may be bent.
  private static let refinedScoreMin = 620
  private static let likelyScoreMin = 760
  /// The minimum score for sizes of at most `smallSideMax` modules: few modules alternate by chance.
  private static let smallScoreMin = 850
  private static let smallSideMax = 12
  /// The minimum score of a certain symbol, even if it is not read: for symbols with at least `sureModulesMin` rows and
  /// columns together, and for smaller ones.
  private static let (sureScoreMin, sureModulesMin, sureSmallScoreMin) = (880, 28, 960)
  /// The maximum number of grids refined per part, for likely grids and for others.
  private static let thoroughCountMax = 6
  private static let unlikelyCountMax = 2
  /// The maximum number of patterns per part whose sides are followed.
  private static let tracedCountMax = 10
  /// The minimum module size for following the sides of a pattern in a smaller picture, in 1/256 pixels: modules of two
  /// pixels measure a little less.
  private static let tracedModuleMin = 448
  /// The maximum use of few check codewords by the correction of a bent symbol, in hundredths: its number of modules is the
  /// only other evidence.
  private static let bentLoadMax = 60
  private static let fewCheckCount = 20

  private var lines: EdgeLineFinder
  private var finder: DataMatrixFinder
  private var gridSearch: DataMatrixGridSearch
  private let trace: DataMatrixTimingTrace
  private var layout: DataMatrixLayout
  private let values: ModuleValues
  private let codewords: DataMatrixCodewordReader
  /// The number of grids refined in the current part.
  private var thoroughCount = 0
  /// The likeliest grid of the current pattern that certainly belongs to a symbol.
  private var sure: DataMatrixCandidate?
  /// The maximum use of the check codewords by a correction, in hundredths.
  private var loadMax = 100

  init(_ scene: inout Scene) throws(ArenaFull) {
    lines = try EdgeLineFinder(arena: &scene.arena)
    finder = try DataMatrixFinder(arena: &scene.arena)
    gridSearch = try DataMatrixGridSearch(arena: &scene.arena)
    trace = try DataMatrixTimingTrace(arena: &scene.arena)
    layout = try DataMatrixLayout(arena: &scene.arena)
    values = try ModuleValues(DataMatrixTables.sideMax * DataMatrixTables.sideMax, arena: &scene.arena)
    codewords = try DataMatrixCodewordReader(arena: &scene.arena)
  }

  /// Reads the symbols in a part. Returns their number.
  mutating func read(_ part: DataMatrixPart, _ scene: inout Scene) -> Int {
    guard !scene.budget.isExhausted else { return 0 }
    lines.find(part.view, part.edges, budget: &scene.budget)
    finder.find(lines.segments, count: lines.count)
    var readCount = 0
    thoroughCount = 0
    var tracedCount = 0
    gridSearch.bent = nil
    for index in 0..<finder.count {
      let pattern = finder.patterns[index]
      let middle = SubpixelPoint(
        x: (pattern.up.x + pattern.right.x) / 2, y: (pattern.up.y + pattern.right.y) / 2)
      if scene.results.covers(part.inPicture(middle).pixelPoint) { continue }
      guard scene.budget.spend(20) else { return readCount }
      gridSearch.find(
        pattern, part.view, lines: lines, findsBent: scene.effort == .still, budget: &scene.budget)
      var isRead = false
      sure = nil
      for candidate in 0..<gridSearch.count where !isRead && !scene.budget.isExhausted {
        isRead = readCandidate(gridSearch.candidates[candidate], part, isInverted: pattern.isInverted, &scene)
      }
      if !isRead, scene.effort == .still, isTraceable(part), !scene.budget.isExhausted,
        tracedCount < DataMatrixSymbolReader.tracedCountMax
      {
        tracedCount += 1
        if let traced = trace.candidate(
          pattern, moduleUp: gridSearch.moduleUp, moduleRight: gridSearch.moduleRight, part.view, budget: &scene.budget)
        {
          isRead = readBent(traced, part, isInverted: pattern.isInverted, &scene)
        }
      }
      if isRead {
        readCount += 1
      } else if let grid = sure?.grid {
        scene.results.locate(.datamatrix, corners: corners(grid, part), moduleCount: grid.columns)
      }
    }
    if let bent = gridSearch.bent, !scene.budget.isExhausted {
      let grid = bent.candidate.grid
      let middle = part.inPicture(grid.place(grid.columns * 128, grid.rows * 128)).pixelPoint
      if !scene.results.covers(middle), readBent(bent.candidate, part, isInverted: bent.isInverted, &scene) {
        readCount += 1
      }
    }
    return readCount
  }

  /// Whether the sides of the current pattern may be followed in a part. Modules that are too small for that are not
  /// followed if the part is also searched at a larger size: large symbols have long sides, which would use up the work left
  /// for the larger size.
  private func isTraceable(_ part: DataMatrixPart) -> Bool {
    let module = min(gridSearch.moduleUp, gridSearch.moduleRight)
    return module > 0 && (part.level <= 0 || module >= DataMatrixSymbolReader.tracedModuleMin)
  }

  private mutating func readCandidate(
    _ rough: DataMatrixCandidate, _ part: DataMatrixPart, isInverted: Bool, _ scene: inout Scene
  ) -> Bool {
    let candidate = gridSearch.refined(rough, part.view, isInverted: isInverted, budget: &scene.budget)
    let isSmall = max(candidate.grid.columns, candidate.grid.rows) <= DataMatrixSymbolReader.smallSideMax
    scene.progress.reach(.grid, agreement: candidate.score / 10)
    guard
      candidate.score >= (isSmall ? DataMatrixSymbolReader.smallScoreMin : DataMatrixSymbolReader.refinedScoreMin)
    else { return false }
    scene.progress.reach(.codewords)
    let grid = candidate.grid
    let sureScoreMin =
      grid.columns + grid.rows >= DataMatrixSymbolReader.sureModulesMin
      ? DataMatrixSymbolReader.sureScoreMin : DataMatrixSymbolReader.sureSmallScoreMin
    if candidate.score >= max(sureScoreMin, sure?.score ?? 0) { sure = candidate }
    layout.prepare(candidate.sizeIndex)
    _ = scene.budget.spend(grid.columns * grid.rows)
    values.read(grid, part.sight(isInverted: isInverted))
    if readBothWays(candidate, grid, part, isInverted: isInverted, usesErasures: false, &scene) { return true }
    let isLikely = candidate.score >= DataMatrixSymbolReader.likelyScoreMin
    guard
      thoroughCount < (isLikely ? DataMatrixSymbolReader.thoroughCountMax : DataMatrixSymbolReader.unlikelyCountMax)
    else { return false }
    thoroughCount += 1
    let refiner = values.refiner(grid, part.sight(isInverted: isInverted), roles: layout.roles)
    let flat = refiner.refined(grid, budget: &scene.budget)
    if readRefined(candidate, flat, part, isInverted: isInverted, &scene) { return true }
    guard scene.effort == .still else { return false }
    let bent = refiner.bent(flat, budget: &scene.budget)
    return readRefined(candidate, bent, part, isInverted: isInverted, &scene)
  }

  /// Reads a grid with columns or rows of unequal width.
  private mutating func readBent(
    _ candidate: DataMatrixCandidate, _ part: DataMatrixPart, isInverted: Bool, _ scene: inout Scene
  ) -> Bool {
    layout.prepare(candidate.sizeIndex)
    let isSmall = layout.size.blockCheckCount < DataMatrixSymbolReader.fewCheckCount
    loadMax = isSmall ? DataMatrixSymbolReader.bentLoadMax : 100
    defer { loadMax = 100 }
    let grid = candidate.grid
    if readRefined(candidate, grid, part, isInverted: isInverted, &scene) { return true }
    let refiner = values.refiner(grid, part.sight(isInverted: isInverted), roles: layout.roles)
    return readRefined(candidate, refiner.bent(grid, budget: &scene.budget), part, isInverted: isInverted, &scene)
  }

  /// Samples a grid and reads it with several degrees of sharpening and with erasures.
  private mutating func readRefined(
    _ candidate: DataMatrixCandidate, _ grid: ModuleGrid, _ part: DataMatrixPart, isInverted: Bool, _ scene: inout Scene
  ) -> Bool {
    values.sample(grid, part.sight(isInverted: isInverted))
    for index in ModuleValues.decisions.indices {
      _ = scene.budget.spend(grid.columns * grid.rows)
      values.decide(grid, part.sight(isInverted: isInverted), by: ModuleValues.decisions[index])
      if readBothWays(candidate, grid, part, isInverted: isInverted, usesErasures: true, &scene) { return true }
    }
    return false
  }

  /// Reads decided modules directly, and those of a square symbol also mirrored.
  private mutating func readBothWays(
    _ candidate: DataMatrixCandidate, _ grid: ModuleGrid, _ part: DataMatrixPart, isInverted: Bool, usesErasures: Bool,
    _ scene: inout Scene
  ) -> Bool {
    if readModules(
      grid, part, isMirrored: candidate.isMirrored, isInverted: isInverted, usesErasures: usesErasures, &scene)
    {
      return true
    }
    guard grid.columns == grid.rows else { return false }
    values.transposeAboutRisingDiagonal(size: grid.columns)
    return readModules(grid, part, isMirrored: true, isInverted: isInverted, usesErasures: usesErasures, &scene)
  }

  /// Reads decided modules. Returns whether they form a symbol.
  private mutating func readModules(
    _ grid: ModuleGrid, _ part: DataMatrixPart, isMirrored: Bool, isInverted: Bool, usesErasures: Bool, _ scene: inout Scene
  ) -> Bool {
    guard let correction = codewords.read(values.values, layout: layout, usesErasures: usesErasures),
      correction.contradiction <= DataMatrixSymbolReader.contradictionMax, correction.cost.loadPercent <= loadMax
    else { return false }
    var messageReader = DataMatrixMessageReader(codewords.data, count: layout.size.dataCount)
    var message = messageReader.read(into: &scene.results)
    if message?.hasRightPadding == false, correction.cost.loadPercent > 0 { message = nil }
    // A square is mirrored after sampling, a rectangle before.
    var corners = corners(grid, part)
    if isMirrored && grid.columns == grid.rows { swap(&corners.topLeft, &corners.bottomRight) }
    return scene.results.report(
      message, as: .datamatrix,
      SymbolAppearance(corners: corners, isInverted: isInverted, isMirrored: isMirrored), correction.cost)
  }

  /// The corners of a grid in the picture.
  private func corners(_ grid: ModuleGrid, _ part: DataMatrixPart) -> Quad {
    let (right, bottom) = (grid.columns * 256, grid.rows * 256)
    return Quad(
      topLeft: part.inPicture(grid.place(0, 0)).pixelPoint, topRight: part.inPicture(grid.place(right, 0)).pixelPoint,
      bottomRight: part.inPicture(grid.place(right, bottom)).pixelPoint,
      bottomLeft: part.inPicture(grid.place(0, bottom)).pixelPoint)
  }
}
