// The row address patterns on one side of a MicroPDF417 symbol. Each row has the next one of a cycle and differs from its
// neighbour in a single module, so what a line alone says is often a row wrong. All rows of a size together are compared with
// the picture instead: where they would begin and end is moved until they fit best.

import BarcodeTypes

/// How well each row address pattern fits at each height of a side.
@safe struct RowAddressColumn {
  /// Heights at most.
  static let stepCountMax = 480
  /// What a height must fit a pattern to speak for it, in 256ths of what it does without blur or noise. The neighbours of the
  /// right pattern come to 205.
  private static let baseline = 160
  /// How far from where they are expected the ends are looked for, in rows.
  private static let reach = 2
  /// What a row must come to on average, in 256ths as above, over the baseline.
  private static let meanMin = 24

  /// What all heights before one come to, for each pattern.
  private let sums: ScratchArray<Int32>
  private let amplitudes: ScratchArray<Int32>
  private var stepCount = 0

  init(arena: inout Arena) throws(ArenaFull) {
    let count = (RowAddressColumn.stepCountMax + 1) * MicroPDF417Tables.addressCount
    sums = try ScratchArray(count, arena: &arena)
    amplitudes = try ScratchArray(RowAddressColumn.stepCountMax, arena: &arena)
  }

  /// Reads the first or the last column of a grid whose rows are the heights.
  mutating func read(_ grid: StackedGrid, _ luma: LumaView, isRight: Bool, _ matcher: inout CodewordMatcher) {
    let addressCount = MicroPDF417Tables.addressCount
    let column = isRight ? grid.layout.columnCount - 1 : 0
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
        sums[(step + 1) * addressCount + address] = Int32(truncatingIfNeeded: matcher.addressScore(address))
      }
    }
    // A height without bars agrees with some pattern, too, if only its own contrast counts.
    for step in 0..<stepCount {
      let full = 10 * Int(max(1, max(amplitudes[step], greatest / 2)))
      for address in 0..<addressCount {
        let at = step * addressCount + address
        let fit = Int(sums[at + addressCount]) * 256 / full - RowAddressColumn.baseline
        sums[at + addressCount] = sums[at] + Int32(truncatingIfNeeded: fit)
      }
    }
  }

  /// Where the rows of a size lie on a side: its first row's beginning and its last row's end, in 1/256 heights; the end is
  /// above the beginning where rows go up.
  struct Placement: BitwiseCopyable {
    var first: Int
    var last: Int
    /// How well they fit there.
    var score: Int

    /// What a height comes to on average, in 256ths over the baseline: 96 at most.
    var mean: Int { score * 256 / max(1, abs(last - first)) }
  }

  /// The best place for `rowCount` rows from the row address `address` on, around an expected one. Nil if they fit nowhere.
  func place(rowCount: Int, address: Int, first: Int, last: Int) -> Placement? {
    let row = abs(last - first) / rowCount
    guard row >= 128 else { return nil }
    var best = Placement(first: first, last: last, score: Int.min)
    // By halves of a row, then by quarters and eighths around the best.
    for round in 0..<3 {
      let reach = round == 0 ? 2 * RowAddressColumn.reach : 1
      let step = row >> (round + 1)
      let center = best
      for upper in (-reach)...reach {
        for lower in (-reach)...reach {
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

  /// What all up to a height, in 1/256, come to for a pattern; beyond the ends nothing fits.
  private func total(to height: Int, _ address: Int) -> Int {
    let inside = max(0, min(stepCount << 8 - 1, height))
    let at = (inside >> 8) * MicroPDF417Tables.addressCount + address
    let before = Int(sums[at])
    let after = Int(sums[at + MicroPDF417Tables.addressCount])
    return before + ((after - before) * (inside & 255)) >> 8 - ((height - inside) * RowAddressColumn.baseline) >> 8
  }
}
