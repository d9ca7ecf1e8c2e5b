// Makes PDF417 and MicroPDF417 symbols from their standards, without any of the decoder's code: text to codewords, check
// codewords, rows of modules. Only the patterns and sizes come from the decoder's tables, which have their own tests.

import BarcodeTypes
import CSymbolTables
import Foundation

@testable import BarcodeDecoder

/// A stacked symbol as modules; true is dark.
struct StackedDrawing {
  /// Rows of modules, `rowHeight` for each row of the symbol.
  private(set) var modules: [[Bool]] = []

  var width: Int { modules[0].count }
  var height: Int { modules.count }

  private static func bits(_ pattern: Int, _ count: Int) -> [Bool] {
    (0..<count).map { pattern >> (count - 1 - $0) & 1 == 1 }
  }

  static func character(_ value: Int, cluster: Int) -> [Bool] {
    bits(Int(csymboltables_pdf417_cluster(Int32(cluster))![value]) << 1, 17)
  }

  /// A PDF417 symbol from all its codewords, including check codewords.
  init(codewords: [Int], columns: Int, level: Int, isCompact: Bool = false, rowHeight: Int = 3) {
    let rows = codewords.count / columns
    for row in 0..<rows {
      let first = 30 * (row / 3)
      let (third, levels, column) = ((rows - 1) / 3, level * 3 + (rows - 1) % 3, columns - 1)
      let left = first + [third, levels, column][row % 3]
      let right = first + [column, third, levels][row % 3]
      var line = StackedDrawing.bits(0b1_1111_1110_1010_1000, 17)
      for value in [left] + codewords[(row * columns)..<((row + 1) * columns)] {
        line += StackedDrawing.character(value, cluster: row % 3)
      }
      if isCompact {
        line.append(true)
      } else {
        line += StackedDrawing.character(right, cluster: row % 3)
        line += StackedDrawing.bits(0b11_1111_1010_0010_1001, 18)
      }
      for _ in 0..<rowHeight { modules.append(line) }
    }
  }

  /// A PDF417 symbol from data codewords without their count and padding.
  init(data: [Int], columns: Int, level: Int, isCompact: Bool = false, rowHeight: Int = 3) {
    let all = StackedEncoder.pdf417(data, columns: columns, level: level)
    self.init(codewords: all, columns: columns, level: level, isCompact: isCompact, rowHeight: rowHeight)
  }

  init(_ text: String, columns: Int = 4, level: Int = 2, isCompact: Bool = false) {
    self.init(data: StackedEncoder.text(text), columns: columns, level: level, isCompact: isCompact)
  }

  /// A padded MicroPDF417 symbol of a size, given by its index.
  init(micro data: [Int], size index: Int, rowHeight: Int = 2) {
    let size = MicroPDF417Tables.size(index)
    let dataCount = size.codewordCount - size.checkCount
    precondition(data.count <= dataCount)
    let padded = data + [Int](repeating: 900, count: dataCount - data.count)
    self.init(
      microCodewords: padded + StackedEncoder.checkCodewords(padded, count: size.checkCount), size: index,
      rowHeight: rowHeight)
  }

  /// A MicroPDF417 symbol from all its codewords, including check codewords.
  init(microCodewords all: [Int], size index: Int, rowHeight: Int = 2) {
    let size = MicroPDF417Tables.size(index)
    for row in 0..<size.rowCount {
      func address(_ first: Int) -> Int { (first + row) % MicroPDF417Tables.addressCount }
      var line = StackedDrawing.bits(MicroPDF417Tables.sideAddress(address(size.left)), 10)
      for column in 0..<size.columnCount {
        if size.columnCount > 2, column == size.columnCount - 2 {
          line += StackedDrawing.bits(StackedDrawing.centerAddresses[address(size.center)], 10)
        }
        line += StackedDrawing.character(all[row * size.columnCount + column], cluster: (size.left + row) % 3)
      }
      line += StackedDrawing.bits(MicroPDF417Tables.sideAddress(address(size.right)), 10) + [true]
      for _ in 0..<rowHeight { modules.append(line) }
    }
  }

  /// The symbol as seen by a camera, and its true corners.
  func seen(_ view: MatrixView = MatrixView()) -> (picture: Picture, corners: [(Double, Double)]) {
    let side = max(width, height) + 12
    let (left, top) = ((side - width) / 2, (side - height) / 2)
    var square = [[Bool]](repeating: [Bool](repeating: false, count: side), count: side)
    for (row, line) in modules.enumerated() {
      for (column, module) in line.enumerated() { square[top + row][left + column] = module }
    }
    let (picture, corners) = Picture.drawn(square, view: view)
    let toPicture = Projection(corners)
    let places = [(left, top), (left + width, top), (left + width, top + height), (left, top + height)]
    return (picture, places.map { toPicture.map(Double($0.0) / Double(side), Double($0.1) / Double(side)) })
  }

  /// The ten modules of the row address patterns in the middle of wide MicroPDF417 symbols, which the decoder does not use.
  static let centerAddresses = [
    0x2CE, 0x24E, 0x26E, 0x22E, 0x226, 0x236, 0x216, 0x212, 0x21A, 0x23A, 0x232, 0x222, 0x262,
    0x272, 0x27A, 0x2FA, 0x2F2, 0x2F6, 0x276, 0x274, 0x264, 0x266, 0x246, 0x242, 0x2C2, 0x2E2,
    0x2E6, 0x2E4, 0x2EC, 0x26C, 0x22C, 0x228, 0x268, 0x2E8, 0x2C8, 0x2CC, 0x2C4, 0x2C6, 0x286,
    0x28E, 0x28C, 0x29C, 0x298, 0x2B8, 0x2B0, 0x290, 0x2D0, 0x250, 0x258, 0x25C, 0x2DC, 0x2DE,
  ]
}

enum StackedEncoder {
  /// Count, data, padding and check codewords for the least number of rows.
  static func pdf417(_ data: [Int], columns: Int, level: Int) -> [Int] {
    let checks = 2 << level
    let rows = max(3, (data.count + 1 + checks + columns - 1) / columns)
    let dataCount = rows * columns - checks
    let padded = [dataCount] + data + [Int](repeating: 900, count: dataCount - 1 - data.count)
    return padded + checkCodewords(padded, count: checks)
  }

  /// The check codewords that make the message divisible by (x - 3)(x - 3²)…
  static func checkCodewords(_ data: [Int], count: Int) -> [Int] {
    var generator = [1]
    var root = 1
    for _ in 0..<count {
      root = root * 3 % 929
      var next = [Int](repeating: 0, count: generator.count + 1)
      for (index, coefficient) in generator.enumerated() {
        next[index] = (next[index] + coefficient) % 929
        next[index + 1] = (next[index + 1] + coefficient * (929 - root)) % 929
      }
      generator = next
    }
    var remainder = data + [Int](repeating: 0, count: count)
    for index in data.indices {
      let factor = remainder[index]
      for (offset, coefficient) in generator.enumerated() {
        remainder[index + offset] = (remainder[index + offset] + (929 - factor) * coefficient) % 929
      }
    }
    return remainder.suffix(count).map { (929 - $0) % 929 }
  }

  /// Capital letters, spaces and digits in text compaction, beginning in the alpha sub-mode.
  static func text(_ text: String) -> [Int] {
    var values: [Int] = []
    var isMixed = false
    for byte in text.utf8 {
      let isDigit = (0x30...0x39).contains(byte)
      if isDigit != isMixed, byte != 0x20 {
        values.append(28)
        isMixed = isDigit
      }
      values.append(byte == 0x20 ? 26 : isDigit ? Int(byte) - 0x30 : Int(byte) - 0x41)
    }
    if values.count % 2 == 1 { values.append(29) }
    return stride(from: 0, to: values.count, by: 2).map { values[$0] * 30 + values[$0 + 1] }
  }
}
