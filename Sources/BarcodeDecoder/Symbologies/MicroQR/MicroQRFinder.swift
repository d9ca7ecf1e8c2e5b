// Locates a Micro QR symbol around a finder pattern. The pattern alone gives four corners seven modules apart, fitted to
// crossings all around it. The timing patterns on two of its sides then give the symbol's orientation, its number of
// modules, and their shrinking with distance.

import BarcodeTypes

/// A side of the finder, and the timing pattern beyond it.
struct MicroQRSide: BitwiseCopyable {
  /// How well modules alternate, for each version: 1000 if perfectly, about 0 by chance.
  var scores: [4 of Int32] = .init(repeating: Int32.min)
  /// The shrinking of the modules, for each version: the factor of a module coordinate in the divisor, in 1/65536.
  var shrinks: [4 of Int32] = .init(repeating: 0)
}

/// A possible place of a symbol.
struct MicroQRPlace: BitwiseCopyable {
  var version: Int
  /// The corner of the finder that is also the symbol's corner.
  var corner: Int
  var shrinkAcross: Int
  var shrinkDown: Int
  var score: Int
}

/// Measures the surroundings of a finder pattern.
@safe struct MicroQRFinder {
  /// Number of directions, in half a turn, in which the pattern's outline is searched.
  private static let lineCount = 24
  /// Least number of crossings, of twice as many as there are directions.
  private static let crossingCountMin = 24
  /// The greatest shrinking of modules tried, and the step: half a module over a symbol of 17.
  private static let shrinkMax = 1400
  private static let shrinkStep = 100
  /// Module coordinates of a timing pattern that are examined: from before its start to past the end of M4.
  private static let firstModule = 6
  private static let lastModule = 18

  private let points: ScratchArray<SubpixelPoint>

  init(arena: inout Arena) throws(ArenaFull) {
    points = try ScratchArray(2 * MicroQRFinder.lineCount, arena: &arena)
  }

  // MARK: Outline

  /// The outer corners of a finder pattern in order around it; nil if it does not have four straight sides.
  func outline(_ finder: FinderPattern, _ view: LumaView, level: Int) -> SubpixelQuad? {
    let count = findCrossings(finder, view, level: level)
    guard count >= MicroQRFinder.crossingCountMin else { return nil }
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
  private func findCrossings(_ finder: FinderPattern, _ view: LumaView, level: Int) -> Int {
    var count = 0
    for line in 0..<(2 * MicroQRFinder.lineCount) {
      let angle = BinaryAngle(bits: UInt16(truncatingIfNeeded: line * 32768 / MicroQRFinder.lineCount))
      // Half a pixel.
      let step = SubpixelPoint(x: Int(angle.cosine.bits) >> (9 - level), y: Int(angle.sine.bits) >> (9 - level))
      guard let distance = finderEdge(finder, step: step, view, level: level) else { continue }
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
    var n = 0
    var sumT = 0
    var sumD = 0
    var sumTT = 0
    var sumTD = 0
    for index in 0..<count {
      let wx = points[index].x - a.x
      let wy = points[index].y - a.y
      // Along the side in 1/1024 of it, and away from it in 1/256 pixels.
      let t = (wx * ex + wy * ey) / side * 1024 / side
      let d = (ex * wy - ey * wx) / side
      // Exclude a tenth of the side near each corner, and crossings a seventh (one module) away from the line.
      guard t > 100, t < 924, abs(d) * 7 < side else { continue }
      n += 1
      sumT += t
      sumD += d
      sumTT += t * t
      sumTD += t * d
    }
    let spread = n * sumTT - sumT * sumT
    guard n >= 3, spread > 0 else { return nil }
    let slope = (n * sumTD - sumT * sumD) * 1024 / spread
    let first = (sumD - slope * sumT / 1024) / n
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

  // MARK: Timing patterns

  /// Finds the likeliest places of a symbol around a finder's outline, the best first. Returns their number.
  func places(
    _ outline: SubpixelQuad, _ finder: FinderPattern, _ contrast: Int, _ view: LumaView, level: Int,
    into places: inout [3 of MicroQRPlace]
  ) -> Int {
    // For each side, the timing pattern that continues it beyond its end, adjacent to the corner where the side starts.
    var forward: [4 of MicroQRSide] = .init(repeating: MicroQRSide())
    var backward: [4 of MicroQRSide] = .init(repeating: MicroQRSide())
    for corner in 0..<4 {
      let here = outline[corner]
      let next = outline[(corner + 1) & 3]
      let last = outline[(corner + 3) & 3]
      forward[corner] = measureSide(here, along: next, beside: last, finder, contrast, view, level: level)
      backward[corner] = measureSide(here, along: last, beside: next, finder, contrast, view, level: level)
    }
    var count = 0
    for corner in 0..<4 {
      for version in 1...4 {
        let across = Int(forward[corner].scores[version - 1])
        let down = Int(backward[corner].scores[version - 1])
        // The worse of the two counts double: both must exist.
        guard min(across, down) >= MicroQRFinder.scoreMin else { continue }
        let score = across + down + min(across, down)
        var place = min(count, 2)
        if count == 3, places[2].score >= score { continue }
        while place > 0, places[place - 1].score < score {
          places[place] = places[place - 1]
          place -= 1
        }
        places[place] = MicroQRPlace(
          version: version, corner: corner, shrinkAcross: Int(forward[corner].shrinks[version - 1]),
          shrinkDown: Int(backward[corner].shrinks[version - 1]), score: score)
        count = min(3, count + 1)
      }
    }
    return count
  }

  /// Least score of a timing pattern. Drawn symbols with a blur of 0.6 modules have 250 or more.
  private static let scoreMin = 150

  /// The difference between the ring and the core, each measured in its middle.
  func ringContrast(_ outline: SubpixelQuad, _ finder: FinderPattern, _ view: LumaView, level: Int) -> Int {
    guard let grid = ModuleGrid(columns: 7, rows: 7, quad: outline, inset: 0) else { return 0 }
    let core = sample(view, level: level, grid.flatPlace(7 * 128, 7 * 128))
    let ring =
      sample(view, level: level, grid.flatPlace(384, 7 * 128)) + sample(view, level: level, grid.flatPlace(7 * 128, 384))
      + sample(view, level: level, grid.flatPlace(11 * 128, 7 * 128))
      + sample(view, level: level, grid.flatPlace(7 * 128, 11 * 128))
    return (ring / 4 - core) * (finder.isInverted ? -1 : 1)
  }

  /// Measures a timing pattern that starts at `corner` and runs past `along`, in the first row of modules towards `beside`.
  private func measureSide(
    _ corner: SubpixelPoint, along: SubpixelPoint, beside: SubpixelPoint, _ finder: FinderPattern, _ contrast: Int,
    _ view: LumaView, level: Int
  ) -> MicroQRSide {
    let start = SubpixelPoint(x: corner.x + (beside.x - corner.x) / 14, y: corner.y + (beside.y - corner.y) / 14)
    let sign = finder.isInverted ? -1 : 1
    let first = MicroQRFinder.firstModule
    var side = MicroQRSide()
    var values: [13 of Int32] = .init(repeating: 0)
    // From no shrinking on, alternately growing and shrinking: of equally good ones, the least is right.
    for trial in 0...(2 * MicroQRFinder.shrinkMax / MicroQRFinder.shrinkStep) {
      let shrink = (trial + 1) / 2 * (trial & 1 == 0 ? MicroQRFinder.shrinkStep : -MicroQRFinder.shrinkStep)
      // The finder's own side is seven modules regardless of the shrinking.
      let gain = 65536 + 7 * shrink
      for module in first...MicroQRFinder.lastModule {
        let u = 2 * module + 1
        let divisor = 65536 * 2 + u * shrink
        let place = SubpixelPoint(
          x: start.x + (along.x - corner.x) * u * gain / (7 * divisor),
          y: start.y + (along.y - corner.y) * u * gain / (7 * divisor))
        values[module - first] = Int32(sample(view, level: level, place) * sign)
      }
      var sum: Int32 = 0
      var module = 8
      for version in 1...4 {
        let size = MicroQRFormat.size(version: version)
        while module < size {
          let index = module - first
          let difference = 2 * values[index] - values[index - 1] - values[index + 1]
          sum += module & 1 == 0 ? -difference : difference
          module += 1
        }
        // A quiet zone of two modules follows: its second module is as light as the first.
        let index = size - first
        let falling = min(0, values[index + 1] - values[index]) * 2
        let score = (sum + falling) * 500 / (Int32(contrast) * Int32(size - 8))
        if score > side.scores[version - 1] {
          side.scores[version - 1] = score
          side.shrinks[version - 1] = Int32(shrink)
        }
      }
    }
    return side
  }

  /// The symbol's own corners, for a finder's outline and a place.
  func symbolQuad(_ outline: SubpixelQuad, _ place: MicroQRPlace) -> SubpixelQuad {
    let corner = outline[place.corner]
    let right = outline[(place.corner + 1) & 3]
    let below = outline[(place.corner + 3) & 3]
    let size = MicroQRFormat.size(version: place.version)
    let one = 65536
    let across = one + 7 * place.shrinkAcross
    let down = one + 7 * place.shrinkDown
    let acrossX = (right.x - corner.x) * across * size / 7
    let acrossY = (right.y - corner.y) * across * size / 7
    let downX = (below.x - corner.x) * down * size / 7
    let downY = (below.y - corner.y) * down * size / 7
    let farRight = one + size * place.shrinkAcross
    let farBelow = one + size * place.shrinkDown
    let far = max(one / 4, one + size * (place.shrinkAcross + place.shrinkDown))
    return SubpixelQuad(
      topLeft: corner, topRight: SubpixelPoint(x: corner.x + acrossX / farRight, y: corner.y + acrossY / farRight),
      bottomRight: SubpixelPoint(x: corner.x + (acrossX + downX) / far, y: corner.y + (acrossY + downY) / far),
      bottomLeft: SubpixelPoint(x: corner.x + downX / farBelow, y: corner.y + downY / farBelow))
  }
}
