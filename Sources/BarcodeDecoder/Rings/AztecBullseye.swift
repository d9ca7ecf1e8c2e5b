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
  ///   - view: the picture.
  ///   - x, y: the start, inside the picture.
  ///   - dx, dy: one step: -1, 0 or 1 each, not both 0.
  ///   - runMax: the most steps from crossing to crossing.
  init(_ view: LumaView, x: Int, y: Int, dx: Int, dy: Int, threshold: Int, isInverted: Bool, runMax: Int) {
    var backward: [5 of Int32] = .init(repeating: 0)
    for side in 0..<2 {
      let line = PixelLine(
        view, x: x, y: y, dx: side == 0 ? -dx : dx, dy: side == 0 ? -dy : dy, threshold: threshold, isInverted: isInverted)
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

  private static let rayCount = 32

  /// The outline, three modules from the centre, in 1/256 steps along each ray.
  private struct Outline {
    var radii: [32 of Int] = .init(repeating: 0)
  }

  /// Nil if the rings around the place are not those of a bullseye.
  init?(_ bullseye: FinderPattern, _ view: LumaView, level: Int) {
    center = bullseye.center
    acrossX = 0
    acrossY = 0
    downX = 0
    downY = 0
    // Rays in steps of half a pixel; the outline as vectors from the centre in 1/256 pixels of the level.
    let reach = max(10, (max(bullseye.moduleX, bullseye.moduleY) * 16) >> (8 + level))
    let unit = 128 << level
    var xx = 0
    var yy = 0
    var xy = 0
    var area = 0
    for round in 0..<3 {
      guard
        let outline = BullseyePlane.cast(
          bullseye, view, level: level, center: center, xX: unit << 8, xY: 0, yX: 0, yY: unit << 8, reach: reach)
      else { return nil }
      var momentX = 0
      var momentY = 0
      area = 0
      xx = 0
      yy = 0
      xy = 0
      for ray in 0..<BullseyePlane.rayCount {
        let radius = outline.radii[ray]
        let (cosine, sine) = BullseyePlane.direction(ray)
        let square = radius * radius
        area += square
        momentX += square * ((radius * cosine) >> 16)
        momentY += square * ((radius * sine) >> 16)
        let x = (radius * cosine) >> 16
        let y = (radius * sine) >> 16
        xx += (square >> 8) * ((x * x) >> 8)
        yy += (square >> 8) * ((y * y) >> 8)
        xy += (square >> 8) * ((x * y) >> 8)
      }
      if round == 2 { break }
      // The centroid is at Σ r³e / 3 over Σ r² / 2; a radius of 256 is one unit.
      let shiftX = momentX * 2 / (3 * area)
      let shiftY = momentY * 2 / (3 * area)
      center.x += (shiftX * unit) >> 8
      center.y += (shiftY * unit) >> 8
    }
    // ∫xx = area · (a·a + b·b) / 3 for half sides a and b: 3/4 Σ r⁴cc over Σ r² / 2.
    let sumXX = (xx << 16) / area * 3 / 2
    let sumYY = (yy << 16) / area * 3 / 2
    let sumXY = (xy << 16) / area * 3 / 2
    // Cholesky decomposition: L maps a rotated square to the outline. Entries in 1/256 radii.
    let l11 = Int(integerRoot(UInt64(max(1, sumXX))))
    let l21 = sumXY / max(1, l11)
    let l22 = Int(integerRoot(UInt64(max(1, sumYY - l21 * l21))))
    guard l11 > 0, l22 > 0, l22 < 16 * l11, l11 < 16 * l22 else { return nil }
    // Rays at equal angles in the square's own plane, in 1/65536 pixels at full size; a step is a twelfth of half a side.
    let xX = l11 * unit / 12
    let xY = l21 * unit / 12
    let yY = l22 * unit / 12
    guard
      let outline = BullseyePlane.cast(
        bullseye, view, level: level, center: center, xX: xX, xY: xY, yX: 0, yY: yY, reach: 28)
    else { return nil }
    var real = 0
    var imaginary = 0
    for ray in 0..<BullseyePlane.rayCount {
      // Four times the angle of the ray.
      let (cosine, sine) = BullseyePlane.direction((4 * ray) % BullseyePlane.rayCount)
      real -= (outline.radii[ray] * cosine) >> 16
      imaginary -= (outline.radii[ray] * sine) >> 16
    }
    let turn = BinaryAngle(bits: BinaryAngle(x: real, y: imaginary).bits / 4)
    let cosine = Int(turn.cosine.bits)
    let sine = Int(turn.sine.bits)
    // Half a side is three modules, or 12 steps.
    acrossX = (xX * 4 * cosine) >> 16
    acrossY = ((xY * cosine + yY * sine) * 4) >> 16
    downX = -((xX * 4 * sine) >> 16)
    downY = ((yY * cosine - xY * sine) * 4) >> 16
  }

  private static func direction(_ ray: Int) -> (cosine: Int, sine: Int) {
    let angle = BinaryAngle(bits: UInt16(ray * 65536 / rayCount))
    return (Int(angle.cosine.bits), Int(angle.sine.bits))
  }

  /// Measures the outline between the second and the third ring around the centre.
  ///
  /// - Parameters:
  ///   - xX, xY, yX, yY: the steps of rays along x and y, in 1/65536 pixels at full size.
  ///   - reach: the most steps.
  private static func cast(
    _ bullseye: FinderPattern, _ view: LumaView, level: Int, center: SubpixelPoint, xX: Int, xY: Int, yX: Int, yY: Int,
    reach: Int
  ) -> Outline? {
    var outline = Outline()
    var missing = 0
    for ray in 0..<rayCount {
      let (cosine, sine) = direction(ray)
      let stepX = (xX * cosine + yX * sine) >> 16
      let stepY = (xY * cosine + yY * sine) >> 16
      if let radius = radius(
        bullseye, view, level: level, center: center, stepX: stepX, stepY: stepY, reach: reach)
      {
        outline.radii[ray] = radius
      } else {
        missing += 1
        if missing > rayCount / 4 { return nil }
      }
    }
    if missing > 0 {
      // A ray without an outline uses that of the opposite ray or the previous one.
      for _ in 0..<2 {
        for ray in 0..<rayCount where outline.radii[ray] == 0 {
          let opposite = outline.radii[(ray + rayCount / 2) % rayCount]
          outline.radii[ray] = opposite != 0 ? opposite : outline.radii[(ray + rayCount - 1) % rayCount]
        }
      }
      for ray in 0..<rayCount where outline.radii[ray] == 0 { return nil }
    }
    return outline
  }

  /// The mean of the crossings at two and a half and three and a half modules, in 1/256 steps; nil if there are no such
  /// crossings.
  private static func radius(
    _ bullseye: FinderPattern, _ view: LumaView, level: Int, center: SubpixelPoint, stepX: Int, stepY: Int, reach: Int
  ) -> Int? {
    let sign = bullseye.isInverted ? -1 : 1
    var crossings: [4 of Int] = .init(repeating: 0)
    var found = 0
    var last = (sample(view, level: level, center) - bullseye.threshold) * sign
    // If blur has lost the dark centre, the first crossing is the one at one and a half modules.
    var wanted = last < 0 ? 4 : 3
    let isSolid = last < 0
    for step in 1...reach {
      let place = SubpixelPoint(x: center.x + (stepX * step) >> 8, y: center.y + (stepY * step) >> 8)
      let value = (sample(view, level: level, place) - bullseye.threshold) * sign
      if (value < 0) != (last < 0) {
        crossings[found] = (step - 1) * 256 + 256 * last / (last - value)
        found += 1
        if found == wanted { break }
      }
      last = value
    }
    if found < wanted { return nil }
    wanted -= 1
    let inner = crossings[wanted - 1]
    let outer = crossings[wanted]
    // The next crossing inwards, at one and a half modules.
    let half = crossings[wanted - 2]
    let radius = (inner + outer) / 2
    guard abs(outer - half - radius * 2 / 3) <= radius / 3, abs(half * 2 - radius) <= radius / 2,
      !isSolid || crossings[0] * 2 < radius
    else { return nil }
    return radius
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
