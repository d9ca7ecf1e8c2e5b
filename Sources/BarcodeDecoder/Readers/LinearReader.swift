// Linear symbols: scan lines through a striped region until their readings agree.

import BarcodeTypes

/// The scan lines of a picture and the texts read from them.
@safe struct LinearReader {
  /// The most lines in a region, for a camera frame and for a still picture.
  static let lineCountMax = (frame: 13, still: 15)
  /// Lines of a region after which a camera frame leaves it if none of them was read.
  static let frameLineCountMax = 5
  /// Lines after which a still picture leaves a region without a trace of a symbol, for light bars on dark ground or once
  /// another symbol was read.
  static let briefLineCountMax = 7
  /// Clear lines after which a region without a trace of a symbol is left.
  static let clearLineCountMax = 5
  /// Mean misfit below which a single line is believed if no other contradicts it: 0.12 square modules.
  static let loneMisfitMax: Int32 = 7864
  /// Least number of edges for a symbol: an EAN-8 has 44, the shortest Code 128 26, the shortest Codabar 24. Two digits of
  /// Interleaved 2 of 5, if the settings allow them, have 18.
  private static let edgeCountMin = (any: 24, twoDigits: 18)
  /// The least distance by which lines extend beyond their region on either side: 30 pixels.
  static let overhangMin = 30 << 16
  /// Pictures with a side of fewer pixels, two rows of tiles, are read as one region, because their stripes fill no tile.
  private static let stripSideMax = 16
  /// How far a region's slope may move a line along the bars before it matters: 8 pixels.
  private static let riseMax = 8 << 16
  /// Number of directions tried on either side of the region's own, and the step between them: 0.75 degrees, in 65536ths of
  /// a turn.
  private static let leanStepCount = 4
  private static let leanStep = 137
  /// Most rounds of refining a direction; a round follows if the best direction was the last one tried.
  private static let leanRoundCountMax = 3
  /// Pixels along the bars over which a direction is judged.
  private static let leanRowCount = 16
  /// How much darker than its spaces a symbol's quiet zone may be, as a divisor of its contrast; more is allowed where light
  /// fades. A third rules out quiet zones that sharpening creates next to dark ground. A twelfth applies to UPC-E, Codabar,
  /// MSI, light-on-dark symbols and Interleaved 2 of 5 with a right check digit; a twenty-fourth to Interleaved 2 of 5
  /// without one.
  static let paperDivisor = (any: 3, checked: 12, unchecked: 24)
  /// The narrowest module of an Interleaved 2 of 5 without check digit that is accepted from a reduced picture: two pixels.
  private static let moduleMin = 2 << 16
  /// The distance between rows of pixels.
  private static let rowDistance = 1 << 16

  let settings: DecoderSettings
  /// Least number of edges for a symbol.
  let edgeCountMin: Int
  let profile: UnsafeMutablePointer<Int32>
  let text: UnsafeMutablePointer<UInt8>
  var row: ElementRow
  var reversed: ElementRow
  var votes: LinearVotes
  /// Add-ons, and which lines saw them.
  var addOns: LinearVotes
  /// Whether a symbol of the current region is followed by elements that may be an add-on.
  var followsSomething = false
  var dataBar: DataBarLines
  var templates: TemplateReader
  let reversedProfile: UnsafeMutablePointer<Int32>
  let outlines: BarOutline.Memory
  /// Whether the current region is a single row of pixels, so that no second line can confirm it.
  var isOnlyLine = false
  /// Whether a line of the current region had enough edges for a symbol.
  var isPromising = false
  /// Lines of the current region whose edges were clear.
  var clearCount = 0
  /// Whether to try strips, and rows of stacked symbols, where single lines fail.
  private var readsStrips = false
  /// Whether to look for light bars on dark ground.
  var isInverted = false
  /// Whether a symbol of the current region was accepted.
  var hasAccepted = false
  /// Whether a symbol of the current region is left to a larger picture.
  private(set) var isDeferred = false
  /// Number of symbols reported.
  var symbolCount = 0

  /// Takes the memory of a reader.
  init(_ scene: inout Scene) throws(ArenaFull) {
    unsafe profile = try scene.arena.take(Int32.self, count: ScanLine.sampleCountMax)
    unsafe text = try scene.arena.take(UInt8.self, count: LinearCandidate.byteCountMax)
    row = try ElementRow(arena: &scene.arena)
    reversed = try ElementRow(arena: &scene.arena)
    votes = try LinearVotes(arena: &scene.arena)
    addOns = try LinearVotes(arena: &scene.arena)
    dataBar = try DataBarLines(arena: &scene.arena)
    templates = try TemplateReader(arena: &scene.arena)
    unsafe reversedProfile = try scene.arena.take(Int32.self, count: ScanLine.sampleCountMax)
    outlines = try BarOutline.Memory(arena: &scene.arena)
    settings = scene.settings
    edgeCountMin =
      settings.wantsInterleaved && settings.lengths[.itf].contains(2)
      ? LinearReader.edgeCountMin.twoDigits : LinearReader.edgeCountMin.any
  }

  /// The region of a picture too low or too narrow for tiles: its bars run across it. Nil for any other picture.
  static func strip(_ luma: LumaView) -> StripeRegion? {
    guard min(luma.width, luma.height) < LinearReader.stripSideMax else { return nil }
    let isUpright = luma.width < luma.height
    var region = StripeRegion(
      centerX: (luma.width - 1) << 15, centerY: (luma.height - 1) << 15,
      direction: BinaryAngle(bits: isUpright ? 1 << 14 : 0), tileCount: 1, energy: 0)
    region.uMax = (max(luma.width, luma.height) - 1) << 15
    region.uMin = -region.uMax
    region.vMax = (min(luma.width, luma.height) - 1) << 15
    region.vMin = -region.vMax
    return region
  }

  /// Reads the symbols of a region of the picture at a level. Returns the next attempt worth making, if any.
  mutating func read(_ region: inout StripeRegion, level: Int, _ attempt: Attempt, _ scene: inout Scene) -> Attempt? {
    isInverted = attempt == .inverted
    readsStrips = attempt > .glance
    let known = symbolCount
    readRegion(&region, scene.levels.picture(level).view, &scene, scale: 1 << level)
    if symbolCount > known { return nil }
    // Light bars on dark ground are rare: look for them only if nothing else was found.
    let perhapsInverted: Attempt? = isPromising && votes.count == 0 && scene.results.count == 0 ? .inverted : nil
    switch attempt {
    // A study includes everything that a look does, and a single picture has no next frame to leave the study to.
    case .glance: return isClearlyNone ? perhapsInverted : isPromising && settings.effort == .frame ? .look : .study
    case .look: return .study
    case .study: return perhapsInverted
    case .inverted: return nil
    }
  }

  /// Reads the symbols of a region unless known symbols already cover it.
  private mutating func readRegion(_ region: inout StripeRegion, _ luma: LumaView, _ scene: inout Scene, scale: Int) {
    votes.removeAll()
    addOns.removeAll()
    dataBar.removeAll()
    isPromising = false
    clearCount = 0
    hasAccepted = false
    isDeferred = false
    if isCovered(region, scene, scale: scale) { return }
    readLines(&region, luma, &scene)
    // At full size first: rows are low, and those of a neighbour are easily mistaken for this one's.
    if !hasAccepted, readsStrips || scale == 1,
      dataBar.hasBeginning || readsStrips && !isInverted && seesDataBarRows(region, luma, &scene)
    {
      readDataBarRows(region, luma, &scene)
    }
    if readsStrips, !hasAccepted, isPromising, !isInverted, !isClearlyNone { readStrips(region, luma, &scene) }
    if settings.addOns != .ignore { findAddOns(region, luma, &scene) }
    for index in 0..<votes.count where votes[index].isAccepted {
      guard settings.addOns != .require || !takesAddOn(votes[index]) || votes[index].addOn >= 0 else { continue }
      guard scale == 1 || isWide(votes[index]) else {
        isDeferred = true
        continue
      }
      commit(votes[index], index, region, luma, &scene, scale: scale)
    }
  }

  /// Whether a symbol's bars are wide enough to be believed in a reduced picture, where a larger one is available. For an
  /// Interleaved 2 of 5 without check digit, the bars are the only evidence.
  private func isWide(_ vote: LinearVote) -> Bool {
    guard vote.candidate.symbology == .itf, !vote.candidate.hasCheckDigit else { return true }
    let moduleCount = 9 * vote.candidate.byteCount + 9
    return max(abs(vote.endX - vote.startX), abs(vote.endY - vote.startY)) >= moduleCount * LinearReader.moduleMin
  }

  /// Whether enough lines of the region were clear, without a trace of a symbol, to conclude that it shows no symbol.
  private var isClearlyNone: Bool { !hasTrace && clearCount >= LinearReader.clearLineCountMax }

  /// Whether the current region shows bars that could not be read: it has enough edges for a symbol, but they are not clear.
  var showsUnreadBars: Bool { isPromising && !hasAccepted && !isClearlyNone && !isInverted }

  /// Whether anything in the region was read as a symbol, or a piece of one.
  var hasTrace: Bool { votes.count > 0 || dataBar.hasTrace }

  /// Whether the middles of a region's four quarters all lie in symbols already read.
  private func isCovered(_ region: StripeRegion, _ scene: borrowing Scene, scale: Int) -> Bool {
    let cosine = Int(region.direction.cosine.bits)
    let sine = Int(region.direction.sine.bits)
    for quarter in 0..<4 {
      let u = region.uMin + (region.uMax - region.uMin) / 4 * (quarter & 1 == 0 ? 1 : 3)
      let v = region.vMin + (region.vMax - region.vMin) / 4 * (quarter & 2 == 0 ? 1 : 3)
      let x = (region.centerX + (u * cosine - v * sine) >> 16) * scale
      let y = (region.centerY + (u * sine + v * cosine) >> 16) * scale
      let place = PixelPoint(x: Fixed16(bits: Int32(clamping: x)), y: Fixed16(bits: Int32(clamping: y)))
      if !scene.results.covers(place) { return false }
    }
    return true
  }

  /// Scans lines over a region, the middle first, until a text has enough of them. Then scans two lines far from the middle
  /// for further symbols in the region, and all the others if those two show a trace of one.
  private mutating func readLines(_ region: inout StripeRegion, _ luma: LumaView, _ scene: inout Scene) {
    let isFrame = scene.effort == .frame
    let height = region.vMax - region.vMin
    let lineCount =
      height < LinearReader.rowDistance ? 1 : (isFrame ? LinearReader.lineCountMax.frame : LinearReader.lineCountMax.still)
    let isBrief = isInverted || !scene.results.symbologies.isEmpty
    isOnlyLine = lineCount == 1
    var line = 0
    while line < lineCount, !hasAccepted, !scene.budget.isExhausted {
      // Alternately two lines with the slope and two without.
      readLine(line, of: lineCount, slope: line & 2 == 0 ? region.slope : 0, region, luma, &scene)
      line += 1
      // A still picture is refined where the edges are not clear without it.
      if !isFrame, !region.isRefined, clearCount < line { refine(&region, luma, &scene) }
      if hasTrace { continue }
      if isBrief, line == LinearReader.briefLineCountMax { return }
      if isClearlyNone { return }
      // For a frame, two lines without enough edges, or some without a trace of a symbol, are enough.
      if isFrame, (line == 2 && !isPromising) || line == LinearReader.frameLineCountMax { return }
      if isFrame, line == 1, isPromising { refine(&region, luma, &scene) }
    }
    if hasAccepted { readRest(region, lineCount: lineCount, luma, &scene) }
    if !isFrame, !hasAccepted, hasTrace { readBetween(region, lineCount: lineCount, luma, &scene) }
    accept(isLast: true)
  }

  /// Scans the lines half-way between those already scanned, for a symbol that shows on few rows.
  private mutating func readBetween(_ region: StripeRegion, lineCount: Int, _ luma: LumaView, _ scene: inout Scene) {
    for turn in 0..<slopeCount(region) {
      // The odd places among twice as many.
      for line in 1...(2 * lineCount) where (line + 1) / 2 & 1 == 1 && !hasAccepted && !scene.budget.isExhausted {
        readLine(line, of: 2 * lineCount + 1, slope: turn == 0 ? 0 : region.slope, region, luma, &scene)
      }
    }
  }

  /// 2 if the region's slope may not be that of its symbols, in which case lines without slope are scanned as well. Symbols
  /// of different lengths or shades give a region a slope although their own is 0.
  private func slopeCount(_ region: StripeRegion) -> Int {
    (abs(region.slope) >> 4) * ((region.uMax - region.uMin) >> 12) > LinearReader.riseMax ? 2 : 1
  }

  /// Scans the lines five sixteenths of a region's height away from its middle, and all others if these found a trace of
  /// another symbol.
  private mutating func readRest(_ region: StripeRegion, lineCount: Int, _ luma: LumaView, _ scene: inout Scene) {
    let probe = (lineCount + 1) * 5 / 16 * 2 - 1
    for turn in 0..<slopeCount(region) {
      let slope = turn == 0 ? 0 : region.slope
      for far in probe..<(probe + 2) where far < lineCount && !scene.budget.isExhausted {
        readLine(far, of: lineCount, slope: slope, region, luma, &scene)
      }
      for line in 0..<lineCount where line != probe && line != probe + 1 && votes.hasOpen && !scene.budget.isExhausted {
        readLine(line, of: lineCount, slope: slope, region, luma, &scene)
      }
    }
  }

  /// Reads one of `lineCount` lines over a region and accepts the texts with enough lines.
  private mutating func readLine(
    _ line: Int, of lineCount: Int, slope: Int, _ region: StripeRegion, _ luma: LumaView, _ scene: inout Scene
  ) {
    let height = region.vMax - region.vMin
    let overhang = max(LinearReader.overhangMin, (region.uMax - region.uMin) / 4)
    // 0, 1, -1, 2, -2 ... sixteenths of the height from the middle.
    let place = (line + 1) / 2 * (line & 1 == 1 ? 1 : -1)
    let v = (region.vMin + region.vMax) / 2 + place * height / (lineCount + 1)
    let original = ScanLine(
      region, v: v, slope: slope, from: region.uMin - overhang, to: region.uMax + overhang,
      rowCount: height < 16 << 16 ? max(2, height >> 17) : 8, in: luma)
    if let scan = sample(original, luma, &scene) { readEdges(scan, line: lineCount + line, v: v, &scene) }
    joinDataBar(line: lineCount + line)
    accept(isLast: false)
  }

  /// Refines the direction of the region's bars: of nine directions, the one with the sharpest edges. Each half of the
  /// region is searched separately, which shows how tilt turns the bars.
  private mutating func refine(_ region: inout StripeRegion, _ luma: LumaView, _ scene: inout Scene) {
    region.isRefined = true
    for _ in 0..<LinearReader.leanRoundCountMax {
      guard let best = sharpestLeans(region, luma, &scene) else { break }
      region.lean += (best.left + best.right) / 2
      // The middles of the halves are half a length apart.
      region.turn += ((best.right - best.left) << 33) / max(1 << 16, region.uMax - region.uMin)
      // If the last direction tried is the best, a better one may lie beyond it; a frame has no time for more.
      let reach = LinearReader.leanStepCount * LinearReader.leanStep
      guard scene.effort == .still, abs(best.left) == reach || abs(best.right) == reach else { break }
    }
  }

  /// The difference between the directions of the bars in both halves of a region and the region's own direction. Nil if the
  /// region is too small to measure, or the budget is spent.
  private mutating func sharpestLeans(
    _ region: StripeRegion, _ luma: LumaView, _ scene: inout Scene
  ) -> (left: Int, right: Int)? {
    let rowCount = min(LinearReader.leanRowCount, (region.vMax - region.vMin) >> 17)
    // With so few rows, a wrong direction blurs nothing.
    guard rowCount >= 4 else { return nil }
    var best: (left: Int, right: Int) = (0, 0)
    var sharpest: (left: Int, right: Int) = (0, 0)
    for step in -LinearReader.leanStepCount...LinearReader.leanStepCount {
      let lean = step * LinearReader.leanStep
      var trial = region
      trial.lean += lean
      var line = ScanLine(
        trial, v: (region.vMin + region.vMax) / 2, slope: region.slope, from: region.uMin, to: region.uMax,
        rowCount: rowCount,
        in: luma)
      line.skipEverySecond()
      guard line.count >= 30, scene.budget.spend(line.count * (line.rowCount * 12 + 10) / 100) else { return nil }
      unsafe line.read(luma, into: profile)
      let left = squaredDifferences(from: 1, to: line.count / 2)
      let right = squaredDifferences(from: line.count / 2, to: line.count)
      if left > sharpest.left {
        sharpest.left = left
        best.left = lean
      }
      if right > sharpest.right {
        sharpest.right = right
        best.right = lean
      }
    }
    return best
  }

  /// The sharpness of a piece of the profile.
  private func squaredDifferences(from first: Int, to end: Int) -> Int {
    var sum = 0
    for index in first..<end {
      let difference = unsafe Int(profile[index] &- profile[index &- 1])
      sum &+= difference &* difference
    }
    return sum
  }
}
