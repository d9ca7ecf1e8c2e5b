// From an L to the grid of its symbol: the sides opposite the L are lines through its ends, and the size is the one whose
// timing patterns alternate there.

import BarcodeTypes

/// A possible grid of a symbol.
struct DataMatrixCandidate: BitwiseCopyable {
  var grid: ModuleGrid
  /// The index of the size in `DataMatrixTables`.
  var sizeIndex: Int
  /// Whether the arms of the L are swapped.
  var isMirrored: Bool
  /// The agreement of the finder pattern: 1000 is perfect, about 0 is chance.
  var score: Int

  /// The weight of the score: many timing modules do not alternate by chance.
  var evidence: Int { (score - DataMatrixGridSearch.scoreMin / 2) * (grid.columns + grid.rows) }
}

/// A size that a finder pattern may have, and where its corners would be.
struct DataMatrixTrial {
  /// The index of the size in `DataMatrixTables`.
  let sizeIndex: Int
  let quad: SubpixelQuad
  let view: LumaView
  /// Whether the arms of the L are swapped.
  let isMirrored: Bool
  let isInverted: Bool

  var size: DataMatrixSize { DataMatrixTables.size(sizeIndex) }

  func candidate(_ grid: ModuleGrid, score: Int) -> DataMatrixCandidate {
    DataMatrixCandidate(grid: grid, sizeIndex: sizeIndex, isMirrored: isMirrored, score: score)
  }
}

/// Finds the grids of finder patterns in one picture.
@safe struct DataMatrixGridSearch {
  /// The maximum number of sizes tried per finder pattern.
  static let candidateCountMax = 4
  /// The minimum score before the grid is refined. Measured: flat symbols that were read had 650 and more.
  static let scoreMin = 560
  /// The range of the search for the corner opposite the L, in steps of `oppositeStep` sixteenths of a module.
  static let oppositeReach = 2
  static let oppositeStep = 10
  /// The columns per row from which a rectangle is a strip: the direction of its long side, known to a part of 1/256 turns, then
  /// moves the corner by a module.
  private static let stripAspectMin = 3
  /// The minimum size of a module, in 1/256 pixels.
  private static let moduleMin = 290
  /// The minimum score of the L and of either timing side.
  private static let sideScoreMin = 200
  /// The maximum number of modules along an arm next to which all modules may be dark by chance, for eight modules once in
  /// 64 symbols: the arm then appears twice as thick.
  private static let shortArmMax = 12
  /// The maximum thickness of an arm, in tenths of the other arm's length: two of the eight modules of the smallest symbol,
  /// if all modules next to an arm are dark, plus blur.
  private static let thicknessMax = 3
  /// The module size, in 1/256 pixels, below which a pixel and a half, the possible error of an arm's end, is more than half
  /// a module.
  private static let smallModuleMax = 3 * 256
  /// The minimum difference between dark and light timing modules.
  private static let contrastMin = 6

  let candidates: ScratchArray<DataMatrixCandidate>
  private(set) var count = 0
  /// The likeliest grid with columns or rows of unequal width; nil if none was found or the search was off.
  var bent: DataMatrixBentGrid?
  private var findsBent = false
  private let profile: ScratchArray<Int32>
  /// The module lengths along the arms of the current finder pattern, equal to the thickness of the arms, in 1/256 pixels; 0
  /// if they are not arms.
  private(set) var moduleUp = 0
  private(set) var moduleRight = 0

  init(arena: inout Arena) throws(ArenaFull) {
    candidates = try ScratchArray(DataMatrixGridSearch.candidateCountMax, arena: &arena)
    profile = try ScratchArray(2 * DataMatrixTables.sideMax, arena: &arena)
  }

  /// Finds the sizes that agree best with a finder pattern, the best first, and searches for a bent grid if `findsBent`.
  mutating func find(
    _ pattern: DataMatrixFinderPattern, _ view: LumaView, lines: EdgeLineFinder, findsBent: Bool,
    budget: inout WorkBudget
  ) {
    count = 0
    self.findsBent = findsBent
    moduleUp = 0
    moduleRight = 0
    guard budget.spend(100),
      let acrossUp = moduleLength(
        view, from: pattern.corner, to: pattern.right, towards: pattern.up, isInverted: pattern.isInverted),
      let acrossRight = moduleLength(
        view, from: pattern.corner, to: pattern.up, towards: pattern.right, isInverted: pattern.isInverted)
    else { return }
    let upLength = distance(pattern.corner, pattern.up)
    let rightLength = distance(pattern.corner, pattern.right)
    // An arm appears thicker than a fifth of the other's length only if it appears twice as thick as it is, and the other
    // one does not.
    let isThick = acrossUp * 5 > upLength || acrossRight * 5 > rightLength
    guard !isThick || max(acrossUp, acrossRight) * 2 >= min(acrossUp, acrossRight) * 3 else { return }
    // Modules are square; tilted by 60 degrees they are half as long one way.
    let isUpShort = upLength <= DataMatrixGridSearch.shortArmMax * acrossUp
    let isRightShort = rightLength <= DataMatrixGridSearch.shortArmMax * acrossRight
    guard acrossUp * 2 <= acrossRight * (isRightShort ? 10 : 5), acrossRight * 2 <= acrossUp * (isUpShort ? 10 : 5) else {
      return
    }
    moduleUp = acrossUp
    moduleRight = acrossRight
    let parallel = SubpixelPoint(
      x: pattern.up.x + pattern.right.x - pattern.corner.x, y: pattern.up.y + pattern.right.y - pattern.corner.y)
    if let opposite = oppositeCorner(pattern, lines: lines) {
      addSizes(pattern, opposite: opposite, view, budget: &budget)
      if isNear(opposite, parallel, within: 256) || hasSureCandidate { return }
    }
    addSizes(pattern, opposite: parallel, view, budget: &budget)
  }

  /// The thickness of the arm between two points, in the direction of the other arm: the depth to which it is entirely dark.
  ///
  /// - Returns: in 1/256 pixels; nil if it is too thick for an arm.
  private func moduleLength(
    _ view: LumaView, from start: SubpixelPoint, to end: SubpixelPoint, towards other: SubpixelPoint, isInverted: Bool
  ) -> Int? {
    let length = distance(start, other)
    guard length >= 7 * 256 else { return nil }
    let sign = isInverted ? -1 : 1
    // A point along the arm, at some depth in the symbol, in 1/256 pixels.
    func value(_ index: Int, _ depth: Int) -> Int {
      interpolated(
        view, start.x &+ (end.x &- start.x) &* index / 24 &+ (other.x &- start.x) &* depth / length,
        start.y &+ (end.y &- start.y) &* index / 24 &+ (other.y &- start.y) &* depth / length) &* sign
    }
    func mean(_ depth: Int) -> Int {
      var sum = 0
      for index in 2..<22 { sum &+= value(index, depth) }
      return sum
    }
    let light = max(mean(-256), max(mean(-512), mean(-768)))
    var dark = Int.max
    let step = max(80, length / 500)
    var depth = step
    let depthMax = length * DataMatrixGridSearch.thicknessMax / 10
    while depth <= depthMax {
      let here = mean(depth)
      dark = min(dark, here)
      if (here - dark) * 5 > light - dark { break }
      depth += step
    }
    guard depth <= depthMax else { return nil }
    var darkCount = 0
    for index in 2..<22 where 40 * value(index, depth / 2) < light + dark { darkCount += 1 }
    return darkCount >= 16 ? depth : nil
  }

  /// The intersection of the strongest lines through the ends of the L, near the fourth corner of the parallelogram.
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

  /// The normal, of length 2^14, of the strongest line through a point, turned by at most 34 degrees.
  private func strongestNormal(through place: SubpixelPoint, near angle: Int, lines: EdgeLineFinder) -> (x: Int, y: Int)? {
    var best = 0
    var bestTurn = 0
    for turn in -24...24 {
      // Small turns are a little more likely.
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

  /// Scores all sizes that fit a quadrilateral and keeps the best ones.
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
        // Modules are square; a tilt of 60 degrees halves them in one direction. Rectangles are tilted by at most 48
        // degrees.
        let reach = size.rows == size.columns ? 4 : 3
        guard across >= size.columns * DataMatrixGridSearch.moduleMin, down >= size.rows * DataMatrixGridSearch.moduleMin,
          across * size.rows * 2 <= reach * down * size.columns, down * size.columns * 2 <= reach * across * size.rows
        else { continue }
        let modulesUp = distance(pattern.corner, pattern.up) / moduleUp
        let modulesRight = distance(pattern.corner, pattern.right) / moduleRight
        let (up, right) = turn == 0 ? (size.rows, size.columns) : (size.columns, size.rows)
        guard isLikely(up, measured: modulesUp, armLength: right), isLikely(right, measured: modulesRight, armLength: up)
        else { continue }
        if hasSureCandidate { return }
        addSize(
          DataMatrixTrial(
            sizeIndex: index, quad: turn == 0 ? plain : mirrored, view: view, isMirrored: turn == 1,
            isInverted: pattern.isInverted), &budget)
      }
    }
  }

  /// Whether a side may have a number of modules, given the thickness of the arm across it: blur makes small modules appear
  /// longer, thin print shorter.
  private func isLikely(_ modules: Int, measured: Int, armLength: Int) -> Bool {
    let seen = armLength <= DataMatrixGridSearch.shortArmMax ? 2 * measured : measured
    return modules * 3 >= measured * 2 - 3 && modules * 4 <= seen * 9 + 12
  }

  /// Scores a size with the corner opposite the L up to 1.25 modules away from its expected position.
  private mutating func addSize(_ trial: DataMatrixTrial, _ budget: inout WorkBudget) {
    // Each timing pattern determines the corner's position along it.
    let top = bestShift(trial, isTop: true, &budget)
    guard top != nil || findsBent else { return }
    let side = bestShift(trial, isTop: false, &budget)
    if findsBent, count == 0 { addBent(trial, top: top, side: side, &budget) }
    guard let top else { return }
    var found: (grid: ModuleGrid, score: Int)?
    if let side {
      found = bestGrid(trial, across: top.shift, down: side.shift, movesArms: false, &budget)
    }
    if found == nil, top.agreement > DataMatrixGridSearch.sideScoreMin,
      min(moduleUp, moduleRight) < DataMatrixGridSearch.smallModuleMax
    {
      // An arm ends a pixel or two from the detected end of its edge: most of a small module. The opposite side moves as a
      // whole.
      found = bestGrid(trial, across: top.shift, down: 0, movesArms: true, &budget)
    }
    if let found {
      insert(trial.candidate(found.grid, score: found.score))
    }
  }

  /// The grid with the highest score whose corner opposite the L is moved by the given steps, or by one more or less; nil
  /// without one of sufficient score.
  private func bestGrid(
    _ trial: DataMatrixTrial, across: Int, down: Int, movesArms: Bool, _ budget: inout WorkBudget
  ) -> (grid: ModuleGrid, score: Int)? {
    let size = trial.size
    let reach = DataMatrixGridSearch.oppositeReach
    let step = DataMatrixGridSearch.oppositeStep
    var best: (grid: ModuleGrid, score: Int)?
    // The short side of a strip shows little of the place across it; the long one, which needs it too, shows more.
    let isStrip = size.columns >= DataMatrixGridSearch.stripAspectMin * size.rows
    let places = isStrip ? -reach...reach : max(-reach, down - 1)...min(reach, down + 1)
    for right in max(-reach, across - 1)...min(reach, across + 1) {
      for below in places {
        guard budget.spend(size.columns + size.rows),
          let grid = DataMatrixGridSearch.shifted(
            trial.quad, size, across: right * step, down: below * step, movesArms: movesArms)
        else { continue }
        let score = score(grid, trial.view, isInverted: trial.isInverted)
        if score >= max(DataMatrixGridSearch.scoreMin, (best?.score ?? 0) + 1) { best = (grid, score) }
      }
    }
    return best
  }

  /// A grid whose corner opposite the L is some sixteenths of a module away from its expected position; with `movesArms`,
  /// the ends of the arms move by the same amount.
  static func shifted(
    _ quad: SubpixelQuad, _ size: DataMatrixSize, across: Int, down: Int, movesArms: Bool = false
  ) -> ModuleGrid? {
    let expected = quad.topRight
    let right = SubpixelPoint(
      x: across * (expected.x - quad.topLeft.x) / (16 * size.columns),
      y: across * (expected.y - quad.topLeft.y) / (16 * size.columns))
    let up = SubpixelPoint(
      x: down * (expected.x - quad.bottomRight.x) / (16 * size.rows),
      y: down * (expected.y - quad.bottomRight.y) / (16 * size.rows))
    var moved = quad
    moved.topRight = SubpixelPoint(x: expected.x + right.x + up.x, y: expected.y + right.y + up.y)
    if movesArms {
      moved.bottomRight = SubpixelPoint(x: quad.bottomRight.x + right.x, y: quad.bottomRight.y + right.y)
      moved.topLeft = SubpixelPoint(x: quad.topLeft.x + up.x, y: quad.topLeft.y + up.y)
    }
    return ModuleGrid(columns: size.columns, rows: size.rows, quad: moved, inset: 0)
  }

  /// The shift along a timing side at which it alternates best; nil if it alternates at no shift.
  private func bestShift(
    _ trial: DataMatrixTrial, isTop: Bool, _ budget: inout WorkBudget
  ) -> (shift: Int, agreement: Int)? {
    let (size, view) = (trial.size, trial.view)
    var best = DataMatrixGridSearch.sideScoreMin / 2
    var bestShift: Int?
    let reach = DataMatrixGridSearch.oppositeReach
    let step = DataMatrixGridSearch.oppositeStep
    for shift in -reach...reach {
      guard budget.spend((isTop ? size.columns : size.rows) / 2),
        let grid = DataMatrixGridSearch.shifted(
          trial.quad, size, across: isTop ? shift * step : 0, down: isTop ? 0 : shift * step)
      else { continue }
      var light = 0
      var dark = 0
      let sign = trial.isInverted ? -1 : 1
      let agreement =
        isTop
        ? topAgreement(grid, view, light: &light, dark: &dark, sign: sign)
        : sideAgreement(grid, view, light: &light, dark: &dark, sign: sign)
      if agreement > best {
        best = agreement
        bestShift = shift
      }
    }
    if let bestShift { return (bestShift, best) }
    return nil
  }

  /// Whether the best candidate is good enough to end the search.
  private var hasSureCandidate: Bool {
    count > 0 && candidates[0].score >= 880 && candidates[0].grid.columns + candidates[0].grid.rows >= 28
  }

  private mutating func insert(_ candidate: DataMatrixCandidate) {
    candidates.insert(candidate, count: &count) { $0.evidence > $1.evidence }
  }

  /// The agreement of a grid's outermost modules with a finder pattern, in thousandths: the mean of the darkness of the L
  /// and the alternation of both timing sides; 0 if one of the three fails.
  func score(_ grid: ModuleGrid, _ view: LumaView, isInverted: Bool) -> Int {
    let bottom = grid.rows * 256
    let sign = isInverted ? -1 : 1
    var light = 0
    var dark = 0
    let top = topAgreement(grid, view, light: &light, dark: &dark, sign: sign)
    guard top > DataMatrixGridSearch.sideScoreMin else { return 0 }
    let side = sideAgreement(grid, view, light: &light, dark: &dark, sign: sign)
    guard side > DataMatrixGridSearch.sideScoreMin else { return 0 }
    // In sixteenths of a grey level.
    let count = grid.columns + grid.rows
    light = light * 16 / count
    dark = dark * 16 / count
    guard light - dark >= 16 * DataMatrixGridSearch.contrastMin else { return 0 }
    let middle = (light + dark) / 2
    let reach = (light - dark) / 2
    var sum = 0
    var inner = 0
    var outer = 0
    for index in 0..<grid.rows {
      let v = index &* 256 &+ 128
      let value = 16 &* sample(view, level: 0, grid.flatPlace(128, v)) &* sign
      inner &+= value
      sum &+= max(0 &- reach, min(reach, middle &- value))
      if index & 3 == 1 { outer &+= 64 &* sample(view, level: 0, grid.flatPlace(-224, v)) &* sign }
    }
    for index in 0..<grid.columns {
      let u = index &* 256 &+ 128
      let value = 16 &* sample(view, level: 0, grid.flatPlace(u, bottom &- 128)) &* sign
      inner &+= value
      sum &+= max(0 &- reach, min(reach, middle &- value))
      if index & 3 == 1 { outer &+= 64 &* sample(view, level: 0, grid.flatPlace(u, bottom &+ 224)) &* sign }
    }
    let solid = sum * 1000 / (reach * count)
    // The difference between dark and light timing modules is a good part of the difference across the L's edges.
    guard solid > DataMatrixGridSearch.sideScoreMin, (light - dark) * 8 >= (outer - inner) / count else { return 0 }
    return (top + side + solid) / 3
  }

  /// The agreement of the top row, from the left, and the sums of its dark and light values.
  private func topAgreement(_ grid: ModuleGrid, _ view: LumaView, light: inout Int, dark: inout Int, sign: Int) -> Int {
    alternation(count: 2 * grid.columns, light: &light, dark: &dark, sign: sign) { index in
      sample(view, level: 0, grid.flatPlace(index &* 128 &+ 64, 128))
    }
  }

  /// The agreement of the right column, from the bottom.
  private func sideAgreement(_ grid: ModuleGrid, _ view: LumaView, light: inout Int, dark: inout Int, sign: Int) -> Int {
    let right = grid.columns * 256
    let bottom = grid.rows * 256
    return alternation(count: 2 * grid.rows, light: &light, dark: &dark, sign: sign) { index in
      sample(view, level: 0, grid.flatPlace(right &- 128, bottom &- 64 &- index &* 128))
    }
  }

  /// The alternation of modules between dark and light, in thousandths, from two values per module, each compared with those
  /// a module before and after it. A difference counts no more than the mean one, so that a few strong edges do not make a
  /// pattern.
  @inline(__always) func alternation(
    count: Int, light: inout Int, dark: inout Int, sign: Int, _ value: (Int) -> Int
  ) -> Int {
    let profile = unsafe profile.base
    for index in 0..<count {
      let here = value(index) &* sign
      if index & 2 == 0 { dark &+= here } else { light &+= here }
      unsafe profile[index] = Int32(truncatingIfNeeded: here)
    }
    var total: Int32 = 0
    for index in 2..<(count &- 2) {
      unsafe total &+= abs(profile[index &- 2] &+ profile[index &+ 2] &- 2 &* profile[index])
    }
    let mean = total / Int32(truncatingIfNeeded: count &- 4) &+ 1
    var agreement: Int32 = 0
    for index in 2..<(count &- 2) {
      let difference = unsafe profile[index &- 2] &+ profile[index &+ 2] &- 2 &* profile[index]
      let held = max(0 &- mean, min(mean, difference))
      agreement &+= index & 2 == 0 ? held : 0 &- held
    }
    return Int(agreement) * 1000 / (Int(mean) * (count - 4))
  }

  /// Moves the corners of a candidate's grid, one at a time, to the best agreement of its finder pattern.
  func refined(_ start: DataMatrixCandidate, _ view: LumaView, isInverted: Bool, budget: inout WorkBudget)
    -> DataMatrixCandidate
  {
    var best = start
    let cost = start.grid.columns + start.grid.rows
    let reach = start.grid.module * 3 / 4
    // Steps of 0.5, 0.25 and 0.12 modules.
    for part in 0..<3 {
      let step = max(8, start.grid.module / 2) >> part
      for _ in 0..<3 {
        var hasMoved = false
        // The corner opposite the L is the least certain one.
        for turn in 0..<4 {
          let corner = (turn + 1) & 3
          for direction in 0..<4 {
            guard budget.spend(cost) else { return best }
            var quad = best.grid.quad
            var point = quad[corner]
            if direction < 2 { point.x += direction == 0 ? step : -step } else { point.y += direction == 2 ? step : -step }
            quad[corner] = point
            // A corner that moves far away finds timing patterns in anything.
            guard isNear(point, start.grid.quad[corner], within: reach + 1) else { continue }
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
