// The tables of ISO/IEC 18004:2015 for Micro QR Code: four versions with a single finder pattern, and their format
// information.

/// A version of Micro QR Code, M1 to M4, with its error correction level.
struct MicroQRFormat: BitwiseCopyable {
  /// 1 for M1 to 4 for M4.
  var version: Int
  /// The data mask pattern, as numbered for QR Code (Table 10).
  var mask: Int
  /// Number of data bits; the last codeword of M1 and M3 has only four.
  var dataBitCount: Int
  /// The codewords, in a single block.
  var blocks: QRBlocks
  /// Number of wrong bits in the format information.
  var wrongBitCount: Int

  /// Data bits, check codewords, and correctable errors (Tables 1, 7 and 9), by the symbol number of the format information:
  /// M1, M2-L, M2-M, M3-L, M3-M, M4-L, M4-M, M4-Q.
  private static let dataBitCounts: [8 of UInt8] = [20, 40, 32, 84, 68, 128, 112, 80]
  private static let checkCounts: [8 of UInt8] = [2, 5, 6, 6, 8, 8, 10, 14]
  private static let correctionMaxima: [8 of UInt8] = [0, 1, 2, 2, 4, 3, 5, 7]
  private static let versions: [8 of UInt8] = [1, 2, 2, 3, 3, 4, 4, 4]

  /// Decodes the five data bits of the format information (§7.9.2): three of the symbol number, two of the mask.
  init(data: Int, wrongBitCount: Int) {
    let number = data >> 2 & 7
    version = Int(MicroQRFormat.versions[number])
    mask = MicroQRFormat.masks(data & 3)
    dataBitCount = Int(MicroQRFormat.dataBitCounts[number])
    blocks = QRBlocks(
      shortCount: 1, longCount: 0, dataCount: (dataBitCount + 7) / 8, checkCount: Int(MicroQRFormat.checkCounts[number]),
      correctionMax: Int(MicroQRFormat.correctionMaxima[number]))
    self.wrongBitCount = wrongBitCount
  }

  /// Maps the four masks of Micro QR Code to their numbers in QR Code (Table 10).
  private static func masks(_ reference: Int) -> Int {
    switch reference {
    case 0: 1
    case 1: 4
    case 2: 6
    default: 7
    }
  }

  /// The 15 bits of the format information for five data bits, masked (§7.9.2).
  static func formatBits(_ data: Int) -> Int { QRTables.formatBits(data) ^ 0x5412 ^ 0x4445 }

  /// Modules per side (§5.3.1).
  static func size(version: Int) -> Int { 9 + 2 * version }

  /// Modules per side of M4.
  static let sizeMax = 17
}

/// The modules of a version, row by row (ISO/IEC 18004:2015 §5.3).
@safe struct MicroQRLayout {
  private(set) var size = 0
  let modules: ScratchArray<UInt8>

  init(arena: inout Arena) throws(ArenaFull) {
    modules = try ScratchArray(MicroQRFormat.sizeMax * MicroQRFormat.sizeMax, arena: &arena)
  }

  /// Lays out a version.
  mutating func prepare(version: Int) {
    size = MicroQRFormat.size(version: version)
    modules.fill(ModuleRole.data, count: size * size)
    for index in 1..<9 {
      modules[8 * size + index] = ModuleRole.information
      modules[index * size + 8] = ModuleRole.information
    }
    for index in 8..<size {
      let timing = index & 1 == 0 ? ModuleRole.dark : ModuleRole.light
      modules[index] = timing
      modules[index * size] = timing
    }
    for row in 0..<8 {
      for column in 0..<8 {
        let ring = max(abs(row - 3), abs(column - 3))
        modules[row * size + column] = ring == 2 || ring == 4 ? ModuleRole.light : ModuleRole.dark
      }
    }
  }
}
