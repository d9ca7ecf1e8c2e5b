// A copy of a picture in which defocus is partly undone and, optionally, pixel values are logarithmic. Searches find faint,
// small or blurred finder patterns in it that they miss in the picture itself.

import BarcodeTypes

/// A filtered picture with the extremes of its tiles, allocated from the arena.
@safe struct SharpenedPicture {
  /// Upper limit of the contrast that noise can require of a tile, see `ThresholdMap`: sharpening amplifies noise two to
  /// three times.
  static let contrastMax = 64

  /// How pixels are filtered.
  enum Filter {
    case linear
    /// Takes the logarithm of pixels first, which tames saturated strokes next to a faint symbol.
    case logarithmic
    /// Keeps only the difference from the surrounding mean, four times as strong, around `middle`.
    case withoutMean
  }

  static let middle: UInt8 = 128

  let view: LumaView
  let columns: Int
  let rows: Int
  let minimum: UnsafeMutablePointer<UInt8>
  let maximum: UnsafeMutablePointer<UInt8>

  /// Filters a picture: twice the difference from its surrounding mean is added to each pixel (a kernel of 1 2 2 2 1 both
  /// ways, σ 1.2 pixels).
  ///
  /// - Returns: nil if the picture is smaller than 16×16.
  init?(of source: LumaView, _ filter: Filter, arena: inout Arena) throws(ArenaFull) {
    guard source.width >= 16, source.height >= 16 else { return nil }
    columns = (source.width + TileMap.side - 1) / TileMap.side
    rows = (source.height + TileMap.side - 1) / TileMap.side
    let width = source.width
    let height = source.height
    let pixels = try unsafe arena.take(UInt8.self, count: width * height)
    unsafe minimum = try arena.take(UInt8.self, count: columns * rows)
    unsafe maximum = try arena.take(UInt8.self, count: columns * rows)
    view = unsafe LumaView(base: pixels, width: width, height: height, bytesPerRow: width)
    let mark = arena.mark
    defer { arena.release(to: mark) }
    let sums = try unsafe arena.take(Int16.self, count: width + 16)
    if filter == .logarithmic {
      let logged = try SharpenedPicture.logarithm(of: source, arena: &arena)
      unsafe SharpenedPicture.sharpen(logged, into: pixels, sums: sums, keepsMean: true)
    } else {
      unsafe SharpenedPicture.sharpen(source, into: pixels, sums: sums, keepsMean: filter == .linear)
    }
    try unsafe measureExtremes(view, minimum: minimum, maximum: maximum, arena: &arena)
  }

  /// The greatest contrast of a tile.
  var contrast: Int {
    var contrast = 0
    for tile in 0..<(columns * rows) { contrast = unsafe max(contrast, Int(maximum[tile]) - Int(minimum[tile])) }
    return contrast
  }

  private static func sharpen(
    _ source: LumaView, into target: UnsafeMutablePointer<UInt8>, sums: UnsafeMutablePointer<Int16>,
    keepsMean: Bool
  ) {
    let width = source.width
    let lastY = source.height - 1
    for y in 0...lastY {
      let a = unsafe source.place(0, max(0, y - 2))
      let b = unsafe source.place(0, max(0, y - 1))
      let c = unsafe source.place(0, y)
      let d = unsafe source.place(0, min(lastY, y + 1))
      let e = unsafe source.place(0, min(lastY, y + 2))
      // Two more columns on each side repeat the outermost pixels.
      let inner = unsafe sums + 2
      for x in 0..<width {
        let middle = unsafe Int16(b[x]) &+ Int16(c[x]) &+ Int16(d[x])
        unsafe inner[x] = Int16(a[x]) &+ Int16(e[x]) &+ middle &+ middle
      }
      for x in 0..<2 {
        unsafe sums[x] = inner[0]
        unsafe inner[width + x] = inner[width - 1]
      }
      let row = unsafe target + y &* width
      for x in 0..<width {
        let middle = unsafe inner[x &- 1] &+ inner[x] &+ inner[x &+ 1]
        let mean = unsafe (inner[x &- 2] &+ inner[x &+ 2] &+ middle &+ middle) >> 5
        // Twice the mean is in both terms.
        let difference = unsafe Int16(c[x]) &- mean >> 1
        let value = unsafe keepsMean ? 3 &* Int16(c[x]) &- mean : Int16(SharpenedPicture.middle) &+ 4 &* difference
        unsafe row[x] = UInt8(truncatingIfNeeded: max(0, min(255, value)))
      }
    }
  }

  /// Maps the pixels v to 255 · log(1 + v / 6) / log(1 + 255 / 6).
  private static func logarithm(of source: LumaView, arena: inout Arena) throws(ArenaFull) -> LumaView {
    let pixels = try unsafe arena.take(UInt8.self, count: source.width * source.height)
    var table: [256 of UInt8] = .init(repeating: 0)
    let lowest = binaryLogarithm(6)
    let range = binaryLogarithm(261) - lowest
    for value in 0..<256 { table[value] = UInt8(255 * (binaryLogarithm(value + 6) - lowest) / range) }
    for y in 0..<source.height {
      let row = unsafe source.place(0, y)
      let target = unsafe pixels + y &* source.width
      for x in 0..<source.width { unsafe target[x] = table[Int(row[x])] }
    }
    return unsafe LumaView(base: pixels, width: source.width, height: source.height, bytesPerRow: source.width)
  }

  /// The binary logarithm in 1/256, linear between powers of two.
  private static func binaryLogarithm(_ value: Int) -> Int {
    let exponent = Int.bitWidth - 1 - value.leadingZeroBitCount
    return exponent * 256 + ((value << 8) >> exponent) - 256
  }

  /// The least and greatest value of each tile.
  private func measureExtremes(
    _ view: LumaView, minimum: UnsafeMutablePointer<UInt8>, maximum: UnsafeMutablePointer<UInt8>, arena: inout Arena
  ) throws(ArenaFull) {
    let side = TileMap.side
    let padded = columns * side
    let low = try unsafe arena.take(UInt8.self, count: padded)
    let high = try unsafe arena.take(UInt8.self, count: padded)
    for tileRow in 0..<rows {
      for x in 0..<padded {
        unsafe low[x] = 255
        unsafe high[x] = 0
      }
      for y in (tileRow * side)..<min(view.height, tileRow * side + side) {
        let row = unsafe view.place(0, y)
        for x in 0..<view.width {
          unsafe low[x] = min(low[x], row[x])
          unsafe high[x] = max(high[x], row[x])
        }
      }
      for column in 0..<columns {
        var least: UInt8 = 255
        var greatest: UInt8 = 0
        for x in 0..<side {
          least = unsafe min(least, low[column &* side &+ x])
          greatest = unsafe max(greatest, high[column &* side &+ x])
        }
        unsafe minimum[tileRow &* columns &+ column] = least
        unsafe maximum[tileRow &* columns &+ column] = greatest
      }
    }
  }
}
