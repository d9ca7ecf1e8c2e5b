// The best of any number of values, kept in a heap. Every list of candidates uses it, as the lists must not depend on the
// order of rows in a picture.

/// Keeps the values with the highest ranks, and of equal ranks the smaller values.
@safe struct TopList {
  /// Keys with the rank in the high bits and the value in the low ones; while values are added, the lowest key comes first.
  private let keys: ScratchArray<Int64>
  private let countMax: Int
  private(set) var count = 0
  /// The number of values dropped in favour of better ones.
  private(set) var droppedCount = 0

  init(_ countMax: Int, arena: inout Arena) throws(ArenaFull) {
    precondition(countMax > 0)
    keys = try ScratchArray(countMax, arena: &arena)
    self.countMax = countMax
  }

  mutating func removeAll() {
    count = 0
    droppedCount = 0
  }

  /// - Parameters: rank: 0...2^31 - 1; value: 0...2^31 - 1.
  mutating func insert(rank: Int, value: Int) {
    let key = Int64(min(rank, 0x7FFF_FFFF)) << 32 | Int64(0x7FFF_FFFF &- value)
    if count < countMax {
      var place = count
      count += 1
      while place > 0, keys[(place - 1) / 2] > key {
        keys[place] = keys[(place - 1) / 2]
        place = (place - 1) / 2
      }
      keys[place] = key
      return
    }
    droppedCount += 1
    if key > keys[0] { sink(key, end: count) }
  }

  /// Sorts the values by falling rank. Adding values is not allowed afterwards until `removeAll`.
  mutating func sort() {
    var end = count
    while end > 1 {
      end -= 1
      let least = keys[0]
      sink(keys[end], end: end)
      keys[end] = least
    }
  }

  /// The value at an index, after `sort`.
  subscript(index: Int) -> Int {
    precondition(index >= 0 && index < count)
    return 0x7FFF_FFFF - Int(keys[index] & 0x7FFF_FFFF)
  }

  /// The rank of the value at an index, after `sort`.
  func rank(_ index: Int) -> Int { Int(keys[index] >> 32) }

  /// Replaces the first key, and restores the heap below `end`.
  private func sink(_ key: Int64, end: Int) {
    var place = 0
    while 2 * place + 1 < end {
      var child = 2 * place + 1
      if child + 1 < end, keys[child + 1] < keys[child] { child += 1 }
      if keys[child] >= key { break }
      keys[place] = keys[child]
      place = child
    }
    keys[place] = key
  }
}
