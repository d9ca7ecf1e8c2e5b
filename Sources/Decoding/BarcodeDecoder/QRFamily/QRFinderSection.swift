// A finder pattern and its measurement: dark, light, dark, light, dark as 1 : 1 : 3 : 1 : 1 along every straight line
// through its centre, at any angle and under any tilt (ISO/IEC 18004:2015 §5.3.3).

import BarcodeTypes

/// A single finder pattern and its outline.
struct LoneFinder: BitwiseCopyable {
  let pattern: FinderPattern
  /// The outer corners of the pattern, clockwise.
  let outline: SubpixelQuad
  /// The difference between the ring and the core, in grey levels.
  let contrast: Int
}

/// Crossings of a line through a finder pattern: from the centre, backwards (negative) and forwards, in 1/256 steps.
struct QRFinderSection: BitwiseCopyable {
  var outerBefore = 0
  var ringBefore = 0
  var coreBefore = 0
  var coreAfter = 0
  var ringAfter = 0
  var outerAfter = 0

  /// The module width along the line, in 1/256 steps. Like edges are six modules apart regardless of ink spread.
  var module: Int { (ringAfter - outerBefore + outerAfter - ringBefore) / 12 }

  /// The centre relative to the start of the measurement, in 1/256 steps; the core has double weight.
  var middle: Int { (2 * (coreBefore + coreAfter) + ringBefore + ringAfter + outerBefore + outerAfter) / 8 }

  /// Whether the runs are 1 : 1 : 3 : 1 : 1: like edges are 2, 4, 4 and 2 modules apart within 60 % of a module, or a pixel
  /// for the smallest patterns, and no run has less than a quarter of its length. On blurred, tilted and damaged symbols, a
  /// tighter limit loses finders, while a wider one only costs time.
  var isFinder: Bool {
    let module = module
    guard module > 0 else { return false }
    let slack = max(module * 3 / 5, min(module, 200))
    return abs(coreBefore - outerBefore - 2 * module) <= slack && abs(ringAfter - coreBefore - 4 * module) <= slack
      && abs(coreAfter - ringBefore - 4 * module) <= slack && abs(outerAfter - coreAfter - 2 * module) <= slack
      && 4 * (ringBefore - outerBefore) >= module && 4 * (outerAfter - ringAfter) >= module
      && 4 * (coreBefore - ringBefore) >= module && 4 * (ringAfter - coreAfter) >= module
      && coreAfter - coreBefore >= 3 * module / 2
  }
}

/// Measures a finder along a line of whole pixels.
///
/// - Parameters:
///   - walk: from a start inside the picture and in the finder's core.
///   - coreMax: the most steps of the core to each side.
/// - Returns: nil unless the start is dark and three changes are found on each side, each within the width of the core from
///   the previous one.
func finderSection(
  _ view: LumaView, _ walk: PixelWalk, _ threshold: Threshold, coreMax: Int
) -> QRFinderSection? {
  let after = PixelLine(view, walk, threshold)
  let before = PixelLine(view, walk.reversed, threshold)
  guard after.value(0) < 0, let coreAfter = after.change(after: 0, within: coreMax),
    let coreBefore = before.change(after: 0, within: coreMax)
  else { return nil }
  // Ring and frame are a third of the core each; a blurred or thinly printed core may be hardly wider.
  let runMax = coreAfter + coreBefore + 1
  guard let ringAfter = after.change(after: coreAfter, within: runMax),
    let ringBefore = before.change(after: coreBefore, within: runMax),
    let outerAfter = lastCrossing(of: after, after: ringAfter, within: runMax),
    let outerBefore = lastCrossing(of: before, after: ringBefore, within: runMax)
  else { return nil }
  return QRFinderSection(
    outerBefore: -outerBefore, ringBefore: -before.crossing(before: ringBefore),
    coreBefore: -before.crossing(before: coreBefore), coreAfter: after.crossing(before: coreAfter),
    ringAfter: after.crossing(before: ringAfter), outerAfter: outerAfter)
}

/// The place of the last change of a finder, in 1/256 steps; a finder at the picture's edge ends there.
@inline(__always)
private func lastCrossing(of line: PixelLine, after step: Int, within stepsMax: Int) -> Int? {
  if let change = line.change(after: step, within: stepsMax) { return line.crossing(before: change) }
  return step + stepsMax >= line.room ? line.room * 256 + 128 : nil
}

/// Measures a finder along any line, between the pixels.
///
/// - Parameters:
///   - center: the start, at full size.
///   - step: one step along the line, in 1/256 pixels of the full size.
func finderSection(
  _ sight: Sight, center: SubpixelPoint, step: SubpixelPoint, threshold: Int, reach: Int
) -> QRFinderSection? {
  let sign = sight.isInverted ? -1 : 1
  let startValue = (sight.sample(center) &- threshold) &* sign
  guard startValue < 0 else { return nil }
  var section = QRFinderSection()
  for side in 0..<2 {
    let stepX = side == 0 ? step.x : -step.x
    let stepY = side == 0 ? step.y : -step.y
    var place = center
    var before = startValue
    var changes = 0
    for count in 1...max(1, reach) {
      place.x &+= stepX
      place.y &+= stepY
      let value = (sight.sample(place) &- threshold) &* sign
      if (value < 0) != (before < 0) {
        note((count &- 1) &* 256 &+ 256 &* before / (before &- value), change: changes, isBackward: side == 1, in: &section)
        changes &+= 1
        if changes == 3 { break }
      }
      before = value
    }
    guard changes == 3 else { return nil }
  }
  return section
}

@inline(__always) private func note(_ place: Int, change: Int, isBackward: Bool, in section: inout QRFinderSection) {
  switch (change, isBackward) {
  case (0, false): section.coreAfter = place
  case (1, false): section.ringAfter = place
  case (_, false): section.outerAfter = place
  case (0, true): section.coreBefore = -place
  case (1, true): section.ringBefore = -place
  case (_, true): section.outerBefore = -place
  }
}

/// Least change of values at an edge of a finder: three times the noise of a dark picture.
private let swingMin = 6

/// The distance of a finder's outer edge along a line from its centre, in 1/256 steps of half a pixel. Along the line, the
/// values fall to the core, rise to the ring, fall to the frame and rise again, even if blur makes the frame between its
/// light neighbours faint. The edge is midway between the frame and the area beyond it. A frame that continues to the
/// picture's border ends there.
///
/// - Parameter step: half a pixel of the picture along the line, in 1/256 pixels of the full size.
func finderEdge(_ finder: FinderPattern, step: SubpixelPoint, _ sight: Sight) -> Int? {
  let sign = finder.isInverted ? -1 : 1
  var extreme = sight.sample(finder.center) * sign
  let swing = max(swingMin, abs(finder.threshold * sign - extreme) / 3)
  // A corner is 5 modules away; the extents of a rotated finder overstate its module by up to 1.4.
  let reach = max(12, (finder.module * 12) >> (8 + sight.level))
  let beyond = max(3, (finder.module * 2) >> (8 + sight.level))
  var place = finder.center
  var extremeStep = 0
  var isRising = true
  var turns = 0
  for count in 1...reach {
    place.x &+= step.x
    place.y &+= step.y
    if turns == 2, let outside = stepsOutside(place, step: step, sight) { return count * 256 - outside }
    let value = sight.sample(place) &* sign
    if isRising ? value < extreme : value > extreme {
      extreme = value
      extremeStep = count
    } else if abs(value - extreme) >= swing {
      turns += 1
      if turns == 3 {
        return middleEdge(finder, step: step, from: extremeStep, value: extreme, to: count + beyond, sight)
      }
      isRising.toggle()
      extreme = value
      extremeStep = count
    }
  }
  return nil
}

/// The distance of a place beyond the picture's border along a line that leaves it, in 1/256 steps; nil if it is inside.
private func stepsOutside(_ place: SubpixelPoint, step: SubpixelPoint, _ sight: Sight) -> Int? {
  /// Pixel centres are at whole numbers: the border is half a pixel before the first and after the last.
  func outside(_ place: Int, _ step: Int, _ side: Int) -> Int {
    let beyond = step < 0 ? -128 - place : place + 128 - (side << (8 + sight.level))
    return step == 0 ? 0 : beyond * 256 / abs(step)
  }
  let steps = max(outside(place.x, step.x, sight.view.width), outside(place.y, step.y, sight.view.height))
  return steps > 0 ? steps : nil
}

/// The place where a line reaches the middle between the frame's value and the lightest value from there to `end`.
private func middleEdge(
  _ finder: FinderPattern, step: SubpixelPoint, from start: Int, value dark: Int, to end: Int, _ sight: Sight
) -> Int? {
  func value(_ count: Int) -> Int {
    let place = SubpixelPoint(x: finder.center.x + step.x * count, y: finder.center.y + step.y * count)
    return sight.sample(place) * (finder.isInverted ? -1 : 1)
  }
  var light = dark
  for count in start...end { light = max(light, value(count)) }
  let middle = (dark + light) / 2
  var before = dark
  for count in start...end {
    let here = value(count)
    if here > middle { return count * 256 - 256 * (here - middle) / max(1, here - before) }
    before = here
  }
  return nil
}

/// Measures a finder along a line through its centre, for runs too blurred for a single threshold. Returns a seventh of its
/// extent, and its middle, in 1/256 steps of a pixel.
///
/// - Parameter step: a pixel along the line.
func finderExtent(_ finder: FinderPattern, step: SubpixelPoint, _ sight: Sight) -> (
  module: Int, middle: Int
)? {
  let half = SubpixelPoint(x: step.x / 2, y: step.y / 2)
  guard let after = finderEdge(finder, step: half, sight),
    let before = finderEdge(finder, step: SubpixelPoint(x: -half.x, y: -half.y), sight),
    // The centre is in the core: neither side is shorter than 2/7 of the whole.
    after * 5 > before * 2, before * 5 > after * 2
  else { return nil }
  return ((after + before) / 14, (after - before) / 4)
}

/// Refines the centre and extents of a finder found in whole pixels with lines between the pixels.
func refineFinder(_ finder: inout FinderPattern, _ sight: Sight) {
  let reach = max(8, (finder.module * 7) >> (8 + sight.level))
  let step = 256 << sight.level
  for _ in 0..<2 {
    if let section = finderSection(
      sight, center: finder.center, step: SubpixelPoint(x: step, y: 0), threshold: finder.threshold, reach: reach),
      section.isFinder
    {
      finder.center.x += section.middle << sight.level
      finder.moduleX = section.module << sight.level
    }
    if let section = finderSection(
      sight, center: finder.center, step: SubpixelPoint(x: 0, y: step), threshold: finder.threshold, reach: reach),
      section.isFinder
    {
      finder.center.y += section.middle << sight.level
      finder.moduleY = section.module << sight.level
    }
  }
}
