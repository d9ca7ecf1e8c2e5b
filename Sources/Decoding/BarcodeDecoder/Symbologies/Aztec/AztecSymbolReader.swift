// Reads symbols from bullseyes: plane, core, mode message, grid, codewords, message.

import BarcodeTypes

/// A reading of a core in one of the eight orientations.
private struct AztecCandidate: BitwiseCopyable {
  var orientation: AztecOrientation
  /// Number of right modules in the orientation marks, 9…12.
  var agreement: Int
  var mode: AztecMode

  /// Right modules in the marks less wrong modules in the mode message.
  var merit: Int { agreement - mode.wrongCount }
}

/// Reads the symbols of a picture.
@safe struct AztecSymbolReader {
  private var layout: AztecLayout
  private let values: ModuleValues
  private let modeReader: AztecModeReader
  private let codewords: AztecCodewordReader
  /// Whether the ring around the current bullseye gave a symbol's size.
  private var hasMode = false
  /// The enlargement of the picture being read: 0 for the scene's own, otherwise `EnlargedPicture.shift`.
  private var enlargement = 0

  /// Least share of a core's known modules that must have their colour before and after refining, in percent.
  private static let roughAgreementMin = 65
  private static let agreementMin = 80
  /// Least share of right reference grid modules for a grid that is not refined, in percent.
  private static let referenceAgreementMin = 95
  /// Least number of right modules out of the twelve orientation modules.
  private static let orientationMin = 9
  /// Least merit of a rune, out of 12: one module may be wrong.
  private static let runeMeritMin = 11
  /// The merit of a core that is certain even if its symbol is not read: its marks and its mode message are entirely right.
  private static let sureMerit = 12
  /// Greatest share of the correction capacity used on a grid that was not fully refined, in percent. Beyond it, the grid
  /// may be wrong, and with it the reported corners.
  private static let quickLoadMax = 25

  init(_ scene: inout Scene) throws(ArenaFull) {
    layout = try AztecLayout(arena: &scene.arena)
    values = try ModuleValues(AztecFormat.sizeMax * AztecFormat.sizeMax, arena: &scene.arena)
    modeReader = try AztecModeReader(arena: &scene.arena)
    codewords = try AztecCodewordReader(arena: &scene.arena)
  }

  /// Reads the symbol around a bullseye and adds it to the results.
  ///
  /// - Parameters:
  ///   - levels: the picture in which the bullseye was found.
  ///   - enlargement: 0 for the scene's own picture, otherwise `EnlargedPicture.shift`.
  /// - Returns: whether the ring around the bullseye gave a symbol's size.
  mutating func read(
    _ bullseye: FinderPattern, _ levels: PictureLevels, enlargement: Int, _ scene: inout Scene
  ) -> Bool {
    hasMode = false
    guard scene.budget.spend(200) else { return false }
    if enlargement == 0, scene.results.covers(bullseye.center.pixelPoint) { return false }
    let sight = Sight(levels, module: min(bullseye.moduleX, bullseye.moduleY), isInverted: bullseye.isInverted)
    guard let plane = BullseyePlane(bullseye, sight) else { return false }
    self.enlargement = enlargement
    let isFullLikely = looksFull(plane, sight, threshold: bullseye.threshold)
    for attempt in 0..<2 {
      if readCore(plane, sight, isCompact: (attempt == 1) == isFullLikely, &scene) { break }
    }
    return hasMode
  }

  /// Whether the ring at five modules is light and the one at six dark, as in a full bullseye.
  private func looksFull(_ plane: BullseyePlane, _ sight: Sight, threshold: Int) -> Bool {
    var agreeing = 0
    var total = 0
    for ring in 5...6 {
      for along in -ring..<ring {
        for side in 0..<4 {
          let (x, y) = AztecOrientation(index: side).place(along, -ring)
          let value = sight.sample(plane.place(x * 256, y * 256))
          if ((value < threshold) != sight.isInverted) == (ring == 6) { agreeing += 1 }
          total += 1
        }
      }
    }
    return agreeing * 4 >= total * 3
  }

  /// Reads the ring around the bullseye, then the symbol; refines the core's grid if that fails.
  private mutating func readCore(
    _ plane: BullseyePlane, _ sight: Sight, isCompact: Bool, _ scene: inout Scene
  ) -> Bool {
    let size = isCompact ? 11 : 15
    guard let rough = plane.grid(size: size, inset: 256) else { return false }
    layout.prepare(size: size, isCompact: isCompact, hasMarks: false)
    values.read(rough, sight)
    let agreement = bullseyeAgreement(size)
    scene.progress.reach(.grid, agreement: agreement)
    guard agreement >= AztecSymbolReader.roughAgreementMin else { return false }
    var tried: AztecCandidate?
    if let candidate = bestCandidate(isCompact: isCompact), candidate.agreement == 12, candidate.mode.wrongCount == 0 {
      if readCandidate(candidate, rough, sight, &scene) { return true }
      tried = candidate
    }
    layout.prepare(size: size, isCompact: isCompact, hasMarks: false)
    let grid = refined(rough, sight, &scene)
    let degrees: [3 of Int] = [4, 8, 0]
    for degree in degrees.indices {
      values.read(grid, sight, sharpening: degrees[degree])
      layout.prepare(size: size, isCompact: isCompact, hasMarks: false)
      guard bullseyeAgreement(size) >= AztecSymbolReader.agreementMin else { return false }
      guard let candidate = bestCandidate(isCompact: isCompact) else { continue }
      if let tried, degree > 0, tried.orientation == candidate.orientation, tried.mode.isSame(as: candidate.mode) {
        continue
      }
      if readCandidate(candidate, grid, sight, &scene) { return true }
      tried = candidate
    }
    return false
  }

  /// The orientation and mode message that agree best with the values of a core.
  private func bestCandidate(isCompact: Bool) -> AztecCandidate? {
    var best: AztecCandidate?
    for index in 0..<8 {
      let orientation = AztecOrientation(index: index)
      let agreement = modeReader.orientationAgreement(values.values, isCompact: isCompact, orientation: orientation)
      guard agreement >= AztecSymbolReader.orientationMin,
        let mode = modeReader.read(values.values, isCompact: isCompact, orientation: orientation)
      else { continue }
      let candidate = AztecCandidate(orientation: orientation, agreement: agreement, mode: mode)
      if best == nil || candidate.merit > best!.merit { best = candidate }
    }
    return best
  }

  private mutating func readCandidate(
    _ candidate: AztecCandidate, _ grid: ModuleGrid, _ sight: Sight, _ scene: inout Scene
  ) -> Bool {
    let orientation = candidate.orientation
    let mode = candidate.mode
    guard
      let turned = ModuleGrid(
        columns: grid.columns, rows: grid.rows, quad: orientation.turned(grid.quad), inset: grid.inset)
    else { return false }
    if mode.rune == nil {
      if readSymbol(turned, mode, orientation, sight, &scene) { return true }
      if candidate.merit == AztecSymbolReader.sureMerit, enlargement == 0,
        let whole = resized(turned, size: mode.format.size)
      {
        scene.results.locate(.aztec, corners: whole.corners, moduleCount: whole.columns)
      }
      return false
    }
    return candidate.merit >= AztecSymbolReader.runeMeritMin && readRune(turned, mode, orientation, sight, &scene)
  }

  /// The share of the known modules that have their colour, in percent.
  private func bullseyeAgreement(_ size: Int) -> Int {
    let (total, wrong) = values.functionModules(layout.modules, count: size * size)
    return (total - wrong) * 100 / max(1, total)
  }

  /// The grid moved to the best agreement of its modules with the layout, which must have its size.
  private mutating func refined(_ grid: ModuleGrid, _ sight: Sight, _ scene: inout Scene) -> ModuleGrid {
    refiner(grid, sight).refined(grid, grid.hasSmallModules ? .sides : .corners, budget: &scene.budget)
  }

  private func refiner(_ grid: ModuleGrid, _ sight: Sight) -> GridRefiner {
    values.read(grid, sight)
    return values.refiner(grid, sight, roles: layout.modules)
  }

  /// A wider or narrower grid around the same centre, in the same plane.
  private func resized(_ grid: ModuleGrid, size: Int) -> ModuleGrid? {
    // Reference points one module inside the new sides, in coordinates of the old grid.
    let low = (grid.columns - size) * 128 + 256
    let high = (grid.columns + size) * 128 - 256
    return ModuleGrid(
      columns: size, rows: size,
      quad: SubpixelQuad(
        topLeft: grid.flatPlace(low, low), topRight: grid.flatPlace(high, low), bottomRight: grid.flatPlace(high, high),
        bottomLeft: grid.flatPlace(low, high)), inset: 256)
  }

  /// Reads the symbol around a core whose top left is the symbol's: first with as little refining as the reference grid
  /// permits, then bent from the core outwards, then with full refining, then bent in any way.
  private mutating func readSymbol(
    _ core: ModuleGrid, _ mode: AztecMode, _ orientation: AztecOrientation, _ sight: Sight, _ scene: inout Scene
  ) -> Bool {
    hasMode = true
    scene.progress.reach(.codewords)
    let format = mode.format
    if core.hasSmallModules, let parallel = core.parallel, let flat = resized(parallel, size: format.size) {
      layout.prepare(size: format.size, isCompact: format.isCompact, hasMarks: true)
      let grid = refined(flat, sight, &scene)
      if readGrid(grid, mode, orientation, sight, isLast: true, &scene) { return true }
    }
    if let grid = grownGrid(core, format, sight, isCareful: false, &scene),
      readGrid(grid, mode, orientation, sight, isLast: false, &scene)
    {
      return true
    }
    var seeds = GridSeeds(reach: core.columns / 2)
    seeds.append(column: format.size / 2, row: format.size / 2)
    if let flat = resized(core, size: format.size),
      let grid = GridGrowth.bent(flat, from: seeds, sight, budget: &scene.budget),
      readGrid(grid, mode, orientation, sight, isLast: true, &scene)
    {
      return true
    }
    guard let grid = grownGrid(core, format, sight, isCareful: true, &scene) else { return false }
    if readGrid(grid, mode, orientation, sight, isLast: true, &scene) { return true }
    guard scene.effort == .still else { return false }
    let bent = refiner(grid, sight).bent(grid, budget: &scene.budget)
    return readGrid(bent, mode, orientation, sight, isLast: true, &scene)
  }

  /// The grid of the whole symbol, widened step by step because an error of the core's grid grows with the distance.
  private mutating func grownGrid(
    _ core: ModuleGrid, _ format: AztecFormat, _ sight: Sight, isCareful: Bool, _ scene: inout Scene
  ) -> ModuleGrid? {
    var grid = core
    var size = core.columns
    if isCareful {
      layout.prepare(size: size, isCompact: format.isCompact, hasMarks: true)
      grid = refined(grid, sight, &scene)
    }
    while size < format.size {
      guard scene.budget.spend(50) else { return nil }
      let known = size
      size = min(format.size, (size * (isCareful ? 5 : 6) / 4) | 1)
      guard let wider = resized(grid, size: size) else { return nil }
      grid = wider
      layout.prepare(size: size, isCompact: format.isCompact, hasMarks: true)
      if isCareful
        || referenceAgreement(grid, beyond: known, sight) < AztecSymbolReader.referenceAgreementMin
      {
        grid = refined(grid, sight, &scene)
      }
    }
    return grid
  }

  /// The share of reference grid modules outside the square of `inner` modules that differ from their neighbours in the
  /// right direction, in percent; 100 if there are no such modules. The layout must be that of the grid.
  private func referenceAgreement(_ grid: ModuleGrid, beyond inner: Int, _ sight: Sight) -> Int {
    let size = grid.columns
    let margin = (size - inner) / 2
    values.sample(grid, sight)
    var right = 0
    var total = 0
    for row in 0..<size {
      for column in 0..<size {
        let role = layout.modules[row * size + column]
        guard role == ModuleRole.dark || role == ModuleRole.light,
          min(min(row, column), min(size - 1 - row, size - 1 - column)) < margin
        else { continue }
        // The neighbours along the line have the other colour.
        let isRowLine = (column - size / 2) & 15 != 0
        let step = isRowLine ? 1 : size
        let along = isRowLine ? column : row
        let place = row * size + column
        let before = Int(values.greys[along > 0 ? place - step : place + step])
        let after = Int(values.greys[along < size - 1 ? place + step : place - step])
        let difference = 2 * Int(values.greys[place]) - before - after
        total += 1
        if (difference < 0) == ((role == ModuleRole.dark) != sight.isInverted) { right += 1 }
      }
    }
    return total == 0 ? 100 : right * 100 / total
  }

  /// Samples a grid and reads it; if `isLast`, with several degrees of sharpening and with erasures.
  private mutating func readGrid(
    _ grid: ModuleGrid, _ mode: AztecMode, _ orientation: AztecOrientation, _ sight: Sight, isLast: Bool,
    _ scene: inout Scene
  ) -> Bool {
    values.sample(grid, sight)
    for index in 0..<(isLast ? ModuleValues.wideDecisions.count : 1) {
      guard scene.budget.spend(grid.columns * grid.rows / 4) else { return false }
      values.decide(grid, sight, by: ModuleValues.wideDecisions[index])
      guard
        let correction = codewords.read(
          values.values, mode: mode, usesErasures: isLast, arena: &scene.arena, budget: &scene.budget)
      else { continue }
      if !isLast, correction.cost.loadPercent > AztecSymbolReader.quickLoadMax { return false }
      var messageReader = AztecMessageReader(codewords.bits, count: correction.bitCount)
      let appearance = SymbolAppearance(
        corners: corners(grid), isInverted: sight.isInverted, isMirrored: orientation.isMirrored)
      if scene.results.report(messageReader.read(into: &scene.results), as: .aztec, appearance, correction.cost) {
        return true
      }
    }
    return false
  }

  /// Reads a rune: a core alone, whose number is reported in three digits (Annex A). It has little protection, so the
  /// modules around it must be light.
  private mutating func readRune(
    _ core: ModuleGrid, _ mode: AztecMode, _ orientation: AztecOrientation, _ sight: Sight, _ scene: inout Scene
  ) -> Bool {
    guard let rune = mode.rune, let around = resized(core, size: 13) else { return false }
    values.read(around, sight, sharpening: 2)
    for index in 0..<13 {
      for side in 0..<4 {
        let (x, y) = AztecOrientation(index: side).place(index - 6, -6)
        // Modules outside the picture cannot be checked.
        let place = around.flatPlace((6 + x) * 256 + 128, (6 + y) * 256 + 128)
        guard sight.contains(place) else { continue }
        if values.values[(6 + y) * 13 + 6 + x] > 0 { return false }
      }
    }
    let fits =
      scene.results.append(UInt8(0x30 + rune / 100)) && scene.results.append(UInt8(0x30 + rune / 10 % 10))
      && scene.results.append(UInt8(0x30 + rune % 10))
    return scene.results.report(
      fits ? SymbolMessage(aimModifier: 0x43) : nil, as: .aztec,
      SymbolAppearance(corners: corners(core), isInverted: sight.isInverted, isMirrored: orientation.isMirrored))
  }

  private func corners(_ grid: ModuleGrid) -> Quad {
    let right = grid.columns * 256
    return Quad(
      topLeft: place(grid, 0, 0), topRight: place(grid, right, 0),
      bottomRight: place(grid, right, right), bottomLeft: place(grid, 0, right))
  }

  /// A place of the grid in the scene's own picture.
  private func place(_ grid: ModuleGrid, _ u: Int, _ v: Int) -> PixelPoint {
    let place = grid.place(u, v)
    guard enlargement > 0 else { return place.pixelPoint }
    return SubpixelPoint(x: EnlargedPicture.source(place.x), y: EnlargedPicture.source(place.y)).pixelPoint
  }
}
