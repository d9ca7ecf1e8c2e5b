// From an L to the grid of its symbol: the sides opposite the L are lines through its ends, and the size is the one whose
// timing patterns alternate there.

import BarcodeTypes

/// A grid that may be a symbol's.
struct DataMatrixCandidate: BitwiseCopyable {
  var grid: ModuleGrid
  /// The number of the size in `DataMatrixTables`.
  var sizeIndex: Int
  /// Whether the arms of the L are swapped.
  var isMirrored: Bool
  /// How well the finder pattern agrees: 1000 perfectly, about 0 by chance.
  var score: Int
}

/// Finds the grids of finder patterns in one picture.
@safe struct DataMatrixGridSearch {
  /// Sizes that are looked into for one finder pattern.
  static let candidateCountMax = 4
  /// The least score that is looked into.
  static let scoreMin = 380
  /// Pixels of the smallest module, in 1/256.
  private static let moduleMin = 290
  /// Least difference between dark and light timing modules.
  private static let contrastMin = 6

  let candidates: ScratchArray<DataMatrixCandidate>
  private(set) var count = 0

  /// Nil if the arena is full.
  init?(arena: inout Arena) {
    guard
      let candidates = ScratchArray<DataMatrixCandidate>(DataMatrixGridSearch.candidateCountMax, arena: &arena)
    else { return nil }
    self.candidates = candidates
  }

  /// Finds the sizes that agree best with a finder pattern, the best first.
  mutating func find(
    _ pattern: DataMatrixFinderPattern, _ view: LumaView, lines: EdgeLineFinder, budget: inout WorkBudget
  ) {
    count = 0
    let parallel = SubpixelPoint(
      x: pattern.up.x + pattern.right.x - pattern.corner.x, y: pattern.up.y + pattern.right.y - pattern.corner.y)
    if let opposite = oppositeCorner(pattern, lines: lines) {
      addSizes(pattern, opposite: opposite, view, budget: &budget)
      if count > 0, candidates[0].score > 700 || distance(opposite, parallel) < 256 { return }
    }
    addSizes(pattern, opposite: parallel, view, budget: &budget)
  }

  /// Where the strongest lines through the ends of the L meet, near the fourth corner of the parallelogram.
  private func oppositeCorner(_ pattern: DataMatrixFinderPattern, lines: EdgeLineFinder) -> SubpixelPoint? {
    guard let top = strongestNormal(through: pattern.up, near: pattern.angleOfRight + 128, lines: lines),
      let side = strongestNormal(through: pattern.right, near: pattern.angleOfUp + 128, lines: lines)
    else { return nil }
    let cross = (top.x * side.y - top.y * side.x) >> 14
    guard abs(cross) > 4000 else { return nil }
    let topOffset = (pattern.up.x * top.x + pattern.up.y * top.y) >> 14
    let sideOffset = (pattern.right.x * side.x + pattern.right.y * side.y) >> 14
    return SubpixelPoint(
      x: (topOffset * side.y - sideOffset * top.y) / cross, y: (sideOffset * top.x - topOffset * side.x) / cross)
  }

  /// The normal, of length 2^14, of the strongest line through a place that is turned by at most 34 degrees.
  private func strongestNormal(through place: SubpixelPoint, near angle: Int, lines: EdgeLineFinder) -> (x: Int, y: Int)? {
    var best = 0
    var bestTurn = 0
    for turn in -24...24 {
      // Straight on is a little more likely.
      let strength = lines.strength(angle: angle + turn, through: place) * (96 - abs(turn))
      if strength > best {
        best = strength
        bestTurn = turn
      }
    }
    guard best > 0 else { return nil }
    let before = lines.strength(angle: angle + bestTurn - 1, through: place)
    let here = lines.strength(angle: angle + bestTurn, through: place)
    let after = lines.strength(angle: angle + bestTurn + 1, through: place)
    let bend = 2 * here - before - after
    let part = bend > 0 ? max(-128, min(128, (after - before) * 128 / bend)) : 0
    let exact = BinaryAngle(bits: UInt16(truncatingIfNeeded: (angle + bestTurn) * 256 + part))
    return (Int(exact.cosine.bits >> 2), Int(exact.sine.bits >> 2))
  }

  /// Scores all sizes that fit a quadrilateral and keeps the best.
  private mutating func addSizes(
    _ pattern: DataMatrixFinderPattern, opposite: SubpixelPoint, _ view: LumaView, budget: inout WorkBudget
  ) {
    let plain = SubpixelQuad(
      topLeft: pattern.up, topRight: opposite, bottomRight: pattern.right, bottomLeft: pattern.corner)
    let mirrored = SubpixelQuad(
      topLeft: pattern.right, topRight: opposite, bottomRight: pattern.up, bottomLeft: pattern.corner)
    guard Homography(plain) != nil else { return }
    let width = max(distance(pattern.corner, pattern.right), distance(pattern.up, opposite))
    let height = max(distance(pattern.corner, pattern.up), distance(pattern.right, opposite))
    for index in 0..<DataMatrixTables.sizeCount {
      let size = DataMatrixTables.size(index)
      for turn in 0..<(size.rows == size.columns ? 1 : 2) {
        let across = turn == 0 ? width : height
        let down = turn == 0 ? height : width
        // Modules are square; tilted by 60 degrees they are half as long one way.
        guard across >= size.columns * DataMatrixGridSearch.moduleMin, down >= size.rows * DataMatrixGridSearch.moduleMin,
          across * size.rows <= 2 * down * size.columns, down * size.columns <= 2 * across * size.rows,
          budget.spend((size.columns + size.rows) / 2),
          let grid = ModuleGrid(
            columns: size.columns, rows: size.rows, quad: turn == 0 ? plain : mirrored, inset: 0)
        else { continue }
        let score = DataMatrixGridSearch.score(grid, view, isInverted: pattern.isInverted)
        if score >= DataMatrixGridSearch.scoreMin {
          insert(DataMatrixCandidate(grid: grid, sizeIndex: index, isMirrored: turn == 1, score: score))
        }
      }
    }
  }

  private mutating func insert(_ candidate: DataMatrixCandidate) {
    if count == DataMatrixGridSearch.candidateCountMax {
      if candidates[count - 1].score >= candidate.score { return }
      count -= 1
    }
    var index = count
    while index > 0, candidates[index - 1].score < candidate.score {
      candidates[index] = candidates[index - 1]
      index -= 1
    }
    candidates[index] = candidate
    count += 1
  }

  /// How well the outermost modules of a grid are a finder pattern: the mean of how dark the L is and how well either timing
  /// side alternates, in thousandths; 0 if one of the three fails.
  static func score(_ grid: ModuleGrid, _ view: LumaView, isInverted: Bool) -> Int {
    let columns = grid.columns
    let rows = grid.rows
    let sign = isInverted ? -1 : 1
    var light = 0
    var dark = 0
    let top = alternation(count: columns, light: &light, dark: &dark, sign: sign) { index in
      sample(view, level: 0, grid.flatPlace(index &* 256 &+ 128, 128))
    }
    guard top > 150 else { return 0 }
    let side = alternation(count: rows, light: &light, dark: &dark, sign: sign) { index in
      sample(view, level: 0, grid.flatPlace(columns &* 256 &- 128, (rows &- index) &* 256 &- 128))
    }
    guard side > 150 else { return 0 }
    let half = (columns + rows) / 2
    light = light * 16 / half
    dark = dark * 16 / half
    guard light - dark >= 16 * contrastMin else { return 0 }
    let middle = (light + dark) / 2
    let reach = (light - dark) / 2
    var sum = 0
    for index in 0..<rows {
      let value = sample(view, level: 0, grid.flatPlace(128, index &* 256 &+ 128)) * sign
      sum += max(-reach, min(reach, middle - 16 * value))
    }
    for index in 0..<columns {
      let value = sample(view, level: 0, grid.flatPlace(index &* 256 &+ 128, rows &* 256 &- 128)) * sign
      sum += max(-reach, min(reach, middle - 16 * value))
    }
    let solid = sum * 1000 / (reach * (rows + columns))
    guard solid > 150 else { return 0 }
    return (top + side + solid) / 3
  }

  /// How well modules alternate from dark to light: each against the mean of those beside it, in thousandths.
  @inline(__always) private static func alternation(
    count: Int, light: inout Int, dark: inout Int, sign: Int, _ value: (Int) -> Int
  ) -> Int {
    var agreement = 0
    var total = 1
    var beforeLast = 0
    var last = 0
    for index in 0..<count {
      let here = value(index) &* sign
      if index & 1 == 0 { dark &+= here } else { light &+= here }
      if index >= 2 {
        let difference = beforeLast &+ here &- 2 &* last
        agreement &+= index & 1 == 1 ? difference : 0 &- difference
        total &+= abs(difference)
      }
      beforeLast = last
      last = here
    }
    return agreement * 1000 / total
  }

  /// Moves the corners of a candidate's grid, one at a time, until its finder pattern agrees best.
  static func refined(_ start: DataMatrixCandidate, _ view: LumaView, isInverted: Bool, budget: inout WorkBudget)
    -> DataMatrixCandidate
  {
    var best = start
    let cost = start.grid.columns + start.grid.rows
    // Steps of 0.5, 0.25 and 0.12 modules.
    for part in 0..<3 {
      let step = max(8, start.grid.module / 2) >> part
      for _ in 0..<3 {
        var hasMoved = false
        // The corner opposite the L is known least.
        for turn in 0..<4 {
          let corner = (turn + 1) & 3
          for direction in 0..<4 {
            guard budget.spend(cost) else { return best }
            var quad = best.grid.quad
            var point = quad[corner]
            if direction < 2 { point.x += direction == 0 ? step : -step } else { point.y += direction == 2 ? step : -step }
            quad[corner] = point
            guard let grid = ModuleGrid(columns: best.grid.columns, rows: best.grid.rows, quad: quad, inset: 0) else {
              continue
            }
            let value = score(grid, view, isInverted: isInverted)
            if value > best.score {
              best.score = value
              best.grid = grid
              hasMoved = true
            }
          }
        }
        if !hasMoved { break }
      }
    }
    return best
  }
}
