// From three finder patterns to the grid of the symbol: version and perspective from the finders' module widths, the fourth
// corner from the alignment pattern.

import BarcodeTypes

/// Measurements along the lines through the three finders.
struct QRGeometry: BitwiseCopyable {
  var corner: SubpixelPoint
  var right: SubpixelPoint
  var below: SubpixelPoint
  /// Modules from finder centre to finder centre, in 1/256.
  var modulesAcross: Int
  var modulesDown: Int
  /// The square root of the ratio by which modules shrink from the corner to the far end, less one, in 1/65536.
  var shrinkAcross: Int
  var shrinkDown: Int
  /// The threshold between dark and light.
  var threshold: Int
  var isInverted: Bool
  /// Whether a finder's runs are too blurred to be measured along the line.
  var isBlurred: Bool

  /// The mean distance between finder centres in modules, in 1/256.
  var modules: Int { (modulesAcross + modulesDown) / 2 }

  /// The version with the nearest size.
  var version: Int { max(1, min(QRTables.versionMax, (modules + 2 * 256 - 10 * 256) / (4 * 256))) }

  /// A candidate version: for index 0, the nearest one; for 1, the version below it; for 2, the version above it.
  func version(_ index: Int) -> Int { version + (index == 1 ? -1 : index == 2 ? 1 : 0) }

  /// The grid of a candidate version; nil if the version or its grid does not exist.
  func grid(_ index: Int) -> ModuleGrid? {
    let version = version(index)
    guard version >= 1, version <= QRTables.versionMax else { return nil }
    let size = QRTables.size(version: version)
    return ModuleGrid(columns: size, rows: size, quad: quad, inset: QRGridSearch.inset)
  }

  /// The finder centres, and a fourth point from the perspective of the finders: under a map with x = (a·s + b·t + c) / (g·s
  /// + h·t + 1), modules shrink along a side by the square of 1 + g.
  var quad: SubpixelQuad {
    let one = 1 << 16
    let across = one + shrinkAcross
    let down = one + shrinkDown
    let divisor = max(one / 4, one + shrinkAcross + shrinkDown)
    let x = ((right.x - corner.x) * across + (below.x - corner.x) * down) / divisor
    let y = ((right.y - corner.y) * across + (below.y - corner.y) * down) / divisor
    return SubpixelQuad(
      topLeft: corner, topRight: right, bottomRight: SubpixelPoint(x: corner.x + x, y: corner.y + y), bottomLeft: below)
  }
}

/// Finds the grids of symbols in a picture.
@safe struct QRGridSearch {
  /// Distance of the reference points, the finders' centres, from the symbol's sides: 3.5 modules.
  static let inset = 7 * 128
  /// Greatest distance of the alignment pattern from its expected place, in half modules.
  private static let alignmentReach = 7
  /// Greatest distance for an alignment pattern with neighbours, in half modules.
  private static let meshReach = 4
  private static let patchSide = 2 * alignmentReach + 9

  private let patch: ScratchArray<UInt8>

  init(arena: inout Arena) throws(ArenaFull) {
    patch = try ScratchArray(QRGridSearch.patchSide * QRGridSearch.patchSide, arena: &arena)
  }

  /// Measures three finders along the lines between them; nil if they cannot belong to the same symbol.
  ///
  /// - Parameter usesEdges: whether to look for the outer edges of a finder whose runs are blurred.
  func measure(
    _ sight: Sight, corner: FinderPattern, right: FinderPattern, below: FinderPattern, usesEdges: Bool
  ) -> QRGeometry? {
    guard let across = measureSide(sight, from: corner, to: right, usesEdges: usesEdges),
      let down = measureSide(sight, from: corner, to: below, usesEdges: usesEdges)
    else { return nil }
    // 14 modules from centre to centre are the least, 170 the most.
    guard across.modules > 11 * 256, across.modules < 190 * 256, down.modules > 11 * 256, down.modules < 190 * 256,
      across.modules < 2 * down.modules, down.modules < 2 * across.modules
    else { return nil }
    return QRGeometry(
      corner: corner.center, right: right.center, below: below.center, modulesAcross: across.modules,
      modulesDown: down.modules, shrinkAcross: across.shrink, shrinkDown: down.shrink, threshold: corner.threshold,
      isInverted: corner.isInverted, isBlurred: across.isBlurred || down.isBlurred)
  }

  private func measureSide(
    _ sight: Sight, from first: FinderPattern, to second: FinderPattern, usesEdges: Bool
  ) -> (modules: Int, shrink: Int, isBlurred: Bool)? {
    let dx = second.center.x - first.center.x
    let dy = second.center.y - first.center.y
    let longer = max(abs(dx), abs(dy))
    guard longer > 0 else { return nil }
    // Steps of one pixel along the longer axis.
    let step = SubpixelPoint(x: (dx << (8 + sight.level)) / longer, y: (dy << (8 + sight.level)) / longer)
    let (moduleFirst, isFirstBlurred) = sideModule(sight, first, step: step, usesEdges: usesEdges)
    let (moduleSecond, isSecondBlurred) = sideModule(sight, second, step: step, usesEdges: usesEdges)
    guard moduleFirst > 0, moduleSecond > 0, moduleFirst < 3 * moduleSecond, moduleSecond < 3 * moduleFirst else {
      return nil
    }
    let mean = Int(integerRoot(UInt64(moduleFirst * moduleSecond)))
    let ratio = Int(integerRoot(UInt64(moduleFirst) << 32 / UInt64(moduleSecond)))
    let modules = (longer << 8) / max(1, mean << sight.level)
    return (modules, max(-(1 << 14), min(1 << 15, ratio - (1 << 16))), isFirstBlurred || isSecondBlurred)
  }

  /// A finder's module width along a line, in 1/256 steps of the line. If its runs cannot be measured, from its outer edges
  /// or from its extents along row and column.
  private func sideModule(
    _ sight: Sight, _ finder: FinderPattern, step: SubpixelPoint, usesEdges: Bool
  ) -> (module: Int, isBlurred: Bool) {
    let reach = max(8, (finder.module * 8) >> (8 + sight.level))
    if let section = finderSection(
      sight, center: finder.center, step: step, threshold: finder.threshold, reach: reach), section.isFinder
    {
      return (section.module, false)
    }
    if usesEdges, let extent = finderExtent(finder, step: step, sight) {
      return (extent.module, true)
    }
    return ((abs(step.x) > abs(step.y) ? finder.moduleX : finder.moduleY) >> sight.level, true)
  }

  /// How well both timing patterns alternate in the grid: 1000 if perfectly, about 0 by chance.
  func timingScore(_ grid: ModuleGrid, _ sight: Sight) -> Int {
    var agreement = 0
    var total = 1
    for side in 0..<2 {
      var beforeLast = 0
      var last = 0
      for index in 7..<(grid.columns - 7) {
        let u = index * 256 + 128
        let value = sample(
          sight.view, level: sight.level, side == 0 ? grid.flatPlace(u, 6 * 256 + 128) : grid.flatPlace(6 * 256 + 128, u))
        if index >= 9 {
          // The module before this one, compared with the mean of its neighbours: dark at even places.
          let difference = (beforeLast + value) - 2 * last
          agreement += (index - 1) & 1 == 0 ? difference : -difference
          total += abs(difference)
        }
        beforeLast = last
        last = value
      }
    }
    return (sight.isInverted ? -agreement : agreement) * 1000 / total
  }

  /// The grid with its fourth reference point moved so that the last alignment pattern is where the picture shows it; from
  /// version 7 on, also bent to pass through all alignment patterns. The unchanged grid if none is seen.
  func alignedGrid(_ rough: ModuleGrid, version: Int, _ sight: Sight) -> ModuleGrid {
    guard version >= 2 else { return rough }
    if version >= 7 { return meshedGrid(rough, version: version, sight) }
    let center = (rough.columns - 7) * 256 + 128
    guard
      let found = findAlignment(
        rough, near: rough.flatPlace(center, center), u: center, v: center, sight,
        reach: QRGridSearch.alignmentReach)
    else { return rough }
    // A false alignment pattern would bend the timing patterns out of place.
    let grid = QRGridSearch.moved(rough, coordinate: center, to: found)
    let before = timingScore(rough, sight)
    let after = timingScore(grid, sight)
    return after * 4 < before * 3 ? rough : grid
  }

  /// The grid with its fourth reference point moved so that the module coordinate (c, c) comes to lie at a place.
  private static func moved(_ rough: ModuleGrid, coordinate: Int, to found: SubpixelPoint) -> ModuleGrid {
    var grid = rough
    // Moving the reference point moves the place a little less; a few rounds converge.
    for _ in 0..<4 {
      let place = grid.flatPlace(coordinate, coordinate)
      let dx = found.x - place.x
      let dy = found.y - place.y
      if abs(dx) + abs(dy) < 8 { break }
      var quad = grid.quad
      let span = grid.columns - 7
      let gain = (span * span * 256) / ((span - 3) * (span - 3))
      quad.bottomRight = SubpixelPoint(x: quad.bottomRight.x + dx * gain / 256, y: quad.bottomRight.y + dy * gain / 256)
      guard let next = ModuleGrid(columns: grid.columns, rows: grid.columns, quad: quad, inset: QRGridSearch.inset) else {
        return rough
      }
      grid = next
    }
    return grid
  }

  /// The grid bent to pass through all alignment patterns. The patterns to the left and above, or the finders, determine
  /// where each is expected; one that is not seen is assumed to be there.
  private func meshedGrid(_ rough: ModuleGrid, version: Int, _ sight: Sight) -> ModuleGrid {
    let lines = QRTables.alignmentCount(version: version)
    var mesh = GridWarp()
    for line in 0..<lines {
      let coordinate = QRTables.alignmentCoordinate(version: version, index: line) * 256 + 128
      mesh.appendKnot(u: coordinate, v: coordinate)
    }
    for row in 0..<lines {
      for column in 0..<lines where QRLayout.hasAlignment(line: row, place: column, lines: lines) {
        let u = mesh.u(column)
        let v = mesh.v(row)
        let flat = rough.flatPlace(u, v)
        var expected = SubpixelPoint(x: 0, y: 0)
        if column > 0, row > 0 {
          let left = mesh[column - 1, row]
          let above = mesh[column, row - 1]
          let corner = mesh[column - 1, row - 1]
          expected = SubpixelPoint(x: left.x + above.x - corner.x, y: left.y + above.y - corner.y)
        } else if column > 0 {
          expected = mesh[column - 1, row]
        } else {
          expected = mesh[column, row - 1]
        }
        let near = SubpixelPoint(x: flat.x + expected.x, y: flat.y + expected.y)
        if let found = findAlignment(
          rough, near: near, u: u, v: v, sight, reach: QRGridSearch.meshReach)
        {
          mesh[column, row] = SubpixelPoint(x: found.x - flat.x, y: found.y - flat.y)
        } else {
          mesh[column, row] = expected
        }
      }
    }
    // The flat grid absorbs as much as possible, so that the warp is small beyond its outermost knots.
    let last = lines - 1
    let far = mesh.u(last)
    let farPlace = rough.flatPlace(far, far)
    var grid = QRGridSearch.moved(
      rough, coordinate: far, to: SubpixelPoint(x: farPlace.x + mesh[last, last].x, y: farPlace.y + mesh[last, last].y))
    for row in 0..<lines {
      for column in 0..<lines {
        let before = rough.flatPlace(mesh.u(column), mesh.v(row))
        let after = grid.flatPlace(mesh.u(column), mesh.v(row))
        let shift = mesh[column, row]
        mesh[column, row] =
          QRLayout.hasAlignment(line: row, place: column, lines: lines)
          ? SubpixelPoint(x: before.x + shift.x - after.x, y: before.y + shift.y - after.y) : SubpixelPoint(x: 0, y: 0)
      }
    }
    grid.warp = mesh
    return grid
  }

  /// The centre of an alignment pattern near a place, by correlation of the picture with the pattern, whose modules have the
  /// size and direction of the grid's at (u, v).
  private func findAlignment(
    _ grid: ModuleGrid, near center: SubpixelPoint, u: Int, v: Int, _ sight: Sight,
    reach: Int
  ) -> SubpixelPoint? {
    let flat = grid.flatPlace(u, v)
    let nextU = grid.flatPlace(u + 256, v)
    let nextV = grid.flatPlace(u, v + 256)
    let stepU = SubpixelPoint(x: nextU.x - flat.x, y: nextU.y - flat.y)
    let stepV = SubpixelPoint(x: nextV.x - flat.x, y: nextV.y - flat.y)
    // Samples half a module apart: 2 · reach places and 4 samples of the pattern on each side.
    let side = 2 * reach + 9
    precondition(side <= QRGridSearch.patchSide)
    let middle = reach + 4
    for row in 0..<side {
      for column in 0..<side {
        let place = SubpixelPoint(
          x: center.x + ((column - middle) * stepU.x + (row - middle) * stepV.x) / 2,
          y: center.y + ((column - middle) * stepU.y + (row - middle) * stepV.y) / 2)
        patch[row * side + column] = UInt8(truncatingIfNeeded: sight.sample(place))
      }
    }
    var best = Int.min
    var bestColumn = 0
    var bestRow = 0
    for row in 4..<(side - 4) {
      for column in 4..<(side - 4) {
        let distance = abs(row - middle) + abs(column - middle)
        let score = alignmentScore(column: column, row: row, side: side, isInverted: sight.isInverted) * (64 - distance)
        if score > best {
          best = score
          bestColumn = column
          bestRow = row
        }
      }
    }
    // Dark and light of the pattern must be at least 8 levels apart.
    guard best > 8 * 136 * 50 else { return nil }
    let column =
      256 * bestColumn + peakOffset(column: bestColumn, row: bestRow, dx: 1, dy: 0, side: side, isInverted: sight.isInverted)
    let row =
      256 * bestRow + peakOffset(column: bestColumn, row: bestRow, dx: 0, dy: 1, side: side, isInverted: sight.isInverted)
    let s = column - 256 * middle
    let t = row - 256 * middle
    return SubpixelPoint(x: center.x + (s * stepU.x + t * stepV.x) / 512, y: center.y + (s * stepU.y + t * stepV.y) / 512)
  }

  /// 136 times the difference between the mean of the pattern's 8 light modules and that of its 17 dark ones.
  private func alignmentScore(column: Int, row: Int, side: Int, isInverted: Bool) -> Int {
    let center = unsafe patch.base + (row &* side &+ column)
    var ring = 0
    var all = 0
    for y in -2...2 {
      let line = unsafe center + 2 &* y &* side
      let inner = unsafe Int(line[-2]) &+ Int(line[0]) &+ Int(line[2])
      all = unsafe all &+ inner &+ Int(line[-4]) &+ Int(line[4])
      if y == -1 || y == 1 { ring = ring &+ inner }
      if y == 0 { ring = unsafe ring &+ Int(line[-2]) &+ Int(line[2]) }
    }
    let score = 17 &* ring &- 8 &* (all &- ring)
    return isInverted ? -score : score
  }

  /// The offset of the maximum between samples, in 1/256 samples, by a parabola.
  private func peakOffset(column: Int, row: Int, dx: Int, dy: Int, side: Int, isInverted: Bool) -> Int {
    guard column > 4, row > 4, column < side - 5, row < side - 5 else { return 0 }
    let before = alignmentScore(column: column - dx, row: row - dy, side: side, isInverted: isInverted)
    let here = alignmentScore(column: column, row: row, side: side, isInverted: isInverted)
    let after = alignmentScore(column: column + dx, row: row + dy, side: side, isInverted: isInverted)
    let bend = 2 * here - before - after
    guard bend > 0 else { return 0 }
    return max(-128, min(128, (after - before) * 128 / bend))
  }
}
