// The threshold between dark and light, one per tile, from the extremes of the tiles around it.
//
// The midpoint of each tile's extremes is averaged over 3×3 tiles, weighted by contrast up to a limit: a saturated stroke
// next to a faint symbol then counts no more than the symbol. Flat tiles use the threshold of the nearest tile with
// contrast, which keeps the inside of a large dark module dark. A tile without contrast is also measured together with its
// neighbours to the right and below, as edges may run between tiles.

import BarcodeTypes

/// Thresholds of the 8×8 tiles of a picture, row by row; 0 for a tile far from all contrast.
@safe struct ThresholdMap {
  /// Least contrast of a tile that counts, and the upper limit of what noise can require: sensor noise of σ 3 spans 14
  /// within a tile.
  private static let contrastMin = 8
  static let contrastMax = 28
  /// Contrast above which a tile's weight does not increase.
  private static let weightMax: UInt8 = 32
  /// The distance over which a threshold extends into flat tiles.
  private static let reachTiles = 6

  let columns: Int
  let rows: Int
  let values: ScratchArray<UInt8>
  /// Per row, the first tile that has a threshold and the one after the last.
  private let bounds: ScratchArray<Int16>

  /// - Parameters:
  ///   - minimum: the least value of each tile, `columns * rows` elements; `maximum` likewise the greatest.
  ///   - contrastMax: the upper limit of the contrast that noise can require of a tile.
  /// - Returns: nil if no tile has contrast.
  init?(
    columns: Int, rows: Int, minimum: UnsafeMutablePointer<UInt8>, maximum: UnsafeMutablePointer<UInt8>,
    contrastMax: Int, arena: inout Arena
  ) throws(ArenaFull) {
    self.columns = columns
    self.rows = rows
    let count = columns * rows
    let cut = unsafe ThresholdMap.contrastCut(minimum, maximum, count: count, contrastMax: contrastMax)
    values = try ScratchArray(count, arena: &arena)
    bounds = try ScratchArray(2 * rows, arena: &arena)
    let mark = arena.mark
    defer { arena.release(to: mark) }
    let weights = try ScratchArray<UInt8>(count, arena: &arena)
    let sums = try ScratchArray<UInt16>(count, arena: &arena)
    let bytes = try ScratchArray<UInt8>(2 * (columns + 1), arena: &arena)
    let words = try ScratchArray<UInt16>(2 * (columns + 2), arena: &arena)
    let totals = try ScratchArray<UInt32>(columns, arena: &arena)
    guard unsafe weigh(minimum, maximum, cut: cut, weights: weights, sums: sums, rowBytes: bytes) else { return nil }
    average(weights: weights, sums: sums, rowWords: words, totals: totals)
  }

  /// Sets the same threshold for all tiles that have one.
  func level(to value: UInt8) {
    for tile in 0..<(columns * rows) where values[tile] > 0 { values[tile] = value }
  }

  /// The tiles of a row from the first to the last one that has a threshold.
  func tiles(row: Int) -> Range<Int> { Int(bounds[2 * row])..<Int(bounds[2 * row + 1]) }

  /// Twice the contrast of the noise, within the limits; if most of the picture is plain, noise stays below it.
  private static func contrastCut(
    _ minimum: UnsafeMutablePointer<UInt8>, _ maximum: UnsafeMutablePointer<UInt8>, count: Int, contrastMax: Int
  ) -> UInt8 {
    let noise = unsafe noiseContrast(minimum, maximum, count: count, step: 4)
    return UInt8(max(contrastMin, min(contrastMax, noise * 2)))
  }

  /// The contrast below which a fifth of the tiles stay, at most 63; if most of a picture is plain, this is the contrast of
  /// noise.
  ///
  /// - Parameter step: 1 for all tiles, 4 for every fourth one.
  /// - Safety: `minimum` and `maximum` must have `count` values.
  @unsafe static func noiseContrast(
    _ minimum: UnsafeMutablePointer<UInt8>, _ maximum: UnsafeMutablePointer<UInt8>, count: Int, step: Int
  ) -> Int {
    var histogram: [64 of Int32] = .init(repeating: 0)
    var index = 0
    var quiet = 0
    while index < count {
      let contrast = unsafe Int(maximum[index]) &- Int(minimum[index])
      histogram[min(63, contrast)] &+= 1
      index &+= step
      quiet &+= 1
    }
    quiet /= 5
    var noisy = 0
    while noisy < 63, quiet > 0 {
      quiet -= Int(histogram[noisy])
      noisy += 1
    }
    return noisy
  }

  /// Computes weight and weighted midpoint (times two) of each tile. Returns whether any tile counts. Each loop writes a
  /// single array, so that the compiler vectorises it.
  private func weigh(
    _ minimum: UnsafeMutablePointer<UInt8>, _ maximum: UnsafeMutablePointer<UInt8>, cut: UInt8,
    weights: ScratchArray<UInt8>, sums: ScratchArray<UInt16>, rowBytes: ScratchArray<UInt8>
  ) -> Bool {
    // Noise spans more in four tiles than in one.
    let cutOfFour = cut &+ cut / 2
    let limit = ThresholdMap.weightMax
    // Extremes of each tile and its neighbours to the right and below.
    let lows = unsafe rowBytes.base
    let highs = unsafe lows + (columns + 1)
    var any: UInt8 = 0
    for row in 0..<rows {
      let here = row * columns
      let down = row + 1 < rows ? columns : 0
      let low = unsafe minimum + here
      let high = unsafe maximum + here
      for column in 0..<columns { unsafe lows[column] = min(low[column], low[column &+ down]) }
      for column in 0..<columns { unsafe highs[column] = max(high[column], high[column &+ down]) }
      unsafe lows[columns] = lows[columns - 1]
      unsafe highs[columns] = highs[columns - 1]
      for column in 0..<columns { unsafe lows[column] = min(lows[column], lows[column &+ 1]) }
      for column in 0..<columns { unsafe highs[column] = max(highs[column], highs[column &+ 1]) }
      let weights = unsafe weights.base + here
      for column in 0..<columns {
        let own = unsafe high[column] &- low[column]
        let ofFour = unsafe highs[column] &- lows[column]
        let ownMask = own >= cut ? UInt8.max : 0
        let fourMask = ofFour >= cutOfFour ? UInt8.max : 0
        let weight = min((own & ownMask) | (ofFour & fourMask & ~ownMask), limit)
        unsafe weights[column] = weight
        any |= weight
      }
      let sums = unsafe sums.base + here
      for column in 0..<columns {
        let ownMask = unsafe high[column] &- low[column] >= cut ? UInt8.max : 0
        let least = unsafe (low[column] & ownMask) | (lows[column] & ~ownMask)
        let greatest = unsafe (high[column] & ownMask) | (highs[column] & ~ownMask)
        unsafe sums[column] = UInt16(weights[column]) &* (UInt16(greatest) &+ UInt16(least) &+ 1)
      }
    }
    return any != 0
  }

  /// Averages the weights over 3×3 tiles, and extends thresholds into tiles without one.
  private func average(
    weights: ScratchArray<UInt8>, sums: ScratchArray<UInt16>, rowWords: ScratchArray<UInt16>, totals: ScratchArray<UInt32>
  ) {
    // One more column on each side, without weight.
    rowWords.fill(0, count: rowWords.count)
    let columnWeights = unsafe rowWords.base + 1
    let columnSums = unsafe rowWords.base + (columns + 3)
    for row in 0..<rows {
      let above = max(0, row - 1) * columns
      let here = row * columns
      let below = min(rows - 1, row + 1) * columns
      let weights = unsafe weights.base
      let sums = unsafe sums.base
      var any: UInt16 = 0
      for column in 0..<columns {
        let weight =
          unsafe UInt16(weights[above &+ column]) &+ UInt16(weights[here &+ column]) &+ UInt16(weights[below &+ column])
        unsafe columnWeights[column] = weight
        any |= weight
      }
      let values = unsafe values.base + here
      (bounds[2 * row], bounds[2 * row + 1]) = (0, any == 0 ? 0 : Int16(truncatingIfNeeded: columns))
      if any == 0 {
        unsafe values.update(repeating: 0, count: columns)
        continue
      }
      for column in 0..<columns {
        unsafe columnSums[column] = sums[above &+ column] &+ sums[here &+ column] &+ sums[below &+ column]
      }
      let totals = unsafe totals.base
      for column in 0..<columns {
        unsafe totals[column] =
          UInt32(columnSums[column &- 1]) &+ UInt32(columnSums[column]) &+ UInt32(columnSums[column &+ 1])
      }
      var emptyCount = 0
      var before: UInt32 = 0
      var middle: UInt32 = unsafe UInt32(columnWeights[0])
      for column in 0..<columns {
        let after = unsafe UInt32(columnWeights[column &+ 1])
        let weight = before &+ middle &+ after
        before = middle
        middle = after
        if weight == 0 {
          emptyCount &+= 1
          unsafe values[column] = 0
        } else {
          unsafe values[column] = UInt8(truncatingIfNeeded: max(1, totals[column] / (2 &* weight)))
        }
      }
      if emptyCount > 0 { carry(row: row) }
    }
  }

  /// Extends thresholds of a row to the left and right, from the nearest tile that has one. Rows are scanned separately, so
  /// thresholds need not extend up and down.
  private func carry(row: Int) {
    let reach = ThresholdMap.reachTiles
    let values = unsafe values.base + row * columns
    // The first tile with a threshold, and the last one so far.
    var first = 0
    var last = -1
    var column = 0
    while column < columns {
      if unsafe values[column] == 0 {
        column &+= 1
        continue
      }
      // Half of a gap for each neighbour, up to their reach.
      let gap = column &- last &- 1
      if gap > 0 {
        let fromRight = min(reach, last < 0 ? gap : gap / 2)
        let fromLeft = last < 0 ? 0 : min(reach, gap &- gap / 2)
        for offset in 0..<fromRight { unsafe values[column &- 1 &- offset] = values[column] }
        for offset in 0..<fromLeft { unsafe values[last &+ 1 &+ offset] = values[last] }
      }
      if last < 0 { first = column - min(reach, gap) }
      last = column
      column &+= 1
    }
    guard last >= 0 else { return }
    let after = min(reach, columns - 1 - last)
    for offset in 0..<after { unsafe values[last &+ 1 &+ offset] = values[last] }
    bounds[2 * row] = Int16(truncatingIfNeeded: first)
    bounds[2 * row + 1] = Int16(truncatingIfNeeded: last + 1 + after)
  }
}
