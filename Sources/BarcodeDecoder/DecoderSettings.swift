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

/// Settings of one call of `Decoder.decode`.
public struct DecoderSettings: Sendable, BitwiseCopyable {
  /// The symbologies to look for; those that this build does not read are passed over.
  public var symbologies: SymbologySet = Decoder.supportedSymbologies
  public var effort: Effort = .still
  public var addOns: AddOnPolicy = .ignore

  public init() {}
}
