// The sizes of MicroPDF417 symbols and the row address patterns at their sides (ISO/IEC 24728). Taken from symbols of all
// sizes that an independent encoder drew; tests check the patterns against their rules and whole symbols against their check
// codewords.

import BarcodeTypes

/// A size of MicroPDF417 symbols.
struct MicroPDF417Size: BitwiseCopyable {
  /// The number of sizes.
  static let count = 34

  var columnCount: Int
  var rowCount: Int
  var checkCount: Int
  /// The row address pattern of the first row, from 0. Each further row has the next pattern; the first follows the last.
  var left: Int
  /// The row address pattern in the middle of wide symbols, which has its own set; only a component without a left one needs it.
  var center: Int
  var right: Int

  var codewordCount: Int { columnCount * rowCount }

  /// The cluster of a row's codewords, 0...2. It follows the left row address pattern, which wraps around in no size.
  func cluster(ofRow row: Int) -> Int { (left + row) % 3 }

  /// The columns of symbols with `columnCount` columns of codewords: row address patterns of 10 modules at the sides and in
  /// the middle of wide symbols, and a final bar, a single module wide.
  static func layout(columnCount: Int) -> StackedLayout {
    var layout = StackedLayout()
    layout.append(10)
    for column in 0..<columnCount {
      if column > 0, column == centerColumn(columnCount) { layout.append(10) }
      layout.append(17)
    }
    layout.append(11)
    return layout
  }

  /// The column of codewords before which the middle row address pattern stands; 0 without such a pattern.
  static func centerColumn(_ columnCount: Int) -> Int { columnCount > 2 ? columnCount - 2 : 0 }
}

enum MicroPDF417Tables {
  /// Number of row address patterns of each kind.
  static let addressCount = 52

  /// Columns, rows, check codewords, row address patterns of the first row.
  private static let sizes: [204 of UInt8] = [
    1, 11, 7, 0, 0, 8, 1, 14, 7, 7, 0, 7, 1, 17, 7, 35, 0, 35, 1, 20, 8, 18, 0, 18, 1, 24, 8, 8, 0, 16,
    1, 28, 8, 24, 0, 32, 2, 8, 8, 0, 0, 0, 2, 11, 9, 0, 0, 8, 2, 14, 9, 7, 0, 7, 2, 17, 10, 35, 0, 35,
    2, 20, 11, 18, 0, 18, 2, 23, 13, 8, 0, 16, 2, 26, 15, 26, 0, 34, 3, 6, 12, 0, 0, 0, 3, 8, 14, 6, 6, 6,
    3, 10, 16, 14, 14, 14, 3, 12, 18, 24, 24, 24, 3, 15, 21, 36, 36, 36, 3, 20, 26, 0, 16, 32, 3, 26, 32, 0, 8, 16,
    3, 32, 38, 20, 28, 36, 3, 38, 44, 14, 30, 46, 3, 44, 50, 0, 24, 48, 4, 4, 8, 46, 18, 42, 4, 6, 12, 0, 0, 0,
    4, 8, 14, 6, 6, 6, 4, 10, 16, 14, 14, 14, 4, 12, 18, 24, 24, 24, 4, 15, 21, 36, 36, 36, 4, 20, 26, 0, 16, 32,
    4, 26, 32, 0, 8, 16, 4, 32, 38, 20, 28, 36, 4, 38, 44, 14, 30, 46, 4, 44, 50, 0, 24, 48,
  ]

  /// A size by its index 0..<34, narrow ones first.
  static func size(_ index: Int) -> MicroPDF417Size {
    let at = index * 6
    return MicroPDF417Size(
      columnCount: Int(sizes[at]), rowCount: Int(sizes[at + 1]), checkCount: Int(sizes[at + 2]), left: Int(sizes[at + 3]),
      center: Int(sizes[at + 4]), right: Int(sizes[at + 5]))
  }

  /// The ten modules of a row address pattern at a side, the first in bit 9, 1 for dark.
  @inline(__always) static func sideAddress(_ index: Int) -> Int { Int(sideAddresses[index]) }

  /// The ten modules of a row address pattern in the middle.
  @inline(__always) static func centerAddress(_ index: Int) -> Int { Int(centerAddresses[index]) }
}

private let sideAddresses: [52 of UInt16] = [
  0x322, 0x3A2, 0x3B2, 0x332, 0x372, 0x37A, 0x33A, 0x3BA, 0x39A, 0x3DA, 0x3CA, 0x38A, 0x30A,
  0x31A, 0x312, 0x392, 0x3D2, 0x3D6, 0x3D4, 0x394, 0x3B4, 0x3A4, 0x3A6, 0x3AE, 0x3AC, 0x3A8,
  0x328, 0x32C, 0x32E, 0x326, 0x336, 0x3B6, 0x396, 0x316, 0x314, 0x334, 0x374, 0x364, 0x366,
  0x36E, 0x36C, 0x368, 0x348, 0x358, 0x35C, 0x35E, 0x34E, 0x34C, 0x344, 0x346, 0x342, 0x362,
]

private let centerAddresses: [52 of UInt16] = [
  0x2CE, 0x24E, 0x26E, 0x22E, 0x226, 0x236, 0x216, 0x212, 0x21A, 0x23A, 0x232, 0x222, 0x262,
  0x272, 0x27A, 0x2FA, 0x2F2, 0x2F6, 0x276, 0x274, 0x264, 0x266, 0x246, 0x242, 0x2C2, 0x2E2,
  0x2E6, 0x2E4, 0x2EC, 0x26C, 0x22C, 0x228, 0x268, 0x2E8, 0x2C8, 0x2CC, 0x2C4, 0x2C6, 0x286,
  0x28E, 0x28C, 0x29C, 0x298, 0x2B8, 0x2B0, 0x290, 0x2D0, 0x250, 0x258, 0x25C, 0x2DC, 0x2DE,
]
