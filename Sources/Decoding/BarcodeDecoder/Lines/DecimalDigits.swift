// Numbers as decimal digits.

/// Writes numbers in ASCII.
enum DecimalDigits {
  /// Writes a number from the beginning of a buffer. Returns the number of digits.
  static func write(_ number: Int, into text: ScratchArray<UInt8>) -> Int {
    var count = 1
    var limit = 10
    while limit <= number {
      limit *= 10
      count += 1
    }
    write(number, count, into: text, at: 0)
    return count
  }

  /// Writes the last `count` digits of a number at a place.
  static func write(_ number: Int, _ count: Int, into text: ScratchArray<UInt8>, at place: Int) {
    var rest = number
    for index in (place..<(place + count)).reversed() {
      text[index] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
      rest /= 10
    }
  }
}
