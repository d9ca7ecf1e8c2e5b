// The characters of the four-state codes of Royal Mail and PostNL: four bars, two with an ascender and two with a descender.
// The ascenders give the character's row in a table of six by six, the descenders its column.

/// Reads characters of four bars.
enum FourStateCharacters {
  static let barCount = 4
  /// The number of rows, and of columns.
  static let sideCount = 6
  /// The pairs in the order of rows and columns, the first bar uppermost.
  private static let pairs: [6 of Int] = [0b0011, 0b0101, 0b0110, 0b1001, 0b1010, 0b1100]

  /// The row and the column of the character that begins with a bar; nil if the bars are no character.
  static func character(_ bars: PostBars, at first: Int) -> (row: Int, column: Int)? {
    guard let row = place(bars.bits(at: first, barCount, of: PostBars.ascender)),
      let column = place(bars.bits(at: first, barCount, of: PostBars.descender))
    else { return nil }
    return (row, column)
  }

  /// The character of a row and a column: the digits and capital letters in order.
  static func byte(row: Int, column: Int) -> UInt8 {
    let value = UInt8(truncatingIfNeeded: sideCount * row + column)
    return value < 10 ? 0x30 + value : 0x41 + value - 10
  }

  private static func place(_ bits: Int) -> Int? {
    for index in pairs.indices where pairs[index] == bits { return index }
    return nil
  }
}
