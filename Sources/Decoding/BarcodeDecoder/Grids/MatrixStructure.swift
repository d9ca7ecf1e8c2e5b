// The structure of a matrix symbol for measures of its print: which module is fixed, which belongs to which codeword, and which
// were printed dark. It is made after a symbol was read, on the heap; the embedded decoder leaves it out.

#if !hasFeature(Embedded)
  /// The modules of a symbol size, row by row.
  public struct MatrixPattern: Sendable {
    public enum Role: Sendable {
      /// A module of a finder, timing or alignment pattern, always light or always dark.
      case light, dark
      /// Holds a bit that describes the symbol, such as format and version information.
      case information
      /// Holds a bit of a codeword, or nothing.
      case data
    }

    public let rows: Int
    public let columns: Int
    public let roles: [Role]

    public init(rows: Int, columns: Int, roles: [Role]) {
      precondition(roles.count == rows * columns)
      (self.rows, self.columns, self.roles) = (rows, columns, roles)
    }
  }

  /// A symbol's modules and codewords after error correction.
  public struct MatrixReading: Sendable {
    /// Codewords that correct each other.
    public struct Block: Sendable {
      /// The codewords' numbers in the symbol.
      public let codewords: [Int]
      public let checkCount: Int
      /// Check codewords reserved against misreads, "p" in the standards.
      public let reservedCount: Int
      /// Codewords that were read wrong.
      public let wrongCount: Int

      public init(codewords: [Int], checkCount: Int, reservedCount: Int, wrongCount: Int) {
        (self.codewords, self.checkCount, self.reservedCount, self.wrongCount) = (
          codewords, checkCount, reservedCount, wrongCount
        )
      }
    }

    public let pattern: MatrixPattern
    /// Whether each module is meant to be dark.
    public let isDark: [Bool]
    /// The codeword of each module; nil for a module without one.
    public let codewords: [Int?]
    public let blocks: [Block]

    public init(pattern: MatrixPattern, isDark: [Bool], codewords: [Int?], blocks: [Block]) {
      precondition(isDark.count == pattern.roles.count && codewords.count == isDark.count)
      (self.pattern, self.isDark, self.codewords, self.blocks) = (pattern, isDark, codewords, blocks)
    }
  }

  extension MatrixPattern.Role {
    /// - Parameter role: of `ModuleRole`.
    init(_ role: UInt8) {
      switch role {
      case ModuleRole.light: self = .light
      case ModuleRole.dark: self = .dark
      case ModuleRole.information: self = .information
      default: self = .data
      }
    }
  }

  extension Arena {
    /// Memory for the layout and the codewords of the largest symbol.
    private static let structureByteCount = 2 << 20

    /// Calls a function with an arena of its own.
    static func withStructureMemory<Result>(_ body: (inout Arena) throws(ArenaFull) -> Result) -> Result {
      let memory = UnsafeMutableRawPointer.allocate(byteCount: structureByteCount, alignment: 64)
      defer { unsafe memory.deallocate() }
      var arena = unsafe Arena(base: memory, byteCount: structureByteCount)
      do throws(ArenaFull) {
        return try body(&arena)
      } catch {
        preconditionFailure("the largest symbol fits")
      }
    }
  }

  extension ScratchArray<Int16> {
    /// Copies the values of modules, or of what fits.
    init(_ values: [Int16], arena: inout Arena) throws(ArenaFull) {
      try self.init(values.count, arena: &arena)
      for index in 0..<values.count { self[index] = values[index] }
    }
  }
#endif
