// Sets of symbologies, and values for each of them.

/// A set of symbologies.
public struct SymbologySet: Equatable, Sendable, BitwiseCopyable {
  var bits: UInt64

  public init() { bits = 0 }

  public static var all: SymbologySet {
    var set = SymbologySet()
    set.bits = (1 << UInt64(Symbology.count)) - 1
    return set
  }

  /// The symbologies that the decoder looks for unless told otherwise.
  public static var onByDefault: SymbologySet { SymbologySet { $0.isOnByDefault } }

  /// Weakly protected symbologies: one frame is not believed alone.
  public static var voted: SymbologySet { SymbologySet { $0.protection.needsVote } }

  public var isEmpty: Bool { bits == 0 }

  @inline(__always) public func contains(_ symbology: Symbology) -> Bool { bits & (1 << UInt64(symbology.rawValue)) != 0 }

  public mutating func insert(_ symbology: Symbology) { bits |= 1 << UInt64(symbology.rawValue) }

  public mutating func remove(_ symbology: Symbology) { bits &= ~(1 << UInt64(symbology.rawValue)) }

  /// The set with one symbology added.
  public func with(_ symbology: Symbology) -> SymbologySet {
    var set = self
    set.insert(symbology)
    return set
  }

  /// The symbologies whose `property` is true.
  public init(where property: (Symbology) -> Bool) {
    self.init()
    for raw in 0..<UInt8(Symbology.count) {
      if let symbology = Symbology(rawValue: raw), property(symbology) { insert(symbology) }
    }
  }

  public func union(_ other: SymbologySet) -> SymbologySet {
    var set = self
    set.bits |= other.bits
    return set
  }
}

#if !hasFeature(Embedded)
  extension SymbologySet: ExpressibleByArrayLiteral {
    /// Written as a list, such as `[.ean13, .qr]`.
    public init(arrayLiteral symbologies: Symbology...) {
      self.init()
      for symbology in symbologies { insert(symbology) }
    }
  }
#endif

/// A value for each symbology.
public struct BySymbology<Value: BitwiseCopyable & Sendable>: Sendable, BitwiseCopyable {
  /// Room for as many symbologies as a `SymbologySet` can hold; values without a symbology repeat the first one's.
  private var values: [64 of Value]

  public init(_ value: (Symbology) -> Value) {
    values = [64 of Value] { index in value(Symbology(rawValue: UInt8(index)) ?? .first) }
  }

  public subscript(symbology: Symbology) -> Value {
    get { values[Int(symbology.rawValue)] }
    set { values[Int(symbology.rawValue)] = newValue }
  }
}

extension BySymbology: Equatable where Value: Equatable {
  public static func == (a: Self, b: Self) -> Bool {
    for index in 0..<Symbology.count where a.values[index] != b.values[index] { return false }
    return true
  }
}
