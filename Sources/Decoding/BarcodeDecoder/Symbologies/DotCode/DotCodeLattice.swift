// Finds the dots of a region and the lattice on which they lie. Dots fill at most every other place of a square grid, so that the
// nearest places of a dot lie diagonally beside it.

import BarcodeTypes

/// A dot of the picture with its place in the lattice.
private struct Dot: BitwiseCopyable {
  /// In 1/256 pixels of the searched picture.
  var x: Int32
  var y: Int32
  /// Steps along the two lattice vectors from the first dot.
  var i: Int16 = 0
  var j: Int16 = 0
  var isPlaced = false
}

/// A lattice of dots as a grid: every other place is one for a dot.
struct DotGrid: BitwiseCopyable {
  var columns: Int
  var rows: Int
  /// The centres of the places in the corners, in 1/256 pixels of the searched picture.
  var quad: SubpixelQuad
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
  /// Number of dots that are compared for the distance of neighbours.
  private static let sampleCount = 16
  /// The most starts of a lattice.
  private static let startCountMax = 6

  private let dots: ScratchArray<Dot>
  private var count = 0
  private let queue: ScratchArray<Int16>

  init(arena: inout Arena) throws(ArenaFull) {
    dots = try ScratchArray(DotCodeLattice.countMax, arena: &arena)
    queue = try ScratchArray(DotCodeLattice.countMax, arena: &arena)
  }

  /// Finds the dots of a picture.
  ///
  /// - Parameter thresholds: those of the picture's tiles.
  mutating func findDots(_ view: LumaView, _ thresholds: ThresholdMap, arena: inout Arena) -> Bool {
    count = 0
    guard let smooth = try? ScratchArray<UInt8>(view.width * view.height, arena: &arena) else { return false }
    DotCodeLattice.smooth(view, into: smooth)
    let width = view.width
    for y in 1..<(view.height - 1) {
      for x in 1..<(width - 1) {
        let place = y * width + x
        let value = Int(smooth[place])
        guard value < Int(thresholds.values[(y >> 3) * thresholds.columns + (x >> 3)]),
          value < Int(smooth[place - 1]), value <= Int(smooth[place + 1]), value < Int(smooth[place - width]),
          value <= Int(smooth[place + width]), value < Int(smooth[place - width - 1]),
          value < Int(smooth[place - width + 1]),
          value <= Int(smooth[place + width - 1]), value <= Int(smooth[place + width + 1])
        else { continue }
        guard count < DotCodeLattice.countMax else { return false }
        dots[count] = Dot(
          x: Int32(x * 256 + DotCodeLattice.vertex(Int(smooth[place - 1]), value, Int(smooth[place + 1]))),
          y: Int32(y * 256 + DotCodeLattice.vertex(Int(smooth[place - width]), value, Int(smooth[place + width]))))
        count += 1
      }
    }
    return count >= DotCodeLattice.placedMin
  }

  /// The mean of 3×3 pixels with weights 1, 2 and 1 both ways.
  private static func smooth(_ view: LumaView, into target: ScratchArray<UInt8>) {
    let width = view.width
    for y in 0..<view.height {
      let rows =
        unsafe [view.row(max(0, y - 1)), view.row(y), view.row(min(view.height - 1, y + 1))] as [3 of UnsafePointer<UInt8>]
      for x in 0..<width {
        let (left, right) = (max(0, x - 1), min(width - 1, x + 1))
        var sum = 8
        for row in 0..<3 {
          let weight = row == 1 ? 2 : 1
          sum += unsafe weight * (Int(rows[row][left]) + 2 * Int(rows[row][x]) + Int(rows[row][right]))
        }
        target[y * width + x] = UInt8(truncatingIfNeeded: sum >> 4)
      }
    }
  }

  /// The offset of the least value of a parabola through three values, in 1/256 of their distance.
  private static func vertex(_ before: Int, _ here: Int, _ after: Int) -> Int {
    let bend = before + after - 2 * here
    return bend > 0 ? max(-128, min(128, 128 * (before - after) / bend)) : 0
  }

  // MARK: Lattice

  /// The grid of the largest lattice; nil if no lattice has enough dots.
  mutating func grid(_ view: LumaView, arena: inout Arena, budget: inout WorkBudget) -> DotGrid? {
    let columns = view.width / DotCodeLattice.cell + 1
    let rows = view.height / DotCodeLattice.cell + 1
    guard let index = try? ScratchArray<Int16>(columns * rows, arena: &arena) else { return nil }
    index.fill(-1, count: columns * rows)
    for dot in 0..<count {
      index[Int(dots[dot].y >> 8) / DotCodeLattice.cell * columns + Int(dots[dot].x >> 8) / DotCodeLattice.cell] = Int16(dot)
    }
    let cells = DotCells(index: index, columns: columns, rows: rows)
    var start = count / 2
    // Most dots have a dot at the nearest place, diagonally beside them; others lead to a lattice of rows and columns.
    var usual = Int.max
    for sample in 0..<DotCodeLattice.sampleCount {
      let vectors = vectors(from: sample * count / DotCodeLattice.sampleCount)
      if let u = vectors?.u { usual = min(usual, u.x * u.x + u.y * u.y) }
    }
    for _ in 0..<DotCodeLattice.startCountMax {
      guard budget.spend(count / 2 + 100) else { return nil }
      var searched = 0
      while searched < DotCodeLattice.sampleCount, let u = vectors(from: start)?.u, (u.x * u.x + u.y * u.y) * 4 > usual * 7 {
        start = (start + 1) % count
        searched += 1
      }
      if let vectors = vectors(from: start), place(from: start, vectors, cells) >= DotCodeLattice.placedMin,
        let grid = boundedGrid()
      {
        return grid
      }
      start = (start + count / DotCodeLattice.startCountMax + 1) % count
    }
    return nil
  }

  /// Two lattice vectors at a dot: to the nearest dot, and to the nearest one about across that direction.
  private func vectors(from start: Int) -> (u: SubpixelPoint, v: SubpixelPoint)? {
    let here = dots[start]
    var best = (near: Int.max, u: SubpixelPoint(x: 0, y: 0))
    for dot in 0..<count where dot != start {
      let step = SubpixelPoint(x: Int(dots[dot].x - here.x), y: Int(dots[dot].y - here.y))
      let length = step.x * step.x + step.y * step.y
      if length < best.near { best = (length, step) }
    }
    guard best.near < Int.max, best.near > 2 * 65536 else { return nil }
    var across = (near: best.near * 3, v: SubpixelPoint(x: 0, y: 0))
    let u = best.u
    for dot in 0..<count where dot != start {
      let step = SubpixelPoint(x: Int(dots[dot].x - here.x), y: Int(dots[dot].y - here.y))
      let length = step.x * step.x + step.y * step.y
      let along = abs(step.x * u.x + step.y * u.y)
      if length < across.near, along * along < best.near * length / 6 { across = (length, step) }
    }
    // Without a dot across, the lattice is about square.
    let v = across.v.x == 0 && across.v.y == 0 ? SubpixelPoint(x: -u.y, y: u.x) : across.v
    return u.x * v.y - u.y * v.x < 0 ? (u, SubpixelPoint(x: -v.x, y: -v.y)) : (u, v)
  }

  /// Places the dots that continue a lattice from one to the next. Returns their number.
  private func place(from start: Int, _ vectors: (u: SubpixelPoint, v: SubpixelPoint), _ cells: DotCells) -> Int {
    for dot in 0..<count { dots[dot].isPlaced = false }
    dots[start].isPlaced = true
    (dots[start].i, dots[start].j) = (0, 0)
    queue[0] = Int16(start)
    var (first, end) = (0, 1)
    var (u, v) = vectors
    while first < end {
      let here = dots[Int(queue[first])]
      first += 1
      for step in 0..<DotCodeLattice.steps.count {
        let (i, j) = (DotCodeLattice.steps[step] / 8 - 2, DotCodeLattice.steps[step] % 8 - 2)
        let x = Int(here.x) + i * u.x + j * v.x
        let y = Int(here.y) + i * u.y + j * v.y
        let slack = distance(SubpixelPoint(x: 0, y: 0), u) / DotCodeLattice.slackDivisor
        guard let next = cells.nearest(x, y, within: slack, dots), !dots[next].isPlaced, end < queue.count else { continue }
        dots[next].isPlaced = true
        dots[next].i = here.i + Int16(i)
        dots[next].j = here.j + Int16(j)
        queue[end] = Int16(next)
        end += 1
        // The vectors follow the lattice.
        if abs(i) + abs(j) == 1 {
          let sign = i + j
          let (dx, dy) = ((Int(dots[next].x) - Int(here.x)) * sign, (Int(dots[next].y) - Int(here.y)) * sign)
          if i != 0 {
            u = SubpixelPoint(x: (15 * u.x + dx) / 16, y: (15 * u.y + dy) / 16)
          } else {
            v = SubpixelPoint(x: (15 * v.x + dx) / 16, y: (15 * v.y + dy) / 16)
          }
        }
      }
    }
    return end
  }

  /// Steps from a dot, near ones first: 8 times the one along the first vector plus the one along the second, both plus 2.
  private static let steps: [12 of Int] = [
    3 * 8 + 2, 1 * 8 + 2, 2 * 8 + 3, 2 * 8 + 1, 3 * 8 + 3, 3 * 8 + 1, 1 * 8 + 3, 1 * 8 + 1, 4 * 8 + 2, 0 * 8 + 2, 2 * 8 + 4,
    2 * 8 + 0,
  ]

  /// The grid around the placed dots: the affine map that fits them best.
  private func boundedGrid() -> DotGrid? {
    // Grid columns and rows: the lattice vectors are diagonals of the grid.
    var (n, sc, sr, sx, sy) = (0, 0, 0, 0, 0)
    var (left, right, top, bottom) = (Int.max, Int.min, Int.max, Int.min)
    for dot in 0..<count where dots[dot].isPlaced {
      let (c, r) = (Int(dots[dot].i) - Int(dots[dot].j), Int(dots[dot].i) + Int(dots[dot].j))
      (left, right, top, bottom) = (min(left, c), max(right, c), min(top, r), max(bottom, r))
      (n, sc, sr, sx, sy) = (n + 1, sc + c, sr + r, sx + Int(dots[dot].x), sy + Int(dots[dot].y))
    }
    // A row at an edge may have a single dot, too far from others to be placed.
    (left, right, top, bottom) = (left - 1, right + 1, top - 1, bottom + 1)
    let (columns, rows) = (right - left + 1, bottom - top + 1)
    guard min(columns, rows) >= DotCodeTables.sideMin, max(columns, rows) <= DotCodeTables.sideMax else { return nil }
    // Columns and rows from their mean, in sixteenths; places from theirs.
    let (meanC, meanR, meanX, meanY) = (16 * sc / n, 16 * sr / n, sx / n, sy / n)
    var (cc, cr, rr, cx, cy, rx, ry) = (0, 0, 0, 0, 0, 0, 0)
    for dot in 0..<count where dots[dot].isPlaced {
      let c = 16 * (Int(dots[dot].i) - Int(dots[dot].j)) - meanC
      let r = 16 * (Int(dots[dot].i) + Int(dots[dot].j)) - meanR
      let (x, y) = (Int(dots[dot].x) - meanX, Int(dots[dot].y) - meanY)
      (cc, cr, rr) = (cc + c * c, cr + c * r, rr + r * r)
      (cx, cy, rx, ry) = (cx + c * x, cy + c * y, rx + r * x, ry + r * y)
    }
    // Means instead of sums leave room for the products.
    (cc, cr, rr, cx, cy, rx, ry) = (cc / n, cr / n, rr / n, cx / n, cy / n, rx / n, ry / n)
    let determinant = cc * rr - cr * cr
    guard determinant > 0 else { return nil }
    // Per sixteenth of a column or row, in 1/65536 pixels.
    func solved(_ first: Int, _ second: Int, _ a: Int, _ b: Int) -> Int { (first * a - second * b) * 256 / determinant }
    let (ax, ay) = (solved(cx, rx, rr, cr), solved(cy, ry, rr, cr))
    let (bx, by) = (solved(rx, cx, cc, cr), solved(ry, cy, cc, cr))
    func place(_ column: Int, _ row: Int) -> SubpixelPoint {
      let (c, r) = (16 * column - meanC, 16 * row - meanR)
      return SubpixelPoint(x: meanX + (ax * c + bx * r) / 256, y: meanY + (ay * c + by * r) / 256)
    }
    return DotGrid(
      columns: columns, rows: rows,
      quad: SubpixelQuad(
        topLeft: place(left, top), topRight: place(right, top), bottomRight: place(right, bottom),
        bottomLeft: place(left, bottom)))
  }

  /// The index of the dots by their place.
  @safe private struct DotCells {
    let index: ScratchArray<Int16>
    let columns: Int
    let rows: Int

    /// The nearest dot within a distance, all in 1/256 pixels.
    func nearest(_ x: Int, _ y: Int, within slack: Int, _ dots: ScratchArray<Dot>) -> Int? {
      let side = DotCodeLattice.cell * 256
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
}
