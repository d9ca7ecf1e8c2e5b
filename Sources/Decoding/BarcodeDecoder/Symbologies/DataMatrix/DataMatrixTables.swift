// The sizes of Data Matrix ECC 200 (ISO/IEC 16022:2006 Table 7) and of its rectangular extension DMRE (ISO/IEC 21471:2020
// Table 1). Values that follow from a formula are not tabulated; a test recomputes the codewords from the area.

/// The properties of a symbol size.
struct DataMatrixSize: BitwiseCopyable {
  /// The modules per column and per row, finder patterns included.
  var rows: Int
  var columns: Int
  /// The numbers of data regions in a column and in a row.
  var regionRows: Int
  var regionColumns: Int
  var dataCount: Int
  var checkCount: Int
  /// The number of interleaved Reed-Solomon blocks.
  var blockCount: Int

  var codewordCount: Int { dataCount + checkCount }
  /// The modules per column and per row of a region, its finder pattern included.
  var regionHeight: Int { rows / regionRows }
  var regionWidth: Int { columns / regionColumns }
  /// The rows and columns of the mapping matrix: the regions without their finder patterns.
  var mappingRows: Int { rows - 2 * regionRows }
  var mappingColumns: Int { columns - 2 * regionColumns }
  /// The number of check codewords per block.
  var blockCheckCount: Int { checkCount / blockCount }

  /// The number of data codewords of a block; the blocks of 144×144 differ by one.
  func blockDataCount(_ block: Int) -> Int { (dataCount - block + blockCount - 1) / blockCount }
}

/// The tables of Data Matrix.
enum DataMatrixTables {
  static let sizeCount = 48
  /// The modules of the longest side.
  static let sideMax = 144
  /// The number of codewords of the largest symbol.
  static let codewordCountMax = 2178
  /// The maximum number of check codewords per block.
  static let blockCheckCountMax = 68

  /// A size by its index: squares first, then rectangles, then those of DMRE.
  static func size(_ index: Int) -> DataMatrixSize {
    let place = index * 7
    return DataMatrixSize(
      rows: Int(sizes[place]), columns: Int(sizes[place + 1]), regionRows: Int(sizes[place + 2]),
      regionColumns: Int(sizes[place + 3]), dataCount: Int(sizes[place + 4]), checkCount: Int(sizes[place + 5]),
      blockCount: Int(sizes[place + 6]))
  }
}

/// Rows, columns, region rows, region columns, data codewords, check codewords, blocks.
private let sizes: [336 of UInt16] = [
  10, 10, 1, 1, 3, 5, 1,
  12, 12, 1, 1, 5, 7, 1,
  14, 14, 1, 1, 8, 10, 1,
  16, 16, 1, 1, 12, 12, 1,
  18, 18, 1, 1, 18, 14, 1,
  20, 20, 1, 1, 22, 18, 1,
  22, 22, 1, 1, 30, 20, 1,
  24, 24, 1, 1, 36, 24, 1,
  26, 26, 1, 1, 44, 28, 1,
  32, 32, 2, 2, 62, 36, 1,
  36, 36, 2, 2, 86, 42, 1,
  40, 40, 2, 2, 114, 48, 1,
  44, 44, 2, 2, 144, 56, 1,
  48, 48, 2, 2, 174, 68, 1,
  52, 52, 2, 2, 204, 84, 2,
  64, 64, 4, 4, 280, 112, 2,
  72, 72, 4, 4, 368, 144, 4,
  80, 80, 4, 4, 456, 192, 4,
  88, 88, 4, 4, 576, 224, 4,
  96, 96, 4, 4, 696, 272, 4,
  104, 104, 4, 4, 816, 336, 6,
  120, 120, 6, 6, 1050, 408, 6,
  132, 132, 6, 6, 1304, 496, 8,
  144, 144, 6, 6, 1558, 620, 10,
  8, 18, 1, 1, 5, 7, 1,
  8, 32, 1, 2, 10, 11, 1,
  12, 26, 1, 1, 16, 14, 1,
  12, 36, 1, 2, 22, 18, 1,
  16, 36, 1, 2, 32, 24, 1,
  16, 48, 1, 2, 49, 28, 1,
  8, 48, 1, 2, 18, 15, 1,
  8, 64, 1, 4, 24, 18, 1,
  8, 80, 1, 4, 32, 22, 1,
  8, 96, 1, 4, 38, 28, 1,
  8, 120, 1, 6, 49, 32, 1,
  8, 144, 1, 6, 63, 36, 1,
  12, 64, 1, 4, 43, 27, 1,
  12, 88, 1, 4, 64, 36, 1,
  16, 64, 1, 4, 62, 36, 1,
  20, 36, 1, 2, 44, 28, 1,
  20, 44, 1, 2, 56, 34, 1,
  20, 64, 1, 4, 84, 42, 1,
  22, 48, 1, 2, 72, 38, 1,
  24, 48, 1, 2, 80, 41, 1,
  24, 64, 1, 4, 108, 46, 1,
  26, 40, 1, 2, 70, 38, 1,
  26, 48, 1, 2, 90, 42, 1,
  26, 64, 1, 4, 118, 50, 1,
]
