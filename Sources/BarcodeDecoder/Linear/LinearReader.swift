// Linear symbols: scan lines through a striped region until their readings agree.

import BarcodeTypes

/// Scan lines of one picture and what they were read as.
@safe struct LinearReader {
  /// The most lines of a region of a camera frame, and of a still picture.
  static let lineCountMax = (frame: 13, still: 15)
  /// Lines of a region of a camera frame after which it is left if none of them was read.
  static let frameLineCountMax = 5
  /// The same for a still picture, for light bars on dark ground and where another symbol was read before.
  static let briefLineCountMax = 7
  /// Clear lines after which a region without a trace of a symbol is left.
  static let clearLineCountMax = 5
  /// A line alone is believed below this mean misfit, 0.12 square modules, if no other contradicts it.
  static let loneMisfitMax: Int32 = 7864
  /// Least number of edges worth a look: an EAN-8 has 44, the shortest Code 128 26, the shortest Codabar 24; where the settings
  /// allow two digits of Interleaved 2 of 5, those have 18.
  private static let edgeCountMin = (any: 24, twoDigits: 18)
  /// By how much lines are longer than their region to either side, at least: 30 pixels.
  static let overhangMin = 30 << 16
  /// Pictures with a side of fewer pixels, two rows of tiles, are read as one region: their stripes fill no tile.
  private static let stripSideMax = 16
  /// How far a region's slope may move a line along the bars before it matters: 8 pixels.
  private static let riseMax = 8 << 16
  /// Directions tried on either side of a region's own, and how far apart they are: 0.75 degrees, in 65536ths of a turn.
  private static let leanStepCount = 4
  private static let leanStep = 137
  /// How often a direction is refined: as long as the best one is the last one tried.
  private static let leanRoundCountMax = 3
  /// Pixels along the bars over which a direction is judged.
  private static let leanRowCount = 16
  /// How much darker than its spaces a symbol's quiet zone may be, more where light fades: a third of its contrast, which rules out
  /// quiet zones that sharpening invents beside dark ground; a twelfth if it is a UPC-E, a Codabar, an Interleaved 2 of 5
  /// with a right check digit or light on dark; a twenty-fourth if it is an Interleaved 2 of 5 without one.
  static let paperDivisor = (any: 3, checked: 12, unchecked: 24)
  /// The narrowest module of an Interleaved 2 of 5 that is read in a smaller picture: two pixels.
  private static let moduleMin = 2 << 16
  /// From one row of pixels to the next.
  private static let rowDistance = 1 << 16

  let settings: DecoderSettings
  /// Least number of edges worth a look.
  let edgeCountMin: Int
  let profile: UnsafeMutablePointer<Int32>
  let text: UnsafeMutablePointer<UInt8>
  var row: ElementRow
  var reversed: ElementRow
  var votes: LinearVotes
  /// Add-ons, and which lines saw them.
  var addOns: LinearVotes
  /// Whether elements that may be an add-on follow a symbol of the present region.
  var followsSomething = false
  var dataBar: DataBarLines
  var templates: TemplateReader
  let reversedProfile: UnsafeMutablePointer<Int32>
  let outlines: BarOutline.Memory
  /// Whether the present region is a single row of pixels, which no second line can confirm.
  var isOnlyLine = false
  /// Whether a line of the present region had edges enough for a symbol.
  var isPromising = false
  /// Lines of the present region whose edges were clear.
  var clearCount = 0
  /// Whether strips, and rows of Stacked symbols, are looked for where lines have told nothing.
  private var readsStrips = false
  /// Whether light bars on dark ground are looked for.
  var isInverted = false
  /// Whether a symbol of the present region was accepted.
  var hasAccepted = false
  /// Whether a symbol of the present region is left to a larger picture.
  private(set) var isDeferred = false
  /// Symbols reported.
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
      settings.wantsInterleaved && settings.itfLength.contains(2)
      ? LinearReader.edgeCountMin.twoDigits : LinearReader.edgeCountMin.any
  }

  /// The region of a picture too low, or too narrow, for tiles: its bars run across it. Nil for any other picture.
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

  /// Reads the symbols of a region of the picture at a level. Returns the next attempt that is worth making; nil if there is none.
  mutating func read(_ region: inout StripeRegion, level: Int, _ attempt: Attempt, _ scene: inout Scene) -> Attempt? {
    isInverted = attempt == .inverted
    readsStrips = attempt > .glance
    let known = symbolCount
    readRegion(&region, scene.levels.picture(level).view, &scene, scale: 1 << level)
    if symbolCount > known { return nil }
    // Light bars on dark ground are rare: they are looked for when all else has found nothing.
    let perhapsInverted: Attempt? = isPromising && votes.count == 0 && scene.results.count == 0 ? .inverted : nil
    switch attempt {
    // A study looks at all that a look does: a single picture has no next frame to leave it to.
    case .glance: return isClearlyNone ? perhapsInverted : isPromising && settings.effort == .frame ? .look : .study
    case .look: return .study
    case .study: return perhapsInverted
    case .inverted: return nil
    }
  }

  /// Reads the symbols of a region, but for one that symbols known already cover.
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
    // At full size first: rows are low, and a neighbour's are soon taken for this one's.
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

  /// Whether a symbol's bars are wide enough to be believed in a smaller picture, where there is a larger one: nothing but them
  /// tells that an Interleaved 2 of 5 without a check digit is right.
  private func isWide(_ vote: LinearVote) -> Bool {
    guard vote.candidate.symbology == .itf, !vote.candidate.hasCheckDigit else { return true }
    let moduleCount = 9 * vote.candidate.byteCount + 9
    return max(abs(vote.endX - vote.startX), abs(vote.endY - vote.startY)) >= moduleCount * LinearReader.moduleMin
  }

  /// Whether so many lines of the region were clear, without a trace of a symbol, that there is none.
  private var isClearlyNone: Bool { !hasTrace && clearCount >= LinearReader.clearLineCountMax }

  /// Whether the present region shows bars that could not be read: there are edges enough for a symbol, but they are not clear.
  var showsUnreadBars: Bool { isPromising && !hasAccepted && !isClearlyNone && !isInverted }

  /// Whether anything in the region was read as a symbol, or a piece of one.
  var hasTrace: Bool { votes.count > 0 || dataBar.hasTrace }

  /// Whether the middles of a region's four quarters lie in symbols that were read already.
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

  /// Scans lines over a region, the middle first, until a text has enough of them; then two far from the middle, which look for
  /// symbols beside that one, above it or below it, and all the rest if there is a trace of one.
  private mutating func readLines(_ region: inout StripeRegion, _ luma: LumaView, _ scene: inout Scene) {
    let isFrame = scene.effort == .frame
    let height = region.vMax - region.vMin
    let lineCount =
      height < LinearReader.rowDistance ? 1 : (isFrame ? LinearReader.lineCountMax.frame : LinearReader.lineCountMax.still)
    let isBrief = isInverted || !scene.results.symbologies.isEmpty
    isOnlyLine = lineCount == 1
    var line = 0
    while line < lineCount, !hasAccepted, !scene.budget.isExhausted {
      // Two lines with the slope and two without by turns.
      readLine(line, of: lineCount, slope: line & 2 == 0 ? region.slope : 0, region, luma, &scene)
      line += 1
      // A still is refined where the edges are not clear as they are.
      if !isFrame, !region.isRefined, clearCount < line { refine(&region, luma, &scene) }
      if hasTrace { continue }
      if isBrief, line == LinearReader.briefLineCountMax { return }
      if isClearlyNone { return }
      // Two lines without enough edges, or some without a trace of a symbol, are enough for a frame.
      if isFrame, (line == 2 && !isPromising) || line == LinearReader.frameLineCountMax { return }
      if isFrame, line == 1, isPromising { refine(&region, luma, &scene) }
    }
    if hasAccepted { readRest(region, lineCount: lineCount, luma, &scene) }
    if !isFrame, !hasAccepted, hasTrace { readBetween(region, lineCount: lineCount, luma, &scene) }
    accept(isLast: true)
  }

  /// Scans the lines half-way between those scanned already, for a symbol that shows on few rows.
  private mutating func readBetween(_ region: StripeRegion, lineCount: Int, _ luma: LumaView, _ scene: inout Scene) {
    for turn in 0..<slopeCount(region) {
      // Odd places among twice as many.
      for line in 1...(2 * lineCount) where (line + 1) / 2 & 1 == 1 && !hasAccepted && !scene.budget.isExhausted {
        readLine(line, of: 2 * lineCount + 1, slope: turn == 0 ? 0 : region.slope, region, luma, &scene)
      }
    }
  }

  /// 2 if a region's slope may be none of its symbols': symbols of different lengths, or shades, give it one. It is 0, then.
  private func slopeCount(_ region: StripeRegion) -> Int {
    (abs(region.slope) >> 4) * ((region.uMax - region.uMin) >> 12) > LinearReader.riseMax ? 2 : 1
  }

  /// Scans the lines that are five sixteenths of a region's height away from its middle, and all others if they found a trace of
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

  /// Reads one of `lineCount` lines over a region and accepts what has enough of them.
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

  /// The region with the direction of its bars refined: of nine directions the one that shows the sharpest edges, found for both
  /// halves of the region apart, which tells how tilt turns the bars.
  private mutating func refine(_ region: inout StripeRegion, _ luma: LumaView, _ scene: inout Scene) {
    region.isRefined = true
    for _ in 0..<LinearReader.leanRoundCountMax {
      guard let best = sharpestLeans(region, luma, &scene) else { break }
      region.lean += (best.left + best.right) / 2
      // The middles of the halves are half a length apart.
      region.turn += ((best.right - best.left) << 33) / max(1 << 16, region.uMax - region.uMin)
      // The last one tried may not be the best one; a frame has no time for more.
      let reach = LinearReader.leanStepCount * LinearReader.leanStep
      guard scene.effort == .still, abs(best.left) == reach || abs(best.right) == reach else { break }
    }
  }

  /// By how much the directions of the bars in both halves of a region differ from what the region says. Nil if it is too small to
  /// tell, or the budget is spent.
  private mutating func sharpestLeans(
    _ region: StripeRegion, _ luma: LumaView, _ scene: inout Scene
  ) -> (left: Int, right: Int)? {
    let rowCount = min(LinearReader.leanRowCount, (region.vMax - region.vMin) >> 17)
    // So few rows cannot blur anything.
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

  /// How sharp a piece of the profile is.
  private func squaredDifferences(from first: Int, to end: Int) -> Int {
    var sum = 0
    for index in first..<end {
      let difference = unsafe Int(profile[index] &- profile[index &- 1])
      sum &+= difference &* difference
    }
    return sum
  }
}
