// The decoder's only kind of fraction. With fixed point, equal pixels give equal symbols on every machine, at no cost on
// boards whose floating-point unit shares a pipeline with the vector unit.

/// A Q16.16 fixed-point number: `bits / 65536`, from -32768 up to just below 32768.
///
/// Pixel coordinates use it throughout: 0.0 is the centre of the first pixel of a row or column.
/// Arithmetic traps on overflow unless an operator begins with `&`.
public struct Fixed16: Equatable, Comparable, Sendable, BitwiseCopyable {
  /// The value times 65536.
  public var bits: Int32

  @inline(__always) public init(bits: Int32) { self.bits = bits }

  /// An integer from -32768 to 32767.
  @inline(__always) public init(_ integer: Int) { bits = Int32(integer << 16) }

  /// `numerator / denominator`, rounded towards zero. The quotient must fit.
  @inline(__always) public init(_ numerator: Int, over denominator: Int) {
    bits = Int32((numerator << 16) / denominator)
  }

  public static let zero = Fixed16(bits: 0)
  public static let half = Fixed16(bits: 0x8000)
  public static let one = Fixed16(bits: 0x1_0000)

  /// The nearest integer; halves round up.
  @inline(__always) public var rounded: Int { (Int(bits) + 0x8000) >> 16 }

  @inline(__always) public static func < (a: Fixed16, b: Fixed16) -> Bool { a.bits < b.bits }
  @inline(__always) public static func + (a: Fixed16, b: Fixed16) -> Fixed16 { Fixed16(bits: a.bits + b.bits) }
  @inline(__always) public static func - (a: Fixed16, b: Fixed16) -> Fixed16 { Fixed16(bits: a.bits - b.bits) }
  @inline(__always) public static prefix func - (a: Fixed16) -> Fixed16 { Fixed16(bits: -a.bits) }
  @inline(__always) public static func &+ (a: Fixed16, b: Fixed16) -> Fixed16 { Fixed16(bits: a.bits &+ b.bits) }
  @inline(__always) public static func &- (a: Fixed16, b: Fixed16) -> Fixed16 { Fixed16(bits: a.bits &- b.bits) }

  /// The product, rounded down to a multiple of 1/65536.
  @inline(__always) public static func * (a: Fixed16, b: Fixed16) -> Fixed16 {
    Fixed16(bits: Int32((Int64(a.bits) * Int64(b.bits)) >> 16))
  }

  /// The quotient, rounded towards zero to a multiple of 1/65536. The divisor must not be zero.
  @inline(__always) public static func / (a: Fixed16, b: Fixed16) -> Fixed16 {
    Fixed16(bits: Int32((Int64(a.bits) << 16) / Int64(b.bits)))
  }
}
