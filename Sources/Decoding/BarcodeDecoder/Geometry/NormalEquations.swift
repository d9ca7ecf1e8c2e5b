// Least squares in integers: normal equations in a few unknowns, scaled to a unit diagonal so that Q30 is precise enough.

/// The normal equations of a linear least squares fit with at most ten unknowns.
struct NormalEquations {
  static let unknownCountMax = 10

  let unknownCount: Int
  /// Σ cᵢcⱼ, row by row, upper triangle filled.
  private var products: [100 of Int64] = .init(repeating: 0)
  /// Σ cᵢy.
  private var moments: [10 of Int64] = .init(repeating: 0)

  init(unknownCount: Int) {
    precondition(unknownCount > 0 && unknownCount <= NormalEquations.unknownCountMax)
    self.unknownCount = unknownCount
  }

  /// Adds one equation: Σ cᵢxᵢ = y. Coefficients and y are at most 2^15 in size.
  ///
  /// - Parameter weight: how many times it counts, at most four.
  @inline(__always) mutating func add(_ coefficients: [10 of Int32], _ y: Int32, weight: Int64 = 1) {
    for row in 0..<10 {
      let coefficient = unsafe Int64(coefficients[unchecked: row]) &* weight
      unsafe moments[unchecked: row] &+= coefficient &* Int64(y)
      for column in row..<10 {
        unsafe products[unchecked: row &* 10 &+ column] &+= coefficient &* Int64(coefficients[unchecked: column])
      }
    }
  }

  /// The solution times 65536, or nil if the equations do not determine it.
  ///
  /// - Parameter damping: added to the unit diagonal, times 2^30, for each unknown.
  func solve(damping: [10 of Int64]) -> [10 of Int64]? {
    let count = unknownCount
    var scale: [10 of Int64] = .init(repeating: 1)
    for index in 0..<count {
      scale[index] = max(1, Int64(integerRoot(UInt64(max(0, products[index * 10 + index])))))
    }
    // The matrix, and the right side in column 10.
    var matrix: [110 of Int64] = .init(repeating: 0)
    for row in 0..<count {
      for column in row..<count {
        let value = NormalEquations.quotient(products[row * 10 + column], scale[row], scale[column])
        matrix[row * 11 + column] = value
        matrix[column * 11 + row] = value
      }
      matrix[row * 11 + row] += damping[row]
      // y is about as long as the longest column; 16 bits remain below it.
      matrix[row * 11 + 10] = (moments[row] << 12) / scale[row]
    }
    for pivot in 0..<count {
      let diagonal = matrix[pivot * 11 + pivot]
      guard diagonal > 1 << 12 else { return nil }
      for row in (pivot + 1)..<max(pivot + 1, count) {
        let factor = (matrix[row * 11 + pivot] << 30) / diagonal
        if factor == 0 { continue }
        for column in pivot..<11 {
          matrix[row * 11 + column] -= NormalEquations.product(factor, matrix[pivot * 11 + column])
        }
      }
    }
    var solution: [10 of Int64] = .init(repeating: 0)
    for row in stride(from: count - 1, through: 0, by: -1) {
      var rest = matrix[row * 11 + 10]
      for column in (row + 1)..<max(row + 1, count) {
        rest -= NormalEquations.product(matrix[row * 11 + column], solution[column])
      }
      guard abs(rest) < 1 << 42 else { return nil }
      solution[row] = ((rest << 20) / matrix[row * 11 + row]) << 10
      guard abs(solution[row]) < 1 << 58 else { return nil }
    }
    // Undo the scaling: x = x' / scale. The right side already has 12 of the 16 fraction bits of the result.
    for row in 0..<count {
      solution[row] = (solution[row] << 4) / scale[row]
    }
    return solution
  }

  /// sum / (a · b) times 2^30, where |sum| is at most a · b.
  private static func quotient(_ sum: Int64, _ a: Int64, _ b: Int64) -> Int64 { (((sum << 20) / a) << 10) / b }

  /// a · b / 2^30.
  private static func product(_ a: Int64, _ b: Int64) -> Int64 { Int64(truncatingIfNeeded: (Int128(a) &* Int128(b)) >> 30) }
}
