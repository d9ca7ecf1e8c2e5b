// The settings that a caller passes to the decoder.

public import BarcodeTypes

/// How much work a picture may cost.
public enum Effort: Sendable, BitwiseCopyable {
  /// The budget for one camera frame, where the next frame is another chance.
  case frame
  /// The full effort for a single picture.
  case still
}

/// How to handle the 2- or 5-digit add-on to the right of an EAN or UPC symbol.
public enum AddOnPolicy: Sendable, BitwiseCopyable {
  /// Report only the main symbol.
  case ignore
  /// Report the add-on, if present, with the main symbol.
  case read
  /// Report only symbols that have an add-on.
  case require
}

/// How to handle the two-dimensional component above a linear symbol of GS1 Composite (ISO/IEC 24723).
public enum CompositePolicy: Sendable, BitwiseCopyable {
  /// Report only the linear symbol.
  case ignore
  /// Report the linear symbol with its component. In a camera frame, a symbol that announces a component waits for it; EAN and
  /// UPC, which never do, wait for some frames if one is seen. A single picture is reported as it is.
  case wait
}

/// How to handle an optional check character.
public enum CheckPolicy: Sendable, BitwiseCopyable {
  /// Symbols have no check character: the last character is data.
  case none
  /// Reject symbols whose check character is wrong; report it as part of the text.
  case verify
  /// Reject symbols whose check character is wrong; leave it out of the text.
  case verifyAndDrop
}

/// The check digits of MSI. The symbol itself does not indicate which kind it has.
public enum MSICheck: Sendable, BitwiseCopyable {
  /// Symbols have no check digit: the last digit is data.
  case none
  case mod10
  /// Two check digits; the second also covers the first.
  case mod10Mod10
  /// Weights from 2 to 7.
  case mod11
  case mod11Mod10

  /// The number of check digits.
  public var digitCount: Int {
    switch self {
    case .none: 0
    case .mod10, .mod11: 1
    case .mod10Mod10, .mod11Mod10: 2
    }
  }
}

/// The check characters of Code 11. The symbol itself does not indicate how many it has.
public enum Code11Check: Sendable, BitwiseCopyable {
  /// Symbols have no check character: the last character is data.
  case none
  case one
  /// The second one also covers the first.
  case two
  /// Two, or one if two are not right.
  case either
}

/// Whether pairs of Code 39 characters encode full ASCII.
public enum FullASCIIPolicy: Sendable, BitwiseCopyable {
  case never
  case always
  /// If the text has shift characters and each is followed by a letter that it can shift.
  case detect
}

/// Settings of one call of `Decoder.decode`.
public struct DecoderSettings: Equatable, Sendable, BitwiseCopyable {
  /// The symbologies to look for.
  public var symbologies: SymbologySet = .onByDefault
  public var effort: Effort = .still
  /// At effort `frame`, symbologies without a strong check character, which need agreeing frames. Such a symbol is read in
  /// `votedReadingCount` frames before it is kept while its pixels stay unchanged. Other symbols need one reading.
  public var votedSymbologies = SymbologySet.voted
  public var votedReadingCount = 2
  public var addOns: AddOnPolicy = .ignore
  public var composite: CompositePolicy = .wait
  /// How to handle the optional check character: of Code 39 modulo 43, of the codes 2 of 5 modulo 10, of Codabar modulo 16,
  /// which covers start and stop. Others have none, or always verify it.
  public var checks = BySymbology<CheckPolicy> { _ in .none }
  public var code39FullASCII: FullASCIIPolicy = .detect
  /// The permitted lengths of a linear symbology's texts: characters of the reported text, for Codabar without start and stop;
  /// for Interleaved 2 of 5, digits including the check digit; for MSI, digits without check digits.
  ///
  /// Short symbols of weakly protected symbologies are easily misread from patterns that are not barcodes; requiring a single
  /// length is the best protection of Interleaved 2 of 5.
  public var lengths = BySymbology<LengthRange> { $0.lengths?.standard ?? LengthRange() }
  /// Whether a Codabar text includes its start and stop characters.
  public var codabarKeepsStartAndStop = true
  /// The check digits that MSI symbols have. Symbols with wrong check digits are rejected.
  public var msiCheck: MSICheck = .mod10
  /// Whether an MSI text includes its check digits.
  public var msiKeepsCheckDigits = true
  /// The check characters that Code 11 symbols have. Symbols with wrong ones are rejected.
  public var code11Check: Code11Check = .either
  /// Whether a Code 11 text includes its check characters.
  public var code11KeepsCheckDigits = true
  /// The ECI assignment number for bytes to which no ECI of their symbol applies; nil for the symbology's default. The
  /// decoder passes bytes on as encoded and leaves their interpretation to the code that makes text of them.
  public var assumedECI: UInt32?

  public init() {}
}

extension DecoderSettings {
  @inline(__always) func wants(_ symbology: Symbology) -> Bool { symbologies.contains(symbology) }
  var wantsCode39: Bool { wants(.code39) || wants(.code32) || wants(.pzn) }
  var wantsInterleaved: Bool { wants(.itf) || wants(.itf14) || wants(.leitcode) || wants(.identcode) }
  /// Whether a symbology is asked for whose bars differ in height.
  var wantsPosts: Bool { !SymbologySet { wants($0) && $0.hasPosts }.isEmpty }
  /// Whether a GS1-128 may have a component between start and stop patterns.
  var wantsComponentRows: Bool { composite == .wait && wants(.code128) }
  var wantsDataBar: Bool { wants(.databar) || wants(.databarLimited) || wants(.databarExpanded) }
}

extension SymbologySet {
  /// Whether the set contains a symbology whose finder patterns show in single rows of pixels.
  var hasFinders: Bool { contains(.qr) || contains(.microqr) || contains(.rmqr) || contains(.aztec) }

  /// Whether the set contains a symbology that shows in regions with gradients in two directions.
  var hasCells: Bool { contains(.datamatrix) || contains(.hanxin) || contains(.dotcode) }

  /// Whether the set contains a linear symbology that is off by default.
  var hasRareLinear: Bool {
    contains(.telepen) || contains(.telepenNumeric) || contains(.code11) || contains(.industrial2of5) || contains(.iata2of5)
      || contains(.matrix2of5) || contains(.datalogic2of5) || contains(.plessey) || contains(.msi) || contains(.pharmacode)
  }

  /// Whether the set contains a linear symbology, or a stacked one.
  var hasLinear: Bool { has(.linear) }
  var hasStacked: Bool { has(.stacked) }

  private func has(_ family: Symbology.Family) -> Bool { !SymbologySet { contains($0) && $0.family == family }.isEmpty }
}
