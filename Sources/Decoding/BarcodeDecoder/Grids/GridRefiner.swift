// Moves a grid until the modules agree best with what is known of them. Function modules must have their colour, and all
// others must be as dark or as light as possible, as a sample between two modules is grey. The second term needs no
// knowledge of the content. On pictures whose grid from finders and alignment pattern cannot be read, it is worth as much as
// the first.

import BarcodeTypes

/// Refines the grids of symbols in a picture.
@safe struct GridRefiner {
  /// The most modules examined in a flat grid: all of versions 1 to 3, and a part of those of higher versions.
  private static let flatModuleCountMax = 900

  /// The most rounds per step width.
  private static let roundCountMax = 4
  /// Number of moves in a round over a flat grid: each of four reference points, or each side, up, down, left and right.
  private static let moveCount = 16

  /// The reference points of a flat grid that move together.
  enum Moves {
    /// One reference point at a time, which gives any perspective.
    case corners
    /// Also both reference points of a side together. If a low and wide grid is too short, moving only one of its right corners makes
    /// it worse.
    case cornersAndSides
    /// Sides alone: a parallelogram stays one.
    case sides
  }

  /// The mean of the modules around each module.
  let means: ScratchArray<UInt8>
  /// The `ModuleRole` of each module, row by row.
  private let roles: ScratchArray<UInt8>
  private let columns: Int
  private let rows: Int
  private let sight: Sight
  /// Difference from the mean above which a module counts as fully dark or light.
  private let saturation: Int

  /// - Parameters:
  ///   - roles: the roles of the symbol's modules, `columns` · `rows`, row by row.
  ///   - modules, means: the modules as sampled with a first grid, and the means around them.
  init(
    _ sight: Sight, roles: ScratchArray<UInt8>, columns: Int, rows: Int, modules: ScratchArray<UInt8>,
    means: ScratchArray<UInt8>
  ) {
    self.sight = sight
    self.roles = roles
    self.columns = columns
    self.rows = rows
    self.means = means
    var sum = 0
    let count = columns * rows
    for index in 0..<count { sum += abs(Int(modules[index]) - Int(means[index])) }
    saturation = max(2, sum * 5 / (4 * max(1, count)))
  }

  /// The agreement of the modules in a range of a grid: function modules with full weight, the others with half.
  private func score(_ grid: ModuleGrid, columns: Range<Int>, rows: Range<Int>, every: Int) -> Int {
    let width = self.columns
    let roles = unsafe roles.base
    let means = unsafe means.base
    let sign = sight.isInverted ? -1 : 1
    let (view, level, saturation) = (sight.view, sight.level, saturation)
    var sum = 0
    var skip = 0
    grid.forEachModule(columns: columns, rows: rows) { column, row, place in
      let index = row &* width &+ column
      let role = unsafe roles[index]
      let isFunction = role == ModuleRole.dark || role == ModuleRole.light
      if !isFunction {
        skip &+= 1
        if skip < every { return }
        skip = 0
      }
      let difference = unsafe (sample(view, level: level, place) &- Int(means[index])) &* sign
      let held = max(0 &- saturation, min(saturation, difference))
      if role == ModuleRole.light {
        sum &+= 2 &* held
      } else if role == ModuleRole.dark {
        sum &-= 2 &* held
      } else {
        sum &+= held < 0 ? 0 &- held : held
      }
    }
    return sum
  }

  /// The agreement of all modules of a grid.
  func agreement(_ grid: ModuleGrid) -> Int { score(grid, columns: 0..<columns, rows: 0..<rows, every: 1) }

  /// The flat grid near the given one that agrees best, found by moving reference points.
  func refined(_ start: ModuleGrid, _ moves: Moves = .corners, budget: inout WorkBudget) -> ModuleGrid {
    let moveCount = moves == .cornersAndSides ? 2 * GridRefiner.moveCount : GridRefiner.moveCount
    let every = max(1, columns * rows / GridRefiner.flatModuleCountMax)
    var grid = start
    var best = score(grid, columns: 0..<columns, rows: 0..<rows, every: every)
    let cost = columns * rows / every / 4
    // Steps of 0.4, 0.2 and 0.1 modules.
    for part in 0..<3 {
      let step = max(8, grid.module * 2 / 5) >> part
      var movesInVain = 0
      for move in 0..<(GridRefiner.roundCountMax * moveCount) {
        // All moves from here were tried.
        if movesInVain == moveCount { break }
        let corner = move / 4 % 4
        let direction = move % 4
        let isSide = moves != .corners && move % moveCount < GridRefiner.moveCount
        movesInVain += 1
        guard budget.spend(cost) else { return grid }
        var quad = grid.quad
        for end in corner...(isSide ? corner + 1 : corner) {
          var point = quad[end & 3]
          if direction < 2 { point.x += direction == 0 ? step : -step } else { point.y += direction == 2 ? step : -step }
          quad[end & 3] = point
        }
        guard
          let moved = ModuleGrid(
            columns: columns, rows: rows, quad: quad, inset: grid.inset, oddRowShift: grid.oddRowShift)
        else { continue }
        let value = score(moved, columns: 0..<columns, rows: 0..<rows, every: every)
        if value > best {
          best = value
          grid = moved
          movesInVain = 0
        }
      }
    }
    return grid
  }

  /// The grid bent to the best agreement, for symbols on cylinders and crumpled paper: first the best bow of all rows and of
  /// all columns, then each knot of a lattice separately.
  func bent(_ start: ModuleGrid, budget: inout WorkBudget) -> ModuleGrid {
    var grid = start
    if grid.warp.side < 2 {
      let width = columns * 256 - 2 * grid.inset
      let height = rows * 256 - 2 * grid.inset
      for knot in 0..<GridRefiner.knotCount {
        grid.warp.appendKnot(
          u: grid.inset + width * knot / (GridRefiner.knotCount - 1),
          v: grid.inset + height * knot / (GridRefiner.knotCount - 1))
      }
      for _ in 0..<2 {
        grid = bestBow(grid, isOfRows: true, budget: &budget)
        grid = bestBow(grid, isOfRows: false, budget: &budget)
      }
    }
    // Steps of 0.6, 0.3 and 0.15 modules.
    for part in 0..<3 {
      let step = max(8, grid.module * 3 / 5) >> part
      let knotCount = grid.warp.side * grid.warp.side
      var knotsInVain = 0
      for _ in 0..<GridRefiner.roundCountMax where knotsInVain < knotCount {
        guard budget.spend(columns * rows * 4) else { return grid }
        for knot in 0..<knotCount where knotsInVain < knotCount {
          let hasMoved = moveKnot(&grid, column: knot % grid.warp.side, row: knot / grid.warp.side, step: step)
          knotsInVain = hasMoved ? 0 : knotsInVain + 1
        }
      }
    }
    return grid
  }

  /// Knots per row and column of the lattice, if the alignment patterns did not provide one.
  private static let knotCount = 5
  /// The greatest bow tried, in half modules.
  private static let bowMax = 6

  /// The best grid among those whose rows (or columns) have up to three modules more bow than the given one.
  private func bestBow(_ start: ModuleGrid, isOfRows: Bool, budget: inout WorkBudget) -> ModuleGrid {
    let every = max(1, columns * rows / GridRefiner.flatModuleCountMax)
    let origin = start.flatPlace(columns * 128, rows * 128)
    let next =
      isOfRows
      ? start.flatPlace(columns * 128, rows * 128 + 128) : start.flatPlace(columns * 128 + 128, rows * 128)
    let half = SubpixelPoint(x: next.x - origin.x, y: next.y - origin.y)
    let last = start.warp.side - 1
    var best = score(start, columns: 0..<columns, rows: 0..<rows, every: every)
    var bestGrid = start
    for bow in -GridRefiner.bowMax...GridRefiner.bowMax where bow != 0 {
      guard budget.spend(columns * rows / every / 4) else { return bestGrid }
      var grid = start
      for row in 0...last {
        for column in 0...last {
          let place = isOfRows ? column : row
          let amount = bow * 4 * place * (last - place)
          let known = grid.warp[column, row]
          grid.warp[column, row] = SubpixelPoint(
            x: known.x + half.x * amount / (last * last), y: known.y + half.y * amount / (last * last))
        }
      }
      let value = score(grid, columns: 0..<columns, rows: 0..<rows, every: every)
      if value > best {
        best = value
        bestGrid = grid
      }
    }
    return bestGrid
  }

  /// Moves a knot by a step up, down, left or right if the modules around it then agree better.
  private func moveKnot(_ grid: inout ModuleGrid, column: Int, row: Int, step: Int) -> Bool {
    let warp = grid.warp
    let lastKnot = warp.side - 1
    let left = column == 0 ? 0 : warp.u(column - 1) / 256
    let right = column == lastKnot ? columns : min(columns, warp.u(column + 1) / 256 + 1)
    let top = row == 0 ? 0 : warp.v(row - 1) / 256
    let bottom = row == lastKnot ? rows : min(rows, warp.v(row + 1) / 256 + 1)
    let known = warp[column, row]
    var best = score(grid, columns: left..<right, rows: top..<bottom, every: 1) - roughness(grid, column: column, row: row)
    var bestPlace = known
    for direction in 0..<4 {
      var place = known
      if direction < 2 { place.x += direction == 0 ? step : -step } else { place.y += direction == 2 ? step : -step }
      grid.warp[column, row] = place
      let value =
        score(grid, columns: left..<right, rows: top..<bottom, every: 1) - roughness(grid, column: column, row: row)
      if value > best {
        best = value
        bestPlace = place
      }
    }
    grid.warp[column, row] = bestPlace
    return bestPlace != known
  }

  /// The distance of a knot from the middle of its neighbours to the left and right, and above and below, as a score: a
  /// module's width counts as much as eight modules of the wrong colour.
  private func roughness(_ grid: ModuleGrid, column: Int, row: Int) -> Int {
    let warp = grid.warp
    let last = warp.side - 1
    var sum = 0
    let here = warp[column, row]
    if column > 0, column < last {
      let before = warp[column - 1, row]
      let after = warp[column + 1, row]
      sum += abs(before.x + after.x - 2 * here.x) + abs(before.y + after.y - 2 * here.y)
    }
    if row > 0, row < last {
      let before = warp[column, row - 1]
      let after = warp[column, row + 1]
      sum += abs(before.x + after.x - 2 * here.x) + abs(before.y + after.y - 2 * here.y)
    }
    return sum * saturation * 4 / max(1, grid.module)
  }
}
