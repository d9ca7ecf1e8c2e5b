// The elements of Code 128, for measures of its print.

#if !hasFeature(Embedded)
  public enum Code128Structure {
    /// The value of the stop character, whose last bar `widths` leaves out.
    public static let stop = 106
    /// The values of the start characters.
    public static let starts = 103...105

    /// The widths of a character's six elements, in modules, the first bar first.
    public static func widths(of value: Int) -> [Int] {
      (0..<6).map { Code128Characters.width(of: $0, in: value, ratio: 4) / 4 }
    }
  }
#endif
