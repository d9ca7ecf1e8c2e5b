// One row per symbology. Names, AIM code characters and families come from here and nowhere else.

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

  struct Row {
    let name: StaticString
    let aimCode: StaticString
    let family: Family
    let isNumericOnly: Bool
  }

  // AIM code characters: ISO/IEC 15424 as listed in the AIM symbology identifier guideline.
  var row: Row {
    switch self {
    case .ean13: Row(name: "ean13", aimCode: "E", family: .linear, isNumericOnly: true)
    case .ean8: Row(name: "ean8", aimCode: "E", family: .linear, isNumericOnly: true)
    case .upca: Row(name: "upca", aimCode: "E", family: .linear, isNumericOnly: true)
    case .upce: Row(name: "upce", aimCode: "E", family: .linear, isNumericOnly: true)
    case .itf: Row(name: "itf", aimCode: "I", family: .linear, isNumericOnly: true)
    case .itf14: Row(name: "itf14", aimCode: "I", family: .linear, isNumericOnly: true)
    case .code39: Row(name: "code39", aimCode: "A", family: .linear, isNumericOnly: false)
    case .code93: Row(name: "code93", aimCode: "G", family: .linear, isNumericOnly: false)
    case .code128: Row(name: "code128", aimCode: "C", family: .linear, isNumericOnly: false)
    case .codabar: Row(name: "codabar", aimCode: "F", family: .linear, isNumericOnly: false)
    case .msi: Row(name: "msi", aimCode: "M", family: .linear, isNumericOnly: true)
    case .databar: Row(name: "databar", aimCode: "e", family: .linear, isNumericOnly: true)
    case .databarLimited: Row(name: "databar-limited", aimCode: "e", family: .linear, isNumericOnly: true)
    case .databarExpanded: Row(name: "databar-expanded", aimCode: "e", family: .linear, isNumericOnly: false)
    case .pdf417: Row(name: "pdf417", aimCode: "L", family: .stacked, isNumericOnly: false)
    case .micropdf417: Row(name: "micropdf417", aimCode: "L", family: .stacked, isNumericOnly: false)
    case .datamatrix: Row(name: "datamatrix", aimCode: "d", family: .matrix, isNumericOnly: false)
    case .aztec: Row(name: "aztec", aimCode: "z", family: .matrix, isNumericOnly: false)
    case .qr: Row(name: "qr", aimCode: "Q", family: .matrix, isNumericOnly: false)
    case .microqr: Row(name: "microqr", aimCode: "Q", family: .matrix, isNumericOnly: false)
    case .rmqr: Row(name: "rmqr", aimCode: "Q", family: .matrix, isNumericOnly: false)
    case .maxicode: Row(name: "maxicode", aimCode: "U", family: .matrix, isNumericOnly: false)
    }
  }

  /// The id used on the command line, in configuration and in scan records, such as `databar-limited`.
  public var name: StaticString { row.name }

  /// The code character of the AIM symbology identifier, the letter after `]`, in ASCII.
  public var aimCodeCharacter: UInt8 { unsafe row.aimCode.utf8Start[0] }

  public var family: Family { row.family }

  /// Whether the symbology encodes only digits, so that a scan is forwarded without confirmation (behaviour N1).
  public var isNumericOnly: Bool { row.isNumericOnly }
}

/// A set of symbologies.
public struct SymbologySet: Equatable, Sendable, BitwiseCopyable {
  var bits: UInt32

  public init() { bits = 0 }

  public static var all: SymbologySet {
    var set = SymbologySet()
    set.bits = (1 << UInt32(Symbology.count)) - 1
    return set
  }

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
