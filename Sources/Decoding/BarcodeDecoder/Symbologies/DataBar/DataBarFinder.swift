// The finder patterns of GS1 DataBar Omnidirectional and Expanded: ISO/IEC 24724 §4.2.3 and §7.2.3.
//
// Five elements of 15 modules, between two characters: the second and the third have 10 to 12 modules together, the last two
// one each. The narrow end, and whether it is dark, distinguish left from right and forwards from backwards.

/// A finder pattern on a line that is read forwards.
struct DataBarFinder: BitwiseCopyable {
  /// The sums of the first and second, and of the second and third element, in modules, by value.
  private static let omnidirectional: [18 of Int32] = [11, 10, 8, 10, 6, 10, 4, 10, 9, 11, 7, 11, 5, 11, 6, 12, 4, 12]
  private static let expanded: [12 of Int32] = [9, 12, 9, 10, 7, 10, 5, 10, 8, 11, 4, 11]
  /// Greatest distance of the sums from those of a pattern: 0.8 modules, squared and times 65536.
  private static let distanceMax: Int32 = 41_943
  /// Tolerance for the length of the characters next to a finder pattern: half the difference between those of the two
  /// symbologies, in modules times 256.
  private static let spanTolerance: Int32 = 128

  /// Index of the first of its five elements.
  var first: Int
  /// Whether the narrow elements come first: in the right half of an Omnidirectional symbol, and in even-numbered patterns
  /// of an Expanded one.
  var isMirrored: Bool
  var isExpanded: Bool
  /// 0...8, or 0...5 for A to F.
  var value: Int
  /// Whether a character of the right length is on the left, and on the right.
  var hasLeft: Bool
  var hasRight: Bool

  /// The first place from `index` on, with eight elements before it, whose elements may be a finder pattern; `row.count` if
  /// there is no such place.
  @inline(__always) static func place(in row: ElementRow, from index: Int) -> Int {
    var index = max(8, index)
    let end = row.count &- 5
    while index < end {
      // Read forwards, a pattern that begins with a space has its narrow elements at the end.
      let isMirrored = (index & 1 == 0) == row.beginsDark
      let from = isMirrored ? index : index &+ 1
      let middle = unsafe row.edges[from &+ 2]
      let one = unsafe middle &- row.edges[from]
      let other = unsafe row.edges[from &+ 4] &- middle
      let narrow = isMirrored ? one : other
      let wide = isMirrored ? other : one
      if wide > narrow &* 4, wide < narrow &* 8 { return index }
      index &+= 1
    }
    return row.count
  }

  /// The finder pattern at `first`, a place found by `place`; nil if there is no pattern.
  init?(_ row: ElementRow, at first: Int) {
    self.first = first
    isMirrored = (first & 1 == 0) == row.beginsDark
    // All but the outermost narrow element, from edge to similar edge: 14 modules.
    let span = unsafe isMirrored ? row.edges[first &+ 5] &- row.edges[first &+ 1] : row.edges[first &+ 4] &- row.edges[first]
    guard span > 14 &* 205 else { return nil }
    let scale = (14 << 24) / Int(span)
    func modules(_ from: Int, _ to: Int) -> Int32 {
      guard from >= 0, to < row.count else { return 0 }
      return unsafe Int32(truncatingIfNeeded: (Int(row.edges[to] &- row.edges[from]) &* scale) >> 16)
    }
    let left = modules(first &- 8, first)
    let right = modules(first &+ 5, first &+ 13)
    let outer = isMirrored ? right : left
    let inner = isMirrored ? left : right
    let tolerance = DataBarFinder.spanTolerance
    if abs(outer &- 16 << 8) <= 2 &* tolerance, abs(inner &- 15 << 8) <= 2 &* tolerance,
      abs(left &+ right &- 31 << 8) < 3 &* tolerance
    {
      isExpanded = false
      hasLeft = true
      hasRight = true
    } else {
      isExpanded = true
      let isPair = abs(left &+ right &- 34 << 8) < 3 &* tolerance
      hasLeft = abs(left &- 17 << 8) <= (isPair ? 2 &* tolerance : tolerance)
      hasRight = abs(right &- 17 << 8) <= (isPair ? 2 &* tolerance : tolerance)
      guard hasLeft || hasRight else { return nil }
    }
    let one = isMirrored ? modules(first &+ 3, first &+ 5) : modules(first, first &+ 2)
    let other = isMirrored ? modules(first &+ 2, first &+ 4) : modules(first &+ 1, first &+ 3)
    var best = -1
    var least = DataBarFinder.distanceMax
    for value in 0..<(isExpanded ? 6 : 9) {
      let sums =
        isExpanded
        ? (DataBarFinder.expanded[value &* 2], DataBarFinder.expanded[value &* 2 &+ 1])
        : (DataBarFinder.omnidirectional[value &* 2], DataBarFinder.omnidirectional[value &* 2 &+ 1])
      let errors = (one &- sums.0 << 8, other &- sums.1 << 8)
      let distance = errors.0 &* errors.0 &+ errors.1 &* errors.1
      if distance < least {
        least = distance
        best = value
      }
    }
    guard best >= 0 else { return nil }
    value = best
  }
}
