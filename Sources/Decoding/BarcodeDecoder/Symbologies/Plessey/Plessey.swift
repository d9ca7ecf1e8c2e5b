// Plessey Code from the edges of a line: inferred from public descriptions of the British symbology of 1971.
//
// A character is four bits, the lowest first, and a bit is a bar and a space: wide and narrow for 1, narrow and wide for 0. After
// the data come eight bits of a cyclic redundancy check, a wide bar, and the start of the other direction.

import BarcodeTypes

/// Wide elements of the sixteen characters: two bits per bit of the character, 10 for 1 and 01 for 0.
private let plesseyPatterns: [16 of UInt16] = [
  0x55, 0x95, 0x65, 0xA5, 0x59, 0x99, 0x69, 0xA9, 0x56, 0x96, 0x66, 0xA6, 0x5A, 0x9A, 0x6A, 0xAA,
]

/// Reads Plessey Code from element rows.
enum Plessey {
  /// The bits 1, 1, 0, 1 begin a symbol. It ends with the wide bar and, read backwards, the bits 1, 1, 0, 0, whose last space adjoins
  /// that bar.
  private static let format = TwoWidthFormat(
    start: 0b10_10_01_10, startCount: 8, stop: 0b1_1010_0101, stopCount: 9, characterCount: 8, patternCount: 8,
    lengthMin: checkCount + 1)
  /// The characters that hold the bits of the check.
  private static let checkCount = 2
  /// The polynomial of the check, its highest power uppermost.
  private static let polynomial = 0b1_1110_1001
  private static let overflow = 0b1_0000_0000
  private static let (zero, letterA): (UInt8, UInt8) = (0x30, 0x41)

  /// Reads a symbol that begins with the dark edge `first`, or returns nil.
  static func read(_ row: ElementRow, from first: Int, into text: ScratchArray<UInt8>) -> LinearCandidate? {
    guard
      let symbol = row.readTwoWidths(from: first, format, into: text, patternCount: 16, pattern: { plesseyPatterns[$0] }),
      isChecked(text, count: symbol.count)
    else { return nil }
    let count = symbol.count - checkCount
    for index in 0..<count { text[index] = text[index] < 10 ? zero + text[index] : letterA + text[index] - 10 }
    var candidate = LinearCandidate(.plessey, aimModifier: 0x30)
    candidate.hasCheckDigit = true
    candidate.byteCount = count
    candidate.place(row, from: first, to: symbol.last, misfit: symbol.misfit)
    candidate.endPart = symbol.endPart(of: candidate.moduleCount)
    return candidate
  }

  /// Whether the bits of all characters, as a polynomial, are a multiple of that of the check.
  private static func isChecked(_ text: ScratchArray<UInt8>, count: Int) -> Bool {
    var rest = 0
    for index in 0..<count {
      for bit in 0..<4 {
        rest = rest << 1 | Int(text[index]) >> bit & 1
        if rest & overflow != 0 { rest ^= polynomial }
      }
    }
    return rest == 0
  }
}
