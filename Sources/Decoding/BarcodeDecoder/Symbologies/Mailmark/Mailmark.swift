// Royal Mail's four-state Mailmark, barcodes C and L: "Mailmark barcode C encoding and decoding" and its counterpart for L.
//
// The fields of a letter are one number, which is written in symbols of six bits: the first ones with base 30 and an even number of
// bits set, the others with base 32 and an odd number. Check symbols follow. Three bars hold a symbol, and a table scatters the symbols
// over the bars.

import BarcodeTypes

/// The group of bars of each symbol: of barcode C, and of L.
private let mailmarkGroupsC: [22 of UInt8] = [
  3, 5, 7, 11, 13, 14, 16, 17, 19, 0, 1, 2, 4, 6, 8, 9, 10, 12, 15, 18, 20, 21,
]
private let mailmarkGroupsL: [26 of UInt8] = [
  2, 5, 7, 8, 13, 14, 15, 16, 21, 22, 23, 0, 1, 3, 4, 6, 9, 10, 11, 12, 17, 18, 19, 20, 24, 25,
]

/// Reads Mailmark from bars.
enum Mailmark {
  private static let groupBars = 3
  private static let polynomial = 0b10_0101
  /// The numbers of values of a symbol with an even, and with an odd number of bits set.
  private static let (evenRange, oddRange) = (30, 32)
  /// The numbers of values of the fields.
  private static let (versionRange, formatRange, classRange) = (4, 5, 15)
  private static let itemCount = 8
  private static let postcodeCount = 9
  /// The characters of the postcode's formats: any letter, a letter of the inward part, a digit and a space, in the order of the
  /// numbers that they have.
  private static let formats: [6 of StaticString] = [
    "ANANLLNLS", "AANNLLNLS", "AANNNLLNL", "AANANLLNL", "ANNLLNLSS", "ANNNLLNLS",
  ]
  private static let inwardLetters: StaticString = "ABDEFGHJLNPQRSTUWXYZ"
  /// The postcode of mail to other countries.
  private static let international: StaticString = "XY11     "

  /// The two barcodes.
  private struct Size {
    let symbolCount: Int
    /// The symbols with base 30, those with base 32, and the check symbols.
    let (evenCount, oddCount, checkCount): (Int, Int, Int)
    /// The digits of the supply chain's number.
    let supplyCount: Int
  }

  private static func size(_ barCount: Int) -> Size? {
    switch barCount {
    case 66: Size(symbolCount: 22, evenCount: 9, oddCount: 7, checkCount: 6, supplyCount: 2)
    case 78: Size(symbolCount: 26, evenCount: 11, oddCount: 8, checkCount: 7, supplyCount: 6)
    default: nil
    }
  }

  /// Reads the bars of a symbol, or returns nil.
  static func read(_ bars: PostBars, into text: ScratchArray<UInt8>) -> LinearCandidate? {
    guard bars.kind == .fourStates, let size = size(bars.count) else { return nil }
    var symbols: [26 of Int] = .init(repeating: 0)
    var number = WideNumber()
    for index in 0..<size.symbolCount {
      let group = Int(size.symbolCount == 22 ? mailmarkGroupsC[index] : mailmarkGroupsL[index])
      let bits = bits(bars, group)
      // Of two neighbouring numbers of six bits, one has an even number of bits set. 0 and 63 are not used.
      let isEven = index < size.evenCount
      guard (bits.nonzeroBitCount & 1 == 0) == isEven, !isEven || (bits != 0 && bits != 63) else { return nil }
      symbols[index] = isEven ? bits >> 1 - 1 : bits >> 1
      if index < size.evenCount + size.oddCount {
        number.multiply(by: isEven ? evenRange : oddRange, adding: symbols[index])
      }
    }
    guard
      PostCheck.isCodeword(
        count: size.symbolCount, checkCount: size.checkCount, polynomial: polynomial, { symbols[$0] }),
      let count = write(number, size, into: text)
    else { return nil }
    var candidate = LinearCandidate(.mailmark, aimModifier: 0x30)
    candidate.byteCount = count
    return candidate
  }

  /// The six bits of a group of bars: those of one end, then those of the other.
  private static func bits(_ bars: PostBars, _ group: Int) -> Int {
    let high = group & 1 == 0 ? PostBars.ascender : PostBars.descender
    return bars.bits(at: groupBars * group, groupBars, of: high) << groupBars
      | bars.bits(at: groupBars * group, groupBars, of: PostBars.full ^ high)
  }

  /// Writes the fields: format, version, class, supply chain, item and postcode. Returns the number of bytes.
  private static func write(_ number: WideNumber, _ size: Size, into text: ScratchArray<UInt8>) -> Int? {
    var rest = number
    text[1] = UInt8(truncatingIfNeeded: 0x31 + rest.divide(by: versionRange))
    text[0] = UInt8(truncatingIfNeeded: 0x30 + rest.divide(by: formatRange))
    let mailClass = rest.divide(by: classRange)
    text[2] = UInt8(truncatingIfNeeded: mailClass < 10 ? 0x30 + mailClass : 0x41 + mailClass - 10)
    let supply = rest.divide(by: size.supplyCount == 2 ? 100 : 1_000_000)
    DecimalDigits.write(supply, size.supplyCount, into: text, at: 3)
    DecimalDigits.write(rest.divide(by: 100_000_000), itemCount, into: text, at: 3 + size.supplyCount)
    let place = 3 + size.supplyCount + itemCount
    guard let postcode = rest.small, writePostcode(postcode, into: text, at: place) else { return nil }
    return place + postcodeCount
  }

  /// Writes a postcode by its number. Returns whether there is one.
  private static func writePostcode(_ number: Int, into text: ScratchArray<UInt8>, at place: Int) -> Bool {
    guard number > 0 else {
      for index in 0..<postcodeCount { unsafe text[place + index] = international.utf8Start[index] }
      return true
    }
    var rest = number - 1
    for index in formats.indices {
      let format = formats[index]
      var range = 1
      for character in 0..<postcodeCount { range *= unsafe Mailmark.range(format.utf8Start[character]) }
      guard rest >= range else {
        for character in (0..<postcodeCount).reversed() {
          let kind = unsafe format.utf8Start[character]
          let count = Mailmark.range(kind)
          text[place + character] = byte(kind, rest % count)
          rest /= count
        }
        return true
      }
      rest -= range
    }
    return false
  }

  /// The number of characters of a kind.
  private static func range(_ kind: UInt8) -> Int {
    switch kind {
    case 0x41: 26
    case 0x4C: 20
    case 0x4E: 10
    default: 1
    }
  }

  private static func byte(_ kind: UInt8, _ value: Int) -> UInt8 {
    switch kind {
    case 0x41: UInt8(truncatingIfNeeded: 0x41 + value)
    case 0x4C: unsafe inwardLetters.utf8Start[value]
    case 0x4E: UInt8(truncatingIfNeeded: 0x30 + value)
    default: 0x20
    }
  }
}
