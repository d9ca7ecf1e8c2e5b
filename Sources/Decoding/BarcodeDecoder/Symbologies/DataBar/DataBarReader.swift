// GS1 DataBar on the lines of a region. Its symbols need no quiet zone, and their landmarks are inside, so a line is
// searched for finder patterns instead of for the beginning of a symbol at every edge.

import BarcodeTypes

/// The part of a line read so far, from left to right.
private struct DataBarRun {
  /// The characters of an Expanded symbol from its first one on, without a gap.
  var expanded = DataBarExpanded()
  /// Where its first element begins, in samples times 256.
  var start: Int32 = 0
  /// The previous finder pattern.
  var finder: DataBarFinder?
  /// The preceding left half, if any.
  var left: DataBarHalf?
  var leftMisfit: Int32 = 0

  /// Whether a finder pattern lies among the characters between the previous finder pattern of an Expanded symbol and its
  /// next one.
  func covers(_ other: DataBarFinder) -> Bool {
    guard let finder, let needed = expanded.neededCount, expanded.count > 1, expanded.count < needed else { return false }
    return other.first < finder.first + DataBarReader.elementStep
  }
}

/// Reads the symbols of a region from the pieces on its lines.
@safe struct DataBarReader {
  /// Elements from one finder pattern to the next: the pattern itself and two characters.
  fileprivate static let elementStep = 21

  /// The most lines in the search for rows: four for each of eleven rows, and as many again above and below them.
  private static let rowLineCountMax = 88
  /// Pixels along the bars that such a line averages: rows of GS1 DataBar Stacked are five modules high.
  private static let rowLineHeight = 3

  /// The length of a GS1 DataBar Stacked relative to the height of a region that is a piece of it: 50 modules to 13, of
  /// which tiles may see no more than the lower row, 7 modules high.
  private static let stackedAspect = 8
  /// Places where rows are looked for, in sixteenths of a region's height from its middle: two lines per row, and those of the rows
  /// below a component.
  private static let probePlaces: [15 of Int] = [-4, 4, -8, 8, -12, 12, -6, 6, 0, -2, 2, -3, 3, -10, 10]
  /// Number of places after which the search continues only if a half was seen.
  private static let probeCountMin = 8

  /// The score of a symbol's beginning: more than all its characters.
  private static let beginningScore = 100
  /// How far the ground beyond a right half and its guard is looked at, in modules; and beyond a character of GS1 DataBar Expanded,
  /// farther than its widest element, since another character may follow.
  private static let (halfGround, pairGround): (Int32, Int32) = (5, 12)

  /// The greatest misfit of a pair of characters that counts: an eighth of a square module.
  private static let pairMisfitMax: Int32 = 8192

  private let settings: DecoderSettings
  private var tally: DataBarTally
  /// The ends of the largest part of a symbol seen on a line, in the form of a vote.
  private var place: LinearVote?
  /// The size of that part, in characters; larger than any number of characters if it includes the symbol's beginning.
  private var placeScore = 0
  /// Lines on which both characters next to a finder pattern of Expanded fitted well, and the last such line.
  private var pairLineCount = 0
  private var lastPairLine: LineID?

  init(_ scene: inout Scene) throws(ArenaFull) {
    settings = scene.settings
    tally = try DataBarTally(pieceCount: DataBarExpanded.pieceCount + DataBarHalf.pieceCount, arena: &scene.arena)
  }

  /// Forgets the region.
  mutating func removeAll() {
    if placeScore > 0 { tally.removeAll() }
    place = nil
    placeScore = 0
    pairLineCount = 0
    lastPairLine = nil
  }

  /// Whether lines agreed on a piece of a symbol, or several of them met pairs; each may be on a different row.
  var hasTrace: Bool { tally.hasTrace || pairLineCount > 1 }

  /// Counts a line that met a pair of characters.
  private mutating func addPair(misfit: Int32, line: LineID) {
    guard misfit <= DataBarReader.pairMisfitMax, line != lastPairLine else { return }
    pairLineCount += 1
    lastPairLine = line
  }

  /// Reads the rows of a region if lines have met pieces of a symbol with its beginning. If the search `isThorough`, also if
  /// they agree on a half, or if probing finds two halves that fit or lines that agree on one.
  mutating func readRows(_ scan: inout RegionScan, isThorough: Bool, isPromising: Bool, _ scene: inout Scene) {
    let hasBeginning = hasTrace && placeScore >= DataBarReader.beginningScore
    guard hasBeginning || isThorough && seesRows(&scan, isPromising: isPromising, &scene) else { return }
    readRows(&scan, &scene)
  }

  private mutating func seesRows(_ scan: inout RegionScan, isPromising: Bool, _ scene: inout Scene) -> Bool {
    if scan.votes.count > 0 { return false }
    if hasTrace { return hasHalf }
    return probe(&scan, isPromising: isPromising, &scene) || tally.hasTrace && hasHalf
  }

  /// Looks for the rows of a GS1 DataBar Stacked in a region that may be a piece of one. Tiles see little of it: its rows
  /// have different bars, and most of them are low. Lines extend as far to both sides as the symbol may if the region is at
  /// its other end.
  ///
  /// - Returns: whether two halves that make a symbol were seen, on any lines. Texture has halves, but rarely such a pair.
  private mutating func probe(_ scan: inout RegionScan, isPromising: Bool, _ scene: inout Scene) -> Bool {
    let region = scan.region
    let height = region.height
    let overhang = height * DataBarReader.stackedAspect - (region.uMax - region.uMin)
    guard settings.wants(.databar), overhang > RegionScan.overhangMin, scene.effort == .still || isPromising else {
      return false
    }
    for index in DataBarReader.probePlaces.indices where !scene.budget.isExhausted {
      if index == DataBarReader.probeCountMin, !hasHalf { return false }
      let line = scan.sample(
        LineID(.probes, index), v: (region.vMin + region.vMax) / 2 + height * DataBarReader.probePlaces[index] / 16,
        slope: 0, overhang: overhang, rowCount: DataBarReader.rowLineHeight, &scene)
      if let line { readRow(line, overhang: overhang, isStacked: true, &scan) }
    }
    var place = 0
    while let left = tally.reading(place, of: DataBarHalf.leftPiece) {
      if hasRightHalf(of: left) { return true }
      place += 1
    }
    return false
  }

  private var hasHalf: Bool {
    tally.reading(0, of: DataBarHalf.leftPiece) != nil
      || tally.reading(0, of: DataBarHalf.leftPiece + 1) != nil
  }

  /// Whether a right half was seen that makes a symbol with the left one.
  private func hasRightHalf(of left: DataBarTally.Reading) -> Bool {
    var place = 0
    while let right = tally.reading(place, of: DataBarHalf.leftPiece + 1) {
      if left.place.isCompleted(by: right.place), DataBarHalf.number(left, right) != nil { return true }
      place += 1
    }
    return false
  }

  /// Reads a region in which some pieces of a GS1 DataBar symbol were found, including its beginning. The lines are close
  /// together and average few pixels along the bars, so that they meet all rows of a stacked symbol. The region may be a
  /// piece of the symbol, as the tiles of a long one do not always cohere: half of the lines are up to five times as long as
  /// the region.
  private mutating func readRows(_ scan: inout RegionScan, _ scene: inout Scene) {
    // The region may lack a last row that is shorter than the others, or the upper row of a GS1 DataBar Stacked, 5 of 13
    // modules high.
    let region = scan.region
    let height = region.height * (hasHalf ? 4 : 2)
    let from = (region.vMin + region.vMax - height) / 2
    let lineCount = min(DataBarReader.rowLineCountMax, height >> 17)
    let length = region.uMax - region.uMin
    let stackedOverhang = hasHalf ? region.height * DataBarReader.stackedAspect - length : 0
    let overhang = max(RegionScan.overhangMin, max(length / 4, stackedOverhang))
    // First straight across the bars: the region's slope means little if rows have different lengths.
    for turn in 0..<(2 * max(0, lineCount)) where !scan.hasAccepted && !scene.budget.isExhausted {
      // From the middle outwards: a neighbour may hold the same halves.
      let step = (turn % lineCount + 1) / 2
      let place = lineCount / 2 + (turn % lineCount & 1 == 0 ? step : -step)
      let reach = turn < lineCount ? overhang : max(overhang, 2 * length)
      let id = LineID(.rows, turn)
      let line = scan.sample(
        id, v: from + height * (2 * place + 1) / (2 * lineCount), slope: turn < lineCount ? 0 : region.slope,
        overhang: reach, rowCount: DataBarReader.rowLineHeight, &scene)
      if let line { readRow(line, overhang: reach, isStacked: false, &scan) }
      join(id, &scan)
      scan.accept(isLast: false)
    }
  }

  /// Reads one line of the search.
  ///
  /// - Parameter isStacked: whether to look only for halves of Omnidirectional.
  private mutating func readRow(_ line: RegionLine, overhang: Int, isStacked: Bool, _ scan: inout RegionScan) {
    // Half of the region's length, in samples times 256.
    let length = scan.region.uMax - scan.region.uMin
    let enough = Int32(clamping: line.scan.count << 7 * length / (length + 2 * overhang))
    for rule in 0..<EdgeRule.count {
      scan.findEdges(line, by: EdgeRule(rawValue: rule)!)
      let (forward, backward) = scan.bothDirections(line)
      let read = readPieces(forward, isStacked: isStacked, &scan) + readPieces(backward, isStacked: isStacked, &scan)
      if read > enough { break }
    }
  }

  /// Reads the GS1 DataBar pieces on a line; only halves of Omnidirectional if `isStacked`. Returns the length of the line
  /// that was read, in samples times 256.
  mutating func readPieces(_ line: DirectedRow, isStacked: Bool = false, _ scan: inout RegionScan) -> Int32 {
    let row = line.row
    var run = DataBarRun()
    var readLength: Int32 = 0
    var index = DataBarFinder.place(in: row, from: 0)
    while index < row.count {
      if let finder = DataBarFinder(row, at: index), !run.covers(finder),
        finder.isExpanded ? settings.wants(.databarExpanded) && !isStacked : settings.wants(.databar)
      {
        let isRead =
          finder.isExpanded
          ? readPair(finder, &run, line, &scan)
          : readHalf(finder, &run, line, &scan)
        if isRead {
          readLength += row.edge(min(row.count - 1, index + 13)) - row.edge(index - 8)
        }
        run.finder = finder
      }
      index = DataBarFinder.place(in: row, from: index + 1)
    }
    guard settings.wants(.databarLimited), !isStacked else { return readLength }
    index = DataBarLimited.place(in: row, from: 0)
    while index < row.count {
      if let candidate = DataBarLimited.read(row, at: index, into: scan.text) {
        scan.count(candidate, line)
        readLength += candidate.end - candidate.start
      }
      index = DataBarLimited.place(in: row, from: index + 2)
    }
    return readLength
  }

  /// Reads the two characters next to a finder pattern of Expanded. Returns whether they are known or complete a symbol.
  private mutating func readPair(
    _ finder: DataBarFinder, _ run: inout DataBarRun, _ line: DirectedRow, _ scan: inout RegionScan
  ) -> Bool {
    let row = line.row
    let isNext = run.finder?.first == finder.first - DataBarReader.elementStep
    if !isNext { run.expanded.count = 0 }
    var isKnown = false
    var misfits: (count: Int, most: Int32) = (0, 0)
    for side in 0..<2 {
      let isRight = side == 1
      // A symbol with an odd number of characters ends with a finder pattern: the character after that is not its own.
      let isComplete = run.expanded.count > 0 && run.expanded.count == run.expanded.neededCount
      guard isRight ? finder.hasRight : finder.hasLeft,
        let character = DataBarCharacter(
          row, at: isRight ? finder.first + 5 : finder.first - 8, isMirrored: isRight, .expanded),
        let value = character.value(.expanded),
        !isRight || !isNegative(finder, line, reach: DataBarReader.pairGround, scan)
      else {
        if !isComplete { run.expanded.count = 0 }
        continue
      }
      let piece = DataBarExpanded.piece(pattern: finder.value, isMirrored: finder.isMirrored, isRight: isRight)
      let reading = DataBarTally.Reading(
        value: UInt32(truncatingIfNeeded: value),
        checkSum: UInt16(truncatingIfNeeded: DataBarExpanded.checkSum(character, piece: piece)),
        lineCount: 1, lastLine: line.line.id, v: line.line.v, misfit: character.misfit)
      if tally.add(reading, to: piece) > 1 { isKnown = true }
      misfits = (misfits.count + 1, max(misfits.most, character.misfit))
      if misfits.count == 2 { addPair(misfit: misfits.most, line: line.line.id) }
      if isComplete { continue }
      if piece == 0 {
        run.expanded = DataBarExpanded()
        run.start = row.edge(finder.first - 8)
      } else if run.expanded.count == 0 {
        keepPlace(finder, score: 1, from: finder.first - 8, line)
        continue
      }
      guard piece == 0 || isPlaced(piece, in: run.expanded) else {
        run.expanded.count = 0
        continue
      }
      run.expanded.append(value: reading.value, checkSum: reading.checkSum, misfit: reading.misfit)
    }
    guard run.expanded.count > 0 else { return isKnown }
    keepPlace(
      finder, score: DataBarReader.beginningScore + run.expanded.count,
      from: finder.first - 8 - (run.expanded.count - 1) / 2 * DataBarReader.elementStep, line)
    return finish(finder, run, line, &scan) || isKnown
  }

  /// Counts an Expanded symbol whose last characters surround a finder pattern. Returns whether it is complete.
  private func finish(
    _ finder: DataBarFinder, _ run: DataBarRun, _ line: DirectedRow, _ scan: inout RegionScan
  ) -> Bool {
    guard run.expanded.count == run.expanded.neededCount, var candidate = run.expanded.message(into: scan.text)
    else { return false }
    let isOdd = run.expanded.count & 1 == 1
    let end = line.row.edge(finder.first + (isOdd ? 5 : 13))
    // Characters have 17 modules, with a finder pattern of 15 per two characters and a guard of two modules at either end.
    let moduleCount = 17 * run.expanded.count + 15 * ((run.expanded.count + 1) / 2)
    candidate.moduleCount = Int32(truncatingIfNeeded: moduleCount + 4)
    let margin = (end - run.start) * 2 / Int32(truncatingIfNeeded: moduleCount)
    candidate.start = run.start - margin
    candidate.end = end + margin
    scan.count(candidate, line)
    return true
  }

  /// Whether a piece is the next one of a symbol.
  private func isPlaced(_ piece: Int, in symbol: DataBarExpanded) -> Bool {
    guard let needed = symbol.neededCount, symbol.count < needed else { return false }
    return DataBarExpanded.piece(at: symbol.count, of: needed) == piece
  }

  /// Reads the two characters next to a finder pattern of Omnidirectional. Returns whether they are known or complete a
  /// symbol.
  private mutating func readHalf(
    _ finder: DataBarFinder, _ run: inout DataBarRun, _ line: DirectedRow, _ scan: inout RegionScan
  ) -> Bool {
    let row = line.row
    let isRight = finder.isMirrored
    let before = run.finder?.first == finder.first - DataBarReader.elementStep ? run.left : nil
    run.left = nil
    guard
      let left = DataBarCharacter(row, at: finder.first - 8, isMirrored: false, isRight ? .inner : .outer),
      let right = DataBarCharacter(row, at: finder.first + 5, isMirrored: true, isRight ? .outer : .inner),
      let half = DataBarHalf(
        outer: isRight ? right : left, inner: isRight ? left : right, pattern: finder.value, isRight: isRight),
      !isRight || !isNegative(finder, line, reach: DataBarReader.halfGround, scan)
    else { return false }
    let misfit = (left.misfit + right.misfit) / 2
    let reading = DataBarTally.Reading(
      value: UInt32(truncatingIfNeeded: half.value), checkSum: UInt16(truncatingIfNeeded: half.checkSum), lineCount: 1,
      lastLine: line.line.id, v: line.line.v, misfit: misfit,
      place: halfPlace(finder, line))
    let isKnown = tally.add(reading, to: DataBarHalf.leftPiece + (isRight ? 1 : 0)) > 1
    keepPlace(
      finder, score: isRight ? 1 : DataBarReader.beginningScore, from: finder.first - 8, line)
    if !isRight {
      run.left = half
      run.leftMisfit = misfit
      run.start = row.edge(finder.first - 8)
      return isKnown
    }
    guard let before,
      let number = DataBarHalf.number(
        left: UInt32(truncatingIfNeeded: before.value), leftSum: before.checkSum,
        right: UInt32(truncatingIfNeeded: half.value), rightSum: half.checkSum)
    else { return isKnown }
    var candidate = DataBarHalf.candidate(number, misfit: (run.leftMisfit + misfit) / 2, into: scan.text)
    let end = row.edge(finder.first + 13)
    // Two halves of 46 modules, and a guard of two at either end.
    candidate.moduleCount = 96
    let margin = (end - run.start) / 46
    candidate.start = run.start - margin
    candidate.end = end + margin
    scan.count(candidate, line)
    return true
  }

  /// Whether a finder pattern with characters on both sides is probably that of a negative, read backwards: dark ground begins beyond the
  /// character on the right, instead of the space and the bar of a guard or further characters.
  ///
  /// A symbol with light and dark exchanged has valid finder patterns if it is read backwards. Its characters are not valid, but where
  /// blur changes some of their widths by a module, all lines agree on the same wrong number, and one in 79 passes its check.
  private func isNegative(_ finder: DataBarFinder, _ line: DirectedRow, reach: Int32, _ scan: borrowing RegionScan) -> Bool {
    let row = line.row
    let (start, end) = (row.edge(max(0, finder.first - 8)), row.edge(min(row.count - 1, finder.first + 13)))
    return scan.isOnDarkGround(
      from: start, to: end, module: (row.edge(finder.first + 5) - row.edge(finder.first)) / 15, reach: reach, line)
  }

  /// The place of a half that was read around a finder pattern.
  private func halfPlace(_ finder: DataBarFinder, _ line: DirectedRow) -> DataBarHalfPlace {
    func point(_ edge: Int) -> (x: Int, y: Int) { line.line.scan.point(at: line.place(line.row.edge(edge))) }
    let start = point(finder.first - 8)
    let end = point(finder.first + 13)
    return DataBarHalfPlace(
      x: Int32(truncatingIfNeeded: start.x >> 8), y: Int32(truncatingIfNeeded: start.y >> 8),
      alongX: Int32(truncatingIfNeeded: (end.x - start.x) >> 8), alongY: Int32(truncatingIfNeeded: (end.y - start.y) >> 8))
  }

  /// Remembers the place of a piece of a symbol if it is larger than those seen before.
  ///
  /// - Parameter from: the first element of the piece; the piece ends with the character after `finder`.
  private mutating func keepPlace(_ finder: DataBarFinder, score: Int, from first: Int, _ line: DirectedRow) {
    guard score > placeScore else { return }
    placeScore = score
    let row = line.row
    let last = min(finder.first + 13, row.count - 1)
    let margin = (row.edge(finder.first + 5) - row.edge(finder.first)) / 15 * 2
    var candidate = LinearCandidate(.databarExpanded, aimModifier: 0x30)
    candidate.start = row.edge(max(0, first)) - margin
    candidate.end = row.edge(last) + margin
    // A finder pattern has 15 modules, a character on either side of it 17, and the guards have two each.
    let pairCount = (finder.first - 8 - first) / DataBarReader.elementStep + 1
    candidate.moduleCount =
      finder.first + 13 == last
      ? Int32(truncatingIfNeeded: 49 * pairCount + 4) : (candidate.end - candidate.start) / max(1, margin / 2)
    place = line.vote(candidate)
  }

  /// Joins a symbol from the pieces that lines agree on, and counts those lines for it.
  mutating func join(_ line: LineID, _ scan: inout RegionScan) {
    guard tally.hasTrace, !scan.hasAccepted, var vote = place else { return }
    guard var candidate = joinExpanded(&vote, scan.text) ?? joinHalves(&vote, scan.text) else { return }
    candidate.moduleCount = vote.candidate.moduleCount
    candidate.isPerhapsStacked = true
    vote.candidate = candidate
    vote.lastLine = line
    guard let index = scan.votes.add(vote, text: scan.text) else { return }
    var known = scan.votes[index]
    known.lineCount = max(known.lineCount, vote.lineCount)
    known.vMin = min(known.vMin, vote.vMin)
    known.vMax = max(known.vMax, vote.vMax)
    scan.votes[index] = known
  }

  /// Limits a symbol's number of lines to those of its weakest piece, and extends it to where that piece lies.
  private func support(_ vote: inout LinearVote, _ reading: DataBarTally.Reading) {
    vote.lineCount = min(vote.lineCount, Int(reading.lineCount))
    vote.vMin = min(vote.vMin, reading.v)
    vote.vMax = max(vote.vMax, reading.v)
  }

  /// The text of an Expanded symbol if lines agree on all its characters.
  private func joinExpanded(_ vote: inout LinearVote, _ text: ScratchArray<UInt8>) -> LinearCandidate? {
    guard settings.wants(.databarExpanded), let check = tally.agreed(0) else { return nil }
    var symbol = DataBarExpanded()
    symbol.append(value: check.value, checkSum: 0, misfit: check.misfit)
    vote.lineCount = Int(check.lineCount)
    guard let needed = symbol.neededCount else { return nil }
    while symbol.count < needed {
      guard let reading = tally.agreed(DataBarExpanded.piece(at: symbol.count, of: needed)) else { return nil }
      symbol.append(value: reading.value, checkSum: reading.checkSum, misfit: reading.misfit)
      support(&vote, reading)
    }
    return symbol.message(into: text)
  }

  /// The text of a symbol of two halves that lines agree on.
  private func joinHalves(_ vote: inout LinearVote, _ text: ScratchArray<UInt8>) -> LinearCandidate? {
    guard settings.wants(.databar), let left = tally.agreed(DataBarHalf.leftPiece),
      let right = tally.agreed(DataBarHalf.leftPiece + 1), left.place.isCompleted(by: right.place),
      let number = DataBarHalf.number(left, right)
    else { return nil }
    vote.lineCount = Int(left.lineCount)
    (vote.v, vote.vMin, vote.vMax) = (left.v, left.v, left.v)
    support(&vote, right)
    let isBeside = left.place.isBeside(right.place)
    let (start, last) = (left.place, isBeside ? right.place : left.place)
    // Halves have 46 modules, and a guard of two at either end.
    func point(_ place: Int32, _ along: Int32, _ modules: Int) -> Int { (Int(place) + Int(along) * modules / 46) << 8 }
    vote.startX = point(start.x, start.alongX, -2)
    vote.startY = point(start.y, start.alongY, -2)
    vote.endX = point(last.x, last.alongX, 48)
    vote.endY = point(last.y, last.alongY, 48)
    vote.candidate.moduleCount = isBeside ? 96 : 50
    return DataBarHalf.candidate(number, misfit: (left.misfit + right.misfit) / 2, into: text)
  }
}
