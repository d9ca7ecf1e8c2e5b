// Reads the modules of a matrix symbol out of the picture: a regular grid under a projective map, bent where the surface is.

import BarcodeTypes

/// How far the modules of a grid lie from where the projective map alone puts them: displacements at the knots of a lattice,
/// interpolated between them and constant beyond the outermost.
struct GridWarp: BitwiseCopyable {
  /// Knots in a row and in a column at most: version 40 of QR Code has 7 alignment patterns in a row.
  static let sideMax = 7

  /// Knots in a row and in a column; 0 for a flat grid.
  private(set) var side = 0
  private var knotsU: [7 of Int32] = .init(repeating: 0)
  private var knotsV: [7 of Int32] = .init(repeating: 0)
  private var displacements: [98 of Int32] = .init(repeating: 0)

  init() {}

  /// Appends a column of knots at module coordinate `u` and a row of knots at `v`, in 1/256 modules, further on than those
  /// before, without displacement.
  ///
  /// Displacements must be set afterwards: their places change.
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

  /// The column of cells that a coordinate lies in, and how far into it, in 1/256.
  @inline(__always) func column(of u: Int) -> (index: Int, part: Int) { cell(u, knotsU) }

  /// The row of cells that a coordinate lies in, and how far into it, in 1/256.
  @inline(__always) func row(of v: Int) -> (index: Int, part: Int) { cell(v, knotsV) }

  @inline(__always) private func cell(_ coordinate: Int, _ knots: [7 of Int32]) -> (index: Int, part: Int) {
    if coordinate <= Int(knots[0]) { return (0, 0) }
    if coordinate >= Int(knots[side - 1]) { return (side - 2, 256) }
    var index = 0
    while coordinate >= Int(knots[index + 1]) { index += 1 }
    let start = Int(knots[index])
    return (index, (coordinate - start) * 256 / (Int(knots[index + 1]) - start))
  }

  /// The displacement of a knot column (number `column`) where row `row` is left behind by `part` / 256 of the way to the
  /// next.
  @inline(__always) func between(column: Int, row: Int, part: Int) -> SubpixelPoint {
    let upper = self[column, row]
    let lower = self[column, row + 1]
    return SubpixelPoint(x: upper.x + ((lower.x - upper.x) * part) >> 8, y: upper.y + ((lower.y - upper.y) * part) >> 8)
  }
}

/// Where the modules of a symbol lie in the picture.
///
/// Module coordinates are in 1/256 modules from the symbol's top left corner; the centre of the first module is (128, 128).
struct ModuleGrid: BitwiseCopyable {
  /// Modules in a row, and in a column.
  let columns: Int
  let rows: Int
  /// The places of the four reference points in the picture, at `inset` from the symbol's sides.
  let quad: SubpixelQuad
  var warp = GridWarp()
  /// Distance of the reference points from the symbol's sides.
  let inset: Int
  private let homography: Homography
  /// Units of the homography's plane for a module coordinate, across and down, times 65536.
  private let scaleU: Int
  private let scaleV: Int

  /// A flat grid; nil if the reference points are no convex quadrilateral.
  init?(columns: Int, rows: Int, quad: SubpixelQuad, inset: Int) {
    guard let homography = Homography(quad) else { return nil }
    self.columns = columns
    self.rows = rows
    self.quad = quad
    self.homography = homography
    self.inset = inset
    scaleU = (Homography.unit << 16) / (columns * 256 - 2 * inset)
    scaleV = (Homography.unit << 16) / (rows * 256 - 2 * inset)
  }

  /// The place in the picture of a module coordinate if the grid were flat.
  @inline(__always) func flatPlace(_ u: Int, _ v: Int) -> SubpixelPoint {
    homography.map(((u &- inset) &* scaleU) >> 16, ((v &- inset) &* scaleV) >> 16)
  }

  /// The place in the picture of a module coordinate.
  func place(_ u: Int, _ v: Int) -> SubpixelPoint {
    let flat = flatPlace(u, v)
    if warp.side < 2 { return flat }
    let (column, right) = warp.column(of: u)
    let (row, down) = warp.row(of: v)
    let first = warp.between(column: column, row: row, part: down)
    let second = warp.between(column: column + 1, row: row, part: down)
    return SubpixelPoint(
      x: flat.x + first.x + ((second.x - first.x) * right) >> 8, y: flat.y + first.y + ((second.y - first.y) * right) >> 8)
  }

  /// Calls `body` with column, row and place of the centre of each module in a range of columns and rows.
  @inline(__always) func forEachModule(
    columns: Range<Int>, rows: Range<Int>, _ body: (_ column: Int, _ row: Int, _ place: SubpixelPoint) -> Void
  ) {
    for row in rows {
      let v = row &* 256 &+ 128
      if warp.side < 2 {
        for column in columns { body(column, row, flatPlace(column &* 256 &+ 128, v)) }
        continue
      }
      let (knotRow, down) = warp.row(of: v)
      var known = -1
      var first = SubpixelPoint(x: 0, y: 0)
      var second = first
      for column in columns {
        let u = column &* 256 &+ 128
        let (knotColumn, right) = warp.column(of: u)
        if knotColumn != known {
          first = warp.between(column: knotColumn, row: knotRow, part: down)
          second = warp.between(column: knotColumn + 1, row: knotRow, part: down)
          known = knotColumn
        }
        var place = flatPlace(u, v)
        place.x = place.x &+ first.x &+ ((second.x &- first.x) &* right) >> 8
        place.y = place.y &+ first.y &+ ((second.y &- first.y) &* right) >> 8
        body(column, row, place)
      }
    }
  }

  /// Moves columns and rows: what lay at a module coordinate then lies where the flat grid has the one that `columns` or `rows`
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

  /// The width of a module, about, in 1/256 pixels.
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
  let shift = ((1 << level) - 1) * 128
  return interpolated(view, (place.x &- shift) >> level, (place.y &- shift) >> level)
}

/// Reads all modules at their centres into `modules`, row by row; at least columns · rows elements.
func sampleModules(_ grid: ModuleGrid, _ view: LumaView, level: Int, into modules: ScratchArray<UInt8>) {
  let width = grid.columns
  grid.forEachModule(columns: 0..<width, rows: 0..<grid.rows) { column, row, place in
    modules[row &* width &+ column] = UInt8(truncatingIfNeeded: sample(view, level: level, place))
  }
}
