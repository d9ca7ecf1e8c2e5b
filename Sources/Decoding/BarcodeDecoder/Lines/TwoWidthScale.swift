// Characters whose elements are either narrow or wide: Code 39, Codabar, Interleaved 2 of 5 and MSI. Elements are compared
// with the widths of the symbol's own narrow and wide elements, separately for bars and spaces, so that ink spread and the
// printer's choice of ratio do not matter.

import BarcodeTypes

/// The widths of a symbol's narrow and wide elements, measured in a known character.
struct TwoWidthScale: BitwiseCopyable {
  /// A narrow element, the mean of bar and space, in samples times 256.
  let narrow: Int32
  /// Ratio of wide to narrow, times 256.
  let ratio: Int32
  /// The excess width of bars, in narrow elements times 256.
  let spread: Int32

  /// Nil if the widths cannot be those of a single symbol: a ratio outside 1.21 to 3.7, less than 0.6 samples per narrow element,
  /// or more ink spread than 0.45 narrow elements.
  init?(narrowBar: Int32, wideBar: Int32, narrowSpace: Int32, wideSpace: Int32) {
    narrow = (narrowBar &+ narrowSpace) / 2
    guard narrow > 150 else { return nil }
    ratio = ((wideBar &+ wideSpace) << 7) / narrow
    spread = ((narrowBar &- narrowSpace &+ wideBar &- wideSpace) << 6) / narrow
    guard ratio >= 310, ratio <= 947, abs(spread) <= 115 else { return nil }
  }

  /// The squared difference between a wide and a narrow element, times 65536: the unit of misfits.
  var contrast: Int32 { (ratio &- 256) &* (ratio &- 256) }
}

/// The elements of a character.
struct TwoWidthRun: BitwiseCopyable {
  let first: Int
  /// At most 9.
  let count: Int
  /// 2 if only bars, or only spaces, belong to it.
  var step = 1
  /// Whether the first element is a bar.
  var beginsDark = true
}

/// The best matching pattern for some elements.
struct TwoWidthMatch: BitwiseCopyable {
  var index: Int
  /// Squared misfit, in squared differences of wide and narrow, times 65536.
  var misfit: Int32
}

extension ElementRow {
  /// Matches elements with patterns of wide elements.
  ///
  /// - Parameters:
  ///   - range: of the candidate patterns.
  ///   - pattern: one bit per element, the first one uppermost, 1 for wide.
  /// - Returns: nil if no pattern is clearly the best: the misfit at most 0.9, the second best at least 0.28 behind, in
  ///   squared differences of wide and narrow.
  func matchTwoWidths(
    _ run: TwoWidthRun, _ scale: TwoWidthScale, _ range: ClosedRange<Int>, pattern: (Int) -> UInt16
  ) -> TwoWidthMatch? {
    let (first, count, step, beginsDark) = (run.first, run.count, run.step, run.beginsDark)
    var widths: [9 of Int32] = .init(repeating: 0)
    var sum: Int32 = 0
    for index in 0..<count {
      widths[index] = width(first &+ index &* step)
      sum &+= widths[index]
    }
    guard sum > 0 else { return nil }
    // Ink spread widens bars: remove it first, in samples.
    let off = (scale.spread &* scale.narrow) >> 8
    for index in 0..<count {
      let isDark = (step == 2 || index & 1 == 0) == beginsDark
      widths[index] &-= isDark ? off : 0 &- off
      sum &-= isDark ? off : 0 &- off
    }
    guard sum > 0 else { return nil }
    var best = TwoWidthMatch(index: -1, misfit: Int32.max)
    var second = Int32.max
    let contrast = scale.contrast
    for candidate in range {
      let pattern = pattern(candidate)
      let wideCount = Int32(truncatingIfNeeded: pattern.nonzeroBitCount)
      let total = (Int32(truncatingIfNeeded: count) &- wideCount) << 8 &+ wideCount &* scale.ratio
      var misfit: Int64 = 0
      var before: Int32 = 0
      for index in 0..<count {
        let isWide = pattern >> UInt16(truncatingIfNeeded: count &- 1 &- index) & 1 == 1
        let measured = Int32(truncatingIfNeeded: Int64(widths[index]) &* Int64(total) / Int64(sum))
        let error = measured &- (isWide ? scale.ratio : 256)
        misfit &+= Int64(error &* error)
        if step == 1 { misfit &+= Int64((error &+ before) &* (error &+ before)) }
        before = error
      }
      let relative = Int32(clamping: (misfit << 15) / Int64(contrast))
      if relative < best.misfit {
        second = best.misfit
        best = TwoWidthMatch(index: candidate, misfit: relative)
      } else if relative < second {
        second = relative
      }
    }
    guard best.misfit <= 58_982, second &- best.misfit >= 18_350 else { return nil }
    return best
  }
}
