// Looks for bullseyes in the rows that are scanned for the finder patterns of QR Code, on the same crossings: a second look
// at the pixels would cost more than all the rest. A row says yes too often; each yes is measured again along the column,
// the row and the diagonals before it counts.

import BarcodeTypes

/// The bullseyes of a picture, in order of discovery.
@safe struct AztecFinderSearch {
  /// The most bullseyes of one picture.
  static let bullseyeCountMax = 128
  /// The least difference between dark and light of a bullseye.
  private static let contrastMin = 8
  /// The least width of twelve modules, in pixels.
  private static let twelveModulesMin = 14
  /// Height and width of a bullseye against each other: symbols are read up to a tilt of some 70 degrees.
  private static let aspectMax = 3

  let bullseyes: ScratchArray<AztecBullseye>
  private(set) var count = 0

  /// Nil if the arena is full.
  init?(arena: inout Arena) {
    guard let bullseyes = ScratchArray<AztecBullseye>(AztecFinderSearch.bullseyeCountMax, arena: &arena) else { return nil }
    self.bullseyes = bullseyes
  }

  /// Adds the bullseyes that a row's crossings suggest.
  ///
  /// - Parameters:
  ///   - edges: the crossings of row `y` of `view`.
  ///   - plain: the same picture unfiltered, at `level` of the pyramid.
  mutating func search(
    _ edges: borrowing RowEdges, _ view: LumaView, plain: LumaView, level: Int, y: Int, results: ResultStore?,
    budget: inout WorkBudget
  ) {
    guard edges.count >= 8 else { return }
    let places = unsafe edges.places.base
    // Distances of like edges: two modules wherever runs are one module wide. `alike` counts those in a row that are equal.
    var alike = 0
    var beforeLast = 0
    var last = unsafe Int(places[2] &- places[0])
    for index in 1..<(edges.count &- 2) {
      let distance = unsafe Int(places[index &+ 2] &- places[index])
      if abs(distance &- last) <= (distance &+ 4) >> 2 {
        alike &+= 1
        if alike >= 5 {
          // Seven runs alike, up to the edge at index + 2.
          check(edges, view, plain: plain, level: level, y: y, first: index &- 5, isHollow: false, results: results, &budget)
        } else if abs(2 &* beforeLast &- distance) <= (distance &+ 6) >> 2, index &+ 3 < edges.count {
          check(edges, view, plain: plain, level: level, y: y, first: index &- 2, isHollow: true, results: results, &budget)
        }
      } else {
        alike = 0
      }
      beforeLast = last
      last = distance
    }
  }

  /// Measures what the crossings from `first` on suggest, and adds it: eight of them around seven equal runs, or six around
  /// runs of 1, 1, 3, 1 and 1.
  private mutating func check(
    _ edges: borrowing RowEdges, _ view: LumaView, plain: LumaView, level: Int, y: Int, first: Int, isHollow: Bool,
    results: ResultStore?, _ budget: inout WorkBudget
  ) {
    guard first >= 0 else { return }
    let final = first + (isHollow ? 5 : 7)
    let left = Int(edges.places[first])
    let right = Int(edges.places[final])
    let twelve = right - left + Int(edges.places[final - 1]) - Int(edges.places[first + 1])
    if isHollow {
      let firstTwo = Int(edges.places[first + 2]) - left
      let lastTwo = right - Int(edges.places[final - 2])
      guard abs(firstTwo - lastTwo) <= firstTwo / 2 + 1 else { return }
    }
    // The run between the two middle crossings: dark at even places.
    let core = first + (isHollow ? 2 : 3)
    let isInverted = (core & 1 == 0) == isHollow
    let column = (left + right) / 2
    budget.charge(1)
    guard twelve >= AztecFinderSearch.twelveModulesMin,
      let threshold = threshold(view, x: column, y: y, twelve: twelve, isInverted: isInverted)
    else { return }
    let runMax = twelve * AztecFinderSearch.aspectMax / 4 + 2
    // The row first: its pixels are at hand, and between them crossings are known better than as whole pixels.
    guard
      var horizontal = BullseyeLine(
        view, x: column, y: y, dx: 1, dy: 0, threshold: threshold, isInverted: isInverted, runMax: twelve / 6 + 3
      ).section(), abs(horizontal.middle) <= horizontal.module
    else { return }
    budget.charge(4)
    guard
      var upright = BullseyeLine(
        view, x: column, y: y, dx: 0, dy: 1, threshold: threshold, isInverted: isInverted, runMax: runMax
      ).section()
    else { return }
    budget.charge(4)
    var x = column
    var line = max(0, min(view.height - 1, y + (upright.middle + 128) >> 8))
    let rough = SubpixelPoint(
      x: LumaPyramid.fullSize(x * 256, level: level, unit: 256), y: LumaPyramid.fullSize(line * 256, level: level, unit: 256)
    )
    if results?.covers(rough.pixelPoint) == true
      || noteKnown(rough, moduleY: upright.module << level, isInverted: isInverted)
    {
      return
    }
    // Row and column meet at the centre only if the bullseye stands upright; elsewhere they come closer each time.
    for _ in 0..<3 {
      guard
        let section = BullseyeLine(
          view, x: x, y: line, dx: 1, dy: 0, threshold: threshold, isInverted: isInverted, runMax: runMax
        ).section()
      else { return }
      horizontal = section
      x = max(0, min(view.width - 1, x + (section.middle + 128) >> 8))
      guard
        let section = BullseyeLine(
          view, x: x, y: line, dx: 0, dy: 1, threshold: threshold, isInverted: isInverted, runMax: runMax
        ).section()
      else { return }
      upright = section
      if abs(section.middle) <= 160 { break }
      line = max(0, min(view.height - 1, line + (section.middle + 128) >> 8))
    }
    guard horizontal.module <= upright.module * AztecFinderSearch.aspectMax,
      upright.module <= horizontal.module * AztecFinderSearch.aspectMax,
      hasDiagonals(view, x: x, y: line, threshold: threshold, isInverted: isInverted, runMax: runMax)
    else { return }
    budget.charge(20)
    let center = SubpixelPoint(x: x * 256, y: line * 256 + upright.middle)
    add(
      AztecBullseye(
        center: SubpixelPoint(
          x: LumaPyramid.fullSize(center.x, level: level, unit: 256),
          y: LumaPyramid.fullSize(center.y, level: level, unit: 256)),
        moduleX: horizontal.module << level, moduleY: upright.module << level,
        threshold: plainThreshold(plain, center, across: horizontal.module, down: upright.module),
        isInverted: isInverted, hitCount: 1))
  }

  /// The value between the rings along a row; nil if they are not all on their side of it.
  private func threshold(_ view: LumaView, x: Int, y: Int, twelve: Int, isInverted: Bool) -> Int? {
    let row = unsafe view.row(y)
    let sign = isInverted ? -1 : 1
    let two = twelve * 2 / 12
    let three = twelve * 3 / 12
    guard x - three >= 0, x + three < view.width else { return nil }
    let one = twelve / 12
    let innerBefore = unsafe Int(row[x - one]) * sign
    let innerAfter = unsafe Int(row[x + one]) * sign
    let darkBefore = unsafe Int(row[x - two]) * sign
    let darkAfter = unsafe Int(row[x + two]) * sign
    let lightBefore = unsafe Int(row[x - three]) * sign
    let lightAfter = unsafe Int(row[x + three]) * sign
    let dark = (darkBefore + darkAfter) / 2
    let light = (lightBefore + lightAfter) / 2
    let threshold = (dark + light) / 2
    let lightest = min(min(innerBefore, innerAfter), min(lightBefore, lightAfter))
    // Rings of one contrast, which texture does not have.
    guard light - dark >= AztecFinderSearch.contrastMin, (lightest - max(darkBefore, darkAfter)) * 4 >= light - dark
    else { return nil }
    return threshold * sign
  }

  /// The value between the rings at two and at three modules from the centre.
  private func plainThreshold(_ plain: LumaView, _ place: SubpixelPoint, across: Int, down: Int) -> Int {
    var sum = 0
    for modules in 2...3 {
      sum +=
        interpolated(plain, place.x - modules * across, place.y) + interpolated(plain, place.x + modules * across, place.y)
        + interpolated(plain, place.x, place.y - modules * down) + interpolated(plain, place.x, place.y + modules * down)
    }
    return sum / 8
  }

  /// Whether the diagonals have the runs of a bullseye, too.
  private func hasDiagonals(_ view: LumaView, x: Int, y: Int, threshold: Int, isInverted: Bool, runMax: Int) -> Bool {
    for dy in 0..<2 {
      guard
        BullseyeLine(
          view, x: x, y: y, dx: 1, dy: dy == 0 ? 1 : -1, threshold: threshold, isInverted: isInverted, runMax: runMax
        ).section() != nil
      else { return false }
    }
    return true
  }

  /// Whether a bullseye that is known already has its rings at a place, and about the same size; it then has one more hit.
  private func noteKnown(_ place: SubpixelPoint, moduleY: Int, isInverted: Bool) -> Bool {
    for index in 0..<count {
      let known = bullseyes[index]
      if known.isInverted == isInverted, abs(known.center.x - place.x) < 2 * known.moduleX,
        abs(known.center.y - place.y) < 2 * known.moduleY, moduleY * 2 < known.moduleY * 3, known.moduleY * 2 < moduleY * 3
      {
        bullseyes[index].hitCount += 1
        return true
      }
    }
    return false
  }

  private mutating func add(_ bullseye: AztecBullseye) {
    if noteKnown(bullseye.center, moduleY: bullseye.moduleY, isInverted: bullseye.isInverted) { return }
    guard count < AztecFinderSearch.bullseyeCountMax else { return }
    bullseyes[count] = bullseye
    count += 1
  }
}
