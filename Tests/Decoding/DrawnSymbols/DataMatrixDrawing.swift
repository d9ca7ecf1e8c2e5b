// Draws Data Matrix symbols independently of the decoder's tables: codeword places and shapes from ISO/IEC 16022 Annex F,
// check codewords by polynomial division.

import BarcodeTypes

@testable import BarcodeDecoder

/// A symbol as its modules, true for dark.
struct DataMatrixDrawing {
  let rows: Int
  let columns: Int
  private(set) var modules: [[Bool]]
  /// Codeword and bit of each module of the mapping matrix; nil for modules without one.
  private(set) var mapping: [[(codeword: Int, bit: Int)?]]

  /// A symbol of a given size with a text in the ASCII scheme, padded.
  init(_ text: String, size: DataMatrixSize) {
    self.init(data: DataMatrixDrawing.padded(text.utf8.map { Int($0) + 1 }, count: size.dataCount), size: size)
  }

  /// A symbol with the given data codewords.
  init(data: [Int], size: DataMatrixSize) {
    self.init(codewords: DataMatrixDrawing.withCheckCodewords(data, size: size), size: size)
  }

  /// A symbol with the given data and check codewords.
  init(codewords: [Int], size: DataMatrixSize) {
    rows = size.rows
    columns = size.columns
    mapping = DataMatrixDrawing.placement(rows: size.mappingRows, columns: size.mappingColumns)
    modules = Array(repeating: Array(repeating: false, count: size.columns), count: size.rows)
    let height = rows / size.regionRows
    let width = columns / size.regionColumns
    for row in 0..<rows {
      for column in 0..<columns {
        let (y, x) = (row % height, column % width)
        if x == 0 || y == height - 1 {
          modules[row][column] = true
        } else if y == 0 {
          modules[row][column] = x % 2 == 0
        } else if x == width - 1 {
          modules[row][column] = y % 2 == 1
        } else {
          let place = (row / height * (height - 2) + y - 1, column / width * (width - 2) + x - 1)
          if let (codeword, bit) = mapping[place.0][place.1] {
            modules[row][column] = codewords[codeword] >> (7 - bit) & 1 == 1
          } else {
            // The small chessboard in the bottom right corner.
            modules[row][column] = (size.mappingRows - place.0 + size.mappingColumns - place.1) % 2 == 0
          }
        }
      }
    }
  }

  /// Appends pad codewords to a message: 129, then values varied by their position (§5.2.4.3).
  static func padded(_ codewords: [Int], count: Int) -> [Int] {
    var result = codewords
    if result.count < count { result.append(129) }
    while result.count < count {
      let varied = 129 + (149 * (result.count + 1)) % 253 + 1
      result.append(varied > 254 ? varied - 254 : varied)
    }
    return result
  }

  /// Bytes varied by their position; the first is codeword `position` (Annex B.2).
  static func varied(_ bytes: [Int], from position: Int) -> [Int] {
    bytes.enumerated().map { ($1 + (149 * (position + $0)) % 255 + 1) % 256 }
  }

  static func withCheckCodewords(_ data: [Int], size: DataMatrixSize) -> [Int] {
    var result = data + Array(repeating: 0, count: size.checkCount)
    for block in 0..<size.blockCount {
      let part = stride(from: block, to: data.count, by: size.blockCount).map { data[$0] }
      let check = checkCodewords(part, count: size.checkCount / size.blockCount)
      // The blocks continue in turn where the data ends.
      let first = (block - data.count % size.blockCount + size.blockCount) % size.blockCount
      for (index, codeword) in check.enumerated() { result[data.count + first + index * size.blockCount] = codeword }
    }
    return result
  }

  /// The remainder of the data, divided by the generator with roots 2, 4, … 2^count over GF(256) with polynomial 301.
  static func checkCodewords(_ data: [Int], count: Int) -> [Int] {
    var generator = [1]
    var root = 1
    for _ in 0..<count {
      root = multiply(root, 2)
      generator = (generator + [0]).indices.map { index in
        (index < generator.count ? generator[index] : 0) ^ (index > 0 ? multiply(generator[index - 1], root) : 0)
      }
    }
    var remainder = data + Array(repeating: 0, count: count)
    for index in data.indices where remainder[index] != 0 {
      let factor = remainder[index]
      for (offset, coefficient) in generator.enumerated() { remainder[index + offset] ^= multiply(coefficient, factor) }
    }
    return Array(remainder.suffix(count))
  }

  private static func multiply(_ a: Int, _ b: Int) -> Int {
    var (product, factor) = (0, a)
    for bit in 0..<8 {
      if b >> bit & 1 == 1 { product ^= factor }
      factor <<= 1
      if factor > 255 { factor ^= 301 }
    }
    return product
  }

  /// The places of the codewords' bits: a walk along diagonals, with special shapes for the corners.
  private static func placement(rows: Int, columns: Int) -> [[(codeword: Int, bit: Int)?]] {
    var matrix = [[(codeword: Int, bit: Int)?]](repeating: Array(repeating: nil, count: columns), count: rows)
    var codeword = 0
    func put(_ places: [(Int, Int)]) {
      for (bit, place) in places.enumerated() {
        var (row, column) = place
        if row < 0 { (row, column) = (row + rows, column + 4 - (rows + 4) % 8) }
        if column < 0 { (row, column) = (row + 4 - (columns + 4) % 8, column + columns) }
        if row >= rows { row -= rows }
        matrix[row][column] = (codeword, bit)
      }
      codeword += 1
    }
    func shape(_ row: Int, _ column: Int) {
      guard (0..<rows).contains(row), (0..<columns).contains(column), matrix[row][column] == nil else { return }
      put([(-2, -2), (-2, -1), (-1, -2), (-1, -1), (-1, 0), (0, -2), (0, -1), (0, 0)].map { (row + $0, column + $1) })
    }
    let (low, right) = (rows - 1, columns - 1)
    var (row, column) = (4, 0)
    while row < rows || column < columns {
      if (row, column) == (rows, 0) {
        put([(low, 0), (low, 1), (low, 2), (0, right - 1), (0, right), (1, right), (2, right), (3, right)])
      }
      if (row, column) == (rows - 2, 0), columns % 4 != 0 {
        put([
          (low - 2, 0), (low - 1, 0), (low, 0), (0, right - 3), (0, right - 2), (0, right - 1), (0, right), (1, right),
        ])
      }
      if (row, column) == (rows - 2, 0), columns % 8 == 4 {
        put([(low - 2, 0), (low - 1, 0), (low, 0), (0, right - 1), (0, right), (1, right), (2, right), (3, right)])
      }
      if (row, column) == (rows + 4, 2), columns % 8 == 0 {
        put([(low, 0), (low, right), (0, right - 2), (0, right - 1), (0, right), (1, right - 2), (1, right - 1), (1, right)])
      }
      repeat {
        shape(row, column)
        (row, column) = (row - 2, column + 2)
      } while row >= 0 && column < columns
      (row, column) = (row + 1, column + 3)
      repeat {
        shape(row, column)
        (row, column) = (row + 2, column - 2)
      } while row < rows && column >= 0
      (row, column) = (row + 3, column + 1)
    }
    return matrix
  }

  mutating func flip(column: Int, row: Int) { modules[row][column].toggle() }
}
