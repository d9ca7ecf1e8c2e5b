// GS1 DataBar Limited: ISO/IEC 24724 §6.
//
// Two characters of 26 modules around a check character of 18, without any other finder pattern. The lengths of the three,
// from edge to similar edge, identify the symbol.

import BarcodeTypes

/// Element widths of the check characters by value, two bits each, the first element lowest: table 8 of the standard. Odd
/// and even places have nine modules each.
let dataBarLimitedCheckCharacters: [89 of UInt32] = [
  0x5F55555, 0x5B95555, 0x57D5555, 0x5B59555, 0x5799555, 0x575D555, 0x5B55955, 0x5795955, 0x5759955, 0x5755D55,
  0x5B55595, 0x5795595, 0x5759595, 0x5755995, 0x57555D5, 0x5B55559, 0x5795559, 0x5759559, 0x5755959, 0x5755599,
  0x575555D, 0x5E65555, 0x5AA5555, 0x56E5555, 0x5A69555, 0x56A9555, 0x566D555, 0x5A65955, 0x56A5955, 0x5669955,
  0x5665D55, 0x5A65595, 0x56A5595, 0x5669595, 0x5665995, 0x56655D5, 0x5A65559, 0x56A5559, 0x5669559, 0x5665959,
  0x5665599, 0x566555D, 0x5D75555, 0x59B5555, 0x5979555, 0x5975595, 0x5975559, 0x5E56555, 0x5A96555, 0x56D6555,
  0x5A5A555, 0x5A56595, 0x5696595, 0x565A595, 0x5656995, 0x56565D5, 0x5A56559, 0x5696559, 0x5656599, 0x5E55655,
  0x5A95655, 0x56D5655, 0x5A59655, 0x5699655, 0x5A55A55, 0x5A55659, 0x5695659, 0x5659659, 0x5655A59, 0x5655699,
  0x565565D, 0x5E55565, 0x5A95565, 0x56D5565, 0x5A59565, 0x5699565, 0x565D565, 0x5A55965, 0x5695965, 0x5A555A5,
  0x5A95556, 0x56D5556, 0x5A59556, 0x5699556, 0x565D556, 0x5695956, 0x5659956, 0x5695596, 0x59A5556,
]

/// Reads GS1 DataBar Limited from element rows.
enum DataBarLimited {
  /// The number of values of a character.
  private static let characterCount = 2_013_571
  /// The offset that marks a symbol with a two-dimensional component above it.
  private static let linkage = 2_015_133_531_096
  private static let modulus = 89
  /// Number of elements of the three characters.
  private static let elementCount = 42
  /// Minimum light space after the symbol, in modules: the 2011 edition of the standard requires five, and the spaces of other
  /// symbologies have up to four.
  private static let lightModules: Int32 = 4
  /// The largest number, as the indicator digit is 0 or 1.
  private static let numberMax = 1_999_999_999_999

  /// The first light element from `index` on at which three characters of the right lengths may begin; `row.count` if there
  /// is no such element.
  @inline(__always) static func place(in row: ElementRow, from index: Int) -> Int {
    var index = max(1, index)
    if (index & 1 == 0) == row.beginsDark { index &+= 1 }
    let end = row.count &- elementCount &- 1
    while index < end {
      let first = row.edge(index &+ 14)
      let second = row.edge(index &+ 28)
      let left = first &- row.edge(index)
      let check = second &- first
      let right = row.edge(index &+ 42) &- second
      // 26 to 18 and 26 to 26, within a fifteenth.
      if abs(check &* 13 &- left &* 9) &* 15 < left &* 9, abs(right &- left) &* 15 < left { return index }
      index &+= 2
    }
    return row.count
  }

  /// Reads the symbol whose first character begins with element `first`, or returns nil.
  static func read(_ row: ElementRow, at first: Int, into text: ScratchArray<UInt8>) -> LinearCandidate? {
    let last = first + elementCount
    let module = (row.edge(last) - row.edge(first)) / 70
    // A bar before, a space and a bar after, then five modules of light.
    guard last + 2 < row.count, isNarrow(row.width(first - 1), module), isNarrow(row.width(last), module),
      isNarrow(row.width(last + 1), module), row.gapAfter(last + 2) > module * lightModules,
      let left = DataBarCharacter(row, at: first, isMirrored: false, .limited),
      let check = DataBarCharacter(row, at: first + 14, isMirrored: false, .limitedCheck),
      let right = DataBarCharacter(row, at: first + 28, isMirrored: false, .limited),
      let leftValue = left.value(.limited), let rightValue = right.value(.limited),
      let checkValue = checkValue(check),
      (left.checkSum(.limited, exponent: 0, modulus: modulus) + right.checkSum(.limited, exponent: 14, modulus: modulus))
        % modulus == checkValue
    else { return nil }
    let value = leftValue * characterCount + rightValue
    let number = value >= linkage ? value - linkage : value
    guard number <= numberMax else { return nil }
    GTIN.write(number, into: text)
    var candidate = LinearCandidate(.databarLimited, aimModifier: 0x30)
    candidate.isGS1 = true
    candidate.linkage = value >= linkage ? .columns : .none
    candidate.byteCount = 16
    candidate.start = row.edge(first - 1) - module
    candidate.end = row.edge(last + 2)
    candidate.moduleCount = 74
    candidate.misfit = (left.misfit + check.misfit + right.misfit) / 3
    return candidate
  }

  /// The value of a check character; nil if it is not one.
  static func checkValue(_ character: DataBarCharacter) -> Int? {
    var widths: UInt32 = 0
    for index in 0..<14 {
      guard character.width(index) <= 3 else { return nil }
      widths |= UInt32(truncatingIfNeeded: character.width(index)) << UInt32(truncatingIfNeeded: index * 2)
    }
    for value in 0..<modulus where dataBarLimitedCheckCharacters[value] == widths { return value }
    return nil
  }

  /// Whether a width is that of a single module, allowing for ink spread and blur.
  private static func isNarrow(_ width: Int32, _ module: Int32) -> Bool {
    width * 10 > module * 3 && width * 10 < module * 19
  }
}
