// The row address patterns on one side of a MicroPDF417 symbol or of the component of a GS1 Composite symbol. Each row has the next one of a cycle, which differs from its
// neighbour in a single module, so a single line is often read a row wrong. Instead, all rows of a size are compared with
// the picture together: their beginning and end are moved until they fit best.

import BarcodeTypes

/// The fit of each row address pattern at each height of a side.
@safe struct RowAddressColumn {
  /// The most heights.
  static let stepCountMax = 480
  /// The fit above which a height supports a pattern, in 256ths of the fit without blur or noise. The neighbours of the
  /// right pattern reach 205.
  private static let baseline = 160
  /// The greatest distance of the ends from their expected places, in rows.
  private static let reach = 2
  /// The least mean fit of the rows above the baseline, in 256ths as above.
  private static let meanMin = 24

  /// The summed fit of all heights before each height, for each pattern.
  private let sums: ScratchArray<Int32>
  private let amplitudes: ScratchArray<Int32>
  private var stepCount = 0

  init(arena: inout Arena) throws(ArenaFull) {
    let count = (RowAddressColumn.stepCountMax + 1) * MicroPDF417Tables.addressCount
    sums = try ScratchArray(count, arena: &arena)
    amplitudes = try ScratchArray(RowAddressColumn.stepCountMax, arena: &arena)
  }

  /// Reads a column of a grid whose rows are the heights.
  ///
  /// - Parameter isCenter: whether its patterns are those in the middle of a symbol.
  mutating func read(
    _ grid: StackedGrid, _ luma: LumaView, column: Int, isCenter: Bool = false, _ matcher: inout CodewordMatcher
  ) {
    let addressCount = MicroPDF417Tables.addressCount
    let sampling = StackedSampling(lineOf: grid.size(grid.layout.start(column) << 8, grid.rowCount << 7).module)
    stepCount = min(grid.rowCount, RowAddressColumn.stepCountMax)
    var greatest: Int32 = 1
    for address in 0..<addressCount { sums[address] = 0 }
    for step in 0..<stepCount {
      grid.read(luma, column: column, y: step << 8 + 128, sampling, into: matcher.values)
      matcher.prepareAddress()
      amplitudes[step] = matcher.size
      greatest = max(greatest, matcher.size)
      for address in 0..<addressCount {
        sums[(step + 1) * addressCount + address] = Int32(
          truncatingIfNeeded: matcher.addressScore(
            pattern: isCenter ? MicroPDF417Tables.centerAddress(address) : MicroPDF417Tables.sideAddress(address)))
      }
    }
    // With only its own contrast as the measure, a height without bars would also agree with some pattern.
    for step in 0..<stepCount {
      let full = 10 * Int(max(1, max(amplitudes[step], greatest / 2)))
      for address in 0..<addressCount {
        let at = step * addressCount + address
        let fit = Int(sums[at + addressCount]) * 256 / full - RowAddressColumn.baseline
        sums[at + addressCount] = sums[at] + Int32(truncatingIfNeeded: fit)
      }
    }
  }

  /// The place of the rows in the cycle of patterns: the height at which the row with pattern 0 begins, in 1/256 heights. It is
  /// the one that most heights vote for by the pattern that fits them best. Nil if none fits.
  ///
  /// - Parameter row: the height of a row, in 1/256 heights.
  func phase(row: Int) -> Int? {
    let addressCount = MicroPDF417Tables.addressCount
    let cycle = row * addressCount
    var bins: [104 of Int32] = .init(repeating: 0)
    for step in 0..<stepCount {
      let at = step * addressCount
      var best = 0
      var most: Int32 = 0
      for address in 0..<addressCount where sums[at + addressCount + address] - sums[at + address] > most {
        most = sums[at + addressCount + address] - sums[at + address]
        best = address
      }
      guard most > 0 else { continue }
      bins[RowAddressColumn.bin(step << 8 + 128 - row / 2 - best * row, cycle)] += most
    }
    var best = 0
    var most: Int32 = 0
    for bin in 0..<RowAddressColumn.binCount {
      // A row's heights are spread over two of its halves.
      let sum = bins[bin] + bins[(bin + 1) % RowAddressColumn.binCount]
      if sum > most { (best, most) = (bin, sum) }
    }
    return most > 0 ? (best + 1) * cycle / RowAddressColumn.binCount : nil
  }

  /// Halves of a row in the cycle.
  private static let binCount = 104

  /// The half of a row that a height lies in.
  private static func bin(_ height: Int, _ cycle: Int) -> Int {
    let rest = height % cycle
    return (rest < 0 ? rest + cycle : rest) * binCount / cycle
  }

  /// The place of a size's rows on a side: the beginning of its first row and the end of its last row, in 1/256 heights. The
  /// end is above the beginning if rows run upwards.
  struct Placement: BitwiseCopyable {
    var first: Int
    var last: Int
    /// The fit of the rows there.
    var score: Int

    /// The mean fit per height above the baseline, in 256ths: at most 96.
    var mean: Int { score * 256 / max(1, abs(last - first)) }
  }

  /// The best place for `rowCount` rows, beginning with the row address `address`, around an expected place. Nil if they fit
  /// nowhere.
  ///
  /// - Parameter isRigid: whether the height of the rows is certain, so that both ends move together.
  func place(rowCount: Int, address: Int, first: Int, last: Int, isRigid: Bool = false) -> Placement? {
    let row = abs(last - first) / rowCount
    guard row >= 128 else { return nil }
    var best = Placement(first: first, last: last, score: Int.min)
    // First by halves of a row, then by quarters and eighths around the best.
    for round in 0..<3 {
      let reach = round == 0 ? 2 * RowAddressColumn.reach : 1
      let step = row >> (round + 1)
      let center = best
      for upper in (-reach)...reach {
        for lower in (-reach)...reach where !isRigid || lower == upper {
          let from = center.first + upper * step
          let to = center.last + lower * step
          guard (to > from) == (last > first), abs(to - from) * 4 > rowCount * row * 3 else { continue }
          let score = self.score(rowCount: rowCount, address: address, first: from, last: to)
          if score > best.score { best = Placement(first: from, last: to, score: score) }
        }
      }
    }
    guard best.score > abs(best.last - best.first) * RowAddressColumn.meanMin / 256 else { return nil }
    return best
  }

  private func score(rowCount: Int, address: Int, first: Int, last: Int) -> Int {
    let step = ((last - first) << 8) / rowCount
    var sum = 0
    var address = address
    for row in 0..<rowCount {
      let from = first + (step * row) >> 8
      let to = first + (step * (row + 1)) >> 8
      sum += total(to: max(from, to), address) - total(to: min(from, to), address)
      address = address + 1 == MicroPDF417Tables.addressCount ? 0 : address + 1
    }
    return sum
  }

  /// The summed fit of a pattern up to a height, in 1/256 heights; beyond the ends nothing fits.
  private func total(to height: Int, _ address: Int) -> Int {
    let inside = max(0, min(stepCount << 8 - 1, height))
    let at = (inside >> 8) * MicroPDF417Tables.addressCount + address
    let before = Int(sums[at])
    let after = Int(sums[at + MicroPDF417Tables.addressCount])
    return before + ((after - before) * (inside & 255)) >> 8 - ((height - inside) * RowAddressColumn.baseline) >> 8
  }
}
