// The structure of EAN and UPC symbols and their add-ons: ISO/IEC 15420:2009 §4.3, GS1 General Specifications §5.2.

import BarcodeTypes

/// The shapes of the EAN and UPC symbols and of their add-ons.
enum EANShape {
  case thirteen, eight, zeroSuppressed
  case addOnOfTwo, addOnOfFive

  /// The shapes of symbols, the longest first.
  static let symbols: [3 of EANShape] = [.thirteen, .eight, .zeroSuppressed]

  /// The shape of a symbology's symbols; nil if it is neither EAN nor UPC.
  init?(_ symbology: Symbology) {
    switch symbology {
    case .ean13, .upca: self = .thirteen
    case .ean8: self = .eight
    case .upce: self = .zeroSuppressed
    default: return nil
    }
  }

  /// Number of drawn digits.
  var digitCount: Int {
    switch self {
    case .thirteen: 12
    case .eight: 8
    case .zeroSuppressed: 6
    case .addOnOfTwo: 2
    case .addOnOfFive: 5
    }
  }

  /// Number of digits before the first drawn one, encoded in the number sets of the others.
  var leadingCount: Int {
    switch self {
    case .thirteen, .zeroSuppressed: 1
    case .eight, .addOnOfTwo, .addOnOfFive: 0
    }
  }

  /// Number of bars and spaces.
  var elementCount: Int {
    switch self {
    case .thirteen: 59
    case .eight: 43
    case .zeroSuppressed: 33
    case .addOnOfTwo: 13
    case .addOnOfFive: 31
    }
  }

  var moduleCount: Int32 {
    switch self {
    case .thirteen: 95
    case .eight: 67
    case .zeroSuppressed: 51
    case .addOnOfTwo: 20
    case .addOnOfFive: 47
    }
  }

  /// Minimum quiet zone in modules, on each side, or after the end of an add-on. The standard asks for 5 to 11. Photographs
  /// often show less, and 4 is more than any space inside a symbol. UPC-E, which fits into pieces of longer symbols, needs
  /// one more, which the picture itself must show. A 5-digit add-on is the longest and so never a piece of another: 2 show
  /// where its last bar ends.
  var quietModules: Int32 {
    switch self {
    case .thirteen, .eight, .addOnOfTwo: 4
    case .addOnOfFive: 2
    case .zeroSuppressed: 5
    }
  }

  var isAddOn: Bool { self == .addOnOfTwo || self == .addOnOfFive }

  /// Whether a drawn digit is in the right half, which begins dark and uses number set C.
  func isRight(_ index: Int) -> Bool {
    switch self {
    case .thirteen: index >= 6
    case .eight: index >= 4
    case .zeroSuppressed, .addOnOfTwo, .addOnOfFive: false
    }
  }

  /// The number of number sets that a drawn digit may use.
  func setCount(_ index: Int) -> Int { self == .eight || isRight(index) ? 1 : 2 }

  /// The first module of a drawn digit.
  func firstModule(_ index: Int) -> Int { isAddOn ? 4 + 9 * index : 3 + 7 * index + (isRight(index) ? 5 : 0) }

  /// The first element of a drawn digit.
  func firstElement(_ index: Int) -> Int { isAddOn ? 3 + 6 * index : 3 + 4 * index + (isRight(index) ? 5 : 0) }
}
