// Linear symbols of a scene: striped regions first, then scan lines through each of them until their readings agree.

import BarcodeTypes

/// Reads the linear symbols of a scene: at full size, and at smaller and smaller sizes until there is one.
///
/// Blurred symbols of more than four pixels a module have gradients too weak for the full-size tiles, and the wide elements
/// of sharp ones that are larger still are wider than tiles reach across.
func readLinearSymbols(_ scene: inout Scene) {
  guard LinearFormats(scene.settings).isAnyWanted else { return }
  let mark = scene.arena.mark
  defer { scene.arena.release(to: mark) }
  guard var reader = LinearReader(&scene) else { return }
  if let activity = scene.activity { reader.readAll(&scene, luma: scene.luma, activity, scale: 1) }
  if reader.symbolCount == 0 { reader.readStrip(&scene) }
  var luma = scene.half
  var scale = 2
  // A frame stops at half size: what fills so much of it is read when it has come a little further away.
  let scaleMax = scene.settings.effort == .still ? 8 : 2
  while reader.symbolCount == 0, scale <= scaleMax, max(luma.width, luma.height) >= 48, !reader.isSpent(scene) {
    guard let tiles = TileMap(width: luma.width, height: luma.height, arena: &scene.arena),
      let half = unsafe scene.arena.take(UInt8.self, count: TileMap.halfByteCount(width: luma.width, height: luma.height)),
      scene.budget.spend(luma.width * luma.height / 64)
    else { return }
    unsafe measureTiles(luma, into: tiles, half: half)
    guard scene.budget.spend(tiles.columns * tiles.rows / 6), let activity = StripeActivity(tiles, arena: &scene.arena)
    else { return }
    reader.readAll(&scene, luma: luma, activity, scale: scale)
    luma = unsafe LumaView(
      base: half, width: max(1, luma.width / 2), height: max(1, luma.height / 2),
      bytesPerRow: TileMap.halfBytesPerRow(width: luma.width))
    scale *= 2
  }
}

/// Which linear symbologies are asked for.
struct LinearFormats {
  let ean13: Bool
  let ean8: Bool
  let upca: Bool
  let upce: Bool
  let code128: Bool
  let code39: Bool
  let code93: Bool
  let codabar: Bool
  let itf: Bool

  init(_ settings: DecoderSettings) {
    ean13 = settings.symbologies.contains(.ean13)
    ean8 = settings.symbologies.contains(.ean8)
    upca = settings.symbologies.contains(.upca)
    upce = settings.symbologies.contains(.upce)
    code128 = settings.symbologies.contains(.code128)
    code39 = settings.symbologies.contains(.code39)
    code93 = settings.symbologies.contains(.code93)
    codabar = settings.symbologies.contains(.codabar)
    itf = settings.symbologies.contains(.itf) || settings.symbologies.contains(.itf14)
  }

  var isAnyWanted: Bool { ean13 || ean8 || upca || upce || code128 || code39 || code93 || codabar || itf }
}

/// Scan lines of one picture and what they were read as.
@safe struct LinearReader {
  /// A line alone is believed below this mean misfit, 0.12 square modules, if no other contradicts it.
  private static let loneMisfitMax: Int32 = 7864
  /// Least number of edges worth a look: an EAN-8 has 44, the shortest Code 128 26.
  private static let edgeCountMin = 24
  /// Pictures with a side of fewer pixels, two rows of tiles, are read as one region: their stripes fill no tile.
  private static let stripSideMax = 16
  /// Directions tried on either side of a region's own, and how far apart they are: 0.75 degrees, in 65536ths of a turn.
  private static let leanStepCount = 4
  private static let leanStep = 137
  /// Pixels along the bars over which a direction is judged.
  private static let leanRowCount = 16
  /// How much darker than its spaces a symbol's quiet zone may be: a twelfth of its contrast, more where light fades.
  private static let paperDivisor = 12
  /// From one row of pixels to the next.
  private static let rowDistance = 1 << 16

  private let formats: LinearFormats
  private let settings: DecoderSettings
  private let profile: UnsafeMutablePointer<Int32>
  private let text: UnsafeMutablePointer<UInt8>
  private var row: ElementRow
  private var reversed: ElementRow
  private var votes: LinearVotes
  /// Add-ons, and which lines saw them.
  private var addOns: LinearVotes
  private var templates: TemplateReader
  private let reversedProfile: UnsafeMutablePointer<Int32>
  private let budgetEnd: Int
  /// Whether the present region is a single row of pixels, which no second line can confirm.
  private var isOnlyLine = false
  /// Whether a line of the present region had edges enough for a symbol.
  private var isPromising = false
  /// Strips that may still be read by templates.
  private var stripsLeft: Int
  /// Symbols reported.
  private(set) var symbolCount = 0

  /// Takes the memory of a reader. Nil if the arena is full.
  init?(_ scene: inout Scene) {
    guard let profile = unsafe scene.arena.take(Int32.self, count: ScanLine.sampleCountMax),
      let text = unsafe scene.arena.take(UInt8.self, count: LinearCandidate.byteCountMax),
      let row = ElementRow(arena: &scene.arena), let reversed = ElementRow(arena: &scene.arena),
      let votes = LinearVotes(arena: &scene.arena), let addOns = LinearVotes(arena: &scene.arena),
      let templates = TemplateReader(arena: &scene.arena),
      let reversedProfile = unsafe scene.arena.take(Int32.self, count: ScanLine.sampleCountMax)
    else { return nil }
    formats = LinearFormats(scene.settings)
    settings = scene.settings
    unsafe self.profile = profile
    unsafe self.text = text
    self.row = row
    self.reversed = reversed
    self.votes = votes
    self.addOns = addOns
    self.templates = templates
    unsafe self.reversedProfile = reversedProfile
    stripsLeft = scene.settings.effort == .still ? 16 : 3
    // A quarter of what is left for a frame, a third for a still: matrix symbols come after.
    budgetEnd = scene.budget.spent + (scene.budget.limit - scene.budget.spent) / (scene.settings.effort == .frame ? 2 : 3)
  }

  /// Whether the linear symbologies have used up their share of the budget.
  func isSpent(_ scene: borrowing Scene) -> Bool { scene.budget.spent >= budgetEnd }

  /// Reads every region of a picture that is `scale` times smaller than the scene.
  mutating func readAll(_ scene: inout Scene, luma: LumaView, _ activity: StripeActivity, scale: Int) {
    let mark = scene.arena.mark
    defer { scene.arena.release(to: mark) }
    guard let regions = StripeRegionFinder(activity, arena: &scene.arena), scene.budget.spend(regions.visitedCount)
    else { return }
    let remembers = scene.settings.effort == .frame && scale == 1
    let first = remembers && scene.regionCursor < regions.count ? scene.regionCursor : 0
    if remembers { scene.regionCursor = 0 }
    for rank in 0..<regions.count {
      let index = (first + rank) % regions.count
      guard !isSpent(scene) else {
        if remembers { scene.regionCursor = index }
        scene.hasUntriedRegions = true
        return
      }
      readRegion(regions[index], luma, &scene, scale: scale)
    }
  }

  /// Reads a picture too low, or too narrow, for tiles as one region whose bars run across it.
  mutating func readStrip(_ scene: inout Scene) {
    let luma = scene.luma
    guard min(luma.width, luma.height) < LinearReader.stripSideMax else { return }
    let isUpright = luma.width < luma.height
    var region = StripeRegion(
      centerX: (luma.width - 1) << 15, centerY: (luma.height - 1) << 15,
      direction: BinaryAngle(bits: isUpright ? 1 << 14 : 0), tileCount: 1, energy: 0)
    region.uMax = (max(luma.width, luma.height) - 1) << 15
    region.uMin = -region.uMax
    region.vMax = (min(luma.width, luma.height) - 1) << 15
    region.vMin = -region.vMax
    readRegion(region, luma, &scene, scale: 1)
  }

  /// Scans lines over a region, the middle first, until a text has enough of them.
  private mutating func readRegion(_ region: StripeRegion, _ luma: LumaView, _ scene: inout Scene, scale: Int) {
    votes.removeAll()
    addOns.removeAll()
    isPromising = false
    let isFrame = scene.settings.effort == .frame
    var region = isFrame ? region : refined(region, luma, &scene)
    let lineCount = region.vMax - region.vMin < LinearReader.rowDistance ? 1 : (isFrame ? 9 : 15)
    isOnlyLine = lineCount == 1
    let height = region.vMax - region.vMin
    let overhang = max(30 << 16, (region.uMax - region.uMin) / 4 * (settings.addOns == .ignore ? 1 : 3))
    for line in 0..<lineCount {
      guard !isSpent(scene) else { break }
      // 0, 1, -1, 2, -2 ... sixteenths of the height from the middle, two with the slope and two without by turns.
      let place = (line + 1) / 2 * (line & 1 == 1 ? 1 : -1)
      let v = (region.vMin + region.vMax) / 2 + place * height / (lineCount + 1)
      let slope = line & 2 == 0 ? region.slope : 0
      let rowCount = height < 16 << 16 ? max(2, height >> 17) : 8
      let scan = ScanLine(
        region, v: v, slope: slope, from: region.uMin - overhang, to: region.uMax + overhang, rowCount: rowCount,
        in: luma)
      readLine(scan, line: line, v: v, luma, &scene)
      if report(region, &scene, scale: scale, isLast: false) { return }
      // Two lines without enough edges are enough for a frame.
      if isFrame, line == 1, !isPromising { return }
      if isFrame, line == 0, isPromising, votes.count == 0 { region = refined(region, luma, &scene) }
    }
    if report(region, &scene, scale: scale, isLast: true) { return }
    if isPromising { readStrips(region, luma, &scene, scale: scale) }
  }

  /// Reads one line, forwards and backwards, and counts its votes.
  private mutating func readLine(_ scan: ScanLine, line: Int, v: Int, _ luma: LumaView, _ scene: inout Scene) {
    if let scan = sample(scan, luma, &scene) { readEdges(scan, line: line, v: v, scene) }
  }

  /// Fills the profile; returns the line with its padding, or nil if it is too short or the budget is spent.
  private mutating func sample(_ original: ScanLine, _ luma: LumaView, _ scene: inout Scene) -> ScanLine? {
    var scan = original
    guard scan.count >= 60, scene.budget.spend(scan.count * (scan.rowCount * 12 + 90) / 100) else { return nil }
    unsafe scan.read(luma, into: profile)
    row.paddingBefore = scan.isCutBefore ? Int32(ScanLine.paddingCount << 8) : 0
    row.paddingAfter = scan.isCutAfter ? Int32(ScanLine.paddingCount << 8) : 0
    unsafe scan.pad(profile)
    return scan
  }

  /// Reads the profile by its edges, found by one rule after the other until something is read.
  private mutating func readEdges(_ scan: ScanLine, line: Int, v: Int, _ scene: borrowing Scene) {
    let ruleCount = EdgeRule.count
    for rule in 0..<ruleCount {
      unsafe row.find(in: profile, sampleCount: scan.count, rule: EdgeRule(rawValue: rule)!)
      guard row.count >= LinearReader.edgeCountMin else { continue }
      isPromising = true
      reversed.setReversed(row)
      let forward = readRow(row, isReversed: false, scan, line: line, v: v)
      let backward = readRow(reversed, isReversed: true, scan, line: line, v: v)
      if forward || backward { return }
    }
  }

  /// Tries every symbology at every dark edge. Returns whether something was read.
  private mutating func readRow(_ row: ElementRow, isReversed: Bool, _ scan: ScanLine, line: Int, v: Int) -> Bool {
    var isRead = false
    var index = row.beginsDark ? 0 : 1
    while index + 24 < row.count {
      // A quiet zone is wider than the elements after it.
      let gap = row.gapBefore(index)
      if gap > row.width(index), gap > row.width(index + 1), let candidate = unsafe readSymbol(row, from: index),
        isBelievable(candidate, row, isReversed: isReversed, scan)
      {
        vote(candidate, row, isReversed: isReversed, scan, line: line, v: v)
        if settings.addOns != .ignore {
          readAddOn(candidate, row, from: index, isReversed: isReversed, scan, line: line, v: v)
        }
        isRead = true
      }
      index += 2
    }
    return isRead
  }

  /// Whether a symbol that anything striped may end like has paper of its own on both sides: as light as its spaces.
  ///
  /// Start and stop of Interleaved 2 of 5 are so short that one piece in some hundreds ends with them too; where it does,
  /// what lies beyond is another surface.
  private func isBelievable(_ candidate: LinearCandidate, _ row: ElementRow, isReversed: Bool, _ scan: ScanLine) -> Bool {
    guard candidate.symbology == .itf || candidate.symbology == .itf14 else { return true }
    let start = Int(isReversed ? row.length - candidate.end : candidate.start) >> 8
    let end = Int(isReversed ? row.length - candidate.start : candidate.end) >> 8
    // Start and stop have 9 modules at a ratio of 3, a pair of digits 18.
    let reach = max(8, 18 * (end - start) / (9 + 9 * candidate.byteCount))
    return hasPaper(beside: start, step: -1, reach: reach, sampleCount: scan.count)
      && hasPaper(beside: end, step: 1, reach: reach, sampleCount: scan.count)
  }

  /// Whether the profile beyond `place` is about as light as the lightest of the `reach` samples before it, but for the trend
  /// that light has there.
  private func hasPaper(beside place: Int, step: Int, reach: Int, sampleCount: Int) -> Bool {
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
    let near = extremes(from: 0, to: reach)
    let far = extremes(from: reach, to: 2 * reach)
    var sum = 0
    var count = 0
    for distance in (reach / 8)...(reach / 4) {
      let index = place &+ step &* distance
      guard index >= 0, index < sampleCount else { break }
      sum &+= unsafe Int(profile[index])
      count &+= 1
    }
    guard count > 0 else { return true }
    return near.light - sum / count <= (near.light - near.dark) / LinearReader.paperDivisor + max(0, far.light - near.light)
  }

  /// Looks for an add-on behind an EAN or UPC symbol that begins with an edge, and counts its vote.
  private mutating func readAddOn(
    _ main: LinearCandidate, _ row: ElementRow, from first: Int, isReversed: Bool, _ scan: ScanLine, line: Int, v: Int
  ) {
    guard let shape = EANShape(main.symbology),
      let addOn = unsafe EANUPC.readAddOn(
        row, after: first + shape.elementCount, module: (main.end - main.start) / shape.moduleCount, into: text)
    else { return }
    let vote = makeVote(addOn, row, isReversed: isReversed, scan, line: line, v: v)
    unsafe _ = addOns.add(vote, text: text)
  }

  /// The first symbology that reads a symbol from an edge; the longer ones before those that fit into pieces of them.
  @unsafe private func readSymbol(_ row: ElementRow, from first: Int) -> LinearCandidate? {
    if formats.ean13 || formats.upca, let found = unsafe EANUPC.read(row, from: first, shape: .thirteen, into: text) {
      return unsafe asUPCA(found)
    }
    if formats.code128, let found = unsafe Code128.read(row, from: first, into: text) { return found }
    if formats.code93, let found = unsafe Code93.read(row, from: first, into: text) { return found }
    if formats.code39, let found = unsafe Code39.read(row, from: first, settings, into: text) { return found }
    if formats.ean8, let found = unsafe EANUPC.read(row, from: first, shape: .eight, into: text) { return found }
    if formats.upce, let found = unsafe EANUPC.read(row, from: first, shape: .zeroSuppressed, into: text) { return found }
    if formats.codabar, let found = unsafe Codabar.read(row, from: first, settings, into: text) { return found }
    if formats.itf, let found = unsafe InterleavedTwoOfFive.read(row, from: first, settings, into: text) { return found }
    return nil
  }

  /// The region with the direction of its bars refined: of nine directions the one that shows the sharpest edges, found for both
  /// halves of the region apart, which tells how tilt turns the bars. Measured on 660 simulated pictures at two angles: 20 more
  /// read than with the direction of the tiles, most of them at less than 1.6 pixels a module.
  private mutating func refined(_ region: StripeRegion, _ luma: LumaView, _ scene: inout Scene) -> StripeRegion {
    let rowCount = min(LinearReader.leanRowCount, (region.vMax - region.vMin) >> 17)
    // So few rows cannot blur anything.
    guard rowCount >= 4 else { return region }
    var best: (left: Int, right: Int) = (0, 0)
    var sharpest: (left: Int, right: Int) = (0, 0)
    for step in -LinearReader.leanStepCount...LinearReader.leanStepCount {
      var trial = region
      trial.lean = step * LinearReader.leanStep
      var line = ScanLine(
        trial, v: (region.vMin + region.vMax) / 2, slope: region.slope, from: region.uMin, to: region.uMax,
        rowCount: rowCount,
        in: luma)
      line.skipEverySecond()
      guard line.count >= 30, scene.budget.spend(line.count * (line.rowCount * 12 + 10) / 100) else { return region }
      unsafe line.read(luma, into: profile)
      let left = squaredDifferences(from: 1, to: line.count / 2)
      let right = squaredDifferences(from: line.count / 2, to: line.count)
      if left > sharpest.left {
        sharpest.left = left
        best.left = trial.lean
      }
      if right > sharpest.right {
        sharpest.right = right
        best.right = trial.lean
      }
    }
    var result = region
    result.lean = (best.left + best.right) / 2
    // The middles of the halves are half a length apart.
    result.turn += ((best.right - best.left) << 33) / max(1 << 16, region.uMax - region.uMin)
    return result
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

  /// Reads a region by strips of many lines each: first their edges, then their grey values, for what the edges did not tell.
  private mutating func readStrips(_ region: StripeRegion, _ luma: LumaView, _ scene: inout Scene, scale: Int) {
    let height = region.vMax - region.vMin
    let overhang = max(30 << 16, (region.uMax - region.uMin) / 4)
    let rowCount = max(2, min(24, height >> 17))
    for strip in 0..<(scene.settings.effort == .still ? 4 : 2) {
      guard !isSpent(scene), stripsLeft > 0 else { return }
      let place = strip == 1 ? 1 : (strip == 2 ? -1 : 0)
      let v = (region.vMin + region.vMax) / 2 + place * height / 4
      let line = ScanLine(
        region, v: v, slope: strip < 3 ? region.slope : 0, from: region.uMin - overhang, to: region.uMax + overhang,
        rowCount: rowCount, in: luma)
      guard let scan = sample(line, luma, &scene) else { continue }
      stripsLeft -= 1
      readEdges(scan, line: 100 + strip, v: v, scene)
      if report(region, &scene, scale: scale, isLast: strip == 3) { return }
      readTemplates(scan, line: 100 + strip, v: v, &scene)
      // A symbol that only its templates tell is too blurred for its add-on.
      if report(region, &scene, scale: scale, isLast: settings.addOns != .ignore) { return }
    }
  }

  /// Reads the profile by templates in both directions and counts what can be believed.
  private mutating func readTemplates(_ scan: ScanLine, line: Int, v: Int, _ scene: inout Scene) {
    unsafe row.find(in: profile, sampleCount: scan.count, rule: .vertex)
    reversed.setReversed(row)
    for index in 0..<scan.count { unsafe reversedProfile[index] = profile[scan.count &- 1 &- index] }
    var best: TemplateReading?
    var isReversed = false
    for shape in 0..<3 {
      let shape: EANShape = shape == 0 ? .thirteen : (shape == 1 ? .eight : .zeroSuppressed)
      guard wants(shape) else { continue }
      for direction in 0..<2 {
        guard scene.budget.spend(400) else { return }
        let reading =
          direction == 0
          ? unsafe templates.read(profile, count: scan.count, row, shape: shape)
          : unsafe templates.read(reversedProfile, count: scan.count, reversed, shape: shape)
        guard let reading else { continue }
        scene.budget.charge(4000)
        guard reading.isCredible, reading.likelihood > (best?.likelihood ?? 0) else { continue }
        best = reading
        isReversed = direction == 1
      }
      if best != nil { break }
    }
    guard let best, let candidate = unsafe candidate(best) else { return }
    // The reversed profile begins with the last sample, half a step from where the reversed row counts from.
    vote(candidate, isReversed ? reversed : row, isReversed: isReversed, scan, line: line, v: v)
    if best.isCertain { vote(candidate, isReversed ? reversed : row, isReversed: isReversed, scan, line: line + 50, v: v) }
  }

  private func wants(_ shape: EANShape) -> Bool {
    switch shape {
    case .thirteen: formats.ean13 || formats.upca
    case .eight: formats.ean8
    case .zeroSuppressed: formats.upce
    }
  }

  /// The text of a template reading.
  @unsafe private func candidate(_ reading: TemplateReading) -> LinearCandidate? {
    var candidate: LinearCandidate
    switch reading.shape {
    case .thirteen: candidate = LinearCandidate(.ean13, aimModifier: 0x30)
    case .eight: candidate = LinearCandidate(.ean8, aimModifier: 0x34)
    case .zeroSuppressed: candidate = LinearCandidate(.upce, aimModifier: 0x30)
    }
    candidate.byteCount = reading.shape == .thirteen ? 13 : 8
    for index in 0..<candidate.byteCount { unsafe text[index] = 0x30 + reading.decision.digits[index] }
    candidate.start = reading.start
    candidate.end = reading.end
    candidate.misfit = Int32(truncatingIfNeeded: (4096 - reading.correlation) * 32)
    return reading.shape == .thirteen ? unsafe asUPCA(candidate) : candidate
  }

  /// An EAN-13 that begins with 0 is a UPC-A with 12 digits.
  @unsafe private func asUPCA(_ found: LinearCandidate) -> LinearCandidate? {
    guard formats.upca, unsafe text[0] == 0x30 else { return formats.ean13 ? found : nil }
    var candidate = found
    candidate.symbology = .upca
    candidate.byteCount = 12
    for index in 0..<12 { unsafe text[index] = text[index + 1] }
    return candidate
  }

  private mutating func vote(
    _ candidate: LinearCandidate, _ row: ElementRow, isReversed: Bool, _ scan: ScanLine, line: Int, v: Int
  ) {
    let vote = makeVote(candidate, row, isReversed: isReversed, scan, line: line, v: v)
    unsafe _ = votes.add(vote, text: text)
  }

  /// A line's vote, its ends as places in the picture.
  private func makeVote(
    _ candidate: LinearCandidate, _ row: ElementRow, isReversed: Bool, _ scan: ScanLine, line: Int, v: Int
  ) -> LinearVote {
    let from = scan.point(at: Int(isReversed ? row.length - candidate.start : candidate.start))
    let to = scan.point(at: Int(isReversed ? row.length - candidate.end : candidate.end))
    return LinearVote(
      candidate: candidate, lineCount: 1, lastLine: line, startX: from.x, startY: from.y, endX: to.x, endY: to.y, v: v)
  }

  /// Reports the texts that have enough lines. Returns whether the region is done.
  private mutating func report(_ region: StripeRegion, _ scene: inout Scene, scale: Int, isLast: Bool) -> Bool {
    var isDone = false
    for index in 0..<votes.count {
      let vote = votes[index]
      guard !vote.isReported else { continue }
      let opposition = votes.oppositionCount(to: index)
      let needed = LinearReader.lineCountMin(vote.candidate)
      let isLone =
        isLast && (isOnlyLine || LinearReader.isBelievedAlone(vote.candidate.symbology)) && opposition == 0
        && vote.candidate.misfit < LinearReader.loneMisfitMax
      guard vote.lineCount >= needed + opposition || isLone else { continue }
      if settings.addOns == .ignore || EANShape(vote.candidate.symbology) == nil {
        commit(vote, index, addOn: nil, region, &scene, scale: scale)
      } else if let addOn = addOn(of: vote, isLast: isLast) {
        commit(vote, index, addOn: addOn, region, &scene, scale: scale)
      } else if isLast, settings.addOns == .read {
        commit(vote, index, addOn: nil, region, &scene, scale: scale)
      } else {
        continue
      }
      isDone = true
    }
    return isDone
  }

  /// The add-on of a symbol that has two lines, or one when there are no more to come; 5 digits before 2.
  private func addOn(of vote: LinearVote, isLast: Bool) -> Int? {
    var best: Int?
    var bestCount = isLast ? 0 : 1
    for index in 0..<addOns.count where addOns[index].lineCount > bestCount {
      let addOn = addOns[index]
      // It begins behind the symbol's end, seen in reading direction, and not far from it.
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

  /// Lines that must say the same: more where less protects the text.
  ///
  /// The check digit of a UPC-E is known only by its number sets, which six digits of any stripes match one time in five.
  private static func lineCountMin(_ candidate: LinearCandidate) -> Int {
    switch candidate.symbology {
    case .code39: candidate.byteCount < 5 ? 4 : 3
    case .codabar, .itf, .itf14: 3
    case .ean13, .ean8, .upca, .upce, .code93, .code128, .databar, .databarLimited, .databarExpanded, .pdf417, .micropdf417,
      .datamatrix, .aztec, .qr, .microqr, .rmqr, .maxicode:
      2
    }
  }

  /// Whether a single line with a small misfit can be believed where no other line says anything.
  private static func isBelievedAlone(_ symbology: Symbology) -> Bool {
    switch symbology {
    case .ean13, .upca, .code93, .code128: true
    case .ean8, .upce, .code39, .codabar, .itf, .itf14, .databar, .databarLimited, .databarExpanded, .pdf417, .micropdf417,
      .datamatrix, .aztec, .qr, .microqr, .rmqr, .maxicode:
      false
    }
  }

  private mutating func commit(
    _ vote: LinearVote, _ index: Int, addOn: Int?, _ region: StripeRegion, _ scene: inout Scene, scale: Int
  ) {
    var reported = vote
    reported.isReported = true
    votes[index] = reported
    let candidate = vote.candidate
    var symbol = DecodedSymbol(
      symbology: candidate.symbology, aimModifier: candidate.aimModifier, corners: corners(vote, region, scale: scale))
    symbol.isGS1 = candidate.isGS1
    symbol.lineCount = UInt8(min(255, vote.lineCount))
    symbol.confidence = confidence(vote)
    if let addOn {
      symbol.addOnByteCount = UInt8(addOns[addOn].candidate.byteCount)
      symbol.aimModifier = 0x33
    }
    var isLatin = false
    for offset in 0..<candidate.byteCount where votes.byte(offset, of: index) >= 0x80 { isLatin = true }
    // Code 128 beyond ASCII is ISO/IEC 8859-1, which is ECI 3.
    if isLatin, !scene.results.beginSegment(.eci(3)) { return scene.results.drop() }
    for offset in 0..<candidate.byteCount where !scene.results.append(votes.byte(offset, of: index)) {
      return scene.results.drop()
    }
    for offset in 0..<Int(symbol.addOnByteCount) where !scene.results.append(addOns.byte(offset, of: addOn ?? 0)) {
      return scene.results.drop()
    }
    scene.results.commit(symbol)
    symbolCount += 1
  }

  /// 100 for a perfect fit on two lines or more; falls with the misfit, and for a line alone.
  private func confidence(_ vote: LinearVote) -> UInt8 {
    let fit = 100 - min(60, Int(vote.candidate.misfit) * 60 / 39_322)
    return UInt8(vote.lineCount > 1 ? fit : fit / 2)
  }

  /// The symbol's corners: the ends of its line moved along the bars as far as the region is striped.
  private func corners(_ vote: LinearVote, _ region: StripeRegion, scale: Int) -> Quad {
    // Smoothing widens a region by a tile, of which half is beyond the tile centres.
    let above = max(2 << 16, vote.v - region.vMin - 4 << 16)
    let below = max(2 << 16, region.vMax - vote.v - 4 << 16)
    let cosine = Int(region.direction.cosine.bits)
    let sine = Int(region.direction.sine.bits)
    func point(_ x: Int, _ y: Int, _ v: Int) -> PixelPoint {
      let atX = (x - (v * sine) >> 16) * scale + (scale - 1) << 15
      let atY = (y + (v * cosine) >> 16) * scale + (scale - 1) << 15
      return PixelPoint(x: Fixed16(bits: Int32(clamping: atX)), y: Fixed16(bits: Int32(clamping: atY)))
    }
    // Read along u, the symbol's top lies towards lower v.
    let isAlong = (vote.endX - vote.startX) >> 8 * cosine + (vote.endY - vote.startY) >> 8 * sine > 0
    let top = isAlong ? -above : below
    let bottom = isAlong ? below : -above
    return Quad(
      topLeft: point(vote.startX, vote.startY, top), topRight: point(vote.endX, vote.endY, top),
      bottomRight: point(vote.endX, vote.endY, bottom), bottomLeft: point(vote.startX, vote.startY, bottom))
  }
}
