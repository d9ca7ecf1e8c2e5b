// The elements of Code 39, for measures of its print.

#if !hasFeature(Embedded)
  public enum Code39Structure {
    /// The value of the start and stop character; the data characters are below.
    public static let startStop = 43

    /// Whether each of a character's nine elements is wide, the first bar first.
    public static func isWide(in value: Int) -> [Bool] {
      (0..<9).map { code39Patterns[value] >> UInt16(8 - $0) & 1 == 1 }
    }

    /// The ASCII character of a value below `startStop`.
    public static func character(of value: Int) -> UInt8 { unsafe FullASCII.characters.utf8Start[value] }
  }
#endif
