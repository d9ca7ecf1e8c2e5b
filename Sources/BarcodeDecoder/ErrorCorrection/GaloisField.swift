// Finite fields of characteristic 2, for Reed-Solomon codes. The tables are made when a symbol is to be decoded, which
// costs a few thousand instructions, rather than kept as literals for each polynomial.

/// The field of `size` elements, a power of two, with the primitive element α = 2.
///
/// Elements are integers below `size`, as polynomials over GF(2) with bit i for the i-th power.
@safe struct GaloisField {
  /// Elements of the field, zero included.
  let size: Int
  /// α to the power i, for i from 0 to 2 · (size - 1) - 1.
  private let exponential: ScratchArray<UInt16>
  /// The i with α to the power i = element; nothing at 0.
  private let logarithm: ScratchArray<UInt16>

  /// - Parameters:
  ///   - polynomial: the primitive polynomial with its leading bit, which makes the size: 0x11D for QR Code.
  /// - Returns: nil if the arena is full.
  init?(polynomial: Int, arena: inout Arena) {
    let size = 1 << (Int.bitWidth - 1 - polynomial.leadingZeroBitCount)
    guard let exponential = ScratchArray<UInt16>(2 * size, arena: &arena),
      let logarithm = ScratchArray<UInt16>(size, arena: &arena)
    else { return nil }
    self.size = size
    self.exponential = exponential
    self.logarithm = logarithm
    var element = 1
    for power in 0..<(size - 1) {
      exponential[power] = UInt16(element)
      exponential[power + size - 1] = UInt16(element)
      logarithm[element] = UInt16(power)
      element <<= 1
      if element >= size { element ^= polynomial }
    }
  }

  /// α to a power from 0 to 2 · size - 3.
  @inline(__always) func power(_ exponent: Int) -> Int { Int(exponential[exponent]) }

  /// The power of α that an element other than zero is, from 0 to size - 2.
  @inline(__always) func log(_ element: Int) -> Int { Int(logarithm[element]) }

  @inline(__always) func multiply(_ a: Int, _ b: Int) -> Int {
    if a == 0 || b == 0 { return 0 }
    return Int(exponential[Int(logarithm[a]) + Int(logarithm[b])])
  }

  /// a / b. `b` must not be zero.
  @inline(__always) func divide(_ a: Int, _ b: Int) -> Int {
    if a == 0 { return 0 }
    return Int(exponential[Int(logarithm[a]) + size - 1 - Int(logarithm[b])])
  }
}
