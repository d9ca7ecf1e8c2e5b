// The elements of EAN and UPC symbols, for measures of their print.

#if !hasFeature(Embedded)
  public enum EANUPCStructure {
    /// The widths of a digit's four elements, in modules. Number set C has those of A, with bars and spaces exchanged.
    public static func widths(of digit: Int, isSetB: Bool) -> [Int] {
      (0..<4).map { Int(digitWidths[(isSetB ? 40 : 0) + 4 * digit + $0]) }
    }
  }
#endif
