// Finds the add-ons of a region's EAN and UPC symbols on separate lines, once the symbols are known, so that asking for
// add-ons does not change which symbols are read.

import BarcodeTypes

extension LinearReader {
  /// Lines after which the search ends if nothing follows the symbols on any of them, unless add-ons are required.
  private static let addOnProbeCount = 5
  /// Work units of the search in one region of a camera frame, and of a still picture.
  private static let addOnWorkMax = (frame: 40_000, still: 300_000)
  /// Places of lines across a region's height, in 32nds of it from the middle: first every second place, then those in
  /// between.
  private static let addOnPlaceCounts = (coarse: 15, fine: 31)
  /// Places of strips of many rows, for add-ons that noise hides on single lines, and the pixels averaged for one sample.
  private static let addOnStripPlaces: [3 of Int] = [0, 8, -8]
  private static let addOnStripRowCountMax = 24

  /// Whether a text is of a symbology that can have an add-on.
  func takesAddOn(_ vote: LinearVote) -> Bool { EANShape(vote.candidate.symbology) != nil }

  /// Looks for the add-ons of the region's accepted EAN and UPC symbols, and notes them in the votes.
  mutating func findAddOns(_ region: StripeRegion, _ luma: LumaView, _ scene: inout Scene) {
    guard lacksAddOn else { return }
    let isStill = settings.effort == .still
    scene.budget.beginTask(isStill ? LinearReader.addOnWorkMax.still : LinearReader.addOnWorkMax.frame)
    followsSomething = settings.addOns == .require
    let placeCount = isStill ? LinearReader.addOnPlaceCounts.fine : LinearReader.addOnPlaceCounts.coarse
    for line in 0..<placeCount where lacksAddOn && !scene.budget.isExhausted {
      if line == LinearReader.addOnProbeCount, !followsSomething { break }
      readAddOnLine(line, place: LinearReader.addOnPlace(line), rowCountMax: 8, region, luma, &scene)
    }
    for strip in 0..<3 where isStill && followsSomething && lacksAddOn && !scene.budget.isExhausted {
      readAddOnLine(
        placeCount + strip, place: LinearReader.addOnStripPlaces[strip], rowCountMax: LinearReader.addOnStripRowCountMax,
        region, luma, &scene)
    }
    for index in 0..<votes.count where votes[index].isAccepted && takesAddOn(votes[index]) {
      votes[index].addOn = addOn(of: votes[index], isLast: true)
    }
  }

  /// The place of a line: 0, 2, -2, 4, -4 … 14, -14, then 1, -1, 3, -3 … 15, -15.
  private static func addOnPlace(_ line: Int) -> Int {
    let sign = line & 1 == 1 ? 1 : -1
    if line < addOnPlaceCounts.coarse { return (line + 1) / 2 * 2 * sign }
    return ((line - addOnPlaceCounts.coarse) / 2 * 2 + 1) * sign
  }

  /// Whether an accepted symbol still lacks an add-on that two lines agree on.
  private var lacksAddOn: Bool {
    for index in 0..<votes.count where votes[index].isAccepted && takesAddOn(votes[index]) {
      if addOn(of: votes[index], isLast: false) < 0 { return true }
    }
    return false
  }

  /// Reads the add-ons on a line at `place` 32nds of the region's height from its middle.
  private mutating func readAddOnLine(
    _ line: Int, place: Int, rowCountMax: Int, _ region: StripeRegion, _ luma: LumaView, _ scene: inout Scene
  ) {
    let height = region.vMax - region.vMin
    let overhang = max(LinearReader.overhangMin, (region.uMax - region.uMin) / 4 * 3)
    let v = (region.vMin + region.vMax) / 2 + place * height / 32
    let original = ScanLine(
      region, v: v, slope: line & 2 == 0 ? region.slope : 0, from: region.uMin - overhang, to: region.uMax + overhang,
      rowCount: max(2, min(rowCountMax, height >> 17)), in: luma)
    guard let scan = sample(original, luma, &scene) else { return }
    for rule in 0..<EdgeRule.count {
      let rule = EdgeRule(rawValue: rule)!
      if isInverted, !rule.isForInverted { continue }
      unsafe row.find(in: profile, sampleCount: scan.count, rule: rule)
      reversed.setReversed(row)
      let forward = readAddOns(row, isReversed: false, scan, line: line, v: v, &scene)
      let backward = readAddOns(reversed, isReversed: true, scan, line: line, v: v, &scene)
      if forward || backward { return }
    }
  }

  /// Reads the add-ons after accepted symbols on a row of elements. Returns whether there was one.
  private mutating func readAddOns(
    _ row: ElementRow, isReversed: Bool, _ scan: ScanLine, line: Int, v: Int, _ scene: inout Scene
  ) -> Bool {
    var isFound = false
    var index = row.beginsDark ? 0 : 1
    while index + edgeCountMin <= row.count {
      let first = index
      index += 2
      guard row.gapBefore(first) > row.width(first), row.gapBefore(first) > row.width(first + 1),
        let main = acceptedSymbol(row, from: first, isReversed: isReversed, scan, line: line, v: v),
        let shape = EANShape(main.symbology)
      else { continue }
      let end = first + shape.elementCount
      let module = (main.end - main.start) / shape.moduleCount
      guard EANUPC.isPerhapsFollowed(row, after: end, module: module) else { continue }
      followsSomething = true
      guard let addOn = unsafe EANUPC.readAddOn(row, after: end, module: module, spread: main.spread, into: text) else {
        continue
      }
      let vote = makeVote(addOn, row, isReversed: isReversed, scan, line: line, v: v)
      guard
        unsafe !addOn.isDoubtful || addOns.index(of: vote, text: text) != nil
          || isConfirmed(addOn, .addOnOfTwo, row, from: end + 1, isReversed: isReversed, scan, &scene)
      else { continue }
      unsafe _ = addOns.add(vote, text: text)
      isFound = true
    }
    return isFound
  }

  /// The accepted EAN or UPC symbol that begins with an edge of a row; nil if none does.
  private mutating func acceptedSymbol(
    _ row: ElementRow, from first: Int, isReversed: Bool, _ scan: ScanLine, line: Int, v: Int
  ) -> LinearCandidate? {
    for shape in 0..<3 {
      let shape: EANShape = shape == 0 ? .thirteen : (shape == 1 ? .eight : .zeroSuppressed)
      guard let found = unsafe EANUPC.read(row, from: first, shape: shape, into: text) else { continue }
      guard let main = shape == .thirteen ? unsafe asUPCA(found) : found else { continue }
      let vote = makeVote(main, row, isReversed: isReversed, scan, line: line, v: v)
      if let known = unsafe votes.index(of: vote, text: text), votes[known].isAccepted { return main }
    }
    return nil
  }

  /// Index of the symbol's add-on that two lines agree on, or a single line if `isLast`; -1 if there is no such add-on.
  private func addOn(of vote: LinearVote, isLast: Bool) -> Int {
    var best = -1
    var bestCount = isLast ? 0 : 1
    for index in 0..<addOns.count where addOns[index].lineCount > bestCount {
      let addOn = addOns[index]
      // It begins shortly after the symbol's end, in reading direction.
      let spanX = (vote.endX - vote.startX) >> 12
      let spanY = (vote.endY - vote.startY) >> 12
      let along = spanX * ((addOn.startX - vote.endX) >> 12) + spanY * ((addOn.startY - vote.endY) >> 12)
      let square = spanX * spanX + spanY * spanY
      guard along > 0, along * 3 < square else { continue }
      best = index
      bestCount = addOn.lineCount
    }
    return best
  }
}
