// Reed-Solomon check symbols of postal codes, which are verified and not used to correct: bars that were misjudged are measured
// again in the next frame.

/// Verifies check symbols.
enum PostCheck {
  /// Whether symbols are a codeword: a multiple of a generator polynomial whose roots are the powers of α = 2 from 1 on.
  ///
  /// - Parameters:
  ///   - count: the number of symbols, the check symbols last.
  ///   - polynomial: the field's polynomial with its leading bit.
  static func isCodeword(count: Int, checkCount: Int, polynomial: Int, _ symbol: (Int) -> Int) -> Bool {
    let size = 1 << (Int.bitWidth - 1 - polynomial.leadingZeroBitCount)
    for root in 1...checkCount {
      var sum = 0
      for index in 0..<count {
        for _ in 0..<root {
          sum <<= 1
          if sum >= size { sum ^= polynomial }
        }
        sum ^= symbol(index)
      }
      if sum != 0 { return false }
    }
    return true
  }
}
