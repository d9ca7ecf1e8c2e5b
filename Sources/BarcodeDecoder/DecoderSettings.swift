// What the caller asks of the decoder.

public import BarcodeTypes

/// How much work a picture may cost.
public enum Effort: Sendable, BitwiseCopyable {
  /// What a station spends on one camera frame; the next frame is another chance.
  case frame
  /// All that can be done for a single picture.
  case still
}

/// What to do with the 2- or 5-digit add-on to the right of an EAN or UPC symbol.
public enum AddOnPolicy: Sendable, BitwiseCopyable {
  /// Report the main symbol alone.
  case ignore
  /// Report the add-on with the main symbol where there is one.
  case read
  /// Report only symbols that have an add-on.
  case require
}

/// What to do with an optional check character.
public enum CheckPolicy: Sendable, BitwiseCopyable {
  /// There is none: the last character is data.
  case none
  /// Refuse symbols without a right one; report it with the text.
  case verify
  /// Refuse symbols without a right one; leave it out of the text.
  case verifyAndDrop
}

/// The check digits of MSI. The symbol does not say which of them it has.
public enum MSICheck: Sendable, BitwiseCopyable {
  /// There is none: the last digit is data.
  case none
  case mod10
  /// A second one over the digits and the first one.
  case mod10Mod10
  /// Weights from 2 to 7.
  case mod11
  case mod11Mod10

  /// How many digits they are.
  public var digitCount: Int {
    switch self {
    case .none: 0
    case .mod10, .mod11: 1
    case .mod10Mod10, .mod11Mod10: 2
    }
  }
}

/// Whether pairs of Code 39 characters stand for full ASCII.
public enum FullASCIIPolicy: Sendable, BitwiseCopyable {
  case never
  case always
  /// Where a text has shift characters and every one of them has a letter that it goes with.
  case detect
}

/// How many characters a text may have.
public struct LengthRange: Equatable, Sendable, BitwiseCopyable {
  public var min: Int
  public var max: Int

  /// - Parameters: min, max: both included; texts of no linear symbology are longer than 255 bytes.
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
  /// Effort `frame`: symbologies without a strong check character, on whose texts frames vote. A symbol of theirs is read in
  /// `votedReadingCount` frames before it is kept as long as its pixels do not change; of others one reading is enough.
  public var votedSymbologies = SymbologySet().with(.itf).with(.itf14).with(.code39).with(.codabar).with(.upce).with(.msi)
  public var votedReadingCount = 2
  public var addOns: AddOnPolicy = .ignore
  /// The check character of Code 39, modulo 43.
  public var code39Check: CheckPolicy = .none
  public var code39FullASCII: FullASCIIPolicy = .detect
  /// The check digit of Interleaved 2 of 5. ITF-14 always has one.
  public var itfCheck: CheckPolicy = .none
  /// Digits of an Interleaved 2 of 5, its check digit counted. Short ones are easily read from what is none; a single length is
  /// the best protection that this symbology has.
  public var itfLength = LengthRange(min: 6, max: 80)
  /// Bytes of the text as it is reported.
  public var code39Length = LengthRange(min: 2)
  /// Bytes of the text as it is reported. The two check characters of Code 93 are always verified and never part of it.
  public var code93Length = LengthRange()
  /// Bytes of the text as it is reported. The check character of Code 128 is always verified and never part of it.
  public var code128Length = LengthRange()
  /// Characters of a Codabar text without start and stop.
  public var codabarLength = LengthRange(min: 4)
  /// The check character of Codabar, modulo 16 with start and stop.
  public var codabarCheck: CheckPolicy = .none
  /// Whether a Codabar text has its start and stop characters.
  public var codabarKeepsStartAndStop = true
  /// Symbols whose check digits are wrong are refused.
  public var msiCheck: MSICheck = .mod10
  /// Whether an MSI text has its check digits.
  public var msiKeepsCheckDigits = true
  /// Digits of an MSI beside its check digits.
  public var msiLength = LengthRange(min: 4, max: 80)
  /// The ECI assignment number by which bytes are read as text that no ECI of their symbol qualifies; nil for the default of
  /// the symbology. The decoder hands bytes on as they are encoded and leaves this to whoever makes text of them.
  public var assumedECI: UInt32?

  public init() {}
}

extension DecoderSettings {
  @inline(__always) func wants(_ symbology: Symbology) -> Bool { symbologies.contains(symbology) }
  var wantsInterleaved: Bool { wants(.itf) || wants(.itf14) }
  var wantsDataBar: Bool { wants(.databar) || wants(.databarLimited) || wants(.databarExpanded) }
}

extension SymbologySet {
  /// Whether a symbology is in the set whose patterns show in single rows of pixels.
  var hasFinders: Bool { contains(.qr) || contains(.microqr) || contains(.rmqr) || contains(.aztec) }

  /// Whether a linear symbology is in the set.
  var hasLinear: Bool {
    for raw in 0..<UInt8(Symbology.count) {
      if let symbology = Symbology(rawValue: raw), symbology.family == .linear, contains(symbology) { return true }
    }
    return false
  }
}
