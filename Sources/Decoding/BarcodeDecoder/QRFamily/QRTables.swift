// The tables of ISO/IEC 18004:2015 for QR Code: sizes, blocks, alignment patterns, and the two BCH codes. Values with a
// formula are not tabulated.

/// An error correction level, in the order of the tables (§6.5.1).
enum QRCorrectionLevel: Int, BitwiseCopyable {
  case low, medium, quartile, high

  /// Decodes the two bits of the format information (Table 12): 01 L, 00 M, 11 Q, 10 H.
  init(formatBits: Int) {
    switch formatBits & 3 {
    case 0: self = .medium
    case 1: self = .low
    case 2: self = .high
    default: self = .quartile
    }
  }
}

/// The division of a symbol's codewords into blocks (Table 9): `shortCount` blocks, then `longCount` blocks with one more
/// data codeword.
struct QRBlocks: BitwiseCopyable {
  var shortCount: Int
  var longCount: Int
  /// Data codewords of a short block.
  var dataCount: Int
  /// Check codewords of every block.
  var checkCount: Int
  /// The most errors to correct in a block, not counting erasures.
  var correctionMax: Int

  var count: Int { shortCount + longCount }
  var codewordCount: Int { count * (dataCount + checkCount) + longCount }
  var dataCodewordCount: Int { count * dataCount + longCount }
}

/// Tables of QR Code, versions 1 to 40.
enum QRTables {
  static let versionMax = 40
  /// Modules per side of version 40.
  static let sizeMax = 177
  /// Codewords of the largest symbol.
  static let codewordCountMax = 3706
  /// The most check codewords in a block.
  static let checkCountMax = 30

  /// Modules per side (§5.3.1).
  static func size(version: Int) -> Int { 17 + 4 * version }

  /// Number of codewords of a symbol, data and check together (Table 1): the modules not taken by function patterns, divided
  /// by eight.
  static func codewordCount(version: Int) -> Int {
    var modules = (16 * version + 128) * version + 64
    if version >= 2 {
      let lines = alignmentCount(version: version)
      modules -= (25 * lines - 10) * lines - 55
      if version >= 7 { modules -= 36 }
    }
    return modules / 8
  }

  /// Number of columns (and rows) of alignment pattern centres (Annex E); 0 for version 1.
  static func alignmentCount(version: Int) -> Int { version == 1 ? 0 : version / 7 + 2 }

  /// The column (and row) of the alignment pattern centres with a given index (Annex E). The first is 6, the last is six
  /// from the far side. The others precede the last at equal distances, an even number of modules as small as the remaining
  /// first distance allows; only version 32 has 26 instead of 28.
  static func alignmentCoordinate(version: Int, index: Int) -> Int {
    if index == 0 { return 6 }
    let gaps = alignmentCount(version: version) - 1
    let span = size(version: version) - 13
    let step = version == 32 ? 26 : (span + 2 * gaps - 1) / (2 * gaps) * 2
    return 6 + span - (gaps - index) * step
  }

  /// The division into blocks of a version and level (Table 9).
  static func blocks(version: Int, level: QRCorrectionLevel) -> QRBlocks {
    let index = (version - 1) * 4 + level.rawValue
    let count = Int(blockCounts[index])
    let checkCount = Int(checkCounts[index])
    let total = codewordCount(version: version)
    let long = total % count
    // Codewords reserved against misreads, "p" in Table 9.
    let reserved: Int
    switch (version, level) {
    case (1, .low): reserved = 3
    case (1, .medium), (2, .low): reserved = 2
    case (1, .quartile), (1, .high), (3, .low): reserved = 1
    default: reserved = 0
    }
    return QRBlocks(
      shortCount: count - long, longCount: long, dataCount: total / count - checkCount, checkCount: checkCount,
      correctionMax: (checkCount - reserved) / 2)
  }

  /// The 15 bits of the format information for five data bits, masked (§7.9.1, Annex C): BCH (15, 5) with the generator
  /// polynomial 10100110111.
  static func formatBits(_ data: Int) -> Int {
    var remainder = data << 10
    for bit in stride(from: 14, through: 10, by: -1) where remainder & (1 << bit) != 0 { remainder ^= 0x537 << (bit - 10) }
    return (data << 10 | remainder) ^ 0x5412
  }

  /// The 18 bits of the version information (§7.10, Annex D): BCH (18, 6) with the generator polynomial 1111100100101.
  static func versionBits(_ version: Int) -> Int {
    var remainder = version << 12
    for bit in stride(from: 17, through: 12, by: -1) where remainder & (1 << bit) != 0 { remainder ^= 0x1F25 << (bit - 12) }
    return version << 12 | remainder
  }

  /// Whether the data mask pattern (Table 10) inverts a module.
  @inline(__always) static func isMasked(_ mask: Int, row: Int, column: Int) -> Bool {
    switch mask {
    case 0: (row &+ column) & 1 == 0
    case 1: row & 1 == 0
    case 2: column % 3 == 0
    case 3: (row &+ column) % 3 == 0
    case 4: (row / 2 &+ column / 3) & 1 == 0
    case 5: (row &* column) & 1 &+ (row &* column) % 3 == 0
    case 6: ((row &* column) & 1 &+ (row &* column) % 3) & 1 == 0
    default: ((row &+ column) & 1 &+ (row &* column) % 3) & 1 == 0
    }
  }

  /// Check codewords per block: L, M, Q, H of versions 1 to 40 (Table 9).
  private static let checkCounts: [160 of UInt8] = [
    7, 10, 13, 17, 10, 16, 22, 28, 15, 26, 18, 22, 20, 18, 26, 16,
    26, 24, 18, 22, 18, 16, 24, 28, 20, 18, 18, 26, 24, 22, 22, 26,
    30, 22, 20, 24, 18, 26, 24, 28, 20, 30, 28, 24, 24, 22, 26, 28,
    26, 22, 24, 22, 30, 24, 20, 24, 22, 24, 30, 24, 24, 28, 24, 30,
    28, 28, 28, 28, 30, 26, 28, 28, 28, 26, 26, 26, 28, 26, 30, 28,
    28, 26, 28, 30, 28, 28, 30, 24, 30, 28, 30, 30, 30, 28, 30, 30,
    26, 28, 30, 30, 28, 28, 28, 30, 30, 28, 30, 30, 30, 28, 30, 30,
    30, 28, 30, 30, 30, 28, 30, 30, 30, 28, 30, 30, 30, 28, 30, 30,
    30, 28, 30, 30, 30, 28, 30, 30, 30, 28, 30, 30, 30, 28, 30, 30,
    30, 28, 30, 30, 30, 28, 30, 30, 30, 28, 30, 30, 30, 28, 30, 30,
  ]

  /// Blocks per symbol: L, M, Q, H of versions 1 to 40 (Table 9).
  private static let blockCounts: [160 of UInt8] = [
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 1, 2, 2, 4,
    1, 2, 4, 4, 2, 4, 4, 4, 2, 4, 6, 5, 2, 4, 6, 6,
    2, 5, 8, 8, 4, 5, 8, 8, 4, 5, 8, 11, 4, 8, 10, 11,
    4, 9, 12, 16, 4, 9, 16, 16, 6, 10, 12, 18, 6, 10, 17, 16,
    6, 11, 16, 19, 6, 13, 18, 21, 7, 14, 21, 25, 8, 16, 20, 25,
    8, 17, 23, 25, 9, 17, 23, 34, 9, 18, 25, 30, 10, 20, 27, 32,
    12, 21, 29, 35, 12, 23, 34, 37, 12, 25, 34, 40, 13, 26, 35, 42,
    14, 28, 38, 45, 15, 29, 40, 48, 16, 31, 43, 51, 17, 33, 45, 54,
    18, 35, 48, 57, 19, 37, 51, 60, 19, 38, 53, 63, 20, 40, 56, 66,
    21, 43, 59, 70, 22, 45, 62, 74, 24, 47, 65, 77, 25, 49, 68, 81,
  ]
}
