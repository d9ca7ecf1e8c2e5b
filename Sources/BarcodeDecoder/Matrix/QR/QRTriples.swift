// Which three finder patterns may be those of one symbol: about equal in size and at a right angle, as seen in perspective.

/// Three finders by index; `corner` is the one at the right angle.
struct QRTriple: BitwiseCopyable {
  var corner: Int
  var right: Int
  var below: Int
  /// 0 for a perfect right angle between equal sides; the lower, the likelier.
  var penalty: Int
}

/// Triples of finder patterns, the likeliest first.
@safe struct QRTriples {
  static let countMax = 2048
  /// Neighbours of a finder that are tried with it.
  private static let neighbourCountMax = 14

  private let triples: ScratchArray<QRTriple>
  private let neighbours: ScratchArray<Int32>
  private let distances: ScratchArray<Int>
  private(set) var count = 0

  /// Nil if the arena is full.
  init?(arena: inout Arena) {
    guard let triples = ScratchArray<QRTriple>(QRTriples.countMax, arena: &arena),
      let neighbours = ScratchArray<Int32>(QRTriples.neighbourCountMax, arena: &arena),
      let distances = ScratchArray<Int>(QRTriples.neighbourCountMax, arena: &arena)
    else { return nil }
    self.triples = triples
    self.neighbours = neighbours
    self.distances = distances
  }

  subscript(index: Int) -> QRTriple { triples[index] }

  /// Finds all triples among finders that no symbol was read from yet, and that have at least one finder from `firstNew` on.
  ///
  /// - Returns: false if the budget was used up.
  mutating func find(
    _ finders: ScratchArray<QRFinderPattern>, count finderCount: Int, firstNew: Int, budget: inout WorkBudget
  )
    -> Bool
  {
    count = 0
    for corner in 0..<finderCount where !finders[corner].isUsed {
      guard budget.spend(1 + finderCount / 8) else { return false }
      let found = findNeighbours(finders, count: finderCount, of: corner)
      for first in 0..<found {
        for second in 0..<first {
          let a = Int(neighbours[first])
          let b = Int(neighbours[second])
          if corner < firstNew, a < firstNew, b < firstNew { continue }
          weigh(finders, corner: corner, a, b)
        }
      }
    }
    sort()
    return true
  }

  /// The nearest finders that may belong to the same symbol.
  private func findNeighbours(_ finders: ScratchArray<QRFinderPattern>, count finderCount: Int, of corner: Int) -> Int {
    let here = finders[corner]
    var found = 0
    for index in 0..<finderCount where index != corner {
      let other = finders[index]
      if other.isUsed || other.isInverted != here.isInverted { continue }
      let smaller = min(here.module, other.module)
      let larger = max(here.module, other.module)
      if larger > 2 * smaller { continue }
      let dx = other.center.x - here.center.x
      let dy = other.center.y - here.center.y
      let square = dx * dx + dy * dy
      // Centres are 14 to 170 modules apart; a finder's extent along a row overstates its module by up to 1.5 at 45 degrees,
      // and tilt may halve the distance.
      let nearest = 5 * smaller
      let farthest = 200 * larger
      if square < nearest * nearest || square > farthest * farthest { continue }
      if found == QRTriples.neighbourCountMax, square >= distances[found - 1] { continue }
      var place = found < QRTriples.neighbourCountMax ? found : found - 1
      while place > 0, distances[place - 1] > square {
        distances[place] = distances[place - 1]
        neighbours[place] = neighbours[place - 1]
        place -= 1
      }
      distances[place] = square
      neighbours[place] = Int32(index)
      if found < QRTriples.neighbourCountMax { found += 1 }
    }
    return found
  }

  /// Adds a triple unless its sides or its angle are out of the question.
  private mutating func weigh(_ finders: ScratchArray<QRFinderPattern>, corner: Int, _ a: Int, _ b: Int) {
    let here = finders[corner].center
    let ax = finders[a].center.x - here.x
    let ay = finders[a].center.y - here.y
    let bx = finders[b].center.x - here.x
    let by = finders[b].center.y - here.y
    let squareA = ax * ax + ay * ay
    let squareB = bx * bx + by * by
    let shorter = min(squareA, squareB)
    let longer = max(squareA, squareB)
    // Sides up to 1 : 3.
    guard shorter > 0, longer / shorter < 9 else { return }
    let product = Int(integerRoot(UInt64(squareA))) * Int(integerRoot(UInt64(squareB)))
    guard product > 0 else { return }
    let cosine = abs(ax * bx + ay * by) * 256 / product
    // Angles of 40 to 140 degrees.
    guard cosine < 196 else { return }
    let ratio = Int(integerRoot(UInt64(longer) * 65536 / UInt64(shorter))) - 256
    let modules = finders[corner].module + finders[a].module + finders[b].module
    let spread =
      max(finders[corner].module, max(finders[a].module, finders[b].module))
      - min(finders[corner].module, min(finders[a].module, finders[b].module))
    // Among equals the smaller symbol first: it can't be made of the corners of several.
    let extent = Int(integerRoot(UInt64(longer))) * 3 / max(1, modules)
    let penalty = cosine + ratio + 256 * spread * 3 / max(1, modules) + extent / 2
    // Clockwise in the picture: right × below points at the viewer when y grows downwards.
    let isClockwise = ax * by - ay * bx > 0
    let triple = QRTriple(corner: corner, right: isClockwise ? a : b, below: isClockwise ? b : a, penalty: penalty)
    if count < QRTriples.countMax {
      triples[count] = triple
      count += 1
      return
    }
    var worst = 0
    for index in 1..<count where triples[index].penalty > triples[worst].penalty { worst = index }
    if penalty < triples[worst].penalty { triples[worst] = triple }
  }

  /// Heapsort by penalty, then by index, which makes the order the same everywhere.
  private func sort() {
    var start = count / 2
    while start > 0 {
      start -= 1
      sift(from: start, to: count)
    }
    var end = count
    while end > 1 {
      end -= 1
      let kept = triples[0]
      triples[0] = triples[end]
      triples[end] = kept
      sift(from: 0, to: end)
    }
  }

  private func sift(from start: Int, to end: Int) {
    var root = start
    while 2 * root + 1 < end {
      var child = 2 * root + 1
      if child + 1 < end, QRTriples.precedes(triples[child], triples[child + 1]) { child += 1 }
      if !QRTriples.precedes(triples[root], triples[child]) { return }
      let kept = triples[root]
      triples[root] = triples[child]
      triples[child] = kept
      root = child
    }
  }

  private static func precedes(_ a: QRTriple, _ b: QRTriple) -> Bool {
    if a.penalty != b.penalty { return a.penalty < b.penalty }
    if a.corner != b.corner { return a.corner < b.corner }
    if a.right != b.right { return a.right < b.right }
    return a.below < b.below
  }
}
