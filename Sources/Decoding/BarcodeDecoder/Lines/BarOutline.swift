// The ends of a symbol's bars. The outline follows pieces of the symbol's line away from it, row by row. The bars extend as
// far as the pieces show, and the positions of the pieces give the direction of the bars.

import BarcodeTypes

/// The outline of a symbol that was read on a line, measured along its bars.
///
/// Places are (e, v), in pixels times 65536: e runs along the line from the middle of the symbol in reading direction; v
/// runs a quarter turn further on, from the upper to the lower end. Bars need be neither perpendicular to the line nor
/// parallel.
struct BarOutline {
  /// Pieces of a line that are followed, evenly spaced.
  static let pieceCount = 9
  /// Samples of a piece, up to half a module apart.
  private static let sampleCount = 16
  /// Rows examined on either side. They are three modules apart, and further away a sixteenth of the distance, so that the
  /// last one is some 800 modules away.
  private static let rowCountMax = 64
  private static let rowModules = 3
  private static let rowShift = 4
  /// Modules between rows in a stacked symbol, whose bars are 5 modules high with a separator of 3 between them.
  private static let stackedRowModules = 2
  /// Consecutive rows without a piece that mark the end of its bars; a single such row is dirt.
  private static let missCountMax = 2
  /// Halvings of the interval between the last row that shows a piece and the first one that does not.
  private static let halvingCount = 4
  /// The least contrast that a piece can be expected to have in the next row, in 256ths of the pattern's.
  private static let contrastMin = 64
  /// Least squared correlation of a piece with the pattern on the line, in 256ths; print next to the bars may resemble them.
  private static let likenessMin = 115
  /// The least share of the line's contrast that different bars must have, in 256ths.
  private static let swingMin = 96
  /// A piece is followed if it has at least this fraction of the greatest variance among the pieces.
  private static let energyDivisor = 8
  /// Greatest lean of a line against its bars, and of bars against each other at the symbol's ends, times 65536: 45 degrees.
  private static let shearMax = 1 << 16
  /// Work units for reading a piece in a row and comparing it.
  private static let pieceWork = 10

  private let luma: LumaView
  /// The middle of the symbol on the line.
  private let middleX: Int
  private let middleY: Int
  /// The unit vector along the line, times 65536.
  private let alongX: Int
  private let alongY: Int
  private let length: Int
  private let module: Int
  /// The distance between samples, in pixels times 65536.
  private let pitch: Int
  private var run = BarRun()
  /// The run of the bars while the pieces look as they do on the line.
  private var lineRun = BarRun()
  private let pieces: ScratchArray<Piece>
  private let pattern: ScratchArray<Int32>
  private let samples: ScratchArray<Int32>
  /// The row from which the pattern was taken.
  private var patternV = 0
  /// Whether other bars may continue these, in further rows of a stacked symbol.
  private let isStacked: Bool
  /// Number of pieces read.
  private var readCount = 0
  /// Work units spent on the outline.
  var work: Int { readCount * BarOutline.pieceWork }

  /// The appearance of a piece in a row.
  private struct Look {
    /// The share of the pattern's contrast found there, in 256ths.
    var contrast = 0
    /// Whether hardly anything but the pattern is there.
    var isAlike = false
    /// The contrast of any pattern found there, in 256ths of that on the line.
    var swing = 0
    /// The greater of the two.
    var share: Int { max(contrast, swing) }
    /// The distance from the expected place, along the line; nil if unknown.
    var offset: Int?
  }

  /// The shift of the bars along the line from one row to the next.
  private struct BarRun: BitwiseCopyable {
    /// The shift in the middle, times 65536.
    var shear = 0
    /// Its change per pixel along the line, times 2^32.
    var fan = 0
  }

  /// The line on which the pieces end on one side, and the run of the bars up to there.
  private struct Ends: BitwiseCopyable {
    var run: BarRun
    var line: RobustLine
  }

  /// A piece of the line, and its pattern there.
  fileprivate struct Piece: BitwiseCopyable {
    /// Its middle on the line.
    var middle = 0
    /// The sum of the pattern's squares, divided by `sampleCount` to match the scale of a row's product.
    var energy = 0
    /// The sum of the pattern's absolute values on the line.
    var swing = 0
    /// Whether it has enough bars to be followed.
    var isUsed = true
    /// The expected contrast, in 256ths.
    var contrast = 256
    /// The row where it was seen last, the first row after that where it was missing, and the number of rows where it was
    /// missing.
    var seen = 0
    var missed = 0
    var missCount = 0
    var isOpen: Bool { isUsed && missCount < BarOutline.missCountMax }
  }

  /// The memory of an outline.
  struct Memory {
    fileprivate let pieces: ScratchArray<Piece>
    /// The grey values of each piece less their mean, piece after piece.
    fileprivate let pattern: ScratchArray<Int32>
    /// The piece that was read last, and one sample before and after it.
    fileprivate let samples: ScratchArray<Int32>

    init(arena: inout Arena) throws(ArenaFull) {
      pieces = try ScratchArray(BarOutline.pieceCount, arena: &arena)
      pattern = try ScratchArray(BarOutline.pieceCount * BarOutline.sampleCount, arena: &arena)
      samples = try ScratchArray(BarOutline.sampleCount + 2, arena: &arena)
    }
  }

  /// - Parameters:
  ///   - bars: the direction of the bars at the beginning and at the end, or its opposite.
  ///   - moduleCount: modules along the line.
  init?(
    _ luma: LumaView, _ memory: Memory, ends: (start: (x: Int, y: Int), end: (x: Int, y: Int)), moduleCount: Int,
    bars: (BinaryAngle, BinaryAngle), isStacked: Bool
  ) {
    let (start, end) = ends
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
    // No wider than a piece and no narrower than half a pixel.
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
    // A piece that has hardly any bars compared with others, such as the middle of a finder pattern, is no guide.
    var energyMax = 0
    for index in 0..<BarOutline.pieceCount { energyMax = max(energyMax, pieces[index].energy) }
    for index in 0..<BarOutline.pieceCount {
      pieces[index].isUsed = pieces[index].energy > energyMax / BarOutline.energyDivisor
    }
  }

  /// The shift of bars of a given direction along the line from one row to the next.
  private func shear(of angle: BinaryAngle) -> Int {
    let (x, y) = (Int(angle.cosine.bits), Int(angle.sine.bits))
    let along = (x * alongX + y * alongY) >> 16
    let across = (y * alongX - x * alongY) >> 16
    guard abs(along) < abs(across) else { return 0 }
    return (along << 16) / across
  }

  /// The place (e, v) in the picture.
  private func place(_ e: Int, _ v: Int, _ run: BarRun) -> (x: Int, y: Int) {
    let along = e + (v * (run.shear + (run.fan * e) >> 32)) >> 16
    return (
      middleX + (alongX * along - alongY * v) >> 16, middleY + (alongY * along + alongX * v) >> 16
    )
  }

  /// Reads the samples of a piece in a row, grey times 16. False if they are not all inside the picture.
  private func read(_ index: Int, _ v: Int) -> Bool {
    let middle = pieces[index].middle
    let reach = pitch * (BarOutline.sampleCount + 1) / 2
    let (from, to) = (place(middle - reach, v, run), place(middle + reach, v, run))
    // Interpolation also reads the next pixels. All samples lie between the first and the last one.
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

  /// Takes the pieces as they are in a row as the pattern to look for in other rows.
  private mutating func takePattern(at v: Int) {
    patternV = v
    readCount += 3 * BarOutline.pieceCount
    for index in 0..<BarOutline.pieceCount {
      let first = index * BarOutline.sampleCount
      for sample in 0..<BarOutline.sampleCount { pattern[first + sample] = 0 }
      // The mean of three rows: otherwise their noise would be part of the pattern.
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
    // The vertex of a parabola, no further than the samples extend.
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

  /// Follows the bars from the line, upwards if `sign` is -1, for at least `known` (pixels times 65536). Returns the line on
  /// which they end.
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
      // The first rows are close together, as the run of the bars is not well known yet.
      distance += max(1 << 16, min(max(step, isStacked ? 0 : distance >> BarOutline.rowShift), max(module, distance)))
      guard followRow(sign * distance, isKnown: distance <= known) else { break }
    }
    var line = RobustLine()
    for index in 0..<BarOutline.pieceCount where pieces[index].isUsed { line.add(pieces[index].middle, end(of: index)) }
    line.fit()
    return Ends(run: run, line: line)
  }

  /// Looks for all pieces in a row; false if no piece is to be followed further.
  private mutating func followRow(_ v: Int, isKnown: Bool) -> Bool {
    var isOpen = false
    var (seenCount, otherCount) = (0, 0)
    var fit = LineFit()
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
        if let offset = look.offset { fit.add(piece.middle >> 12, offset) }
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
  /// The turn corrects the whole offset if the pattern is that of the line, and less than that if it was taken further away.
  private mutating func turn(_ fit: LineFit, _ v: Int) {
    guard let (offset, change) = fit.line else { return }
    let fanMax = (BarOutline.shearMax << 32) / length
    run.shear = BarOutline.limited(run.shear + (offset << 16) / v, BarOutline.shearMax)
    run.fan = BarOutline.limited(run.fan + (change << 16) / v, fanMax)
    if patternV == 0 { lineRun = run }
  }

  /// The place where a piece ends, to a fraction of a pixel: where half of its contrast is left.
  private mutating func end(of index: Int) -> Int {
    let piece = pieces[index]
    guard piece.missCount > 0 else { return piece.seen }
    let half = piece.contrast / 2
    var (seen, missed) = (piece.seen, piece.missed)
    // The contrast above half at `seen` and below half at `missed`; 0 while unknown.
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

  /// The symbol's corners, at least as far from the line as the other lines that read the same text.
  mutating func corners(
    above: Int, below: Int
  ) -> (topLeft: (x: Int, y: Int), topRight: (x: Int, y: Int), bottomRight: (x: Int, y: Int), bottomLeft: (x: Int, y: Int)) {
    var upper = follow(-1, known: above)
    var lower = follow(1, known: below)
    if isStacked {
      // Rows have different lengths: the outermost pieces count, and the straighter side gives the slope of the rows.
      let slope = upper.line.spread < lower.line.spread ? upper.line.slope : lower.line.slope
      upper.line = upper.line.outermost(-1, slope: slope)
      lower.line = lower.line.outermost(1, slope: slope)
    }
    func corner(_ e: Int, _ ends: Ends) -> (x: Int, y: Int) { place(e, ends.line.value(at: e), ends.run) }
    return (corner(-length / 2, upper), corner(length / 2, upper), corner(length / 2, lower), corner(-length / 2, lower))
  }
}

extension LineFit {
  /// The line through offsets at places in sixteenths of a pixel: the offset at 0, in pixels times 65536, and its change per
  /// pixel, times 2^32; nil if there are too few offsets.
  fileprivate var line: (offset: Int, change: Int)? {
    guard count > 2, slope.divisor > 0 else { return nil }
    // Twelve more bits for the change, and sixteen for its scale.
    let change = (slope.dividend << 12) / slope.divisor
    return ((sumY - (change * sumX) >> 12) / count, change << 8)
  }
}

/// A straight line that ignores outliers: the medians of the slopes between all pairs of points, and of the remainders.
private struct RobustLine: BitwiseCopyable {
  /// The value at 0, and the slope times 65536.
  private(set) var offset = 0
  private(set) var slope = 0
  /// The sum of the points' distances from the line.
  private(set) var spread = 0
  private var places: [9 of Int] = .init(repeating: 0)
  private var values: [9 of Int] = .init(repeating: 0)
  private var count = 0

  /// Adds a point, at most nine in all, in ascending order of place.
  mutating func add(_ place: Int, _ value: Int) {
    places[count] = place
    values[count] = value
    count += 1
  }

  /// Fits the line to the points.
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

  /// The line with the given slope through the second outermost point in the direction of `sign`.
  func outermost(_ sign: Int, slope: Int) -> RobustLine {
    var line = self
    line.slope = slope
    line.offset = rests(slope)[sign > 0 ? max(0, count - 2) : min(1, max(0, count - 1))]
    return line
  }

  /// The line's value at a place.
  func value(at place: Int) -> Int { offset + (slope * place) >> 16 }

  /// The remainders of the points' values after subtracting a slope, in ascending order.
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
