// Japan Post's customer barcode: the specification of 1997, inferred from public descriptions.
//
// A symbol has a start of two bars, twenty characters of three, a check character and a stop. A character is a digit, a minus sign or
// a control code; the first three codes turn the next digit into a letter, the fourth fills unused characters.

import BarcodeTypes

/// The states of the three bars of each value, two bits each: digits, the minus sign, and the control codes.
private let japanPatterns: [19 of UInt8] = [
  0b11_00_00, 0b11_11_00, 0b11_10_01, 0b10_11_01, 0b11_01_10, 0b11_00_11, 0b10_01_11, 0b01_11_10, 0b01_10_11, 0b00_11_11,
  0b00_11_00, 0b10_01_00, 0b10_00_01, 0b01_10_00, 0b00_10_01, 0b01_00_10, 0b00_01_10, 0b00_00_11, 0b11_11_11,
]

/// Reads Japan Post's customer barcode from bars.
enum JapanPost {
  private static let barCount = 67
  private static let characterCount = 20
  private static let postcodeCount = 7
  private static let modulus = 19
  private static let (minus, firstShift, filler) = (10, 11, 14)

  /// Reads the bars of a symbol, or returns nil.
  static func read(_ bars: PostBars, into text: ScratchArray<UInt8>) -> LinearCandidate? {
    guard bars.kind == .fourStates, bars.count == barCount, bars[0] == PostBars.full, bars[1] == PostBars.descender,
      bars[barCount - 2] == PostBars.descender, bars[barCount - 1] == PostBars.full
    else { return nil }
    var sum = 0
    var count = 0
    var shift: Int?
    var isFilled = false
    for index in 0...characterCount {
      guard let value = value(bars, at: 2 + 3 * index) else { return nil }
      sum += value
      if index == characterCount { break }
      if let letters = shift {
        guard value <= 9 else { return nil }
        // Ten letters per code; the last one has six.
        let letter = 10 * letters + value
        guard letter < 26 else { return nil }
        text[count] = UInt8(truncatingIfNeeded: 0x41 + letter)
        count += 1
        shift = nil
      } else if value == filler {
        isFilled = true
      } else {
        guard !isFilled, value < filler else { return nil }
        if value >= firstShift {
          shift = value - firstShift
        } else {
          text[count] = value == minus ? 0x2D : UInt8(truncatingIfNeeded: 0x30 + value)
          count += 1
        }
        guard index >= postcodeCount || value < minus else { return nil }
      }
    }
    guard sum % modulus == 0, shift == nil, count >= postcodeCount else { return nil }
    var candidate = LinearCandidate(.japanpost, aimModifier: 0x30)
    candidate.byteCount = count
    return candidate
  }

  private static func value(_ bars: PostBars, at first: Int) -> Int? {
    let pattern = bars[first] << 4 | bars[first + 1] << 2 | bars[first + 2]
    for value in japanPatterns.indices where japanPatterns[value] == pattern { return value }
    return nil
  }
}
