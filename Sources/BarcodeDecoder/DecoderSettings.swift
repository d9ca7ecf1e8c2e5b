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

/// Whether pairs of Code 39 characters stand for full ASCII.
public enum FullASCIIPolicy: Sendable, BitwiseCopyable {
  case never
  case always
  /// Where a text has shift characters and every one of them has a letter that it goes with.
  case detect
}

/// Settings of one call of `Decoder.decode`.
public struct DecoderSettings: Sendable, BitwiseCopyable {
  /// The symbologies to look for; those that this build does not read are passed over.
  public var symbologies: SymbologySet = Decoder.supportedSymbologies
  public var effort: Effort = .still
  public var addOns: AddOnPolicy = .ignore
  /// The check character of Code 39, modulo 43.
  public var code39Check: CheckPolicy = .none
  public var code39FullASCII: FullASCIIPolicy = .detect
  /// The check digit of Interleaved 2 of 5. ITF-14 always has one.
  public var itfCheck: CheckPolicy = .none
  /// Fewest digits of an Interleaved 2 of 5. Short ones are easily read from what is none.
  public var itfDigitCountMin = 6
  /// Whether a Codabar text has its start and stop characters.
  public var codabarKeepsStartAndStop = true

  public init() {}
}
