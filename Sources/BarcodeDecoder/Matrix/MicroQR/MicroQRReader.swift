// Micro QR Code: the likeliest places of a symbol around a finder pattern are tried.

import BarcodeTypes

/// Reads the Micro QR symbols of one picture.
@safe struct MicroQRReader {
  private var layout: MicroQRLayout
  private let modules: ScratchArray<UInt8>
  private let values: ModuleValues
  private let codewords: QRCodewordReader

  /// - Parameter parts: what reads QR symbols; its scratch memory is used.
  init(_ parts: QRSymbolReader, _ scene: inout Scene) throws(ArenaFull) {
    layout = try MicroQRLayout(arena: &scene.arena)
    modules = parts.modules
    values = parts.values
    codewords = parts.codewords
  }

  /// Reads the symbol of a finder; whether there was one.
  mutating func read(
    _ found: LoneFinder, _ finder: MicroQRFinder, _ contrast: Int, _ view: LumaView, level: Int, _ scene: inout Scene
  ) -> Bool {
    var places: [3 of MicroQRPlace] = .init(
      repeating: MicroQRPlace(version: 1, corner: 0, shrinkAcross: 0, shrinkDown: 0, score: 0))
    let count = finder.places(found.outline, found.pattern, contrast, view, level: level, into: &places)
    for index in 0..<count {
      let place = places[index]
      let size = MicroQRFormat.size(version: place.version)
      guard let grid = ModuleGrid(columns: size, rows: size, quad: finder.symbolQuad(found.outline, place), inset: 0) else {
        continue
      }
      if readGrid(grid, version: place.version, view, level: level, isInverted: found.pattern.isInverted, &scene) {
        return true
      }
    }
    return false
  }

  private mutating func readGrid(
    _ rough: ModuleGrid, version: Int, _ view: LumaView, level: Int, isInverted: Bool, _ scene: inout Scene
  ) -> Bool {
    _ = scene.budget.spend(150)
    layout.prepare(version: version)
    sampleModules(rough, view, level: level, into: modules)
    values.decide(modules, columns: rough.columns, rows: rough.rows, sharpening: 4, isInverted: isInverted)
    guard wrongPercent() <= MicroQRReader.wrongPercentMax else { return false }
    if readModules(rough, isInverted: isInverted, usesErasures: false, &scene) { return true }
    // Reading has turned the modules over.
    values.decide(modules, columns: rough.columns, rows: rough.rows, sharpening: 4, isInverted: isInverted)
    let refiner = GridRefiner(
      view, level: level, roles: layout.modules, columns: layout.size, rows: layout.size, modules: modules,
      means: values.means, isInverted: isInverted)
    let grid = refiner.refined(rough, budget: &scene.budget)
    sampleModules(grid, view, level: level, into: modules)
    let degrees: [4 of Int] = [4, 6, 9, 2]
    for index in degrees.indices {
      values.decide(modules, columns: grid.columns, rows: grid.rows, sharpening: degrees[index], isInverted: isInverted)
      if readModules(grid, isInverted: isInverted, usesErasures: true, &scene) { return true }
    }
    return false
  }

  /// Function modules of the wrong colour, in hundredths, beyond which a grid is not refined, or not believed where nothing
  /// but two check codewords speaks for it.
  private static let wrongPercentMax = 25
  private static let wrongPercentMaxOfM1 = 4

  /// The part of the function modules that have the wrong colour, in hundredths.
  private func wrongPercent() -> Int {
    var count = 0
    var wrong = 0
    for index in 0..<(layout.size * layout.size) {
      let role = layout.modules[index]
      guard role == ModuleRole.dark || role == ModuleRole.light else { continue }
      count += 1
      if (values.values[index] > 0) != (role == ModuleRole.dark) { wrong += 1 }
    }
    return wrong * 100 / max(1, count)
  }

  /// Reads decided modules, as they are and then mirrored.
  private mutating func readModules(
    _ grid: ModuleGrid, isInverted: Bool, usesErasures: Bool, _ scene: inout Scene
  ) -> Bool {
    if readCodewords(grid, isInverted: isInverted, isMirrored: false, usesErasures: usesErasures, &scene) { return true }
    values.transpose(size: grid.columns)
    return readCodewords(grid, isInverted: isInverted, isMirrored: true, usesErasures: usesErasures, &scene)
  }

  private mutating func readCodewords(
    _ grid: ModuleGrid, isInverted: Bool, isMirrored: Bool, usesErasures: Bool, _ scene: inout Scene
  ) -> Bool {
    guard let format = codewords.readMicroFormat(values.values, size: grid.columns),
      MicroQRFormat.size(version: format.version) == grid.columns
    else { return false }
    // M1 finds errors but corrects none: everything else about it has to be right.
    if format.version == 1, format.wrongBitCount > 0 || wrongPercent() > MicroQRReader.wrongPercentMaxOfM1 { return false }
    _ = scene.budget.spend(grid.columns * grid.columns)
    guard
      let correction = codewords.readMicro(values.values, layout: layout, format: format, usesErasures: usesErasures)
    else { return false }
    var messageReader = MicroQRMessageReader(codewords.data, format: format)
    guard messageReader.read(into: &scene.results) else {
      scene.results.drop()
      return false
    }
    // Modifier 1: QR Code of 2005 and later, Micro QR Code included, without ECI (Annex F).
    scene.results.commit(
      .microqr, SymbolMessage(aimModifier: 0x31), corners: isMirrored ? grid.corners.mirrored : grid.corners,
      isInverted: isInverted, isMirrored: isMirrored, correctedCount: correction.correctedCount,
      loadPercent: correction.loadPercent)
    return true
  }
}
