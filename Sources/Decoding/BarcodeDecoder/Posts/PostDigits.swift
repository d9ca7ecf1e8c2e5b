// Digits of long and short bars: POSTNET, PLANET and CEPNet. A digit is five bars with the weights 7, 4, 2, 1 and 0, of which two
// stand out; their weights add up to the digit, 7 and 4 to 0. A long bar begins and ends a symbol.

/// Reads digits of long and short bars.
enum PostDigits {
  private static let barCount = 5
  private static let weights: [5 of Int] = [7, 4, 2, 1, 0]
  private static let zeroSum = 11
  private static let allBars = 0b11111

  /// Writes the digits of a symbol, without the check digit that makes their sum a multiple of 10. Returns their number; nil if the
  /// bars are no digits, or the check digit is wrong.
  ///
  /// - Parameter areLong: whether the two bars that stand out are the long ones.
  static func read(_ bars: PostBars, areLong: Bool, into text: ScratchArray<UInt8>) -> Int? {
    let (count, rest) = (bars.count - 2).quotientAndRemainder(dividingBy: barCount)
    guard bars.kind == .twoStates, rest == 0, count > 1, bars[0] == PostBars.ascender,
      bars[bars.count - 1] == PostBars.ascender
    else { return nil }
    var sum = 0
    for index in 0..<count {
      let long = bars.bits(at: 1 + barCount * index, barCount, of: PostBars.ascender)
      guard let digit = digit(areLong ? long : long ^ allBars) else { return nil }
      sum += digit
      text[index] = UInt8(truncatingIfNeeded: 0x30 + digit)
    }
    return sum % 10 == 0 ? count - 1 : nil
  }

  private static func digit(_ bits: Int) -> Int? {
    guard bits.nonzeroBitCount == 2 else { return nil }
    var sum = 0
    for index in 0..<barCount where bits >> (barCount - 1 - index) & 1 == 1 { sum += weights[index] }
    return sum == zeroSum ? 0 : sum
  }
}
