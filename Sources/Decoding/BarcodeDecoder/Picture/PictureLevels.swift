// The picture at full size, a half, a quarter and an eighth, with the results of the measuring pass for each. A symbol shows
// best, at the least cost, on the level where its modules are two to six pixels wide.

import BarcodeTypes
import CVector

/// The picture at several sizes, with the tiles of each.
@safe struct PictureLevels {
  /// Number of levels whose tiles are measured; the sides of level i are 1 / 2^i as long.
  static let count = 4
  /// The result of `gain`, a factor of two, if edges are as sharp as pixels allow and far apart.
  static let sharpGain = 32
  /// Least length of the longer side of a measured level, in pixels.
  private static let sideMin = 48

  private let views: [4 of LumaView]
  private let maps: [4 of TileMap?]
  /// Number of levels, at least 1.
  let count: Int
  /// Number of levels whose tiles were measured, at least 1.
  let measuredCount: Int
  /// Least contrast of a potential symbol in a camera frame.
  private(set) var contrastMin = clearContrast

  /// Least contrast of a potential symbol's edge in a camera frame; if nothing is clear, faint edges count.
  static let clearContrast: UInt8 = 32
  private static let faintContrast: UInt8 = 12
  /// Factor, in halves, by which faint edges exceed the contrast of the noise.
  private static let noiseFactor = 5

  /// The contrast of potential symbols: `clearContrast` if any tile has it, otherwise more than that of noise. Nil if the
  /// picture is plain.
  private static func contrast(_ tiles: TileMap) -> UInt8? {
    if tiles.hasContrast(clearContrast) { return clearContrast }
    let faint = max(faintContrast, UInt8(clamping: tiles.noiseContrast * noiseFactor / 2))
    return faint < clearContrast && tiles.hasContrast(faint) ? faint : nil
  }

  /// Scales energy from edges of `contrastMin` to those of `clearContrast`, so that evidence is comparable.
  static func clearEnergy(_ energy: Int, contrastMin: UInt8) -> Int {
    energy * Int(clearContrast) * Int(clearContrast) / (Int(contrastMin) * Int(contrastMin))
  }

  /// Measures the picture and its smaller levels; only the picture if it is plain and `skipsPlain` is set.
  ///
  /// Work units are charged only for the smaller levels.
  init(_ luma: LumaView, arena: inout Arena, budget: inout WorkBudget, skipsPlain: Bool) throws(ArenaFull) {
    var views: [4 of LumaView] = .init(repeating: luma)
    var maps: [4 of TileMap?] = .init(repeating: nil)
    var count = 1
    var measured = 0
    while measured < PictureLevels.count {
      let view = views[measured]
      if measured > 0, max(view.width, view.height) < PictureLevels.sideMin { break }
      let tiles = try TileMap(width: view.width, height: view.height, arena: &arena)
      let half = try unsafe arena.take(UInt8.self, count: TileMap.halfByteCount(width: view.width, height: view.height))
      unsafe measureTiles(view, into: tiles, half: half)
      maps[measured] = tiles
      if measured > 0 { budget.charge(view.width * view.height / 64) }
      measured += 1
      guard measured < PictureLevels.count, view.width >= 2, view.height >= 2 else { break }
      views[measured] = unsafe LumaView(
        base: half, width: view.width / 2, height: view.height / 2, bytesPerRow: TileMap.halfBytesPerRow(width: view.width))
      count = measured + 1
      if measured == 1, skipsPlain {
        guard let least = PictureLevels.contrast(tiles) else { break }
        contrastMin = least
      }
    }
    // The smaller levels are needed regardless: modules of many pixels are sampled there.
    try PictureLevels.fill(&views, &count, arena: &arena)
    self.views = views
    self.maps = maps
    self.count = count
    measuredCount = measured
  }

  /// Makes levels of a given picture and its half-size copy, without tiles.
  init(full: LumaView, half: LumaView, arena: inout Arena) throws(ArenaFull) {
    var views: [4 of LumaView] = .init(repeating: full)
    views[1] = half
    var count = 2
    try PictureLevels.fill(&views, &count, arena: &arena)
    self.views = views
    maps = .init(repeating: nil)
    self.count = count
    measuredCount = 0
  }

  /// Makes the levels from `count` on until the pixels run out.
  private static func fill(_ views: inout [4 of LumaView], _ count: inout Int, arena: inout Arena) throws(ArenaFull) {
    while count < PictureLevels.count, views[count - 1].width >= 2, views[count - 1].height >= 2 {
      views[count] = try halved(views[count - 1], arena: &arena)
      count += 1
    }
  }

  /// Index of the last level.
  static let levelMax = 3

  /// The picture at a level, and the level; the smallest picture if there is no smaller one.
  func picture(_ level: Int) -> (view: LumaView, level: Int) {
    let found = max(0, min(level, count - 1))
    return (views[found], found)
  }

  /// The tiles of a level below `measuredCount`.
  func tiles(_ level: Int) -> TileMap {
    precondition(level < measuredCount)
    return maps[level]!
  }

  /// The strength of gradients in a part of the picture at the level after `level`, in sixteenths of that at `level`: four
  /// times as strong if everything is smooth, twice if edges are sharp and far apart, and less if detail between edges is
  /// lost. Nil if the next level has no tiles.
  ///
  /// - Parameter region: at full size.
  func gain(after level: Int, in region: PixelRegion) -> Int? {
    guard level + 1 < measuredCount else { return nil }
    return tiles(level + 1).energy(in: region, level: level + 1) * 16 / max(1, tiles(level).energy(in: region, level: level))
  }

  /// Converts a coordinate of the picture at `level`, in 1/`unit` pixels, to full size. The centre of a smaller pixel is the
  /// mean of the centres of its four pixels, which adds half a pixel.
  @inline(__always) static func fullSize(_ coordinate: Int, level: Int, unit: Int = 1) -> Int {
    (coordinate << level) + ((1 << level) - 1) * unit / 2
  }

  /// Halves a picture: the rounded means of 2×2 pixels, eight at a time. Reads past the end of a row stay inside the
  /// picture's memory.
  private static func halved(_ view: LumaView, arena: inout Arena) throws(ArenaFull) -> LumaView {
    let bytesPerRow = TileMap.halfBytesPerRow(width: view.width)
    let pixels = try unsafe arena.take(UInt8.self, count: TileMap.halfByteCount(width: view.width, height: view.height))
    for y in 0..<(view.height / 2) {
      let upper = unsafe view.place(0, 2 &* y)
      let lower = unsafe view.place(0, 2 &* y &+ 1)
      let target = unsafe pixels + y &* bytesPerRow
      for x in stride(from: 0, to: view.width / 2, by: 8) {
        let last = min(15, view.width &- 1 &- 2 &* x)
        let above = unsafe cvector_load((upper + 2 &* x).pointer(first: 0, last: last))
        let below = unsafe cvector_load((lower + 2 &* x).pointer(first: 0, last: last))
        unsafe cvector_store8(target + x, cvector_mean_2x2(above, below))
      }
    }
    return unsafe LumaView(base: pixels, width: view.width / 2, height: view.height / 2, bytesPerRow: bytesPerRow)
  }
}
