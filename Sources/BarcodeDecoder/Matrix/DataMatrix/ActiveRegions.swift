// Where in a picture a matrix symbol may be: connected cells of strong gradients, after the tile statistics.

import BarcodeTypes

/// The active regions of a picture, in pixels, the most active first.
@safe struct ActiveRegions {
  /// Pixels of a cell's side: two tiles.
  private static let side = 16
  /// Regions that are kept.
  static let countMax = 24
  private static let countMaxOfFrame = 3
  /// Sums of squared gradients of a cell (128 pixels): the least that is asked of a cell, and the most that is asked of one
  /// where much of the picture is active.
  private static let energyMin = 128 * 16
  private static let energyMax = 128 * 100
  /// For a camera frame.
  private static let energyMinOfFrame = 128 * 60
  /// Pixels around the cells that belong to a region.
  private static let margin = 10

  let regions: ScratchArray<PixelRegion>
  private(set) var count = 0
  private let scores: ScratchArray<Int32>
  private let columns: Int
  private let rows: Int

  /// Finds the regions of a scene. Nil if the arena is full.
  init?(_ scene: inout Scene) {
    columns = (scene.tiles.columns + 1) / 2
    rows = (scene.tiles.rows + 1) / 2
    guard let regions = ScratchArray<PixelRegion>(ActiveRegions.countMax, arena: &scene.arena),
      let scores = ScratchArray<Int32>(ActiveRegions.countMax, arena: &scene.arena)
    else { return nil }
    self.regions = regions
    self.scores = scores
    let mark = scene.arena.mark
    defer { scene.arena.release(to: mark) }
    guard let energies = ScratchArray<Int32>(columns * rows, arena: &scene.arena),
      let stack = ScratchArray<Int32>(columns * rows, arena: &scene.arena),
      scene.budget.spend(columns * rows / 4)
    else { return nil }
    if scene.effort == .frame {
      guard measureTwoWay(scene.tiles, energies: energies) else { return }
    } else {
      measure(scene.tiles, energies: energies)
    }
    connect(energies, stack: stack, isFrame: scene.effort == .frame, scene.luma)
  }

  /// The energy of each cell, 0 where it does not count.
  private func measure(_ tiles: TileMap, energies: ScratchArray<Int32>) {
    var histogram: [64 of Int32] = .init(repeating: 0)
    for row in 0..<rows {
      let below = 2 * row + 1 < tiles.rows ? tiles.columns : 0
      for column in 0..<columns {
        let tile = 2 &* row &* tiles.columns &+ 2 &* column
        let right = 2 &* column &+ 1 < tiles.columns ? 1 : 0
        let energy =
          unsafe tiles.jxx[tile] &+ tiles.jyy[tile] &+ tiles.jxx[tile &+ right] &+ tiles.jyy[tile &+ right]
          &+ tiles.jxx[tile &+ below] &+ tiles.jyy[tile &+ below] &+ tiles.jxx[tile &+ below &+ right]
          &+ tiles.jyy[tile &+ below &+ right]
        energies[row &* columns &+ column] = energy
        // Half octaves.
        let log = 31 &- max(1, energy).leadingZeroBitCount
        histogram[2 &* log &+ Int((energy >> Int32(max(0, log &- 1))) & 1)] &+= 1
      }
    }
    var quiet = columns * rows * 6 / 10
    var octave = 0
    while octave < 63, quiet > 0 {
      quiet -= Int(histogram[octave])
      octave += 1
    }
    // Twice what most of the picture has.
    let cut = Int32(max(ActiveRegions.energyMin, min(ActiveRegions.energyMax, 1 << (octave / 2 + 1))))
    for cell in 0..<(columns * rows) where energies[cell] < cut { energies[cell] = 0 }
  }

  /// The energy of each cell with strong gradients in more than one direction, 0 elsewhere; false if there is none, or so many
  /// that they can only be the texture of the whole frame.
  private func measureTwoWay(_ tiles: TileMap, energies: ScratchArray<Int32>) -> Bool {
    energies.fill(0, count: columns * rows)
    var activeCount = 0
    for row in 0..<(tiles.rows / 2) {
      let below = tiles.columns
      for column in 0..<(tiles.columns / 2) {
        let tile = 2 &* row &* tiles.columns &+ 2 &* column
        let contrast = unsafe max(
          tiles.maximum[tile] &- tiles.minimum[tile], tiles.maximum[tile &+ below &+ 1] &- tiles.minimum[tile &+ below &+ 1])
        if contrast < 36 { continue }
        let xx = unsafe tiles.jxx[tile] &+ tiles.jxx[tile &+ 1] &+ tiles.jxx[tile &+ below] &+ tiles.jxx[tile &+ below &+ 1]
        let yy = unsafe tiles.jyy[tile] &+ tiles.jyy[tile &+ 1] &+ tiles.jyy[tile &+ below] &+ tiles.jyy[tile &+ below &+ 1]
        let energy = xx &+ yy
        if energy < Int32(ActiveRegions.energyMinOfFrame) { continue }
        let xy = unsafe tiles.jxy[tile] &+ tiles.jxy[tile &+ 1] &+ tiles.jxy[tile &+ below] &+ tiles.jxy[tile &+ below &+ 1]
        // Coherence below 0.7.
        let difference = Int(xx &- yy)
        let product = 2 &* Int(xy)
        if 2 &* (difference &* difference &+ product &* product) > Int(energy) &* Int(energy) { continue }
        energies[row &* columns &+ column] = energy
        activeCount &+= 1
      }
    }
    return activeCount > 0
      && (activeCount * 3 < columns * rows * 2 || columns * ActiveRegions.side <= EdgeLineFinder.sideMax)
  }

  /// Joins neighbouring cells to regions.
  private mutating func connect(_ energies: ScratchArray<Int32>, stack: ScratchArray<Int32>, isFrame: Bool, _ luma: LumaView)
  {
    for start in 0..<(columns * rows) where energies[start] > 0 {
      var depth = 1
      stack[0] = Int32(start)
      var sum = Int(energies[start])
      var cellCount = 1
      energies[start] = 0
      var left = start % columns
      var right = left
      let top = start / columns
      var bottom = top
      while depth > 0 {
        depth -= 1
        let cell = Int(stack[depth])
        let x = cell % columns
        let y = cell / columns
        left = min(left, x)
        right = max(right, x)
        bottom = max(bottom, y)
        for neighbourY in max(0, y - 1)...min(rows - 1, y + 1) {
          for neighbourX in max(0, x - 1)...min(columns - 1, x + 1) {
            let neighbour = neighbourY * columns + neighbourX
            if energies[neighbour] == 0 { continue }
            sum += Int(energies[neighbour])
            cellCount += 1
            energies[neighbour] = 0
            stack[depth] = Int32(neighbour)
            depth += 1
          }
        }
      }
      let width = right - left + 1
      let height = bottom - top + 1
      if isFrame, !isLikely(width: width, height: height, cellCount: cellCount) { continue }
      let side = ActiveRegions.side
      let margin = ActiveRegions.margin
      let x = max(0, left * side - margin)
      let y = max(0, top * side - margin)
      let region = PixelRegion(
        x: x, y: y, width: min(luma.width, (right + 1) * side + margin) - x,
        height: min(luma.height, (bottom + 1) * side + margin) - y)
      insert(region, score: sum / cellCount, countMax: isFrame ? ActiveRegions.countMaxOfFrame : ActiveRegions.countMax)
    }
  }

  /// Whether a region of a camera frame looks like a symbol: it fills a good part of its rectangle, however turned, is not
  /// much longer than wide, and is not the texture of the whole frame.
  private func isLikely(width: Int, height: Int, cellCount: Int) -> Bool {
    let side = ActiveRegions.side
    return cellCount * 3 >= width * height && max(width, height) <= 8 * min(width, height)
      && (width * height * 3 <= columns * rows || columns * side <= EdgeLineFinder.sideMax)
  }

  private mutating func insert(_ region: PixelRegion, score: Int, countMax: Int) {
    if count == countMax {
      if Int(scores[count - 1]) >= score { return }
      count -= 1
    }
    var index = count
    while index > 0, Int(scores[index - 1]) < score {
      regions[index] = regions[index - 1]
      scores[index] = scores[index - 1]
      index -= 1
    }
    regions[index] = region
    scores[index] = Int32(clamping: score)
    count += 1
  }
}
