// GS1 DataBar Expanded and Expanded Stacked: ISO/IEC 24724 §7.
//
// 4 to 22 characters form pairs around finder patterns. The first character gives their number and checks all others. The
// number of patterns determines their sequence, and no pattern occurs twice in it, so the pattern next to a character
// identifies its position, on any row of a stacked symbol.

import BarcodeTypes

/// The finder patterns of a symbol by their number, from two on: table 9 of the standard. A to F, 0 to 5, are hexadecimal
/// digits, the first pattern lowest; patterns at even places are mirrored.
let dataBarPatternSequences: [10 of UInt64] = [
  0x00, 0x110, 0x3120, 0x23140, 0x533140, 0x5543140, 0x3322_1100, 0x4_4322_1100, 0x55_4322_1100, 0x554_4332_1100,
]

/// The characters of an Expanded symbol.
struct DataBarExpanded {
  /// The most characters in a symbol.
  static let characterCountMax = 22
  /// The fewest characters; the first one encodes the number of further ones.
  static let characterCountMin = 4
  /// Two characters at each of twelve patterns.
  static let pieceCount = 24
  static let modulus = 211

  var values: [22 of UInt16] = .init(repeating: 0)
  /// The contribution of each character to the check sum.
  var checkSums: [22 of UInt16] = .init(repeating: 0)
  /// Number of characters so far.
  var count = 0
  var misfit: Int32 = 0

  /// The piece of a character, given by its finder pattern and its side.
  static func piece(pattern: Int, isMirrored: Bool, isRight: Bool) -> Int {
    pattern * 4 + (isMirrored ? 2 : 0) + (isRight ? 1 : 0)
  }

  /// The piece at a place in a symbol of `count` characters.
  static func piece(at index: Int, of count: Int) -> Int {
    let place = index / 2
    let sequence = dataBarPatternSequences[(count + 1) / 2 - 2]
    let pattern = Int(truncatingIfNeeded: sequence >> UInt64(truncatingIfNeeded: place * 4) & 0xF)
    return piece(pattern: pattern, isMirrored: place & 1 == 1, isRight: index & 1 == 1)
  }

  /// A character's contribution to the check sum: weights are powers of three, eight per piece from the second piece on.
  static func checkSum(_ character: DataBarCharacter, piece: Int) -> Int {
    piece == 0 ? 0 : character.checkSum(.expanded, exponent: (piece - 1) * 8, modulus: modulus)
  }

  /// The number of characters according to the check character; nil if it exceeds the maximum.
  var neededCount: Int? {
    let needed = Int(values[0]) / DataBarExpanded.modulus + DataBarExpanded.characterCountMin
    return needed <= DataBarExpanded.characterCountMax ? needed : nil
  }

  /// Adds a character at the end.
  mutating func append(value: UInt32, checkSum: UInt16, misfit: Int32) {
    guard count < DataBarExpanded.characterCountMax else { return }
    values[count] = UInt16(truncatingIfNeeded: value)
    checkSums[count] = checkSum
    self.misfit += misfit
    count += 1
  }

  /// The text of a complete symbol; nil if the check character or the message is wrong.
  func message(into text: ScratchArray<UInt8>) -> LinearCandidate? {
    guard count >= DataBarExpanded.characterCountMin, neededCount == count else { return nil }
    var sum = 0
    for index in 1..<count {
      guard values[index] < 4096 else { return nil }
      sum += Int(checkSums[index])
    }
    guard sum % DataBarExpanded.modulus == Int(values[0]) % DataBarExpanded.modulus else { return nil }
    let bits = DataBarExpandedBits(values, count: count)
    guard let byteCount = DataBarExpandedMessage(bits, into: text).write() else { return nil }
    var candidate = LinearCandidate(.databarExpanded, aimModifier: 0x30)
    candidate.isGS1 = true
    candidate.linkage = bits.isLinked ? .columns : .none
    candidate.byteCount = byteCount
    candidate.misfit = misfit / Int32(truncatingIfNeeded: count)
    return candidate
  }
}
