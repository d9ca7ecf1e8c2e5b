// Where the picture is to be called dark: one threshold for a tile, from the extremes of the tiles around it.
//
// The midpoint of the extremes is taken of each tile and averaged over 3×3 tiles, weighted by their contrast up to a limit:
// a saturated stroke next to a faint symbol then counts no more than the symbol does. Flat tiles take over the threshold of
// the nearest one that is not, which keeps the inside of a big dark module dark. A tile without contrast of its own is also
// looked at together with its neighbours to the right and below: edges may run between tiles.

import BarcodeTypes

/// Thresholds of the 8×8 tiles of a picture, row by row. 0 stands for a tile far from all contrast.
@safe struct ThresholdMap {
  /// The least contrast of a tile that counts, and the greatest that is asked of it in noise. Measured: faint symbols of the
  /// BoofCV pictures have 14 to 29 grey levels between dark and light; sensor noise of σ 3 spans 14 within a tile.
  private static let contrastMin = 8
  static let contrastMax = 28
  /// Contrast beyond which a tile counts no more.
  private static let weightMax: UInt8 = 32
  /// How far a threshold is carried into flat tiles.
  private static let reachTiles = 6

  let columns: Int
  let rows: Int
  let values: ScratchArray<UInt8>

  /// - Parameters:
  ///   - minimum: the least value of each tile, `columns * rows` elements; `maximum` likewise the greatest.
  ///   - contrastMax: the greatest contrast that is asked of a tile in noise.
  /// - Returns: nil if no tile has contrast or the arena is full.
  init?(
    columns: Int, rows: Int, minimum: UnsafeMutablePointer<UInt8>, maximum: UnsafeMutablePointer<UInt8>,
    contrastMax: Int, arena: inout Arena
  ) {
    self.columns = columns
    self.rows = rows
    let count = columns * rows
    let cut = unsafe ThresholdMap.contrastCut(minimum, maximum, count: count, contrastMax: contrastMax)
    guard let values = ScratchArray<UInt8>(count, arena: &arena) else { return nil }
    self.values = values
    let mark = arena.mark
    defer { arena.release(to: mark) }
    guard let weights = ScratchArray<UInt16>(count + 1, arena: &arena),
      let sums = ScratchArray<UInt16>(count + 1, arena: &arena),
      let columnWeights = ScratchArray<UInt16>(columns + 2, arena: &arena),
      let columnSums = ScratchArray<UInt16>(columns + 2, arena: &arena)
    else { return nil }
    guard unsafe weigh(minimum, maximum, cut: cut, weights: weights, sums: sums) else { return nil }
    average(weights: weights, sums: sums, columnWeights: columnWeights, columnSums: columnSums)
    carry()
  }

  /// Twice the contrast that a fifth of the tiles (of every fourth one) stay below, between the limits: where most of the
  /// picture is plain noise this lies above the noise.
  private static func contrastCut(
    _ minimum: UnsafeMutablePointer<UInt8>, _ maximum: UnsafeMutablePointer<UInt8>, count: Int, contrastMax: Int
  ) -> UInt8 {
    var histogram: [64 of Int32] = .init(repeating: 0)
    var index = 0
    var quiet = 0
    while index < count {
      let contrast = unsafe Int(maximum[index]) &- Int(minimum[index])
      histogram[min(63, contrast)] &+= 1
      index &+= 4
      quiet &+= 1
    }
    quiet /= 5
    var noisy = 0
    while noisy < 63, quiet > 0 {
      quiet -= Int(histogram[noisy])
      noisy += 1
    }
    return UInt8(max(contrastMin, min(contrastMax, noisy * 2)))
  }

  /// Weight and weighted midpoint (times two) of each tile; whether any counts.
  private func weigh(
    _ minimum: UnsafeMutablePointer<UInt8>, _ maximum: UnsafeMutablePointer<UInt8>, cut: UInt8,
    weights: ScratchArray<UInt16>, sums: ScratchArray<UInt16>
  ) -> Bool {
    // Noise spans more in four tiles than in one.
    let cutOfFour = cut &+ cut / 2
    var any: UInt16 = 0
    for row in 0..<rows {
      let here = row * columns
      let down = row + 1 < rows ? columns : 0
      let low = unsafe minimum + here
      let high = unsafe maximum + here
      let weights = unsafe weights.base + here
      let sums = unsafe sums.base + here
      // The last column has no neighbour to the right.
      for column in 0..<(columns - 1) {
        let lowOfFour = unsafe min(
          min(low[column], low[column &+ 1]), min(low[column &+ down], low[column &+ down &+ 1]))
        let highOfFour = unsafe max(
          max(high[column], high[column &+ 1]), max(high[column &+ down], high[column &+ down &+ 1]))
        let isOwn = unsafe high[column] &- low[column] >= cut
        let least = unsafe isOwn ? low[column] : lowOfFour
        let greatest = unsafe isOwn ? high[column] : highOfFour
        let contrast = greatest &- least
        let weight = contrast >= (isOwn ? cut : cutOfFour) ? min(contrast, ThresholdMap.weightMax) : 0
        unsafe weights[column] = UInt16(weight)
        unsafe sums[column] = UInt16(weight) &* (UInt16(greatest) &+ UInt16(least) &+ 1)
        any |= UInt16(weight)
      }
      let last = columns - 1
      let contrast = unsafe high[last] &- low[last]
      let weight = contrast >= cut ? min(contrast, ThresholdMap.weightMax) : 0
      unsafe weights[last] = UInt16(weight)
      unsafe sums[last] = unsafe UInt16(weight) &* (UInt16(high[last]) &+ UInt16(low[last]) &+ 1)
      any |= UInt16(weight)
    }
    return any != 0
  }

  /// The weighted means over 3×3 tiles.
  private func average(
    weights: ScratchArray<UInt16>, sums: ScratchArray<UInt16>, columnWeights: ScratchArray<UInt16>,
    columnSums: ScratchArray<UInt16>
  ) {
    // One more column to each side counts nothing.
    columnWeights.fill(0, count: columns + 2)
    columnSums.fill(0, count: columns + 2)
    let columnWeights = unsafe columnWeights.base + 1
    let columnSums = unsafe columnSums.base + 1
    for row in 0..<rows {
      let above = max(0, row - 1) * columns
      let here = row * columns
      let below = min(rows - 1, row + 1) * columns
      var any: UInt16 = 0
      for column in 0..<columns {
        let weight = unsafe weights.base[above &+ column] &+ weights.base[here &+ column] &+ weights.base[below &+ column]
        unsafe columnWeights[column] = weight
        unsafe columnSums[column] = sums.base[above &+ column] &+ sums.base[here &+ column] &+ sums.base[below &+ column]
        any |= weight
      }
      let values = unsafe values.base + here
      if any == 0 {
        unsafe values.update(repeating: 0, count: columns)
        continue
      }
      for column in 0..<columns {
        let weight =
          unsafe UInt32(columnWeights[column &- 1]) &+ UInt32(columnWeights[column])
          &+ UInt32(columnWeights[column &+ 1])
        let sum = unsafe UInt32(columnSums[column &- 1]) &+ UInt32(columnSums[column]) &+ UInt32(columnSums[column &+ 1])
        unsafe values[column] = weight == 0 ? 0 : UInt8(truncatingIfNeeded: max(1, sum / (2 &* weight)))
      }
    }
  }

  /// Carries thresholds to the left and right into tiles that have none, from the nearest tile that has one. Rows are
  /// scanned by themselves, so there is no need to carry them up and down.
  private func carry() {
    let reach = ThresholdMap.reachTiles
    for row in 0..<rows {
      let values = unsafe values.base + row * columns
      // Where the last tile with a threshold was.
      var last = -1
      var column = 0
      while column < columns {
        if unsafe values[column] == 0 {
          column &+= 1
          continue
        }
        // Half of a gap each, as far as they reach.
        let gap = column &- last &- 1
        if gap > 0 {
          let fromRight = min(reach, last < 0 ? gap : gap / 2)
          let fromLeft = last < 0 ? 0 : min(reach, gap &- gap / 2)
          for offset in 0..<fromRight { unsafe values[column &- 1 &- offset] = values[column] }
          for offset in 0..<fromLeft { unsafe values[last &+ 1 &+ offset] = values[last] }
        }
        last = column
        column &+= 1
      }
      if last >= 0 {
        for offset in 0..<min(reach, columns - 1 - last) { unsafe values[last &+ 1 &+ offset] = values[last] }
      }
    }
  }
}
