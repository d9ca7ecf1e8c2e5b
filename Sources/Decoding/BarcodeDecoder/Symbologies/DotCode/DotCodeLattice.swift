// Finds the dots of a region and their lattice. Dots occupy at most every other place of a square grid, like the dark squares of a
// chessboard, so the nearest neighbours of a dot are its diagonal ones.

import BarcodeTypes
import CVector

/// A dot of the picture with its place in the lattice.
private struct Dot: BitwiseCopyable {
  /// In 1/256 pixels of the searched picture.
  var x: Int32
  var y: Int32
  /// How much darker it is than its surroundings, in grey levels.
  var depth: UInt8
  var isPlaced = false
  /// Whether a lattice was already grown from or over it.
  var isTried = false
  /// Steps along the two lattice vectors from the first dot.
  var i: Int16 = 0
  var j: Int16 = 0
  /// The lattice vectors around it, in 1/256 pixels.
  var u = DotVector()
  var v = DotVector()
}

/// A step from one dot to another, in 1/256 pixels.
private struct DotVector: BitwiseCopyable {
  var x: Int16 = 0
  var y: Int16 = 0
}

/// A lattice of dots as a grid: every other place is one for a dot.
struct DotGrid: BitwiseCopyable {
  var columns: Int
  var rows: Int
  /// The centres of the places in the corners, in 1/256 pixels of the searched picture.
  var quad: SubpixelQuad
  /// The number of dots on the lattice, times their share of the region's dots.
  var clarity: Int
}

/// The dots of a region.
@safe struct DotCodeLattice {
  /// The most dots.
  private static let countMax = 4096
  /// The least dots on a lattice: those of the smallest symbols.
  private static let placedMin = 20
  /// The side of a cell of the index, in pixels.
  private static let cell = 2
  /// The distance of a dot from its expected place, in the length of a lattice vector, as a divisor.
  private static let slackDivisor = 3
  /// The most starts of a lattice.
  private static let startCountMax = 6
  /// The least depth of a dot, in grey levels; and as a divisor of the depth that `deepCount` dots have.
  private static let depthMin = 3
  private static let depthDivisor = 3
  private static let deepCount = 40
  /// The greatest length of a lattice vector, in half pixels.
  private static let reach = 18
  /// The least length of a lattice vector, in half pixels: dots nearer to each other do not show apart.
  private static let lengthMin = 4
  /// The side of the table of steps, in bins of half a pixel.
  private static let side = 2 * reach + 1
  /// The least share of steps that lattice vectors have, in percent of the most frequent step's.
  private static let vectorPercentMin = 55
  /// The columns and rows that a grid has beyond those of the dots, on each side.
  static let margin = 3
  /// The least share of dark places in an outer row or column of the lattice, in percent of its places for dots.
  private static let outerPercentMin = 14

  private let dots: ScratchArray<Dot>
  private var count = 0
  private let queue: ScratchArray<Int16>
  private let steps: ScratchArray<Int32>
  private let stepSums: ScratchArray<Int32>
  private let columnCounts: ScratchArray<Int16>
  private let rowCounts: ScratchArray<Int16>

  init(arena: inout Arena) throws(ArenaFull) {
    dots = try ScratchArray(DotCodeLattice.countMax, arena: &arena)
    queue = try ScratchArray(DotCodeLattice.countMax, arena: &arena)
    steps = try ScratchArray(DotCodeLattice.side * (DotCodeLattice.reach + 1), arena: &arena)
    stepSums = try ScratchArray(steps.count, arena: &arena)
    columnCounts = try ScratchArray(2 * DotCodeTables.sideMax, arena: &arena)
    rowCounts = try ScratchArray(2 * DotCodeTables.sideMax, arena: &arena)
  }

  // MARK: Dots

  /// Finds the dots of a picture: its darkest places that are as deep as most.
  mutating func findDots(_ view: LumaView, arena: inout Arena) -> Bool {
    count = 0
    guard let smooth = try? ScratchArray<UInt8>(view.width * view.height, arena: &arena),
      let sums = try? ScratchArray<UInt16>(view.width + 2, arena: &arena)
    else { return false }
    DotCodeLattice.smooth(view, into: smooth, sums: sums)
    var depths: [256 of Int32] = .init(repeating: 0)
    var least = DotCodeLattice.depthMin
    let width = view.width
    for y in 2..<(view.height - 2) {
      // Sixteen at once; reads past the end of a row continue in the next one.
      for first in stride(from: 2, to: width - 2, by: 16) {
        var minima = unsafe DotCodeLattice.minima(smooth.base + y * width + first, width: width)
        while minima != 0 {
          let bit = minima.trailingZeroBitCount
          minima &= minima - 1
          let x = first + Int(cvector_lane(Int64(bit)))
          guard x < width - 2 else { break }
          let place = y * width + x
          let value = Int(smooth[place])
          let straight =
            Int(smooth[place - 2]) + Int(smooth[place + 2]) + Int(smooth[place - 2 * width])
            + Int(smooth[place + 2 * width])
          let aslant =
            Int(smooth[place - width - 1]) + Int(smooth[place - width + 1]) + Int(smooth[place + width - 1])
            + Int(smooth[place + width + 1])
          let depth = (straight + aslant) / 8 - value
          guard depth >= least else { continue }
          if count == DotCodeLattice.countMax {
            // Noise: only the deeper dots may belong to a symbol.
            least = keepDeepest(depths)
            guard depth >= least else { continue }
          }
          depths[depth] += 1
          dots[count] = Dot(
            x: Int32(x * 256 + DotCodeLattice.vertex(Int(smooth[place - 1]), value, Int(smooth[place + 1]))),
            y: Int32(y * 256 + DotCodeLattice.vertex(Int(smooth[place - width]), value, Int(smooth[place + width]))),
            depth: UInt8(depth))
          count += 1
        }
      }
    }
    guard count >= DotCodeLattice.placedMin else { return false }
    let deep = DotCodeLattice.depth(depths, of: min(DotCodeLattice.deepCount, count / 2))
    keep(depthMin: (deep + DotCodeLattice.depthDivisor - 1) / DotCodeLattice.depthDivisor)
    return count >= DotCodeLattice.placedMin
  }

  /// The depth that at least `wanted` dots have.
  private static func depth(_ depths: [256 of Int32], of wanted: Int) -> Int {
    var (deep, rest) = (255, wanted)
    while deep > 0, rest > Int(depths[deep]) {
      rest -= Int(depths[deep])
      deep -= 1
    }
    return deep
  }

  /// Keeps about half of the dots, the deepest. Returns the least depth of further ones.
  private mutating func keepDeepest(_ depths: [256 of Int32]) -> Int {
    let least = DotCodeLattice.depth(depths, of: DotCodeLattice.countMax / 2) + 1
    keep(depthMin: least)
    return least
  }

  private mutating func keep(depthMin: Int) {
    var kept = 0
    for dot in 0..<count where Int(dots[dot].depth) >= depthMin {
      dots[kept] = dots[dot]
      kept += 1
    }
    count = kept
  }

  /// Which of sixteen pixels are darker than those around them, a bit each in the order of `cvector_lanes`; of equal pixels, the first
  /// in the order of the rows.
  @unsafe @inline(__always) private static func minima(_ place: UnsafePointer<UInt8>, width: Int) -> UInt64 {
    unsafe lanes(
      cvector_load(place),
      above: cvector_min(
        cvector_min(cvector_load(place - 1), cvector_load(place - width)),
        cvector_min(cvector_load(place - width - 1), cvector_load(place - width + 1))),
      notBelow: cvector_min(
        cvector_min(cvector_load(place + 1), cvector_load(place + width)),
        cvector_min(cvector_load(place + width - 1), cvector_load(place + width + 1))))
  }

  /// The lanes in which a value is less than the one of `above`, and at most the one of `notBelow`.
  @inline(__always) private static func lanes(
    _ here: cvector_u8x16, above: cvector_u8x16, notBelow: cvector_u8x16
  ) -> UInt64 {
    cvector_lanes(cvector_not_below(notBelow, here) & ~cvector_not_below(here, above))
  }

  /// The mean of 3×3 pixels with weights 1, 2 and 1 both ways. `sums` has room for a row and two pixels.
  private static func smooth(_ view: LumaView, into target: ScratchArray<UInt8>, sums: ScratchArray<UInt16>) {
    let width = view.width
    precondition(target.count >= width * view.height && sums.count >= width + 2)
    let sums = unsafe sums.base
    for y in 0..<view.height {
      let (above, here) = unsafe (view.row(max(0, y - 1)), view.row(y))
      let below = unsafe view.row(min(view.height - 1, y + 1))
      for x in 0..<width { unsafe sums[x &+ 1] = UInt16(above[x]) &+ 2 &* UInt16(here[x]) &+ UInt16(below[x]) }
      unsafe (sums[0], sums[width &+ 1]) = (sums[1], sums[width])
      let row = unsafe target.base + y * width
      for x in 0..<width {
        unsafe row[x] = UInt8(truncatingIfNeeded: (sums[x] &+ 2 &* sums[x &+ 1] &+ sums[x &+ 2] &+ 8) &>> 4)
      }
    }
  }

  /// The offset of the least value of a parabola through three values, in 1/256 of their distance.
  private static func vertex(_ before: Int, _ here: Int, _ after: Int) -> Int {
    let bend = before + after - 2 * here
    return bend > 0 ? max(-128, min(128, 128 * (before - after) / bend)) : 0
  }

  // MARK: Lattice

  /// Whether steps from dot to dot are frequent in two directions.
  func hasSteps(_ view: LumaView, arena: inout Arena, budget: inout WorkBudget) -> Bool {
    guard let cells = cells(view, arena: &arena, budget: &budget) else { return false }
    countSteps(cells)
    return vectors() != nil
  }

  /// The index of the dots; nil without the memory or the work for it.
  private func cells(_ view: LumaView, arena: inout Arena, budget: inout WorkBudget) -> DotCells? {
    let columns = view.width / DotCodeLattice.cell + 1
    let rows = view.height / DotCodeLattice.cell + 1
    guard let index = try? ScratchArray<Int16>(columns * rows, arena: &arena), budget.spend(columns * rows / 32 + 4 * count)
    else { return nil }
    index.fill(-1, count: columns * rows)
    for dot in 0..<count {
      index[Int(dots[dot].y >> 8) / DotCodeLattice.cell * columns + Int(dots[dot].x >> 8) / DotCodeLattice.cell] = Int16(dot)
    }
    return DotCells(index: index, columns: columns, rows: rows)
  }

  /// The grid of the largest lattice; nil if no lattice has enough dots.
  mutating func grid(_ view: LumaView, arena: inout Arena, budget: inout WorkBudget) -> DotGrid? {
    guard let cells = cells(view, arena: &arena, budget: &budget) else { return nil }
    countSteps(cells)
    guard let (u, v) = vectors() else { return nil }
    var best = (start: -1, count: DotCodeLattice.placedMin - 1)
    var startCount = 0
    for turn in 0..<count where startCount < DotCodeLattice.startCountMax {
      // Starts in the middle of the picture come first, in the order of the rows.
      let start = (turn + count / 2) % count
      guard !dots[start].isTried, neighbourCount(start, u, v, cells) >= 3, budget.spend(count / 2 + 100) else { continue }
      startCount += 1
      let placed = place(from: start, u, v, cells)
      if placed > best.count { best = (start, placed) }
      if 2 * placed > count { break }
    }
    guard best.start >= 0, budget.spend(count) else { return nil }
    return boundedGrid(placedCount: place(from: best.start, u, v, cells))
  }

  /// Counts the steps from each dot to others near it.
  private func countSteps(_ cells: DotCells) {
    let (reach, side) = (DotCodeLattice.reach, DotCodeLattice.side)
    steps.fill(0, count: side * (reach + 1))
    let cellReach = reach / 2 / DotCodeLattice.cell + 1
    for dot in 0..<count {
      let here = dots[dot]
      let (column, row) = (Int(here.x >> 8) / DotCodeLattice.cell, Int(here.y >> 8) / DotCodeLattice.cell)
      for otherRow in row...min(cells.rows - 1, row + cellReach) {
        for otherColumn in max(0, column - cellReach)...min(cells.columns - 1, column + cellReach) {
          let other = Int(cells.index[otherRow * cells.columns + otherColumn])
          guard other >= 0, other != dot else { continue }
          // In bins of half a pixel.
          let dx = (Int(dots[other].x - here.x) + 64) >> 7
          let dy = (Int(dots[other].y - here.y) + 64) >> 7
          guard dy >= 0, dy <= reach, abs(dx) <= reach else { continue }
          steps[dy * side + dx + reach] += 1
        }
      }
    }
  }

  /// Adds up the steps in each bin and those around it.
  private func sumSteps() {
    let (reach, side) = (DotCodeLattice.reach, DotCodeLattice.side)
    /// The sum of three bins of a row. Steps upwards are those downwards from the other dot.
    func three(_ x: Int, _ y: Int) -> Int32 {
      var sum: Int32 = 0
      for x in max(-reach, x - 1)...min(reach, x + 1) {
        sum += y < 0 ? steps[-y * side - x + reach] : steps[y * side + x + reach]
      }
      return sum
    }
    for x in -reach...reach {
      var (above, here) = (three(x, -1), three(x, 0))
      for y in 0...reach {
        let below = y < reach ? three(x, y + 1) : 0
        stepSums[y * side + x + reach] = above + here + below
        (above, here) = (here, below)
      }
    }
  }

  /// The number of steps in a bin and those around it.
  private func stepCount(_ dx: Int, _ dy: Int) -> Int {
    Int(stepSums[dy * DotCodeLattice.side + dx + DotCodeLattice.reach])
  }

  /// The mean of the steps in a bin and those around it, in 1/256 pixels.
  private func meanStep(_ dx: Int, _ dy: Int) -> SubpixelPoint {
    let (reach, side) = (DotCodeLattice.reach, DotCodeLattice.side)
    var (count, sumX, sumY) = (0, 0, 0)
    for y in (dy - 1)...(dy + 1) {
      for x in (dx - 1)...(dx + 1) where y >= 0 && y <= reach && abs(x) <= reach {
        let here = Int(steps[y * side + x + reach])
        (count, sumX, sumY) = (count + here, sumX + here * x, sumY + here * y)
      }
    }
    return SubpixelPoint(x: sumX * 128 / max(1, count), y: sumY * 128 / max(1, count))
  }

  /// The two shortest frequent steps in different directions. Returns nil if all frequent steps have one direction.
  private func vectors() -> (u: SubpixelPoint, v: SubpixelPoint)? {
    let (reach, least) = (DotCodeLattice.reach, DotCodeLattice.lengthMin * DotCodeLattice.lengthMin)
    sumSteps()
    var most = 0
    for dy in 0...reach {
      for dx in -reach...reach where dx * dx + dy * dy >= least { most = max(most, stepCount(dx, dy)) }
    }
    guard most >= DotCodeLattice.placedMin / 2 else { return nil }
    guard let u = shortest(most, across: nil), let v = shortest(most, across: u) else { return nil }
    let cross = u.x * v.y - u.y * v.x
    guard 2 * cross * cross >= (u.x * u.x + u.y * u.y) * (v.x * v.x + v.y * v.y) else { return nil }
    return cross < 0 ? (u, SubpixelPoint(x: -v.x, y: -v.y)) : (u, v)
  }

  /// The shortest frequent step, across another one if there is one.
  private func shortest(_ most: Int, across u: SubpixelPoint?) -> SubpixelPoint? {
    let reach = DotCodeLattice.reach
    let least = DotCodeLattice.lengthMin * DotCodeLattice.lengthMin
    var best: (length: Int, dx: Int, dy: Int)?
    for dy in 0...reach {
      for dx in -reach...reach where dy > 0 || dx > 0 {
        let length = dx * dx + dy * dy
        guard length >= least, length < best?.length ?? Int.max else { continue }
        if let u {
          let cross = u.x * dy - u.y * dx
          // At least 45 degrees.
          guard 2 * cross * cross >= (u.x * u.x + u.y * u.y) * length else { continue }
        }
        let here = stepCount(dx, dy)
        guard here * 100 >= most * DotCodeLattice.vectorPercentMin else { continue }
        best = (length, dx, dy)
      }
    }
    guard var (_, dx, dy) = best else { return nil }
    // The most frequent step is a bin or two further.
    var isMoving = true
    while isMoving {
      isMoving = false
      for step in 0..<9 {
        let (x, y) = (dx + step % 3 - 1, dy + step / 3 - 1)
        if y >= 0, y <= reach, abs(x) <= reach, stepCount(x, y) > stepCount(dx, dy) {
          (dx, dy, isMoving) = (x, y, true)
          break
        }
      }
    }
    return meanStep(dx, dy)
  }

  /// The number of dots at the four nearest places.
  private func neighbourCount(_ dot: Int, _ u: SubpixelPoint, _ v: SubpixelPoint, _ cells: DotCells) -> Int {
    let here = dots[dot]
    let slack = distance(SubpixelPoint(x: 0, y: 0), u) / DotCodeLattice.slackDivisor
    var found = 0
    for side in 0..<4 {
      let step = side < 2 ? u : v
      let sign = side & 1 == 0 ? 1 : -1
      if cells.nearest(Int(here.x) + sign * step.x, Int(here.y) + sign * step.y, within: slack, dots) != nil { found += 1 }
    }
    return found
  }

  /// Places the dots that continue a lattice from one to the next. Returns their number.
  private func place(from start: Int, _ u: SubpixelPoint, _ v: SubpixelPoint, _ cells: DotCells) -> Int {
    for dot in 0..<count { dots[dot].isPlaced = false }
    dots[start].isPlaced = true
    dots[start].isTried = true
    (dots[start].i, dots[start].j) = (0, 0)
    dots[start].u = DotVector(x: Int16(truncatingIfNeeded: u.x), y: Int16(truncatingIfNeeded: u.y))
    dots[start].v = DotVector(x: Int16(truncatingIfNeeded: v.x), y: Int16(truncatingIfNeeded: v.y))
    queue[0] = Int16(start)
    let slack = distance(SubpixelPoint(x: 0, y: 0), u) / DotCodeLattice.slackDivisor
    var (first, end) = (0, 1)
    while first < end {
      let here = dots[Int(queue[first])]
      first += 1
      for step in 0..<DotCodeLattice.stepOrder.count {
        let (i, j) = (DotCodeLattice.stepOrder[step] / 8 - 2, DotCodeLattice.stepOrder[step] % 8 - 2)
        let x = Int(here.x) + i * Int(here.u.x) + j * Int(here.v.x)
        let y = Int(here.y) + i * Int(here.u.y) + j * Int(here.v.y)
        guard let next = cells.nearest(x, y, within: slack, dots), !dots[next].isPlaced, end < queue.count else { continue }
        dots[next].isPlaced = true
        dots[next].isTried = true
        dots[next].i = here.i + Int16(i)
        dots[next].j = here.j + Int16(j)
        (dots[next].u, dots[next].v) = (here.u, here.v)
        queue[end] = Int16(next)
        end += 1
        // The vectors follow the lattice.
        if abs(i) + abs(j) == 1 {
          let sign = i + j
          let (dx, dy) = (Int(dots[next].x - here.x) * sign, Int(dots[next].y - here.y) * sign)
          if i != 0 {
            dots[next].u = DotCodeLattice.moved(here.u, dx, dy)
          } else {
            dots[next].v = DotCodeLattice.moved(here.v, dx, dy)
          }
        }
      }
    }
    return end
  }

  /// A lattice vector, moved towards a measured step.
  private static func moved(_ vector: DotVector, _ dx: Int, _ dy: Int) -> DotVector {
    DotVector(
      x: Int16(truncatingIfNeeded: (7 * Int(vector.x) + dx) / 8), y: Int16(truncatingIfNeeded: (7 * Int(vector.y) + dy) / 8))
  }

  /// Steps from a dot, near ones first: 8 times the one along the first vector plus the one along the second, both plus 2.
  private static let stepOrder: [12 of Int] = [
    3 * 8 + 2, 1 * 8 + 2, 2 * 8 + 3, 2 * 8 + 1, 3 * 8 + 3, 3 * 8 + 1, 1 * 8 + 3, 1 * 8 + 1, 4 * 8 + 2, 0 * 8 + 2, 2 * 8 + 4,
    2 * 8 + 0,
  ]

  // MARK: Grid

  /// The grid around the placed dots: the projective map that fits them best.
  private func boundedGrid(placedCount: Int) -> DotGrid? {
    guard let (columns, rows) = bounds(),
      min(columns.count, rows.count) >= DotCodeTables.sideMin, max(columns.count, rows.count) <= DotCodeTables.sideMax,
      let map = DotMap(dots, count: count, columns: columns, rows: rows)
    else { return nil }
    return DotGrid(
      columns: columns.count, rows: rows.count,
      quad: SubpixelQuad(
        topLeft: map.place(columns.lowerBound, rows.lowerBound),
        topRight: map.place(columns.upperBound - 1, rows.lowerBound),
        bottomRight: map.place(columns.upperBound - 1, rows.upperBound - 1),
        bottomLeft: map.place(columns.lowerBound, rows.upperBound - 1)),
      clarity: placedCount * placedCount / count)
  }

  /// The columns and rows of the placed dots, and `margin` more on each side: a row at an edge may have a single dot, too far from
  /// others to be placed. Outer ones with few dots do not count.
  private func bounds() -> (columns: Range<Int>, rows: Range<Int>)? {
    let middle = DotCodeTables.sideMax
    columnCounts.fill(0, count: 2 * middle)
    rowCounts.fill(0, count: 2 * middle)
    for dot in 0..<count where dots[dot].isPlaced {
      let (column, row) = (dots[dot].column + middle, dots[dot].row + middle)
      guard 0..<(2 * middle) ~= column, 0..<(2 * middle) ~= row else { return nil }
      columnCounts[column] += 1
      rowCounts[row] += 1
    }
    func filled(_ counts: ScratchArray<Int16>) -> Range<Int> {
      var (first, end) = (0, 2 * middle)
      while first < end, counts[first] == 0 { first += 1 }
      while end > first, counts[end - 1] == 0 { end -= 1 }
      return first..<end
    }
    func trimmed(_ counts: ScratchArray<Int16>, _ range: Range<Int>, across: Int) -> Range<Int> {
      var (first, end) = (range.lowerBound, range.upperBound)
      while first < end, Int(counts[first]) * 200 < across * DotCodeLattice.outerPercentMin { first += 1 }
      while end > first, Int(counts[end - 1]) * 200 < across * DotCodeLattice.outerPercentMin { end -= 1 }
      return first..<end
    }
    let (wide, high) = (filled(columnCounts), filled(rowCounts))
    let columns = trimmed(columnCounts, wide, across: high.count)
    let rows = trimmed(rowCounts, high, across: wide.count)
    return (
      (columns.lowerBound - middle - DotCodeLattice.margin)..<(columns.upperBound - middle + DotCodeLattice.margin),
      (rows.lowerBound - middle - DotCodeLattice.margin)..<(rows.upperBound - middle + DotCodeLattice.margin)
    )
  }
}

extension Dot {
  /// The column and row in the grid. The lattice vectors are its diagonals.
  fileprivate var column: Int { Int(i) - Int(j) }
  fileprivate var row: Int { Int(i) + Int(j) }
}

/// The projective map from columns and rows to the picture that fits dots best.
private struct DotMap {
  /// All coordinates are fractions of the largest, in units of this.
  private static let unit = 1 << 14
  /// Added to the diagonal of the two perspective unknowns, times 2^30: few dots do not show it.
  private static let damping: Int64 = 1 << 20

  private let solution: [10 of Int64]
  private let middle: (column: Int, row: Int, x: Int, y: Int)
  /// The greatest distances from the middle.
  private let side: Int
  private let extent: Int

  init?(_ dots: ScratchArray<Dot>, count: Int, columns: Range<Int>, rows: Range<Int>) {
    var (n, x, y) = (0, 0, 0)
    func isUsed(_ dot: Int) -> Bool { dots[dot].isPlaced && columns ~= dots[dot].column && rows ~= dots[dot].row }
    for dot in 0..<count where isUsed(dot) { (n, x, y) = (n + 1, x + Int(dots[dot].x), y + Int(dots[dot].y)) }
    guard n > 8 else { return nil }
    middle = ((columns.lowerBound + columns.upperBound) / 2, (rows.lowerBound + rows.upperBound) / 2, x / n, y / n)
    var extent = 1
    for dot in 0..<count where isUsed(dot) {
      extent = max(extent, max(abs(Int(dots[dot].x) - middle.x), abs(Int(dots[dot].y) - middle.y)))
    }
    self.extent = extent
    side = max(columns.count, rows.count)
    var equations = NormalEquations(unknownCount: 8)
    for dot in 0..<count where isUsed(dot) {
      let c = (dots[dot].column - middle.column) * DotMap.unit / side
      let r = (dots[dot].row - middle.row) * DotMap.unit / side
      let x = (Int(dots[dot].x) - middle.x) * DotMap.unit / extent
      let y = (Int(dots[dot].y) - middle.y) * DotMap.unit / extent
      var row: [10 of Int32] = .init(repeating: 0)
      (row[0], row[1], row[2]) = (Int32(c), Int32(r), Int32(DotMap.unit))
      (row[6], row[7]) = (Int32(-c * x >> 14), Int32(-r * x >> 14))
      equations.add(row, Int32(x))
      (row[0], row[1], row[2]) = (0, 0, 0)
      (row[3], row[4], row[5]) = (Int32(c), Int32(r), Int32(DotMap.unit))
      (row[6], row[7]) = (Int32(-c * y >> 14), Int32(-r * y >> 14))
      equations.add(row, Int32(y))
    }
    var damping: [10 of Int64] = .init(repeating: 0)
    (damping[6], damping[7]) = (DotMap.damping, DotMap.damping)
    guard let found = equations.solve(damping: damping) else { return nil }
    solution = found
  }

  /// The place of a column and row, in 1/256 pixels.
  func place(_ column: Int, _ row: Int) -> SubpixelPoint {
    let c = (column - middle.column) * DotMap.unit / side
    let r = (row - middle.row) * DotMap.unit / side
    func sum(_ first: Int) -> Int {
      Int(solution[first]) * c + Int(solution[first + 1]) * r + Int(solution[first + 2]) * DotMap.unit
    }
    let divisor = max(1, 65536 + (Int(solution[6]) * c + Int(solution[7]) * r) / DotMap.unit)
    return SubpixelPoint(
      x: middle.x + sum(0) / divisor * extent / DotMap.unit, y: middle.y + sum(3) / divisor * extent / DotMap.unit)
  }
}

/// The index of the dots by their place.
@safe private struct DotCells {
  /// The side of a cell, in 1/256 pixels.
  private static let side = 2 * 256

  let index: ScratchArray<Int16>
  let columns: Int
  let rows: Int

  /// The nearest dot within a distance, all in 1/256 pixels.
  func nearest(_ x: Int, _ y: Int, within slack: Int, _ dots: ScratchArray<Dot>) -> Int? {
    let side = DotCells.side
    guard x >= 0, y >= 0, x / side < columns, y / side < rows else { return nil }
    var best = slack * slack
    var found: Int?
    for row in max(0, (y - slack) / side)...min(rows - 1, (y + slack) / side) {
      for column in max(0, (x - slack) / side)...min(columns - 1, (x + slack) / side) {
        let dot = Int(index[row * columns + column])
        guard dot >= 0 else { continue }
        let (dx, dy) = (Int(dots[dot].x) - x, Int(dots[dot].y) - y)
        if dx * dx + dy * dy < best { (best, found) = (dx * dx + dy * dy, dot) }
      }
    }
    return found
  }
}
