// Reads the DotCode symbols of a region: dots, lattice, grid, codewords, message. A dot that is missing or too many makes a pattern
// that no codeword has, and its codeword an erasure.

import BarcodeTypes

/// Reads the symbols of regions.
@safe struct DotCodeReader {
  /// The levels of a region that are searched, dots of two to four pixels first.
  private static let levels: [4 of Int] = [1, 0, 2, 3]
  /// The longest side of a searched picture, in pixels.
  private static let sideMax = 800
  /// The numbers of columns and rows that the grid has too many on each side, as digits to the base 3: one each, most likely.
  private static let likelyTrims = 1 + 3 + 9 + 27
  /// Check codewords that stay unused, to recognise wrong symbols.
  private static let spareCheckCount = 2

  private var lattice: DotCodeLattice
  private let values: ModuleValues
  private let roles: ScratchArray<UInt8>
  /// The codeword of each pattern of nine dots; 255 for others.
  private let codewordOfPattern: ScratchArray<UInt8>
  private let stream: ScratchArray<UInt16>
  private let block: CodewordBlock
  private let data: ScratchArray<UInt8>
  private let reedSolomon: ReedSolomon<PrimeField113>

  init(_ scene: inout Scene) throws(ArenaFull) {
    lattice = try DotCodeLattice(arena: &scene.arena)
    let placeCount = DotCodeTables.sideMax * DotCodeTables.sideMax
    values = try ModuleValues(placeCount, arena: &scene.arena)
    roles = try ScratchArray(placeCount, arena: &scene.arena)
    codewordOfPattern = try ScratchArray(512, arena: &scene.arena)
    stream = try ScratchArray(DotCodeTables.codewordCountMax, arena: &scene.arena)
    data = try ScratchArray(DotCodeTables.codewordCountMax, arena: &scene.arena)
    block = try CodewordBlock(DotCodeTables.blockCountMax, arena: &scene.arena)
    reedSolomon = try ReedSolomon(
      field: PrimeField113(arena: &scene.arena), firstRoot: 1, checkCountMax: DotCodeTables.blockCountMax / 2,
      arena: &scene.arena)
    codewordOfPattern.fill(255, count: 512)
    for codeword in 0..<DotCodeTables.codewordValueCount {
      codewordOfPattern[Int(DotCodeTables.patterns[codeword])] = UInt8(codeword)
    }
  }

  /// Reads the symbol of a region; its surroundings are searched. Returns the number of symbols.
  mutating func readRegion(_ region: PixelRegion, in surroundings: PixelRegion, _ scene: inout Scene) -> Int {
    // A glance tries dots of the usual sizes, a study others.
    for index in scene.attempt < .study || scene.effort == .frame ? 0..<2 : 2..<4 {
      let level = DotCodeReader.levels[index]
      guard max(surroundings.width, surroundings.height) >> level <= DotCodeReader.sideMax else { continue }
      if read(surroundings, level: level, &scene) { return 1 }
    }
    return 0
  }

  private mutating func read(_ region: PixelRegion, level: Int, _ scene: inout Scene) -> Bool {
    let (picture, found) = scene.levels.picture(level)
    let scaled = PixelRegion(
      x: region.x >> level, y: region.y >> level, width: max(1, region.width >> level),
      height: max(1, region.height >> level))
    guard found == level, let (view, x, y) = picture.cropped(to: scaled), view.width >= 16, view.height >= 16,
      scene.budget.spend(view.width * view.height / 6)
    else { return false }
    let mark = scene.arena.mark
    defer { scene.arena.release(to: mark) }
    guard let sharpened = try? SharpenedPicture(of: view, .linear, arena: &scene.arena),
      let thresholds = try? unsafe ThresholdMap(
        columns: sharpened.columns, rows: sharpened.rows, minimum: sharpened.minimum, maximum: sharpened.maximum,
        contrastMax: SharpenedPicture.contrastMax, arena: &scene.arena),
      lattice.findDots(view, thresholds, arena: &scene.arena),
      let dots = lattice.grid(view, arena: &scene.arena, budget: &scene.budget)
    else { return false }
    func fullSize(_ point: SubpixelPoint) -> SubpixelPoint {
      SubpixelPoint(
        x: PictureLevels.fullSize(point.x + x * 256, level: level, unit: 256),
        y: PictureLevels.fullSize(point.y + y * 256, level: level, unit: 256))
    }
    // The centres of the corner places are half a module inside the symbol's sides.
    guard
      let rough = ModuleGrid(
        columns: dots.columns, rows: dots.rows,
        quad: SubpixelQuad(
          topLeft: fullSize(dots.quad.topLeft), topRight: fullSize(dots.quad.topRight),
          bottomRight: fullSize(dots.quad.bottomRight), bottomLeft: fullSize(dots.quad.bottomLeft)), inset: 128)
    else { return false }
    return readGrid(rough, Sight(view: picture, level: level, isInverted: false), &scene)
  }

  // MARK: Grid

  /// Reads the symbol of a grid, whose places for dots have an even sum of column and row in one of its turns.
  private func readGrid(_ rough: ModuleGrid, _ sight: Sight, _ scene: inout Scene) -> Bool {
    for parity in 0..<2 {
      setRoles(columns: rough.columns, rows: rough.rows, parity: parity)
      values.read(rough, sight)
      var (dark, light) = (0, 0)
      for place in 0..<(rough.columns * rough.rows) {
        if roles[place] == ModuleRole.data { dark += Int(values.values[place]) } else { light += Int(values.values[place]) }
      }
      // No dots lie between the places for dots.
      guard dark > light else { continue }
      let refiner = values.refiner(rough, sight, roles: roles)
      let grid = refiner.refined(rough, budget: &scene.budget)
      if readRefined(grid, sight, parity: parity, &scene) { return true }
    }
    return false
  }

  private func setRoles(columns: Int, rows: Int, parity: Int) {
    for row in 0..<rows {
      for column in 0..<columns {
        roles[row * columns + column] = (row + column) & 1 == parity ? ModuleRole.data : ModuleRole.light
      }
    }
  }

  private func readRefined(_ grid: ModuleGrid, _ sight: Sight, parity: Int, _ scene: inout Scene) -> Bool {
    values.sample(grid, sight)
    for index in 0..<2 {
      values.decide(grid, sight, sharpening: ModuleValues.degrees[index])
      let threshold = self.threshold(grid, parity: parity)
      // The grid has a row or column more on each side than dots show; others may belong to something else.
      for choice in 0..<81 {
        let trims = (choice + DotCodeReader.likelyTrims) % 81
        let (left, top) = (trims % 3, trims / 3 % 3)
        let columns = grid.columns - left - trims / 9 % 3
        let rows = grid.rows - top - trims / 27
        guard (columns + rows) & 1 == 1, min(columns, rows) >= DotCodeTables.sideMin, scene.budget.spend(columns * rows / 8)
        else { continue }
        for turn in 0..<8 {
          let view = DotView(
            columns: columns, rows: rows, left: left, top: top, width: grid.columns, turn: turn, threshold: threshold)
          // A symbol turned by a quarter is the same as one with rows and columns exchanged: it is wide rather than high.
          guard view.size.columns > view.size.rows,
            (view.place(0, 0) / grid.columns + view.place(0, 0) % grid.columns) & 1 == parity
          else { continue }
          if readCodewords(view, grid, sight, &scene) { return true }
        }
      }
    }
    return false
  }

  /// The value between those of dots and of their absence.
  private func threshold(_ grid: ModuleGrid, parity: Int) -> Int {
    var (sum, count) = (0, 1)
    for place in 0..<(grid.columns * grid.rows) where roles[place] == ModuleRole.data && values.values[place] > 0 {
      sum += Int(values.values[place])
      count += 1
    }
    return sum / count / 3
  }

  // MARK: Codewords

  /// A part of the grid, turned or mirrored.
  private struct DotView {
    let columns: Int
    let rows: Int
    let left: Int
    let top: Int
    let width: Int
    /// Quarter turns, plus 4 if mirrored.
    let turn: Int
    let threshold: Int

    var isTurned: Bool { turn & 1 == 1 }
    /// Columns and rows of the symbol.
    var size: (columns: Int, rows: Int) { isTurned ? (rows, columns) : (columns, rows) }

    /// The index in the grid of a column and row of the symbol.
    func place(_ column: Int, _ row: Int) -> Int {
      let (w, h) = size
      let column = turn >= 4 ? w - 1 - column : column
      let (x, y): (Int, Int) =
        switch turn & 3 {
        case 0: (column, row)
        case 1: (h - 1 - row, column)
        case 2: (w - 1 - column, h - 1 - row)
        default: (row, w - 1 - column)
        }
      return (top + y) * width + left + x
    }
  }

  private func readCodewords(_ view: DotView, _ grid: ModuleGrid, _ sight: Sight, _ scene: inout Scene) -> Bool {
    let (columns, rows) = view.size
    let dataCount = DotCodeTables.dataCount(columns: columns, rows: rows)
    guard dataCount > 0 else { return false }
    let checkCount = 3 + dataCount / 2
    let count = dataCount + checkCount + 1
    guard count <= stream.count, collect(view, count: count) else { return false }
    let cost = correct(dataCount: dataCount + 1, count: count)
    guard let cost, stream[0] < 4 else { return false }
    let step = DotCodeTables.maskSteps[Int(stream[0])]
    for index in 0..<dataCount {
      let value = Int(stream[index + 1]) - step * index % DotCodeTables.codewordValueCount
      data[index] = UInt8((value + DotCodeTables.codewordValueCount) % DotCodeTables.codewordValueCount)
    }
    var messageReader = DotCodeMessageReader(data, count: dataCount)
    let (right, bottom) = (view.left + view.columns, view.top + view.rows)
    func corner(_ column: Int, _ row: Int) -> PixelPoint { grid.place(column * 256, row * 256).pixelPoint }
    let corners = Quad(
      topLeft: corner(view.left, view.top), topRight: corner(right, view.top), bottomRight: corner(right, bottom),
      bottomLeft: corner(view.left, bottom))
    var quad = corners
    if view.turn >= 4 {
      quad = Quad(
        topLeft: corners.topRight, topRight: corners.topLeft, bottomRight: corners.bottomLeft,
        bottomLeft: corners.bottomRight)
    }
    for _ in 0..<(view.turn & 3) {
      quad = Quad(
        topLeft: quad.topRight, topRight: quad.bottomRight, bottomRight: quad.bottomLeft, bottomLeft: quad.topLeft)
    }
    return scene.results.report(
      messageReader.read(into: &scene.results), as: .dotcode,
      SymbolAppearance(corners: quad, isInverted: sight.isInverted, isMirrored: view.turn >= 4), cost)
  }

  /// Collects the codewords in the order of the dots; false if too many patterns belong to no codeword.
  private func collect(_ view: DotView, count: Int) -> Bool {
    let (columns, rows) = view.size
    var (bits, bitCount, found, unknown) = (0, 0, 0, 0)
    func isDark(_ column: Int, _ row: Int) -> Bool { Int(values.values[view.place(column, row)]) > view.threshold }
    /// False once the codewords are complete.
    func add(_ isDark: Bool) -> Bool {
      bits = bits << 1 | (isDark ? 1 : 0)
      bitCount += 1
      guard bitCount == (found == 0 ? DotCodeTables.maskDotCount : DotCodeTables.codewordDotCount) else { return true }
      if found == 0 {
        stream[0] = UInt16(bits)
      } else {
        stream[found] = UInt16(codewordOfPattern[bits])
        if stream[found] == 255 { unknown += 1 }
      }
      found += 1
      (bits, bitCount) = (0, 0)
      return found < count
    }
    let (outer, inner) = rows & 1 == 1 ? (rows, columns) : (columns, rows)
    for first in 0..<outer {
      for second in 0..<inner where (first + second) & 1 == 0 && found < count {
        // Odd numbers of rows are read row by row from the bottom, odd numbers of columns column by column.
        let (column, row) = rows & 1 == 1 ? (second, rows - 1 - first) : (first, second)
        if DotCodeTables.isCorner(column, row, columns: columns, rows: rows) { continue }
        _ = add(isDark(column, row))
      }
    }
    for index in 0..<DotCodeTables.cornerCount where found < count {
      let (column, row) = DotCodeTables.corner(index, columns: columns, rows: rows)
      _ = add(isDark(column, row))
    }
    return found == count && unknown * 3 <= count
  }

  /// Corrects the interleaved blocks; nil if one cannot be corrected.
  private func correct(dataCount: Int, count: Int) -> Correction? {
    let step = (count + DotCodeTables.blockCountMax - 1) / DotCodeTables.blockCountMax
    var cost = Correction()
    for first in 0..<step {
      let blockCount = (count - first + step - 1) / step
      let blockDataCount = (dataCount - first + step - 1) / step
      let checkCount = blockCount - blockDataCount
      var erasureCount = 0
      for position in 0..<blockCount {
        let value = stream[first + position * step]
        block.codewords[position] = value == 255 ? 0 : value
        if value == 255 {
          guard erasureCount < checkCount else { return nil }
          block.erasures[erasureCount] = UInt16(position)
          erasureCount += 1
        }
      }
      let spare = checkCount - erasureCount - DotCodeReader.spareCheckCount
      guard spare >= 0,
        let changed = reedSolomon.correct(
          block.codewords, count: blockCount, checkCount: checkCount, erasures: block.erasures, erasureCount: erasureCount,
          correctionMax: spare / 2)
      else { return nil }
      cost.add(Correction(correctedCount: changed, loadPercent: changed * 100 / checkCount))
      for position in 0..<blockCount { stream[first + position * step] = block.codewords[position] }
    }
    return cost
  }
}
