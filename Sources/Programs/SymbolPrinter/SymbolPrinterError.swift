// Why a symbol cannot be printed: one case per cause, each stating the requirement.

public import BarcodeTypes

/// Why a symbol cannot be printed.
public enum SymbolPrinterError: Error, Equatable, Sendable {
  /// The text is empty.
  case empty
  /// The text does not fit the symbology, at this correction level if it has levels.
  case tooLong(Symbology)
  /// The symbology cannot encode a character of the text.
  case notEncodable(Symbology, character: Character?, allowed: String)
  /// The symbology requires a certain number of digits.
  case wrongDigitCount(Symbology, expected: String, count: Int)
  /// A number in the text is outside its range.
  case numberOutOfRange(Symbology, name: String, range: ClosedRange<Int>)
  /// The last digit is not the check digit of the digits before it.
  case wrongCheckDigit(Symbology, expected: Int)
  /// The symbology has no selectable error correction, or not this level.
  case correctionNotAvailable(Symbology, available: [CorrectionLevel])
  /// The symbology does not carry GS1 element strings.
  case notForGS1(Symbology, available: [Symbology])
  /// The symbology carries only GS1 element strings, or these break GS1's rules; the text names the error.
  case invalidElementStrings(String)
  /// The scale or the quiet zone is outside its range.
  case outOfRange(name: String, range: ClosedRange<Int>)
  /// The picture would be wider or higher than `SymbolPrinterLimits.sidePixelsMax`.
  case pictureTooLarge(width: Int, height: Int)
  /// The library failed for a reason without a separate case; its own text.
  case refused(Symbology, detail: String)

  /// The error and the requirement, in one line.
  public var message: String {
    switch self {
    case .empty: "there is no text to print; give at least one character"
    case .tooLong(let symbology):
      "the text is too long for \(symbology.name); shorten it"
        + (symbology == .qr ? " or choose a lower correction level" : " or choose qr")
    case .notEncodable(let symbology, let character, let allowed):
      "\(symbology.name) cannot encode \(character.map { "'\($0)'" } ?? "this text"); it takes \(allowed)"
    case .wrongDigitCount(let symbology, let expected, let count):
      "\(symbology.name) takes \(expected), not \(count)"
    case .numberOutOfRange(let symbology, let name, let range):
      "the \(name) number of \(symbology.name) is out of range; give \(range.lowerBound) to \(range.upperBound)"
    case .wrongCheckDigit(let symbology, let expected):
      "the check digit of this \(symbology.name) number would be \(expected); correct it or leave it out"
    case .correctionNotAvailable(let symbology, let available):
      available.isEmpty
        ? "the error correction of \(symbology.name) cannot be chosen; leave the correction level out"
        : "\(symbology.name) has the correction levels \(available.map(\.rawValue).joined(separator: ", "))"
    case .notForGS1(let symbology, let available):
      "\(symbology.name) does not carry GS1 element strings; choose \(available.map(\.name.description).joined(separator: ", "))"
    case .invalidElementStrings(let detail):
      "these are not GS1 element strings: \(detail); write them like (01)09501101530003(10)AB-123"
    case .outOfRange(let name, let range): "the \(name) must be from \(range.lowerBound) to \(range.upperBound)"
    case .pictureTooLarge(let width, let height):
      "the picture would have \(width) by \(height) pixels, the limit is \(SymbolPrinterLimits.sidePixelsMax) a side; "
        + "choose a smaller scale"
    case .refused(let symbology, let detail): "\(symbology.name) cannot be drawn: \(detail)"
    }
  }
}

extension SymbolPrinterError: CustomStringConvertible {
  public var description: String { message }
}

/// The limits of printing.
public enum SymbolPrinterLimits {
  /// Pixels per module side in a PNG, or units of the drawing in an SVG.
  public static let scale = 1...200
  /// Quiet zone in modules on each side.
  public static let quietZoneModules = 0...200
  /// The longest side of a PNG, in pixels: the limit of `reticle scan`.
  public static let sidePixelsMax = 16_384
  /// The most bytes of text attempted: over twice the longest message of any symbology.
  public static let textByteCountMax = 16 << 10
}

/// The share of a QR, Micro QR or rMQR symbol that may be damaged: about 7, 15, 25 and 30 % of its codewords.
public enum CorrectionLevel: String, Equatable, Sendable, CaseIterable {
  case low = "L"
  case medium = "M"
  case quartile = "Q"
  case high = "H"
}
