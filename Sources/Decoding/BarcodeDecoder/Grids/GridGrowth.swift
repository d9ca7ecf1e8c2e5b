// Grids of symbols on bottles and crumpled paper, from the parts whose place is known outwards. Where neighbouring modules
// differ, the picture shows an edge between them. Its distance from where the grid has it says how the grid must be bent;
// a smooth bend through all edges so far is continued to the modules around them, where it is off by a part of a module.

import BarcodeTypes

/// The parts of a symbol whose modules a flat grid meets, such as finder patterns.
struct GridSeeds: BitwiseCopyable {
  /// The columns and rows of the modules in the middle of each part.
  private(set) var count = 0
  private var columns: [3 of Int] = .init(repeating: 0)
  private var rows: [3 of Int] = .init(repeating: 0)
  /// The modules of a part beside its middle on each side.
  let reach: Int

  init(reach: Int) { self.reach = reach }

  /// Adds a part; a symbol has at most three.
  mutating func append(column: Int, row: Int) {
    columns[count] = column
    rows[count] = row
    count += 1
  }

  /// The modules between a module and the nearest part.
  @inline(__always) func distance(column: Int, row: Int) -> Int {
    var least = Int.max
    for index in 0..<count { least = min(least, max(abs(columns[index] &- column), abs(rows[index] &- row))) }
    return max(0, least &- reach)
  }
}

/// The displacement of a flat grid's modules along its rows and columns: polynomials of the third degree.
private struct GridBend {
  /// Coordinates in the polynomials run from -unit to unit across the symbol.
  private static let unit = 1 << 14
  /// How much the coefficients of each degree are held back: the square root of the error in modules, per edge, that a
  /// displacement by a module costs, in 1/65536. Few edges near the middle say little about the bend.
  private static let restraints: [10 of Int] = [64, 64, 64, 656, 656, 656, 1136, 1136, 1136, 1136]

  /// The greatest displacement, 31 modules: with the offset of an edge it stays within what `NormalEquations` adds up.
  private static let displacementMax = 31 << 10

  /// Coefficients times 65536, for terms in units and displacements in 1/1024 modules.
  private var across: [10 of Int64] = .init(repeating: 0)
  private var down: [10 of Int64] = .init(repeating: 0)
  /// Half of the sides in 1/256 modules.
  private let halfWidth: Int
  private let halfHeight: Int

  init(columns: Int, rows: Int) {
    halfWidth = columns * 128
    halfHeight = rows * 128
  }

  /// The terms of the polynomials at a module coordinate.
  @inline(__always) func terms(_ u: Int, _ v: Int) -> [10 of Int32] {
    let x = ((u &- halfWidth) << 14) / halfWidth
    let y = ((v &- halfHeight) << 14) / halfHeight
    let (xx, xy, yy) = ((x &* x) >> 14, (x &* y) >> 14, (y &* y) >> 14)
    func term(_ value: Int) -> Int32 { Int32(truncatingIfNeeded: value) }
    return [
      term(GridBend.unit), term(x), term(y), term(xx), term(xy), term(yy), term((xx &* x) >> 14), term((xx &* y) >> 14),
      term((x &* yy) >> 14), term((yy &* y) >> 14),
    ]
  }

  /// The displacement in 1/1024 modules, held within its limit.
  @inline(__always) func displacement(_ terms: [10 of Int32], isAcross: Bool) -> Int {
    var sum: Int64 = 0
    for index in 0..<10 {
      sum &+= unsafe Int64(terms[unchecked: index]) &* (isAcross ? across[unchecked: index] : down[unchecked: index])
    }
    return max(-GridBend.displacementMax, min(GridBend.displacementMax, Int(sum >> 16)))
  }

  /// The place of a module coordinate of a grid that is bent.
  @inline(__always) func place(_ grid: ModuleGrid, _ u: Int, _ v: Int) -> SubpixelPoint {
    let terms = terms(u, v)
    return grid.flatPlace(
      u &+ displacement(terms, isAcross: true) >> 2, v &+ displacement(terms, isAcross: false) >> 2)
  }

  /// Replaces the displacements by those that solve equations from `count` edges; false if they do not determine them.
  mutating func solve(_ equations: inout NormalEquations, count: Int, isAcross: Bool) -> Bool {
    let root = Int(integerRoot(UInt64(count)))
    for index in 0..<10 {
      var restraint: [10 of Int32] = .init(repeating: 0)
      restraint[index] = Int32(max(1, min(GridBend.unit, GridBend.restraints[index] * root / 4)))
      equations.add(restraint, 0)
    }
    guard let solution = equations.solve(damping: .init(repeating: 0)) else { return false }
    if isAcross { across = solution } else { down = solution }
    return true
  }
}

/// Bends a flat grid from known parts outwards.
struct GridGrowth {
  /// The edges from which a bend is determined, at least.
  private static let edgeCountMin = 12
  /// The modules examined in a round, about. Of larger symbols every few rows are.
  private static let moduleCountMax = 1_600
  /// The difference of two modules between which an edge is expected, in sixteenths of the mean difference of neighbours.
  private static let edgeShare = 10
  /// The least difference, in grey levels.
  private static let edgeMin = 4
  /// The greatest weight of an edge, in multiples of the least difference: a strong edge says more than noise.
  private static let weightMax = 4
  /// Work units per module and round.
  private static let moduleCost = 3
  /// The rounds once all modules are reached; before, a round per reach is enough.
  private static let lastRoundCount = 2
  /// The reach grows by this part of itself: what a bend misses beyond its edges grows with the distance.
  private static let growth = 3

  private let grid: ModuleGrid
  private let seeds: GridSeeds
  private let sight: Sight
  private var bend: GridBend
  /// The least difference of neighbours with an edge between them.
  private var differenceMin = GridGrowth.edgeMin

  private init(_ grid: ModuleGrid, _ seeds: GridSeeds, _ sight: Sight) {
    self.grid = grid
    self.seeds = seeds
    self.sight = sight
    bend = GridBend(columns: grid.columns, rows: grid.rows)
  }

  /// The grid bent so that edges between its modules lie where the picture shows them; nil if it shows none.
  static func bent(_ start: ModuleGrid, from seeds: GridSeeds, _ sight: Sight, budget: inout WorkBudget) -> ModuleGrid? {
    var growth = GridGrowth(start, seeds, sight)
    guard growth.grow(&budget) else { return nil }
    var grid = start
    grid.warp = GridWarp()
    let last = GridWarp.sideMax - 1
    for knot in 0...last {
      grid.warp.appendKnot(u: start.columns * knot * 256 / last, v: start.rows * knot * 256 / last)
    }
    for row in 0...last {
      for column in 0...last {
        let (u, v) = (grid.warp.u(column), grid.warp.v(row))
        let place = growth.bend.place(start, u, v)
        let flat = start.flatPlace(u, v)
        grid.warp[column, row] = SubpixelPoint(x: place.x - flat.x, y: place.y - flat.y)
      }
    }
    return grid
  }

  /// Bends the grid, first near the seeds, and at last everywhere. Returns whether there were edges.
  private mutating func grow(_ budget: inout WorkBudget) -> Bool {
    let farthest = max(
      max(seeds.distance(column: 0, row: 0), seeds.distance(column: grid.columns - 1, row: 0)),
      max(
        seeds.distance(column: 0, row: grid.rows - 1), seeds.distance(column: grid.columns - 1, row: grid.rows - 1)))
    var reach = 0
    // The first round only measures how much neighbours differ.
    _ = round(reach: 0, measuresOnly: true, &budget)
    while true {
      let isLast = reach >= farthest
      for _ in 0..<(isLast ? GridGrowth.lastRoundCount : 1) {
        guard round(reach: reach, measuresOnly: false, &budget) else { return false }
      }
      if isLast { return true }
      reach += max(1, (reach + seeds.reach + 1) / GridGrowth.growth)
    }
  }

  /// Bends the grid to the edges within a reach of the seeds. Returns whether they were enough.
  private mutating func round(reach: Int, measuresOnly: Bool, _ budget: inout WorkBudget) -> Bool {
    let (columns, rows) = (grid.columns, grid.rows)
    let every = columns * rows / GridGrowth.moduleCountMax
    var across = NormalEquations(unknownCount: 10)
    var down = NormalEquations(unknownCount: 10)
    var (acrossCount, downCount) = (0, 0)
    var (differenceSum, neighbourCount) = (0, 0)
    var above: [189 of Neighbour] = .init(repeating: Neighbour())
    precondition(columns <= above.count)
    for row in 0..<rows where every < 3 || row % every < 2 {
      guard budget.spend(columns / 8) else { return false }
      var left = Neighbour()
      var moduleCount = 0
      for column in 0..<columns {
        guard seeds.distance(column: column, row: row) <= reach else {
          left.row = -1
          above[column].row = -1
          continue
        }
        moduleCount += 1
        let (u, v) = (column &* 256 &+ 128, row &* 256 &+ 128)
        let place = bend.place(grid, u, v)
        let here = Neighbour(x: place.x, y: place.y, value: sight.sample(place), row: row)
        if left.row == row {
          differenceSum += abs(here.value &- left.value)
          neighbourCount += 1
          if !measuresOnly, let edge = edge(left, here) {
            let terms = bend.terms(u &- 128, v)
            across.add(
              terms, Int32(truncatingIfNeeded: bend.displacement(terms, isAcross: true) &+ edge.offset),
              weight: Int64(edge.weight))
            acrossCount += edge.weight
          }
        }
        let upper = above[column]
        if upper.row == row &- 1 {
          differenceSum += abs(here.value &- upper.value)
          neighbourCount += 1
          if !measuresOnly, let edge = edge(upper, here) {
            let terms = bend.terms(u, v &- 128)
            down.add(
              terms, Int32(truncatingIfNeeded: bend.displacement(terms, isAcross: false) &+ edge.offset),
              weight: Int64(edge.weight))
            downCount += edge.weight
          }
        }
        left = here
        above[column] = here
      }
      budget.charge(moduleCount * GridGrowth.moduleCost)
    }
    differenceMin = max(GridGrowth.edgeMin, differenceSum * GridGrowth.edgeShare / (16 * max(1, neighbourCount)))
    if measuresOnly { return true }
    guard acrossCount >= GridGrowth.edgeCountMin, downCount >= GridGrowth.edgeCountMin else { return false }
    return bend.solve(&across, count: acrossCount, isAcross: true) && bend.solve(&down, count: downCount, isAcross: false)
  }

  /// The centre of a module and its grey value; row -1 if it was not sampled.
  private struct Neighbour: BitwiseCopyable {
    var x = 0
    var y = 0
    var value = 0
    var row = -1
  }

  /// The distance of the edge between two neighbours from the middle between their centres, in 1/1024 modules; nil if they
  /// do not differ.
  @inline(__always) private func edge(_ first: Neighbour, _ second: Neighbour) -> (offset: Int, weight: Int)? {
    let difference = second.value &- first.value
    guard abs(difference) >= differenceMin else { return nil }
    let sign = difference < 0 ? -1 : 1
    let sum = first.value &+ second.value
    var before = -abs(difference)
    for quarter in 1...4 {
      let place = SubpixelPoint(
        x: first.x &+ ((second.x &- first.x) &* quarter) >> 2, y: first.y &+ ((second.y &- first.y) &* quarter) >> 2)
      let value = (2 &* (quarter == 4 ? second.value : sight.sample(place)) &- sum) &* sign
      if value > 0 {
        return (
          (quarter &- 1) &* 256 &+ 256 &* -before / (value &- before) &- 512,
          min(GridGrowth.weightMax, abs(difference) / differenceMin)
        )
      }
      before = value
    }
    return nil
  }
}
