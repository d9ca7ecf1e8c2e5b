// From grey modules to the most likely symbol character. All 929 patterns of a cluster are compared with the modules' grey
// values, without first deciding each module. If blur and noise invert several modules, the right pattern is still the
// nearest. Sums over eight modules at a time are tabulated first, so that a comparison is two look-ups.

import BarcodeTypes
import CSymbolTables

/// A symbol character and how well it fits.
struct CodewordMatch: BitwiseCopyable {
  /// 0...928.
  var value = 0
  /// 0, 1 or 2, for the clusters 0, 3 and 6.
  var cluster = 0
  /// Σ ±value over the modules: grey times 64.
  var score = 0
  /// The margin by which it fits better than the next best pattern.
  var lead = 0
  /// Mean absolute value of a module.
  var amplitude = 0

  /// The lead in 1/256 of its value without blur or noise, where patterns differ in at least two modules.
  var confidence: Int { amplitude > 0 ? (lead << 6) / amplitude : 0 }
}

/// Compares the modules of a cell with symbol character patterns.
@safe struct CodewordMatcher {
  /// The modules as read, with neighbours on both sides of the cell.
  let values: ScratchArray<Int32>
  /// The sharpened modules without the neighbours; dark is positive.
  private let soft: ScratchArray<Int32>
  /// The symbol character of each pattern: cluster index times 1024 plus value plus 1, indexed by modules 2...16; 0 for
  /// other patterns.
  private let characters: ScratchArray<UInt16>
  private let upper: ScratchArray<Int32>
  private let lower: ScratchArray<Int32>
  /// The share of a module's difference from its neighbours that is added to it, in 1/256.
  var sharpening: Int32 = 128
  /// Whether bars are light.
  var isInverted = false
  /// Mean absolute value of the prepared modules.
  private(set) var size: Int32 = 0
  /// Whether `upper` and `lower` belong to the codeword in `soft`.
  private var isTabulated = false
  /// Work units since the last `takeWork`.
  private var work = 0

  init(arena: inout Arena) throws(ArenaFull) {
    values = try ScratchArray(24, arena: &arena)
    soft = try ScratchArray(24, arena: &arena)
    characters = try ScratchArray(1 << 15, arena: &arena)
    upper = try ScratchArray(256, arena: &arena)
    lower = try ScratchArray(256, arena: &arena)
    characters.fill(0, count: 1 << 15)
    for cluster in 0..<3 {
      let patterns = unsafe csymboltables_pdf417_cluster(Int32(cluster))!
      for value in 0..<929 {
        unsafe characters[Int(patterns[value] & 0x7FFF)] = UInt16(cluster << 10 | (value + 1))
      }
    }
  }

  /// Returns the work units since the last call.
  mutating func takeWork() -> Int {
    defer { work = 0 }
    return work
  }

  /// Sharpens `values` of a cell of `count` modules and makes them relative to the middle of their extremes.
  private mutating func prepare(_ count: Int) {
    let lead = StackedGrid.lead
    var least = Int32.max
    var greatest = Int32.min
    for index in 0..<count {
      let here = values[index &+ lead]
      let around = (values[index &+ lead &- 1] &+ values[index &+ lead &+ 1]) >> 1
      let value = here &+ ((here &- around) &* sharpening) >> 8
      soft[index] = value
      least = min(least, value)
      greatest = max(greatest, value)
    }
    let middle = (least &+ greatest) >> 1
    size = 0
    for index in 0..<count {
      let value = isInverted ? soft[index] &- middle : middle &- soft[index]
      soft[index] = value
      size &+= abs(value)
    }
    size /= Int32(count)
  }

  /// Tabulates the signed sum of `count` modules from `first` on for each of their patterns, the first module in the highest
  /// bit.
  private func tabulate(_ table: ScratchArray<Int32>, first: Int, count: Int) {
    var all: Int32 = 0
    for index in 0..<count { all &-= soft[first &+ index] }
    table[0] = all
    for bits in 1..<(1 << count) {
      let module = count &- 1 &- bits.trailingZeroBitCount
      table[bits] = table[bits & (bits &- 1)] &+ 2 &* soft[first &+ module]
    }
  }

  /// Prepares the matching of the 17 modules in `values`.
  mutating func prepareCodeword() {
    prepare(17)
    isTabulated = false
    work &+= 10
  }

  /// The symbol character formed by the sign of every module, if there is such a character: no other pattern can fit better.
  private func matchSigns() -> CodewordMatch? {
    var pattern = 0
    var sum: Int32 = 0
    var least = Int32.max
    var second = Int32.max
    for index in 0..<17 {
      let value = soft[index]
      let isDark = value > 0
      pattern = pattern << 1 | (isDark ? 1 : 0)
      let height = isDark ? value : 0 &- value
      sum &+= height
      if height < least {
        second = least
        least = height
      } else if height < second {
        second = height
      }
    }
    guard pattern & 0x10001 == 0x10000 else { return nil }
    let character = Int(characters[(pattern >> 1) & 0x7FFF])
    guard character != 0 else { return nil }
    // Patterns of a cluster differ in at least two modules.
    return CodewordMatch(
      value: character & 1023 - 1, cluster: character >> 10, score: Int(sum), lead: 2 * Int(least &+ second),
      amplitude: Int(size))
  }

  /// The best match of a cluster, by its index 0...2.
  mutating func match(cluster: Int) -> CodewordMatch {
    if let match = matchSigns(), match.cluster == cluster { return match }
    return matchSums(cluster: cluster)
  }

  /// The best match of a cluster, comparing all its patterns.
  private mutating func matchSums(cluster: Int) -> CodewordMatch {
    if !isTabulated {
      tabulate(upper, first: 0, count: 8)
      tabulate(lower, first: 8, count: 8)
      isTabulated = true
      work &+= 30
    }
    work &+= 90
    let patterns = unsafe csymboltables_pdf417_cluster(Int32(cluster))!
    let upper = unsafe self.upper.base
    let lower = unsafe self.lower.base
    var best = Int32.min
    var next = Int32.min
    var found = 0
    for value in 0..<929 {
      let pattern = unsafe Int(patterns[value])
      let score = unsafe upper[pattern >> 8] &+ lower[pattern & 0xFF]
      if score > next {
        if score > best {
          next = best
          best = score
          found = value
        } else {
          next = score
        }
      }
    }
    let last = Int(soft[16])
    return CodewordMatch(
      value: found, cluster: cluster, score: Int(best) - last, lead: Int(best) - Int(next), amplitude: Int(size))
  }

  /// Prepares the matching of the first 10 modules in `values`.
  mutating func prepareAddress() {
    prepare(10)
    tabulate(upper, first: 0, count: 5)
    tabulate(lower, first: 5, count: 5)
  }

  /// The agreement of the first 10 modules with a row address pattern, the first module uppermost: Σ ±value over them.
  func addressScore(pattern: Int) -> Int {
    Int(upper[pattern >> 5]) &+ Int(lower[pattern & 31])
  }

  /// The best match of all clusters.
  mutating func matchAny() -> CodewordMatch {
    if var match = matchSigns() {
      match.lead /= 2
      return match
    }
    var best = matchSums(cluster: 0)
    for cluster in 1...2 {
      let other = matchSums(cluster: cluster)
      if other.score > best.score {
        let lead = min(other.lead, other.score - best.score)
        best = other
        best.lead = lead
      } else {
        best.lead = min(best.lead, best.score - other.score)
      }
    }
    return best
  }
}
