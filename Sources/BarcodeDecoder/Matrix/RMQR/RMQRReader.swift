// rMQR Code: a finder pattern beside which a format information is read tells which way the symbol lies and how large it is. The
// grid then grows from the finder over the symbol, a part more at a time, and is refined each time by the function patterns it has
// reached: the timing patterns on its sides and between them keep it from slipping by a pair of modules.

import BarcodeTypes

/// A finder pattern and what it takes to look around it.
struct LoneFinder: BitwiseCopyable {
  var pattern: FinderPattern
  /// The outer corners of the pattern, clockwise.
  var outline: SubpixelQuad
}

/// Reads the rMQR symbols of one picture.
@safe struct RMQRReader {
  /// The modules around a finder pattern that are read first: the pattern, its separator, the start of a timing pattern, and the
  /// format information.
  private static let (firstColumns, firstRows) = (12, 7)
  /// Modules of the timing pattern that are looked at before anything else.
  private static let glanceCount = 6
  /// How much of the contrast of the finder a timing pattern must have, in hundredths.
  private static let timingMin = 20
  /// Bits of the format information that may be wrong: what its code corrects.
  private static let formatWrongMax = 3
  /// Function modules beyond the finder that have the wrong colour, in hundredths, beyond which there is no symbol: of a grid on its
  /// way, and of a whole one.
  private static let growingWrongMax = 30
  private static let wrongMax = 25
  /// The former in a study.
  private static let studiedWrongMax = 40
  /// The same, up to which a symbol that is not read is surely one.
  private static let sureWrongMax = 8
  /// A grid grows to so many tenths of its columns and rows at a time, and so many in a study.
  private static let growth = 14
  private static let studiedGrowth = 12
  /// Parts of a grid at most: 12 modules grow to 139 in 8 or 15 steps.
  private static let partCountMax = 20

  private var layout: RMQRLayout
  /// The part of the layout that a growing grid has reached.
  private let part: ScratchArray<UInt8>
  private let modules: ScratchArray<UInt8>
  private let values: ModuleValues
  private let codewords: QRCodewordReader
  /// Whether modules alternate beside the finder at hand as they do in a symbol, and a format information is there.
  private(set) var looksLikeSymbol = false

  /// - Parameter parts: what reads QR symbols; its scratch memory is used.
  init(_ parts: QRSymbolReader, _ scene: inout Scene) throws(ArenaFull) {
    layout = try RMQRLayout(arena: &scene.arena)
    part = try ScratchArray(RMQRFormat.columnsMax * RMQRFormat.rowsMax, arena: &scene.arena)
    modules = parts.modules
    values = parts.values
    codewords = parts.codewords
  }

  /// Reads the symbol of a finder; whether there was one.
  mutating func read(_ finder: LoneFinder, _ contrast: Int, _ view: LumaView, level: Int, _ scene: inout Scene) -> Bool {
    looksLikeSymbol = false
    let isInverted = finder.pattern.isInverted
    for corner in 0..<8 {
      guard scene.budget.spend(5),
        let grid = RMQRReader.firstGrid(finder.outline, corner: corner & 3, isMirrored: corner >= 4),
        hasTiming(grid, contrast, view, level: level, isInverted: isInverted)
      else { continue }
      _ = scene.budget.spend(150)
      decide(grid, view, level: level, sharpening: 4, isInverted: isInverted)
      guard
        let (format, _) = codewords.readRectangularFormat(
          values.values, columns: grid.columns, wrongMax: RMQRReader.formatWrongMax)
      else { continue }
      layout.prepare(format)
      takePart(columns: grid.columns, rows: grid.rows)
      guard let whole = grown(grid, view, level: level, isInverted: isInverted, &scene) else { continue }
      if readGrid(whole, view, level: level, isInverted: isInverted, isMirrored: corner >= 4, &scene) { return true }
    }
    return false
  }

  // MARK: Around the finder

  /// The first modules of a symbol whose top left corner is a corner of a finder's outline, as if there were no perspective.
  private static func firstGrid(_ outline: SubpixelQuad, corner: Int, isMirrored: Bool) -> ModuleGrid? {
    let start = outline[corner]
    let right = outline[(corner + (isMirrored ? 3 : 1)) & 3]
    let below = outline[(corner + (isMirrored ? 1 : 3)) & 3]
    let far = outline[(corner + 2) & 3]
    // Seven modules across and down, in the middle of the pattern, twice.
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

  /// Whether modules alternate on from the finder along the top, and the separator below them is light.
  private func hasTiming(
    _ grid: ModuleGrid, _ contrast: Int, _ view: LumaView, level: Int, isInverted: Bool
  ) -> Bool {
    let sign = isInverted ? -1 : 1
    var sum = 0
    for index in 0..<RMQRReader.glanceCount {
      let value = sample(view, level: level, grid.flatPlace((7 + index) * 256 + 128, 128)) * sign
      sum += index & 1 == 0 ? value : -value
    }
    guard sum * 2 * 100 >= contrast * RMQRReader.glanceCount * RMQRReader.timingMin else { return false }
    let dark = sample(view, level: level, grid.flatPlace(3 * 256 + 128, 3 * 256 + 128)) * sign
    let light =
      sample(view, level: level, grid.flatPlace(7 * 256 + 128, 2 * 256 + 128)) * sign
      + sample(view, level: level, grid.flatPlace(7 * 256 + 128, 4 * 256 + 128)) * sign
    return light - 2 * dark > contrast
  }

  // MARK: Grid

  /// Reads and decides the modules of a grid.
  private func decide(_ grid: ModuleGrid, _ view: LumaView, level: Int, sharpening: Int, isInverted: Bool) {
    sampleModules(grid, view, level: level, into: modules)
    values.decide(modules, columns: grid.columns, rows: grid.rows, sharpening: sharpening, isInverted: isInverted)
  }

  /// Takes over what is known of the first columns and rows.
  private func takePart(columns: Int, rows: Int) {
    for row in 0..<rows {
      for column in 0..<columns { part[row * columns + column] = layout.modules[row * layout.columns + column] }
    }
  }

  /// The part of the function modules of a grid that have the wrong colour, in hundredths: of those beyond the finder pattern, and
  /// of the format information beside it, which were right to begin with.
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

  /// The grid of the whole symbol that begins with a first one; nil if its function patterns are not there.
  private mutating func grown(
    _ first: ModuleGrid, _ view: LumaView, level: Int, isInverted: Bool, _ scene: inout Scene
  ) -> ModuleGrid? {
    var grid = first
    let isStudy = scene.attempt >= .study
    let growth = isStudy ? RMQRReader.studiedGrowth : RMQRReader.growth
    let wrongMax = isStudy ? RMQRReader.studiedWrongMax : RMQRReader.growingWrongMax
    for _ in 0..<RMQRReader.partCountMax {
      takePart(columns: grid.columns, rows: grid.rows)
      decide(grid, view, level: level, sharpening: 4, isInverted: isInverted)
      guard wrongPercent(grid) <= wrongMax else { return nil }
      looksLikeSymbol = true
      let refiner = GridRefiner(
        view, level: level, roles: part, columns: grid.columns, rows: grid.rows, modules: modules, means: values.means,
        isInverted: isInverted)
      grid = refiner.refined(grid, movesSides: true, budget: &scene.budget)
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
    _ grid: ModuleGrid, _ view: LumaView, level: Int, isInverted: Bool, isMirrored: Bool, _ scene: inout Scene
  ) -> Bool {
    decide(grid, view, level: level, sharpening: 4, isInverted: isInverted)
    let wrong = wrongPercent(grid)
    guard wrong <= RMQRReader.wrongMax else { return false }
    if readDegrees(grid, view, level: level, isInverted: isInverted, isMirrored: isMirrored, &scene) { return true }
    if wrong <= RMQRReader.sureWrongMax {
      scene.results.locate(.rmqr, corners: grid.corners, moduleCount: max(grid.columns, grid.rows))
    }
    guard scene.effort == .still else { return false }
    decide(grid, view, level: level, sharpening: 4, isInverted: isInverted)
    let refiner = GridRefiner(
      view, level: level, roles: part, columns: grid.columns, rows: grid.rows, modules: modules, means: values.means,
      isInverted: isInverted)
    let bent = refiner.bent(grid, budget: &scene.budget)
    return readDegrees(bent, view, level: level, isInverted: isInverted, isMirrored: isMirrored, &scene)
  }

  /// Reads a grid with several degrees of sharpening.
  private func readDegrees(
    _ grid: ModuleGrid, _ view: LumaView, level: Int, isInverted: Bool, isMirrored: Bool, _ scene: inout Scene
  ) -> Bool {
    sampleModules(grid, view, level: level, into: modules)
    let degrees: [4 of Int] = [4, 6, 9, 2]
    for index in degrees.indices {
      values.decide(modules, columns: grid.columns, rows: grid.rows, sharpening: degrees[index], isInverted: isInverted)
      if readCodewords(grid, isInverted: isInverted, isMirrored: isMirrored, &scene) { return true }
    }
    return false
  }

  private func readCodewords(_ grid: ModuleGrid, isInverted: Bool, isMirrored: Bool, _ scene: inout Scene) -> Bool {
    _ = scene.budget.spend(grid.columns * grid.rows)
    guard let correction = codewords.readRectangular(values.values, layout: layout, usesErasures: true) else { return false }
    var messageReader = RMQRMessageReader(codewords.data, count: correction.dataCount, format: layout.format)
    guard let message = messageReader.read(into: &scene.results) else {
      scene.results.drop()
      return false
    }
    scene.results.commit(
      .rmqr, message, corners: grid.corners, isInverted: isInverted, isMirrored: isMirrored,
      correctedCount: correction.correctedCount, loadPercent: correction.loadPercent)
    return true
  }
}
