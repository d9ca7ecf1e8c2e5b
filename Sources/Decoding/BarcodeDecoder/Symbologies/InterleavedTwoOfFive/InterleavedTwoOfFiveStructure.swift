// The elements of Interleaved 2 of 5, for measures of its print.

#if !hasFeature(Embedded)
  public enum InterleavedTwoOfFiveStructure {
    /// Whether each of a digit's five elements is wide.
    public static func isWide(in digit: Int) -> [Bool] {
      (0..<5).map { interleavedPatterns[digit] >> UInt16(4 - $0) & 1 == 1 }
    }
  }
#endif
