// The symbologies by number. `Catalogue.swift` says about each of them everything else.

/// A barcode symbology.
public enum Symbology: UInt8, Sendable, BitwiseCopyable {
  case ean13, ean8, upca, upce
  case itf, itf14, code39, code93, code128, codabar, msi
  case databar, databarLimited, databarExpanded
  case pdf417, micropdf417
  case datamatrix, aztec, qr, microqr, rmqr, maxicode

  /// The number of symbologies; raw values run from 0 to `count - 1`.
  public static let count = 22

  /// The layout of a symbology's elements, which selects the part of the decoder that reads it.
  public enum Family: Sendable { case linear, stacked, matrix }
}

#if !hasFeature(Embedded)
  /// In the order of the raw values, in which pages and messages list them.
  extension Symbology: CaseIterable {}
#endif

/// A set of symbologies.
public struct SymbologySet: Equatable, Sendable, BitwiseCopyable {
  var bits: UInt32

  public init() { bits = 0 }

  public static var all: SymbologySet {
    var set = SymbologySet()
    set.bits = (1 << UInt32(Symbology.count)) - 1
    return set
  }

  /// The symbologies that the decoder looks for unless told otherwise.
  public static var onByDefault: SymbologySet { SymbologySet { $0.isOnByDefault } }

  /// Weakly protected symbologies: one frame is not believed alone.
  public static var voted: SymbologySet { SymbologySet { $0.protection.needsVote } }

  public var isEmpty: Bool { bits == 0 }

  @inline(__always) public func contains(_ symbology: Symbology) -> Bool { bits & (1 << UInt32(symbology.rawValue)) != 0 }

  public mutating func insert(_ symbology: Symbology) { bits |= 1 << UInt32(symbology.rawValue) }

  public mutating func remove(_ symbology: Symbology) { bits &= ~(1 << UInt32(symbology.rawValue)) }

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
  // `Symbology.count` values: a generic argument must be a literal.
  private var values: [22 of Value]

  public init(_ value: (Symbology) -> Value) {
    values = [22 of Value] { index in value(Symbology(rawValue: UInt8(index))!) }
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
