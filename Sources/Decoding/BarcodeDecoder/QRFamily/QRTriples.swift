// Groups of three finder patterns that may belong to the same symbol: about equal in size and at a right angle, as seen in
// perspective.

/// Three finders by index; `corner` is the one at the right angle.
struct QRTriple: BitwiseCopyable {
  var corner: Int
  var right: Int
  var below: Int
  /// 0 for a perfect right angle between equal sides; the lower, the likelier.
  var penalty: Int
}

/// Triples of finder patterns, the likeliest first; among equal ones, those whose finders were found first.
@safe struct QRTriples {
  private static let countMax = 2048
  /// Number of bits of a finder's index.
  private static let indexBits = 10
  /// Greater than any penalty.
  private static let penaltyMax = 1 << 30
  /// The most neighbours of a finder that are tried with it.
  private static let neighbourCountMax = 14

  private var triples: TopList
  /// The squared distance and index of each neighbour.
  private let neighbours: ScratchArray<SIMD2<Int64>>
  var count: Int { triples.count }

  init(arena: inout Arena) throws(ArenaFull) {
    triples = try TopList(QRTriples.countMax, arena: &arena)
    neighbours = try ScratchArray(QRTriples.neighbourCountMax, arena: &arena)
  }

  subscript(index: Int) -> QRTriple {
    let indices = triples[index]
    let mask = 1 << QRTriples.indexBits - 1
    return QRTriple(
      corner: indices >> (2 * QRTriples.indexBits), right: indices >> QRTriples.indexBits & mask, below: indices & mask,
      penalty: QRTriples.penaltyMax - triples.rank(index))
  }

  /// Finds all triples among finders from which no symbol was read yet, with at least one finder from `firstNew` on.
  ///
  /// - Returns: false if the budget was used up.
  mutating func find(
    _ finders: ScratchArray<FinderPattern>, count finderCount: Int, firstNew: Int, budget: inout WorkBudget
  )
    -> Bool
  {
    triples.removeAll()
    for corner in 0..<finderCount where !finders[corner].isUsed {
      guard budget.spend(1 + finderCount / 8) else { return false }
      let found = findNeighbours(finders, count: finderCount, of: corner)
      for first in 0..<found {
        for second in 0..<first {
          let a = Int(neighbours[first].y)
          let b = Int(neighbours[second].y)
          if corner < firstNew, a < firstNew, b < firstNew { continue }
          weigh(finders, corner: corner, a, b)
        }
      }
    }
    triples.sort()
    return true
  }

  /// Finds the nearest finders that may belong to the same symbol.
  private func findNeighbours(_ finders: ScratchArray<FinderPattern>, count finderCount: Int, of corner: Int) -> Int {
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
      // Centres are 14 to 170 modules apart. At 45 degrees, a finder's extent along a row overstates its module by up to
      // 1.5, and tilt may halve the distance.
      let nearest = 5 * smaller
      let farthest = 200 * larger
      if square < nearest * nearest || square > farthest * farthest { continue }
      neighbours.insert(SIMD2(Int64(square), Int64(index)), count: &found) { $0.x < $1.x }
    }
    return found
  }

  /// Adds a triple unless its sides or its angle are impossible.
  private mutating func weigh(_ finders: ScratchArray<FinderPattern>, corner: Int, _ a: Int, _ b: Int) {
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
    // Among equals the smaller symbol comes first, as it cannot be made of the corners of several symbols.
    let extent = Int(integerRoot(UInt64(longer))) * 3 / max(1, modules)
    let penalty = cosine + ratio + 256 * spread * 3 / max(1, modules) + extent / 2
    // Clockwise in the picture: right × below points towards the viewer if y grows downwards.
    let isClockwise = ax * by - ay * bx > 0
    let right = isClockwise ? a : b
    let below = isClockwise ? b : a
    triples.insert(
      rank: QRTriples.penaltyMax - penalty, value: (corner << QRTriples.indexBits | right) << QRTriples.indexBits | below)
  }
}
