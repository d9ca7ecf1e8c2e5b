// The function patterns of a symbol: modules known in advance, and modules that hold codewords.

/// The modules of a version, row by row (ISO/IEC 18004:2015 §5.3).
@safe struct QRLayout {
  /// 0 before the first version was laid out.
  private(set) var version = 0
  private(set) var size = 0
  private(set) var isModel1 = false
  let modules: ScratchArray<UInt8>

  init(arena: inout Arena) throws(ArenaFull) {
    modules = try ScratchArray(QRTables.sizeMax * QRTables.sizeMax, arena: &arena)
  }

  /// Lays out a version unless it is already laid out.
  mutating func prepare(version: Int, isModel1: Bool = false) {
    if version == self.version, isModel1 == self.isModel1 { return }
    self.version = version
    self.isModel1 = isModel1
    size = QRTables.size(version: version)
    modules.fill(ModuleRole.data, count: size * size)
    for index in 8..<(size - 8) {
      let timing = index & 1 == 0 ? ModuleRole.dark : ModuleRole.light
      modules[6 * size + index] = timing
      modules[index * size + 6] = timing
    }
    markInformation()
    for row in -1...7 {
      for column in -1...7 {
        markFinder(column: 3, row: 3, columnOffset: column - 3, rowOffset: row - 3)
        markFinder(column: size - 4, row: 3, columnOffset: column - 3, rowOffset: row - 3)
        markFinder(column: 3, row: size - 4, columnOffset: column - 3, rowOffset: row - 3)
      }
    }
    let lines = isModel1 ? 0 : QRTables.alignmentCount(version: version)
    for line in 0..<lines {
      for place in 0..<lines where QRLayout.hasAlignment(line: line, place: place, lines: lines) {
        markAlignment(
          column: QRTables.alignmentCoordinate(version: version, index: place),
          row: QRTables.alignmentCoordinate(version: version, index: line))
      }
    }
  }

  /// Whether the crossing of two lines has an alignment pattern: three corners belong to the finders.
  static func hasAlignment(line: Int, place: Int, lines: Int) -> Bool {
    !(line == 0 && (place == 0 || place == lines - 1) || line == lines - 1 && place == 0)
  }

  private func markFinder(column: Int, row: Int, columnOffset: Int, rowOffset: Int) {
    let x = column + columnOffset
    let y = row + rowOffset
    guard x >= 0, x < size, y >= 0, y < size else { return }
    let ring = max(abs(columnOffset), abs(rowOffset))
    modules[y * size + x] = ring == 2 || ring == 4 ? ModuleRole.light : ModuleRole.dark
  }

  private func markAlignment(column: Int, row: Int) {
    for rowOffset in -2...2 {
      for columnOffset in -2...2 {
        let ring = max(abs(columnOffset), abs(rowOffset))
        modules[(row + rowOffset) * size + column + columnOffset] = ring == 1 ? ModuleRole.light : ModuleRole.dark
      }
    }
  }

  private func markInformation() {
    for index in 0..<9 where index != 6 {
      modules[8 * size + index] = ModuleRole.information
      modules[index * size + 8] = ModuleRole.information
    }
    for index in (size - 8)..<size {
      modules[8 * size + index] = ModuleRole.information
      modules[index * size + 8] = ModuleRole.information
    }
    if isModel1 { return }
    modules[(size - 8) * size + 8] = ModuleRole.dark
    guard version >= 7 else { return }
    for major in 0..<6 {
      for minor in (size - 11)..<(size - 8) {
        modules[major * size + minor] = ModuleRole.information
        modules[minor * size + major] = ModuleRole.information
      }
    }
  }
}
