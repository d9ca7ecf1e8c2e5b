// The grid of a matrix symbol, fitted to the edges between its modules: where modules really are, how much dark ones have grown,
// and how far the grid deviates from an even one.

import BarcodeTypes

/// The grid of a symbol and its deviations.
struct MatrixGrid {
  let columns: Int
  let rows: Int
  private(set) var plane: SymbolPlane
  /// The excess width of dark modules, in modules, along rows and along columns.
  private(set) var growth = (along: 0.0, across: 0.0)
  /// The deviations of grid crossings from the even grid, in modules, row by row, `columns + 1` per row; nil where too few edges are
  /// near to tell.
  private(set) var deviations: [Point?] = []

  /// Rounds of the fit, the deviation from which an edge is not believed, in modules, and the distance in modules up to which edges
  /// tell of a crossing.
  private static let (roundCount, outlierMin, reach) = (6, 0.35, 2)
  /// Edges that tell of a crossing, at least.
  private static let edgeCountMin = 5
  /// Samples between the centres of two modules.
  private static let stepCount = 16

  init(columns: Int, rows: Int, plane: SymbolPlane) {
    (self.columns, self.rows, self.plane) = (columns, rows, plane)
  }

  /// The middle of a module on the even grid; modules outside the symbol are allowed.
  func center(_ column: Int, _ row: Int) -> Point { place(Double(column) + 0.5, Double(row) + 0.5) }

  /// The middle of a module as the edges around it tell.
  func measuredCenter(_ column: Int, _ row: Int) -> Point {
    let known = [(column, row), (column + 1, row), (column, row + 1), (column + 1, row + 1)].compactMap { x, y in
      (0...columns).contains(x) && (0...rows).contains(y) && !deviations.isEmpty ? deviations[y * (columns + 1) + x] : nil
    }
    guard known.count == 4 else { return center(column, row) }
    let mean = known.reduce(Point(x: 0, y: 0), +) * 0.25
    return place(Double(column) + 0.5 + mean.x, Double(row) + 0.5 + mean.y)
  }

  private func place(_ x: Double, _ y: Double) -> Point { plane.place(x / Double(columns), y / Double(rows)) }

  /// The mean width and height of modules, in pixels.
  var moduleWidth: Double { plane.width / Double(columns) }
  var moduleHeight: Double { plane.height / Double(rows) }

  /// The greatest deviation of a crossing; nil if none is known.
  var deviationMax: Double? { deviations.compactMap { $0?.length }.max() }

  /// An edge between two modules.
  private struct Edge {
    /// The crossing's place: the boundary, and the middle of the row or column.
    var x: Double
    var y: Double
    /// How far the edge is from the boundary, in modules.
    var offset: Double
    /// 1 from dark to light, else -1.
    var polarity: Double

    /// The factors of the fit's coefficients: an even shift, stretches, a twist, and the growth of dark modules.
    func terms(columns: Int, rows: Int) -> [Double] {
      let (u, v) = (x / Double(columns), y / Double(rows))
      return [1, u, v, u * v, polarity]
    }
  }

  /// Fits the plane to the edges and measures growth and deviations.
  ///
  /// - Parameters:
  ///   - threshold: the reflectance between dark and light.
  ///   - isInverted: whether the growth of light modules is wanted.
  mutating func fit(_ picture: ReflectancePicture, threshold: Double, isInverted: Bool) {
    var along: [Edge] = []
    var across: [Edge] = []
    var fits = (along: [Double](repeating: 0, count: 5), across: [Double](repeating: 0, count: 5))
    for round in 0..<Self.roundCount {
      (along, across) = edges(picture, threshold: threshold)
      guard let one = coefficients(along, isFirst: round == 0), let other = coefficients(across, isFirst: round == 0) else {
        return
      }
      fits = (one, other)
      guard round + 1 < Self.roundCount else { break }
      let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map { u, v in
        let dx = one[0] + one[1] * u + one[2] * v + one[3] * u * v
        let dy = other[0] + other[1] * u + other[2] * v + other[3] * u * v
        return plane.place(u + dx / Double(columns), v + dy / Double(rows))
      }
      plane = SymbolPlane(corners)
    }
    let sides = isInverted ? -2.0 : 2.0
    growth = (sides * fits.along[4], sides * fits.across[4])
    measureDeviations(along, across, fits)
  }

  private func edges(_ picture: ReflectancePicture, threshold: Double) -> (along: [Edge], across: [Edge]) {
    var along: [Edge] = []
    var across: [Edge] = []
    for row in 0..<rows {
      for column in 0..<columns {
        let from = center(column, row)
        if column + 1 < columns, let crossing = Self.crossing(picture, from, center(column + 1, row), threshold) {
          along.append(
            Edge(
              x: Double(column + 1), y: Double(row) + 0.5, offset: crossing.share - 0.5, polarity: crossing.polarity))
        }
        if row + 1 < rows, let crossing = Self.crossing(picture, from, center(column, row + 1), threshold) {
          across.append(
            Edge(
              x: Double(column) + 0.5, y: Double(row + 1), offset: crossing.share - 0.5, polarity: crossing.polarity))
        }
      }
    }
    return (along, across)
  }

  /// Where the reflectance passes the threshold between two places, as a share of their distance; nil unless it does so once.
  private static func crossing(
    _ picture: ReflectancePicture, _ from: Point, _ to: Point, _ threshold: Double
  ) -> (share: Double, polarity: Double)? {
    guard var last = picture.reflectance(at: from), let end = picture.reflectance(at: to),
      (last < threshold) != (end < threshold)
    else { return nil }
    let polarity = last < threshold ? 1.0 : -1.0
    for step in 1...stepCount {
      let share = Double(step) / Double(stepCount)
      guard let value = picture.reflectance(at: from + (to - from) * share) else { return nil }
      if (last < threshold) != (value < threshold) {
        return (share + ((threshold - last) / (value - last) - 1) / Double(stepCount), polarity)
      }
      last = value
    }
    return nil
  }

  /// The least squares fit of the offsets, without outliers of a first fit; nil if there are too few edges.
  private func coefficients(_ edges: [Edge], isFirst: Bool) -> [Double]? {
    guard let first = solve(edges) else { return nil }
    // A first plane may be far off.
    if isFirst { return first }
    return solve(edges.filter { abs(residual($0, first)) <= Self.outlierMin }) ?? first
  }

  private func residual(_ edge: Edge, _ fit: [Double]) -> Double {
    edge.offset - zip(edge.terms(columns: columns, rows: rows), fit).reduce(0) { $0 + $1.0 * $1.1 }
  }

  private func solve(_ edges: [Edge]) -> [Double]? {
    guard edges.count >= 12 else { return nil }
    var matrix = [[Double]](repeating: [Double](repeating: 0, count: 6), count: 5)
    for edge in edges {
      let terms = edge.terms(columns: columns, rows: rows)
      for row in 0..<5 {
        for column in 0..<5 { matrix[row][column] += terms[row] * terms[column] }
        matrix[row][5] += terms[row] * edge.offset
      }
    }
    return solved(matrix)
  }

  private mutating func measureDeviations(
    _ along: [Edge], _ across: [Edge], _ fits: (along: [Double], across: [Double])
  ) {
    // By the place that is a whole number of modules, and the module along the other axis.
    var xs = [Double?](repeating: nil, count: (columns + 1) * rows)
    for edge in along { xs[Int(edge.y) * (columns + 1) + Int(edge.x)] = residual(edge, fits.along) }
    var ys = [Double?](repeating: nil, count: columns * (rows + 1))
    for edge in across { ys[Int(edge.y) * columns + Int(edge.x)] = residual(edge, fits.across) }
    deviations = []
    for row in 0...rows {
      for column in 0...columns {
        var near: (x: [Double], y: [Double]) = ([], [])
        for line in max(0, row - Self.reach)..<min(rows, row + Self.reach) {
          for place in max(0, column - Self.reach)...min(columns, column + Self.reach) {
            if let value = xs[line * (columns + 1) + place] { near.x.append(value) }
          }
        }
        for line in max(0, row - Self.reach)...min(rows, row + Self.reach) {
          for place in max(0, column - Self.reach)..<min(columns, column + Self.reach) {
            if let value = ys[line * columns + place] { near.y.append(value) }
          }
        }
        guard near.x.count >= Self.edgeCountMin, near.y.count >= Self.edgeCountMin else {
          deviations.append(nil)
          continue
        }
        deviations.append(Point(x: median(near.x), y: median(near.y)))
      }
    }
  }
}

/// The middle value; of an even number of values, the mean of both. At least one value.
private func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}

/// Solves linear equations, one per row with its right side last; nil if they are not independent.
private func solved(_ equations: [[Double]]) -> [Double]? {
  var matrix = equations
  let count = matrix.count
  for pivot in 0..<count {
    guard let best = (pivot..<count).max(by: { abs(matrix[$0][pivot]) < abs(matrix[$1][pivot]) }),
      abs(matrix[best][pivot]) > 1e-9
    else { return nil }
    matrix.swapAt(pivot, best)
    for row in 0..<count where row != pivot {
      let factor = matrix[row][pivot] / matrix[pivot][pivot]
      for column in pivot...count { matrix[row][column] -= factor * matrix[pivot][column] }
    }
  }
  return (0..<count).map { matrix[$0][count] / matrix[$0][$0] }
}
