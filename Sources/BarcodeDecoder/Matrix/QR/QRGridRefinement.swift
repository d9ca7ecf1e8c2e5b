// Moves a grid until the modules agree best with what is known of them. Function modules must have their colour, and all
// others must be as dark or as light as can be: a sample that lies between two modules is grey. The second term needs no
// knowledge of the content; measured on pictures that a grid from finders and alignment pattern does not read, it is
// worth as much as the first.

import BarcodeTypes

/// Refines the grids of symbols in one picture.
@safe struct QRGridRefiner {
  /// Modules that are looked at in a flat grid: all of versions 1 to 3, a part of those of greater versions.
  private static let flatModuleCountMax = 900

  /// Rounds of one step width at most.
  private static let roundCountMax = 4

  /// The mean of the modules around each module.
  let means: ScratchArray<UInt8>
  let layout: QRLayout
  let view: LumaView
  let level: Int
  /// Difference to the mean beyond which a module is as dark or light as can be.
  private let saturation: Int
  private let isInverted: Bool

  /// - Parameters:
  ///   - layout: prepared for the grid's version.
  ///   - values, means: of the modules as sampled with a first grid.
  init(
    _ view: LumaView, level: Int, layout: QRLayout, modules: ScratchArray<UInt8>, means: ScratchArray<UInt8>,
    isInverted: Bool
  ) {
    self.view = view
    self.level = level
    self.layout = layout
    self.means = means
    self.isInverted = isInverted
    var sum = 0
    let count = layout.size * layout.size
    for index in 0..<count { sum += abs(Int(modules[index]) - Int(means[index])) }
    saturation = max(2, sum * 5 / (4 * max(1, count)))
  }

  /// How well the modules in a range of a grid agree: function modules with full weight, the others with half.
  private func score(_ grid: ModuleGrid, columns: Range<Int>, rows: Range<Int>, every: Int) -> Int {
    let size = layout.size
    let kinds = unsafe layout.modules.base
    let means = unsafe means.base
    let sign = isInverted ? -1 : 1
    var sum = 0
    var skip = 0
    grid.forEachModule(columns: columns, rows: rows) { column, row, place in
      let index = row &* size &+ column
      let kind = unsafe kinds[index]
      let isFunction = kind == QRModule.dark || kind == QRModule.light
      if !isFunction {
        skip &+= 1
        if skip < every { return }
        skip = 0
      }
      let difference = unsafe (sample(view, level: level, place) &- Int(means[index])) &* sign
      let held = max(-saturation, min(saturation, difference))
      if kind == QRModule.light {
        sum &+= 2 &* held
      } else if kind == QRModule.dark {
        sum &-= 2 &* held
      } else {
        sum &+= abs(held)
      }
    }
    return sum
  }

  /// The flat grid that agrees best near the given one, by moving one reference point at a time.
  func refined(_ start: ModuleGrid, budget: inout WorkBudget) -> ModuleGrid {
    let all = 0..<layout.size
    let every = max(1, layout.size * layout.size / QRGridRefiner.flatModuleCountMax)
    var grid = start
    var best = score(grid, columns: all, rows: all, every: every)
    let cost = layout.size * layout.size / every / 4
    // Steps of 0.4, 0.2 and 0.1 modules.
    for part in 0..<3 {
      let step = max(8, grid.module * 2 / 5) >> part
      for _ in 0..<QRGridRefiner.roundCountMax {
        var hasMoved = false
        for corner in 0..<4 {
          for direction in 0..<4 {
            guard budget.spend(cost) else { return grid }
            var quad = grid.quad
            var point = quad[corner]
            if direction < 2 { point.x += direction == 0 ? step : -step } else { point.y += direction == 2 ? step : -step }
            quad[corner] = point
            guard let moved = ModuleGrid(size: grid.size, quad: quad, inset: grid.inset) else { continue }
            let value = score(moved, columns: all, rows: all, every: every)
            if value > best {
              best = value
              grid = moved
              hasMoved = true
            }
          }
        }
        if !hasMoved { break }
      }
    }
    return grid
  }
}
