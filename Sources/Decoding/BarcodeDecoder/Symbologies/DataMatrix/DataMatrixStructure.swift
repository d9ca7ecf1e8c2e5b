// The structure of Data Matrix symbols, for measures of their print.

#if !hasFeature(Embedded)
  public enum DataMatrixStructure {
    /// Check codewords up to which one is reserved against misreads (ISO/IEC 16022:2006 §5.7.1).
    private static let fewCheckCount = 7

    /// Rows and columns of the sizes, by their index.
    public static var sizes: [(rows: Int, columns: Int)] {
      (0..<DataMatrixTables.sizeCount).map { index in
        let size = DataMatrixTables.size(index)
        return (size.rows, size.columns)
      }
    }

    /// The modules of a size, in rows from the symbol's top left.
    public static func pattern(size index: Int) -> MatrixPattern {
      Arena.withStructureMemory { arena throws(ArenaFull) in
        var layout = try DataMatrixLayout(arena: &arena)
        layout.prepare(index)
        return pattern(layout)
      }
    }

    private static func pattern(_ layout: DataMatrixLayout) -> MatrixPattern {
      MatrixPattern(
        rows: layout.size.rows, columns: layout.size.columns,
        roles: (0..<(layout.size.rows * layout.size.columns)).map { MatrixPattern.Role(layout.roles[$0]) })
    }

    /// Corrects a symbol of a size, without erasures; nil if it cannot be corrected.
    ///
    /// - Parameter values: of all modules, row by row, above 0 dark.
    public static func read(_ values: [Int16], size index: Int) -> MatrixReading? {
      Arena.withStructureMemory { arena throws(ArenaFull) in
        var layout = try DataMatrixLayout(arena: &arena)
        layout.prepare(index)
        let size = layout.size
        precondition(values.count == size.rows * size.columns)
        let reader = try DataMatrixCodewordReader(arena: &arena)
        guard let correction = reader.read(try ScratchArray(values, arena: &arena), layout: layout, usesErasures: false)
        else {
          return nil
        }
        let pattern = pattern(layout)
        var isDark = pattern.roles.map { $0 == .dark }
        var codewords = [Int?](repeating: nil, count: isDark.count)
        var isWrong = [Bool](repeating: false, count: size.codewordCount)
        for place in isDark.indices where layout.bits[place] != DataMatrixLayout.noBit {
          let bit = layout.bits[place]
          let codeword = Int(bit >> 3)
          isDark[place] = reader.codewords[codeword] & (0x80 >> (bit & 7)) != 0
          codewords[place] = codeword
          if isDark[place] != (values[place] > 0) { isWrong[codeword] = true }
        }
        let blocks = (0..<size.blockCount).map { block in
          let members = (0..<(size.blockDataCount(block) + size.blockCheckCount)).map {
            reader.sequence(block, $0, size, correction.checkShift)
          }
          return MatrixReading.Block(
            codewords: members, checkCount: size.blockCheckCount,
            reservedCount: size.blockCheckCount <= fewCheckCount ? 1 : 0, wrongCount: members.count { isWrong[$0] })
        }
        return MatrixReading(pattern: pattern, isDark: isDark, codewords: codewords, blocks: blocks)
      }
    }
  }
#endif
