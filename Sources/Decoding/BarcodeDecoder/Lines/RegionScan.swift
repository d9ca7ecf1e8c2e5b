// The lines across one region: their samples, their elements in both directions, and the texts that they agree on.

import BarcodeTypes

/// The identity of a line of a region: a line counts once for a text, however often it is read.
struct LineID: Equatable, BitwiseCopyable {
  /// The searches that place lines.
  enum Series: UInt8 {
    /// Single lines; those between them, for symbols that show on few rows.
    case lines, linesBetween
    /// Lines that follow the arc of a label.
    case curves
    /// Strips of many lines; their grey values, where these alone are certain.
    case strips, certainStrips
    /// Lines in search of rows of pieces, and along such rows.
    case probes, rows
    case addOns
    /// The mean of all rows of bars that differ in height.
    case posts
  }

  let series: Series
  let index: Int16

  init(_ series: Series, _ index: Int) {
    self.series = series
    self.index = Int16(truncatingIfNeeded: index)
  }
}

/// A sampled line of a region.
struct RegionLine: BitwiseCopyable {
  let id: LineID
  /// Its distance from the region's centre along the bars, in pixels times 65536.
  let v: Int
  let scan: ScanLine
}

/// The elements of a line in one of its directions.
struct DirectedRow {
  let row: ElementRow
  let isReversed: Bool
  let line: RegionLine

  /// A place on the line that the row counts from its own beginning, in samples times 256.
  func place(_ place: Int32) -> Int {
    let along = isReversed ? row.length - place : place
    return Int(row.bend?.bent(along) ?? along)
  }

  /// The line's vote for a text, with the symbol's ends as places in the picture.
  func vote(_ candidate: LinearCandidate) -> LinearVote {
    let from = line.scan.point(at: place(candidate.start + candidate.excess.before))
    let to = line.scan.point(at: place(candidate.end - candidate.excess.behind))
    return LinearVote(
      candidate: candidate, lineCount: 1, lastLine: line.id, startX: from.x, startY: from.y, endX: to.x, endY: to.y,
      v: line.v, vMin: line.v, vMax: line.v, rowCount: line.scan.rowCount)
  }
}

/// The scan of a region. Its memory serves the regions of a picture one after another.
@safe struct RegionScan {
  /// The least distance by which lines extend beyond their region on either side: 30 pixels.
  static let overhangMin = 30 << 16
  /// The grey of a white pixel in a profile.
  static let white: Int32 = 255 << 6

  /// The samples of the current line in both directions: grey times 64.
  let profile: UnsafeMutablePointer<Int32>
  let reversedProfile: UnsafeMutablePointer<Int32>
  /// The text that was read last.
  let text: ScratchArray<UInt8>
  /// The elements of the current line, and those in the other direction.
  private(set) var row: ElementRow
  private var reversed: ElementRow
  let outlines: BarOutline.Memory
  var votes: LinearVotes
  /// The texts that follow those of `votes`: add-ons.
  var addOns: LinearVotes
  var region = StripeRegion(centerX: 0, centerY: 0, direction: BinaryAngle(bits: 0), tileCount: 0, energy: 0)
  /// The picture that the region lies in, and how many times smaller it is than the full size.
  private(set) var luma: LumaView
  private(set) var scale = 1
  /// Whether to look for light bars on dark ground.
  private(set) var isInverted = false
  /// Whether the region is a single row of pixels, so that no second line can confirm it.
  var isOnlyLine = false
  /// Whether a symbol of the region was accepted.
  var hasAccepted = false
  /// Number of symbols reported, over all regions.
  var symbolCount = 0

  /// Takes the memory of a scan.
  init(_ scene: inout Scene) throws(ArenaFull) {
    unsafe profile = try scene.arena.take(Int32.self, count: ScanLine.sampleCountMax)
    unsafe reversedProfile = try scene.arena.take(Int32.self, count: ScanLine.sampleCountMax)
    text = try ScratchArray(LinearCandidate.byteCountMax, arena: &scene.arena)
    row = try ElementRow(arena: &scene.arena)
    reversed = try ElementRow(arena: &scene.arena)
    outlines = try BarOutline.Memory(arena: &scene.arena)
    votes = try LinearVotes(arena: &scene.arena)
    addOns = try LinearVotes(arena: &scene.arena)
    luma = scene.luma
  }

  /// Begins a region of the picture at a level.
  mutating func begin(_ region: StripeRegion, level: Int, isInverted: Bool, _ scene: borrowing Scene) {
    self.region = region
    self.isInverted = isInverted
    luma = scene.levels.picture(level).view
    scale = 1 << level
    hasAccepted = false
    votes.removeAll()
    addOns.removeAll()
  }

  /// Continues with the same region, whose lines take another course.
  mutating func follow(_ other: StripeRegion) { region = other }

  /// Samples a line that extends beyond the region by `overhang` on either side. Nil if it is too short or the budget is
  /// spent.
  ///
  /// - Parameters:
  ///   - slope: dv/du of the line, times 65536.
  ///   - rowCount: number of pixels averaged for a sample.
  mutating func sample(_ id: LineID, v: Int, slope: Int, overhang: Int, rowCount: Int, _ scene: inout Scene) -> RegionLine? {
    var scan = ScanLine(
      region, v: v, slope: slope, u: (region.uMin - overhang, region.uMax + overhang), rowCount: rowCount, in: luma)
    guard scan.count >= 60, scene.budget.spend(scan.count * (scan.rowCount * 12 + 90) / 100) else { return nil }
    unsafe scan.read(luma, into: profile)
    row.isUpright = scan.stepA > 0
    unsafe scan.pad(profile)
    if isInverted {
      for index in 0..<scan.count { unsafe profile[index] = RegionScan.white &- profile[index] }
    }
    return RegionLine(id: id, v: v, scan: scan)
  }

  /// Finds the edges of the current line.
  mutating func findEdges(_ line: RegionLine, by rule: EdgeRule, countsFaint: Bool = false) {
    // Padding counts as paper, so dark ground gets none.
    row.paddingBefore = line.scan.isCutBefore ? Int32(ScanLine.paddingCount << 8) : 0
    row.paddingAfter = line.scan.isCutAfter ? Int32(ScanLine.paddingCount << 8) : 0
    row.countsFaint = countsFaint
    unsafe row.find(in: profile, sampleCount: line.scan.count, rule: rule)
  }

  /// Takes the bend of a cylinder out of the current line's elements.
  mutating func unroll(_ bend: RowBend) { row.unroll(bend) }

  /// The elements of the current line in both directions.
  mutating func bothDirections(_ line: RegionLine) -> (DirectedRow, DirectedRow) {
    reversed.setReversed(row)
    return (
      DirectedRow(row: row, isReversed: false, line: line), DirectedRow(row: reversed, isReversed: true, line: line)
    )
  }

  /// Fills the reversed profile, so that its samples are at the same places as in a reversed row.
  func reverseProfile(_ count: Int) {
    unsafe reversedProfile[0] = profile[count &- 1]
    for index in 1..<count { unsafe reversedProfile[index] = profile[count &- index] }
  }

  /// Fills the reversed profile with the samples of a bent row in its own direction, as far apart as its unrolled places. Returns their
  /// number; nil if they do not fit.
  func unrollProfile(_ row: DirectedRow) -> Int? {
    guard let bend = row.row.bend else { return nil }
    let count = Int(row.row.length >> 8)
    guard count > 0, count <= ScanLine.sampleCountMax else { return nil }
    var source = 0
    for index in 0..<count {
      let wanted = Int32(truncatingIfNeeded: index << 8)
      while source + 2 < row.line.scan.count, bend.flat(Int32(truncatingIfNeeded: (source + 1) << 8)) <= wanted {
        source += 1
      }
      let (near, far) = (
        Int(bend.flat(Int32(truncatingIfNeeded: source << 8))), Int(bend.flat(Int32(truncatingIfNeeded: (source + 1) << 8)))
      )
      let step = unsafe Int(profile[source + 1] - profile[source])
      let value = unsafe Int(profile[source]) + step * (Int(wanted) - near) / max(1, far - near)
      unsafe reversedProfile[row.isReversed ? count - 1 - index : index] = Int32(truncatingIfNeeded: value)
    }
    return count
  }

  /// Counts a line for the text that was read last.
  mutating func count(_ candidate: LinearCandidate, _ row: DirectedRow) {
    _ = votes.add(row.vote(candidate), text: text)
  }

  /// Whether the middles of the region's four quarters all lie in symbols already read.
  func isCovered(_ scene: borrowing Scene) -> Bool {
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
}
