// Finder patterns from straight edges. The outer sides of the L are the two longest edges of a symbol; they meet in its
// corner, with the dark side inside.

import BarcodeTypes

/// Two edges that may be the outer sides of an L.
struct DataMatrixFinderPattern: BitwiseCopyable {
  /// The corner of the L, the end of its left arm, and the end of its bottom arm, in a symbol that is not mirrored.
  var corner: SubpixelPoint
  var up: SubpixelPoint
  var right: SubpixelPoint
  /// The directions of the gradients at both arms, in 1/256 turns.
  var angleOfUp: Int
  var angleOfRight: Int
  /// The number of pixels of both sides that show the edge; half that number if the symbol would be inverted.
  var support: Int
  var isInverted: Bool
}

/// Pairs edges to finder patterns.
@safe struct DataMatrixFinder {
  /// The maximum number of patterns in a picture; beyond it, those with the least support are dropped.
  static let patternCountMax = 40
  /// The sine of the minimum angle between the arms, 35 degrees, in 1/2^14.
  private static let sineMin = 9400

  let patterns: ScratchArray<DataMatrixFinderPattern>
  private(set) var count = 0

  init(arena: inout Arena) throws(ArenaFull) {
    patterns = try ScratchArray(DataMatrixFinder.patternCountMax, arena: &arena)
  }

  /// Pairs all segments. The patterns with the most support come first.
  mutating func find(_ segments: ScratchArray<EdgeSegment>, count segmentCount: Int) {
    count = 0
    for first in 0..<segmentCount {
      for second in (first + 1)..<max(first + 1, segmentCount) {
        if let pattern = DataMatrixFinder.pattern(segments[first], segments[second]) { insert(pattern) }
      }
    }
  }

  /// The pattern formed by two segments, if they form one.
  private static func pattern(_ a: EdgeSegment, _ b: EdgeSegment) -> DataMatrixFinderPattern? {
    let cross = (a.normalX * b.normalY - a.normalY * b.normalX) >> 14
    guard abs(cross) >= sineMin else { return nil }
    let offsetA = (a.start.x * a.normalX + a.start.y * a.normalY) >> 14
    let offsetB = (b.start.x * b.normalX + b.start.y * b.normalY) >> 14
    let corner = SubpixelPoint(
      x: (offsetA * b.normalY - offsetB * a.normalY) / cross, y: (offsetB * a.normalX - offsetA * b.normalX) / cross)
    guard let endA = farEnd(a, from: corner), let endB = farEnd(b, from: corner) else { return nil }
    // Each arm must lie on the same side of the other one: the dark side, or the light one of an inverted symbol.
    let sideA = (endA.x - corner.x) * b.normalX + (endA.y - corner.y) * b.normalY
    let sideB = (endB.x - corner.x) * a.normalX + (endB.y - corner.y) * a.normalY
    guard (sideA < 0) == (sideB < 0) else { return nil }
    let turn = (endA.x - corner.x) * (endB.y - corner.y) - (endA.y - corner.y) * (endB.x - corner.x)
    let angleA = Int(BinaryAngle(x: a.normalX, y: a.normalY).bits) >> 8
    let angleB = Int(BinaryAngle(x: b.normalX, y: b.normalY).bits) >> 8
    let isUpFirst = turn > 0
    return DataMatrixFinderPattern(
      corner: corner, up: isUpFirst ? endA : endB, right: isUpFirst ? endB : endA,
      angleOfUp: isUpFirst ? angleA : angleB, angleOfRight: isUpFirst ? angleB : angleA,
      // The edges of a light label also form an L, if the symbol is assumed to be inverted.
      support: (a.support + b.support) / (sideA > 0 ? 2 : 1), isInverted: sideA > 0)
  }

  /// The end of a segment away from a corner; nil if the other end is not at the corner.
  private static func farEnd(_ segment: EdgeSegment, from corner: SubpixelPoint) -> SubpixelPoint? {
    let toStart = squaredDistance(segment.start, corner)
    let toEnd = squaredDistance(segment.end, corner)
    guard min(toStart, toEnd) < (segment.endReach + 1) * (segment.endReach + 1) else { return nil }
    return toStart > toEnd ? segment.start : segment.end
  }

  /// Keeps the patterns with the most support, and the first one of those that agree within two pixels.
  private mutating func insert(_ pattern: DataMatrixFinderPattern) {
    for index in 0..<count {
      let known = patterns[index]
      if known.isInverted == pattern.isInverted, isNear(known.corner, pattern.corner, within: 512),
        isNear(known.up, pattern.up, within: 512), isNear(known.right, pattern.right, within: 512)
      {
        return
      }
    }
    patterns.insert(pattern, count: &count) { $0.support > $1.support }
  }
}
