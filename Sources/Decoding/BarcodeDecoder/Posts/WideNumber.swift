// Numbers of up to 128 bits that postal codes are written with, in parts of 32 bits: processors have no division of wider ones.

/// A number of up to 128 bits.
struct WideNumber: BitwiseCopyable {
  private static let partBits = 32
  private static let partMask = 0xFFFF_FFFF

  /// The lowest part first.
  private var parts: [4 of UInt32] = .init(repeating: 0)

  /// Multiplies the number, and adds another to it. Both are below 2³².
  mutating func multiply(by factor: Int, adding term: Int) {
    var carry = term
    for index in parts.indices {
      let product = Int(parts[index]) &* factor &+ carry
      parts[index] = UInt32(truncatingIfNeeded: product)
      carry = (product >> WideNumber.partBits) & WideNumber.partMask
    }
  }

  /// Divides the number by one below 2³¹. Returns the remainder.
  mutating func divide(by divisor: Int) -> Int {
    var rest = 0
    for index in parts.indices.reversed() {
      let part = rest << WideNumber.partBits | Int(parts[index])
      parts[index] = UInt32(truncatingIfNeeded: part / divisor)
      rest = part % divisor
    }
    return rest
  }

  /// A bit of the number, the lowest one at 0.
  func isSet(_ bit: Int) -> Bool {
    parts[bit / WideNumber.partBits] >> UInt32(truncatingIfNeeded: bit % WideNumber.partBits) & 1 == 1
  }

  /// The number, if it is below 2⁶³.
  var small: Int? {
    parts[3] == 0 && parts[2] == 0 && parts[1] >> 31 == 0 ? Int(parts[1]) << WideNumber.partBits | Int(parts[0]) : nil
  }
}
