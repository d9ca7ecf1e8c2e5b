// Whether a symbol lies on its own paper: where bars happen to end like a symbol, another surface begins.

import BarcodeTypes

extension RegionScan {
  /// How much darker than its spaces a symbol's quiet zone may be, as a divisor of its contrast; more is allowed where light
  /// fades. A third rules out quiet zones that sharpening creates next to dark ground. A twelfth applies to symbologies that
  /// need clear paper and to light bars on dark ground, a twenty-fourth to texts without any protection.
  private static let paperDivisor = (any: 3, clear: 12, unprotected: 24)

  /// Whether the paper on both sides of a symbol is about as light as its spaces.
  ///
  /// Start and stop of Interleaved 2 of 5 are so short that one piece in some hundreds happens to end with them too; another
  /// surface begins there. The same holds where light stripes on a darker table look like bars.
  func isOnPaper(_ candidate: LinearCandidate, _ row: DirectedRow) -> Bool {
    // A light-on-dark symbol has whole bars, and the dark ground of a label is not a quiet zone.
    if isInverted, candidate.isDarkOnly { return false }
    // Around a bottle, the light changes as it does where glare hides the rest of a longer symbol.
    if candidate.isPerhapsPiece, row.row.bend != nil { return false }
    let (from, to) = (row.place(candidate.start) >> 8, row.place(candidate.end) >> 8)
    let (start, end) = (min(from, to), max(from, to))
    // On a cylinder, either end is as much narrower as it is turned away.
    let part = Int32(
      truncatingIfNeeded: candidate.endPart.modules * Int(candidate.end - candidate.start) / candidate.endPart.of)
    let reaches = (
      max(8, abs(row.place(candidate.start + part) >> 8 - from)), max(8, abs(to - row.place(candidate.end - part) >> 8))
    )
    let divisor =
      candidate.isUnprotected
      ? RegionScan.paperDivisor.unprotected
      : isInverted || candidate.symbology.protection.needsClearPaper
        ? RegionScan.paperDivisor.clear : RegionScan.paperDivisor.any
    // Narrow spaces, which blur darkens, do not show how light the paper is.
    func test(_ reach: Int) -> PaperTest {
      unsafe PaperTest(
        profile: profile, sampleCount: row.line.scan.count, reach: reach,
        inside: candidate.isPerhapsPiece ? 2 * reach : reach, divisor: divisor, trend: row.row.bend == nil ? 1 : 2)
    }
    let step = from < to ? 1 : -1
    guard test(reaches.0).holds(beside: from, step: -step), test(reaches.1).holds(beside: to, step: step) else {
      return false
    }
    guard candidate.isPerhapsPiece else { return true }
    // Glare hides the rest of a longer symbol.
    let test = test(min(reaches.0, reaches.1))
    if test.glares(beside: start, and: end) { return false }
    guard candidate.hasSameGuards else { return true }
    let module = max(1, (end - start) / Int(candidate.moduleCount))
    return test.hasSameGuards(first: from, last: to, module: module)
      && !goesOn(candidate, row, threshold: test.guardThreshold(first: from, last: to, module: module))
  }

  /// The modules behind the left half of an EAN-13 between which the bars of its last guard and three modules of paper behind them are
  /// looked for. On flat paper the guard ends after 44; around a bottle, after 36 to 54.
  private static let lastGuard = (nearest: 32, farthest: 58)

  /// Whether the last guard of an EAN-13 lies where its left half, which the symbol may be, puts it: a bar, a space and a bar of about one
  /// module each, and paper behind them.
  ///
  /// Glare may hide all bars between the symbol and this guard, and the line may end before it.
  ///
  /// - Parameter threshold: the level between bars and spaces.
  private func goesOn(_ candidate: LinearCandidate, _ row: DirectedRow, threshold: Int) -> Bool {
    let (from, to) = (row.place(candidate.start), row.place(candidate.end))
    let direction = (to - from).signum()
    // A number of modules in samples.
    func samples(_ modules: Int) -> Int { (abs(to - from) * modules / Int(candidate.moduleCount)) >> 8 }
    let (bars, paper) = (samples(1) / 2...samples(2), samples(PaperTest.quietModules))
    // The lengths of the present run of dark or light samples and of the three before it.
    var runs: [4 of Int] = [0, 0, 0, 0]
    var wasDark = false
    for distance in samples(RegionScan.lastGuard.nearest)...samples(RegionScan.lastGuard.farthest) {
      guard let level = level(row.line, at: (to >> 8) + distance * direction) else { return false }
      let isDark = level < threshold
      if isDark != wasDark {
        for index in stride(from: 3, to: 0, by: -1) { runs[index] = runs[index - 1] }
        (runs[0], wasDark) = (0, isDark)
      }
      runs[0] += 1
      if !isDark, runs[0] == paper, bars.contains(runs[1]), bars.contains(runs[2]), bars.contains(runs[3]) { return true }
    }
    return false
  }

  /// A sample of a line, or of its course beyond its ends; nil outside the picture.
  private func level(_ line: RegionLine, at index: Int) -> Int? {
    if index >= 0, index < line.scan.count { return unsafe Int(profile[index]) }
    let (x, y) = line.scan.point(at: index << 8)
    guard x >= 0, y >= 0, x >> 16 < luma.width, y >> 16 < luma.height else { return nil }
    let level = Int(luma[x >> 16, y >> 16]) << 6
    return isInverted ? Int(RegionScan.white) - level : level
  }

  /// Whether everything beyond the end of a part of a symbol and its guard is darker than the middle of the part's grey levels.
  ///
  /// - Parameters:
  ///   - start, end: the part's ends on the row; `module`: the width of a module; all in samples times 256.
  ///   - reach: up to how many modules beyond the end.
  func isOnDarkGround(from start: Int32, to end: Int32, module: Int32, reach: Int32, _ row: DirectedRow) -> Bool {
    // A guard has two modules.
    let (near, far) = (end + module * 5 / 2, min(end + module * reach, row.row.length - row.row.paddingAfter))
    guard near < far else { return false }
    let inside = levels(row, from: start, to: end)
    return levels(row, from: near, to: far).light < (inside.light + inside.dark) / 2
  }

  /// The lightest and the darkest sample between two places on a row.
  private func levels(_ row: DirectedRow, from: Int32, to: Int32) -> (light: Int32, dark: Int32) {
    let last = row.line.scan.count - 1
    let (one, other) = (max(0, min(last, row.place(from) >> 8)), max(0, min(last, row.place(to) >> 8)))
    var (light, dark) = unsafe (profile[one], profile[one])
    for index in min(one, other)...max(one, other) {
      light = unsafe max(light, profile[index])
      dark = unsafe min(dark, profile[index])
    }
    return (light, dark)
  }
}

/// The paper test at one end of a symbol.
@safe private struct PaperTest {
  let profile: UnsafePointer<Int32>
  let sampleCount: Int
  /// Four times the number of samples beyond the symbol's end that are paper.
  let reach: Int
  /// The number of samples before the end that show how light the spaces are.
  let inside: Int
  let divisor: Int
  /// How many times as fast as before the light may fade: on a cylinder, twice, as the surface turns away ever more.
  let trend: Int
  /// How much lighter one end of a symbol may be, as a divisor of the contrast at the other.
  static let glareDivisor = 2
  /// How much lighter the bars of the last guard may be than those of the first, and how much spaces and paper may differ, as divisors
  /// of the contrast of the weaker guard.
  static let guardDivisor = (bar: 6, paper: 4)
  /// The modules of a quiet zone whose light is compared: less than half of the least quiet zone of a UPC-E.
  static let quietModules = 3

  /// Whether the profile beyond `place`, up to a quarter of `reach`, is about as light as the lightest of the `inside`
  /// samples before it, allowing for the trend of the light there.
  func holds(beside place: Int, step: Int) -> Bool {
    let near = extremes(place, step, from: 0, to: inside)
    let far = extremes(place, step, from: inside, to: 2 * inside)
    guard let paper = paper(beside: place, step: step) else { return true }
    return near.light - paper <= (near.light - near.dark) / divisor + trend * max(0, far.light - near.light)
  }

  /// Whether the profile is much lighter at one end of a symbol than at the other, inside it or beyond.
  func glares(beside start: Int, and end: Int) -> Bool {
    let (first, last) = (extremes(start, -1, from: 0, to: inside), extremes(end, 1, from: 0, to: inside))
    let firstLight = max(first.light, paper(beside: start, step: -1) ?? first.light)
    let lastLight = max(last.light, paper(beside: end, step: 1) ?? last.light)
    let contrast = firstLight < lastLight ? first.light - first.dark : last.light - last.dark
    return abs(firstLight - lastLight) > contrast / PaperTest.glareDivisor
  }

  /// Whether the outermost two bars, which have the same widths at both ends, are as dark at the last end as at the first, and the space
  /// between them and the paper as light.
  ///
  /// Glare that hides the rest of a longer symbol lightens the last bars before it too, even where all spaces are white.
  func hasSameGuards(first: Int, last: Int, module: Int) -> Bool {
    let step = first < last ? 1 : -1
    let (begin, end) = (guardLevels(first, -step, module), guardLevels(last, step, module))
    let contrast = min(begin.space - max(begin.outer, begin.inner), end.space - max(end.outer, end.inner))
    let (barLimit, paperLimit) = (contrast / PaperTest.guardDivisor.bar, contrast / PaperTest.guardDivisor.paper)
    // A wide bar, which glare has narrowed, is darker than a narrow one that white paper outshines.
    return end.outer - begin.outer <= barLimit && begin.outer - end.outer <= paperLimit
      && end.inner - begin.inner <= barLimit
      && abs(begin.space - end.space) <= paperLimit && abs(begin.paper - end.paper) <= paperLimit
  }

  /// The level between the bars of the first guard and its space.
  func guardThreshold(first: Int, last: Int, module: Int) -> Int {
    let begin = guardLevels(first, first < last ? -1 : 1, module)
    return (begin.space + max(begin.outer, begin.inner)) / 2
  }

  /// The levels of the two outermost bars, of the space between them, and of the paper.
  private func guardLevels(_ place: Int, _ step: Int, _ module: Int) -> (outer: Int, space: Int, inner: Int, paper: Int) {
    (
      extremes(place, step, from: 0, to: module).dark, extremes(place, step, from: module, to: 2 * module).light,
      extremes(place, step, from: 2 * module, to: 3 * module).dark,
      extremes(place, -step, from: module, to: PaperTest.quietModules * module).light
    )
  }

  /// The mean beyond `place`; nil at the end of the line.
  private func paper(beside place: Int, step: Int) -> Int? {
    var sum = 0
    var count = 0
    for distance in (reach / 8)...(reach / 4) {
      let index = place &+ step &* distance
      guard index >= 0, index < sampleCount else { break }
      sum &+= unsafe Int(profile[index])
      count &+= 1
    }
    return count > 0 ? sum / count : nil
  }

  private func extremes(_ place: Int, _ step: Int, from near: Int, to far: Int) -> (light: Int, dark: Int) {
    var light = Int.min
    var dark = Int.max
    for distance in near...far {
      let index = max(0, min(sampleCount &- 1, place &- step &* distance))
      light = unsafe max(light, Int(profile[index]))
      dark = unsafe min(dark, Int(profile[index]))
    }
    return (light, dark)
  }
}
