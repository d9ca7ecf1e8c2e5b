// Samples the modules of a symbol and decides them from their grey values, with a confidence. Each module is sharpened
// against its neighbours, which undoes much of the defocus, and compared with the mean of 15×15 modules around it. On
// blurred, dark and unevenly lit symbols, sharpening by the whole difference reads half as many again as plain values, and 15
// modules work better than narrower means or a single threshold for the symbol.

/// The modules of a symbol, row by row: as sampled and as decided.
@safe struct ModuleValues {
  /// Ways to decide modules that are tried in turn: those for symbols with corner or edge finders, those for symbols around a bullseye,
  /// and the degrees of sharpening for dots and hexagons, which are not restored.
  static let decisions: [6 of ModuleDecision] = [
    .sharpened(4), .restored(.moderate), .restored(.strong), .sharpened(6), .sharpened(9), .sharpened(2),
  ]
  static let wideDecisions: [6 of ModuleDecision] = [
    .sharpened(4), .restored(.moderate), .restored(.strong), .sharpened(8), .sharpened(12), .sharpened(1),
  ]
  static let dotDegrees: [4 of Int] = [4, 6, 9, 2]
  static let hexagonDegrees: [4 of Int] = [4, 8, 12, 1]
  /// The degree for the first reading of a grid, and before a grid is refined.
  static let usualDegree = 4
  /// Half the width of the window of the mean, in modules.
  private static let reach = 7

  /// Signed values, positive for dark; a greater absolute value is more certain.
  let values: ScratchArray<Int16>
  /// Grey values as sampled.
  let greys: ScratchArray<UInt8>
  /// The mean grey value around each module.
  private let means: ScratchArray<UInt8>
  private let columnSums: ScratchArray<Int32>
  private let restoring: ModuleRestoring

  /// - Parameter countMax: modules of the largest symbol.
  init(_ countMax: Int, arena: inout Arena) throws(ArenaFull) {
    values = try ScratchArray(countMax, arena: &arena)
    greys = try ScratchArray(countMax, arena: &arena)
    means = try ScratchArray(countMax, arena: &arena)
    columnSums = try ScratchArray(DecoderLimits.sideModulesMax, arena: &arena)
    restoring = try ModuleRestoring(countMax, arena: &arena)
  }

  /// Samples a grid's modules at their centres.
  func sample(_ grid: ModuleGrid, _ sight: Sight) {
    precondition(greys.count >= grid.columns * grid.rows)
    let width = grid.columns
    grid.forEachModule(columns: 0..<width, rows: 0..<grid.rows) { column, row, place in
      greys[row &* width &+ column] = UInt8(truncatingIfNeeded: sight.sample(place))
    }
  }

  /// Decides a grid's modules as sampled last.
  ///
  /// - Parameter sharpening: share of the difference from the mean of its neighbours that is added to a module, in quarters.
  func decide(_ grid: ModuleGrid, _ sight: Sight, sharpening: Int = usualDegree) {
    if grid.oddRowShift == 0 {
      decide(columns: grid.columns, rows: grid.rows, sharpening, isInverted: sight.isInverted, isHexagonal: false)
    } else {
      decide(columns: grid.columns, rows: grid.rows, sharpening, isInverted: sight.isInverted, isHexagonal: true)
    }
  }

  /// Decides a grid's modules as sampled last in one of several ways. Hexagons cannot be restored.
  func decide(_ grid: ModuleGrid, _ sight: Sight, by decision: ModuleDecision) {
    switch decision {
    case .sharpened(let degree): decide(grid, sight, sharpening: degree)
    case .restored(let blur):
      // For the means.
      decide(grid, sight)
      restore(columns: grid.columns, rows: grid.rows, blur, isInverted: sight.isInverted)
    }
  }

  /// Restores modules, and compares each with the middle of the mean around it and its limits.
  private func restore(columns: Int, rows: Int, _ blur: ModuleBlur, isInverted: Bool) {
    restoring.restore(greys, columns: columns, rows: rows, blur, isInverted: isInverted)
    for row in 0..<rows {
      for column in 0..<columns {
        let place = row * columns + column
        let threshold = (16 * Int(means[place]) + restoring.middle(column: column, row: row)) / 2
        let difference = Int(restoring.modules[place]) - threshold
        values[place] = Int16(truncatingIfNeeded: isInverted ? difference : -difference)
      }
    }
  }

  /// Samples and decides a grid's modules.
  func read(_ grid: ModuleGrid, _ sight: Sight, sharpening: Int = usualDegree) {
    sample(grid, sight)
    decide(grid, sight, sharpening: sharpening)
  }

  /// The means to refine a grid whose modules were just decided.
  ///
  /// - Parameter roles: the `ModuleRole` of each module, row by row.
  func refiner(_ grid: ModuleGrid, _ sight: Sight, roles: ScratchArray<UInt8>) -> GridRefiner {
    GridRefiner(sight, roles: roles, columns: grid.columns, rows: grid.rows, modules: greys, means: means)
  }

  /// Counts the function modules among the first `count` modules, and those of them that have the wrong colour.
  func functionModules(_ roles: ScratchArray<UInt8>, count: Int) -> (count: Int, wrongCount: Int) {
    var known = 0
    var wrong = 0
    for index in 0..<count {
      let role = roles[index]
      guard role == ModuleRole.dark || role == ModuleRole.light else { continue }
      known += 1
      if (values[index] > 0) != (role == ModuleRole.dark) { wrong += 1 }
    }
    return (known, wrong)
  }

  /// A symbol of hexagons has six neighbours per module: odd rows lie half a module further right.
  @inline(__always) private func decide(
    columns: Int, rows: Int, _ sharpening: Int, isInverted: Bool, isHexagonal: Bool
  ) {
    precondition(columns > 1 && columns <= DecoderLimits.sideModulesMax && rows > 1 && rows <= DecoderLimits.sideModulesMax)
    precondition(greys.count >= columns * rows)
    let pixels = unsafe greys.base
    let reach = ModuleValues.reach
    let sign = isInverted ? 1 : -1
    columnSums.fill(0, count: columns)
    for row in 0..<min(reach, rows) { unsafe addRow(pixels, row: row, columns: columns, sign: 1) }
    for row in 0..<rows {
      if row + reach < rows { unsafe addRow(pixels, row: row + reach, columns: columns, sign: 1) }
      if row - reach - 1 >= 0 { unsafe addRow(pixels, row: row - reach - 1, columns: columns, sign: -1) }
      let height = min(rows - 1, row + reach) - max(0, row - reach) + 1
      var sum = 0
      for column in 0..<min(reach, columns) { sum += Int(columnSums[column]) }
      let up = row > 0 ? -columns : 0
      let down = row < rows - 1 ? columns : 0
      for column in 0..<columns {
        if column + reach < columns { sum += Int(columnSums[column + reach]) }
        if column - reach - 1 >= 0 { sum -= Int(columnSums[column - reach - 1]) }
        let width = min(columns - 1, column + reach) - max(0, column - reach) + 1
        let place = row &* columns &+ column
        let value = unsafe Int(pixels[place])
        let left = column > 0 ? place &- 1 : place
        let right = column < columns - 1 ? place &+ 1 : place
        var neighbours =
          unsafe Int(pixels[place &+ up]) &+ Int(pixels[place &+ down]) &+ Int(pixels[left]) &+ Int(pixels[right])
        if isHexagonal {
          let aside = row & 1 == 0 ? left : right
          neighbours = unsafe (neighbours &+ Int(pixels[aside &+ up]) &+ Int(pixels[aside &+ down])) &* 2 / 3
        }
        // In sixteenths of a grey level.
        let sharpened = 16 &* value &+ sharpening &* (4 &* value &- neighbours)
        let mean = 16 &* sum / (width &* height)
        means[place] = UInt8(truncatingIfNeeded: mean >> 4)
        values[place] = Int16(truncatingIfNeeded: sign &* (sharpened &- mean))
      }
    }
  }

  private func addRow(_ pixels: UnsafeMutablePointer<UInt8>, row: Int, columns: Int, sign: Int32) {
    let source = unsafe pixels + row * columns
    let sums = unsafe columnSums.base
    for column in 0..<columns { unsafe sums[column] = sums[column] &+ sign &* Int32(source[column]) }
  }

  /// Swaps rows and columns of a square symbol, which turns a mirrored symbol into a plain one.
  func transpose(size: Int) {
    for row in 1..<size {
      for column in 0..<row {
        let kept = values[row * size + column]
        values[row * size + column] = values[column * size + row]
        values[column * size + row] = kept
      }
    }
  }

  /// Swaps rows and columns of a square symbol about the diagonal from the bottom left to the top right, which turns a
  /// symbol mirrored about that diagonal into a plain one.
  func transposeAboutRisingDiagonal(size: Int) {
    for row in 0..<size {
      for column in 0..<(size - 1 - row) {
        let here = row * size + column
        let there = (size - 1 - column) * size + size - 1 - row
        let kept = values[here]
        values[here] = values[there]
        values[there] = kept
      }
    }
  }
}

/// The function of a module in a symbol.
enum ModuleRole {
  /// Holds a bit of a codeword.
  static let data: UInt8 = 0
  /// Always light or dark: a finder, separator, timing, alignment or reference pattern.
  static let light: UInt8 = 1
  static let dark: UInt8 = 2
  /// Holds a bit that describes the symbol, such as format and version information.
  static let information: UInt8 = 3
}
