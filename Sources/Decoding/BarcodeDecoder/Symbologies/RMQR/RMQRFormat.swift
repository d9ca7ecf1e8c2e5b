// The tables of ISO/IEC 23941:2022 for rMQR Code: 32 sizes, and the content of their format information.

/// A size of rMQR Code with its error correction level.
struct RMQRFormat: Equatable, BitwiseCopyable {
  /// The version indicator, 0 for R7x43 to 31 for R17x139.
  var version: Int
  /// Whether the level is H; otherwise it is M.
  var isHigh: Bool

  /// Decodes the six data bits of the format information (§7.9): the level, then the version indicator.
  init(data: Int) {
    version = data & 31
    isHigh = data & 32 != 0
  }

  var data: Int { version | (isHigh ? 32 : 0) }

  /// Modules per column (§5.3.1).
  var rows: Int { Int(RMQRFormat.heights[version]) }
  /// Modules per row.
  var columns: Int { Int(RMQRFormat.widths[version]) }

  /// The division into blocks (Table 8).
  var blocks: QRBlocks {
    let index = 2 * version + (isHigh ? 1 : 0)
    let count = Int(RMQRFormat.blockCounts[index])
    let checkCount = Int(RMQRFormat.checkCounts[index])
    let total = Int(RMQRFormat.codewordCounts[version])
    let long = total % count
    return QRBlocks(
      shortCount: count - long, longCount: long, dataCount: total / count - checkCount, checkCount: checkCount,
      correctionMax: checkCount / 2)
  }

  /// Number of columns with a vertical timing pattern between two alignment patterns (Annex D).
  var timingColumnCount: Int {
    switch columns {
    case 27: 0
    case 43: 1
    case 59, 77: 2
    case 99: 3
    default: 4
    }
  }
  func timingColumn(_ index: Int) -> Int {
    switch columns {
    case 43: 21
    case 59: 19 + 20 * index
    case 77: 25 + 26 * index
    case 99: 23 + 26 * index
    default: 27 + 28 * index
    }
  }

  /// Number of bits of a character count (Table 3).
  var digitCountBits: Int { Int(RMQRFormat.countBits[4 * version]) }
  var letterCountBits: Int { Int(RMQRFormat.countBits[4 * version + 1]) }
  var byteCountBits: Int { Int(RMQRFormat.countBits[4 * version + 2]) }
  var kanjiCountBits: Int { Int(RMQRFormat.countBits[4 * version + 3]) }

  /// Modules of the largest size, R17x139.
  static let columnsMax = 139
  static let rowsMax = 17

  /// The 18 bits of the format information for six data bits, without a mask (§7.9, Annex C): the BCH code (18, 6) of QR
  /// Code's version information.
  static func formatBits(_ data: Int) -> Int { QRTables.versionBits(data) }
  /// The masks of the two copies: next to the finder pattern, and next to the finder sub-pattern (§7.9).
  static let (finderMask, subFinderMask) = (0x1FAB2, 0x20A7B)

  private static let heights: [32 of UInt8] = [
    7, 7, 7, 7, 7, 9, 9, 9, 9, 9, 11, 11, 11, 11, 11, 11, 13, 13, 13, 13, 13, 13, 15, 15, 15, 15, 15, 17, 17, 17, 17, 17,
  ]
  private static let widths: [32 of UInt8] = [
    43, 59, 77, 99, 139, 43, 59, 77, 99, 139, 27, 43, 59, 77, 99, 139, 27, 43, 59, 77, 99, 139, 43, 59, 77, 99, 139,
    43, 59, 77, 99, 139,
  ]
  /// Data and check codewords together (Table 1): the modules not taken by function patterns, divided by eight.
  private static let codewordCounts: [32 of UInt8] = [
    13, 21, 32, 44, 68, 21, 33, 49, 66, 99, 15, 31, 47, 67, 89, 132, 21, 41, 60, 85, 113, 166, 51, 74, 103, 136, 199,
    61, 88, 122, 160, 232,
  ]
  /// Check codewords per block: M, H of each size (Table 8).
  private static let checkCounts: [64 of UInt8] = [
    7, 10, 9, 14, 12, 22, 16, 30, 24, 22, 9, 14, 12, 22, 18, 16, 24, 22, 18, 22, 8, 10, 12, 20, 16, 16, 24, 22, 16, 30, 24,
    30,
    9, 14, 14, 28, 22, 20, 16, 28, 20, 26, 20, 28, 18, 18, 26, 24, 18, 24, 24, 22, 24, 26, 22, 20, 16, 30, 22, 28, 20, 26,
    20, 26,
  ]
  /// Blocks per symbol: M, H of each size (Table 8).
  private static let blockCounts: [64 of UInt8] = [
    1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 2, 1, 2, 2, 3, 1, 1, 1, 1, 1, 2, 1, 2, 2, 2, 2, 3,
    1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 1, 2, 1, 2, 2, 3, 2, 4, 3, 5, 1, 2, 2, 2, 2, 3, 3, 4, 4, 6,
  ]
  /// Number of bits of the counts of digits, letters, bytes and Kanji, for each size (Table 3).
  private static let countBits: [128 of UInt8] = [
    4, 3, 3, 2, 5, 5, 4, 3, 6, 5, 5, 4, 7, 6, 5, 5, 7, 6, 6, 5,
    5, 5, 4, 3, 6, 5, 5, 4, 7, 6, 5, 5, 7, 6, 6, 5, 8, 7, 6, 6,
    4, 4, 3, 2, 6, 5, 5, 4, 7, 6, 5, 5, 7, 6, 6, 5, 8, 7, 6, 6, 8, 7, 7, 6,
    5, 5, 4, 3, 6, 6, 5, 5, 7, 6, 6, 5, 7, 7, 6, 6, 8, 7, 7, 6, 8, 8, 7, 7,
    7, 6, 6, 5, 7, 7, 6, 5, 8, 7, 7, 6, 8, 7, 7, 6, 9, 8, 7, 7,
    7, 6, 6, 5, 8, 7, 6, 6, 8, 7, 7, 6, 8, 8, 7, 6, 9, 8, 8, 7,
  ]
}
