// The ends of a symbol's bars. The outline follows pieces of the symbol's line away from it, row by row: the bars reach as far as the
// pieces show, and the places of the pieces tell which way the bars run.

import BarcodeTypes

/// The outline of a symbol that a line was read as, measured along its bars.
///
/// Places are (e, v), pixels times 65536: e runs along the line from the middle of the symbol in reading direction, v a quarter turn
/// further on, from its upper to its lower end. Bars need not be perpendicular to the line, nor parallel.
struct BarOutline {
  /// Pieces of a line that are followed, evenly spread.
  static let pieceCount = 9
  /// Samples of a piece, half a module apart.
  private static let sampleCount = 16
  /// Rows that are looked at on either side. They are three modules apart, and further away a sixteenth of the way, so that the last
  /// one is some 800 modules away.
  private static let rowCountMax = 64
  private static let rowModules = 3
  private static let rowShift = 4
  /// Modules from one row to the next in a stacked symbol, whose bars are 5 modules high, with a separator of 3 between them.
  private static let stackedRowModules = 2
  /// Rows in turn in which a piece is not seen where its bars end; one is dirt.
  private static let missCountMax = 2
  /// Halvings of what lies between the last row that shows a piece and the first one that does not.
  private static let halvingCount = 4
  /// The least share of its contrast with which a piece is seen wherever it lies, in 256ths.
  private static let contrastMin = 64
  /// Least squared correlation of a piece with the pattern on the line, in 256ths: print beside the bars may resemble them.
  private static let likenessMin = 115
  /// The least share of the contrast on the line that others than its bars have, in 256ths.
  private static let swingMin = 96
  /// How much less variance than the others a piece may have that is followed.
  private static let energyDivisor = 8
  /// How far a line may lean against its bars, and bars against each other at the symbol's ends, times 65536: 45 degrees.
  private static let shearMax = 1 << 16
  /// Work units of reading a piece in a row and comparing it.
  private static let pieceWork = 10

  private let luma: LumaView
  /// The middle of the symbol on the line.
  private let middleX: Int
  private let middleY: Int
  /// A pixel along the line.
  private let alongX: Int
  private let alongY: Int
  private let length: Int
  private let module: Int
  /// From one sample to the next, and from the first sample of a piece to its middle.
  private let pitch: Int
  private var run = BarRun()
  /// The same as long as the pieces look as they do on the line.
  private var lineRun = BarRun()
  private let pieces: ScratchArray<Piece>
  private let pattern: ScratchArray<Int32>
  private let samples: ScratchArray<Int32>
  /// The row that the pattern was taken from.
  private var patternV = 0
  /// Whether bars may go on in others, in rows of a Stacked symbol.
  private let isStacked: Bool
  /// Pieces that were read in rows.
  private var readCount = 0
  /// Work units that the outline took.
  var work: Int { readCount * BarOutline.pieceWork }

  /// How a piece looks in a row.
  private struct Look {
    /// The share of the pattern's contrast that is there, in 256ths.
    var contrast = 0
    /// Whether hardly anything else is there.
    var isAlike = false
    /// The share of the contrast that any pattern shows there.
    var swing = 0
    /// The greater one of both.
    var share: Int { max(contrast, swing) }
    /// How far from where it is looked for, along the line. Nil if that is not known.
    var offset: Int?
  }

  /// How far bars run along the line from one row to the next.
  private struct BarRun: BitwiseCopyable {
    /// In the middle, times 65536.
    var shear = 0
    /// Its change per pixel along the line, times 2^32.
    var fan = 0
  }

  /// Where the pieces end on one side, and how the bars run to there.
  private struct Ends: BitwiseCopyable {
    var run: BarRun
    var line: RobustLine
  }

  /// A piece of the line, and its pattern there.
  fileprivate struct Piece: BitwiseCopyable {
    /// Its middle on the line.
    var middle = 0
    /// The sum of the pattern's squares; a sixteenth of it, as all that it is compared with.
    var energy = 0
    /// The sum of the sizes of what the pattern was on the line.
    var swing = 0
    /// Whether it has bars enough to be followed.
    var isUsed = true
    /// The contrast to be expected, in 256ths.
    var contrast = 256
    /// Where it was seen last, the first place behind that where it was not, and how often it was not.
    var seen = 0
    var missed = 0
    var missCount = 0
    var isOpen: Bool { isUsed && missCount < BarOutline.missCountMax }
  }

  /// The memory of an outline.
  struct Memory {
    fileprivate let pieces: ScratchArray<Piece>
    /// The grey of each piece less its mean, in turn.
    fileprivate let pattern: ScratchArray<Int32>
    /// The piece that was read last, and a sample before and behind it.
    fileprivate let samples: ScratchArray<Int32>

    init(arena: inout Arena) throws(ArenaFull) {
      pieces = try ScratchArray(BarOutline.pieceCount, arena: &arena)
      pattern = try ScratchArray(BarOutline.pieceCount * BarOutline.sampleCount, arena: &arena)
      samples = try ScratchArray(BarOutline.sampleCount + 2, arena: &arena)
    }
  }

  /// - Parameters:
  ///   - bars: the direction of the bars at the beginning and at the end, or the opposite one.
  ///   - moduleCount: modules along the line.
  init?(
    _ luma: LumaView, _ memory: Memory, start: (x: Int, y: Int), end: (x: Int, y: Int), moduleCount: Int,
    bars: (BinaryAngle, BinaryAngle),
    isStacked: Bool
  ) {
    self.luma = luma
    self.isStacked = isStacked
    pieces = memory.pieces
    pattern = memory.pattern
    samples = memory.samples
    middleX = (start.x + end.x) / 2
    middleY = (start.y + end.y) / 2
    let (spanX, spanY) = ((end.x - start.x) >> 8, (end.y - start.y) >> 8)
    let span = Int(integerRoot(UInt64(spanX * spanX + spanY * spanY)))
    guard span > BarOutline.pieceCount << 8, moduleCount > 0 else { return nil }
    alongX = (spanX << 16) / span
    alongY = (spanY << 16) / span
    length = span << 8
    module = length / moduleCount
    // No wider than a piece, and no narrower than half a pixel.
    pitch = max(1 << 15, min(module / 2, length / (BarOutline.pieceCount * BarOutline.sampleCount)))
    let (first, last) = (shear(of: bars.0), shear(of: bars.1))
    run = BarRun(shear: (first + last) / 2, fan: ((last - first) << 32) / length)
    lineRun = run
    for index in 0..<BarOutline.pieceCount {
      var piece = Piece()
      piece.middle = length * (2 * index + 1 - BarOutline.pieceCount) / (2 * BarOutline.pieceCount)
      pieces[index] = piece
    }
    takePattern(at: 0)
    // What has no bars beside others, such as the middle of a finder pattern, tells nothing.
    var energyMax = 0
    for index in 0..<BarOutline.pieceCount { energyMax = max(energyMax, pieces[index].energy) }
    for index in 0..<BarOutline.pieceCount {
      pieces[index].isUsed = pieces[index].energy > energyMax / BarOutline.energyDivisor
    }
  }

  /// How far bars of a direction run along the line from one row to the next.
  private func shear(of angle: BinaryAngle) -> Int {
    let (x, y) = (Int(angle.cosine.bits), Int(angle.sine.bits))
    let along = (x * alongX + y * alongY) >> 16
    let across = (y * alongX - x * alongY) >> 16
    guard abs(along) < abs(across) else { return 0 }
    return (along << 16) / across
  }

  /// A place in the picture.
  private func place(_ e: Int, _ v: Int, _ run: BarRun) -> (x: Int, y: Int) {
    let along = e + (v * (run.shear + (run.fan * e) >> 32)) >> 16
    return (
      middleX + (alongX * along - alongY * v) >> 16, middleY + (alongY * along + alongX * v) >> 16
    )
  }

  /// Reads the samples of a piece in a row, grey times 16. False where they are not all in the picture.
  private func read(_ index: Int, _ v: Int) -> Bool {
    let middle = pieces[index].middle
    let reach = pitch * (BarOutline.sampleCount + 1) / 2
    let (from, to) = (place(middle - reach, v, run), place(middle + reach, v, run))
    // A place is interpolated with the next pixels; those of all samples lie between those of the first and the last one.
    guard min(from.x, to.x) >= 0, min(from.y, to.y) >= 0, max(from.x, to.x) < (luma.width - 1) << 16,
      max(from.y, to.y) < (luma.height - 1) << 16
    else { return false }
    let stepX = (to.x - from.x) / (BarOutline.sampleCount + 1)
    let stepY = (to.y - from.y) / (BarOutline.sampleCount + 1)
    let stride = luma.bytesPerRow
    let origin = unsafe luma.place(0, 0)
    var (x, y) = (from.x, from.y)
    let samples = unsafe samples.base
    for index in 0..<(BarOutline.sampleCount + 2) {
      let upper = unsafe origin + (y >> 16 &* stride &+ x >> 16)
      let (right, down) = ((x >> 8) & 0xFF, (y >> 8) & 0xFF)
      let top = unsafe Int(upper[0]) << 8 &+ (Int(upper[1]) &- Int(upper[0])) &* right
      let bottom = unsafe Int(upper[stride]) << 8 &+ (Int(upper[stride &+ 1]) &- Int(upper[stride])) &* right
      unsafe samples[index] = Int32(truncatingIfNeeded: (top << 8 &+ (bottom &- top) &* down) >> 12)
      x &+= stepX
      y &+= stepY
    }
    return true
  }

  /// Takes the pieces as they are in a row for what is looked for in others.
  private mutating func takePattern(at v: Int) {
    patternV = v
    readCount += 3 * BarOutline.pieceCount
    for index in 0..<BarOutline.pieceCount {
      let first = index * BarOutline.sampleCount
      for sample in 0..<BarOutline.sampleCount { pattern[first + sample] = 0 }
      // Of three rows, as noise would be looked for, too.
      for row in -1...1 where read(index, v + row << 16) {
        for sample in 0..<BarOutline.sampleCount { pattern[first + sample] += samples[sample + 1] }
      }
      var sum: Int32 = 0
      for sample in 0..<BarOutline.sampleCount { sum += pattern[first + sample] }
      var (squares, swing) = (0, 0)
      for sample in 0..<BarOutline.sampleCount {
        let value = (pattern[first + sample] * Int32(BarOutline.sampleCount) - sum) / 3
        pattern[first + sample] = value
        squares += Int(value) * Int(value)
        swing += abs(Int(value))
      }
      pieces[index].energy = squares / BarOutline.sampleCount
      if v == 0 { pieces[index].swing = swing }
    }
  }

  /// Looks for a piece in a row.
  private mutating func look(_ index: Int, _ v: Int) -> Look {
    readCount += 1
    guard read(index, v) else { return Look() }
    let (pattern, samples) = unsafe (pattern.base + index * BarOutline.sampleCount, samples.base + 1)
    var (before, sum, behind, total, squares) = (0, 0, 0, 0, 0)
    for index in 0..<BarOutline.sampleCount {
      let (value, sample) = unsafe (Int(pattern[index]), Int(samples[index]))
      unsafe before &+= value &* Int(samples[index &- 1])
      sum &+= value &* sample
      unsafe behind &+= value &* Int(samples[index &+ 1])
      total &+= sample
      squares &+= sample &* sample
    }
    let piece = pieces[index]
    var look = Look()
    var product = sum
    // The vertex of a parabola, no further than the samples reach.
    let bend = 2 * sum - before - behind
    if sum < max(before, behind) {
      look.offset = behind > before ? pitch : -pitch
      product = max(before, behind)
    } else if bend > 0 {
      look.offset = pitch * (behind - before) / (2 * bend)
    }
    let energy = squares * BarOutline.sampleCount - total * total
    look.contrast = product << 8 / max(1, piece.energy)
    let shared = product >> 8
    look.isAlike = product > 0 && (shared * shared) << 8 > (piece.energy >> 8) * (energy >> 8) * BarOutline.likenessMin
    if isStacked {
      var swing = 0
      for index in 0..<BarOutline.sampleCount { unsafe swing += abs(Int(samples[index]) * BarOutline.sampleCount - total) }
      look.swing = swing << 8 / max(1, piece.swing)
    }
    return look
  }

  /// Follows the bars from the line, upwards if `sign` is -1, at least for `known` pixels. Returns the line on which they end.
  private mutating func follow(_ sign: Int, known: Int) -> Ends {
    for index in 0..<BarOutline.pieceCount {
      pieces[index].contrast = 256
      pieces[index].seen = 0
      pieces[index].missCount = 0
    }
    run = lineRun
    if patternV != 0 { takePattern(at: 0) }
    let step = max(1 << 16, module * (isStacked ? BarOutline.stackedRowModules : BarOutline.rowModules))
    var distance = 0
    for _ in 0..<BarOutline.rowCountMax {
      // The first rows are close: how the bars run is not well known yet.
      distance += max(1 << 16, min(max(step, isStacked ? 0 : distance >> BarOutline.rowShift), max(module, distance)))
      guard followRow(sign * distance, isKnown: distance <= known) else { break }
    }
    var line = RobustLine()
    for index in 0..<BarOutline.pieceCount where pieces[index].isUsed { line.add(pieces[index].middle, end(of: index)) }
    line.fit()
    return Ends(run: run, line: line)
  }

  /// Looks for all pieces in a row; false if none is to be followed any further.
  private mutating func followRow(_ v: Int, isKnown: Bool) -> Bool {
    var isOpen = false
    var (seenCount, otherCount) = (0, 0)
    var fit = OffsetFit()
    for index in 0..<BarOutline.pieceCount where pieces[index].isOpen {
      let look = look(index, v)
      var piece = pieces[index]
      let isStriped = !isStacked || look.swing >= BarOutline.swingMin
      let isSame = isStriped && look.isAlike && 2 * look.contrast >= piece.contrast
      let isOther = isStacked && isStriped && !isSame && 2 * look.swing >= piece.contrast
      if isSame || isOther || isKnown {
        piece.seen = v
        piece.missCount = 0
      } else {
        if piece.missCount == 0 { piece.missed = v }
        piece.missCount += 1
      }
      if isSame {
        piece.contrast = max(BarOutline.contrastMin, (3 * piece.contrast + min(512, look.contrast)) / 4)
        if let offset = look.offset { fit.add(piece.middle, offset) }
        seenCount += 1
      } else if isOther {
        otherCount += 1
      }
      pieces[index] = piece
      if piece.isOpen { isOpen = true }
    }
    if 2 * seenCount > BarOutline.pieceCount { turn(fit, v) }
    if otherCount > seenCount { takePattern(at: v) }
    return isOpen
  }

  /// Turns the bars to where the pieces were found in a row.
  ///
  /// By as much as makes up for it from the line on: of a pattern that was taken further away, by less.
  private mutating func turn(_ fit: OffsetFit, _ v: Int) {
    guard let (offset, change) = fit.line else { return }
    let fanMax = (BarOutline.shearMax << 32) / length
    run.shear = BarOutline.limited(run.shear + (offset << 16) / v, BarOutline.shearMax)
    run.fan = BarOutline.limited(run.fan + (change << 16) / v, fanMax)
    if patternV == 0 { lineRun = run }
  }

  /// Where a piece ends, to a fraction of a pixel: where half of its contrast is left.
  private mutating func end(of index: Int) -> Int {
    let piece = pieces[index]
    guard piece.missCount > 0 else { return piece.seen }
    let half = piece.contrast / 2
    var (seen, missed) = (piece.seen, piece.missed)
    // How much more, or less, than half is there; none is known yet.
    var (more, less) = (0, 0)
    for _ in 0..<BarOutline.halvingCount where abs(missed - seen) > 1 << 16 {
      let v = (seen + missed) / 2
      let rest = look(index, v).share - half
      if rest >= 0 {
        (seen, more) = (v, rest)
      } else {
        (missed, less) = (v, -rest)
      }
    }
    if more == 0 { more = max(0, look(index, seen).share - half) }
    if less == 0 { less = max(0, half - look(index, missed).share) }
    return seen + (missed - seen) * more / max(1, more + less)
  }

  private static func limited(_ value: Int, _ most: Int) -> Int { max(-most, min(most, value)) }

  /// The symbol's corners, which lie at least as far from the line as other lines told the same.
  mutating func corners(
    above: Int, below: Int
  ) -> (topLeft: (x: Int, y: Int), topRight: (x: Int, y: Int), bottomRight: (x: Int, y: Int), bottomLeft: (x: Int, y: Int)) {
    var upper = follow(-1, known: above)
    var lower = follow(1, known: below)
    if isStacked {
      // Rows have different lengths: the outermost pieces count, and the straighter side tells how the rows run.
      let slope = upper.line.spread < lower.line.spread ? upper.line.slope : lower.line.slope
      upper.line = upper.line.outermost(-1, slope: slope)
      lower.line = lower.line.outermost(1, slope: slope)
    }
    func corner(_ e: Int, _ ends: Ends) -> (x: Int, y: Int) { place(e, ends.line.value(at: e), ends.run) }
    return (corner(-length / 2, upper), corner(length / 2, upper), corner(length / 2, lower), corner(-length / 2, lower))
  }
}

/// The offsets of the pieces of a row as a straight line, by least squares.
private struct OffsetFit {
  private var count = 0
  private var sumX = 0
  private var sumY = 0
  private var sumXX = 0
  private var sumXY = 0

  /// Adds an offset at a place, both in pixels times 65536.
  mutating func add(_ place: Int, _ offset: Int) {
    let x = place >> 12
    count += 1
    sumX += x
    sumY += offset
    sumXX += x * x
    sumXY += x * offset
  }

  /// The offset at 0, in pixels times 65536, and its change a pixel, times 2^32. Nil if there are too few.
  var line: (offset: Int, change: Int)? {
    guard count > 2 else { return nil }
    let determinant = count * sumXX - sumX * sumX
    guard determinant > 0 else { return nil }
    let product = count * sumXY - sumX * sumY
    // Sixteenths of a pixel in x: twelve bits more for the change, and sixteen for its scale.
    let change = (product << 12) / determinant
    return ((sumY - (change * sumX) >> 12) / count, change << 8)
  }
}

/// A straight line through points most of which lie on one: the medians of the slopes between any two of them, and of what is left.
private struct RobustLine: BitwiseCopyable {
  /// The value at 0, and its change times 65536.
  private(set) var offset = 0
  private(set) var slope = 0
  /// How far the points are from the line, in sum.
  private(set) var spread = 0
  private var places: [9 of Int] = .init(repeating: 0)
  private var values: [9 of Int] = .init(repeating: 0)
  private var count = 0

  /// Adds one of nine points at most, further on than those before.
  mutating func add(_ place: Int, _ value: Int) {
    places[count] = place
    values[count] = value
    count += 1
  }

  /// Puts the line through the points.
  mutating func fit() {
    var slopes: [36 of Int] = .init(repeating: 0)
    var slopeCount = 0
    for second in 0..<count {
      for first in 0..<second {
        let slope = ((values[second] - values[first]) << 16) / (places[second] - places[first])
        RobustLine.insert(slope, &slopes, &slopeCount)
      }
    }
    guard slopeCount > 0 else { return }
    slope = (slopes[slopeCount / 2] + slopes[(slopeCount - 1) / 2]) / 2
    let rests = rests(slope)
    offset = (rests[count / 2] + rests[(count - 1) / 2]) / 2
    for index in 0..<count { spread += abs(rests[index] - offset) }
  }

  /// The line of a slope through the second one of the points that lie furthest in the direction of `sign`.
  func outermost(_ sign: Int, slope: Int) -> RobustLine {
    var line = self
    line.slope = slope
    line.offset = rests(slope)[sign > 0 ? max(0, count - 2) : min(1, max(0, count - 1))]
    return line
  }

  /// The value at a place.
  func value(at place: Int) -> Int { offset + (slope * place) >> 16 }

  /// What is left of the points' values beside a slope, in order.
  private func rests(_ slope: Int) -> [36 of Int] {
    var rests: [36 of Int] = .init(repeating: 0)
    var restCount = 0
    for index in 0..<count { RobustLine.insert(values[index] - (slope * places[index]) >> 16, &rests, &restCount) }
    return rests
  }

  private static func insert(_ value: Int, _ values: inout [36 of Int], _ count: inout Int) {
    var place = count
    while place > 0, values[place - 1] > value {
      values[place] = values[place - 1]
      place -= 1
    }
    values[place] = value
    count += 1
  }
}
