// One line of a region: its grey profile, its edges by each rule in turn, and every symbology at every edge that may begin a
// symbol.

import BarcodeTypes

extension LinearReader {
  /// The grey of a white pixel in a profile.
  private static let white: Int32 = 255 << 6
  /// Work units for comparing a text with the grey values: half of those for reading it from them.
  private static let checkWork = 5_000

  /// Samples the profile; returns the line with its padding, or nil if it is too short or the budget is spent.
  mutating func sample(_ original: ScanLine, _ luma: LumaView, _ scene: inout Scene) -> ScanLine? {
    var scan = original
    guard scan.count >= 60, scene.budget.spend(scan.count * (scan.rowCount * 12 + 90) / 100) else { return nil }
    unsafe scan.read(luma, into: profile)
    // Padding counts as paper, so dark ground gets none.
    row.paddingBefore = scan.isCutBefore ? Int32(ScanLine.paddingCount << 8) : 0
    row.paddingAfter = scan.isCutAfter ? Int32(ScanLine.paddingCount << 8) : 0
    unsafe scan.pad(profile)
    if isInverted {
      for index in 0..<scan.count { unsafe profile[index] = LinearReader.white &- profile[index] }
    }
    return scan
  }

  /// Reads the profile by its edges, found by each rule in turn until the texts cover most of the region.
  mutating func readEdges(_ scan: ScanLine, line: Int, v: Int, _ scene: inout Scene) {
    for rule in 0..<EdgeRule.count {
      let rule = EdgeRule(rawValue: rule)!
      // Light-on-dark symbols were designed that way: blur and ink are not the problem there.
      if isInverted, !rule.isForInverted { continue }
      unsafe row.find(in: profile, sampleCount: scan.count, rule: rule)
      guard row.count >= edgeCountMin else {
        // A frame trusts the first rule that there is nothing.
        if scene.effort == .frame, !isPromising { return }
        continue
      }
      if rule == .vertex, row.isClear { clearCount += 1 }
      // Sharpened noise has enough edges everywhere.
      if rule.sharpeningReach == 0 { isPromising = true }
      reversed.setReversed(row)
      var forward = readRow(row, isReversed: false, scan, line: line, v: v, &scene)
      var backward = readRow(reversed, isReversed: true, scan, line: line, v: v, &scene)
      if settings.wantsDataBar {
        forward += readDataBar(row, isReversed: false, scan, line: line, v: v)
        backward += readDataBar(reversed, isReversed: true, scan, line: line, v: v)
      }
      // A third of the line is half of the region.
      if (forward + backward) * 3 > Int32(truncatingIfNeeded: scan.count) << 8 { return }
    }
  }

  /// Tries every symbology at every dark edge. Returns the length of the line that was read, in samples times 256.
  private mutating func readRow(
    _ row: ElementRow, isReversed: Bool, _ scan: ScanLine, line: Int, v: Int, _ scene: inout Scene
  ) -> Int32 {
    var readLength: Int32 = 0
    var index = row.beginsDark ? 0 : 1
    while index + edgeCountMin <= row.count {
      // A quiet zone is wider than the elements after it.
      let gap = row.gapBefore(index)
      if gap > row.width(index), gap > row.width(index + 1), let candidate = unsafe readSymbol(row, from: index),
        isWanted(candidate), isBelievable(candidate, row, isReversed: isReversed, scan),
        case let vote = makeVote(candidate, row, isReversed: isReversed, scan, line: line, v: v),
        unsafe !candidate.isDoubtful || votes.index(of: vote, text: text) != nil
          || isConfirmed(candidate, EANShape(candidate.symbology), row, from: index, isReversed: isReversed, scan, &scene)
      {
        unsafe _ = votes.add(vote, text: text)
        readLength += candidate.end - candidate.start
      }
      index += 2
    }
    return readLength
  }

  /// Whether the settings accept a text's length.
  private func isWanted(_ candidate: LinearCandidate) -> Bool {
    settings.lengths[candidate.symbology].contains(candidate.limitedCount ?? candidate.byteCount)
  }

  /// Whether digits that the edges leave in doubt are confirmed: the grey values show them or, if the grey values are
  /// unclear, the edges fit well. Digits that another line read without doubt need no confirmation.
  mutating func isConfirmed(
    _ candidate: LinearCandidate, _ shape: EANShape?, _ row: ElementRow, from first: Int, isReversed: Bool,
    _ scan: ScanLine, _ scene: inout Scene
  ) -> Bool {
    guard let shape, scene.budget.spend(LinearReader.checkWork) else { return false }
    if isReversed { reverseProfile(scan.count) }
    let verdict = unsafe templates.verdict(
      on: DigitDecision(candidate, text, shape), isReversed ? reversedProfile : profile, count: scan.count, row, from: first,
      shape: shape)
    return switch verdict {
    case .shown: true
    case .denied: false
    case .unclear: !shape.isAddOn && candidate.misfit < LinearReader.loneMisfitMax
    }
  }

  /// Whether the symbol lies on its own paper on both sides: about as light as its spaces.
  ///
  /// Start and stop of Interleaved 2 of 5 are so short that one piece in some hundreds happens to end with them too; another
  /// surface begins there. The same holds where light stripes on a darker table look like bars.
  private func isBelievable(_ candidate: LinearCandidate, _ row: ElementRow, isReversed: Bool, _ scan: ScanLine) -> Bool {
    // A light-on-dark symbol has whole bars, and the dark ground of a label is not a quiet zone.
    if isInverted, candidate.symbology == .codabar, candidate.isPerhapsPiece { return false }
    let isInterleaved = candidate.symbology == .itf || candidate.symbology == .itf14
    let start = Int(isReversed ? row.length - candidate.end : candidate.start) >> 8
    let end = Int(isReversed ? row.length - candidate.start : candidate.end) >> 8
    // For Interleaved 2 of 5, a pair of digits: start and stop have 9 modules at a ratio of 3, a pair 18. For the others, a
    // character or two.
    let reach = max(8, isInterleaved ? 18 * (end - start) / (9 + 9 * candidate.byteCount) : (end - start) / 6)
    let isWeak = isInverted || candidate.symbology.protection.needsClearPaper
    let divisor =
      isInterleaved && !candidate.hasCheckDigit
      ? LinearReader.paperDivisor.unchecked : (isWeak ? LinearReader.paperDivisor.checked : LinearReader.paperDivisor.any)
    // Narrow spaces, which blur darkens, do not show how light the paper is.
    let inside = candidate.isPerhapsPiece ? 2 * reach : reach
    return hasPaper(beside: start, step: -1, reach: reach, inside: inside, sampleCount: scan.count, divisor)
      && hasPaper(beside: end, step: 1, reach: reach, inside: inside, sampleCount: scan.count, divisor)
  }

  /// Whether the profile beyond `place`, up to a quarter of `reach`, is about as light as the lightest of the `inside`
  /// samples before it, allowing for the trend of the light there.
  private func hasPaper(
    beside place: Int, step: Int, reach: Int, inside: Int, sampleCount: Int, _ divisor: Int
  ) -> Bool {
    func extremes(from near: Int, to far: Int) -> (light: Int, dark: Int) {
      var light = Int.min
      var dark = Int.max
      for distance in near...far {
        let index = max(0, min(sampleCount &- 1, place &- step &* distance))
        light = unsafe max(light, Int(profile[index]))
        dark = unsafe min(dark, Int(profile[index]))
      }
      return (light, dark)
    }
    let near = extremes(from: 0, to: inside)
    let far = extremes(from: inside, to: 2 * inside)
    var sum = 0
    var count = 0
    for distance in (reach / 8)...(reach / 4) {
      let index = place &+ step &* distance
      guard index >= 0, index < sampleCount else { break }
      sum &+= unsafe Int(profile[index])
      count &+= 1
    }
    guard count > 0 else { return true }
    return near.light - sum / count <= (near.light - near.dark) / divisor + max(0, far.light - near.light)
  }

  /// The first symbology that reads a symbol from an edge, longer symbols before those that fit into pieces of them.
  @unsafe private func readSymbol(_ row: ElementRow, from first: Int) -> LinearCandidate? {
    if settings.wants(.ean13) || settings.wants(.upca),
      let found = unsafe EANUPC.read(row, from: first, shape: .thirteen, into: text)
    {
      return unsafe asUPCA(found)
    }
    if settings.wants(.code128), let found = unsafe Code128.read(row, from: first, into: text) { return found }
    if settings.wants(.code93), let found = unsafe Code93.read(row, from: first, into: text) { return found }
    if settings.wants(.code39), let found = unsafe Code39.read(row, from: first, settings, into: text) { return found }
    if settings.wants(.ean8), let found = unsafe EANUPC.read(row, from: first, shape: .eight, into: text) { return found }
    if settings.wants(.upce), let found = unsafe EANUPC.read(row, from: first, shape: .zeroSuppressed, into: text) {
      return found
    }
    if settings.wants(.codabar), let found = unsafe Codabar.read(row, from: first, settings, into: text) { return found }
    if settings.wantsInterleaved, let found = unsafe InterleavedTwoOfFive.read(row, from: first, settings, into: text) {
      return found
    }
    if settings.wants(.msi), let found = unsafe MSI.read(row, from: first, settings, into: text) { return found }
    return nil
  }

  mutating func vote(
    _ candidate: LinearCandidate, _ row: ElementRow, isReversed: Bool, _ scan: ScanLine, line: Int, v: Int
  ) {
    unsafe _ = votes.add(makeVote(candidate, row, isReversed: isReversed, scan, line: line, v: v), text: text)
  }

  /// Makes a line's vote, with its ends as places in the picture.
  func makeVote(
    _ candidate: LinearCandidate, _ row: ElementRow, isReversed: Bool, _ scan: ScanLine, line: Int, v: Int
  ) -> LinearVote {
    let from = scan.point(at: Int(isReversed ? row.length - candidate.start : candidate.start))
    let to = scan.point(at: Int(isReversed ? row.length - candidate.end : candidate.end))
    return LinearVote(
      candidate: candidate, lineCount: 1, lastLine: line, startX: from.x, startY: from.y, endX: to.x, endY: to.y, v: v,
      vMin: v, vMax: v)
  }
}
