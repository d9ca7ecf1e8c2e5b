// rMQR Code: format information next to a finder pattern gives the symbol's orientation and size. The grid then grows from
// the finder over the symbol, part by part. After each part it is refined by the function patterns it has reached; the
// timing patterns on its sides and between them keep it from slipping by a pair of modules.

import BarcodeTypes

/// Reads the rMQR symbols of a picture.
@safe struct RMQRReader {
  /// The modules around a finder pattern that are read first: the pattern, its separator, the start of a timing pattern, and
  /// the format information.
  private static let (firstColumns, firstRows) = (12, 7)
  /// Number of timing modules examined before anything else.
  private static let glanceCount = 6
  /// Least contrast of a timing pattern, in percent of the finder's.
  private static let timingMin = 20
  /// The most wrong bits accepted in the format information: the correction capacity of its code.
  private static let formatWrongMax = 3
  /// Greatest share of function modules with the wrong colour beyond the finder, in percent: in a growing grid, and in a
  /// complete one.
  private static let growingWrongMax = 30
  private static let wrongMax = 25
  /// The limit for a growing grid in a study.
  private static let studiedWrongMax = 40
  /// Greatest share of wrong function modules for a symbol to be certain even if it is not read, in percent.
  private static let sureWrongMax = 8
  /// Growth of a grid per part, in tenths of its columns and rows: normally, and in a study.
  private static let growth = 14
  private static let studiedGrowth = 12
  /// The most parts of a grid: 12 modules grow to 139 in 8 or 15 steps.
  private static let partCountMax = 20

  private var layout: RMQRLayout
  /// The part of the layout that a growing grid has reached.
  private let part: ScratchArray<UInt8>
  private let values: ModuleValues
  private let codewords: QRCodewordReader
  /// Whether the modules next to the current finder alternate as in a symbol and have format information.
  private(set) var looksLikeSymbol = false

  init(_ scratch: QRScratch, _ scene: inout Scene) throws(ArenaFull) {
    layout = try RMQRLayout(arena: &scene.arena)
    part = try ScratchArray(RMQRFormat.columnsMax * RMQRFormat.rowsMax, arena: &scene.arena)
    values = scratch.values
    codewords = scratch.codewords
  }

  /// Reads the symbol of a finder. Returns whether there was a symbol.
  mutating func read(_ finder: LoneFinder, _ sight: Sight, _ scene: inout Scene) -> Bool {
    looksLikeSymbol = false
    for corner in 0..<8 {
      guard scene.budget.spend(5),
        let grid = RMQRReader.firstGrid(finder.outline, corner: corner & 3, isMirrored: corner >= 4),
        hasTiming(grid, finder.contrast, sight)
      else { continue }
      _ = scene.budget.spend(150)
      values.read(grid, sight)
      guard
        let (format, _) = codewords.readRectangularFormat(
          values.values, columns: grid.columns, wrongMax: RMQRReader.formatWrongMax)
      else { continue }
      layout.prepare(format)
      takePart(columns: grid.columns, rows: grid.rows)
      guard let whole = grown(grid, sight, &scene) else { continue }
      if readGrid(whole, sight, isMirrored: corner >= 4, &scene) { return true }
    }
    return false
  }

  // MARK: Around the finder

  /// The first modules of a symbol whose top left corner is a corner of a finder's outline, ignoring perspective.
  private static func firstGrid(_ outline: SubpixelQuad, corner: Int, isMirrored: Bool) -> ModuleGrid? {
    let start = outline[corner]
    let right = outline[(corner + (isMirrored ? 3 : 1)) & 3]
    let below = outline[(corner + (isMirrored ? 1 : 3)) & 3]
    let far = outline[(corner + 2) & 3]
    // Twice the vector of seven modules across and down, in the middle of the pattern.
    let acrossX = right.x - start.x + far.x - below.x
    let acrossY = right.y - start.y + far.y - below.y
    let downX = below.x - start.x + far.x - right.x
    let downY = below.y - start.y + far.y - right.y
    let middleX = (start.x + right.x + below.x + far.x) / 4
    let middleY = (start.y + right.y + below.y + far.y) / 4
    func place(_ column: Int, _ row: Int) -> SubpixelPoint {
      let u = 2 * column - 7
      let v = 2 * row - 7
      return SubpixelPoint(
        x: middleX + (acrossX * u + downX * v) / 28, y: middleY + (acrossY * u + downY * v) / 28)
    }
    return ModuleGrid(
      columns: firstColumns, rows: firstRows,
      quad: SubpixelQuad(
        topLeft: place(0, 0), topRight: place(firstColumns, 0), bottomRight: place(firstColumns, firstRows),
        bottomLeft: place(0, firstRows)),
      inset: 0)
  }

  /// Whether modules alternate from the finder along the top, with a light separator below them.
  private func hasTiming(
    _ grid: ModuleGrid, _ contrast: Int, _ sight: Sight
  ) -> Bool {
    let sign = sight.isInverted ? -1 : 1
    var sum = 0
    for index in 0..<RMQRReader.glanceCount {
      let value = sight.sample(grid.flatPlace((7 + index) * 256 + 128, 128)) * sign
      sum += index & 1 == 0 ? value : -value
    }
    guard sum * 2 * 100 >= contrast * RMQRReader.glanceCount * RMQRReader.timingMin else { return false }
    let dark = sight.sample(grid.flatPlace(3 * 256 + 128, 3 * 256 + 128)) * sign
    let light =
      sight.sample(grid.flatPlace(7 * 256 + 128, 2 * 256 + 128)) * sign
      + sight.sample(grid.flatPlace(7 * 256 + 128, 4 * 256 + 128)) * sign
    return light - 2 * dark > contrast
  }

  // MARK: Grid

  /// Copies the roles of the first columns and rows.
  private func takePart(columns: Int, rows: Int) {
    for row in 0..<rows {
      for column in 0..<columns { part[row * columns + column] = layout.modules[row * layout.columns + column] }
    }
  }

  /// The share of a grid's function modules with the wrong colour, in percent. It excludes the finder pattern and the format
  /// information next to it, which were right to begin with.
  private func wrongPercent(_ grid: ModuleGrid) -> Int {
    var known = 0
    var wrong = 0
    for row in 0..<grid.rows {
      for column in 0..<grid.columns where row > 7 || column > 11 || (column > 7 && (row == 0 || row == layout.rows - 1)) {
        let role = part[row * grid.columns + column]
        guard role == ModuleRole.dark || role == ModuleRole.light else { continue }
        known += 1
        if (values.values[row * grid.columns + column] > 0) != (role == ModuleRole.dark) { wrong += 1 }
      }
    }
    return wrong * 100 / max(1, known)
  }

  /// Grows a first grid over the whole symbol; nil if its function patterns are not there.
  private mutating func grown(
    _ first: ModuleGrid, _ sight: Sight, _ scene: inout Scene
  ) -> ModuleGrid? {
    var grid = first
    let isStudy = scene.attempt >= .study
    let growth = isStudy ? RMQRReader.studiedGrowth : RMQRReader.growth
    let wrongMax = isStudy ? RMQRReader.studiedWrongMax : RMQRReader.growingWrongMax
    for _ in 0..<RMQRReader.partCountMax {
      takePart(columns: grid.columns, rows: grid.rows)
      values.read(grid, sight)
      let wrong = wrongPercent(grid)
      scene.progress.reach(.grid, agreement: 100 - wrong)
      guard wrong <= wrongMax else { return nil }
      looksLikeSymbol = true
      let refiner = values.refiner(grid, sight, roles: part)
      grid = refiner.refined(grid, .cornersAndSides, budget: &scene.budget)
      if grid.columns == layout.columns, grid.rows == layout.rows { return grid }
      guard
        let next = grid.resized(
          columns: min(layout.columns, grid.columns * growth / 10), rows: min(layout.rows, grid.rows * growth / 10 + 1))
      else { return nil }
      grid = next
    }
    return nil
  }

  // MARK: Symbol

  private mutating func readGrid(
    _ grid: ModuleGrid, _ sight: Sight, isMirrored: Bool, _ scene: inout Scene
  ) -> Bool {
    values.read(grid, sight)
    let wrong = wrongPercent(grid)
    guard wrong <= RMQRReader.wrongMax else { return false }
    scene.progress.reach(.codewords, agreement: 100 - wrong)
    if readDegrees(grid, sight, isMirrored: isMirrored, &scene) { return true }
    if wrong <= RMQRReader.sureWrongMax {
      scene.results.locate(.rmqr, corners: grid.corners, moduleCount: max(grid.columns, grid.rows))
    }
    guard scene.effort == .still else { return false }
    values.read(grid, sight)
    let refiner = values.refiner(grid, sight, roles: part)
    let bent = refiner.bent(grid, budget: &scene.budget)
    return readDegrees(bent, sight, isMirrored: isMirrored, &scene)
  }

  /// Reads a grid with several degrees of sharpening.
  private func readDegrees(
    _ grid: ModuleGrid, _ sight: Sight, isMirrored: Bool, _ scene: inout Scene
  ) -> Bool {
    values.sample(grid, sight)
    for index in ModuleValues.decisions.indices {
      values.decide(grid, sight, by: ModuleValues.decisions[index])
      if readCodewords(grid, sight, isMirrored: isMirrored, &scene) { return true }
    }
    return false
  }

  private func readCodewords(_ grid: ModuleGrid, _ sight: Sight, isMirrored: Bool, _ scene: inout Scene) -> Bool {
    _ = scene.budget.spend(grid.columns * grid.rows)
    guard let correction = codewords.readRectangular(values.values, layout: layout, usesErasures: true) else { return false }
    var messageReader = RMQRMessageReader(codewords.data, count: correction.dataCount, format: layout.format)
    return scene.results.report(
      messageReader.read(into: &scene.results), as: .rmqr,
      SymbolAppearance(corners: grid.corners, isInverted: sight.isInverted, isMirrored: isMirrored), correction.cost)
  }
}
