// Linear symbols: scan lines through a striped region until their readings agree.

import BarcodeTypes

/// Reads the linear symbols of a picture, region by region.
@safe struct LinearReader {
  /// The most lines in a region, for a camera frame and for a still picture.
  private static let lineCountMax = (frame: 13, still: 15)
  /// Lines of a region after which a camera frame leaves it if none of them was read.
  private static let frameLineCountMax = 5
  /// Lines after which a still picture leaves a region without a trace of a symbol, for light bars on dark ground or once
  /// another symbol was read.
  private static let briefLineCountMax = 7
  /// Clear lines after which a region without a trace of a symbol is left.
  private static let clearLineCountMax = 5
  /// How far a region's slope may move a line along the bars before it matters: 8 pixels.
  private static let riseMax = 8 << 16
  /// The narrowest module of a text without any protection that is accepted from a reduced picture: two pixels.
  private static let moduleMin = 2 << 16
  /// The distance between rows of pixels.
  private static let rowDistance = 1 << 16
  /// Work units for measuring the bend of a line.
  private static let bendWork = 400
  /// The number of strips, for a camera frame and for a still picture, and the most lines of each.
  private static let stripCount = (frame: 2, still: 4)
  private static let stripRowCountMax = 24

  private let settings: DecoderSettings
  private var scan: RegionScan
  private var symbologies: LinearSymbologies
  private let posts: PostReader?
  /// Whether a line of the current region had enough edges for a symbol.
  private var isPromising = false
  /// Lines of the current region whose edges were clear.
  private var clearCount = 0
  /// Whether to try strips, and rows of stacked symbols, where single lines fail.
  private var readsStrips = false
  /// Whether a symbol of the current region is left to a larger picture.
  private(set) var isDeferred = false

  /// Takes the memory of a reader.
  init(_ scene: inout Scene) throws(ArenaFull) {
    settings = scene.settings
    scan = try RegionScan(&scene)
    symbologies = try LinearSymbologies(&scene)
    posts = try PostReader(&scene)
  }

  /// Reads the symbols of a region of the picture at a level. Returns the next attempt worth making, if any.
  mutating func read(_ region: inout StripeRegion, level: Int, _ attempt: Attempt, _ scene: inout Scene) -> Attempt? {
    readsStrips = attempt > .glance
    let known = scan.symbolCount
    scan.begin(region, level: level, isInverted: attempt == .inverted, scene)
    if attempt == .characters { readCharacters(&scene) } else { readRegion(&scene) }
    reportAccepted(&scene)
    region = scan.region
    if isPromising { scene.progress.reach(hasTrace ? .codewords : .grid) }
    if scan.symbolCount > known { return nil }
    // Light bars on dark ground are rare: look for them only if nothing else was found.
    let perhapsInverted: Attempt? = isPromising && scan.votes.count == 0 && scene.results.count == 0 ? .inverted : nil
    switch attempt {
    // A study includes everything that a look does, and a single picture has no next frame to leave the study to.
    case .glance: return isClearlyNone ? perhapsInverted : isPromising && settings.effort == .frame ? .look : .study
    case .look: return .study
    case .study: return settings.effort == .still && showsUnreadBars ? .characters : perhapsInverted
    case .characters: return scene.results.count == 0 ? .inverted : nil
    case .inverted: return nil
    }
  }

  /// Reads the symbols of the region unless known symbols already cover it.
  private mutating func readRegion(_ scene: inout Scene) {
    symbologies.beginRegion()
    isPromising = false
    clearCount = 0
    isDeferred = false
    if scan.isCovered(scene) { return }
    readLines(&scene)
    if readsStrips, scene.effort == .still, !scan.hasAccepted, isPromising, !scan.isInverted, !isClearlyNone,
      let curved = scan.curvedRegion(&scene)
    {
      let straight = scan.region
      scan.follow(curved)
      readLines(&scene)
      if !scan.hasAccepted { scan.follow(straight) }
    }
    if !scan.hasAccepted { symbologies.joinTracks(&scan, &scene) }
    if !scan.hasAccepted { posts?.read(&scan, &scene) }
    if !scan.hasAccepted, readsStrips || scan.scale == 1 {
      symbologies.readRows(&scan, isThorough: readsStrips && !scan.isInverted, isPromising: isPromising, &scene)
    }
    if readsStrips, !scan.hasAccepted, isPromising, !scan.isInverted, !isClearlyNone { readStrips(&scene) }
    symbologies.findAddOns(&scan, &scene)
  }

  /// Reports the region's accepted texts.
  private mutating func reportAccepted(_ scene: inout Scene) {
    for index in 0..<scan.votes.count where scan.votes[index].isAccepted && symbologies.isComplete(scan.votes[index]) {
      guard scan.scale == 1 || isWide(scan.votes[index]) else {
        isDeferred = true
        continue
      }
      scan.report(index, &scene)
    }
  }

  /// Whether a symbol's bars are wide enough to be believed in a reduced picture, where a larger one is available. For a text
  /// without protection, the bars are the only evidence.
  private func isWide(_ vote: LinearVote) -> Bool {
    guard vote.candidate.isUnprotected else { return true }
    return max(abs(vote.endX - vote.startX), abs(vote.endY - vote.startY))
      >= vote.candidate.endPart.of * LinearReader.moduleMin
  }

  /// Whether enough lines of the region were clear, without a trace of a symbol, to conclude that it shows no symbol.
  private var isClearlyNone: Bool { !hasTrace && clearCount >= LinearReader.clearLineCountMax }

  /// Whether the current region shows bars that could not be read: it has enough edges for a symbol, but they are not clear.
  var showsUnreadBars: Bool { isPromising && !scan.hasAccepted && !isClearlyNone && !scan.isInverted }

  /// Whether anything in the region was read as a symbol, or a piece of one.
  private var hasTrace: Bool { scan.votes.count > 0 || symbologies.hasTrace }

  /// Scans lines over the region, the middle first, until a text has enough of them. Then scans two lines far from the middle
  /// for further symbols in the region, and all the others if those two show a trace of one.
  private mutating func readLines(_ scene: inout Scene) {
    let isFrame = scene.effort == .frame
    let lineCount =
      scan.region.vMax - scan.region.vMin < LinearReader.rowDistance
      ? 1 : (isFrame ? LinearReader.lineCountMax.frame : LinearReader.lineCountMax.still)
    let isBrief = scan.isInverted || !scene.results.symbologies.isEmpty
    scan.isOnlyLine = lineCount == 1
    var line = 0
    var hasProbed = false
    while line < lineCount, !scan.hasAccepted, !scene.budget.isExhausted {
      // Alternately two lines with the slope and two without.
      readLine(
        line, of: lineCount, slope: line & 2 == 0 || scan.region.bow != 0 ? scan.region.slope : 0,
        scan.region.bow == 0 ? .lines : .curves, &scene)
      line += 1
      // A still picture is refined where the edges are not clear without it.
      if !isFrame, !scan.region.isRefined, clearCount < line { scan.refineDirection(&scene) }
      if hasTrace { continue }
      if isClearlyNone || isBrief && line >= LinearReader.briefLineCountMax {
        // The middle may be that of the component above a linear symbol, which is several times as high.
        guard !isFrame, !hasProbed, line < probe(lineCount) else { return }
        hasProbed = true
        for far in probe(lineCount)..<(probe(lineCount) + 2) {
          readLine(far, of: lineCount, slope: 0, .lines, &scene)
        }
        guard hasTrace else { return }
        continue
      }
      // For a frame, two lines without enough edges, or some without a trace of a symbol, are enough.
      if isFrame, (line == 2 && !isPromising) || line == LinearReader.frameLineCountMax { return }
      if isFrame, line == 1, isPromising { scan.refineDirection(&scene) }
    }
    if scan.hasAccepted { readRest(lineCount: lineCount, &scene) }
    if !isFrame, !scan.hasAccepted, hasTrace { readBetween(lineCount: lineCount, &scene) }
    scan.accept(isLast: true)
  }

  /// Scans the lines half-way between those already scanned, for a symbol that shows on few rows.
  private mutating func readBetween(lineCount: Int, _ scene: inout Scene) {
    for turn in 0..<slopeCount {
      // The odd places among twice as many.
      for line in 1...(2 * lineCount) where (line + 1) / 2 & 1 == 1 && !scan.hasAccepted && !scene.budget.isExhausted {
        readLine(line, of: 2 * lineCount + 1, slope: turn == 0 ? 0 : scan.region.slope, .linesBetween, &scene)
      }
    }
  }

  /// 2 if the region's slope may not be that of its symbols, in which case lines without slope are scanned as well. Symbols
  /// of different lengths or shades give a region a slope although their own is 0.
  private var slopeCount: Int {
    (abs(scan.region.slope) >> 4) * ((scan.region.uMax - scan.region.uMin) >> 12) > LinearReader.riseMax ? 2 : 1
  }

  /// The first of the two lines that lie five sixteenths of a region's height away from its middle.
  private func probe(_ lineCount: Int) -> Int { (lineCount + 1) * 5 / 16 * 2 - 1 }

  /// Scans the lines five sixteenths of a region's height away from its middle, and all others if these found a trace of
  /// another symbol.
  private mutating func readRest(lineCount: Int, _ scene: inout Scene) {
    let probe = probe(lineCount)
    for turn in 0..<slopeCount {
      let slope = turn == 0 ? 0 : scan.region.slope
      for far in probe..<(probe + 2) where far < lineCount && !scene.budget.isExhausted {
        readLine(far, of: lineCount, slope: slope, .lines, &scene)
      }
      for line in 0..<lineCount where line != probe && line != probe + 1 && scan.votes.hasOpen && !scene.budget.isExhausted {
        readLine(line, of: lineCount, slope: slope, .lines, &scene)
      }
    }
  }

  /// Reads one of `lineCount` lines over the region and accepts the texts with enough lines.
  private mutating func readLine(
    _ index: Int, of lineCount: Int, slope: Int, _ series: LineID.Series, _ scene: inout Scene
  ) {
    let region = scan.region
    let height = region.vMax - region.vMin
    // 0, 1, -1, 2, -2 ... sixteenths of the height from the middle.
    let place = (index + 1) / 2 * (index & 1 == 1 ? 1 : -1)
    let id = LineID(series, index)
    let line = scan.sample(
      id, v: (region.vMin + region.vMax) / 2 + place * height / (lineCount + 1), slope: slope, overhang: overhang,
      rowCount: height < 16 << 16 ? max(2, height >> 17) : 8, &scene)
    if let line { readEdges(line, &scene) }
    symbologies.joinPieces(id, &scan)
    scan.accept(isLast: false)
  }

  /// How far a line extends beyond the region on either side.
  private var overhang: Int { max(RegionScan.overhangMin, (scan.region.uMax - scan.region.uMin) / 4) }

  /// Reads a line by its edges, found by each rule in turn until the texts cover most of the region.
  private mutating func readEdges(_ line: RegionLine, countsFaint: Bool = false, _ scene: inout Scene) {
    var bend: RowBend?
    for rule in 0..<EdgeRule.count {
      let rule = EdgeRule(rawValue: rule)!
      // Light-on-dark symbols were designed that way: blur and ink are not the problem there.
      if scan.isInverted, !rule.isForInverted { continue }
      scan.findEdges(line, by: rule, countsFaint: countsFaint)
      let hasEnough = scan.row.count >= symbologies.edgeCountMin
      guard hasEnough || scan.row.count >= symbologies.shortEdgeCountMin else {
        // A frame trusts the first rule that there is nothing.
        if scene.effort == .frame, !isPromising { return }
        continue
      }
      if rule == .vertex, hasEnough, scan.row.isClear { clearCount += 1 }
      // Sharpened noise has enough edges everywhere.
      if rule.sharpeningReach == 0, hasEnough { isPromising = true }
      if readElements(line, &scene) { return }
      if rule == .vertex, scene.effort == .still, !scan.isInverted, scene.budget.spend(LinearReader.bendWork) {
        bend = scan.row.measuredBend()
      }
      if let bend {
        scan.unroll(bend)
        if readElements(line, &scene) { return }
      }
      if !hasEnough, scene.effort == .frame, !isPromising { return }
    }
  }

  /// Reads the current line's elements in both directions. Returns whether the texts cover most of the region.
  private mutating func readElements(_ line: RegionLine, _ scene: inout Scene) -> Bool {
    let (forward, backward) = scan.bothDirections(line)
    var length: Int32 = 0
    if forward.row.bend == nil { length += symbologies.readTracks(forward) + symbologies.readTracks(backward) }
    length += readRow(forward, &scene)
    length += readRow(backward, &scene)
    length += symbologies.readPieces(forward, &scan)
    length += symbologies.readPieces(backward, &scan)
    // A third of the line is half of the region.
    return length * 3 > scan.row.length
  }

  /// Tries every symbology at every dark edge. Returns the length of the line that was read, in samples times 256.
  private mutating func readRow(_ row: DirectedRow, _ scene: inout Scene) -> Int32 {
    let elements = row.row
    var readLength: Int32 = 0
    var index = elements.beginsDark ? 0 : 1
    while index + symbologies.shortEdgeCountMin <= elements.count {
      // A quiet zone is wider than the elements after it.
      let gap = elements.gapBefore(index)
      if gap > elements.width(index), gap > elements.width(index + 1),
        let candidate = symbologies.read(elements, from: index, into: scan.text),
        settings.wants(candidate.symbology),
        settings.lengths[candidate.symbology].contains(candidate.limitedCount ?? candidate.byteCount),
        scan.isOnPaper(candidate, row), let vote = vote(for: candidate, row, from: index, &scene)
      {
        _ = scan.votes.add(vote, text: scan.text)
        readLength += candidate.end - candidate.start
      }
      index += 2
    }
    return readLength
  }

  /// The vote of a line for the text that was read last; nil if its characters are in doubt, no other line has read it, and the grey
  /// values deny it.
  private mutating func vote(
    for candidate: LinearCandidate, _ row: DirectedRow, from first: Int, _ scene: inout Scene
  ) -> LinearVote? {
    var vote = row.vote(candidate)
    guard candidate.isDoubtful, scan.votes.index(of: vote, text: scan.text) == nil else { return vote }
    switch symbologies.verdict(on: candidate, row, from: first, scan, &scene) {
    case .shown: vote.candidate.isDoubtful = false
    case .denied: return nil
    case .unclear: break
    }
    return vote
  }

  /// Reads the region by strips of many lines each, where single lines fail: first by their edges, which stand out of more
  /// noise, then by their grey values, where blur has merged the edges, and in a still picture by faint edges.
  private mutating func readStrips(_ scene: inout Scene) {
    for strip in 0..<(scene.effort == .still ? LinearReader.stripCount.still : LinearReader.stripCount.frame) {
      guard !scene.budget.isExhausted else { return }
      guard let line = sampleStrip(strip, &scene) else { continue }
      readEdges(line, &scene)
      scan.accept(isLast: strip == 3)
      if scan.hasAccepted { return }
      symbologies.readGreyValues(line, &scan, &scene)
      scan.accept(isLast: false)
      if scan.hasAccepted { return }
      guard scene.effort == .still else { continue }
      readEdges(line, countsFaint: true, &scene)
      scan.accept(isLast: false)
      if scan.hasAccepted { return }
    }
  }

  /// Samples one of the strips: in the middle, a quarter of the height before and behind it, and in the middle without slope.
  private mutating func sampleStrip(_ strip: Int, _ scene: inout Scene) -> RegionLine? {
    let region = scan.region
    let height = region.vMax - region.vMin
    let place = strip == 1 ? 1 : (strip == 2 ? -1 : 0)
    return scan.sample(
      LineID(.strips, strip), v: (region.vMin + region.vMax) / 2 + place * height / 4,
      slope: strip < 3 ? region.slope : 0, overhang: overhang,
      rowCount: max(2, min(LinearReader.stripRowCountMax, height >> 17)), &scene)
  }

  /// Reads the region's strips by the grey values of their characters.
  private mutating func readCharacters(_ scene: inout Scene) {
    symbologies.beginRegion()
    isPromising = false
    clearCount = 0
    isDeferred = false
    if scan.isCovered(scene) { return }
    for strip in 0..<LinearReader.stripCount.still where !scan.hasAccepted && !scene.budget.isExhausted {
      guard let line = sampleStrip(strip, &scene) else { continue }
      if symbologies.readCharacters(line, &scan, &scene) { isPromising = true }
      // Two strips without a trace of a symbol are enough.
      if strip > 0, !isPromising { return }
      scan.accept(isLast: strip == LinearReader.stripCount.still - 1)
    }
  }
}
