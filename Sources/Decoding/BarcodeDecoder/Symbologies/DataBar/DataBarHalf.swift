// GS1 DataBar Omnidirectional, Truncated, Stacked and Stacked Omnidirectional: ISO/IEC 24724 §4 and §5.
//
// Two halves, side by side or one above the other, each of two characters around a finder pattern. The choice of the two
// patterns, out of nine each, encodes the check value of the four characters.

import BarcodeTypes

/// The beginning of a half in the picture, and the vector from there to its end, in 1/256 pixels.
struct DataBarHalfPlace: BitwiseCopyable {
  var x: Int32 = 0
  var y: Int32 = 0
  var alongX: Int32 = 0
  var alongY: Int32 = 0

  /// Whether a right half completes this one: it is as long and in the same direction, and either follows this one or begins
  /// below or above this one's beginning in a row of its own, within a quarter of a half's length.
  func isCompleted(by right: DataBarHalfPlace) -> Bool {
    let length = alongX.multiplied(by: alongX, plus: alongY, alongY)
    let common = alongX.multiplied(by: right.alongX, plus: alongY, right.alongY)
    let behind = alongX.multiplied(by: right.x - x, plus: alongY, right.y - y)
    func isNear(_ a: Int64, _ b: Int64) -> Bool { 4 * abs(a - b) <= length }
    return isNear(common, length) && (isNear(behind, 0) || isNear(behind, length))
  }

  /// Whether a right half that completes this one follows it, rather than being in another row.
  func isBeside(_ right: DataBarHalfPlace) -> Bool {
    2 * alongX.multiplied(by: right.x - x, plus: alongY, right.y - y)
      > alongX.multiplied(by: alongX, plus: alongY, alongY)
  }
}

extension Int32 {
  fileprivate func multiplied(by other: Int32, plus a: Int32, _ b: Int32) -> Int64 {
    Int64(self) * Int64(other) + Int64(a) * Int64(b)
  }
}

/// One half of a symbol.
struct DataBarHalf {
  /// The number of values of an inner character.
  static let innerCount = 1597
  /// The number of values of a half: outer characters times inner ones.
  static let count = 2841 * innerCount
  static let modulus = 79
  /// The offset of the numbers of symbols with a two-dimensional component above them.
  private static let linkage = 10_000_000_000_000
  /// In a tally, the pieces for halves follow those for Expanded.
  static let leftPiece = DataBarExpanded.pieceCount
  static let pieceCount = 2

  /// The value of the pattern times `count`, plus the half's own.
  var value: Int
  var checkSum: Int

  /// A half made of two characters; nil if they are not valid.
  init?(outer: DataBarCharacter, inner: DataBarCharacter, pattern: Int, isRight: Bool) {
    guard let outerValue = outer.value(.outer), let innerValue = inner.value(.inner) else { return nil }
    value = pattern * DataBarHalf.count + outerValue * DataBarHalf.innerCount + innerValue
    // Eight weights for each of the four characters; those of the right half follow those of the left.
    let exponent = isRight ? 16 : 0
    checkSum =
      outer.checkSum(.outer, exponent: exponent, modulus: DataBarHalf.modulus)
      + inner.checkSum(.inner, exponent: exponent + 8, modulus: DataBarHalf.modulus)
  }

  /// The number of a symbol of two halves, from `linkage` on with a two-dimensional component; nil if the patterns do not match its check value.
  static func number(left: UInt32, leftSum: Int, right: UInt32, rightSum: Int) -> Int? {
    var patterns = Int(left) / count * 9 + Int(right) / count
    // Two of the 81 pairs are not used: 08 and 80.
    guard patterns != 8, patterns != 72 else { return nil }
    if patterns > 72 { patterns -= 1 }
    if patterns > 8 { patterns -= 1 }
    guard (leftSum + rightSum) % modulus == patterns else { return nil }
    let number = Int(left) % count * count + Int(right) % count
    return number < 2 * linkage ? number : nil
  }

  /// The number of a symbol, given readings of both halves.
  static func number(_ left: DataBarTally.Reading, _ right: DataBarTally.Reading) -> Int? {
    number(left: left.value, leftSum: Int(left.checkSum), right: right.value, rightSum: Int(right.checkSum))
  }

  /// Makes a symbol's candidate and writes its text.
  static func candidate(_ number: Int, misfit: Int32, into text: ScratchArray<UInt8>) -> LinearCandidate {
    let isLinked = number >= linkage
    GTIN.write(isLinked ? number - linkage : number, into: text)
    var candidate = LinearCandidate(.databar, aimModifier: 0x30)
    candidate.isGS1 = true
    candidate.linkage = isLinked ? .columns : .none
    candidate.byteCount = 16
    candidate.misfit = misfit
    return candidate
  }
}
