// Looks for bullseyes in the rows scanned for the finder patterns of QR Code, using the same crossings: a second pass over
// the pixels would cost more than everything else. The crossings of a row are a cheap test with many false positives; each
// hit is measured along the column, the row and the diagonals before it counts.

import BarcodeTypes
import CVector

/// Crossings of a row that may be those of rings: eight around seven equal runs or, if `isHollow`, six around runs of 1, 1, 3, 1
/// and 1, which an inverted finder pattern of QR Code has as well.
struct RingCrossings: BitwiseCopyable {
  let y: Int
  /// The index of the first crossing.
  let first: Int
  let isHollow: Bool
}

/// The bullseyes of a picture, in order of discovery.
@safe struct BullseyeSearch {
  /// The most bullseyes in a picture.
  static let bullseyeCountMax = 256
  /// The least distance between two bullseyes in modules: arcs of several rings can form a false one within two modules of the true
  /// one, and must not hide it.
  private static let reach = 1
  /// Least difference between dark and light of a bullseye, in grey levels.
  private static let contrastMin = 8
  /// Least width of twelve modules, in pixels.
  private static let twelveModulesMin = 14
  /// Greatest ratio between height and width of a bullseye: symbols are read up to a tilt of some 70 degrees.
  private static let aspectMax = 3

  /// The middles of the rings around a light centre, in 1/256 of a module as the search measures it, the first one dark; and the
  /// diameter of the third edge.
  private static let faintRadii: [4 of Int] = [297, 534, 770, 1006]
  private static let faintSecondRing = 1306
  /// Least contrast between neighbouring faint rings, in grey levels.
  private static let faintContrastMin = 3
  /// Least width of faint rings, in 1/256 pixels: noise looks like narrower ones.
  private static let faintModuleMin = 384
  /// The most faint rings that a search adds.
  private static let faintCountMax = 8

  /// Rings around a light centre whose edges do not fit a bullseye's.
  private struct FaintRings: BitwiseCopyable {
    var pattern: FinderPattern
    /// The least contrast between neighbouring rings.
    var contrast: Int
  }

  private(set) var found: FinderPatterns
  /// The best faint rings of a search.
  private let faint: ScratchArray<FaintRings>
  private var faintCount = 0

  init(arena: inout Arena) throws(ArenaFull) {
    faint = try ScratchArray(BullseyeSearch.faintCountMax, arena: &arena)
    found = try FinderPatterns(BullseyeSearch.bullseyeCountMax, reach: BullseyeSearch.reach, arena: &arena)
  }

  /// Adds the bullseyes found in the crossings of a row through the dark module in their middle.
  ///
  /// - Parameters:
  ///   - edges: the crossings of row `y` of the picture.
  ///   - results: the symbols whose rings are not searched again; nil if their places are in another picture.
  mutating func search(
    _ edges: borrowing RowEdges, _ picture: SearchedPicture, y: Int, results: ResultStore?, budget: inout WorkBudget
  ) {
    let count = edges.count &- 7
    guard count > 0 else { return }
    for start in stride(from: 0, to: count, by: 8) {
      let places = unsafe edges.places.base + start
      let p1 = unsafe cvector_load_words(places + 1)
      let p2 = unsafe cvector_load_words(places + 2)
      let p5 = unsafe cvector_load_words(places + 5)
      let p6 = unsafe cvector_load_words(places + 6)
      // From the second outermost crossing on one side to the first beyond the centre are four modules, twice the distance
      // of like edges of a ring. The tolerance is a quarter of that and two pixels. Words overflow only if the crossings are
      // too far apart for a bullseye.
      let ring = unsafe p2 &- cvector_load_words(places)
      let double = ring &* 2
      let slack = double &+ 8
      let isLeft = cvector_within((p5 &- p1 &- double) &* 4, slack)
      let isRight = cvector_within((p6 &- p2 &- double) &* 4, slack)
      // Both runs of a ring have the same width, within a quarter of a module and a pixel.
      let inner = p2 &- p1
      let outer = ring &- inner
      let tolerance = ring &>> 3 &+ 1
      let isInner = cvector_within(p6 &- p5 &- inner, tolerance)
      let isOuter = unsafe cvector_within(cvector_load_words(places + 7) &- p6 &- outer, tolerance)
      var groups = cvector_lane_bytes(isLeft & isRight & isInner & isOuter)
      while groups != 0 {
        let index = start &+ groups.trailingZeroBitCount >> 3
        if index >= count { break }
        check(edges, picture, RingCrossings(y: y, first: index, isHollow: false), results: results, &budget)
        groups &= ~(0xFF << UInt64(8 &* (index &- start)))
      }
    }
  }

  /// Measures the candidate given by some crossings, and adds it.
  mutating func check(
    _ edges: borrowing RowEdges, _ picture: SearchedPicture, _ crossings: RingCrossings, results: ResultStore?,
    _ budget: inout WorkBudget
  ) {
    if picture.isWithoutMean {
      checkFaint(edges, picture, crossings, results: results, &budget)
      return
    }
    guard let sighting = sighting(edges, picture.view, crossings) else { return }
    budget.charge(2)
    if crossesRings(picture.view, sighting) { measure(sighting, picture, results: results, &budget) }
  }

  /// A candidate found in a row's crossings.
  private struct Sighting {
    /// Its place in the picture.
    var x: Int
    var y: Int
    /// Width of twelve modules in pixels.
    var twelve: Int
    /// The most pixels of a run.
    var runMax: Int { twelve * BullseyeSearch.aspectMax / 4 + 2 }
    var threshold: Threshold
  }

  /// The candidate given by some crossings; nil if the runs between them are not those of rings.
  @inline(__always) private func sighting(
    _ edges: borrowing RowEdges, _ view: LumaView, _ crossings: RingCrossings
  ) -> Sighting? {
    let (y, first, isHollow) = (crossings.y, crossings.first, crossings.isHollow)
    let second = first &+ (isHollow ? 3 : 5)
    let crossingCount = edges.count
    precondition(first >= 0 && second &+ 2 < crossingCount)
    let before = unsafe edges.places.base + first
    let after = unsafe edges.places.base + second
    let left = unsafe Int(before[0])
    let right = unsafe Int(after[2])
    let firstOuter = unsafe Int(before[1]) &- left
    let lastOuter = unsafe right &- Int(after[1])
    let firstTwo = unsafe Int(before[2]) &- left
    let lastTwo = unsafe right &- Int(after[0])
    let twelve = unsafe right &- left &+ Int(after[1]) &- Int(before[1])
    // Both runs of a ring have the same width, and so do all rings. Whole pixels give a crossing to half a pixel.
    let slack = twelve / 2 &+ 12
    let tolerance = twelve &+ 48
    guard abs(firstOuter &- lastOuter) &* 48 <= tolerance,
      abs(firstTwo &- firstOuter &- lastTwo &+ lastOuter) &* 48 <= tolerance,
      abs(lastTwo &* 12 &- twelve &* 2) <= slack, abs(firstTwo &* 12 &- twelve &* 2) <= slack
    else { return nil }
    // The run between the two middle crossings: dark at even places.
    let core = first &+ (isHollow ? 2 : 3)
    let isInverted = (core & 1 == 0) == isHollow
    let column = (left &+ right) / 2
    guard twelve >= BullseyeSearch.twelveModulesMin,
      let threshold = threshold(view, x: column, y: y, twelve: twelve, isInverted: isInverted)
    else { return nil }
    return Sighting(x: column, y: y, twelve: twelve, threshold: Threshold(value: threshold, isInverted: isInverted))
  }

  /// Measures a bullseye along lines in four directions, and adds it. Not inlined, so that rejected candidates do not pay
  /// for its stack space, which is 6 % of the work on textured frames.
  @inline(never) private mutating func measure(
    _ sighting: Sighting, _ picture: SearchedPicture, results: ResultStore?, _ budget: inout WorkBudget
  ) {
    let (view, level, threshold) = (picture.view, picture.level, sighting.threshold)
    // Crossings between the pixels of the row are more precise than whole pixels.
    var walk = PixelWalk(x: sighting.x, y: sighting.y, dx: 1, dy: 0)
    guard let across = BullseyeLine(view, walk, threshold, runMax: sighting.twelve / 6 + 3).section(),
      abs(across.middle) <= across.module
    else { return }
    budget.charge(4)
    (walk.dx, walk.dy) = (0, 1)
    guard let down = BullseyeLine(view, walk, threshold, runMax: sighting.runMax).section() else { return }
    budget.charge(4)
    walk.y = max(0, min(view.height - 1, walk.y + (down.middle + 128) >> 8))
    let rough = picture.fullSize(walk.x * 256, walk.y * 256)
    if results?.covers(rough.pixelPoint) == true
      || found.isKnown(rough, moduleY: down.module << level, isInverted: threshold.isInverted)
    {
      return
    }
    guard let (across, down) = centered(&walk, view, sighting) else { return }
    budget.charge(20)
    let center = SubpixelPoint(x: walk.x * 256, y: walk.y * 256)
    found.add(
      FinderPattern(
        center: picture.fullSize(center.x, center.y), moduleX: across.module << level, moduleY: down.module << level,
        threshold: plainThreshold(picture.plain, center, across: across.module, down: down.module),
        isInverted: threshold.isInverted))
  }

  /// Measures crossings in a picture without its mean, around a light run, and notes the rings there.
  private mutating func checkFaint(
    _ edges: borrowing RowEdges, _ picture: SearchedPicture, _ crossings: RingCrossings, results: ResultStore?,
    _ budget: inout WorkBudget
  ) {
    // The run in the middle is light if the first of its crossings has an odd index.
    guard !crossings.isHollow, crossings.first & 1 == 0 else { return }
    let places = unsafe edges.places.base + crossings.first
    let left = unsafe Int(places[0])
    let right = unsafe Int(places[7])
    let twelve = unsafe right &- left &+ Int(places[6]) &- Int(places[1])
    guard twelve * 256 >= 12 * BullseyeSearch.faintModuleMin else { return }
    let sighting = Sighting(
      x: (left &+ right) / 2, y: crossings.y, twelve: twelve,
      threshold: Threshold(value: Int(SharpenedPicture.middle), isInverted: true))
    budget.charge(2)
    guard crossesRings(picture.view, sighting),
      let rings = faintRings(sighting, picture, results: results, &budget)
    else { return }
    note(rings)
  }

  /// The rings around a light centre whose edges do not fit: their middles are alternately light and dark in eight directions.
  private func faintRings(
    _ sighting: Sighting, _ picture: SearchedPicture, results: ResultStore?, _ budget: inout WorkBudget
  ) -> FaintRings? {
    let (view, level) = (picture.view, picture.level)
    // The third crossings above and below.
    var reach: [2 of Int] = .init(repeating: 0)
    for side in 0..<2 {
      let walk = PixelWalk(x: sighting.x, y: sighting.y, dx: 0, dy: side == 0 ? -1 : 1)
      let line = PixelLine(view, walk, sighting.threshold)
      for _ in 0..<3 {
        guard let next = line.change(after: reach[side], within: sighting.runMax) else { return nil }
        reach[side] = next
      }
    }
    let moduleX = sighting.twelve * 256 / 12
    let moduleY = (reach[0] + reach[1]) * 256 * 256 / BullseyeSearch.faintSecondRing
    var center = SubpixelPoint(x: sighting.x * 256, y: sighting.y * 256 + (reach[1] - reach[0]) * 128)
    let rough = picture.fullSize(center.x, center.y)
    guard min(moduleX, moduleY) >= BullseyeSearch.faintModuleMin,
      moduleX <= moduleY * BullseyeSearch.aspectMax, moduleY <= moduleX * BullseyeSearch.aspectMax,
      results?.covers(rough.pixelPoint) != true,
      !found.isKnown(rough, moduleY: moduleY << level, isInverted: true, isFaint: true)
    else { return nil }
    budget.charge(2)
    // The crossings lead close to the centre.
    guard var best = faintContrast(view, center, moduleX, moduleY) else { return nil }
    var isMoved = true
    while isMoved {
      isMoved = false
      let known = center
      for direction in 0..<4 {
        var near = known
        if direction < 2 { near.x += (direction * 2 - 1) * moduleX / 3 } else { near.y += (direction * 2 - 5) * moduleY / 3 }
        budget.charge(1)
        guard let contrast = faintContrast(view, near, moduleX, moduleY), contrast > best else { continue }
        (best, center, isMoved) = (contrast, near, true)
      }
    }
    guard best >= 8 * BullseyeSearch.faintContrastMin else { return nil }
    let place = picture.fullSize(center.x, center.y)
    guard !found.isKnown(place, moduleY: moduleY << level, isInverted: true, isFaint: true) else { return nil }
    let pattern = FinderPattern(
      center: place, moduleX: moduleX << level, moduleY: moduleY << level,
      threshold: plainThreshold(picture.plain, center, across: moduleX, down: moduleY), isInverted: true,
      isFaint: true)
    return FaintRings(pattern: pattern, contrast: best)
  }

  /// Keeps faint rings if they are among those with the most contrast.
  private mutating func note(_ rings: FaintRings) {
    for index in 0..<faintCount where faint[index].pattern.isNear(rings.pattern) {
      if faint[index].contrast < rings.contrast { faint[index] = rings }
      return
    }
    faint.insert(rings, count: &faintCount) { $0.contrast > $1.contrast }
  }

  /// Adds the faint rings with the most contrast of a search to the bullseyes.
  mutating func addFaintRings() {
    for index in 0..<faintCount { found.add(faint[index].pattern) }
    faintCount = 0
  }

  /// The least contrast between neighbouring rings around a light centre, eight times, less the more the contrasts differ; nil if
  /// two neighbours lack any.
  private func faintContrast(_ view: LumaView, _ center: SubpixelPoint, _ moduleX: Int, _ moduleY: Int) -> Int? {
    var last = interpolated(view, center.x, center.y) * 8
    var least = Int.max
    var greatest = 0
    for ring in BullseyeSearch.faintRadii.indices {
      let radius = BullseyeSearch.faintRadii[ring]
      var sum = 0
      for direction in 0..<8 {
        let angle = BinaryAngle(bits: UInt16(direction * 8192))
        sum += interpolated(
          view, center.x + ((Int(angle.cosine.bits) * moduleX) >> 16) * radius / 256,
          center.y + ((Int(angle.sine.bits) * moduleY) >> 16) * radius / 256)
      }
      let contrast = ring & 1 == 0 ? last - sum : sum - last
      least = min(least, contrast)
      greatest = max(greatest, contrast)
      guard least > 0 else { return nil }
      last = sum
    }
    return least * least / greatest
  }

  /// Moves the start of a walk to the centre of a bullseye. Row and column lead to the centre of an upright bullseye, diagonals
  /// to that of a bullseye standing on a corner; at any other angle, both together lead close to it. Returns the sections along row
  /// and column; nil if the lines do not cross rings of about equal width.
  private func centered(
    _ walk: inout PixelWalk, _ view: LumaView, _ sighting: Sighting
  ) -> (across: BullseyeSection, down: BullseyeSection)? {
    var across = BullseyeSection(middle: 0, module: 0, misfit: 0)
    var down = across
    for _ in 0..<2 {
      for direction in 0..<4 {
        walk.dx = direction == 1 ? 0 : 1
        walk.dy = direction == 0 ? 0 : direction == 3 ? -1 : 1
        guard let section = BullseyeLine(view, walk, sighting.threshold, runMax: sighting.runMax).section() else {
          return nil
        }
        let step = (section.middle + 128) >> 8
        walk.x = max(0, min(view.width - 1, walk.x + walk.dx * step))
        walk.y = max(0, min(view.height - 1, walk.y + walk.dy * step))
        if direction == 0 { across = section }
        if direction == 1 { down = section }
      }
    }
    // A sighting beside a bullseye may lead to its centre by lines that do not cross it: the last ones must lie there already.
    // Rings are as wide along the centre's row as where they were found, within a half; diagonals may lead to neighbouring
    // modules.
    guard abs(across.middle) <= across.module, abs(down.middle) <= down.module, across.module * 8 < sighting.twelve * 256,
      sighting.twelve * 256 < across.module * 18,
      across.module <= down.module * BullseyeSearch.aspectMax,
      down.module <= across.module * BullseyeSearch.aspectMax
    else { return nil }
    return (across, down)
  }

  /// Whether the column through a place has runs of equal length up and down: a cheap test that rejects most false
  /// candidates.
  @inline(never) private func crossesRings(_ view: LumaView, _ sighting: Sighting) -> Bool {
    let runMax = sighting.twelve / 4 + 2
    var shortest = Int.max
    var longest = 0
    // Up less down: a light and a dark ring together are equally wide on both sides.
    var difference = 0
    for side in 0..<2 {
      let line = PixelLine(
        view, PixelWalk(x: sighting.x, y: sighting.y, dx: 0, dy: side == 0 ? -1 : 1), sighting.threshold)
      // The run at the start, then two complete ones.
      guard var step = line.change(after: 0, within: runMax) else { return false }
      for _ in 0..<2 {
        guard let next = line.change(after: step, within: runMax) else { return false }
        let run = next &- step
        step = next
        shortest = min(shortest, run)
        longest = max(longest, run)
        difference &+= side == 0 ? run : 0 &- run
        guard longest <= 3 &* shortest &+ 1 else { return false }
      }
    }
    return abs(difference) <= (longest &+ shortest) / 3 &+ 1
  }

  /// The threshold between the rings along a row; nil if they are not all on their side of it.
  private func threshold(_ view: LumaView, x: Int, y: Int, twelve: Int, isInverted: Bool) -> Int? {
    let two = twelve / 6
    let three = twelve / 4
    guard x &- three >= 0, x &+ three < view.width else { return nil }
    let one = twelve / 12
    let sign = isInverted ? -1 : 1
    let center = unsafe view.place(x, y)
    let darkBefore = unsafe Int(center[0 &- two]) &* sign
    let darkAfter = unsafe Int(center[two]) &* sign
    let lightBefore = unsafe Int(center[0 &- three]) &* sign
    let lightAfter = unsafe Int(center[three]) &* sign
    let dark = (darkBefore &+ darkAfter) / 2
    let light = (lightBefore &+ lightAfter) / 2
    // The rings have equal contrast, unlike texture.
    guard light &- dark >= BullseyeSearch.contrastMin else { return nil }
    let innerBefore = unsafe Int(center[0 &- one]) &* sign
    let innerAfter = unsafe Int(center[one]) &* sign
    let lightest = min(min(innerBefore, innerAfter), min(lightBefore, lightAfter))
    guard (lightest &- max(darkBefore, darkAfter)) &* 4 >= light &- dark else { return nil }
    let threshold = (dark &+ light) / 2
    return threshold * sign
  }

  /// The threshold between the rings at two and at three modules from the centre.
  private func plainThreshold(_ plain: LumaView, _ place: SubpixelPoint, across: Int, down: Int) -> Int {
    var sum = 0
    for modules in 2...3 {
      sum +=
        interpolated(plain, place.x - modules * across, place.y) + interpolated(plain, place.x + modules * across, place.y)
        + interpolated(plain, place.x, place.y - modules * down) + interpolated(plain, place.x, place.y + modules * down)
    }
    return sum / 8
  }
}
