// The sides of a MicroPDF417 symbol. It has no start or stop pattern, but each row begins and ends with one of 52 row address
// patterns, and there are only four widths: a scan line that begins and ends that way, as many modules apart, crosses one.

import BarcodeTypes

/// Where the sides of a MicroPDF417 symbol lie in a region, seen in reading direction.
struct MicroPDF417Sides: BitwiseCopyable {
  var start: SymbolSide
  var stop: SymbolSide
  var columnCount: Int
  var isReversed: Bool
  var isInverted: Bool
}

/// Looks for pairs of row address patterns in regions.
@safe struct MicroPDF417Finder {
  /// Lines over a region.
  private static let lineCountMax = 24
  /// Ways to read: four widths, two directions, dark on light or light on dark.
  private static let wayCount = 16
  /// Pairs kept of one way.
  private static let pairCountMax = 64
  /// Beginnings and ends kept of a line.
  private static let endCountMax = 48

  private let starts: ScratchArray<SideSighting>
  private let stops: ScratchArray<SideSighting>
  private var counts: [16 of Int] = .init(repeating: 0)
  /// Edges at which rows may begin and end, and the modules there.
  private let firsts: ScratchArray<Int32>
  private let firstModules: ScratchArray<Int32>
  private let lasts: ScratchArray<Int32>
  private let lastModules: ScratchArray<Int32>
  /// One bit for each set of five distances of similar edges, of 3 bits each, that a row address pattern has.
  private let distances: ScratchArray<UInt8>

  /// Nil if the arena is full.
  init?(arena: inout Arena) {
    let count = MicroPDF417Finder.wayCount * MicroPDF417Finder.pairCountMax
    guard let starts = ScratchArray<SideSighting>(count, arena: &arena),
      let stops = ScratchArray<SideSighting>(count, arena: &arena),
      let firsts = ScratchArray<Int32>(MicroPDF417Finder.endCountMax, arena: &arena),
      let firstModules = ScratchArray<Int32>(MicroPDF417Finder.endCountMax, arena: &arena),
      let lasts = ScratchArray<Int32>(MicroPDF417Finder.endCountMax, arena: &arena),
      let lastModules = ScratchArray<Int32>(MicroPDF417Finder.endCountMax, arena: &arena),
      let distances = ScratchArray<UInt8>(4096, arena: &arena)
    else { return nil }
    self.starts = starts
    self.stops = stops
    self.firsts = firsts
    self.firstModules = firstModules
    self.lasts = lasts
    self.lastModules = lastModules
    self.distances = distances
    distances.fill(0, count: 4096)
    for index in 0..<MicroPDF417Tables.addressCount {
      let key = MicroPDF417Finder.key(MicroPDF417Tables.sideAddress(index))
      distances[key >> 3] |= 1 << UInt8(key & 7)
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

  /// The sides of the symbol in a region, or nil.
  mutating func find(
    _ region: StripeRegion, _ scanner: inout StackedScanner, _ luma: LumaView, effort: Effort, _ budget: inout WorkBudget
  ) -> MicroPDF417Sides? {
    counts = .init(repeating: 0)
    let isFrame = effort == .frame
    let lineCount = isFrame ? 12 : MicroPDF417Finder.lineCountMax
    let height = region.vMax - region.vMin
    let overhang = isFrame ? 24 << 16 : max(40 << 16, (region.uMax - region.uMin) / 2)
    for line in 0..<lineCount {
      let place = (line * 7 + lineCount / 2) % lineCount
      let v = region.vMin + height * (2 * place + 1) / (2 * lineCount)
      for rule in 0..<(isFrame ? 1 : 2) {
        guard
          scanner.read(
            region, v: v, overhang: overhang, rowCount: 2, rule: rule == 0 ? .vertex : .area, luma, &budget)
        else { break }
        let before = pairCount
        collect(scanner, scanner.row, region, isReversed: false)
        collect(scanner, scanner.reversed, region, isReversed: true)
        if pairCount > before { break }
      }
      if isFrame, line == 3, pairCount == 0 { return nil }
    }
    return sides(countMin: isFrame ? 3 : 4)
  }

  private var pairCount: Int {
    var sum = 0
    for way in 0..<MicroPDF417Finder.wayCount { sum += counts[way] }
    return sum
  }

  /// The way of reading with the most sightings on two lines.
  private func sides(countMin: Int) -> MicroPDF417Sides? {
    var best: MicroPDF417Sides?
    var bestCount = 0
    for way in 0..<MicroPDF417Finder.wayCount where counts[way] >= countMin {
      let first = way * MicroPDF417Finder.pairCountMax
      guard let start = SymbolSide(starts, first: first, count: counts[way], countMin: countMin),
        let stop = SymbolSide(stops, first: first, count: counts[way], countMin: countMin)
      else { continue }
      let count = start.count + stop.count
      guard count > bestCount else { continue }
      bestCount = count
      best = MicroPDF417Sides(
        start: start, stop: stop, columnCount: way >> 2 + 1, isReversed: way & 2 != 0, isInverted: way & 1 != 0)
    }
    return best
  }

  /// Keeps the pairs of one line in one direction.
  private mutating func collect(_ scanner: StackedScanner, _ row: ElementRow, _ region: StripeRegion, isReversed: Bool) {
    for parity in 0..<2 {
      let isInverted = (parity == 0) != row.beginsDark
      var firstCount = 0
      var lastCount = 0
      var index = parity
      while index + 7 < row.count {
        if let module = addressModule(row, index) {
          if row.gapBefore(index) > module, firstCount < MicroPDF417Finder.endCountMax {
            firsts[firstCount] = Int32(index)
            firstModules[firstCount] = module
            firstCount += 1
          }
          // The bar that ends the row.
          if row.gapAfter(index + 7) > module, row.width(index + 6) * 4 < 7 * module,
            lastCount < MicroPDF417Finder.endCountMax
          {
            lasts[lastCount] = Int32(index + 7)
            lastModules[lastCount] = module
            lastCount += 1
          }
        }
        index += 2
      }
      for first in 0..<firstCount {
        for last in 0..<lastCount where lasts[last] > firsts[first] {
          pair(scanner, row, first, last, region, isReversed: isReversed, isInverted: isInverted)
        }
      }
    }
  }

  /// Keeps a beginning and an end that are as far apart as they are in a symbol.
  private mutating func pair(
    _ scanner: StackedScanner, _ row: ElementRow, _ first: Int, _ last: Int, _ region: StripeRegion, isReversed: Bool,
    isInverted: Bool
  ) {
    let from = unsafe row.edges[Int(firsts[first])]
    let to = unsafe row.edges[Int(lasts[last])]
    let module = Int(integerRoot(UInt64(Int(firstModules[first]) * Int(lastModules[last]))))
    let length = Int(to - from)
    for columnCount in 1...4 {
      let width = MicroPDF417Size.layout(columnCount: columnCount).width
      // Module widths are known to some 5 %.
      guard abs(length - width * module) * 18 < width * module else { continue }
      let elementCount = 6 * (columnCount > 2 ? 3 : 2) + 8 * columnCount + 1
      // Blur may have closed some elements, noise opened others.
      guard abs(Int(lasts[last] - firsts[first]) - elementCount) <= 2 * columnCount + 2 else { continue }
      let way = (columnCount - 1) << 2 | (isReversed ? 2 : 0) | (isInverted ? 1 : 0)
      guard counts[way] < MicroPDF417Finder.pairCountMax else { continue }
      let place = way * MicroPDF417Finder.pairCountMax + counts[way]
      // The width of all is surer than that of an end; how it changes from one to the other is not told by one line.
      let mean = Int32(truncatingIfNeeded: length / width)
      starts[place] = scanner.sighting(from, module: mean, isReversed: isReversed, region)
      stops[place] = scanner.sighting(to, module: mean, isReversed: isReversed, region)
      counts[way] += 1
    }
  }

  /// A module's length, if a row address pattern begins with an edge.
  private func addressModule(_ row: ElementRow, _ index: Int) -> Int32? {
    let sum = unsafe row.edges[index + 6] - row.edges[index]
    guard sum >= 2560 else { return nil }
    var key = 0
    for element in 0..<5 {
      let distance = row.width(index + element) + row.width(index + element + 1)
      let modules = (distance * 20 + sum) / (2 * sum)
      key = key << 3 | Int(min(7, modules))
    }
    guard distances[key >> 3] & (1 << UInt8(key & 7)) != 0 else { return nil }
    return sum / 10
  }
}
