// Symbols with columns or rows of unequal width, as on a label around a pencil or pulled under a scanner. One timing side
// alternates evenly, the other one only if its modules are sampled along a parabola.

import BarcodeTypes

/// A grid with one bent timing side.
struct DataMatrixBentGrid: BitwiseCopyable {
  var candidate: DataMatrixCandidate
  var isInverted: Bool
}

extension DataMatrixGridSearch {
  /// The minimum agreement of the even timing side at its expected position, the same after the search for the corner
  /// opposite the L, and the minimum of the bent side. A photographed label around a pencil has 402, 713 and 792.
  private static let roughMin = 300
  private static let evenMin = 650
  private static let bentMin = 500
  /// The maximum bend tried in either direction, in steps of 1/104 of the side: a quarter of a module on a side of 26.
  private static let bendReach = 8
  /// The minimum number of modules of a side: few modules alternate by chance along some parabola.
  private static let bentSideMin = 14

  /// Stores a size in `bent` if one timing side is even and the other one alternates along a parabola.
  ///
  /// - Parameters: top, side: the shifts of the corner opposite the L at which the unbent timing sides agree best, and their
  ///   agreement; nil if they do not agree.
  mutating func addBent(
    _ trial: DataMatrixTrial, top: (shift: Int, agreement: Int)?, side: (shift: Int, agreement: Int)?,
    _ budget: inout WorkBudget
  ) {
    let size = trial.size
    let isTopBent = (side?.agreement ?? 0) > (top?.agreement ?? 0)
    guard let rough = isTopBent ? side : top, rough.agreement >= DataMatrixGridSearch.roughMin,
      min(size.columns, size.rows) >= DataMatrixGridSearch.bentSideMin
    else { return }
    let sign = trial.isInverted ? -1 : 1
    let length = isTopBent ? size.columns : size.rows
    guard let grid = evenGrid(trial, isTop: !isTopBent, shift: rough.shift, &budget) else { return }
    var best = max(DataMatrixGridSearch.bentMin, bent?.candidate.score ?? 0)
    for step in -DataMatrixGridSearch.bendReach...DataMatrixGridSearch.bendReach {
      guard budget.spend(length / 2) else { return }
      let bend = step * length * 256 / 104
      let agreement = agreement(grid, trial.view, bend: bend, isTop: isTopBent, sign: sign)
      if agreement > best {
        best = agreement
        var bentGrid = grid
        bentGrid.bend(
          columns: { u in isTopBent ? DataMatrixGridSearch.bent(u, bend, length: grid.columns * 256) : u },
          rows: { v in isTopBent ? v : DataMatrixGridSearch.bent(v, bend, length: grid.rows * 256) })
        bent = DataMatrixBentGrid(
          candidate: trial.candidate(bentGrid, score: agreement), isInverted: trial.isInverted)
      }
    }
  }

  /// The grid with the best agreement of the even timing side, which determines the position of the corner opposite the L
  /// along that side, and roughly the position across it. The search covers the whole range coarsely, then the neighbourhood
  /// of the best position more finely.
  private func evenGrid(
    _ trial: DataMatrixTrial, isTop: Bool, shift: Int, _ budget: inout WorkBudget
  ) -> ModuleGrid? {
    let size = trial.size
    var best = DataMatrixGridSearch.roughMin
    var bestGrid: ModuleGrid?
    var along = shift * DataMatrixGridSearch.oppositeStep
    var across = 0
    let steps: [3 of Int] = [DataMatrixGridSearch.oppositeStep, 4, 2]
    for stage in steps.indices {
      let startAlong = along
      let startAcross = across
      for stepAlong in -1...1 {
        for stepAcross in -DataMatrixGridSearch.oppositeReach...DataMatrixGridSearch.oppositeReach {
          guard budget.spend((isTop ? size.columns : size.rows) / 2) else { return nil }
          let newAlong = startAlong + stepAlong * steps[stage]
          let newAcross = startAcross + stepAcross * steps[stage]
          guard
            let grid = DataMatrixGridSearch.shifted(
              trial.quad, size, across: isTop ? newAlong : newAcross, down: isTop ? newAcross : newAlong)
          else { continue }
          let agreement = agreement(grid, trial.view, bend: 0, isTop: isTop, sign: trial.isInverted ? -1 : 1)
          if agreement > best {
            best = agreement
            bestGrid = grid
            along = newAlong
            across = newAcross
          }
        }
      }
      if bestGrid == nil { return nil }
    }
    return best >= DataMatrixGridSearch.evenMin ? bestGrid : nil
  }

  /// The agreement of a timing side that alternates along a parabola.
  private func agreement(_ grid: ModuleGrid, _ view: LumaView, bend: Int, isTop: Bool, sign: Int) -> Int {
    let right = grid.columns * 256
    let bottom = grid.rows * 256
    var light = 0
    var dark = 0
    if isTop {
      return alternation(count: 2 * grid.columns, light: &light, dark: &dark, sign: sign) { index in
        sample(view, level: 0, grid.flatPlace(DataMatrixGridSearch.bent(index * 128 + 64, bend, length: right), 128))
      }
    }
    return alternation(count: 2 * grid.rows, light: &light, dark: &dark, sign: sign) { index in
      sample(
        view, level: 0,
        grid.flatPlace(
          right - 128, DataMatrixGridSearch.bent(bottom - 64 - index * 128, bend, length: bottom)))
    }
  }

  /// A coordinate moved along a parabola by up to `bend`, which it reaches in the middle of `length`.
  private static func bent(_ coordinate: Int, _ bend: Int, length: Int) -> Int {
    coordinate + bend * coordinate / length * (length - coordinate) / length * 4
  }
}
