// USPS Intelligent Mail: USPS-B-3200, clauses 3.2 and appendix D.
//
// The tracking code of 20 digits and the routing code of 0, 5, 9 or 11 digits form a number of 102 bits, which ten codewords encode.
// Each codeword selects a character of 13 bits with 5 or 2 bits set. Eleven check bits invert characters and change a codeword.
// Ascenders and descenders of the 65 bars show the 130 bits, in an order that spreads each character over the symbol.

import BarcodeTypes

/// For each bit of the ten characters, the lowest first, its place: from 1 the descenders of the 65 bars, from 66 the ascenders.
private let intelligentMailPlaces: [130 of UInt8] = [
  67, 6, 78, 16, 86, 95, 34, 40, 45, 113, 117, 121, 62, 87, 18, 104, 41, 76, 57, 119, 115, 72, 97, 2, 127, 26, 105, 35, 122,
  52, 114, 7, 24, 82, 68, 63, 94, 44, 77, 112, 70, 100, 39, 30, 107, 15, 125, 85, 10, 65, 54, 88, 20, 106, 46, 66, 8, 116,
  29,
  61, 99, 80, 90, 37, 123, 51, 25, 84, 129, 56, 4, 109, 96, 28, 36, 47, 11, 71, 33, 102, 21, 9, 17, 49, 124, 79, 64, 91, 42,
  69, 53, 60, 14, 1, 27, 103, 126, 75, 89, 50, 120, 19, 32, 110, 92, 111, 130, 59, 31, 12, 81, 43, 55, 5, 74, 22, 101, 128,
  58, 118, 48, 108, 38, 98, 93, 23, 83, 13, 73, 3,
]

/// Reads Intelligent Mail from bars.
enum IntelligentMail {
  private static let barCount = 65
  private static let (characterCount, characterBits) = (10, 13)
  private static let characterMask = 0x1FFF
  /// The number of characters with 5 bits set, which come before those with 2.
  private static let fiveCount = 1287
  /// The number of values of a codeword, and of the last one, which is doubled.
  private static let (codewordRange, lastRange) = (1365, 636)
  /// The offset of the first codeword that carries the highest bit of the check.
  private static let checkOffset = 659
  private static let numberBits = 102
  private static let (checkStart, checkPolynomial, checkMask) = (0x7FF, 0xF35, 0x7FF)
  private static let checkBits = 11
  private static let trackingCount = 20
  /// The second digit of the tracking code has five values.
  private static let secondDigitRange = 5
  /// The first numbers of routing codes with 5, 9 and 11 digits.
  private static let routingStarts: [3 of (first: Int, digits: Int)] = [(1, 5), (100_001, 9), (1_000_100_001, 11)]
  private static let routingEnd = 101_000_100_001

  /// Reads the bars of a symbol, or returns nil.
  static func read(_ bars: PostBars, into text: ScratchArray<UInt8>) -> LinearCandidate? {
    guard bars.kind == .fourStates, bars.count == barCount else { return nil }
    var codewords: [10 of Int] = .init(repeating: 0)
    var check = 0
    for index in 0..<characterCount {
      var character = character(bars, index)
      // An inverted character has 8 or 11 bits set.
      if character.nonzeroBitCount > characterBits / 2 {
        character ^= characterMask
        check |= 1 << index
      }
      guard let codeword = codeword(character) else { return nil }
      codewords[index] = codeword
    }
    if codewords[0] >= checkOffset {
      codewords[0] -= checkOffset
      check |= 1 << (checkBits - 1)
    }
    guard codewords[0] < checkOffset, codewords[9] & 1 == 0, codewords[9] / 2 < lastRange else { return nil }
    var number = WideNumber()
    for index in 0..<9 { number.multiply(by: codewordRange, adding: codewords[index]) }
    number.multiply(by: lastRange, adding: codewords[9] / 2)
    guard IntelligentMail.check(of: number) == check, let count = write(number, into: text) else { return nil }
    var candidate = LinearCandidate(.intelligentMail, aimModifier: 0x30)
    candidate.byteCount = count
    return candidate
  }

  /// The bits of a character.
  private static func character(_ bars: PostBars, _ index: Int) -> Int {
    var bits = 0
    for bit in 0..<characterBits {
      let place = Int(intelligentMailPlaces[characterBits * index + bit]) - 1
      let isSet =
        place < barCount ? bars[place] & PostBars.descender != 0 : bars[place - barCount] & PostBars.ascender != 0
      if isSet { bits |= 1 << bit }
    }
    return bits
  }

  /// The codeword of a character: its place among those with as many bits set. Pairs of a character and its mirror image come first,
  /// in the order of the smaller one; characters that are their own mirror image follow, the greatest first.
  private static func codeword(_ character: Int) -> Int? {
    let bitCount = character.nonzeroBitCount
    guard bitCount == 5 || bitCount == 2 else { return nil }
    let first = min(character, mirrored(character))
    let isSymmetric = character == mirrored(character)
    var (pairs, symmetric) = (0, 0)
    for other in 0...characterMask where other.nonzeroBitCount == bitCount {
      let image = mirrored(other)
      if image == other {
        if isSymmetric, other >= character { symmetric += 1 }
      } else if other < image, isSymmetric || other < first {
        pairs += 1
      }
    }
    let start = bitCount == 5 ? 0 : fiveCount
    guard !isSymmetric else { return start + 2 * pairs + symmetric - 1 }
    return start + 2 * pairs + (character > first ? 1 : 0)
  }

  private static func mirrored(_ character: Int) -> Int {
    var image = 0
    for bit in 0..<characterBits where character >> bit & 1 == 1 { image |= 1 << (characterBits - 1 - bit) }
    return image
  }

  /// The cyclic redundancy check of a number, its highest bit first.
  private static func check(of number: WideNumber) -> Int {
    var check = checkStart
    for bit in (0..<numberBits).reversed() {
      let isSet = number.isSet(bit)
      let isOut = check >> (checkBits - 1) & 1 == 1
      check = (check << 1) & checkMask
      if isSet != isOut { check ^= checkPolynomial & checkMask }
    }
    return check
  }

  /// Writes the tracking code and the routing code. Returns the number of digits.
  private static func write(_ number: WideNumber, into text: ScratchArray<UInt8>) -> Int? {
    var rest = number
    for index in (0..<trackingCount).reversed() {
      text[index] = UInt8(truncatingIfNeeded: 0x30 + rest.divide(by: index == 1 ? secondDigitRange : 10))
    }
    guard let routing = rest.small, routing < routingEnd else { return nil }
    guard routing > 0 else { return trackingCount }
    for index in routingStarts.indices.reversed() where routing >= routingStarts[index].first {
      let digits = routingStarts[index].digits
      DecimalDigits.write(routing - routingStarts[index].first, digits, into: text, at: trackingCount)
      return trackingCount + digits
    }
    return nil
  }
}
