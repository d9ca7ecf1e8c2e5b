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
  private static let weightMax = 32
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
    guard let weights = ScratchArray<Int32>(count, arena: &arena), let sums = ScratchArray<Int32>(count, arena: &arena),
      let distances = ScratchArray<UInt8>(count, arena: &arena)
    else { return nil }
    guard unsafe weigh(minimum, maximum, cut: cut, weights: weights, sums: sums) else { return nil }
    average(weights: weights, sums: sums)
    carry(distances)
  }

  /// Twice the contrast that a fifth of all tiles stay below, between the limits: where most of the picture
  /// is plain noise this lies above the noise.
  private static func contrastCut(
    _ minimum: UnsafeMutablePointer<UInt8>, _ maximum: UnsafeMutablePointer<UInt8>, count: Int, contrastMax: Int
  ) -> Int32 {
    var quiet = count / 5
    var noisy = 0
    var histogram: [64 of Int32] = .init(repeating: 0)
    for index in 0..<count {
      let contrast = unsafe Int(maximum[index]) &- Int(minimum[index])
      histogram[min(63, contrast)] &+= 1
    }
    while noisy < 63, quiet > 0 {
      quiet -= Int(histogram[noisy])
      noisy += 1
    }
    return Int32(max(contrastMin, min(contrastMax, noisy * 2)))
  }

  /// Weight and weighted midpoint of each tile; whether any counts.
  private func weigh(
    _ minimum: UnsafeMutablePointer<UInt8>, _ maximum: UnsafeMutablePointer<UInt8>, cut: Int32,
    weights: ScratchArray<Int32>, sums: ScratchArray<Int32>
  ) -> Bool {
    let weights = unsafe weights.base
    let sums = unsafe sums.base
    var any: Int32 = 0
    for row in 0..<rows {
      let here = row * columns
      let below = min(rows - 1, row + 1) * columns
      for column in 0..<columns {
        let index = here &+ column
        var low = unsafe Int32(minimum[index])
        var high = unsafe Int32(maximum[index])
        var least = cut
        if high &- low < cut {
          // Noise spans more in four tiles than in one.
          least = cut &* 3 / 2
          let next = min(columns &- 1, column &+ 1)
          low = unsafe min(
            low, Int32(min(minimum[here &+ next], min(minimum[below &+ column], minimum[below &+ next]))))
          high = unsafe max(
            high, Int32(max(maximum[here &+ next], max(maximum[below &+ column], maximum[below &+ next]))))
        }
        let contrast = high &- low
        let weight = contrast >= least ? min(contrast, Int32(ThresholdMap.weightMax)) : 0
        unsafe weights[index] = weight
        unsafe sums[index] = weight &* (high &+ low &+ 1)
        any |= weight
      }
    }
    return any != 0
  }

  /// The weighted means over 3×3 tiles.
  private func average(weights: ScratchArray<Int32>, sums: ScratchArray<Int32>) {
    let weights = unsafe weights.base
    let sums = unsafe sums.base
    let values = unsafe values.base
    for row in 0..<rows {
      let above = max(0, row - 1) * columns
      let here = row * columns
      let below = min(rows - 1, row + 1) * columns
      // Column sums of the tile to the left, this one and the one to the right.
      var leftWeight: Int32 = 0
      var leftSum: Int32 = 0
      var weight = unsafe weights[above] &+ weights[here] &+ weights[below]
      var sum = unsafe sums[above] &+ sums[here] &+ sums[below]
      for column in 0..<columns {
        var rightWeight: Int32 = 0
        var rightSum: Int32 = 0
        if column &+ 1 < columns {
          let next = column &+ 1
          rightWeight = unsafe weights[above &+ next] &+ weights[here &+ next] &+ weights[below &+ next]
          rightSum = unsafe sums[above &+ next] &+ sums[here &+ next] &+ sums[below &+ next]
        }
        let total = leftWeight &+ weight &+ rightWeight
        unsafe values[here &+ column] =
          total == 0 ? 0 : UInt8(truncatingIfNeeded: max(1, (leftSum &+ sum &+ rightSum) / (2 &* total)))
        leftWeight = weight
        leftSum = sum
        weight = rightWeight
        sum = rightSum
      }
    }
  }

  /// Carries thresholds into tiles that have none, from the nearest tile that has one, first to the right and down, then to
  /// the left and up.
  private func carry(_ distances: ScratchArray<UInt8>) {
    let far = UInt8(ThresholdMap.reachTiles)
    let values = unsafe values.base
    let distances = unsafe distances.base
    for index in 0..<(columns * rows) {
      unsafe distances[index] = values[index] != 0 ? 0 : far
    }
    for row in 0..<rows {
      for column in 0..<columns {
        let index = row &* columns &+ column
        if unsafe distances[index] == 0 { continue }
        if column > 0 { unsafe take(index, from: index &- 1, values, distances) }
        if row > 0 { unsafe take(index, from: index &- columns, values, distances) }
      }
    }
    for row in stride(from: rows - 1, through: 0, by: -1) {
      for column in stride(from: columns - 1, through: 0, by: -1) {
        let index = row &* columns &+ column
        if unsafe distances[index] == 0 { continue }
        if column &+ 1 < columns { unsafe take(index, from: index &+ 1, values, distances) }
        if row &+ 1 < rows { unsafe take(index, from: index &+ columns, values, distances) }
      }
    }
  }

  @inline(__always) private func take(
    _ index: Int, from other: Int, _ values: UnsafeMutablePointer<UInt8>, _ distances: UnsafeMutablePointer<UInt8>
  ) {
    let distance = unsafe distances[other] &+ 1
    if unsafe distance < distances[index] {
      unsafe distances[index] = distance
      unsafe values[index] = values[other]
    }
  }
}
