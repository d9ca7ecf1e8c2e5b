// GS1 DataBar on the lines of a region. Its symbols need no quiet zone and their landmarks are inside, so a line is searched for
// finder patterns, and not edge by edge for the beginning of a symbol.

import BarcodeTypes

/// What the lines of one region say about GS1 DataBar.
struct DataBarLines {
  var tally: DataBarTally
  /// Where the most of a symbol was seen on one line: its ends, as those of a vote.
  var place: LinearVote?
  /// How much that was, in characters; more than all of them with the symbol's beginning.
  var placeScore = 0

  /// What a symbol's beginning counts for: more than all its characters.
  static let beginningScore = 100
  /// Whether lines agreed on pieces of a symbol, and one of them saw its beginning.
  var hasBeginning: Bool { tally.hasTrace && placeScore >= DataBarLines.beginningScore }

  /// Nil if the arena is full.
  init?(arena: inout Arena) {
    guard let tally = DataBarTally(pieceCount: DataBarExpanded.pieceCount + DataBarHalf.pieceCount, arena: &arena)
    else { return nil }
    self.tally = tally
  }

  /// Forgets the region.
  mutating func removeAll() {
    if placeScore > 0 { tally.removeAll() }
    place = nil
    placeScore = 0
  }
}

/// What was read of a line so far, from left to right.
private struct DataBarRun {
  /// The characters of an Expanded symbol from its first one on, all side by side.
  var expanded = DataBarExpanded()
  /// Where its first element begins, in samples times 256.
  var start: Int32 = 0
  /// The finder pattern before.
  var finder: DataBarFinder?
  /// The left half before, if there was one.
  var left: DataBarHalf?
  var leftMisfit: Int32 = 0
}

extension LinearReader {
  /// Elements from one finder pattern to the next: its own, and two characters.
  private static let elementStep = 21

  /// Lines of the search for rows: four for each of eleven, and as many beside them.
  private static let rowLineCountMax = 88
  /// Their numbers begin where those of other lines have ended.
  private static let rowLineFirst = 200
  /// Pixels along the bars that such a line takes together: rows of Stacked symbols are five modules high.
  private static let rowLineHeight = 3

  /// Reads a region in which pieces of a GS1 DataBar symbol were found, but not all of them: by lines that are close together and
  /// take few pixels along the bars, as they must to meet all rows of a stacked one. Its beginning must be known.
  mutating func readDataBarRows(_ region: StripeRegion, _ luma: LumaView, _ scene: inout Scene) {
    // A last row that is shorter than the others may be a region of its own.
    let height = (region.vMax - region.vMin) * 2
    let from = (region.vMin + region.vMax - height) / 2
    let lineCount = min(LinearReader.rowLineCountMax, height >> 17)
    let overhang = max(30 << 16, (region.uMax - region.uMin) / 4)
    // Straight across the bars first: the region's slope is of little worth where rows have different lengths.
    for turn in 0..<(2 * max(0, lineCount)) where !hasAccepted && !scene.budget.isExhausted {
      let place = turn % lineCount
      let line = LinearReader.rowLineFirst + turn
      let v = from + height * (2 * place + 1) / (2 * lineCount)
      let original = ScanLine(
        region, v: v, slope: turn < lineCount ? 0 : region.slope, from: region.uMin - overhang, to: region.uMax + overhang,
        rowCount: LinearReader.rowLineHeight, in: luma)
      guard let scan = sample(original, luma, &scene) else { continue }
      for rule in 0..<EdgeRule.count {
        unsafe row.find(in: profile, sampleCount: scan.count, rule: EdgeRule(rawValue: rule)!)
        reversed.setReversed(row)
        let forward = readDataBar(row, isReversed: false, scan, line: line, v: v)
        let backward = readDataBar(reversed, isReversed: true, scan, line: line, v: v)
        if (forward + backward) * 3 > Int32(truncatingIfNeeded: scan.count) << 8 { break }
      }
      joinDataBar(line: line)
      accept(isLast: false)
    }
  }

  /// Reads what there is of GS1 DataBar on a line. Returns how much of the line was read, in samples times 256.
  mutating func readDataBar(_ row: ElementRow, isReversed: Bool, _ scan: ScanLine, line: Int, v: Int) -> Int32 {
    var run = DataBarRun()
    var readLength: Int32 = 0
    var index = DataBarFinder.place(in: row, from: 0)
    while index < row.count {
      if let finder = DataBarFinder(row, at: index), finder.isExpanded ? formats.databarExpanded : formats.databar {
        let isRead =
          finder.isExpanded
          ? readPair(finder, &run, row, isReversed: isReversed, scan, line: line, v: v)
          : readHalf(finder, &run, row, isReversed: isReversed, scan, line: line, v: v)
        if isRead {
          readLength += unsafe row.edges[min(row.count - 1, index + 13)] - row.edges[index - 8]
        }
        run.finder = finder
      }
      index = DataBarFinder.place(in: row, from: index + 1)
    }
    guard formats.databarLimited else { return readLength }
    index = DataBarLimited.place(in: row, from: 0)
    while index < row.count {
      if let candidate = unsafe DataBarLimited.read(row, at: index, into: text) {
        vote(candidate, row, isReversed: isReversed, scan, line: line, v: v)
        readLength += candidate.end - candidate.start
      }
      index = DataBarLimited.place(in: row, from: index + 2)
    }
    return readLength
  }

  /// Reads the two characters beside a finder pattern of Expanded. Returns whether they are known, or complete a symbol.
  private mutating func readPair(
    _ finder: DataBarFinder, _ run: inout DataBarRun, _ row: ElementRow, isReversed: Bool, _ scan: ScanLine, line: Int,
    v: Int
  ) -> Bool {
    let isNext = run.finder?.first == finder.first - LinearReader.elementStep
    if !isNext { run.expanded.count = 0 }
    var isKnown = false
    for side in 0..<2 {
      let isRight = side == 1
      guard isRight ? finder.hasRight : finder.hasLeft,
        let character = DataBarCharacter(
          row, at: isRight ? finder.first + 5 : finder.first - 8, isMirrored: isRight, .expanded),
        let value = character.value(.expanded)
      else {
        run.expanded.count = 0
        continue
      }
      let piece = DataBarExpanded.piece(pattern: finder.value, isMirrored: finder.isMirrored, isRight: isRight)
      let reading = DataBarTally.Reading(
        value: UInt32(truncatingIfNeeded: value),
        checkSum: UInt16(truncatingIfNeeded: DataBarExpanded.checkSum(character, piece: piece)),
        lineCount: 1, lastLine: Int32(truncatingIfNeeded: line), v: v, misfit: character.misfit)
      if dataBar.tally.add(reading, to: piece) > 1 { isKnown = true }
      if piece == 0 {
        run.expanded = DataBarExpanded()
        run.start = unsafe row.edges[finder.first - 8]
      } else if run.expanded.count == 0 {
        keepPlace(finder, score: 1, from: finder.first - 8, row, isReversed: isReversed, scan, line: line, v: v)
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
      finder, score: DataBarLines.beginningScore + run.expanded.count,
      from: finder.first - 8 - (run.expanded.count - 1) / 2 * LinearReader.elementStep, row, isReversed: isReversed, scan,
      line: line, v: v)
    guard run.expanded.count == run.expanded.neededCount, var candidate = unsafe run.expanded.message(into: text)
    else { return isKnown }
    let isOdd = run.expanded.count & 1 == 1
    let end = unsafe row.edges[finder.first + (isOdd ? 5 : 13)]
    // A guard of two modules at either end.
    let module = (end - run.start) / Int32(truncatingIfNeeded: isOdd ? 32 : 49)
    candidate.start = run.start - module
    candidate.end = end + module
    vote(candidate, row, isReversed: isReversed, scan, line: line, v: v)
    return true
  }

  /// Whether a piece follows what was read of a symbol.
  private func isPlaced(_ piece: Int, in symbol: DataBarExpanded) -> Bool {
    guard let needed = symbol.neededCount, symbol.count < needed else { return false }
    return DataBarExpanded.piece(at: symbol.count, of: needed) == piece
  }

  /// Reads the two characters beside a finder pattern of Omnidirectional. Returns whether they are known, or complete a symbol.
  private mutating func readHalf(
    _ finder: DataBarFinder, _ run: inout DataBarRun, _ row: ElementRow, isReversed: Bool, _ scan: ScanLine, line: Int,
    v: Int
  ) -> Bool {
    let isRight = finder.isMirrored
    let before = run.finder?.first == finder.first - LinearReader.elementStep ? run.left : nil
    run.left = nil
    guard
      let left = DataBarCharacter(row, at: finder.first - 8, isMirrored: false, isRight ? .inner : .outer),
      let right = DataBarCharacter(row, at: finder.first + 5, isMirrored: true, isRight ? .outer : .inner),
      let half = DataBarHalf(
        outer: isRight ? right : left, inner: isRight ? left : right, pattern: finder.value, isRight: isRight)
    else { return false }
    let misfit = (left.misfit + right.misfit) / 2
    let reading = DataBarTally.Reading(
      value: UInt32(truncatingIfNeeded: half.value), checkSum: UInt16(truncatingIfNeeded: half.checkSum), lineCount: 1,
      lastLine: Int32(truncatingIfNeeded: line), v: v, misfit: misfit,
      place: halfPlace(finder, row, isReversed: isReversed, scan))
    let isKnown = dataBar.tally.add(reading, to: DataBarHalf.leftPiece + (isRight ? 1 : 0)) > 1
    keepPlace(
      finder, score: isRight ? 1 : DataBarLines.beginningScore, from: finder.first - 8, row, isReversed: isReversed, scan,
      line: line, v: v)
    if !isRight {
      run.left = half
      run.leftMisfit = misfit
      run.start = unsafe row.edges[finder.first - 8]
      return isKnown
    }
    guard let before,
      let number = DataBarHalf.number(
        left: UInt32(truncatingIfNeeded: before.value), leftSum: before.checkSum,
        right: UInt32(truncatingIfNeeded: half.value), rightSum: half.checkSum)
    else { return isKnown }
    var candidate = unsafe DataBarHalf.candidate(number, misfit: (run.leftMisfit + misfit) / 2, into: text)
    let end = unsafe row.edges[finder.first + 13]
    let module = (end - run.start) / 46
    candidate.start = run.start - module
    candidate.end = end + module
    vote(candidate, row, isReversed: isReversed, scan, line: line, v: v)
    return true
  }

  /// Where a half lies that was read around a finder pattern.
  private func halfPlace(_ finder: DataBarFinder, _ row: ElementRow, isReversed: Bool, _ scan: ScanLine) -> DataBarHalfPlace
  {
    func point(_ edge: Int) -> (x: Int, y: Int) {
      let place = unsafe row.edges[edge]
      return scan.point(at: Int(isReversed ? row.length - place : place))
    }
    let start = point(finder.first - 8)
    let end = point(finder.first + 13)
    return DataBarHalfPlace(
      x: Int32(truncatingIfNeeded: start.x >> 8), y: Int32(truncatingIfNeeded: start.y >> 8),
      alongX: Int32(truncatingIfNeeded: (end.x - start.x) >> 8), alongY: Int32(truncatingIfNeeded: (end.y - start.y) >> 8))
  }

  /// Remembers where a piece of a symbol lies if it is more than was seen before.
  ///
  /// - Parameter from: the first element of it; its last one ends the character behind `finder`.
  private mutating func keepPlace(
    _ finder: DataBarFinder, score: Int, from first: Int, _ row: ElementRow, isReversed: Bool, _ scan: ScanLine, line: Int,
    v: Int
  ) {
    guard score > dataBar.placeScore else { return }
    dataBar.placeScore = score
    let last = min(finder.first + 13, row.count - 1)
    let margin = unsafe (row.edges[finder.first + 5] - row.edges[finder.first]) / 15 * 2
    var candidate = LinearCandidate(.databarExpanded, aimModifier: 0x30)
    candidate.start = unsafe row.edges[max(0, first)] - margin
    candidate.end = unsafe row.edges[last] + margin
    dataBar.place = makeVote(candidate, row, isReversed: isReversed, scan, line: line, v: v)
  }

  /// Puts a symbol together of the pieces that lines agree on, and counts those lines for it.
  mutating func joinDataBar(line: Int) {
    guard dataBar.tally.hasTrace, !hasAccepted, var vote = dataBar.place else { return }
    guard let candidate = unsafe joinExpanded(&vote) ?? joinHalves(&vote) else { return }
    vote.candidate = candidate
    vote.lastLine = line
    guard let index = unsafe votes.add(vote, text: text) else { return }
    var known = votes[index]
    known.lineCount = max(known.lineCount, vote.lineCount)
    known.vMin = min(known.vMin, vote.vMin)
    known.vMax = max(known.vMax, vote.vMax)
    votes[index] = known
  }

  /// Counts no more lines for a symbol than its weakest piece has, and widens it to where that lies.
  private func support(_ vote: inout LinearVote, _ reading: DataBarTally.Reading) {
    vote.lineCount = min(vote.lineCount, Int(reading.lineCount))
    vote.vMin = min(vote.vMin, reading.v)
    vote.vMax = max(vote.vMax, reading.v)
  }

  /// The text of an Expanded symbol all of whose characters are agreed on.
  @unsafe private func joinExpanded(_ vote: inout LinearVote) -> LinearCandidate? {
    guard formats.databarExpanded, let check = dataBar.tally.agreed(0) else { return nil }
    var symbol = DataBarExpanded()
    symbol.append(value: check.value, checkSum: 0, misfit: check.misfit)
    vote.lineCount = Int(check.lineCount)
    guard let needed = symbol.neededCount else { return nil }
    while symbol.count < needed {
      guard let reading = dataBar.tally.agreed(DataBarExpanded.piece(at: symbol.count, of: needed)) else { return nil }
      symbol.append(value: reading.value, checkSum: reading.checkSum, misfit: reading.misfit)
      support(&vote, reading)
    }
    return unsafe symbol.message(into: text)
  }

  /// The text of a symbol of two halves that are agreed on.
  @unsafe private func joinHalves(_ vote: inout LinearVote) -> LinearCandidate? {
    guard formats.databar, let left = dataBar.tally.agreed(DataBarHalf.leftPiece),
      let right = dataBar.tally.agreed(DataBarHalf.leftPiece + 1), left.place.isCompleted(by: right.place),
      let number = DataBarHalf.number(
        left: left.value, leftSum: Int(left.checkSum), right: right.value, rightSum: Int(right.checkSum))
    else { return nil }
    vote.lineCount = Int(left.lineCount)
    support(&vote, right)
    return unsafe DataBarHalf.candidate(number, misfit: (left.misfit + right.misfit) / 2, into: text)
  }
}
