// Data Matrix: regions of the picture with strong gradients are cut out and searched for symbols, each at a suitable size.
// For a camera frame these are the few regions that resemble symbols. A still picture is also searched as a whole: at a
// smaller size, which smooths print and noise, and at twice the size, for small modules.

import BarcodeTypes

/// The maximum side of a part that is doubled, in pixels.
private let doubledSideMax = 240
/// The width, in pixels, of the light margin around a picture of at most `marginSideMax` pixels before it is doubled: a
/// symbol may fill it.
private let doubledMargin = 6
private let marginSideMax = 64

/// Which edges of a sharpened copy count.
private enum EdgeChoice {
  case all
  /// Those with a good part of the copy's contrast.
  case clear

  /// The minimum gradient of clear edges, in eighths of the greatest contrast of a tile: a step of that height has four times as much,
  /// and blur leaves about half of it.
  private static let clearEighths = 3

  func limits(_ picture: borrowing SharpenedPicture) -> EdgeLimits {
    switch self {
    case .all: EdgeLimits()
    case .clear:
      EdgeLimits(gradientMin: picture.contrast * EdgeChoice.clearEighths / 8, areaDivisor: EdgeLimits.clearAreaDivisor)
    }
  }
}

/// Cuts regions out of a picture and reads the symbols in them.
@safe struct DataMatrixReader {
  /// The side, in pixels, of the pieces of a region more than three times as long as wide, so that a low symbol is not lost
  /// among long edges; if the pieces have no symbol, longer pieces are searched.
  private static let stripSide = 256
  /// Limits of the gain of a region's gradients at the next smaller size, in sixteenths. Below `lostGain` modules are lost
  /// there. From `smoothGain` on they are not, and smoothing may help. From `PictureLevels.sharpGain` on a region is not
  /// worth doubling, and from `wideGain` on not worth a larger size at all.
  private static let lostGain = 12
  private static let smoothGain = 20
  private static let wideGain = 40
  /// The maximum number of pixels of a region searched at a larger size.
  private static let pixelCountMax = 400_000

  private var symbols: DataMatrixSymbolReader

  init(_ scene: inout Scene) throws(ArenaFull) {
    symbols = try DataMatrixSymbolReader(&scene)
  }

  /// Searches the whole picture.
  mutating func readWhole(_ scene: inout Scene) {
    let whole = PixelRegion(x: 0, y: 0, width: scene.luma.width, height: scene.luma.height)
    let longer = max(whole.width, whole.height)
    if longer <= CellSizes.sideMax {
      _ = scene.effort == .still ? readRegion(whole, in: whole, &scene) : read(whole, level: 0, &scene)
      return
    }
    let level = CellSizes.wholeLevel(scene.luma)
    var readCount = read(whole, level: level, &scene)
    var smaller = level + 1
    while readCount == 0, smaller <= PictureLevels.levelMax, longer >> smaller >= 32 {
      readCount = read(whole, level: smaller, &scene)
      smaller += 1
    }
  }

  /// Searches a region at the suitable size. In a still picture, other sizes follow, except those at which the gradients
  /// show that modules are lost or already wide enough. The region determines the sizes; its surroundings are searched.
  /// Returns the number of symbols.
  mutating func readRegion(_ region: PixelRegion, in surroundings: PixelRegion, _ scene: inout Scene) -> Int {
    let longer = max(region.width, region.height)
    let isWhole = region.width == scene.luma.width && region.height == scene.luma.height
    let first = isWhole && scene.effort == .frame ? 0 : CellSizes.firstLevel(region, scene.effort)
    if scene.effort == .frame {
      let isLost = first > 0 && isBelow(DataMatrixReader.lostGain, region, after: first - 1, scene)
      return isLost ? 0 : read(surroundings, level: first, &scene)
    }
    var readCount = read(surroundings, level: first, &scene)
    var level = first - 1
    while readCount == 0, level >= 0, (region.width >> level) * (region.height >> level) <= DataMatrixReader.pixelCountMax,
      isBelow(DataMatrixReader.wideGain, region, after: level, scene)
    {
      readCount = read(surroundings, level: level, &scene)
      level -= 1
    }
    if readCount == 0, longer <= doubledSideMax, isBelow(PictureLevels.sharpGain, region, after: 0, scene) {
      readCount = readDoubled(surroundings, &scene)
    }
    if readCount == 0, first < PictureLevels.levelMax, longer >> first >= 64,
      !isBelow(DataMatrixReader.smoothGain, region, after: first, scene)
    {
      readCount = read(surroundings, level: first + 1, &scene)
    }
    return readCount
  }

  /// Whether the gain of a region's gradients at the level after another one is below a limit, or unknown from the tiles.
  private func isBelow(_ gain: Int, _ region: PixelRegion, after level: Int, _ scene: borrowing Scene) -> Bool {
    (scene.levels.gain(after: level, in: region) ?? 0) < gain
  }

  /// Searches a region in the picture at a level. Returns the number of symbols.
  mutating func read(_ region: PixelRegion, level: Int, _ scene: inout Scene) -> Int {
    let (picture, found) = scene.levels.picture(level)
    guard found == level else { return 0 }
    let scaled = PixelRegion(
      x: region.x >> level, y: region.y >> level, width: max(1, region.width >> level),
      height: max(1, region.height >> level))
    guard let (view, x, y) = picture.cropped(to: scaled), view.width >= 8, view.height >= 8 else { return 0 }
    let part = DataMatrixPart(view: view, level: level, x: x, y: y)
    let longer = max(view.width, view.height)
    if longer > 3 * min(view.width, view.height), longer > DataMatrixReader.stripSide {
      let side = DataMatrixReader.stripSide
      let readCount = readPieces(of: part, side: side, overlap: side / 2, &scene)
      if readCount > 0 { return readCount }
    }
    return readPieces(of: part, side: CellSizes.sideMax, overlap: CellSizes.sideMax / 4, &scene)
  }

  /// Searches a part in overlapping pieces. Returns the number of symbols.
  private mutating func readPieces(of part: DataMatrixPart, side: Int, overlap: Int, _ scene: inout Scene) -> Int {
    var readCount = 0
    for top in stride(from: 0, to: max(1, part.view.height - overlap), by: side - overlap) {
      for left in stride(from: 0, to: max(1, part.view.width - overlap), by: side - overlap) {
        let piece = PixelRegion(x: left, y: top, width: side, height: side)
        guard scene.budget.spend(10), let (window, _, _) = part.view.cropped(to: piece) else { return readCount }
        readCount += symbols.read(
          DataMatrixPart(view: window, level: part.level, x: part.x + left, y: part.y + top), &scene)
      }
    }
    return readCount
  }

  /// Searches a small region of a camera frame at twice its size, sharpened. Noise, which sharpening amplifies, would have more edge
  /// pixels than a symbol, and would extend its sides.
  mutating func readBlurred(_ region: PixelRegion, _ scene: inout Scene) {
    _ = readDoubled(region, edges: .clear, &scene)
  }

  /// Searches a region at twice its size, sharpened. Returns the number of symbols.
  private mutating func readDoubled(_ region: PixelRegion, edges: EdgeChoice = .all, _ scene: inout Scene) -> Int {
    guard let (view, x, y) = scene.luma.cropped(to: region), scene.budget.spend(view.width * view.height / 2) else {
      return 0
    }
    let mark = scene.arena.mark
    defer { scene.arena.release(to: mark) }
    let margin = max(scene.luma.width, scene.luma.height) <= marginSideMax ? doubledMargin : 0
    guard let doubled = try? doubled(view, margin: margin, arena: &scene.arena),
      let sharpened = try? SharpenedPicture(of: doubled, .linear, arena: &scene.arena)
    else { return 0 }
    return symbols.read(
      DataMatrixPart(
        view: sharpened.view, level: -1, x: 2 * x - margin, y: 2 * y - margin, edges: edges.limits(sharpened)), &scene)
  }
}

/// A picture at twice its size, by cubic interpolation (Catmull and Rom's kernel, offset by a quarter pixel), with a light
/// margin of `margin` pixels.
private func doubled(_ source: LumaView, margin: Int, arena: inout Arena) throws(ArenaFull) -> LumaView {
  let width = 2 * source.width
  let height = 2 * source.height
  let bytesPerRow = width + 2 * margin
  let pixels = try unsafe arena.take(UInt8.self, count: bytesPerRow * (height + 2 * margin))
  let mark = arena.mark
  defer { arena.release(to: mark) }
  let row = try unsafe arena.take(Int32.self, count: source.width + 4)
  var lightest: UInt8 = 0
  for y in 0..<source.height {
    let line = unsafe source.place(0, y)
    for x in 0..<source.width { lightest = unsafe max(lightest, line[x]) }
  }
  unsafe pixels.update(repeating: lightest, count: bytesPerRow * (height + 2 * margin))
  let lastY = source.height - 1
  for y in 0..<height {
    // An even line is a quarter pixel above its source line, an odd one below.
    let step = y & 1 == 0 ? -1 : 1
    let near = y >> 1
    let a = unsafe source.place(0, near)
    let b = unsafe source.place(0, max(0, min(lastY, near + step)))
    let c = unsafe source.place(0, max(0, min(lastY, near - step)))
    let d = unsafe source.place(0, max(0, min(lastY, near + 2 * step)))
    let inner = unsafe row + 2
    for x in 0..<source.width {
      unsafe inner[x] = 111 &* Int32(a[x]) &+ 29 &* Int32(b[x]) &- 9 &* Int32(c[x]) &- 3 &* Int32(d[x])
    }
    for x in 0..<2 {
      unsafe row[x] = inner[0]
      unsafe inner[source.width + x] = inner[source.width - 1]
    }
    let target = unsafe pixels + (y + margin) * bytesPerRow + margin
    for x in 0..<source.width {
      let left = unsafe 111 &* inner[x] &+ 29 &* inner[x &- 1] &- 9 &* inner[x &+ 1] &- 3 &* inner[x &- 2]
      let right = unsafe 111 &* inner[x] &+ 29 &* inner[x &+ 1] &- 9 &* inner[x &- 1] &- 3 &* inner[x &+ 2]
      unsafe target[2 &* x] = UInt8(truncatingIfNeeded: max(0, min(255, (left &+ 8192) >> 14)))
      unsafe target[2 &* x &+ 1] = UInt8(truncatingIfNeeded: max(0, min(255, (right &+ 8192) >> 14)))
    }
  }
  return unsafe LumaView(
    base: pixels, width: bytesPerRow, height: height + 2 * margin, bytesPerRow: bytesPerRow)
}
