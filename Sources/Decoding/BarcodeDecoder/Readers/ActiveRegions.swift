// The places in a picture that may have a matrix symbol: connected cells of strong gradients, from the tile statistics.

import BarcodeTypes
import CVector

/// The active regions of a picture, in pixels, the most active first.
@safe struct ActiveRegions {
  /// The side of a cell, in pixels: two tiles.
  private static let side = 16
  /// The maximum number of regions.
  static let countMax = 256
  /// The limits of the minimum energy of a cell, which is the sum of its squared gradients (128 pixels): the lower one
  /// applies to quiet pictures, the upper one if much of the picture is active.
  private static let energyMin = 128 * 16
  private static let energyMax = 128 * 100
  /// The minimum energy of a cell in a camera frame, in sixteenths of the squared `contrastMin`.
  private static let frameEnergyMin = 120
  /// The divisor of `contrastMin` for the contrast up to which a cell is plain inside: its gradients are edges on its
  /// borders.
  private static let plainDivisor: UInt8 = 4
  /// The longer side, in pixels, from which a region may be an outline.
  private static let outlineSideMin = 256
  /// The margin around the cells that belongs to a region, in pixels.
  private static let margin = 10
  /// The minimum number of cells in a region that is taken apart, and the minimum ratio, in eighths, of the mean energy of its
  /// cells weighted with itself to the plain one: a symbol has more edges than the print around it.
  private static let splitCellCountMin = 20
  private static let unevennessMin = 9
  /// The divisor of a region's longer side, in cells, for the number of cells by which its surroundings extend per side:
  /// one, and one more per `reachDivisor` cells. The border of a symbol is one module wide, and the smallest symbol has ten
  /// modules.
  private static let reachDivisor = 10

  /// The rectangles around the active cells.
  let regions: ScratchArray<PixelRegion>
  /// The rectangles to search: each region with the adjacent edges.
  let surroundings: ScratchArray<PixelRegion>
  private(set) var count = 0
  /// Whether more regions were found than can be kept.
  private(set) var isCut = false
  /// The evidence for each region, see `Evidence`.
  let ranks: ScratchArray<Int32>
  /// Which regions are searched for.
  enum Search {
    /// Groups of connected cells with gradients in two directions each: cells that a symbol fills.
    case filled
    /// Likewise, and the strong cells of an uneven region apart.
    case apart
    /// Any group of connected active cells.
    case anyShape
  }

  private let isTwoWay: Bool
  private let takesApart: Bool
  private let columns: Int
  private let rows: Int

  /// Finds the regions of the picture at a level.
  ///
  /// - Parameters:
  ///   - search: which cells count, and what becomes a region.
  ///   - contrastMin: the minimum contrast of a cell, for a search of filled regions.
  init?(
    _ tiles: TileMap, _ luma: LumaView, _ search: Search, contrastMin: UInt8, arena: inout Arena,
    budget: inout WorkBudget
  ) throws(ArenaFull) {
    columns = (tiles.columns + 1) / 2
    rows = (tiles.rows + 1) / 2
    isTwoWay = search != .anyShape
    takesApart = search == .apart
    regions = try ScratchArray(ActiveRegions.countMax, arena: &arena)
    surroundings = try ScratchArray(ActiveRegions.countMax, arena: &arena)
    ranks = try ScratchArray(ActiveRegions.countMax, arena: &arena)
    let mark = arena.mark
    defer { arena.release(to: mark) }
    let energies = try ScratchArray<Int32>(columns * rows, arena: &arena)
    let queue = try ScratchArray<Int32>(columns * rows, arena: &arena)
    let edges = try ScratchArray<UInt8>(columns * rows, arena: &arena)
    guard budget.spend(columns * rows / 4) else { return nil }
    if isTwoWay {
      guard measureTwoWay(tiles, contrastMin: contrastMin, energies: energies, edges: edges) else { return }
    } else {
      measure(tiles, energies: energies, edges: edges)
    }
    connect(
      energies, edges: edges, queue: queue, tiles, luma, contrastMin: isTwoWay ? contrastMin : PictureLevels.clearContrast)
  }

  /// Measures the energy of each cell, 0 where it does not count, and marks the cells that count as edges.
  private func measure(_ tiles: TileMap, energies: ScratchArray<Int32>, edges: ScratchArray<UInt8>) {
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
    // Twice the energy of most of the picture.
    let cut = Int32(max(ActiveRegions.energyMin, min(ActiveRegions.energyMax, 1 << (octave / 2 + 1))))
    edges.fill(0, count: columns * rows)
    for cell in 0..<(columns * rows) {
      if energies[cell] < cut { energies[cell] = 0 } else { edges[cell] = 1 }
    }
  }

  /// Measures the energy of each cell with strong gradients in more than one direction, 0 for other cells, and marks every
  /// cell with strong gradients as an edge. Returns false if no cell has energy, or if the cells with energy are the texture
  /// of the whole frame.
  private func measureTwoWay(
    _ tiles: TileMap, contrastMin: UInt8, energies: ScratchArray<Int32>, edges: ScratchArray<UInt8>
  ) -> Bool {
    energies.fill(0, count: columns * rows)
    edges.fill(0, count: columns * rows)
    var activeCount = 0
    let wholeColumns = tiles.columns / 2
    let below = tiles.columns
    let energyMin = Int32(contrastMin) * Int32(contrastMin) * Int32(ActiveRegions.frameEnergyMin) / 16
    let cellContrastMin = contrastMin + contrastMin / 8
    let least = cvector_s32x4(repeating: energyMin &- 1)
    for row in 0..<(tiles.rows / 2) {
      // Processes four cells at once; reads past the last tile of a row stay inside the map.
      for first in stride(from: 0, to: wholeColumns, by: 4) {
        let tile = 2 &* row &* tiles.columns &+ 2 &* first
        let xx = unsafe cells(tiles.jxx + tile, below: below)
        let yy = unsafe cells(tiles.jyy + tile, below: below)
        var active = cvector_long_bytes(cvector_above_long(xx &+ yy, least))
        if active == 0 { continue }
        let xy = unsafe cells(tiles.jxy + tile, below: below)
        while active != 0 {
          let lane = active.trailingZeroBitCount >> 3
          active &= ~(0xFF &<< UInt32(truncatingIfNeeded: 8 &* lane))
          guard first &+ lane < wholeColumns else { continue }
          edges[row &* columns &+ first &+ lane] = 1
          guard
            hasContrast(tiles, tile &+ 2 &* lane, cellContrastMin)
              || isPlain(tiles, tile &+ 2 &* lane, contrastMin / ActiveRegions.plainDivisor),
            !ActiveRegions.isStraight(xx: xx[lane], yy: yy[lane], xy: xy[lane])
          else { continue }
          energies[row &* columns &+ first &+ lane] = xx[lane] &+ yy[lane]
          activeCount &+= 1
        }
      }
    }
    return activeCount > 0
      && (activeCount * 3 < columns * rows * 2 || columns * ActiveRegions.side <= CellSizes.sideMax)
  }

  /// The energy of the four tiles of a cell from `tile` on; 0 if their gradients point along one line.
  private func twoWayEnergy(_ tiles: TileMap, _ tile: Int) -> Int32 {
    let below = tile &+ tiles.columns
    let xx = unsafe tiles.jxx[tile] &+ tiles.jxx[tile &+ 1] &+ tiles.jxx[below] &+ tiles.jxx[below &+ 1]
    let yy = unsafe tiles.jyy[tile] &+ tiles.jyy[tile &+ 1] &+ tiles.jyy[below] &+ tiles.jyy[below &+ 1]
    let xy = unsafe tiles.jxy[tile] &+ tiles.jxy[tile &+ 1] &+ tiles.jxy[below] &+ tiles.jxy[below &+ 1]
    return ActiveRegions.isStraight(xx: xx, yy: yy, xy: xy) ? 0 : xx &+ yy
  }

  /// Whether gradients point along one line: coherence above 0.7.
  @inline(__always) private static func isStraight(xx: Int32, yy: Int32, xy: Int32) -> Bool {
    let energy = Int(xx &+ yy)
    let difference = Int(xx &- yy)
    let product = 2 &* Int(xy)
    return 2 &* (difference &* difference &+ product &* product) > energy &* energy
  }

  /// Whether the first or the last tile of a cell has the contrast of a symbol in a camera frame.
  @inline(__always) private func hasContrast(_ tiles: TileMap, _ tile: Int, _ least: UInt8) -> Bool {
    let last = tile &+ tiles.columns &+ 1
    return unsafe max(tiles.maximum[tile] &- tiles.minimum[tile], tiles.maximum[last] &- tiles.minimum[last]) >= least
  }

  /// Whether the grey levels of a cell differ by at most `most`.
  private func isPlain(_ tiles: TileMap, _ tile: Int, _ most: UInt8) -> Bool {
    let below = tile &+ tiles.columns
    let light = unsafe max(
      max(tiles.maximum[tile], tiles.maximum[tile &+ 1]), max(tiles.maximum[below], tiles.maximum[below &+ 1]))
    let dark = unsafe min(
      min(tiles.minimum[tile], tiles.minimum[tile &+ 1]), min(tiles.minimum[below], tiles.minimum[below &+ 1]))
    return light &- dark <= most
  }

  /// The sums of the tiles of four adjacent cells.
  @inline(__always)
  @unsafe private func cells(_ values: UnsafePointer<Int32>, below: Int) -> cvector_s32x4 {
    unsafe cvector_pair_sums(
      cvector_load_longs(values) &+ cvector_load_longs(values + below),
      cvector_load_longs(values + 4) &+ cvector_load_longs(values + below + 4))
  }

  /// Joins adjacent cells to regions.
  private mutating func connect(
    _ energies: ScratchArray<Int32>, edges: ScratchArray<UInt8>, queue: ScratchArray<Int32>, _ tiles: TileMap,
    _ luma: LumaView, contrastMin: UInt8
  ) {
    for start in 0..<(columns * rows) where energies[start] > 0 {
      queue[0] = Int32(start)
      var sum = 0
      var cellCount = 1
      // Cells already taken are negative.
      energies[start] = -energies[start]
      var left = start % columns
      var right = left
      let top = start / columns
      var bottom = top
      var head = 0
      while head < cellCount {
        let cell = unsafe Int(queue.base[head])
        head &+= 1
        unsafe sum &-= Int(energies.base[cell])
        let y = cell / columns
        let x = cell &- y &* columns
        left = min(left, x)
        right = max(right, x)
        bottom = max(bottom, y)
        let first = max(0, x &- 1)
        let end = min(columns, x &+ 2)
        for neighbourY in max(0, y &- 1)..<min(rows, y &+ 2) {
          let line = neighbourY &* columns
          for neighbour in (line &+ first)..<(line &+ end) where unsafe energies.base[neighbour] > 0 {
            unsafe energies.base[neighbour] = 0 &- energies.base[neighbour]
            unsafe queue.base[cellCount] = Int32(truncatingIfNeeded: neighbour)
            cellCount &+= 1
          }
        }
      }
      let width = right - left + 1
      let height = bottom - top + 1
      if isTwoWay, takesApart, cellCount >= ActiveRegions.splitCellCountMin {
        releaseStrongCells(energies, queue: queue, cellCount: cellCount)
      }
      if isTwoWay, !isLikely(width: width, height: height, cellCount: cellCount) { continue }
      if !isTwoWay, isOutline(width: width, height: height, cellCount: cellCount),
        dropStraightCells(energies, queue: queue, cellCount: cellCount, tiles)
      {
        continue
      }
      let box = CellBox(left: left, top: top, right: right, bottom: bottom)
      let region = pixels(box, luma)
      insert(
        region, surroundings: pixels(grown(box, edges: edges), luma),
        rank: Evidence.rank(
          cellCount: cellCount, energy: PictureLevels.clearEnergy(sum / cellCount, contrastMin: contrastMin),
          width: region.width, height: region.height))
    }
  }

  /// The pixels of a box of cells, with the margin around them.
  private func pixels(_ box: CellBox, _ luma: LumaView) -> PixelRegion {
    let (side, margin) = (ActiveRegions.side, ActiveRegions.margin)
    let x = max(0, box.left * side - margin)
    let y = max(0, box.top * side - margin)
    return PixelRegion(
      x: x, y: y, width: min(luma.width, (box.right + 1) * side + margin) - x,
      height: min(luma.height, (box.bottom + 1) * side + margin) - y)
  }

  /// The box of a region's cells, extended by the adjacent cells with an edge: along the border of a symbol with wide
  /// modules, gradients point in a single direction.
  private func grown(_ box: CellBox, edges: ScratchArray<UInt8>) -> CellBox {
    var grown = box
    for _ in 0...(max(box.right - box.left, box.bottom - box.top) / ActiveRegions.reachDivisor) {
      if hasEdge(edges, column: grown.left - 1, box.top...box.bottom) { grown.left -= 1 }
      if hasEdge(edges, column: grown.right + 1, box.top...box.bottom) { grown.right += 1 }
      if hasEdge(edges, row: grown.top - 1, box.left...box.right) { grown.top -= 1 }
      if hasEdge(edges, row: grown.bottom + 1, box.left...box.right) { grown.bottom += 1 }
    }
    return grown
  }

  private func hasEdge(_ edges: ScratchArray<UInt8>, column: Int, _ rows: ClosedRange<Int>) -> Bool {
    guard 0..<columns ~= column else { return false }
    for row in rows where edges[row * columns + column] != 0 { return true }
    return false
  }

  private func hasEdge(_ edges: ScratchArray<UInt8>, row: Int, _ columns: ClosedRange<Int>) -> Bool {
    guard 0..<rows ~= row else { return false }
    for column in columns where edges[row * self.columns + column] != 0 { return true }
    return false
  }

  /// Whether a region of a camera frame resembles a symbol: it fills a good part of its rectangle at any rotation, is not
  /// much longer than wide, and is not the texture of the whole frame.
  private func isLikely(width: Int, height: Int, cellCount: Int) -> Bool {
    let side = ActiveRegions.side
    return cellCount * 3 >= width * height && max(width, height) <= 8 * min(width, height)
      && (width * height * 3 <= columns * rows || columns * side <= CellSizes.sideMax)
  }

  /// Whether a region of a still picture is long and leaves most of its rectangle empty: such a region consists of a frame
  /// around other objects, or of a label's edge, and everything that touches it.
  private func isOutline(width: Int, height: Int, cellCount: Int) -> Bool {
    cellCount * 3 < width * height && max(width, height) * ActiveRegions.side > ActiveRegions.outlineSideMin
  }

  /// Releases the cells of a region that have gradients in more than one direction, so that they are joined again; returns
  /// false if the region has no other cells.
  private func dropStraightCells(
    _ energies: ScratchArray<Int32>, queue: ScratchArray<Int32>, cellCount: Int, _ tiles: TileMap
  ) -> Bool {
    var droppedCount = 0
    for index in 0..<cellCount {
      let cell = Int(queue[index])
      let column = 2 * (cell % columns)
      let row = 2 * (cell / columns)
      let isWhole = column + 1 < tiles.columns && row + 1 < tiles.rows
      if isWhole, twoWayEnergy(tiles, row * tiles.columns + column) > 0 { continue }
      energies[cell] = 0
      droppedCount += 1
    }
    guard droppedCount > 0 else { return false }
    for index in 0..<cellCount { energies[Int(queue[index])] = abs(energies[Int(queue[index])]) }
    return true
  }

  /// Releases the strong cells of an uneven region, so that they are joined again to regions of their own: those of a symbol
  /// beside print.
  private func releaseStrongCells(_ energies: ScratchArray<Int32>, queue: ScratchArray<Int32>, cellCount: Int) {
    var sum = 0
    var sumOfSquares = 0
    for index in 0..<cellCount {
      // The energies of taken cells are negative.
      let energy = Int(-energies[Int(queue[index])] >> 4)
      sum &+= energy
      sumOfSquares &+= energy &* energy
    }
    let strong = sumOfSquares / max(1, sum)
    guard 8 * strong * cellCount >= ActiveRegions.unevennessMin * sum else { return }
    for index in 0..<cellCount {
      let cell = Int(queue[index])
      if -energies[cell] > Int32(truncatingIfNeeded: strong << 4) { energies[cell] = -energies[cell] }
    }
  }

  private mutating func insert(_ region: PixelRegion, surroundings around: PixelRegion, rank: Int) {
    if count == ActiveRegions.countMax {
      isCut = true
      if Int(ranks[count - 1]) >= rank { return }
      count -= 1
    }
    var index = count
    while index > 0, Int(ranks[index - 1]) < rank {
      regions[index] = regions[index - 1]
      surroundings[index] = surroundings[index - 1]
      ranks[index] = ranks[index - 1]
      index -= 1
    }
    regions[index] = region
    surroundings[index] = around
    ranks[index] = Int32(clamping: rank)
    count += 1
  }
}

/// A rectangle of cells, including its last column and row.
private struct CellBox {
  var left: Int
  var top: Int
  var right: Int
  var bottom: Int
}
