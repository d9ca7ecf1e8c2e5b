// Makes GS1 DataBar symbols from ISO/IEC 24724, without any of the decoder's code: values to widths by listing all sets of
// widths in order, check characters, rows of elements.

import Foundation

/// Encodes characters of (n, k) codes as widths of elements.
enum DataBarEncoder {
  /// The groups of a character: modules at odd places, the widest element there, and the number of values.
  struct Alphabet {
    let modules: Int
    /// Number of elements at odd places, and at even ones.
    let count: Int
    /// Whether the odd places must include a single module; otherwise the even places must.
    let isOddNarrow: Bool
    /// Whether the number of the odd places has the higher weight.
    let isOddMajor: Bool
    let groups: [(odd: Int, widest: Int, values: Int)]

    static let expanded = Alphabet(
      modules: 17, count: 4, isOddNarrow: true, isOddMajor: true,
      groups: [(12, 7, 348), (10, 5, 1040), (8, 4, 1560), (6, 3, 1040), (4, 1, 204)])
    static let outer = Alphabet(
      modules: 16, count: 4, isOddNarrow: false, isOddMajor: true,
      groups: [(12, 8, 161), (10, 6, 800), (8, 4, 1054), (6, 3, 700), (4, 1, 126)])
    static let inner = Alphabet(
      modules: 15, count: 4, isOddNarrow: true, isOddMajor: false,
      groups: [(5, 2, 336), (7, 4, 700), (9, 6, 480), (11, 8, 81)])
    static let limited = Alphabet(
      modules: 26, count: 7, isOddNarrow: false, isOddMajor: true,
      groups: [
        (17, 6, 183_064), (13, 5, 637_000), (9, 3, 180_712), (15, 5, 490_245), (11, 4, 488_824), (19, 8, 17_094),
        (7, 1, 16_632),
      ])

    var valueCount: Int { groups.reduce(0) { $0 + $1.values } }

    /// The element widths of a value, the last ones next to the finder pattern.
    func widths(_ value: Int) -> [Int] {
      var rest = value
      for group in groups {
        guard rest >= group.values else {
          // If the odd places must include a single module, sets that begin with more than four are not used.
          let odd = DataBarEncoder.sets(modules: group.odd, count: count, widest: group.widest, isNarrow: isOddNarrow)
            .filter { !isOddNarrow || $0[0] <= 4 }
          let even = DataBarEncoder.sets(
            modules: modules - group.odd, count: count, widest: 9 - group.widest, isNarrow: !isOddNarrow)
          let minor = isOddMajor ? even.count : odd.count
          let (first, second) =
            isOddMajor ? (odd[rest / minor], even[rest % minor]) : (odd[rest % minor], even[rest / minor])
          return zip(first, second).flatMap { [$0, $1] }
        }
        rest -= group.values
      }
      preconditionFailure("no character has the value \(value)")
    }
  }

  private struct SetKey: Hashable { let modules, count, widest: Int, isNarrow: Bool }
  nonisolated(unsafe) private static var known: [SetKey: [[Int]]] = [:]
  private static let lock = NSLock()

  /// All sets of `count` widths of 1...widest that add up to `modules`, in order; only those with a single module if
  /// `isNarrow`.
  static func sets(modules: Int, count: Int, widest: Int, isNarrow: Bool) -> [[Int]] {
    let key = SetKey(modules: modules, count: count, widest: widest, isNarrow: isNarrow)
    lock.lock()
    defer { lock.unlock() }
    if let found = known[key] { return found }
    func all(_ modules: Int, _ count: Int) -> [[Int]] {
      if count == 0 { return modules == 0 ? [[]] : [] }
      guard modules >= count, modules <= count * widest else { return [] }
      return (1...widest).flatMap { width in all(modules - width, count - 1).map { [width] + $0 } }
    }
    let found = all(modules, count).filter { !isNarrow || $0.contains(1) }
    known[key] = found
    return found
  }

  /// The widths times powers of three, from the power `exponent` on.
  static func checkSum(_ widths: [Int], exponent: Int, modulus: Int) -> Int {
    var weight = 1
    for _ in 0..<exponent { weight = weight * 3 % modulus }
    return widths.reduce(0) { sum, width in
      defer { weight = weight * 3 % modulus }
      return sum + width * weight
    } % modulus
  }

  /// The modules of elements that begin dark or light.
  static func modules(_ elements: [Int], beginsDark: Bool) -> [Bool] {
    elements.enumerated().flatMap { [Bool](repeating: ($0.offset % 2 == 0) == beginsDark, count: $0.element) }
  }

  /// The bits of a message of digits in method 00, padded to a symbol of `count` characters.
  static func numeric(_ digits: String, count: Int) -> String {
    func binary(_ value: Int, _ width: Int) -> String {
      String((0..<width).map { value >> (width - 1 - $0) & 1 == 1 ? "1" : "0" })
    }
    var bits = "000" + (count % 2 == 1 ? "1" : "0") + (count > 14 ? "1" : "0")
    let values = digits.map { $0.wholeNumberValue! }
    for index in stride(from: 0, to: values.count, by: 2) { bits += binary(11 * values[index] + values[index + 1] + 8, 7) }
    let length = (count - 1) * 12
    precondition(bits.count <= length)
    if bits.count < length { bits += "0000" }
    while bits.count < length { bits += "00100" }
    return String(bits.prefix(length))
  }
}

/// A GS1 DataBar Expanded symbol as pairs of characters around finder patterns.
struct DataBarExpandedDrawing {
  private static let patterns: [Character: [Int]] = [
    "A": [1, 8, 4, 1, 1], "B": [3, 6, 4, 1, 1], "C": [3, 4, 6, 1, 1], "D": [3, 2, 8, 1, 1], "E": [2, 6, 5, 1, 1],
    "F": [2, 2, 9, 1, 1],
  ]
  private static let sequences = [
    "AA", "ABB", "ACBD", "AEBDC", "AEBDDF", "AEBDEFF", "AABBCCDD", "AABBCCDEE", "AABBCCDEFF", "AABBCDDEEFF",
  ]

  /// The elements of each pair, from left to right; the last pair may lack its right character.
  let pairs: [[Int]]

  /// - Parameters:
  ///   - values: the values of the data characters.
  ///   - error: added to the check character.
  init(_ values: [Int], error: Int = 0) {
    let count = values.count + 1
    let letters = Array(DataBarExpandedDrawing.sequences[(count + 1) / 2 - 2])
    var characters: [[Int]] = []
    var sum = 0
    for (index, value) in values.enumerated() {
      let widths = DataBarEncoder.Alphabet.expanded.widths(value)
      let place = (index + 1) / 2
      let letter = Int(letters[place].asciiValue!) - 65
      let weight = letter * 4 + (place % 2 == 1 ? 2 : 0) + (index % 2 == 0 ? 1 : 0) - 1
      sum += DataBarEncoder.checkSum(widths, exponent: weight * 8, modulus: 211)
      characters.append(widths)
    }
    characters.insert(DataBarEncoder.Alphabet.expanded.widths(211 * (count - 4) + (sum + error) % 211), at: 0)
    pairs = letters.enumerated().map { place, letter in
      let pattern = DataBarExpandedDrawing.patterns[letter]!
      let right = 2 * place + 1 < count ? characters[2 * place + 1].reversed() : []
      return characters[2 * place] + (place % 2 == 0 ? pattern : pattern.reversed()) + right
    }
  }

  init(bits: String, error: Int = 0) {
    let all = Array(bits)
    self.init(stride(from: 0, to: all.count, by: 12).map { Int(String(all[$0..<$0 + 12]), radix: 2)! }, error: error)
  }

  /// The elements of some pairs with guards, and whether the first element is dark.
  private func row(_ places: Range<Int>) -> (elements: [Int], beginsDark: Bool) {
    ([1, 1] + pairs[places].flatMap { $0 } + [1, 1], places.lowerBound % 2 == 1)
  }

  /// The elements of the symbol in a single row from its first bar on; the first space is part of the quiet zone.
  var elements: [Int] { Array(row(0..<pairs.count).elements.dropFirst()) }

  /// The symbol in rows of `columns` pairs, with separators between them.
  func stacked(columns: Int, rowHeight: Int) -> DataBarRows {
    var rows: [[Bool]] = []
    for first in stride(from: 0, to: pairs.count, by: columns) {
      let places = first..<min(pairs.count, first + columns)
      let row = row(places)
      var modules = DataBarEncoder.modules(row.elements, beginsDark: row.beginsDark)
      // If rows have an even number of patterns, every second row runs backwards, unless it is the last one and has an odd
      // number.
      if columns % 2 == 0, first / columns % 2 == 1 {
        if places.count % 2 == 0 { modules.reverse() } else { modules.insert(false, at: 0) }
      }
      rows.append(modules)
    }
    return DataBarRows(rows, heights: [Int](repeating: rowHeight, count: rows.count), hasMiddleSeparator: true)
  }
}

/// GS1 DataBar Omnidirectional and its kin.
struct DataBarDrawing {
  private static let patterns = [
    [3, 8, 2, 1, 1], [3, 5, 5, 1, 1], [3, 3, 7, 1, 1], [3, 1, 9, 1, 1], [2, 7, 4, 1, 1], [2, 5, 6, 1, 1], [2, 3, 8, 1, 1],
    [1, 5, 7, 1, 1], [1, 3, 9, 1, 1],
  ]
  let left: [Int]
  let right: [Int]

  /// - Parameters:
  ///   - number: 13 digits.
  ///   - error: added to the check value.
  init(_ number: Int, error: Int = 0) {
    let halves = [number / 4_537_077, number % 4_537_077]
    let characters = halves.flatMap {
      [DataBarEncoder.Alphabet.outer.widths($0 / 1597), DataBarEncoder.Alphabet.inner.widths($0 % 1597)]
    }
    var check = error
    for (index, widths) in characters.enumerated() {
      check += DataBarEncoder.checkSum(widths, exponent: index * 8, modulus: 79)
    }
    check %= 79
    if check >= 8 { check += 1 }
    if check >= 72 { check += 1 }
    left = characters[0] + DataBarDrawing.patterns[check / 9] + characters[1].reversed()
    right = characters[3] + DataBarDrawing.patterns[check % 9].reversed() + characters[2].reversed()
  }

  /// The elements of the symbol in a single row from its first bar on.
  var elements: [Int] { [1] + left + right + [1, 1] }

  /// The symbol in two rows, one above the other.
  func stacked(heights: [Int]) -> DataBarRows {
    let rows = [
      DataBarEncoder.modules([1, 1] + left + [1, 1], beginsDark: false),
      DataBarEncoder.modules([1, 1] + right + [1, 1], beginsDark: true),
    ]
    return DataBarRows(rows, heights: heights, hasMiddleSeparator: heights[0] > 5)
  }

  /// The elements of a GS1 DataBar Limited symbol from its first bar on.
  static func limited(_ number: Int, checkCharacter: (Int) -> [Int]) -> [Int] {
    let left = DataBarEncoder.Alphabet.limited.widths(number / 2_013_571)
    let right = DataBarEncoder.Alphabet.limited.widths(number % 2_013_571)
    let check = DataBarEncoder.checkSum(left + right, exponent: 0, modulus: 89)
    return [1] + left + checkCharacter(check) + right + [1, 1]
  }
}

/// Rows of a stacked symbol with separators between them, as modules; true is dark.
struct DataBarRows {
  private(set) var modules: [[Bool]] = []

  init(_ rows: [[Bool]], heights: [Int], hasMiddleSeparator: Bool) {
    let width = rows.map(\.count).max()!
    for (index, row) in rows.enumerated() {
      let line = row + [Bool](repeating: false, count: width - row.count)
      if index > 0 {
        let before = modules[modules.count - 1]
        let ends = 4..<(width - 4)
        modules.append(before.enumerated().map { ends.contains($0.offset) && !$0.element })
        if hasMiddleSeparator {
          modules.append((0..<width).map { ends.contains($0) && $0 % 2 == 1 })
          modules.append(line.enumerated().map { ends.contains($0.offset) && !$0.element })
        }
      }
      for _ in 0..<heights[index] { modules.append(line) }
    }
  }

  /// The symbol as seen by a camera.
  func seen(_ view: MatrixView = MatrixView()) -> Picture {
    let width = modules[0].count
    let side = max(width, modules.count) + 16
    let (left, top) = ((side - width) / 2, (side - modules.count) / 2)
    var square = [[Bool]](repeating: [Bool](repeating: false, count: side), count: side)
    for (row, line) in modules.enumerated() {
      for (column, module) in line.enumerated() { square[top + row][left + column] = module }
    }
    return Picture.drawn(square, view: view).picture
  }
}
