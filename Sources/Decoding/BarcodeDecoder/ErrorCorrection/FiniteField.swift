// Finite fields for Reed-Solomon codes. Each reader computes the tables of its field at run time, which costs a few thousand
// instructions, instead of keeping them as literals.

/// A finite field; its elements are integers below `size`.
protocol FiniteField {
  /// Powers and logarithms.
  var tables: FieldTables { get }
  func add(_ a: Int, _ b: Int) -> Int
  func subtract(_ a: Int, _ b: Int) -> Int
  /// The sum of `count` elements `a`.
  func multiple(_ count: Int, of a: Int) -> Int
}

/// The powers of a field's primitive element, and the logarithms to it.
@safe struct FieldTables {
  /// The number of distinct powers: all elements except zero.
  let order: Int
  /// The primitive element to the power i, for i from 0 to 2 · order - 1.
  fileprivate let exponential: ScratchArray<UInt16>
  /// The exponent i of each element; unspecified at 0.
  fileprivate let logarithm: ScratchArray<UInt16>

  /// - Parameter next: multiplies an element by the primitive element.
  fileprivate init(order: Int, arena: inout Arena, next: (Int) -> Int) throws(ArenaFull) {
    self.order = order
    exponential = try ScratchArray(2 * order, arena: &arena)
    logarithm = try ScratchArray(order + 1, arena: &arena)
    var element = 1
    for power in 0..<order {
      exponential[power] = UInt16(element)
      exponential[power + order] = UInt16(element)
      logarithm[element] = UInt16(power)
      element = next(element)
    }
  }
}

extension FiniteField {
  var size: Int { tables.order + 1 }

  /// The primitive element raised to a power from 0 to 2 · size - 3.
  @inline(__always) func power(_ exponent: Int) -> Int { Int(tables.exponential[exponent]) }

  /// The exponent of an element other than zero, from 0 to size - 2.
  @inline(__always) func log(_ element: Int) -> Int { Int(tables.logarithm[element]) }

  @inline(__always) func multiply(_ a: Int, _ b: Int) -> Int {
    if a == 0 || b == 0 { return 0 }
    return power(log(a) + log(b))
  }

  /// a / b. `b` must not be zero.
  @inline(__always) func divide(_ a: Int, _ b: Int) -> Int {
    if a == 0 { return 0 }
    return power(log(a) + tables.order - log(b))
  }
}

/// A field of a power of two elements, with the primitive element α = 2: polynomials over GF(2), where bit i is the
/// coefficient of the i-th power.
@safe struct GaloisField: FiniteField {
  let tables: FieldTables

  /// - Parameter polynomial: the primitive polynomial with its leading bit, which sets the size: 0x11D for QR Code.
  init(polynomial: Int, arena: inout Arena) throws(ArenaFull) {
    let size = 1 << (Int.bitWidth - 1 - polynomial.leadingZeroBitCount)
    tables = try FieldTables(order: size - 1, arena: &arena) { element in
      element << 1 >= size ? element << 1 ^ polynomial : element << 1
    }
  }

  @inline(__always) func add(_ a: Int, _ b: Int) -> Int { a ^ b }
  @inline(__always) func subtract(_ a: Int, _ b: Int) -> Int { a ^ b }
  @inline(__always) func multiple(_ count: Int, of a: Int) -> Int { count & 1 == 0 ? 0 : a }
}

/// The integers modulo a prime that has the primitive element 3.
@safe struct PrimeField<let prime: Int>: FiniteField {
  let tables: FieldTables

  init(arena: inout Arena) throws(ArenaFull) {
    tables = try FieldTables(order: prime - 1, arena: &arena) { $0 * 3 % prime }
  }

  @inline(__always) func add(_ a: Int, _ b: Int) -> Int {
    let sum = a &+ b
    return sum >= prime ? sum &- prime : sum
  }

  @inline(__always) func subtract(_ a: Int, _ b: Int) -> Int {
    let difference = a &- b
    return difference < 0 ? difference &+ prime : difference
  }

  @inline(__always) func multiple(_ count: Int, of a: Int) -> Int { a * count % prime }
}

/// The field of PDF417 and MicroPDF417 (ISO/IEC 15438 §4.10).
typealias PrimeField929 = PrimeField<929>

/// The field of DotCode.
typealias PrimeField113 = PrimeField<113>
