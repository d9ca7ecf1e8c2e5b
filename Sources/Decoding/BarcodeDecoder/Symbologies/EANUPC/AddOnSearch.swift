// Finds the add-ons of a region's EAN and UPC symbols on separate lines, once the symbols are known, so that asking for
// add-ons does not change which symbols are read.

import BarcodeTypes

extension EANUPCReader {
  /// Least number of edges of a symbol with an add-on.
  private static let edgeCountMin = 24
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

  /// The AIM modifier of a symbol with add-on (ISO/IEC 15424), also of EAN-8, for which the standard has no separate one.
  private static let addOnModifier: UInt8 = 0x33

  /// Whether a symbol has the add-on that the settings require of its symbology.
  func isComplete(_ vote: LinearVote) -> Bool {
    settings.addOns != .require || !takesAddOn(vote) || vote.addOn >= 0
  }

  /// Whether a text is of a symbology that can have an add-on.
  private func takesAddOn(_ vote: LinearVote) -> Bool { EANShape(vote.candidate.symbology) != nil }

  /// Looks for the add-ons of the region's accepted EAN and UPC symbols, and notes them in the votes.
  mutating func findAddOns(_ scan: inout RegionScan, _ scene: inout Scene) {
    guard settings.addOns != .ignore, lacksAddOn(scan) else { return }
    let isStill = settings.effort == .still
    scene.budget.beginTask(isStill ? EANUPCReader.addOnWorkMax.still : EANUPCReader.addOnWorkMax.frame)
    followsSomething = settings.addOns == .require
    let placeCount = isStill ? EANUPCReader.addOnPlaceCounts.fine : EANUPCReader.addOnPlaceCounts.coarse
    for line in 0..<placeCount where lacksAddOn(scan) && !scene.budget.isExhausted {
      if line == EANUPCReader.addOnProbeCount, !followsSomething { break }
      readAddOnLine(line, place: EANUPCReader.addOnPlace(line), rowCountMax: 8, &scan, &scene)
    }
    for strip in 0..<3 where isStill && followsSomething && lacksAddOn(scan) && !scene.budget.isExhausted {
      readAddOnLine(
        placeCount + strip, place: EANUPCReader.addOnStripPlaces[strip], rowCountMax: EANUPCReader.addOnStripRowCountMax,
        &scan, &scene)
    }
    for index in 0..<scan.votes.count where scan.votes[index].isAccepted && takesAddOn(scan.votes[index]) {
      var vote = scan.votes[index]
      vote.addOn = addOn(of: vote, scan.addOns, isLast: true)
      if vote.addOn >= 0, vote.candidate.symbology != .ean8 { vote.candidate.aimModifier = EANUPCReader.addOnModifier }
      scan.votes[index] = vote
    }
  }

  /// The place of a line: 0, 2, -2, 4, -4 … 14, -14, then 1, -1, 3, -3 … 15, -15.
  private static func addOnPlace(_ line: Int) -> Int {
    let sign = line & 1 == 1 ? 1 : -1
    if line < addOnPlaceCounts.coarse { return (line + 1) / 2 * 2 * sign }
    return ((line - addOnPlaceCounts.coarse) / 2 * 2 + 1) * sign
  }

  /// Whether an accepted symbol still lacks an add-on that two lines agree on.
  private func lacksAddOn(_ scan: RegionScan) -> Bool {
    for index in 0..<scan.votes.count where scan.votes[index].isAccepted && takesAddOn(scan.votes[index]) {
      if addOn(of: scan.votes[index], scan.addOns, isLast: false) < 0 { return true }
    }
    return false
  }

  /// Reads the add-ons on a line at `place` 32nds of the region's height from its middle.
  private mutating func readAddOnLine(
    _ index: Int, place: Int, rowCountMax: Int, _ scan: inout RegionScan, _ scene: inout Scene
  ) {
    let region = scan.region
    let height = region.vMax - region.vMin
    let line = scan.sample(
      LineID(.addOns, index), v: (region.vMin + region.vMax) / 2 + place * height / 32,
      slope: index & 2 == 0 ? region.slope : 0,
      overhang: max(RegionScan.overhangMin, (region.uMax - region.uMin) / 4 * 3),
      rowCount: max(2, min(rowCountMax, height >> 17)), &scene)
    guard let line else { return }
    for rule in 0..<EdgeRule.count {
      let rule = EdgeRule(rawValue: rule)!
      if scan.isInverted, !rule.isForInverted { continue }
      scan.findEdges(line, by: rule)
      let (forward, backward) = scan.bothDirections(line)
      let isBefore = readAddOns(forward, &scan, &scene)
      let isBehind = readAddOns(backward, &scan, &scene)
      if isBefore || isBehind { return }
    }
  }

  /// Reads the add-ons after accepted symbols on a row of elements. Returns whether there was one.
  private mutating func readAddOns(_ line: DirectedRow, _ scan: inout RegionScan, _ scene: inout Scene) -> Bool {
    let row = line.row
    var isFound = false
    var index = row.beginsDark ? 0 : 1
    while index + EANUPCReader.edgeCountMin <= row.count {
      let first = index
      index += 2
      guard row.gapBefore(first) > row.width(first), row.gapBefore(first) > row.width(first + 1),
        let main = acceptedSymbol(line, from: first, scan), let shape = EANShape(main.symbology)
      else { continue }
      let end = first + shape.elementCount
      let module = (main.end - main.start) / shape.moduleCount
      guard EANUPC.isPerhapsFollowed(row, after: end, module: module) else { continue }
      followsSomething = true
      guard let addOn = EANUPC.readAddOn(row, after: end, module: module, spread: main.spread, into: scan.text) else {
        continue
      }
      let vote = line.vote(addOn)
      guard
        !addOn.isDoubtful || scan.addOns.index(of: vote, text: scan.text) != nil
          || verdict(on: addOn, .addOnOfTwo, line, from: end + 1, scan, &scene) == .shown
      else { continue }
      _ = scan.addOns.add(vote, text: scan.text)
      isFound = true
    }
    return isFound
  }

  /// The accepted EAN or UPC symbol that begins with an edge of a row; nil if none does.
  private func acceptedSymbol(_ line: DirectedRow, from first: Int, _ scan: RegionScan) -> LinearCandidate? {
    for index in EANShape.symbols.indices {
      let shape = EANShape.symbols[index]
      guard let found = EANUPC.read(line.row, from: first, shape: shape, into: scan.text) else { continue }
      let main = shape == .thirteen ? EANUPC.named(found, settings, scan.text) : found
      let vote = line.vote(main)
      if let known = scan.votes.index(of: vote, text: scan.text), scan.votes[known].isAccepted { return main }
    }
    return nil
  }

  /// Index of the symbol's add-on that two lines agree on, or a single line if `isLast`; -1 if there is no such add-on.
  private func addOn(of vote: LinearVote, _ addOns: LinearVotes, isLast: Bool) -> Int {
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
