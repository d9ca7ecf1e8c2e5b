// The sum of a patch over frames. A frame shows a module of little more than a pixel at one place between its pixels; the
// next frame shows it at another. Three cells per pixel and side keep what each frame shows best: the closer a pixel's centre
// is to a cell, the more it counts.

import BarcodeTypes

/// The sum of a patch over frames: the mean grey of each cell, and the weight of the mean.
@safe struct PatchSum {
  /// The greatest weight of a cell's mean. Beyond it, new frames replace old ones.
  private static let weightMax: Int32 = 160

  /// Pixels per row, and rows.
  let width: Int
  let height: Int
  /// Mean greys times 256, row by row.
  private let means: UnsafeMutablePointer<UInt16>
  private let weights: UnsafeMutablePointer<UInt8>

  /// - Safety: both pointers must have room for the cells of `width` · `height` pixels.
  @unsafe init(width: Int, height: Int, means: UnsafeMutablePointer<UInt16>, weights: UnsafeMutablePointer<UInt8>) {
    self.width = width
    self.height = height
    unsafe self.means = means
    unsafe self.weights = weights
  }

  /// Cells per row.
  var columns: Int { width * PatchPlace.scale }
  var rows: Int { height * PatchPlace.scale }

  /// Work units for adding a frame.
  var addingCost: Int { columns * rows / 4 }

  /// Adds the pixels of a frame, or begins the sum with them.
  func add(_ luma: LumaView, _ place: PatchPlace, isFirst: Bool) {
    let scale = PatchPlace.scale
    let first = ((1 - scale) << 15) / scale
    let step = (1 << 16) / scale
    let (columns, rows) = (columns, rows)
    let (stepX, stepY) = (place.acrossX / scale, place.acrossY / scale)
    for row in 0..<rows {
      var (x, y) = place.place(first, first &+ row &* step)
      x &+= 128
      y &+= 128
      for column in 0..<columns {
        let cell = row &* columns &+ column
        let value = Int32(truncatingIfNeeded: interpolated(luma, x >> 8, y >> 8))
        // How close the nearest pixel's centre is: 128 if it is there, 0 half-way between two.
        let nearX = abs((x >> 8) & 0xFF &- 128)
        let nearY = abs((y >> 8) & 0xFF &- 128)
        let near = nearX &* nearY
        let weight = Int32(truncatingIfNeeded: 1 &+ (near &* near) >> 24)
        if isFirst {
          unsafe means[cell] = UInt16(truncatingIfNeeded: value << 8)
          unsafe weights[cell] = UInt8(truncatingIfNeeded: weight)
        } else {
          let mean = unsafe Int32(means[cell])
          let sum = unsafe Int32(weights[cell]) &+ weight
          unsafe means[cell] = UInt16(truncatingIfNeeded: mean &+ ((value << 8) &- mean) &* weight / sum)
          unsafe weights[cell] = UInt8(truncatingIfNeeded: min(PatchSum.weightMax, sum))
        }
        x &+= stepX
        y &+= stepY
      }
    }
  }

  /// The greys of the patch's pixels, times 16: the means of their cells.
  func reduce(into greys: ScratchArray<Int16>) {
    let scale = PatchPlace.scale
    let columns = columns
    for row in 0..<height {
      for column in 0..<width {
        var sum = 0
        for line in 0..<scale {
          let cells = unsafe means + ((row &* scale &+ line) &* columns &+ column &* scale)
          for cell in 0..<scale { sum &+= unsafe Int(cells[cell]) }
        }
        greys[row &* width &+ column] = Int16(truncatingIfNeeded: (sum / (scale &* scale)) >> 4)
      }
    }
  }

  /// The sum as a picture, with the blur of lens and pixels partly undone.
  func picture(_ filter: PatchFilter, arena: inout Arena) throws(ArenaFull) -> LumaView {
    let (columns, rows, reach) = (columns, rows, PatchFilter.reach)
    let pixels = try unsafe arena.take(UInt8.self, count: columns * rows)
    let luma = unsafe LumaView(base: pixels, width: columns, height: rows, bytesPerRow: columns)
    guard filter != .none else {
      for cell in 0..<(columns * rows) {
        unsafe pixels[cell] = UInt8(truncatingIfNeeded: min(255, (Int32(means[cell]) &+ 128) >> 8))
      }
      return luma
    }
    let mark = arena.mark
    defer { arena.release(to: mark) }
    // A row after the filter across rows, with the ends repeated.
    let line = try unsafe arena.take(Int32.self, count: columns + 2 * reach)
    let inner = unsafe line + reach
    for row in 0..<rows {
      for column in 0..<columns { unsafe inner[column] = 0 }
      for tap in -reach...reach {
        let source = unsafe means + max(0, min(rows - 1, row + tap)) * columns
        let weight = filter.tap(abs(tap))
        for column in 0..<columns { unsafe inner[column] &+= Int32(source[column]) &* weight }
      }
      for column in 0..<columns { unsafe inner[column] >>= 8 }
      for column in 1...reach {
        unsafe inner[-column] = inner[0]
        unsafe inner[columns - 1 + column] = inner[columns - 1]
      }
      let target = unsafe pixels + row * columns
      for column in 0..<columns {
        var sum = unsafe inner[column] &* filter.tap(0)
        for tap in 1...reach {
          sum &+= unsafe (inner[column &- tap] &+ inner[column &+ tap]) &* filter.tap(tap)
        }
        unsafe target[column] = UInt8(truncatingIfNeeded: max(0, min(255, (sum &+ 1 << 15) >> 16)))
      }
    }
    return luma
  }
}

/// How much of the blur is undone in a sum: Wiener's filter for a blur of two cells, across and down. With little noise left in
/// the sum, the stronger one shows smaller modules.
enum PatchFilter {
  case none
  case moderate
  case strong

  /// Taps on either side of the middle.
  static let reach = 9
  private static let moderateTaps: [10 of Int32] = [168, 116, 12, -54, -50, -13, 13, 16, 6, -2]
  private static let strongTaps: [10 of Int32] = [246, 153, -26, -112, -67, 12, 42, 22, -5, -14]

  /// The weight at a distance from the middle, in 256ths.
  @inline(__always) func tap(_ distance: Int) -> Int32 {
    self == .strong ? PatchFilter.strongTaps[distance] : PatchFilter.moderateTaps[distance]
  }
}
