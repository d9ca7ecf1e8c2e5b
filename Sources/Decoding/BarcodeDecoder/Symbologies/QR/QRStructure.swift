// The structure of QR Code symbols, for measures of their print.

#if !hasFeature(Embedded)
  public enum QRStructure {
    public static var versions: ClosedRange<Int> { 1...QRTables.versionMax }

    /// Modules per side.
    public static func size(version: Int) -> Int { QRTables.size(version: version) }

    /// The columns, and rows, of the centres of alignment patterns.
    public static func alignmentCoordinates(version: Int) -> [Int] {
      (0..<QRTables.alignmentCount(version: version)).map { QRTables.alignmentCoordinate(version: version, index: $0) }
    }

    /// The modules of a version, in rows from the symbol's top left.
    public static func pattern(version: Int) -> MatrixPattern {
      Arena.withStructureMemory { arena throws(ArenaFull) in
        var layout = try QRLayout(arena: &arena)
        layout.prepare(version: version)
        return pattern(layout)
      }
    }

    private static func pattern(_ layout: QRLayout) -> MatrixPattern {
      MatrixPattern(
        rows: layout.size, columns: layout.size,
        roles: (0..<(layout.size * layout.size)).map { MatrixPattern.Role(layout.modules[$0]) })
    }

    /// Corrects a symbol of a version, without erasures; nil if its format information cannot be read, or a block not corrected.
    ///
    /// - Parameter values: of all modules, row by row, above 0 dark.
    public static func read(_ values: [Int16], version: Int) -> MatrixReading? {
      Arena.withStructureMemory { arena throws(ArenaFull) in
        var layout = try QRLayout(arena: &arena)
        layout.prepare(version: version)
        let size = layout.size
        precondition(values.count == size * size)
        let reader = try QRCodewordReader(arena: &arena)
        let modules = try ScratchArray(values, arena: &arena)
        guard let format = reader.readFormat(modules, size: size),
          reader.read(modules, layout: layout, format: format, usesErasures: false) != nil
        else { return nil }
        let blocks = QRTables.blocks(version: version, level: format.level)
        let pattern = pattern(layout)
        var isDark = pattern.roles.map { $0 == .dark }
        markInformation(&isDark, size: size, version: version, format: format)
        var codewords = [Int?](repeating: nil, count: isDark.count)
        var isWrong = [Bool](repeating: false, count: blocks.codewordCount)
        var bit = 0
        layout.walk { row, column in
          let place = row * size + column
          let isMasked = QRTables.isMasked(format.mask, row: row, column: column)
          let codeword = bit / 8
          // Remainder bits are light before the mask (§7.7.3).
          isDark[place] = isMasked
          if codeword < blocks.codewordCount {
            isDark[place] = (reader.codewords[codeword] & (0x80 >> UInt16(bit % 8)) != 0) != isMasked
            codewords[place] = codeword
            if isDark[place] != (values[place] > 0) { isWrong[codeword] = true }
          }
          bit += 1
        }
        let all = (0..<blocks.count).map { block in
          let count = blocks.dataCount + (block >= blocks.shortCount ? 1 : 0) + blocks.checkCount
          let members = (0..<count).map { reader.sequence(block, position: $0, blocks: blocks, count: count) }
          return MatrixReading.Block(
            codewords: members, checkCount: blocks.checkCount,
            reservedCount: blocks.checkCount - 2 * blocks.correctionMax, wrongCount: members.count { isWrong[$0] })
        }
        return MatrixReading(pattern: pattern, isDark: isDark, codewords: codewords, blocks: all)
      }
    }

    /// Marks the dark modules of format and version information.
    private static func markInformation(_ isDark: inout [Bool], size: Int, version: Int, format: QRFormat) {
      let levelBits = [1, 0, 3, 2][format.level.rawValue]
      let formatBits = QRTables.formatBits(levelBits << 3 | format.mask)
      for bit in 0..<15 where formatBits >> bit & 1 == 1 {
        let places = QRFormat.places(ofBit: bit, size: size)
        isDark[places.first.row * size + places.first.column] = true
        isDark[places.second.row * size + places.second.column] = true
      }
      guard version >= 7 else { return }
      let versionBits = QRTables.versionBits(version)
      for bit in 0..<18 where versionBits >> bit & 1 == 1 {
        let (major, minor) = (bit / 3, size - 11 + bit % 3)
        isDark[major * size + minor] = true
        isDark[minor * size + major] = true
      }
    }

    /// The modules that hold the two copies of the format information.
    public static func formatPlaces(version: Int) -> [[(row: Int, column: Int)]] {
      let size = QRTables.size(version: version)
      let places = (0..<15).map { QRFormat.places(ofBit: $0, size: size) }
      return [places.map(\.first), places.map(\.second)]
    }

    /// The modules that hold the two copies of the version information; none below version 7.
    public static func versionPlaces(version: Int) -> [[(row: Int, column: Int)]] {
      guard version >= 7 else { return [] }
      let size = QRTables.size(version: version)
      let first = (0..<18).map { (row: $0 / 3, column: size - 11 + $0 % 3) }
      return [first, first.map { (row: $0.column, column: $0.row) }]
    }
  }
#endif
