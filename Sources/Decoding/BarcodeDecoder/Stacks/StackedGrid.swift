// The places of a stacked symbol's cells in the picture. Rows and columns are a projective map of a table whose columns have
// nearly straight boundaries. The displacement of each boundary from the projective map is measured at three heights, which
// accounts for distortion by the lens and the label.

import BarcodeTypes

/// The columns of a stacked symbol: start pattern or row address, codewords, stop pattern, in modules from the left.
struct StackedLayout: BitwiseCopyable {
  /// Start, two row indicators, 30 codewords, stop.
  static let columnCountMax = 34

  private(set) var columnCount = 0
  private var starts: [35 of UInt16] = .init(repeating: 0)

  /// Appends a column of `width` modules on the right.
  mutating func append(_ width: Int) {
    precondition(columnCount < StackedLayout.columnCountMax)
    starts[columnCount + 1] = starts[columnCount] + UInt16(width)
    columnCount += 1
  }

  /// The left boundary of a column in modules; for `columnCount`, the right boundary of the last column.
  @inline(__always) func start(_ column: Int) -> Int { Int(starts[column]) }

  @inline(__always) func width(_ column: Int) -> Int { Int(starts[column + 1]) - Int(starts[column]) }

  /// The width of a row in modules.
  var width: Int { Int(starts[columnCount]) }
}

/// The map of a stacked symbol's table to the picture.
///
/// x is in 1/256 modules from the left side, y in 1/256 rows from the top.
@safe struct StackedGrid {
  /// Heights at which boundaries are measured: the middles of the upper, middle and lower third.
  static let bandCount = 3

  let layout: StackedLayout
  let rowCount: Int
  let quad: SubpixelQuad
  private let homography: Homography
  private let scaleX: Int
  private let scaleY: Int
  /// Displacements of the boundaries in 1/256 modules, band by band.
  private var displacements: [105 of Int16] = .init(repeating: 0)
  private var isBent = false
  /// Vertical displacement of the middle of the symbol relative to its sides, in 1/256 rows.
  var bow = 0

  /// Nil if the corners do not form a convex quadrilateral.
  init?(layout: StackedLayout, rowCount: Int, quad: SubpixelQuad) {
    guard layout.width > 0, rowCount > 0, let homography = Homography(quad) else { return nil }
    self.layout = layout
    self.rowCount = rowCount
    self.quad = quad
    self.homography = homography
    scaleX = (256 << 16) / layout.width
    scaleY = (256 << 16) / rowCount
  }

  /// The place of (x, y) by the projective map alone.
  @inline(__always) func mapFlat(_ x: Int, _ y: Int) -> SubpixelPoint {
    homography.map((x &* scaleX) >> 16, (y &* scaleY) >> 16)
  }

  /// The place of (x, y), including the bow of the rows.
  @inline(__always) func map(_ x: Int, _ y: Int) -> SubpixelPoint {
    guard bow != 0 else { return mapFlat(x, y) }
    // A parabola, 0 at both sides.
    let s = (x &* scaleX) >> 24
    return mapFlat(x, y &+ (bow &* s &* (256 &- s)) >> 14)
  }

  /// A boundary's displacement in a band, in 1/256 modules.
  func displacement(_ boundary: Int, band: Int) -> Int {
    Int(displacements[band * (StackedLayout.columnCountMax + 1) + boundary])
  }

  mutating func displace(_ boundary: Int, band: Int, by value: Int) {
    displacements[band * (StackedLayout.columnCountMax + 1) + boundary] = Int16(clamping: value)
    isBent = true
  }

  /// The x of a boundary at height y, in 1/256 modules.
  func boundary(_ boundary: Int, y: Int) -> Int {
    let x = layout.start(boundary) << 8
    guard isBent else { return x }
    // 0 at the middle of the first band, 256 at that of the second one, 512 at that of the third.
    let height = max(0, min(512, y * 3 / rowCount - 128))
    let band = min(1, height >> 8)
    let part = height - band << 8
    let upper = displacement(boundary, band: band)
    let lower = displacement(boundary, band: band + 1)
    return x + upper + ((lower - upper) * part) >> 8
  }

  /// The size of a module and of a row around the place (x, y), in 1/256 pixels.
  func size(_ x: Int, _ y: Int) -> (module: Int, row: Int) {
    let here = mapFlat(x, y)
    let right = mapFlat(x + 1024, y)
    let below = mapFlat(x, y + 256)
    return (distance(here, right) / 4, distance(here, below))
  }

  private func distance(_ a: SubpixelPoint, _ b: SubpixelPoint) -> Int {
    let x = max(-(1 << 24), min(1 << 24, a.x - b.x))
    let y = max(-(1 << 24), min(1 << 24, a.y - b.y))
    return Int(integerRoot(UInt64(x * x + y * y)))
  }
}

/// The sampling of a cell: lines along the row, and samples per module on a line.
struct StackedSampling: BitwiseCopyable {
  /// Lines, 1...7.
  var lineCount: Int
  /// The distance from the first line to the last, in 1/256 rows.
  var span: Int
  /// Samples per module on a line, 1...4.
  var samplesPerModule: Int

  /// Sampling for modules and rows of a size in 1/256 pixels: about one sample per pixel over the middle half of a row.
  init(module: Int, row: Int) {
    lineCount = max(2, min(7, row / 400 + 1))
    span = lineCount == 1 ? 0 : 128
    samplesPerModule = module < 560 ? 1 : module < 1200 ? 2 : 3
  }

  /// Two lines half a row apart, for places that may not be the middle of a row.
  init(lineOf module: Int) {
    lineCount = 2
    span = 128
    samplesPerModule = module < 560 ? 1 : module < 1200 ? 2 : 3
  }
}

extension StackedGrid {
  /// Modules read on each side of a cell.
  static let lead = 2

  /// Reads the modules of a cell, and `lead` more on each side: grey times 64.
  ///
  /// - Parameters:
  ///   - y: the middle of the row, in 1/256 rows.
  ///   - values: room for the column's width plus twice `lead`.
  func read(
    _ luma: LumaView, column: Int, y: Int, _ sampling: StackedSampling, into values: ScratchArray<Int32>
  ) {
    let count = layout.width(column)
    let total = count + 2 * StackedGrid.lead
    for index in 0..<total { values[index] = 0 }
    for line in 0..<sampling.lineCount {
      let atY =
        sampling.lineCount == 1 ? y : y - sampling.span / 2 + sampling.span * line / (sampling.lineCount - 1)
      let left = boundary(column, y: atY)
      let right = boundary(column + 1, y: atY)
      let from = map(left, atY)
      let to = map(right, atY)
      let parts = count &* sampling.samplesPerModule
      let stepX = ((to.x &- from.x) << 8) / parts
      let stepY = ((to.y &- from.y) << 8) / parts
      let before = StackedGrid.lead &* sampling.samplesPerModule
      var x = from.x << 8 &- stepX &* before &+ stepX / 2
      var y = from.y << 8 &- stepY &* before &+ stepY / 2
      for index in 0..<total {
        var sum = 0
        for _ in 0..<sampling.samplesPerModule {
          sum &+= interpolated(luma, x >> 8, y >> 8)
          x &+= stepX
          y &+= stepY
        }
        values[index] &+= Int32(truncatingIfNeeded: sum)
      }
    }
    let scale = Int32((64 << 8) / (sampling.lineCount * sampling.samplesPerModule))
    for index in 0..<total { values[index] = (values[index] &* scale) >> 8 }
  }

  /// Whether the symbol is seen mirrored: as seen from its top left, the top side lies anticlockwise of the left one.
  var isMirrored: Bool {
    let right = (x: quad.topRight.x - quad.topLeft.x, y: quad.topRight.y - quad.topLeft.y)
    let down = (x: quad.bottomLeft.x - quad.topLeft.x, y: quad.bottomLeft.y - quad.topLeft.y)
    return right.x * down.y - right.y * down.x < 0
  }
}
