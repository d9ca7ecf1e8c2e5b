// The outline of a single finder pattern: four corners seven modules apart, fitted to crossings all around it.

import BarcodeTypes

/// Measures the outlines of finder patterns.
@safe struct FinderOutline {
  /// Number of directions, in half a turn, in which the pattern's outline is searched.
  private static let lineCount = 24
  /// Least number of crossings, of twice as many as there are directions.
  private static let crossingCountMin = 24

  private let points: ScratchArray<SubpixelPoint>

  init(arena: inout Arena) throws(ArenaFull) {
    points = try ScratchArray(2 * FinderOutline.lineCount, arena: &arena)
  }

  /// The outer corners of a finder pattern in order around it; nil if it does not have four straight sides.
  func measure(_ finder: FinderPattern, _ sight: Sight) -> SubpixelQuad? {
    let count = findCrossings(finder, sight)
    guard count >= FinderOutline.crossingCountMin else { return nil }
    let a = farthest(count, from: finder.center)
    let c = farthest(count, from: a)
    let (b, d) = farthestBeside(count, a, c)
    var quad = SubpixelQuad(topLeft: a, topRight: b, bottomRight: c, bottomLeft: d)
    // The sides of a finder are at least a third as long as the others.
    let extent = distance(a, c)
    for index in 0..<4 where distance(quad[index], quad[(index + 1) & 3]) * 4 < extent { return nil }
    // Twice: the corners of the first round are only crossings themselves.
    for _ in 0..<2 {
      guard let fitted = fitted(quad, count) else { return nil }
      quad = fitted
    }
    return quad
  }

  /// Finds the places where lines from the centre leave the pattern. Returns their number.
  private func findCrossings(_ finder: FinderPattern, _ sight: Sight) -> Int {
    var count = 0
    for line in 0..<(2 * FinderOutline.lineCount) {
      let angle = BinaryAngle(bits: UInt16(truncatingIfNeeded: line * 32768 / FinderOutline.lineCount))
      // Half a pixel.
      let step = SubpixelPoint(x: Int(angle.cosine.bits) >> (9 - sight.level), y: Int(angle.sine.bits) >> (9 - sight.level))
      guard let distance = finderEdge(finder, step: step, sight) else { continue }
      points[count] = SubpixelPoint(
        x: finder.center.x + (step.x * distance) >> 8, y: finder.center.y + (step.y * distance) >> 8)
      count += 1
    }
    return count
  }

  private func farthest(_ count: Int, from place: SubpixelPoint) -> SubpixelPoint {
    var best = points[0]
    var greatest = -1
    for index in 0..<count {
      let dx = points[index].x - place.x
      let dy = points[index].y - place.y
      if dx * dx + dy * dy > greatest {
        greatest = dx * dx + dy * dy
        best = points[index]
      }
    }
    return best
  }

  /// The crossings farthest from the line from a to c, on its left (as seen with y downwards) and on its right.
  private func farthestBeside(_ count: Int, _ a: SubpixelPoint, _ c: SubpixelPoint) -> (SubpixelPoint, SubpixelPoint) {
    var left = a
    var right = a
    var least = 0
    var greatest = 0
    for index in 0..<count {
      let cross = (c.x - a.x) * (points[index].y - a.y) - (c.y - a.y) * (points[index].x - a.x)
      if cross < least {
        least = cross
        left = points[index]
      }
      if cross > greatest {
        greatest = cross
        right = points[index]
      }
    }
    return (left, right)
  }

  /// The quadrilateral of the straight lines fitted to the crossings along each side.
  private func fitted(_ quad: SubpixelQuad, _ count: Int) -> SubpixelQuad? {
    var starts = quad
    var ends = quad
    for side in 0..<4 {
      guard let line = fittedSide(quad[side], quad[(side + 1) & 3], count) else { return nil }
      starts[side] = line.0
      ends[side] = line.1
    }
    var result = quad
    for side in 0..<4 {
      let before = (side + 3) & 3
      guard let place = crossing(starts[before], ends[before], starts[side], ends[side]) else { return nil }
      result[side] = place
    }
    return result
  }

  /// The line fitted to the crossings between two corners, given by two points near the corners. Crossings near the corners,
  /// or far from the line between them, do not count.
  private func fittedSide(_ a: SubpixelPoint, _ b: SubpixelPoint, _ count: Int) -> (SubpixelPoint, SubpixelPoint)? {
    let ex = b.x - a.x
    let ey = b.y - a.y
    let side = distance(a, b)
    guard side > 64 else { return nil }
    var fit = LineFit()
    for index in 0..<count {
      let wx = points[index].x - a.x
      let wy = points[index].y - a.y
      // Along the side in 1/1024 of it, and away from it in 1/256 pixels.
      let t = (wx * ex + wy * ey) / side * 1024 / side
      let d = (ex * wy - ey * wx) / side
      // Exclude a tenth of the side near each corner, and crossings a seventh (one module) away from the line.
      if t > 100, t < 924, abs(d) * 7 < side { fit.add(t, d) }
    }
    guard fit.count >= 3, fit.slope.divisor > 0 else { return nil }
    let slope = fit.slope.dividend * 1024 / fit.slope.divisor
    let first = (fit.sumY - slope * fit.sumX / 1024) / fit.count
    let last = first + slope
    return (
      SubpixelPoint(x: a.x - ey * first / side, y: a.y + ex * first / side),
      SubpixelPoint(x: b.x - ey * last / side, y: b.y + ex * last / side)
    )
  }

  /// The intersection of the lines through a, b and c, d.
  private func crossing(_ a: SubpixelPoint, _ b: SubpixelPoint, _ c: SubpixelPoint, _ d: SubpixelPoint) -> SubpixelPoint? {
    let ux = b.x - a.x
    let uy = b.y - a.y
    let vx = d.x - c.x
    let vy = d.y - c.y
    let cross = ux * vy - uy * vx
    // The sides of a finder meet at more than some 15 degrees.
    guard abs(cross) * 4 > distance(a, b) * distance(c, d) else { return nil }
    let part = ((c.x - a.x) * vy - (c.y - a.y) * vx) * 256 / cross
    return SubpixelPoint(x: a.x + ux * part / 256, y: a.y + uy * part / 256)
  }

  /// The difference between the ring and the core, each measured in its middle.
  func ringContrast(_ outline: SubpixelQuad, _ sight: Sight) -> Int {
    guard let grid = ModuleGrid(columns: 7, rows: 7, quad: outline, inset: 0) else { return 0 }
    let core = sight.sample(grid.flatPlace(7 * 128, 7 * 128))
    let ring =
      sight.sample(grid.flatPlace(384, 7 * 128)) + sight.sample(grid.flatPlace(7 * 128, 384))
      + sight.sample(grid.flatPlace(11 * 128, 7 * 128))
      + sight.sample(grid.flatPlace(7 * 128, 11 * 128))
    return (ring / 4 - core) * (sight.isInverted ? -1 : 1)
  }
}
