// The sides of a MicroPDF417 symbol. It has no start or stop pattern, but each row begins and ends with one of 52 row
// address patterns, and there are only four widths. Many lines across other bars have two such patterns at a plausible
// distance. But only lines across a symbol have them on two straight sides, with rows that count up from line to line.

import BarcodeTypes

/// The sides of a MicroPDF417 symbol in a region, seen in reading direction.
struct MicroPDF417Sides: BitwiseCopyable {
  var start: SymbolSide
  var stop: SymbolSide
  var columnCount: Int
  /// Approximate row addresses along both sides.
  var leftRows: RowLine
  var rightRows: RowLine
  /// dv/du along the rows, times 65536.
  var slope: Int
  var isReversed: Bool
  var isInverted: Bool
}

/// The row addresses along a side, by height.
struct RowLine: BitwiseCopyable {
  /// A height, in pixels times 65536; the place among the row addresses at that height, and rows per pixel, both times
  /// 65536.
  var v: Int
  var row: Int
  var slope: Int

  /// The place among the row addresses at a height, times 65536, not reduced to the cycle.
  func place(at height: Int) -> Int { row + (slope * ((height - v) >> 8)) >> 8 }
}

/// A line that may be a row of a symbol: its ends, and the row addresses there.
private struct RowSighting: BitwiseCopyable {
  var start: SideSighting
  var stop: SideSighting
  var left: Int
  var right: Int
  /// Free space before and after it, in quarters of a module, at most four modules each; 0 once it was tried.
  var freedom: Int
}

/// Looks for pairs of row address patterns in regions.
@safe struct MicroPDF417Finder {
  /// Number of lines over a region.
  private static let lineCountMax = 24
  /// The greatest ratio of a symbol's length to its height: 99 modules to four rows of two.
  private static let longestByHeight = 12
  /// The greatest length of a symbol if the region is only a part of it, at either end.
  private static let reachMax = 440 << 16
  /// Ways to read: four widths, two directions, dark on light or light on dark.
  private static let wayCount = 16
  /// The most pairs kept for a way, and for a single line of them.
  private static let pairCountMax = 96
  private static let linePairCountMax = 4
  /// The most beginnings and ends kept for a line.
  private static let endCountMax = 48
  /// Least number of pairs that must agree.
  private static let agreementMin = 4
  /// Least number of pairs that must agree after two thirds of the lines, which rejects most false candidates early.
  private static let earlyAgreementMin = 3
  /// Greatest row difference between the two row addresses of a line, as a line need not follow a row exactly.
  private static let skewMax = 3
  /// Marks greater differences in the table.
  private static let noSkew: Int8 = 127

  private let pairs: ScratchArray<RowSighting>
  /// The ends of the pairs that agree.
  private let starts: ScratchArray<SideSighting>
  private let stops: ScratchArray<SideSighting>
  private var counts: [16 of Int] = .init(repeating: 0)
  /// The counts before the current line.
  private var lineStarts: [16 of Int] = .init(repeating: 0)
  /// Edges at which rows may begin and end, with the modules, row addresses and free space there.
  private let firsts: ScratchArray<SIMD4<Int32>>
  private let lasts: ScratchArray<SIMD4<Int32>>
  /// The row address pattern, counted from 1, for a key of five distances between similar edges, 3 bits each; 0 if there is
  /// none.
  private let addresses: ScratchArray<UInt8>
  /// Results of `skew`, by the difference of the row addresses, for each width.
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

  /// Scans the lines over a region. False if nothing is found on them.
  mutating func scan(
    _ region: StripeRegion, _ scanner: inout StackedScanner, _ luma: LumaView, effort: Effort, _ budget: inout WorkBudget
  ) -> Bool {
    counts = .init(repeating: 0)
    let isFrame = effort == .frame
    let lineCount = isFrame ? 20 : MicroPDF417Finder.lineCountMax
    let height = region.vMax - region.vMin
    // The tiles of a low symbol may cover only a part of it.
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

  /// The next most likely sides: at least four pairs lie on them and agree on the rows, with the most free space outside.
  /// Their pairs are not used again.
  mutating func nextSides(_ region: StripeRegion, _ budget: inout WorkBudget) -> MicroPDF417Sides? {
    guard let best = mostLikelyRows(agreementMin: MicroPDF417Finder.agreementMin, &budget) else { return nil }
    return sides(best.rows, best.way, region)
  }

  /// The rows on which at least `agreementMin` pairs agree, with the most free space outside.
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

  /// The sides formed by the pairs that agree with given rows.
  private mutating func sides(_ rows: MicroPDF417Rows, _ way: Int, _ region: StripeRegion) -> MicroPDF417Sides? {
    let first = way * MicroPDF417Finder.pairCountMax
    let columnCount = way >> 2 + 1
    var left = LineFit()
    var right = LineFit()
    var count = 0
    var skew = 0
    var length = 0
    for index in first..<(first + counts[way]) where pairs[index].freedom > 0 && rows.agrees(pairs[index]) {
      skew += self.skew(pairs[index].left, pairs[index].right, columnCount) ?? 0
      length += (pairs[index].stop.u - pairs[index].start.u) >> 8
      left.add(pairs[index].start.v >> 12, rows.leftRow(pairs[index]))
      right.add(pairs[index].stop.v >> 12, rows.rightRow(pairs[index]))
      starts[count] = pairs[index].start
      stops[count] = pairs[index].stop
      pairs[index].freedom = 0
      count += 1
    }
    guard let start = SymbolSide(starts, first: 0, count: count, countMin: 3),
      let stop = SymbolSide(stops, first: 0, count: count, countMin: 3), let leftRows = left.line,
      let rightRows = right.line
    else { return nil }
    // If a line's right end is in a later row than its left end, the line descends too steeply.
    let heights = (skew << 24) / rows.rowSlope
    let slope = max(-60_000, min(60_000, region.slope - (heights << 16) / (length == 0 ? 1 : length)))
    return MicroPDF417Sides(
      start: start, stop: stop, columnCount: columnCount, leftRows: leftRows, rightRows: rightRows, slope: slope,
      isReversed: way & 2 != 0, isInverted: way & 1 != 0)
  }

  /// Keeps the pairs of a line in one direction.
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
        // Both lists are in the order of their edges.
        while nearest < lastCount, lasts[nearest].x - firsts[first].x < MicroPDF417Finder.elementCountMin { nearest += 1 }
        for last in nearest..<lastCount {
          if lasts[last].x - firsts[first].x > MicroPDF417Finder.elementCountMax { break }
          guard isAsLongAsRow(row, firsts[first], lasts[last]) else { continue }
          pair(scanner, row, (firsts[first], lasts[last]), region, isReversed: isReversed, isInverted: isInverted)
        }
      }
    }
  }

  /// Whether the distance between a beginning and an end is between the lengths of the narrowest and the widest symbol.
  ///
  /// Module widths are known to some 5 %, so the length is 17 to 19 eighteenths of the value given by their geometric mean.
  @inline(__always) private func isAsLongAsRow(_ row: ElementRow, _ first: SIMD4<Int32>, _ last: SIMD4<Int32>) -> Bool {
    let length = unsafe 18 &* Int(row.edges[Int(last.x)] &- row.edges[Int(first.x)])
    let square = Int(first.y) &* Int(last.y)
    let least = 17 &* MicroPDF417Finder.moduleCount(1)
    let most = 19 &* MicroPDF417Finder.moduleCount(4)
    return length &* length > square &* (least &* least) && length &* length < square &* (most &* most)
  }

  /// Number of modules in a row of `columnCount` columns.
  private static func moduleCount(_ columnCount: Int) -> Int { columnCount * 17 + (columnCount > 2 ? 31 : 21) }

  /// Number of elements in a row of `columnCount` columns, and the number that may be missing because blur has closed them.
  private static func elementCount(_ columnCount: Int) -> Int { 6 * (columnCount > 2 ? 3 : 2) + 8 * columnCount + 1 }
  private static func missingCountMax(_ columnCount: Int) -> Int { 2 * columnCount + 2 }

  /// Least and greatest number of elements on a line. A line that passes from one row to the next has elements of both.
  private static let elementCountMin = Int32(elementCount(1) - missingCountMax(1))
  private static let elementCountMax = Int32(2 * elementCount(4))

  /// Keeps a beginning and an end whose distance matches a symbol and whose row addresses are compatible.
  private mutating func pair(
    _ scanner: StackedScanner, _ row: ElementRow, _ ends: (first: SIMD4<Int32>, last: SIMD4<Int32>),
    _ region: StripeRegion, isReversed: Bool, isInverted: Bool
  ) {
    let (first, last) = ends
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
      // The total width is more precise than the width of an end; the ends give the change of the module width along the
      // line.
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

  /// Keeps a pair; if a line has too many, those with the most free space outside stay.
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

  /// The number of rows by which the right of two row addresses is ahead of the left one, for the size that makes it least;
  /// nil if it is too great for every size.
  private func skew(_ left: Int, _ right: Int, _ columnCount: Int) -> Int? {
    let cycle = MicroPDF417Tables.addressCount
    let skew = skews[(columnCount - 1) * cycle + (right - left + cycle) % cycle]
    return skew == MicroPDF417Finder.noSkew ? nil : Int(skew)
  }

  /// Computes `skew` for the table.
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

  /// The length of a row address pattern, ten modules, if one begins at an edge.
  @inline(__always) private static func addressLength(_ row: ElementRow, _ index: Int) -> Int32 {
    unsafe row.edges[index + 6] - row.edges[index]
  }

  /// The row address whose pattern begins at an edge, if any.
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

/// The rows between two straight sides, determined by two lines across them.
private struct MicroPDF417Rows {
  private let first: RowSighting
  /// The slopes du/dv of the sides, and rows per pixel of v; times 65536.
  private let startSlope: Int
  private let stopSlope: Int
  let rowSlope: Int

  /// Nil if the two lines cannot belong to the same symbol: sides too slanted, or rows lower than a module or higher than
  /// ten.
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

  /// Whether a line lies between the sides and in the row that its row addresses indicate.
  func agrees(_ other: RowSighting) -> Bool {
    let height = (other.start.v &- first.start.v) >> 8
    guard abs(other.start.u &- first.start.u &- (startSlope &* height) >> 8) < other.start.module,
      abs(other.stop.u &- first.stop.u &- (stopSlope &* height) >> 8) < other.stop.module
    else { return false }
    let row = first.left << 16 + 0x8000 + (rowSlope * height) >> 8
    return abs(MicroPDF417Rows.difference(other.left, row >> 16)) <= 1
      && abs(MicroPDF417Rows.difference(other.right - first.right, (row >> 16) - first.left)) <= 1
  }

  /// The row addresses of a line, unwrapped to the turn of the cycle nearest to where the line lies.
  func leftRow(_ other: RowSighting) -> Int { first.left + rowsAway(other) + error(other.left - first.left, other) }
  func rightRow(_ other: RowSighting) -> Int { first.right + rowsAway(other) + error(other.right - first.right, other) }

  private func rowsAway(_ other: RowSighting) -> Int {
    (0x8000 + (rowSlope * ((other.start.v - first.start.v) >> 8)) >> 8) >> 16
  }

  private func error(_ rows: Int, _ other: RowSighting) -> Int { MicroPDF417Rows.difference(rows, rowsAway(other)) }

  /// The difference a - b of row addresses, from -26 to 25.
  static func difference(_ a: Int, _ b: Int) -> Int {
    let cycle = MicroPDF417Tables.addressCount
    let rest = (a - b + cycle / 2) % cycle
    return (rest < 0 ? rest + cycle : rest) - cycle / 2
  }
}

extension LineFit {
  /// The line of row addresses at heights in sixteenths of a pixel; nil if all heights are the same.
  fileprivate var line: RowLine? {
    guard count > 0, slope.divisor > 0 else { return nil }
    return RowLine(
      v: (sumX << 12) / count, row: (sumY << 16) / count + 0x8000, slope: fraction(slope.dividend << 4, slope.divisor))
  }
}
