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

/// Whether pairs of Code 39 characters encode full ASCII.
public enum FullASCIIPolicy: Sendable, BitwiseCopyable {
  case never
  case always
  /// If the text has shift characters and each is followed by a letter that it can shift.
  case detect
}

/// The permitted number of characters in a text.
public struct LengthRange: Equatable, Sendable, BitwiseCopyable {
  public var min: Int
  public var max: Int

  /// - Parameters: min, max: both inclusive; no linear symbology has texts longer than 255 bytes.
  public init(min: Int = 1, max: Int = 255) {
    self.min = min
    self.max = max
  }

  public func contains(_ count: Int) -> Bool { count >= min && count <= max }
}

/// Settings of one call of `Decoder.decode`.
public struct DecoderSettings: Equatable, Sendable, BitwiseCopyable {
  /// The symbologies to look for.
  public var symbologies: SymbologySet = Decoder.defaultSymbologies
  public var effort: Effort = .still
  /// At effort `frame`, symbologies without a strong check character, which need agreeing frames. Such a symbol is read in
  /// `votedReadingCount` frames before it is kept while its pixels stay unchanged. Other symbols need one reading.
  public var votedSymbologies = SymbologySet().with(.itf).with(.itf14).with(.code39).with(.codabar).with(.upce).with(.msi)
  public var votedReadingCount = 2
  public var addOns: AddOnPolicy = .ignore
  /// How to handle the check character of Code 39, modulo 43.
  public var code39Check: CheckPolicy = .none
  public var code39FullASCII: FullASCIIPolicy = .detect
  /// How to handle the check digit of Interleaved 2 of 5. ITF-14 always has one.
  public var itfCheck: CheckPolicy = .none
  /// Digits of an Interleaved 2 of 5 symbol, including its check digit. Short symbols are easily misread from patterns that
  /// are not barcodes; requiring a single length is the best protection that this symbology offers.
  public var itfLength = LengthRange(min: 6, max: 80)
  /// Bytes of the reported text.
  public var code39Length = LengthRange(min: 2)
  /// Bytes of the reported text. The two check characters of Code 93 are always verified and never part of the text.
  public var code93Length = LengthRange()
  /// Bytes of the reported text. The check character of Code 128 is always verified and never part of the text.
  public var code128Length = LengthRange()
  /// Characters of a Codabar text, without start and stop characters.
  public var codabarLength = LengthRange(min: 4)
  /// How to handle the check character of Codabar, modulo 16, which covers start and stop.
  public var codabarCheck: CheckPolicy = .none
  /// Whether a Codabar text includes its start and stop characters.
  public var codabarKeepsStartAndStop = true
  /// The check digits that MSI symbols have. Symbols with wrong check digits are rejected.
  public var msiCheck: MSICheck = .mod10
  /// Whether an MSI text includes its check digits.
  public var msiKeepsCheckDigits = true
  /// Digits of an MSI symbol, without its check digits.
  public var msiLength = LengthRange(min: 4, max: 80)
  /// The ECI assignment number for bytes to which no ECI of their symbol applies; nil for the symbology's default. The
  /// decoder passes bytes on as encoded and leaves their interpretation to the code that makes text of them.
  public var assumedECI: UInt32?

  public init() {}
}

extension DecoderSettings {
  @inline(__always) func wants(_ symbology: Symbology) -> Bool { symbologies.contains(symbology) }
  var wantsInterleaved: Bool { wants(.itf) || wants(.itf14) }
  var wantsDataBar: Bool { wants(.databar) || wants(.databarLimited) || wants(.databarExpanded) }
}

extension SymbologySet {
  /// Whether the set contains a symbology whose finder patterns show in single rows of pixels.
  var hasFinders: Bool { contains(.qr) || contains(.microqr) || contains(.rmqr) || contains(.aztec) }

  /// Whether the set contains a linear symbology.
  var hasLinear: Bool {
    for raw in 0..<UInt8(Symbology.count) {
      if let symbology = Symbology(rawValue: raw), symbology.family == .linear, contains(symbology) { return true }
    }
    return false
  }
}
