// Reads the modules of a matrix symbol from the picture: a regular grid under a projective map, bent to follow the surface.

import BarcodeTypes

/// The displacement of a grid's modules from the projective map, given at the knots of a lattice, interpolated between them
/// and constant beyond the outermost.
struct GridWarp: BitwiseCopyable {
  /// The most knots per row and column: version 40 of QR Code has 7 alignment patterns in a row.
  static let sideMax = 7

  /// Knots per row and column; 0 for a flat grid.
  private(set) var side = 0
  private var knotsU: [7 of Int32] = .init(repeating: 0)
  private var knotsV: [7 of Int32] = .init(repeating: 0)
  private var displacements: [98 of Int32] = .init(repeating: 0)

  init() {}

  /// Appends a column of knots at module coordinate `u` and a row of knots at `v`, in 1/256 modules, beyond the previous
  /// ones and without displacement.
  ///
  /// Set the displacements afterwards: their storage moves.
  mutating func appendKnot(u: Int, v: Int) {
    precondition(side < GridWarp.sideMax)
    knotsU[side] = Int32(u)
    knotsV[side] = Int32(v)
    side += 1
  }

  /// The module coordinate of a column of knots, in 1/256 modules.
  func u(_ column: Int) -> Int { Int(knotsU[column]) }

  /// The module coordinate of a row of knots, in 1/256 modules.
  func v(_ row: Int) -> Int { Int(knotsV[row]) }

  /// The displacement of a knot in 1/256 pixels.
  subscript(column: Int, row: Int) -> SubpixelPoint {
    get {
      let index = 2 * (row * GridWarp.sideMax + column)
      return SubpixelPoint(x: Int(displacements[index]), y: Int(displacements[index + 1]))
    }
    set {
      let index = 2 * (row * GridWarp.sideMax + column)
      displacements[index] = Int32(truncatingIfNeeded: newValue.x)
      displacements[index + 1] = Int32(truncatingIfNeeded: newValue.y)
    }
  }

  /// The column of cells that contains a coordinate.
  @inline(__always) func column(of u: Int) -> GridCell { cell(u, isColumn: true) }

  /// The row of cells that contains a coordinate.
  @inline(__always) func row(of v: Int) -> GridCell { cell(v, isColumn: false) }

  @inline(__always) private func cell(_ coordinate: Int, isColumn: Bool) -> GridCell {
    var index = 0
    while index < side - 2, coordinate >= (isColumn ? u(index + 1) : v(index + 1)) { index += 1 }
    return GridCell(
      index: index, start: isColumn ? u(index) : v(index), end: isColumn ? u(index + 1) : v(index + 1),
      isLast: index == side - 2)
  }

  /// Calls `body` with the displacements at a fixed address: each access to an element of a value would copy all of them.
  @inline(__always) func withKnots(_ body: (Knots) -> Void) {
    unsafe withUnsafeBytes(of: displacements) { memory in
      unsafe body(Knots(displacements: memory.baseAddress!.assumingMemoryBound(to: Int32.self)))
    }
  }

  /// Displacements in memory, row by row, two values per knot for `sideMax` knots per row.
  @safe struct Knots {
    fileprivate let displacements: UnsafePointer<Int32>

    /// The displacement along a column of knots, `part` / 256 of the way from row `row` to the next.
    @inline(__always) func between(column: Int, row: Int, part: Int) -> SubpixelPoint {
      let upper = unsafe displacements + 2 &* (row &* GridWarp.sideMax &+ column)
      let lower = unsafe upper + 2 &* GridWarp.sideMax
      let x = unsafe Int(upper[0])
      let y = unsafe Int(upper[1])
      return unsafe SubpixelPoint(
        x: x &+ ((Int(lower[0]) &- x) &* part) >> 8, y: y &+ ((Int(lower[1]) &- y) &* part) >> 8)
    }
  }
}

/// The interval between two columns of knots, or two rows; the outermost cells extend beyond the knots.
struct GridCell: BitwiseCopyable {
  /// The index of the column or row of knots before it.
  let index: Int
  /// The module coordinates of the knots before and after it, in 1/256 modules.
  let start: Int
  let end: Int
  /// Whether it is the last cell, with no knots after `end`.
  let isLast: Bool

  /// Whether a coordinate that is not before the cell lies in it.
  @inline(__always) func reaches(_ coordinate: Int) -> Bool { coordinate < end || isLast }

  /// The position of a coordinate in the cell, in 1/256 of its length.
  @inline(__always) func part(_ coordinate: Int) -> Int {
    max(0, min(256, (coordinate &- start) &* 256 / (end &- start)))
  }
}

/// The places of a symbol's modules in the picture.
///
/// Module coordinates are in 1/256 modules from the symbol's top left corner; the centre of the first module is (128, 128).
struct ModuleGrid: BitwiseCopyable {
  /// Modules per row, and per column.
  let columns: Int
  let rows: Int
  /// The four reference points in the picture, `inset` inside the symbol's sides.
  let quad: SubpixelQuad
  var warp = GridWarp()
  /// The distance of the reference points from the symbol's sides, in 1/256 modules.
  let inset: Int
  /// The offset of the centres of odd rows to the right of those of even rows, in 1/256 modules: half a module for hexagons.
  let oddRowShift: Int
  private let homography: Homography
  /// Units of the homography's plane per module coordinate, across and down, times 65536.
  private let scaleU: Int
  private let scaleV: Int

  /// A flat grid; nil if the reference points do not form a convex quadrilateral.
  init?(columns: Int, rows: Int, quad: SubpixelQuad, inset: Int, oddRowShift: Int = 0) {
    guard let homography = Homography(quad) else { return nil }
    self.columns = columns
    self.rows = rows
    self.quad = quad
    self.homography = homography
    self.inset = inset
    self.oddRowShift = oddRowShift
    scaleU = (Homography.unit << 16) / (columns * 256 - 2 * inset)
    scaleV = (Homography.unit << 16) / (rows * 256 - 2 * inset)
  }

  /// The place in the picture of a module coordinate, without the warp.
  @inline(__always) func flatPlace(_ u: Int, _ v: Int) -> SubpixelPoint {
    homography.map(((u &- inset) &* scaleU) >> 16, ((v &- inset) &* scaleV) >> 16)
  }

  /// The place in the picture of a module coordinate.
  func place(_ u: Int, _ v: Int) -> SubpixelPoint {
    var place = flatPlace(u, v)
    if warp.side < 2 { return place }
    let column = warp.column(of: u)
    let row = warp.row(of: v)
    warp.withKnots { knots in
      let right = column.part(u)
      let first = knots.between(column: column.index, row: row.index, part: row.part(v))
      let second = knots.between(column: column.index &+ 1, row: row.index, part: row.part(v))
      place.x = place.x &+ first.x &+ ((second.x &- first.x) &* right) >> 8
      place.y = place.y &+ first.y &+ ((second.y &- first.y) &* right) >> 8
    }
    return place
  }

  /// Calls `body` with column, row and the place of the centre of each module in a range of columns and rows.
  @inline(__always) func forEachModule(
    columns: Range<Int>, rows: Range<Int>, _ body: (_ column: Int, _ row: Int, _ place: SubpixelPoint) -> Void
  ) {
    if warp.side < 2 {
      for row in rows {
        let first = 128 &+ (row & 1) &* oddRowShift
        for column in columns { body(column, row, flatPlace(column &* 256 &+ first, row &* 256 &+ 128)) }
      }
      return
    }
    warp.withKnots { knots in
      for row in rows {
        let v = row &* 256 &+ 128
        let cellRow = warp.row(of: v)
        let down = cellRow.part(v)
        let left = 128 &+ (row & 1) &* oddRowShift
        var cell = warp.column(of: columns.lowerBound &* 256 &+ left)
        var first = knots.between(column: cell.index, row: cellRow.index, part: down)
        var second = knots.between(column: cell.index &+ 1, row: cellRow.index, part: down)
        for column in columns {
          let u = column &* 256 &+ left
          if !cell.reaches(u) {
            cell = warp.column(of: u)
            first = knots.between(column: cell.index, row: cellRow.index, part: down)
            second = knots.between(column: cell.index &+ 1, row: cellRow.index, part: down)
          }
          let right = cell.part(u)
          var place = flatPlace(u, v)
          place.x = place.x &+ first.x &+ ((second.x &- first.x) &* right) >> 8
          place.y = place.y &+ first.y &+ ((second.y &- first.y) &* right) >> 8
          body(column, row, place)
        }
      }
    }
  }

  /// Replaces the warp so that a module coordinate maps to where the flat grid has the coordinate that `columns` or `rows`
  /// returns for it.
  mutating func bend(columns bentU: (Int) -> Int, rows bentV: (Int) -> Int) {
    warp = GridWarp()
    let last = GridWarp.sideMax - 1
    for knot in 0...last { warp.appendKnot(u: columns * knot / last * 256, v: rows * knot / last * 256) }
    for row in 0...last {
      let v = bentV(warp.v(row))
      for column in 0...last {
        let place = flatPlace(bentU(warp.u(column)), v)
        let flat = flatPlace(warp.u(column), warp.v(row))
        warp[column, row] = SubpixelPoint(x: place.x - flat.x, y: place.y - flat.y)
      }
    }
  }

  /// A flat grid with more or fewer columns and rows that has the same start and the same projective map.
  func resized(columns: Int, rows: Int) -> ModuleGrid? {
    ModuleGrid(
      columns: columns, rows: rows,
      quad: SubpixelQuad(
        topLeft: flatPlace(0, 0), topRight: flatPlace(columns * 256, 0),
        bottomRight: flatPlace(columns * 256, rows * 256), bottomLeft: flatPlace(0, rows * 256)),
      inset: 0)
  }

  /// The width of modules, in 1/256 pixels, below which noise and blur show no perspective of a symbol.
  private static let perspectiveModuleMin = 512

  /// Whether the modules are so small that a grid of any perspective would follow noise.
  var hasSmallModules: Bool {
    func isShort(_ end: SubpixelPoint, modules: Int) -> Bool {
      isNear(quad.topLeft, end, within: (modules * 256 - 2 * inset) * ModuleGrid.perspectiveModuleMin / 256)
    }
    return isShort(quad.topRight, modules: columns) && isShort(quad.bottomLeft, modules: rows)
  }

  /// The flat grid without perspective that has the same middle and the mean lengths and directions of opposite sides; nil if they are
  /// parallel to each other.
  var parallel: ModuleGrid? {
    let (a, b, c, d) = (quad.topLeft, quad.topRight, quad.bottomRight, quad.bottomLeft)
    let middle = SubpixelPoint(x: (a.x + b.x + c.x + d.x) / 4, y: (a.y + b.y + c.y + d.y) / 4)
    let across = SubpixelPoint(x: (b.x + c.x - a.x - d.x) / 4, y: (b.y + c.y - a.y - d.y) / 4)
    let down = SubpixelPoint(x: (c.x + d.x - a.x - b.x) / 4, y: (c.y + d.y - a.y - b.y) / 4)
    func corner(_ right: Int, _ below: Int) -> SubpixelPoint {
      SubpixelPoint(x: middle.x + right * across.x + below * down.x, y: middle.y + right * across.y + below * down.y)
    }
    return ModuleGrid(
      columns: columns, rows: rows,
      quad: SubpixelQuad(
        topLeft: corner(-1, -1), topRight: corner(1, -1), bottomRight: corner(1, 1), bottomLeft: corner(-1, 1)),
      inset: inset, oddRowShift: oddRowShift)
  }

  /// Approximate width of a module, in 1/256 pixels.
  var module: Int {
    let across = abs(quad.topRight.x - quad.topLeft.x) + abs(quad.topRight.y - quad.topLeft.y)
    let down = abs(quad.bottomLeft.x - quad.topLeft.x) + abs(quad.bottomLeft.y - quad.topLeft.y)
    return min(across * 256 / (columns * 256 - 2 * inset), down * 256 / (rows * 256 - 2 * inset))
  }

  /// The symbol's own corners.
  var corners: Quad {
    let right = columns * 256
    let bottom = rows * 256
    return Quad(
      topLeft: place(0, 0).pixelPoint, topRight: place(right, 0).pixelPoint,
      bottomRight: place(right, bottom).pixelPoint, bottomLeft: place(0, bottom).pixelPoint)
  }
}

/// The value of `view`, a picture at `level` of the pyramid, at a place given in full-size coordinates.
@inline(__always) func sample(_ view: LumaView, level: Int, _ place: SubpixelPoint) -> Int {
  let shift = ((1 &<< level) &- 1) &* 128
  return interpolated(view, (place.x &- shift) &>> level, (place.y &- shift) &>> level)
}
