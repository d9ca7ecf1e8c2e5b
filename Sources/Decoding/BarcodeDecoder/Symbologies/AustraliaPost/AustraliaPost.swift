// Australia Post's customer barcode: the Customer Barcoding Technical Specifications, inferred from public descriptions.
//
// After a start of two bars come the format control code and the sorting code as digits of two bars, customer information, perhaps a
// bar that fills it, four check symbols of three bars and a stop. The symbol does not indicate whether the information is digits of two
// bars or characters of three.

import BarcodeTypes

/// Reads Australia Post's customer barcode from bars.
enum AustraliaPost {
  private static let barCounts: (standard: Int, second: Int, third: Int) = (37, 52, 67)
  /// The digits of the format control code and of the sorting code.
  private static let digitCount = 10
  private static let (startCount, stopCount, checkCount) = (2, 2, 4)
  /// The bars of a symbol of the code, and its field's polynomial.
  private static let symbolBars = 3
  private static let polynomial = 0b100_0011
  /// The bars of a digit, and those of a character.
  private static let (digitBars, characterBars) = (2, 3)
  /// The characters by the values of their three bars, two bits each.
  private static let characters: StaticString = "ABC DEF#GHIabcdeJKLfMNOgPQRhijklSTUmVWXnYZ0opqrs123t456u789vwxyz"

  /// Reads the bars of a symbol, or returns nil.
  static func read(_ bars: PostBars, into text: ScratchArray<UInt8>) -> LinearCandidate? {
    let count = bars.count
    guard bars.kind == .fourStates, count == barCounts.standard || count == barCounts.second || count == barCounts.third,
      isFrame(bars, 0), isFrame(bars, count - stopCount), isChecked(bars)
    else { return nil }
    guard digits(bars, from: startCount, digitCount, into: text, at: 0) else { return nil }
    let first = startCount + digitBars * digitCount
    let end = count - stopCount - symbolBars * checkCount
    var candidate = LinearCandidate(.auspost, aimModifier: 0x30)
    candidate.byteCount = digitCount + information(bars, from: first, to: end, into: text)
    return candidate
  }

  /// A bar's value: 0 for a full bar, 1 for an ascender, 2 for a descender, 3 for a tracker.
  private static func value(_ bars: PostBars, _ index: Int) -> Int {
    switch bars[index] {
    case PostBars.full: 0
    case PostBars.ascender: 1
    case PostBars.descender: 2
    default: 3
    }
  }

  /// Whether two bars are a start or a stop.
  private static func isFrame(_ bars: PostBars, _ first: Int) -> Bool {
    bars[first] == PostBars.ascender && bars[first + 1] == PostBars.tracker
  }

  private static func isChecked(_ bars: PostBars) -> Bool {
    let count = (bars.count - startCount - stopCount) / symbolBars
    return PostCheck.isCodeword(count: count, checkCount: checkCount, polynomial: polynomial) { index in
      let first = startCount + symbolBars * index
      return value(bars, first) << 4 | value(bars, first + 1) << 2 | value(bars, first + 2)
    }
  }

  /// Writes digits of two bars: a number with base 3, or 3 and 0 for 9. Returns whether all bars are digits.
  private static func digits(
    _ bars: PostBars, from first: Int, _ count: Int, into text: ScratchArray<UInt8>, at place: Int
  ) -> Bool {
    for index in 0..<count {
      let (high, low) = (value(bars, first + digitBars * index), value(bars, first + digitBars * index + 1))
      guard low < 3, 3 * high + low <= 9 else { return false }
      text[place + index] = UInt8(truncatingIfNeeded: 0x30 + 3 * high + low)
    }
    return true
  }

  /// Writes the customer information, as digits if all of it can be digits. Returns the number of bytes; 0 if there is none that is
  /// digits or characters.
  private static func information(_ bars: PostBars, from first: Int, to end: Int, into text: ScratchArray<UInt8>) -> Int {
    var barCount = end - first
    // One bar alone fills up the symbol's last three.
    guard barCount >= characterBars else { return 0 }
    let digitCount = barCount / digitBars
    if barCount % digitBars == 0 || value(bars, end - 1) == 3,
      digits(bars, from: first, digitCount, into: text, at: AustraliaPost.digitCount)
    {
      return digitCount
    }
    if barCount % characterBars == 1 { barCount -= 1 }
    let count = barCount / characterBars
    for index in 0..<count {
      text[AustraliaPost.digitCount + index] = character(bars, at: first + characterBars * index)
    }
    return count
  }

  /// The character of three bars.
  private static func character(_ bars: PostBars, at first: Int) -> UInt8 {
    let number = value(bars, first) << 4 | value(bars, first + 1) << 2 | value(bars, first + 2)
    return unsafe characters.utf8Start[number]
  }
}
