// The bullseye and its measurement: concentric squares, alternately dark and light, each a module wide, so that every
// straight line through the centre crosses runs of equal width (ISO/IEC 24778 §7.3.4). A line that misses the dark module at
// the centre, or a picture where blur has removed it, shows a light run of three modules instead. Therefore only the rings
// around it are measured.

import BarcodeTypes

/// The crossings of a line with the rings of a bullseye, measured from a start near its centre.
struct BullseyeSection: BitwiseCopyable {
  /// The place of the centre, in 1/256 steps from the start.
  var middle: Int
  /// The width of a run, in 1/256 steps.
  var module: Int
  /// The deviation of the crossings from their expected places, in 1/256 steps, plus a quarter of the distance to the start.
  var misfit: Int
}

/// The crossings of a line with a threshold, on both sides of a start.
struct BullseyeLine {
  /// The most crossings on each side: from a ring next to the centre there are five on one side.
  private static let sideCountMax = 5

  /// Places in 1/256 steps from the start, ascending.
  private var places: [10 of Int32] = .init(repeating: 0)
  private var count = 0
  /// Number of crossings before the start.
  private var countBefore = 0
  private var isStartDark = false

  /// Walks along a line of whole pixels.
  ///
  /// - Parameters:
  ///   - walk: from a start inside the picture.
  ///   - runMax: the most steps from crossing to crossing.
  init(_ view: LumaView, _ walk: PixelWalk, _ threshold: Threshold, runMax: Int) {
    var backward: [5 of Int32] = .init(repeating: 0)
    for side in 0..<2 {
      let line = PixelLine(view, side == 0 ? walk.reversed : walk, threshold)
      isStartDark = line.value(0) < 0
      var step = 0
      var found = 0
      while found < BullseyeLine.sideCountMax, let next = line.change(after: step, within: runMax) {
        let place = Int32(truncatingIfNeeded: line.crossing(before: next))
        if side == 0 { backward[found] = -place } else { places[countBefore + found] = place }
        found += 1
        step = next
      }
      if side == 0 {
        countBefore = found
        for index in 0..<found { places[index] = backward[found - 1 - index] }
      }
      count += found
    }
  }

  /// The bullseye's centre on the line, where the crossings fit best near the start; nil if they do not fit a bullseye.
  func section() -> BullseyeSection? {
    var best: BullseyeSection?
    for first in 0..<max(0, count - 5) {
      // The run after crossing i has the start's colour if i + 1 - countBefore is even: light in the middle of six
      // crossings, and before the dark module in the middle of eight.
      let isDark = ((first + 3 - countBefore) & 1 == 0) == isStartDark
      if isDark { continue }
      if let section = rings(first, first + 3), best == nil || section.misfit < best!.misfit { best = section }
      if first + 7 < count, let section = rings(first, first + 5), best == nil || section.misfit < best!.misfit {
        best = section
      }
    }
    return best
  }

  /// Measures the outer two rings before the centre, with crossings from `first` on, and after it, from `second` on. The
  /// crossings of the dark module between them, if the line meets it, may be anywhere, as the line may cut its corner.
  private func rings(_ first: Int, _ second: Int) -> BullseyeSection? {
    let twelve = place(second + 2) - place(first) + place(second + 1) - place(first + 1)
    let slack = BullseyeLine.slack(twelve)
    let firstRing = abs((place(first + 2) - place(first)) * 6 - twelve) / 6
    let secondRing = abs((place(second + 2) - place(second)) * 6 - twelve) / 6
    let firstAcross = abs((place(second) - place(first + 1)) * 3 - twelve) / 3
    let secondAcross = abs((place(second + 1) - place(first + 2)) * 3 - twelve) / 3
    guard firstRing <= slack, secondRing <= slack, firstAcross <= slack, secondAcross <= slack else { return nil }
    let middle = (place(first) + place(first + 1) + place(second + 1) + place(second + 2)) / 4
    // If many runs are alike, as in full bullseyes, the nearest centre is the likeliest.
    let misfit = firstRing + secondRing + firstAcross + secondAcross + abs(middle) / 4
    return BullseyeSection(middle: middle, module: twelve / 12, misfit: misfit)
  }

  @inline(__always) private func place(_ index: Int) -> Int { Int(places[index]) }

  /// The tolerance for the distance of like edges: half a module, or a pixel for the smallest bullseyes.
  private static func slack(_ twelve: Int) -> Int { max(twelve / 24, min(twelve / 12, 256)) }
}

/// The plane of a bullseye: its centre and the vectors from module to module, derived from its outline, a parallelogram. The
/// outline's second moments determine the plane up to a rotation, and the fourth harmonic of its radius gives that rotation.
/// Both use the whole outline, which limits the effect of noise and of corners rounded by blur.
struct BullseyePlane {
  /// The centre in 1/256 pixels at full size.
  var center: SubpixelPoint
  /// The vectors from a module to the next, across and down, in 1/65536 pixels at full size.
  var acrossX: Int, acrossY: Int
  var downX: Int, downY: Int

  /// Nil if the rings around the place are not those of a bullseye.
  ///
  /// - Parameter comparesRings: whether to compare each place with those a ring nearer and a ring farther, instead of a common
  ///   threshold: blur leaves narrow rings on one side of any threshold.
  init?(_ bullseye: FinderPattern, _ sight: Sight, comparesRings: Bool = false) {
    // Rays in steps of half a pixel; the outline as vectors from the centre in 1/256 pixels of the level.
    let unit = 128 << sight.level
    let reach = max(10, (max(bullseye.moduleX, bullseye.moduleY) * 16) >> (8 + sight.level))
    var rays = BullseyeRays(bullseye, sight, unit: unit, reach: reach, comparesRings: comparesRings)
    var moments = OutlineMoments()
    for round in 0..<3 {
      guard let outline = rays.outline() else { return nil }
      moments = OutlineMoments(outline)
      if round == 2 { break }
      rays.center.x += (moments.shift.x * unit) >> 8
      rays.center.y += (moments.shift.y * unit) >> 8
    }
    center = rays.center
    // Rays at equal angles in the square's own plane; a step is a twelfth of half a side.
    guard let (l11, l21, l22) = moments.square else { return nil }
    (rays.xX, rays.xY, rays.yX, rays.yY) = (l11 * unit / 12, l21 * unit / 12, 0, l22 * unit / 12)
    rays.reach = 28
    (rays.ringX, rays.ringY) = (4 * 256, 4 * 256)
    guard let outline = rays.outline() else { return nil }
    var real = 0
    var imaginary = 0
    for ray in 0..<BullseyeRays.count {
      // Four times the angle of the ray.
      let (cosine, sine) = BullseyeRays.direction((4 * ray) % BullseyeRays.count)
      real -= (outline[ray] * cosine) >> 16
      imaginary -= (outline[ray] * sine) >> 16
    }
    let turn = BinaryAngle(bits: BinaryAngle(x: real, y: imaginary).bits / 4)
    let (cosine, sine) = (Int(turn.cosine.bits), Int(turn.sine.bits))
    // Half a side is three modules, or 12 steps.
    acrossX = (rays.xX * 4 * cosine) >> 16
    acrossY = ((rays.xY * cosine + rays.yY * sine) * 4) >> 16
    downX = -((rays.xX * 4 * sine) >> 16)
    downY = ((rays.yY * cosine - rays.xY * sine) * 4) >> 16
  }

  /// The place of an offset from the centre, in 1/256 modules.
  func place(_ x: Int, _ y: Int) -> SubpixelPoint {
    SubpixelPoint(x: center.x + (acrossX * x + downX * y) >> 16, y: center.y + (acrossY * x + downY * y) >> 16)
  }

  /// A grid of `size` × `size` modules around the centre.
  func grid(size: Int, inset: Int) -> ModuleGrid? {
    let half = size * 128 - inset
    return ModuleGrid(
      columns: size, rows: size,
      quad: SubpixelQuad(
        topLeft: place(-half, -half), topRight: place(half, -half), bottomRight: place(half, half),
        bottomLeft: place(-half, half)), inset: inset)
  }
}

/// The moments of an outline given by its radii in equal steps of the angle.
private struct OutlineMoments {
  private var area = 0
  private var xx = 0
  private var yy = 0
  private var xy = 0
  /// The centroid, relative to the centre of the rays: Σ r³e / 3 over Σ r² / 2.
  private(set) var shift = SubpixelPoint(x: 0, y: 0)

  init() {}

  init(_ radii: [32 of Int]) {
    var momentX = 0
    var momentY = 0
    for ray in radii.indices {
      let radius = radii[ray]
      let (cosine, sine) = BullseyeRays.direction(ray)
      let square = radius * radius
      let x = (radius * cosine) >> 16
      let y = (radius * sine) >> 16
      area += square
      momentX += square * x
      momentY += square * y
      xx += (square >> 8) * ((x * x) >> 8)
      yy += (square >> 8) * ((y * y) >> 8)
      xy += (square >> 8) * ((x * y) >> 8)
    }
    shift = SubpixelPoint(x: momentX * 2 / (3 * area), y: momentY * 2 / (3 * area))
  }

  /// The Cholesky decomposition of the second moments, L, which maps a rotated square to the outline, in 1/256 radii; nil if the
  /// outline is too flat. ∫xx = area · (a·a + b·b) / 3 for half sides a and b: 3/4 Σ r⁴cc over Σ r² / 2.
  var square: (l11: Int, l21: Int, l22: Int)? {
    let sumXX = (xx << 16) / area * 3 / 2
    let sumYY = (yy << 16) / area * 3 / 2
    let sumXY = (xy << 16) / area * 3 / 2
    let l11 = Int(integerRoot(UInt64(max(1, sumXX))))
    let l21 = sumXY / max(1, l11)
    let l22 = Int(integerRoot(UInt64(max(1, sumYY - l21 * l21))))
    guard l11 > 0, l22 > 0, l22 < 16 * l11, l11 < 16 * l22 else { return nil }
    return (l11, l21, l22)
  }
}

/// Rays from the centre of a bullseye, which measure its outline, three modules away.
private struct BullseyeRays {
  static let count = 32

  private let sight: Sight
  private let threshold: Int
  private let sign: Int
  /// In 1/256 pixels at full size.
  var center: SubpixelPoint
  /// The steps of the rays along x and y, in 1/65536 pixels at full size.
  var xX: Int, xY: Int
  var yX: Int, yY: Int
  /// The most steps.
  var reach: Int
  /// The width of a ring on rays along x and y, in 1/256 steps.
  var ringX: Int, ringY: Int
  private let comparesRings: Bool

  /// - Parameter unit: one step in 1/256 pixels at full size.
  init(_ bullseye: FinderPattern, _ sight: Sight, unit: Int, reach: Int, comparesRings: Bool) {
    self.comparesRings = comparesRings
    (ringX, ringY) = (bullseye.moduleX * 256 / unit, bullseye.moduleY * 256 / unit)
    self.sight = sight
    threshold = bullseye.threshold
    sign = bullseye.isInverted ? -1 : 1
    center = bullseye.center
    (xX, xY, yX, yY) = (unit << 8, 0, 0, unit << 8)
    self.reach = reach
  }

  static func direction(_ ray: Int) -> (cosine: Int, sine: Int) {
    let angle = BinaryAngle(bits: UInt16(ray * 65536 / count))
    return (Int(angle.cosine.bits), Int(angle.sine.bits))
  }

  /// The outline between the second and the third ring around the centre, in 1/256 steps along each ray; nil if a quarter of the
  /// rays do not meet it.
  func outline() -> [32 of Int]? {
    var radii: [32 of Int] = .init(repeating: 0)
    var missing = 0
    for ray in 0..<BullseyeRays.count {
      if let radius = radius(ray) {
        radii[ray] = radius
      } else {
        missing += 1
        if missing > BullseyeRays.count / 4 { return nil }
      }
    }
    guard missing > 0 else { return radii }
    // A ray without an outline uses that of the opposite ray or the previous one.
    for _ in 0..<2 {
      for ray in 0..<BullseyeRays.count where radii[ray] == 0 {
        let opposite = radii[(ray + BullseyeRays.count / 2) % BullseyeRays.count]
        radii[ray] = opposite != 0 ? opposite : radii[(ray + BullseyeRays.count - 1) % BullseyeRays.count]
      }
    }
    for ray in 0..<BullseyeRays.count where radii[ray] == 0 { return nil }
    return radii
  }

  /// The place at a distance along a ray, in 1/256 steps.
  @inline(__always) private func place(_ stepX: Int, _ stepY: Int, _ distance: Int) -> SubpixelPoint {
    SubpixelPoint(x: center.x + (stepX * distance) >> 16, y: center.y + (stepY * distance) >> 16)
  }

  /// The mean of the crossings at two and a half and three and a half modules, in 1/256 steps; nil if there are no such
  /// crossings.
  private func radius(_ ray: Int) -> Int? {
    let (cosine, sine) = BullseyeRays.direction(ray)
    let stepX = (xX * cosine + yX * sine) >> 16
    let stepY = (xY * cosine + yY * sine) >> 16
    let ring = (ringX * abs(cosine) * abs(cosine) + ringY * abs(sine) * abs(sine)) >> 32
    let value = { (step: Int) -> Int in
      let here = sight.sample(place(stepX, stepY, step * 256))
      guard comparesRings else { return (here - threshold) * sign }
      return
        (2 * here - sight.sample(place(stepX, stepY, step * 256 - ring))
        - sight.sample(place(stepX, stepY, step * 256 + ring))) * sign
    }
    var crossings: [4 of Int] = .init(repeating: 0)
    var found = 0
    var last = value(0)
    // If blur has lost the dark centre, the first crossing is the one at one and a half modules.
    let isSolid = last < 0
    let wanted = isSolid ? 4 : 3
    for step in 1...reach {
      let next = value(step)
      if (next < 0) != (last < 0) {
        crossings[found] = (step - 1) * 256 + 256 * last / (last - next)
        found += 1
        if found == wanted { break }
      }
      last = next
    }
    if found < wanted { return nil }
    // The next crossing inwards is at one and a half modules.
    let (half, inner, outer) = (crossings[wanted - 3], crossings[wanted - 2], crossings[wanted - 1])
    let radius = (inner + outer) / 2
    guard abs(outer - half - radius * 2 / 3) <= radius / 3, abs(half * 2 - radius) <= radius / 2,
      !isSolid || crossings[0] * 2 < radius
    else { return nil }
    return radius
  }
}
