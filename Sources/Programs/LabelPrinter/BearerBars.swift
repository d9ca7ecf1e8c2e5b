// Bearer bars: dark bars along the upper and lower ends of an Interleaved 2 of 5 symbol. A slanted line that leaves the symbol crosses
// them, and is not read as a shorter number (GS1 General Specifications, section 5.3).

public import BarcodeTypes

/// The bearer bars of a symbol.
public enum BearerBars: String, CaseIterable, Sendable {
  case none
  /// Above and below the bars: for printers of single labels.
  case horizontal
  /// Around the symbol and its quiet zones: for printing plates, whose pressure it evens out.
  case frame

  /// The bearer bars of a printed label by its symbology's standard.
  public static func standard(for symbology: Symbology) -> BearerBars { symbology == .itf14 ? .horizontal : .none }

  /// Whether symbols of a symbology may have them.
  public static func suit(_ symbology: Symbology) -> Bool { symbology == .itf14 || symbology == .itf }

  /// In modules: for printers of labels at least twice a narrow bar; for plates 4.83 mm with the nominal module of 1.016 mm, rounded to
  /// whole modules.
  var thickness: Double {
    switch self {
    case .none: 0
    case .horizontal: 2
    case .frame: 5
    }
  }

  /// The bars around a symbol at `left` and `top` with this size, which they touch above and below.
  ///
  /// - Parameter quiet: the quiet zone on each side.
  func bars(left: Double, top: Double, width: Double, height: Double, quiet: Double) -> [Label.Bar] {
    if self == .none { return [] }
    let reach = self == .frame ? quiet + thickness : 0
    let (start, length) = (left - reach, width + 2 * reach)
    var bars = [top - thickness, top + height].map { Label.Bar(x: start, y: $0, width: length, height: thickness) }
    if self == .frame {
      bars += [start, start + length - thickness].map { Label.Bar(x: $0, y: top, width: thickness, height: height) }
    }
    return bars
  }
}
