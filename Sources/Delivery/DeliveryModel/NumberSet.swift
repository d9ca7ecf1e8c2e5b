// A set of scans' numbers, stored as ranges: the numbers that a sink is done with nearly always form one range from 1.

/// A set of integers, efficient if most neighbours are in it together.
package struct NumberSet: Equatable, Sendable {
  /// The ranges in order, neither overlapping nor touching.
  package private(set) var ranges: [ClosedRange<Int64>] = []

  package init() {}

  package init(_ range: ClosedRange<Int64>) { ranges = [range] }

  /// The numbers from 1 through `last`; empty if that is below 1.
  package init(through last: Int64) { if last >= 1 { ranges = [1...last] } }

  package var isEmpty: Bool { ranges.isEmpty }
  package var first: Int64? { ranges.first?.lowerBound }
  package var last: Int64? { ranges.last?.upperBound }
  /// The number of elements.
  package var count: Int { ranges.reduce(0) { $0 + $1.count } }
  /// The position: all numbers from 1 through it are in the set.
  package var position: Int64 { ranges.first.map { $0.lowerBound <= 1 ? $0.upperBound : 0 } ?? 0 }

  /// The smallest `count` numbers, or all.
  package func first(_ count: Int) -> NumberSet {
    var left = Int64(count)
    var part = NumberSet()
    for range in ranges {
      guard left > 0 else { break }
      let end = min(range.upperBound, range.lowerBound + left - 1)
      part.ranges.append(range.lowerBound...end)
      left -= end - range.lowerBound + 1
    }
    return part
  }

  /// The greatest `count` numbers, or all.
  package func last(_ count: Int) -> NumberSet {
    var left = Int64(count)
    var part = NumberSet()
    for range in ranges.reversed() {
      guard left > 0 else { break }
      let start = max(range.lowerBound, range.upperBound - left + 1)
      part.insert(start...range.upperBound)
      left -= range.upperBound - start + 1
    }
    return part
  }

  package func contains(_ number: Int64) -> Bool {
    let index = firstRange(endingFrom: number)
    return index < ranges.count && ranges[index].contains(number)
  }

  package mutating func insert(_ number: Int64) { insert(number...number) }

  package mutating func insert(_ range: ClosedRange<Int64>) {
    // Touching ranges are merged.
    let start = firstRange(endingFrom: range.lowerBound &- 1)
    var end = start
    var merged = range
    while end < ranges.count, ranges[end].lowerBound <= range.upperBound &+ 1 {
      merged = min(merged.lowerBound, ranges[end].lowerBound)...max(merged.upperBound, ranges[end].upperBound)
      end += 1
    }
    ranges.replaceSubrange(start..<end, with: [merged])
  }

  package mutating func remove(_ range: ClosedRange<Int64>) {
    let start = firstRange(endingFrom: range.lowerBound)
    var end = start
    var left: [ClosedRange<Int64>] = []
    while end < ranges.count, ranges[end].lowerBound <= range.upperBound {
      let old = ranges[end]
      if old.lowerBound < range.lowerBound { left.append(old.lowerBound...range.lowerBound - 1) }
      if old.upperBound > range.upperBound { left.append(range.upperBound + 1...old.upperBound) }
      end += 1
    }
    ranges.replaceSubrange(start..<end, with: left)
  }

  package mutating func remove(_ number: Int64) { remove(number...number) }

  package mutating func formUnion(_ other: NumberSet) { for range in other.ranges { insert(range) } }

  package mutating func subtract(_ other: NumberSet) { for range in other.ranges { remove(range) } }

  package func subtracting(_ other: NumberSet) -> NumberSet {
    var rest = self
    rest.subtract(other)
    return rest
  }

  /// The first range that does not end before a number.
  private func firstRange(endingFrom number: Int64) -> Int {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
