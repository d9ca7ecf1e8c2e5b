// DX film edge: the code along the edge of 135 film, exposed by its manufacturer: US patents 4 965 628 and 5 448 049.
//
// Two tracks lie side by side. The clock shows the modules: a bar of five, narrow elements, and a bar of three. The data track has
// a bit per module, dark for 1: a start, both parts of the DX number, often the frame, a parity bit and a stop. Scans of film show
// them from either side of the film, dark on light for negatives and light on dark for slides.

import BarcodeTypes

/// The data track of a symbol.
struct DXFilmEdgeData: BitwiseCopyable {
  /// Modules of a symbol with the frame, and without.
  static let moduleCounts: [2 of Int] = [31, 23]
  private static let start = 0b101010
  private static let stop = 0b0101
  private static let (startCount, stopCount) = (6, 4)

  /// The bits, the first one highest.
  private(set) var bits: UInt32
  private(set) var moduleCount: Int

  /// Nil unless start, stop, the unassigned bits and the parity are right.
  init?(bits: UInt32, moduleCount: Int) {
    (self.bits, self.moduleCount) = (bits, moduleCount)
    let parityPlace = moduleCount - DXFilmEdgeData.stopCount - 1
    guard number(at: 0, DXFilmEdgeData.startCount) == DXFilmEdgeData.start,
      number(at: moduleCount - DXFilmEdgeData.stopCount, DXFilmEdgeData.stopCount) == DXFilmEdgeData.stop,
      number(at: 13, 1) == 0, !hasFrame || number(at: 25, 1) == 0, firstPart > 0
    else { return nil }
    let length = parityPlace - DXFilmEdgeData.startCount
    let message = number(at: DXFilmEdgeData.startCount, length)
    guard message.nonzeroBitCount & 1 == number(at: parityPlace, 1) else { return nil }
  }

  private var hasFrame: Bool { moduleCount == DXFilmEdgeData.moduleCounts[0] }
  private var firstPart: Int { number(at: 6, 7) }

  private func number(at place: Int, _ count: Int) -> Int {
    Int(bits >> UInt32(moduleCount - place - count)) & (1 << count - 1)
  }

  /// Writes the DX number and, if there is one, the frame: "115-10/11A". Returns the number of bytes.
  func write(into text: ScratchArray<UInt8>) -> Int {
    var count = 0
    func append(_ number: Int) {
      var divisor = number >= 100 ? 100 : number >= 10 ? 10 : 1
      while divisor > 0 {
        text[count] = UInt8(0x30 + number / divisor % 10)
        count += 1
        divisor /= 10
      }
    }
    func append(_ character: UInt8) {
      text[count] = character
      count += 1
    }
    append(firstPart)
    append(UInt8(0x2D))
    append(number(at: 14, 4))
    guard hasFrame else { return count }
    append(UInt8(0x2F))
    append(number(at: 18, 6))
    if number(at: 24, 1) == 1 { append(UInt8(0x41)) }
    return count
  }
}

/// Reads the symbols of a region from lines along both tracks.
@safe struct DXFilmEdgeReader {
  /// The bars at the ends of the clock, in modules; the elements between them have one.
  private static let clockBars: (first: Int32, last: Int32) = (5, 3)
  /// The least clear film before a symbol, in modules.
  private static let gapMin: Int32 = 2
  /// In modules times 256: the widths of narrow elements, and how far wide bars may deviate from theirs.
  private static let narrowWidths: ClosedRange<Int32> = 140...372
  private static let barDeviationMax: Int32 = 140
  /// Elements of a module at the start, and at the stop, and their widths by the length of the start, in modules times 256.
  private static let (startElementCount, stopElementCount) = (5, 3)
  private static let singleWidths: ClosedRange<Int32> = 56...456
  /// In modules times 256: how far an edge of the data track may lie from a whole number of modules.
  private static let edgeDeviationMax: Int32 = 100
  /// The greatest shift of the tracks along each other, and the greatest distance between lines along them, in modules.
  private static let (shiftMax, distanceMax) = (1, 20)
  /// The least height over which lines show a track, in halves of modules: lines between rows of other bars may mix them to one.
  private static let heightMin = 2
  /// The most different data tracks of a region.
  private static let dataCountMax = 4
  /// The fewest edges of a line along a track: those of the shortest data track.
  static let edgeCountMin = 12
  /// The least height of the search along the tracks, in 256ths of a region's length: tiles may see little of low tracks.
  private static let heightShare = 160
  /// The most lines of that search, and the rows of pixels that each averages.
  private static let lineCountMax = 48
  private static let lineHeight = 2

  /// A data track with the lines that agree on it.
  private struct Reading: BitwiseCopyable {
    var data: DXFilmEdgeData
    var vote: LinearVote
  }

  /// The last line along a clock, with the range of v of all lines along it; in the arena, as are the readings, since every copy of
  /// the linear readers has this one inside.
  private let clock: ScratchArray<LinearVote>
  private var hasClock = false
  /// Whether a line met a track.
  private(set) var hasTrace = false
  private let readings: ScratchArray<Reading>
  private var readingCount = 0

  init(_ scene: inout Scene) throws(ArenaFull) {
    clock = try ScratchArray(1, arena: &scene.arena)
    readings = try ScratchArray(DXFilmEdgeReader.dataCountMax, arena: &scene.arena)
  }

  /// Forgets the region.
  mutating func removeAll() {
    hasClock = false
    hasTrace = false
    readingCount = 0
  }

  /// Looks for the tracks on a line, and notes them if it `isThin`: the mean of many rows may mix both tracks to another message.
  /// Returns the length of the line that was read, in samples times 256.
  mutating func readTracks(_ line: DirectedRow, isThin: Bool = false) -> Int32 {
    let row = line.row
    var first = row.beginsDark ? 0 : 1
    while first + DXFilmEdgeReader.edgeCountMin <= row.count {
      defer { first += 2 }
      // The clear film before a symbol is wider than two modules.
      guard row.gapBefore(first) > DXFilmEdgeReader.gapMin * row.width(first + 1) else { continue }
      if let found = readClock(row, from: first) {
        hasTrace = true
        if isThin { add(clock: line.vote(found)) }
        return found.end - found.start
      }
      if let (data, found) = readData(row, from: first) {
        hasTrace = true
        if isThin { add(data, line.vote(found)) }
        return found.end - found.start
      }
    }
    return 0
  }

  /// The clock that begins with a bar, whose first bar is five modules wide.
  private func readClock(_ row: ElementRow, from first: Int) -> LinearCandidate? {
    let bars = DXFilmEdgeReader.clockBars
    guard row.width(first) > 2 * row.width(first + 1), row.width(first) < 10 * row.width(first + 1) else { return nil }
    for index in DXFilmEdgeData.moduleCounts.indices {
      let moduleCount = DXFilmEdgeData.moduleCounts[index]
      let last = first + moduleCount - Int(bars.first + bars.last) + 2
      guard last < row.count else { continue }
      let module = (row.edge(last) - row.edge(first)) / Int32(truncatingIfNeeded: moduleCount)
      guard module > ElementRow.moduleMin, isBar(row.width(first), bars.first, module),
        isBar(row.width(last - 1), bars.last, module)
      else { continue }
      var isEven = true
      for element in (first + 1)..<(last - 1)
      where !DXFilmEdgeReader.narrowWidths.contains((row.width(element) << 8) / module) { isEven = false }
      if isEven { return candidate(row, from: first, to: last, moduleCount) }
    }
    return nil
  }

  private func isBar(_ width: Int32, _ modules: Int32, _ module: Int32) -> Bool {
    abs((width << 8) / module - modules << 8) <= DXFilmEdgeReader.barDeviationMax
  }

  /// The data track that begins with a bar.
  private func readData(_ row: ElementRow, from first: Int) -> (DXFilmEdgeData, LinearCandidate)? {
    let start = row.edge(first + DXFilmEdgeReader.startElementCount) - row.edge(first)
    let module = start / Int32(DXFilmEdgeReader.startElementCount)
    let widths = DXFilmEdgeReader.singleWidths
    let singles = (widths.lowerBound * module >> 8)...(widths.upperBound * module >> 8)
    func areSingle(_ elements: Range<Int>) -> Bool {
      for element in elements where !singles.contains(row.width(element)) { return false }
      return true
    }
    guard areSingle(first..<(first + DXFilmEdgeReader.startElementCount)) else { return nil }
    // The length by the start may be wrong by a module and a half at the other end.
    let slack = DXFilmEdgeReader.halfModules(3, start)
    let end = row.edge(first) + DXFilmEdgeReader.halfModules(2 * DXFilmEdgeData.moduleCounts[0], start) + slack
    // The beginning of a longer track may pass for a whole one.
    var shorter: (DXFilmEdgeData, LinearCandidate)?
    for last in stride(from: first + DXFilmEdgeReader.edgeCountMin - 1, to: row.count, by: 2) {
      guard row.edge(last) <= end else { break }
      guard areSingle((last - DXFilmEdgeReader.stopElementCount)..<last) else { continue }
      let length = row.edge(last) - row.edge(first)
      for index in DXFilmEdgeData.moduleCounts.indices {
        let moduleCount = DXFilmEdgeData.moduleCounts[index]
        let count = Int32(truncatingIfNeeded: moduleCount)
        guard abs(length - DXFilmEdgeReader.halfModules(2 * moduleCount, start)) <= slack,
          length > count * ElementRow.moduleMin, let bits = bits(row, from: first, to: last, count),
          let data = DXFilmEdgeData(bits: bits, moduleCount: moduleCount)
        else { continue }
        let found = (data, candidate(row, from: first, to: last, moduleCount))
        if index == 0 { return found }
        shorter = shorter ?? found
      }
    }
    return shorter
  }

  /// The width of halves of modules, by that of the start.
  private static func halfModules(_ count: Int, _ start: Int32) -> Int32 {
    start * Int32(truncatingIfNeeded: count) / Int32(2 * startElementCount)
  }

  /// The modules between two edges; nil unless all edges lie at whole modules.
  private func bits(_ row: ElementRow, from first: Int, to last: Int, _ count: Int32) -> UInt32? {
    let length = row.edge(last) - row.edge(first)
    var bits: UInt32 = 0
    var known: Int32 = 0
    for element in first..<last {
      // In 256ths of a module.
      let place = Int32(truncatingIfNeeded: Int(row.edge(element + 1) - row.edge(first)) * Int(count) * 256 / Int(length))
      let next = (place + 128) >> 8
      guard next > known, abs(place - next << 8) <= DXFilmEdgeReader.edgeDeviationMax else { return nil }
      for _ in known..<next { bits = bits << 1 | ((element - first) & 1 == 0 ? 1 : 0) }
      known = next
    }
    return bits
  }

  private func candidate(_ row: ElementRow, from first: Int, to last: Int, _ moduleCount: Int) -> LinearCandidate {
    var candidate = LinearCandidate(.dxFilmEdge, aimModifier: 0x30)
    candidate.place(row, from: first, to: last, misfit: 0)
    candidate.moduleCount = Int32(truncatingIfNeeded: moduleCount)
    candidate.isPerhapsStacked = true
    candidate.isUnprotected = true
    candidate.endPart = (modules: 5, of: moduleCount)
    return candidate
  }

  /// Counts a line for the clock.
  private mutating func add(clock vote: LinearVote) {
    var vote = vote
    if hasClock, DXFilmEdgeReader.isBeside(clock[0], vote) {
      (vote.vMin, vote.vMax) = (min(clock[0].vMin, vote.v), max(clock[0].vMax, vote.v))
    }
    clock[0] = vote
    hasClock = true
  }

  /// Counts a line for a data track.
  private mutating func add(_ data: DXFilmEdgeData, _ vote: LinearVote) {
    for index in 0..<readingCount where readings[index].data.bits == data.bits {
      readings[index].vote.count(vote)
      return
    }
    guard readingCount < DXFilmEdgeReader.dataCountMax else { return }
    readings[readingCount] = Reading(data: data, vote: vote)
    readingCount += 1
  }

  /// Counts the lines of each data track that lies along the clock for its text.
  private func join(_ scan: inout RegionScan) {
    guard hasClock, DXFilmEdgeReader.isHigh(clock[0]) else { return }
    let clock = clock[0]
    for index in 0..<readingCount
    where DXFilmEdgeReader.isHigh(readings[index].vote) && DXFilmEdgeReader.isBeside(clock, readings[index].vote) {
      var vote = readings[index].vote
      vote.candidate.byteCount = readings[index].data.write(into: scan.text)
      guard let place = scan.votes.add(vote, text: scan.text) else { continue }
      var known = scan.votes[place]
      known.lineCount = max(known.lineCount, vote.lineCount)
      (known.vMin, known.vMax) = (min(known.vMin, vote.vMin), max(known.vMax, vote.vMax))
      scan.votes[place] = known
    }
  }

  /// Whether lines show a track over some height.
  private static func isHigh(_ track: LinearVote) -> Bool {
    let (x, y) = ((track.endX - track.startX) >> 12, (track.endY - track.startY) >> 12)
    let length = Int(integerRoot(UInt64(x * x + y * y))) << 12
    return 2 * (track.vMax - track.vMin) * Int(track.candidate.moduleCount) >= heightMin * length
  }

  /// Whether a clock begins and ends where a data track or another line along it does.
  private static func isBeside(_ clock: LinearVote, _ data: LinearVote) -> Bool {
    guard clock.candidate.moduleCount == data.candidate.moduleCount, clock.v != data.v else { return false }
    // In 1/16 pixels.
    let (alongX, alongY) = ((data.endX - data.startX) >> 12, (data.endY - data.startY) >> 12)
    let square = alongX * alongX + alongY * alongY
    let count = Int(data.candidate.moduleCount)
    func isNear(_ x: Int, _ y: Int) -> Bool {
      let shift = abs(alongX * (x >> 12) + alongY * (y >> 12)) * count
      let distance = abs(alongX * (y >> 12) - alongY * (x >> 12)) * count
      return shift <= shiftMax * square && distance <= distanceMax * square
    }
    return isNear(clock.startX - data.startX, clock.startY - data.startY)
      && isNear(clock.endX - data.endX, clock.endY - data.endY)
  }

  /// Reads a region in which lines met a track. Both are low: the lines are close together and average few pixels.
  mutating func joinTracks(_ scan: inout RegionScan, _ scene: inout Scene) {
    let region = scan.region
    let height = max(2 * region.height, (region.uMax - region.uMin) * DXFilmEdgeReader.heightShare / 256)
    let lineCount = min(DXFilmEdgeReader.lineCountMax, height >> 16)
    for index in 0..<max(0, lineCount) where !scan.hasAccepted && !scene.budget.isExhausted {
      let id = LineID(.rows, index)
      guard
        let line = scan.sample(
          id, v: (region.vMin + region.vMax - height) / 2 + height * (2 * index + 1) / (2 * lineCount), slope: 0,
          overhang: max(RegionScan.overhangMin, region.uMax - region.uMin), rowCount: DXFilmEdgeReader.lineHeight, &scene)
      else { continue }
      for rule in 0..<EdgeRule.count {
        let rule = EdgeRule(rawValue: rule)!
        // Sharpening makes regular edges next to bars.
        if rule.sharpeningReach > 0 || scan.isInverted && !rule.isForInverted { continue }
        scan.findEdges(line, by: rule)
        let (forward, backward) = scan.bothDirections(line)
        if readTracks(forward, isThin: true) + readTracks(backward, isThin: true) > 0 { break }
      }
      join(&scan)
      scan.accept(isLast: false)
    }
  }
}
