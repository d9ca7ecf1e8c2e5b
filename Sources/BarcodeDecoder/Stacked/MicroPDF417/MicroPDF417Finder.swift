// The sides of a MicroPDF417 symbol. It has no start or stop pattern, but each row begins and ends with one of 52 row address
// patterns, and there are only four widths. Many a line of other bars has two such patterns somewhere, as far apart; but only
// on the lines across a symbol do they lie on two straight sides and count rows from line to line.

import BarcodeTypes

/// Where the sides of a MicroPDF417 symbol lie in a region, seen in reading direction.
struct MicroPDF417Sides: BitwiseCopyable {
  var start: SymbolSide
  var stop: SymbolSide
  var columnCount: Int
  /// The row addresses along both sides, roughly.
  var leftRows: RowLine
  var rightRows: RowLine
  /// dv/du along the rows, times 65536.
  var slope: Int
  var isReversed: Bool
  var isInverted: Bool
}

/// Which row address lies at which height of a side.
struct RowLine: BitwiseCopyable {
  /// A height, in pixels times 65536, the place among the row addresses there, and rows a pixel; both times 65536.
  var v: Int
  var row: Int
  var slope: Int

  /// The place among the row addresses at a height, times 65536, not brought back into the cycle.
  func place(at height: Int) -> Int { row + (slope * ((height - v) >> 8)) >> 8 }
}

/// A line that may be a row of a symbol: where it begins and ends, and the row addresses there.
private struct RowSighting: BitwiseCopyable {
  var start: SideSighting
  var stop: SideSighting
  var left: Int
  var right: Int
  /// Free space before and behind it, in quarters of a module, that over four modules not counted; 0 once it was tried.
  var freedom: Int
}

/// Looks for pairs of row address patterns in regions.
@safe struct MicroPDF417Finder {
  /// Lines over a region.
  private static let lineCountMax = 24
  /// The longest region tried in a camera frame: 99 modules of 4.4 pixels.
  static let frameLengthMax = 440 << 16
  /// How many times longer than high a symbol may be: 99 modules and four rows of two.
  private static let longestByHeight = 12
  /// The longest symbol of which a region may be a part at either end.
  private static let reachMax = 440 << 16
  /// Ways to read: four widths, two directions, dark on light or light on dark.
  private static let wayCount = 16
  /// Pairs kept of one way, and of one line of them.
  private static let pairCountMax = 96
  private static let linePairCountMax = 4
  /// Beginnings and ends kept of a line.
  private static let endCountMax = 48
  /// Least pairs that agree.
  private static let agreementMin = 4
  /// The same when two thirds of the lines are read, which ends most looks at what is none.
  private static let earlyAgreementMin = 3
  /// How far the row addresses of a line may be from those of one row, as the line is not quite along it.
  private static let skewMax = 3
  /// Stands in the table for more than that.
  private static let noSkew: Int8 = 127

  private let pairs: ScratchArray<RowSighting>
  /// The ends of the pairs that agree.
  private let starts: ScratchArray<SideSighting>
  private let stops: ScratchArray<SideSighting>
  private var counts: [16 of Int] = .init(repeating: 0)
  /// The counts before the present line.
  private var lineStarts: [16 of Int] = .init(repeating: 0)
  /// Edges at which rows may begin and end, the modules, row addresses and free space there.
  private let firsts: ScratchArray<SIMD4<Int32>>
  private let lasts: ScratchArray<SIMD4<Int32>>
  /// The row address pattern, from 1, with certain five distances of similar edges, of 3 bits each; 0 if there is none.
  private let addresses: ScratchArray<UInt8>
  /// See `skew`: by the difference of the row addresses, for each width.
  private let skews: ScratchArray<Int8>

  init(arena: inout Arena) throws(ArenaFull) {
    let pairCount = MicroPDF417Finder.wayCount * MicroPDF417Finder.pairCountMax
    pairs = try ScratchArray(pairCount, arena: &arena)
    starts = try ScratchArray(MicroPDF417Finder.pairCountMax, arena: &arena)
    stops = try ScratchArray(MicroPDF417Finder.pairCountMax, arena: &arena)
    firsts = try ScratchArray(MicroPDF417Finder.endCountMax, arena: &arena)
    lasts = try ScratchArray(MicroPDF417Finder.endCountMax, arena: &arena)
    addresses = try ScratchArray(1 << 15, arena: &arena)
    skews = try ScratchArray(4 * MicroPDF417Tables.addressCount, arena: &arena)
    addresses.fill(0, count: 1 << 15)
    for index in 0..<MicroPDF417Tables.addressCount {
      addresses[MicroPDF417Finder.key(MicroPDF417Tables.sideAddress(index))] = UInt8(index + 1)
    }
    for index in 0..<skews.count {
      let cycle = MicroPDF417Tables.addressCount
      skews[index] = MicroPDF417Finder.leastSkew(index % cycle, index / cycle + 1)
    }
  }

  /// The distances of similar edges in a pattern of ten modules, 3 bits each.
  private static func key(_ pattern: Int) -> Int {
    var key = 0
    var before = 0
    var width = 1
    var isFirst = true
    for bit in stride(from: 8, through: -1, by: -1) {
      if bit >= 0, (pattern >> bit) & 1 == (pattern >> (bit + 1)) & 1 {
        width += 1
        continue
      }
      if !isFirst { key = key << 3 | min(7, before + width) }
      isFirst = false
      before = width
      width = 1
    }
    return key
  }

  /// Whether a region is looked at for its length.
  static func canBe(_ region: StripeRegion, _ effort: Effort) -> Bool { effort == .still || region.length < frameLengthMax }

  /// Scans the lines over a region. False if there is nothing on them.
  mutating func scan(
    _ region: StripeRegion, _ scanner: inout StackedScanner, _ luma: LumaView, effort: Effort, _ budget: inout WorkBudget
  ) -> Bool {
    counts = .init(repeating: 0)
    let isFrame = effort == .frame
    let lineCount = isFrame ? 20 : MicroPDF417Finder.lineCountMax
    let height = region.vMax - region.vMin
    // The tiles of a low symbol may be a part of it only.
    let reach = min(MicroPDF417Finder.reachMax, MicroPDF417Finder.longestByHeight * (height + 8 << 16)) - region.length
    let overhang = max(reach, isFrame ? 24 << 16 : max(80 << 16, region.length))
    for line in 0..<lineCount {
      let place = (line * 7 + lineCount / 2) % lineCount
      let v = region.vMin + height * (2 * place + 1) / (2 * lineCount)
      let isRead = scanner.read(region, v: v, overhang: overhang, rowCount: 3, luma, &budget)
      for rule in 0..<(isFrame && pairCount == 0 ? 1 : 2) where isRead {
        scanner.findEdges(rule == 0 ? .vertex : .area)
        let before = pairCount
        lineStarts = counts
        collect(scanner, scanner.row, region, isReversed: false)
        collect(scanner, scanner.reversed, region, isReversed: true)
        if pairCount > before { break }
      }
      if pairCount == 0, line + 1 >= StackedScanner.emptyLineCountMax(region, effort) { return false }
      // Two thirds of the lines show whether any pairs agree.
      if line + 1 == lineCount * 2 / 3,
        mostLikelyRows(agreementMin: MicroPDF417Finder.earlyAgreementMin, &budget) == nil
      {
        return false
      }
    }
    return pairCount > 0
  }

  private var pairCount: Int {
    var sum = 0
    for way in 0..<MicroPDF417Finder.wayCount { sum += counts[way] }
    return sum
  }

  /// The next most likely sides: those on which at least four pairs lie that agree on where the rows are, with the most free
  /// space beside them. Their pairs are not used again.
  mutating func nextSides(_ region: StripeRegion, _ budget: inout WorkBudget) -> MicroPDF417Sides? {
    guard let best = mostLikelyRows(agreementMin: MicroPDF417Finder.agreementMin, &budget) else { return nil }
    return sides(best.rows, best.way, region)
  }

  /// The rows on which at least so many pairs agree, with the most free space beside them.
  private func mostLikelyRows(agreementMin: Int, _ budget: inout WorkBudget) -> (rows: MicroPDF417Rows, way: Int)? {
    var best: (rows: MicroPDF417Rows, way: Int)?
    var bestFreedom = 0
    for way in 0..<MicroPDF417Finder.wayCount where counts[way] >= agreementMin {
      guard budget.spend(counts[way] * counts[way] / 4) else { return nil }
      let pairs = unsafe pairs.base + way * MicroPDF417Finder.pairCountMax
      let pairCount = counts[way]
      precondition(pairCount <= MicroPDF417Finder.pairCountMax)
      for a in 0..<pairCount where unsafe pairs[a].freedom > 0 {
        for b in 0..<pairCount where unsafe pairs[b].start.v > pairs[a].start.v && pairs[b].freedom > 0 {
          guard let rows = unsafe MicroPDF417Rows(pairs[a], pairs[b]) else { continue }
          var count = 0
          var freedom = 0
          for index in 0..<pairCount where unsafe rows.agrees(pairs[index]) && pairs[index].freedom > 0 {
            count &+= 1
            unsafe freedom &+= pairs[index].freedom
          }
          guard count >= agreementMin, freedom > bestFreedom else { continue }
          bestFreedom = freedom
          best = (rows, way)
        }
      }
    }
    return best
  }

  /// The sides on which the pairs lie that agree with some rows.
  private mutating func sides(_ rows: MicroPDF417Rows, _ way: Int, _ region: StripeRegion) -> MicroPDF417Sides? {
    let first = way * MicroPDF417Finder.pairCountMax
    let columnCount = way >> 2 + 1
    var left = RowLineFit()
    var right = RowLineFit()
    var count = 0
    var skew = 0
    var length = 0
    for index in first..<(first + counts[way]) where pairs[index].freedom > 0 && rows.agrees(pairs[index]) {
      skew += self.skew(pairs[index].left, pairs[index].right, columnCount) ?? 0
      length += (pairs[index].stop.u - pairs[index].start.u) >> 8
      left.add(pairs[index].start.v, rows.leftRow(pairs[index]))
      right.add(pairs[index].stop.v, rows.rightRow(pairs[index]))
      starts[count] = pairs[index].start
      stops[count] = pairs[index].stop
      pairs[index].freedom = 0
      count += 1
    }
    guard let start = SymbolSide(starts, first: 0, count: count, countMin: 3),
      let stop = SymbolSide(stops, first: 0, count: count, countMin: 3), let leftRows = left.line,
      let rightRows = right.line
    else { return nil }
    // A line whose right end is in a later row than its left end comes down too steeply.
    let heights = (skew << 24) / rows.rowSlope
    let slope = max(-60_000, min(60_000, region.slope - (heights << 16) / (length == 0 ? 1 : length)))
    return MicroPDF417Sides(
      start: start, stop: stop, columnCount: columnCount, leftRows: leftRows, rightRows: rightRows, slope: slope,
      isReversed: way & 2 != 0, isInverted: way & 1 != 0)
  }

  /// Keeps the pairs of one line in one direction.
  private mutating func collect(_ scanner: StackedScanner, _ row: ElementRow, _ region: StripeRegion, isReversed: Bool) {
    for parity in 0..<2 {
      let isInverted = (parity == 0) != row.beginsDark
      var firstCount = 0
      var lastCount = 0
      var index = parity
      while index + 7 < row.count {
        let module = MicroPDF417Finder.addressLength(row, index) / 10
        let isFirst = row.gapBefore(index) > module && firstCount < MicroPDF417Finder.endCountMax
        // The bar that ends the row.
        let isLast =
          row.gapAfter(index + 7) > module && row.width(index + 6) * 4 < 7 * module
          && lastCount < MicroPDF417Finder.endCountMax
        if isFirst || isLast, let address = address(row, index) {
          if isFirst {
            firsts[firstCount] = SIMD4(Int32(index), module, address, row.gapBefore(index))
            firstCount += 1
          }
          if isLast {
            lasts[lastCount] = SIMD4(Int32(index + 7), module, address, row.gapAfter(index + 7))
            lastCount += 1
          }
        }
        index += 2
      }
      var nearest = 0
      for first in 0..<firstCount {
        // Both are in the order of their edges.
        while nearest < lastCount, lasts[nearest].x - firsts[first].x < MicroPDF417Finder.elementCountMin { nearest += 1 }
        for last in nearest..<lastCount {
          if lasts[last].x - firsts[first].x > MicroPDF417Finder.elementCountMax { break }
          guard isAsLongAsRow(row, firsts[first], lasts[last]) else { continue }
          pair(scanner, row, firsts[first], lasts[last], region, isReversed: isReversed, isInverted: isInverted)
        }
      }
    }
  }

  /// Whether a beginning and an end are as far apart as in the narrowest symbol at least and in the widest at most.
  ///
  /// Module widths are known to some 5 %: the length is 17 to 19 eighteenths of what their geometric mean gives.
  @inline(__always) private func isAsLongAsRow(_ row: ElementRow, _ first: SIMD4<Int32>, _ last: SIMD4<Int32>) -> Bool {
    let length = unsafe 18 &* Int(row.edges[Int(last.x)] &- row.edges[Int(first.x)])
    let square = Int(first.y) &* Int(last.y)
    let least = 17 &* MicroPDF417Finder.moduleCount(1)
    let most = 19 &* MicroPDF417Finder.moduleCount(4)
    return length &* length > square &* (least &* least) && length &* length < square &* (most &* most)
  }

  /// The width of a row of `columnCount` columns, in modules.
  private static func moduleCount(_ columnCount: Int) -> Int { columnCount * 17 + (columnCount > 2 ? 31 : 21) }

  /// The elements of a row of `columnCount` columns, and how many may be missing: blur may have closed some.
  private static func elementCount(_ columnCount: Int) -> Int { 6 * (columnCount > 2 ? 3 : 2) + 8 * columnCount + 1 }
  private static func missingCountMax(_ columnCount: Int) -> Int { 2 * columnCount + 2 }

  /// The least and the most elements of a row. Where a line passes from one row to the next, there are those of both.
  private static let elementCountMin = Int32(elementCount(1) - missingCountMax(1))
  private static let elementCountMax = Int32(2 * elementCount(4))

  /// Keeps a beginning and an end that are as far apart as they are in a symbol, with row addresses that go together.
  private mutating func pair(
    _ scanner: StackedScanner, _ row: ElementRow, _ first: SIMD4<Int32>, _ last: SIMD4<Int32>, _ region: StripeRegion,
    isReversed: Bool, isInverted: Bool
  ) {
    let from = unsafe row.edges[Int(first.x)]
    let to = unsafe row.edges[Int(last.x)]
    let length = Int(to - from)
    let square = Int(first.y) * Int(last.y)
    for columnCount in 1...4 {
      let width = MicroPDF417Finder.moduleCount(columnCount)
      let compared = 18 * 18 * length * length
      let expected = square * width * width
      guard compared > 17 * 17 * expected else { return }
      guard compared < 19 * 19 * expected else { continue }
      let module = Int(integerRoot(UInt64(square)))
      let elementCount = MicroPDF417Finder.elementCount(columnCount)
      let extra = Int(last.x - first.x) - elementCount
      guard extra >= -MicroPDF417Finder.missingCountMax(columnCount), extra <= elementCount,
        skew(Int(first.z), Int(last.z), columnCount) != nil
      else { continue }
      let way = (columnCount - 1) << 2 | (isReversed ? 2 : 0) | (isInverted ? 1 : 0)
      // The width of all is surer than that of an end; the ends tell how it changes from one to the other.
      let mean = Int32(truncatingIfNeeded: length / width)
      let start = Int32(truncatingIfNeeded: Int(mean) * Int(first.y) / module)
      let stop = Int32(truncatingIfNeeded: Int(mean) * Int(last.y) / module)
      let sighting = RowSighting(
        start: scanner.sighting(from, module: start, isReversed: isReversed, region),
        stop: scanner.sighting(to, module: stop, isReversed: isReversed, region), left: Int(first.z), right: Int(last.z),
        freedom: Int((min(first.w, 4 * mean) + min(last.w, 4 * mean)) * 4 / mean))
      keep(sighting, way)
    }
  }

  /// Keeps a pair; of too many on one line, those with the most free space beside them.
  private mutating func keep(_ sighting: RowSighting, _ way: Int) {
    let first = way * MicroPDF417Finder.pairCountMax
    if counts[way] - lineStarts[way] < MicroPDF417Finder.linePairCountMax {
      guard counts[way] < MicroPDF417Finder.pairCountMax else { return }
      pairs[first + counts[way]] = sighting
      counts[way] += 1
      return
    }
    var least = first + lineStarts[way]
    for index in least..<(first + counts[way]) where pairs[index].freedom < pairs[least].freedom { least = index }
    if sighting.freedom > pairs[least].freedom { pairs[least] = sighting }
  }

  /// How many rows the right one of two row addresses is ahead of the left one, if not too many; with the size for which it is
  /// the least.
  private func skew(_ left: Int, _ right: Int, _ columnCount: Int) -> Int? {
    let cycle = MicroPDF417Tables.addressCount
    let skew = skews[(columnCount - 1) * cycle + (right - left + cycle) % cycle]
    return skew == MicroPDF417Finder.noSkew ? nil : Int(skew)
  }

  /// The same, found for the table.
  private static func leastSkew(_ difference: Int, _ columnCount: Int) -> Int8 {
    var best = noSkew
    for index in 0..<MicroPDF417Size.count {
      let size = MicroPDF417Tables.size(index)
      guard size.columnCount == columnCount else { continue }
      let skew = MicroPDF417Rows.difference(difference, size.right - size.left)
      if abs(skew) <= skewMax, abs(skew) < abs(Int(best)) { best = Int8(skew) }
    }
    return best
  }

  /// The length of a row address pattern, ten modules, if one begins with an edge.
  @inline(__always) private static func addressLength(_ row: ElementRow, _ index: Int) -> Int32 {
    unsafe row.edges[index + 6] - row.edges[index]
  }

  /// The row address, if the pattern of one begins with an edge.
  private func address(_ row: ElementRow, _ index: Int) -> Int32? {
    let sum = MicroPDF417Finder.addressLength(row, index)
    guard sum >= 2560 else { return nil }
    var key = 0
    for element in 0..<5 {
      let distance = row.width(index + element) + row.width(index + element + 1)
      let modules = (distance * 20 + sum) / (2 * sum)
      key = key << 3 | Int(min(7, modules))
    }
    let address = addresses[key]
    return address == 0 ? nil : Int32(address) - 1
  }
}

/// Where rows lie between two straight sides, as two lines across them tell.
private struct MicroPDF417Rows {
  private let first: RowSighting
  /// du/dv of the sides and rows a pixel of v, times 65536.
  private let startSlope: Int
  private let stopSlope: Int
  let rowSlope: Int

  /// Nil if the two cannot be of one symbol: sides too slanted, rows lower than a module or higher than ten.
  init?(_ a: RowSighting, _ b: RowSighting) {
    let height = (b.start.v &- a.start.v) >> 8
    let startShift = (b.start.u &- a.start.u) << 8
    let stopShift = (b.stop.u &- a.stop.u) << 8
    guard height > 256, abs(startShift) < 26_000 &* height, abs(stopShift) < 26_000 &* height else { return nil }
    let rows = MicroPDF417Rows.difference(b.left, a.left)
    rowSlope = (rows << 24) / height
    let rowsPerModule = (abs(rowSlope) * (a.start.module >> 8)) >> 8
    guard rowsPerModule > 6_500, rowsPerModule < 65_536 else { return nil }
    startSlope = startShift / height
    stopSlope = stopShift / height
    first = a
  }

  /// Whether a line lies between the sides, in the row that it says.
  func agrees(_ other: RowSighting) -> Bool {
    let height = (other.start.v &- first.start.v) >> 8
    guard abs(other.start.u &- first.start.u &- (startSlope &* height) >> 8) < other.start.module,
      abs(other.stop.u &- first.stop.u &- (stopSlope &* height) >> 8) < other.stop.module
    else { return false }
    let row = first.left << 16 + 0x8000 + (rowSlope * height) >> 8
    return abs(MicroPDF417Rows.difference(other.left, row >> 16)) <= 1
      && abs(MicroPDF417Rows.difference(other.right - first.right, (row >> 16) - first.left)) <= 1
  }

  /// The row addresses of a line, of all that are alike those nearest to where the line lies.
  func leftRow(_ other: RowSighting) -> Int { first.left + rowsAway(other) + error(other.left - first.left, other) }
  func rightRow(_ other: RowSighting) -> Int { first.right + rowsAway(other) + error(other.right - first.right, other) }

  private func rowsAway(_ other: RowSighting) -> Int {
    (0x8000 + (rowSlope * ((other.start.v - first.start.v) >> 8)) >> 8) >> 16
  }

  private func error(_ rows: Int, _ other: RowSighting) -> Int { MicroPDF417Rows.difference(rows, rowsAway(other)) }

  /// a - b among row addresses, from -26 to 25.
  static func difference(_ a: Int, _ b: Int) -> Int {
    let cycle = MicroPDF417Tables.addressCount
    let rest = (a - b + cycle / 2) % cycle
    return (rest < 0 ? rest + cycle : rest) - cycle / 2
  }
}

/// The least squares line of row addresses along a side.
private struct RowLineFit {
  private var count = 0
  private var sumV = 0
  private var sumRow = 0
  private var sumVV = 0
  private var sumVRow = 0

  /// Counts a row address at a height in pixels times 65536.
  mutating func add(_ v: Int, _ row: Int) {
    let height = v >> 12
    count += 1
    sumV += height
    sumRow += row
    sumVV += height * height
    sumVRow += height * row
  }

  /// Nil if all heights are the same.
  var line: RowLine? {
    let spread = count * sumVV - sumV * sumV
    guard count > 0, spread > 0 else { return nil }
    let slope = fraction((count * sumVRow - sumV * sumRow) << 4, spread)
    return RowLine(v: (sumV << 12) / count, row: (sumRow << 16) / count + 0x8000, slope: slope)
  }
}
