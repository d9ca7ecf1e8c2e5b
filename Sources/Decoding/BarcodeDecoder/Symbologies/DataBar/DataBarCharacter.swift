// Characters of the GS1 DataBar family: ISO/IEC 24724 §4.2.2, §5.2.2, §6.2.2 and annex B.
//
// All its characters are (n, k) codes: n modules in k bars and k spaces. The widths at odd places encode one number and
// those at even places another: the rank of the set of widths in lexicographic order. Measuring from edge to similar edge,
// which ink spread does not move, gives only the sums of neighbouring widths. The widths follow from the rule that at least
// one element in either set is a single module.

/// The kinds of characters.
enum DataBarCharacterKind {
  /// GS1 DataBar Expanded: 17 modules, 4 bars.
  case expanded
  /// GS1 DataBar Omnidirectional, the outer character of each half: 16 modules, 4 bars.
  case outer
  /// GS1 DataBar Omnidirectional, the inner character of each half: 15 modules, 4 bars.
  case inner
  /// GS1 DataBar Limited: 26 modules, 7 bars.
  case limited
  /// GS1 DataBar Limited, the check character: 18 modules, 7 bars, known from a table.
  case limitedCheck

  var elementCount: Int { self == .limited || self == .limitedCheck ? 14 : 8 }

  var moduleCount: Int {
    switch self {
    case .expanded: 17
    case .outer: 16
    case .inner: 15
    case .limited: 26
    case .limitedCheck: 18
    }
  }

  /// The places that must include a single module: 0 for the first and all other odd-numbered elements, 1 for the
  /// even-numbered ones.
  var narrowPlace: Int { self == .outer || self == .limited ? 1 : 0 }

  /// The characters with the same number of modules at odd places.
  struct Group {
    /// The first value, and the one after the last.
    var start: Int
    var end: Int
    /// The most modules of an element at an odd place; this and the limit for even places add up to nine.
    var oddWidest: Int
    /// The number of sets of widths in the half with the lower weight.
    var minorCount: Int
  }

  /// The group of a character: tables 2, 3, 5 and 7 of the standard. Nil if no character has that many modules at odd
  /// places.
  func group(oddModules: Int) -> Group? {
    switch (self, oddModules) {
    case (.expanded, 12): Group(start: 0, end: 348, oddWidest: 7, minorCount: 4)
    case (.expanded, 10): Group(start: 348, end: 1388, oddWidest: 5, minorCount: 20)
    case (.expanded, 8): Group(start: 1388, end: 2948, oddWidest: 4, minorCount: 52)
    case (.expanded, 6): Group(start: 2948, end: 3988, oddWidest: 3, minorCount: 104)
    case (.expanded, 4): Group(start: 3988, end: 4192, oddWidest: 1, minorCount: 204)
    case (.outer, 12): Group(start: 0, end: 161, oddWidest: 8, minorCount: 1)
    case (.outer, 10): Group(start: 161, end: 961, oddWidest: 6, minorCount: 10)
    case (.outer, 8): Group(start: 961, end: 2015, oddWidest: 4, minorCount: 34)
    case (.outer, 6): Group(start: 2015, end: 2715, oddWidest: 3, minorCount: 70)
    case (.outer, 4): Group(start: 2715, end: 2841, oddWidest: 1, minorCount: 126)
    case (.inner, 5): Group(start: 0, end: 336, oddWidest: 2, minorCount: 4)
    case (.inner, 7): Group(start: 336, end: 1036, oddWidest: 4, minorCount: 20)
    case (.inner, 9): Group(start: 1036, end: 1516, oddWidest: 6, minorCount: 48)
    case (.inner, 11): Group(start: 1516, end: 1597, oddWidest: 8, minorCount: 81)
    case (.limited, 17): Group(start: 0, end: 183_064, oddWidest: 6, minorCount: 28)
    case (.limited, 13): Group(start: 183_064, end: 820_064, oddWidest: 5, minorCount: 728)
    case (.limited, 9): Group(start: 820_064, end: 1_000_776, oddWidest: 3, minorCount: 6454)
    case (.limited, 15): Group(start: 1_000_776, end: 1_491_021, oddWidest: 5, minorCount: 203)
    case (.limited, 11): Group(start: 1_491_021, end: 1_979_845, oddWidest: 4, minorCount: 2408)
    case (.limited, 19): Group(start: 1_979_845, end: 1_996_939, oddWidest: 8, minorCount: 1)
    case (.limited, 7): Group(start: 1_996_939, end: 2_013_571, oddWidest: 1, minorCount: 16_632)
    default: nil
    }
  }
}

/// The elements of a character.
struct DataBarCharacter: BitwiseCopyable {
  /// Greatest misfit of a character of eight elements: 2 square modules.
  private static let misfitMax: Int32 = 131_072
  /// Least module width, in samples times 256: 0.8.
  private static let moduleMin = 205

  /// Widths in modules, four bits each, the first element lowest. Elements are counted towards the finder pattern.
  var widths: UInt64
  /// The squared differences from the measured widths, in square modules times 65536.
  var misfit: Int32 = 0

  /// The width of an element in modules.
  func width(_ index: Int) -> Int { Int(truncatingIfNeeded: widths >> UInt64(truncatingIfNeeded: index * 4) & 0xF) }

  init(widths: UInt64) { self.widths = widths }

  /// Reads the character whose first element on the line is `first`, or returns nil.
  ///
  /// - Parameter isMirrored: whether its elements run against the line.
  init?(_ row: ElementRow, at first: Int, isMirrored: Bool, _ kind: DataBarCharacterKind) {
    let count = kind.elementCount
    guard first >= 0, first + count < row.count else { return nil }
    let span = Int(row.edge(first + count) - row.edge(first))
    guard span > kind.moduleCount * DataBarCharacter.moduleMin else { return nil }
    let scale = (kind.moduleCount << 24) / span
    // Sums of two neighbours, in whole modules, and the remainders in modules times 256.
    var sums: [14 of Int32] = .init(repeating: 0)
    var rests: [14 of Int32] = .init(repeating: 0)
    var excess = -Int32(truncatingIfNeeded: kind.moduleCount)
    for index in 0..<(count - 1) {
      let from = isMirrored ? first + count - 2 - index : first + index
      let sum = Int32(truncatingIfNeeded: (Int(row.edge(from + 2) - row.edge(from)) * scale) >> 16)
      sums[index] = (sum + 128) >> 8
      rests[index] = sum - sums[index] << 8
      if index & 1 == 0 { excess += sums[index] }
    }
    guard abs(excess) <= 1 else { return nil }
    if excess != 0 {
      // One of the sums was rounded the wrong way: the one that was nearest to a half.
      var worst = 0
      for index in 1..<(count / 2) where rests[index * 2] * excess < rests[worst] * excess { worst = index * 2 }
      sums[worst] -= excess
      rests[worst] += excess << 8
    }
    guard let found = DataBarCharacter.widths(sums, kind) else { return nil }
    widths = found
    let narrow = isMirrored ? first + count - 1 : first
    misfit = 0
    var spread: Int32 = 0
    var errors: [14 of Int32] = .init(repeating: 0)
    for index in 0..<count {
      let element = isMirrored ? narrow - index : narrow + index
      let measured = Int32(truncatingIfNeeded: (Int(row.width(element)) * scale) >> 16)
      errors[index] = measured - Int32(truncatingIfNeeded: width(index)) << 8
      spread += index & 1 == 0 ? errors[index] : -errors[index]
    }
    spread /= Int32(truncatingIfNeeded: count)
    for index in 0..<count {
      let error = index & 1 == 0 ? errors[index] - spread : errors[index] + spread
      misfit += (error * error + rests[index] * rests[index]) >> 1
    }
    guard misfit <= DataBarCharacter.misfitMax * Int32(truncatingIfNeeded: count) / 8 else { return nil }
  }

  /// The widths whose neighbours have these sums, with a single module among the narrow places. Nil if there are no such
  /// widths.
  private static func widths(_ sums: [14 of Int32], _ kind: DataBarCharacterKind) -> UInt64? {
    let count = kind.elementCount
    // First assume a first element of width 0. Correcting it adds the same amount to all widths at odd places and subtracts
    // it from all at even places.
    var width: Int32 = 0
    var least = Int32.max
    for index in 0..<count {
      if index & 1 == kind.narrowPlace { least = min(least, width) }
      width = sums[index] - width
    }
    width = kind.narrowPlace == 0 ? 1 - least : least - 1
    var widths: UInt64 = 0
    for index in 0..<count {
      guard width >= 1, width <= 8 else { return nil }
      widths |= UInt64(truncatingIfNeeded: width) << UInt64(truncatingIfNeeded: index * 4)
      width = sums[index] - width
    }
    return widths
  }

  /// The character's value; nil if it is not a valid character.
  func value(_ kind: DataBarCharacterKind) -> Int? {
    let count = kind.elementCount / 2
    var oddModules = 0
    for index in 0..<count { oddModules += width(index * 2) }
    guard let group = kind.group(oddModules: oddModules) else { return nil }
    for index in 0..<(count * 2) where width(index) > (index & 1 == 0 ? group.oddWidest : 9 - group.oddWidest) {
      return nil
    }
    let odd = rank(from: 0, modules: oddModules, widest: group.oddWidest, hasNarrow: kind.narrowPlace == 0, kind)
    let even = rank(
      from: 1, modules: kind.moduleCount - oddModules, widest: 9 - group.oddWidest, hasNarrow: kind.narrowPlace == 1, kind)
    let value =
      group.start + (kind == .inner ? even * group.minorCount + odd : odd * group.minorCount + even)
    return value < group.end ? value : nil
  }

  /// The number of sets of widths that precede those at every other place from `from` on.
  ///
  /// - Parameters:
  ///   - modules: the sum of the widths.
  ///   - widest: the most modules of an element.
  ///   - hasNarrow: whether to leave out sets without a single-module element.
  private func rank(from: Int, modules: Int, widest: Int, hasNarrow: Bool, _ kind: DataBarCharacterKind) -> Int {
    let count = kind.elementCount / 2
    var rank = 0
    var rest = modules
    var needsNarrow = hasNarrow
    for index in 0..<(count - 1) {
      let places = count - index - 1
      let width = width(from + index * 2)
      for less in 1..<max(1, width) {
        rank += DataBarCharacter.setCount(modules: rest - less, elements: places, widest: widest)
        if needsNarrow, less > 1 {
          rank -= DataBarCharacter.setCount(modules: rest - less - places, elements: places, widest: widest - 1)
        }
      }
      if width == 1 { needsNarrow = false }
      rest -= width
    }
    return rank
  }

  /// The number of ways in which `elements` widths of 1...widest add up to `modules`, by inclusion and exclusion: all ways
  /// without an upper limit, less those in which one width exceeds it, plus those in which two do, and so on.
  static func setCount(modules: Int, elements: Int, widest: Int) -> Int {
    var count = 0
    var sign = 1
    for beyond in 0...elements {
      let free = modules - beyond * widest - 1
      guard free >= elements - 1 else { break }
      count += sign * binomial(elements, beyond) * binomial(free, elements - 1)
      sign = -sign
    }
    return count
  }

  /// The number of ways to choose k of n.
  private static func binomial(_ n: Int, _ k: Int) -> Int {
    var result = 1
    for index in 0..<k { result = result * (n - index) / (index + 1) }
    return result
  }

  /// The weighted sum of the widths, modulo `modulus`. The first element has the weight 3 to the power of `exponent`, each
  /// further one three times that of its predecessor.
  func checkSum(_ kind: DataBarCharacterKind, exponent: Int, modulus: Int) -> Int {
    var weight = 1
    for _ in 0..<exponent { weight = weight * 3 % modulus }
    var sum = 0
    for index in 0..<kind.elementCount {
      sum += width(index) * weight
      weight = weight * 3 % modulus
    }
    return sum % modulus
  }
}
