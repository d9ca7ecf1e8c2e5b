// The table of a symbology for the reader of characters; each is in the symbology's folder.

import BarcodeTypes

/// A symbology whose characters all begin with a bar, end with a space and are equally wide. Widths are in quarters of a module,
/// which is a narrow element.
protocol CellCharacters {
  /// Number of values, and of elements of a character.
  static var counts: (values: Int, elements: Int) { get }
  /// The least and the greatest number of characters, with start, check and stop characters.
  static var characterCounts: ClosedRange<Int> { get }
  /// Widths of wide elements; one if the symbology has more than two widths.
  static var ratios: ClosedRange<Int> { get }
  /// The width of a space behind the last bar that belongs to the last character.
  static var gap: Int { get }
  /// The width of a bar behind the last character; 0 for none.
  static var lastBar: Int { get }
  /// The check sum is a multiple of this.
  static var modulus: Int { get }

  static func isWanted(_ settings: DecoderSettings) -> Bool

  /// The width of an element of a character.
  static func width(of element: Int, in value: Int, ratio: Int) -> Int
  /// The values that a character may have by its place among `count`.
  static func range(at place: Int, of count: Int) -> Range<Int>
  /// The weight of a character in the check sum.
  static func weight(at place: Int, of count: Int) -> Int
  /// Writes the text of characters; nil if they do not make one.
  static func write(
    _ values: ScratchArray<UInt8>, count: Int, _ settings: DecoderSettings, into text: ScratchArray<UInt8>
  ) -> LinearCandidate?
}

extension CellCharacters {
  /// The width of every character.
  static func cellWidth(ratio: Int) -> Int {
    var sum = 0
    for element in 0..<counts.elements { sum += width(of: element, in: 0, ratio: ratio) }
    return sum
  }

  /// The width of a symbol.
  static func width(count: Int, ratio: Int) -> Int {
    count * cellWidth(ratio: ratio) + lastBar - gap
  }

  /// The ratio that is tried first.
  static var middleRatio: Int { (ratios.lowerBound + ratios.upperBound) / 2 }

  /// Number of edges of a symbol.
  static func edgeCount(_ count: Int) -> Int { count * counts.elements + (lastBar > 0 ? 2 : 0) }
}
