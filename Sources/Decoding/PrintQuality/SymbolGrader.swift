// The entry: grades a symbol that the decoder has read in the same picture.

public import BarcodeTypes

/// How symbols are measured.
public struct GradingOptions: Equatable, Sendable {
  /// The diameter of the aperture in modules; nil for the default: half a module for linear symbols, 0.8 for matrix symbols.
  public var apertureModules: Double?
  public var transfer = LumaTransfer.srgb
  /// Whether matrix symbols are graded as direct marks, engraved or etched.
  public var isDirectMark = false

  /// The apertures that may be asked for.
  public static let apertureRange = 0.1...1.0

  public init() {}
}

/// Grades the print of symbols.
public enum SymbolGrader {
  /// The smallest module that is graded, in pixels. Smaller ones show the camera's blur rather than the print.
  public static let modulePixelsMin = 2.0
  /// The module size, in pixels, above which a camera's blur hardly lowers grades.
  static let clearModulePixels = 5.0

  /// The symbologies that are graded.
  public static let symbologies = SymbologySet {
    LinearKind($0) != nil || MatrixKind($0) != nil
  }

  /// Grades a symbol.
  ///
  /// - Parameters:
  ///   - luma: the picture in which it was read.
  ///   - payload: its payload as the decoder reports it, without an add-on.
  public static func grade(
    _ luma: LumaView, _ symbol: DecodedSymbol, payload: [UInt8], _ options: GradingOptions = GradingOptions()
  ) throws(GradingRefusal) -> SymbolQuality {
    if let kind = LinearKind(symbol.symbology) {
      let own = Array(payload.dropLast(Int(symbol.addOnByteCount)))
      return try LinearGrading.grade(luma, symbol, kind, payload: own, options)
    }
    guard let kind = MatrixKind(symbol.symbology) else { throw .symbology(symbol.symbology) }
    return try MatrixGrading.grade(luma, symbol, kind, options)
  }

  static func remarks(modulePixels: Double) -> [String] {
    modulePixels >= clearModulePixels
      ? []
      : [
        "A module has \(modulePixels.text(1)) pixels: with fewer than \(clearModulePixels.text(0)), the camera's blur lowers modulation."
      ]
  }
}
