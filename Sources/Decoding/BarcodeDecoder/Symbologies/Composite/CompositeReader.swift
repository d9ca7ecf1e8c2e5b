// CC-A and CC-B, the components of low rows above a linear symbol (ISO/IEC 24723). The linear symbol shows where the component
// lies, how wide its modules are, and how many columns it has; the row addresses then show its rows.

import BarcodeTypes

/// Reads the components of linear symbols.
@safe struct CompositeReader {
  /// Check codewords left unused, so that no component is corrected into another one.
  private static let margin = 2
  /// Work units for reading a row address, and for placing a row.
  private static let addressCost = 35
  private static let placeCost = 20
  /// The height of a row in modules: ISO/IEC 24723 §4.2.
  private static let rowHeight = 2
  /// The heights of rows that are tried, relative to what the linear symbol's width suggests, in 256ths: tilt makes them lower,
  /// and printers make them higher.
  private static let heightScales: [3 of Int] = [256, 205, 320]
  /// The modules between EAN or UPC and their components, and between other symbols and theirs.
  private static let gaps = (retail: 6, other: 1)
  /// The modules of the linear symbol that the search for the last row includes, those above the line across the first row of a
  /// stacked one, and the distance from there at which the last row may end.
  private static let overlap = 14
  private static let stackedDepth = 46
  private static let bottomReach = 6
  /// The difference in height between both sides that is one, as a part of the height.
  private static let heightShare = 16
  /// The most sizes whose codewords are read.
  private static let sizeCountMax = (frame: 2, still: 4)
  /// Mean fit of the row addresses on either side from which there is a component, even if it is not read, see
  /// `RowAddressColumn.Placement`.
  private static let sureMeanMin = 48
  /// Distances of the left and the right side from the places that the linear symbol suggests, in halves of modules.
  private static let shifts: [8 of SIMD2<Int>] = [
    SIMD2(0, 0), SIMD2(-1, 0), SIMD2(1, 0), SIMD2(0, -2), SIMD2(0, 2), SIMD2(-2, -2), SIMD2(2, 2), SIMD2(-1, -1),
  ]

  private var matcher: CodewordMatcher
  private var codewords: StackedCodewords
  private var left: RowAddressColumn
  private var right: RowAddressColumn
  /// Whether the row addresses above the current symbol are those of a component.
  private var isSeen = false

  init(arena: inout Arena) throws(ArenaFull) {
    matcher = try CodewordMatcher(arena: &arena)
    codewords = try StackedCodewords(arena: &arena)
    left = try RowAddressColumn(arena: &arena)
    right = try RowAddressColumn(arena: &arena)
  }

  /// A size, and the places of its rows in a strip whose rows are heights.
  private struct Placement: BitwiseCopyable {
    var index: Int
    var left: RowAddressColumn.Placement
    var right: RowAddressColumn.Placement

    var score: Int { left.score + right.score }
  }

  /// Reads the component above a linear symbol, if there is one. Returns whether one was seen, and not read.
  mutating func sees(_ linear: StoredSymbol, _ scene: inout Scene) -> Bool {
    isSeen = false
    let linkage = linear.linear.linkage
    guard linkage == .columns || linkage == .untold,
      let layouts = ComponentLayout.layouts(linear.symbol.symbology, moduleCount: Int(linear.linear.moduleCount))
    else { return false }
    matcher.isInverted = linear.symbol.isInverted
    // The outline of a stacked symbol shows the direction of the bars badly: they are square to the rows, unless it is tilted.
    let isStacked = linear.linear.isStacked
    for attempt in 0..<(scene.effort == .still ? CompositeReader.shifts.count : 1) {
      for turn in 0..<(isStacked && scene.effort == .still ? 2 : 1) {
        let corners = linear.upper(scene.results.origin, isSquare: isStacked && turn == 0)
        let shift = CompositeReader.shifts[attempt]
        if read(layouts.first, shifted: shift, linear, corners, &scene) { return false }
        if let second = layouts.second, read(second, shifted: shift, linear, corners, &scene) { return false }
      }
    }
    return isSeen
  }

  private mutating func read(
    _ layout: ComponentLayout, shifted shift: SIMD2<Int>, _ linear: StoredSymbol, _ corners: SubpixelQuad,
    _ scene: inout Scene
  ) -> Bool {
    let gap = linear.symbol.symbology.isRetail ? CompositeReader.gaps.retail : CompositeReader.gaps.other
    let depth = linear.linear.isStacked ? CompositeReader.stackedDepth : CompositeReader.overlap
    let heights = ComponentSizes.rowCountMax * CompositeReader.rowHeight + gap + depth
    guard
      let quad = strip(
        corners, moduleCount: Int(linear.linear.moduleCount), from: 2 * layout.offset + shift.x,
        to: 2 * (layout.offset + layout.columns.width) + shift.y,
        above: heights - CompositeReader.overlap, below: CompositeReader.overlap),
      let strip = StackedGrid(layout: layout.columns, rowCount: heights, quad: quad),
      scene.budget.spend(2 * heights * CompositeReader.addressCost)
    else { return false }
    matcher.sharpening = 160
    left.read(strip, scene.luma, column: layout.addressColumn, isCenter: layout.isNarrow, &matcher)
    right.read(strip, scene.luma, column: layout.columns.columnCount - 1, isCenter: false, &matcher)
    var scoreMax = Int.max
    for _ in 0..<(scene.effort == .still ? CompositeReader.sizeCountMax.still : CompositeReader.sizeCountMax.frame) {
      // The heights at which the last row may end.
      let bottoms = (first: heights - depth - gap, last: heights - CompositeReader.overlap - gap)
      guard let placement = place(layout, bottoms, below: scoreMax, &scene.budget) else { return false }
      scoreMax = placement.score
      if min(placement.left.mean, placement.right.mean) >= CompositeReader.sureMeanMin { isSeen = true }
      if let level = level(placement), let grid = makeGrid(strip, layout, level), read(grid, layout, level.index, &scene) {
        return true
      }
      if let grid = makeGrid(strip, layout, placement), read(grid, layout, placement.index, &scene) { return true }
    }
    return false
  }

  /// The area above a linear symbol, in 1/256 pixels of the picture: between two distances from its beginning, in halves of modules,
  /// and from `above` modules above its upper edge to `below` modules below it.
  ///
  /// - Parameters:
  ///   - corners: those of the linear symbol.
  ///   - count: the modules of its upper edge.
  private func strip(
    _ corners: SubpixelQuad, moduleCount count: Int, from: Int, to: Int, above: Int, below: Int
  ) -> SubpixelQuad? {
    let (topLeft, topRight) = (corners.topLeft, corners.topRight)
    let (bottomLeft, bottomRight) = (corners.bottomLeft, corners.bottomRight)
    let top = distance(topLeft, topRight)
    let (leftSide, rightSide) = (distance(topLeft, bottomLeft), distance(topRight, bottomRight))
    guard count > 0, top > 256, leftSide > 256, rightSide > 256 else { return nil }
    /// The point a number of half modules along the upper edge from the left corner, and a number of modules above it.
    func point(_ along: Int, _ up: Int) -> SubpixelPoint {
      // Both sides continue upwards, each in its own direction.
      let x = topLeft.x + (topRight.x - topLeft.x) * along / (2 * count)
      let y = topLeft.y + (topRight.y - topLeft.y) * along / (2 * count)
      let leftX = (topLeft.x - bottomLeft.x) * top / leftSide
      let leftY = (topLeft.y - bottomLeft.y) * top / leftSide
      let rightX = (topRight.x - bottomRight.x) * top / rightSide
      let rightY = (topRight.y - bottomRight.y) * top / rightSide
      let sideX = leftX + (rightX - leftX) * along / (2 * count)
      let sideY = leftY + (rightY - leftY) * along / (2 * count)
      return SubpixelPoint(x: x + sideX * up / count, y: y + sideY * up / count)
    }
    return SubpixelQuad(
      topLeft: point(from, above), topRight: point(to, above), bottomRight: point(to, -below),
      bottomLeft: point(from, -below))
  }

  /// The size that fits best among those of a layout with a score below `scoreMax`, with its last row ending at one of the heights
  /// between `bottoms`.
  private func place(
    _ layout: ComponentLayout, _ bottoms: (first: Int, last: Int), below scoreMax: Int, _ budget: inout WorkBudget
  ) -> Placement? {
    var best: Placement?
    for scale in 0..<CompositeReader.heightScales.count {
      let row = CompositeReader.rowHeight * CompositeReader.heightScales[scale]
      guard let phases = phases(row: row) else { continue }
      for index in 0..<ComponentSizes.count {
        let (size, _, isNarrow) = ComponentSizes.size(index)
        guard size.columnCount == layout.columnCount, size.columnCount != 3 || isNarrow == layout.isNarrow else { continue }
        guard budget.spend(2 * size.rowCount * CompositeReader.placeCost) else { return best }
        guard
          let onLeft = place(left, size.rowCount, address: size.left, row: row, phase: phases.left, bottoms),
          let onRight = place(right, size.rowCount, address: size.right, row: row, phase: phases.right, bottoms)
        else { continue }
        let placement = Placement(index: index, left: onLeft, right: onRight)
        if scoreMax > placement.score, placement.score > (best?.score ?? Int.min) { best = placement }
      }
    }
    return best
  }

  /// The placement with rows as high as on the side where they fit better, if the sides differ: bars and separators below the last row
  /// may look like a part of it.
  private func level(_ placement: Placement) -> Placement? {
    let (one, other) = (placement.left.last - placement.left.first, placement.right.last - placement.right.first)
    guard abs(one - other) * CompositeReader.heightShare > one else { return nil }
    let size = ComponentSizes.size(placement.index).size
    var level = placement
    if placement.left.mean > placement.right.mean {
      let first = placement.right.first + (other - one) / 2
      guard
        let place = right.place(rowCount: size.rowCount, address: size.right, first: first, last: first + one, isRigid: true)
      else { return nil }
      level.right = place
    } else {
      let first = placement.left.first + (one - other) / 2
      guard
        let place = left.place(rowCount: size.rowCount, address: size.left, first: first, last: first + other, isRigid: true)
      else { return nil }
      level.left = place
    }
    return level
  }

  /// The places of the rows in the cycle of row addresses, on both sides.
  private func phases(row: Int) -> (left: Int, right: Int)? {
    guard let onLeft = left.phase(row: row), let onRight = right.phase(row: row) else { return nil }
    return (onLeft, onRight)
  }

  /// The best place for the rows of a size on a side.
  private func place(
    _ column: RowAddressColumn, _ rowCount: Int, address: Int, row: Int, phase: Int, _ bottoms: (first: Int, last: Int)
  ) -> RowAddressColumn.Placement? {
    let cycle = row * MicroPDF417Tables.addressCount
    let first = bottoms.first << 8 - CompositeReader.bottomReach << 8
    // The first turn of the cycle in which the last row does not end too far up.
    var bottom = (phase + (address + rowCount) * row - first) % cycle
    if bottom < 0 { bottom += cycle }
    bottom += first
    guard bottom <= bottoms.last << 8 + CompositeReader.bottomReach << 8 else { return nil }
    return column.place(rowCount: rowCount, address: address, first: bottom - rowCount * row, last: bottom)
  }

  /// The grid of the component's rows, whose heights are known in the middles of the row addresses.
  private func makeGrid(_ strip: StackedGrid, _ layout: ComponentLayout, _ placement: Placement) -> StackedGrid? {
    let columns = layout.columns
    let from = (columns.start(layout.addressColumn) + 5) << 8
    let to = (columns.start(columns.columnCount - 1) + 5) << 8
    func point(_ x: Int, _ left: Int, _ right: Int) -> SubpixelPoint {
      strip.map(x, left + (right - left) * (x - from) / (to - from))
    }
    let end = columns.width << 8
    let quad = SubpixelQuad(
      topLeft: point(0, placement.left.first, placement.right.first),
      topRight: point(end, placement.left.first, placement.right.first),
      bottomRight: point(end, placement.left.last, placement.right.last),
      bottomLeft: point(0, placement.left.last, placement.right.last))
    return StackedGrid(layout: columns, rowCount: ComponentSizes.size(placement.index).size.rowCount, quad: quad)
  }

  /// Reads the codewords of a grid and their message.
  private mutating func read(_ flat: StackedGrid, _ layout: ComponentLayout, _ index: Int, _ scene: inout Scene) -> Bool {
    let (size, cluster, isNarrow) = ComponentSizes.size(index)
    var grid = flat
    grid.trackBoundaries(scene.luma, isInverted: matcher.isInverted, from: .both, reach: StackedGrid.shortReach)
    let cells = layout.cells(firstCluster: cluster)
    for attempt in 0..<(scene.effort == .still ? 3 : 1) {
      matcher.sharpening = attempt == 0 ? 160 : attempt == 1 ? 400 : 0
      let isRead = codewords.read(grid, cells, scene.luma, &matcher, &scene.budget)
      guard isRead else { return false }
      guard let corrected = codewords.correct(checkCount: size.checkCount, margin: CompositeReader.margin, &scene.budget)
      else { continue }
      if codewords.reportComponent(
        0..<(size.codewordCount - size.checkCount), as: .micropdf417, isNarrow: isNarrow,
        grid.appearance(scene.luma, isInverted: matcher.isInverted, scale: 1), cost: (corrected, size.checkCount), &scene)
      {
        return true
      }
    }
    return false
  }
}
