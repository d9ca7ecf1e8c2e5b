// Restores modules that blur has run into each other. Blurred again, the restored modules must give the samples: each round adds what is
// missing, and keeps every module between the darkest and the lightest around it (Landweber's iteration, projected). The limits
// make it strong: most modules soon reach one of them, which tells how much light their neighbours got from them.

/// How sampled modules are decided.
enum ModuleDecision: BitwiseCopyable {
  /// By its value and so many quarters of the difference from its neighbours' mean.
  case sharpened(Int)
  /// By undoing a blur.
  case restored(ModuleBlur)
}

/// A Gaussian blur over square modules.
struct ModuleBlur: BitwiseCopyable {
  /// The shares of a module's light that reach itself, each neighbour and each module beyond, along rows or columns, in 1/256.
  let (own, near, far): (Int32, Int32, Int32)
  /// Rounds, and the share of what is missing that is added in each, in sixteenths.
  let (roundCount, gain): (Int, Int32)

  /// Standard deviations of 0.62 and 0.77 modules, the sampling included.
  static let moderate = ModuleBlur(own: 142, near: 54, far: 3, roundCount: 8, gain: 28)
  static let strong = ModuleBlur(own: 122, near: 60, far: 7, roundCount: 12, gain: 30)

  private init(own: Int32, near: Int32, far: Int32, roundCount: Int, gain: Int32) {
    (self.own, self.near, self.far) = (own, near, far)
    (self.roundCount, self.gain) = (roundCount, gain)
  }
}

/// The memory to restore modules, and the restored ones.
@safe struct ModuleRestoring {
  /// The side of the blocks whose extremes limit the modules in them and in the blocks around, in modules.
  private static let blockSide = 8
  private static let blocksMax = (DecoderLimits.sideModulesMax + blockSide - 1) / blockSide

  /// The modules, and what reaches them along their rows, in 1/16 grey levels.
  let modules: ScratchArray<Int16>
  private let blurred: ScratchArray<Int16>
  /// The extremes of blocks, row by row.
  private let darkest: ScratchArray<UInt8>
  private let lightest: ScratchArray<UInt8>

  init(_ countMax: Int, arena: inout Arena) throws(ArenaFull) {
    modules = try ScratchArray(countMax, arena: &arena)
    blurred = try ScratchArray(countMax, arena: &arena)
    let blockCount = ModuleRestoring.blocksMax * ModuleRestoring.blocksMax
    darkest = try ScratchArray(blockCount, arena: &arena)
    lightest = try ScratchArray(blockCount, arena: &arena)
  }

  /// Restores `columns` · `rows` modules, row by row, into `modules`. Their surroundings count as paper.
  func restore(_ greys: ScratchArray<UInt8>, columns: Int, rows: Int, _ blur: ModuleBlur, isInverted: Bool) {
    let count = columns * rows
    precondition(columns > 4 && rows > 4 && max(columns, rows) <= DecoderLimits.sideModulesMax && modules.count >= count)
    measureBlocks(greys, columns: columns, rows: rows)
    var paper = Int(greys[0])
    for index in 0..<count {
      let grey = Int(greys[index])
      paper = isInverted ? min(paper, grey) : max(paper, grey)
      modules[index] = Int16(truncatingIfNeeded: 16 * grey)
    }
    for _ in 0..<blur.roundCount {
      blurRows(columns: columns, rows: rows, blur, paper: Int32(16 * paper))
      correct(greys, columns: columns, rows: rows, blur, paper: Int32(16 * paper))
    }
  }

  /// The middle between the darkest and the lightest around a module, in 1/16 grey levels.
  @inline(__always) func middle(column: Int, row: Int) -> Int {
    let (low, high) = limits(column: column, row: row)
    return Int(low + high) / 2
  }

  private func measureBlocks(_ greys: ScratchArray<UInt8>, columns: Int, rows: Int) {
    let (side, stride) = (ModuleRestoring.blockSide, ModuleRestoring.blocksMax)
    let (across, down) = ((columns - 1) / side + 1, (rows - 1) / side + 1)
    for blockRow in 0..<down {
      for block in 0..<across {
        // With the blocks around it.
        var (low, high) = (UInt8.max, UInt8.min)
        for row in max(0, (blockRow - 1) * side)..<min(rows, (blockRow + 2) * side) {
          for column in max(0, (block - 1) * side)..<min(columns, (block + 2) * side) {
            let grey = greys[row * columns + column]
            low = min(low, grey)
            high = max(high, grey)
          }
        }
        darkest[blockRow * stride + block] = low
        lightest[blockRow * stride + block] = high
      }
    }
  }

  @inline(__always) private func limits(column: Int, row: Int) -> (low: Int32, high: Int32) {
    let side = ModuleRestoring.blockSide
    let block = row / side * ModuleRestoring.blocksMax + column / side
    return (16 * Int32(darkest[block]), 16 * Int32(lightest[block]))
  }

  private func blurRows(columns: Int, rows: Int, _ blur: ModuleBlur, paper: Int32) {
    for row in 0..<rows {
      let source = unsafe modules.base + row * columns
      let target = unsafe blurred.base + row * columns
      var (left2, left, here) = unsafe (paper, paper, Int32(source[0]))
      var right = unsafe Int32(source[1])
      for column in 0..<columns {
        let right2 = unsafe column < columns - 2 ? Int32(source[column + 2]) : paper
        let sum = blur.own &* here &+ blur.near &* (left &+ right) &+ blur.far &* (left2 &+ right2)
        unsafe target[column] = Int16(truncatingIfNeeded: sum >> 8)
        (left2, left, here, right) = (left, here, right, right2)
      }
    }
  }

  private func correct(_ greys: ScratchArray<UInt8>, columns: Int, rows: Int, _ blur: ModuleBlur, paper: Int32) {
    for row in 0..<rows {
      for column in 0..<columns {
        let index = row &* columns &+ column
        @inline(__always) func beside(_ step: Int) -> Int32 {
          let other = row &+ step
          return unsafe other >= 0 && other < rows ? Int32(blurred.base[index &+ step &* columns]) : paper
        }
        let own = unsafe Int32(blurred.base[index])
        let sum = blur.own &* own &+ blur.near &* (beside(-1) &+ beside(1)) &+ blur.far &* (beside(-2) &+ beside(2))
        let missing = unsafe 16 &* Int32(greys.base[index]) &- sum >> 8
        let (low, high) = limits(column: column, row: row)
        let value = unsafe Int32(modules.base[index]) &+ missing &* blur.gain >> 4
        unsafe modules.base[index] = Int16(truncatingIfNeeded: max(low, min(high, value)))
      }
    }
  }
}
