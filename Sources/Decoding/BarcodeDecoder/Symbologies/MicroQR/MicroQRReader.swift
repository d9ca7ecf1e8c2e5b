// Micro QR Code: tries the likeliest places of a symbol around a finder pattern.

import BarcodeTypes

/// Reads the Micro QR symbols of a picture.
@safe struct MicroQRReader {
  private var layout: MicroQRLayout
  private let values: ModuleValues
  private let codewords: QRCodewordReader

  init(_ scratch: QRScratch, _ scene: inout Scene) throws(ArenaFull) {
    layout = try MicroQRLayout(arena: &scene.arena)
    values = scratch.values
    codewords = scratch.codewords
  }

  /// Reads the symbol of a finder at a glance; a study would do the same. Returns whether there was a symbol.
  mutating func read(_ found: LoneFinder, _ sight: Sight, _ scene: inout Scene) -> Bool {
    guard scene.attempt == .glance else { return false }
    var places: [3 of MicroQRPlace] = .init(
      repeating: MicroQRPlace(version: 1, corner: 0, shrinkAcross: 0, shrinkDown: 0, score: 0))
    let count = MicroQRFinder.places(found, sight, into: &places)
    for index in 0..<count {
      let place = places[index]
      let size = MicroQRFormat.size(version: place.version)
      guard let grid = ModuleGrid(columns: size, rows: size, quad: MicroQRFinder.symbolQuad(found.outline, place), inset: 0)
      else {
        continue
      }
      if readGrid(grid, version: place.version, sight, &scene) {
        return true
      }
    }
    return false
  }

  private mutating func readGrid(
    _ rough: ModuleGrid, version: Int, _ sight: Sight, _ scene: inout Scene
  ) -> Bool {
    _ = scene.budget.spend(150)
    layout.prepare(version: version)
    values.read(rough, sight)
    let wrong = wrongPercent()
    scene.progress.reach(.grid, agreement: 100 - wrong)
    guard wrong <= MicroQRReader.wrongPercentMax else { return false }
    scene.progress.reach(.codewords)
    if readModules(rough, sight, usesErasures: false, &scene) { return true }
    // Reading has transposed the modules.
    values.decide(rough, sight)
    let refiner = values.refiner(rough, sight, roles: layout.modules)
    if rough.hasSmallModules, let parallel = rough.parallel {
      let flat = refiner.refined(parallel, .sides, budget: &scene.budget)
      if readRefined(flat, sight, &scene) { return true }
    }
    return readRefined(refiner.refined(rough, budget: &scene.budget), sight, &scene)
  }

  /// Samples a grid and reads it in several ways.
  private mutating func readRefined(_ grid: ModuleGrid, _ sight: Sight, _ scene: inout Scene) -> Bool {
    values.sample(grid, sight)
    for index in ModuleValues.decisions.indices {
      values.decide(grid, sight, by: ModuleValues.decisions[index])
      if readModules(grid, sight, usesErasures: true, &scene) { return true }
    }
    return false
  }

  /// Greatest share of function modules with the wrong colour, in percent, for a grid to be refined; and for M1, whose only
  /// protection is two check codewords, to be believed.
  private static let wrongPercentMax = 25
  private static let wrongPercentMaxOfM1 = 4

  /// The share of the function modules that have the wrong colour, in percent.
  private func wrongPercent() -> Int {
    let (count, wrong) = values.functionModules(layout.modules, count: layout.size * layout.size)
    return wrong * 100 / max(1, count)
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
    guard let format = codewords.readMicroFormat(values.values, size: grid.columns),
      MicroQRFormat.size(version: format.version) == grid.columns
    else { return false }
    // M1 detects errors but corrects none: everything else about it must be right.
    if format.version == 1, format.wrongBitCount > 0 || wrongPercent() > MicroQRReader.wrongPercentMaxOfM1 { return false }
    _ = scene.budget.spend(grid.columns * grid.columns)
    guard
      let correction = codewords.readMicro(values.values, layout: layout, format: format, usesErasures: usesErasures)
    else { return false }
    var messageReader = MicroQRMessageReader(codewords.data, format: format)
    // Modifier 1: QR Code 2005 and later, including Micro QR Code, without ECI (Annex F).
    let message = messageReader.read(into: &scene.results) ? SymbolMessage(aimModifier: 0x31) : nil
    return scene.results.report(
      message, as: .microqr,
      SymbolAppearance(
        corners: isMirrored ? grid.corners.mirrored : grid.corners, isInverted: sight.isInverted, isMirrored: isMirrored),
      correction.cost)
  }
}
