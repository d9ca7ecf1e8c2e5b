// Start reading here: what a symbol says, from the decoder's bytes to what a person or a program wants.

public import BarcodeTypes

/// What a symbol says.
public struct SymbolContent: Equatable, Sendable {
  /// The text; an add-on follows the main symbol after a space. FNC1 between GS1 element strings is U+001D.
  public var text: String
  /// The GS1 element strings of a GS1 symbol, or of a GS1 Digital Link in any symbol; nil if there are none or they break the
  /// rules of their application identifiers.
  public var elements: GS1Message?
  /// Whether the symbol says that it is GS1.
  public var isGS1: Bool
  /// The element strings of a GS1 symbol as they are printed below it, such as `(01)09501101530003(17)140704`.
  public var humanReadable: String?
  /// The AIM symbology identifier, such as `]E0`.
  public var aimIdentifier: String
  /// What the text is good for; nil if there is none, and then there is no result (behaviour N3).
  public var use: ContentUse? { ContentUse(text: text) }
  /// Whether every byte of the payload was read as the symbol says; see `MessageText`.
  public var isExact: Bool

  /// Reads what the decoder lends.
  ///
  /// - Parameters:
  ///   - symbol: from `Workspace.symbol`.
  ///   - payload: the same symbol's, from `Workspace.payload`.
  ///   - segments: the same symbol's, from `Workspace.segments`.
  ///   - assumedECI: the assignment number by which bytes are read that no ECI of the symbol qualifies; nil for the default of
  ///     the symbology.
  public init(
    symbol: DecodedSymbol, payload: Span<UInt8>, segments: Span<PayloadSegment>, assumedECI: UInt32? = nil
  ) {
    let unspecified = assumedECI.map { UnspecifiedBytes.eci($0) } ?? UnspecifiedBytes(of: symbol.symbology)
    let message = MessageText(payload: payload, segments: segments, unspecified: unspecified)
    text = message.text
    isExact = message.isExact
    let addOnCount = Int(symbol.addOnByteCount)
    if addOnCount > 0, addOnCount < payload.count, text.utf8.count == payload.count {
      text.insert(" ", at: text.utf8.index(text.endIndex, offsetBy: -addOnCount))
    }
    aimIdentifier =
      "]" + String(Unicode.Scalar(symbol.symbology.aimCodeCharacter)) + String(Unicode.Scalar(symbol.aimModifier))
    isGS1 = symbol.isGS1
    elements = isGS1 ? try? GS1Message(elementStrings: text) : try? GS1Message(digitalLink: text)
    humanReadable = isGS1 ? elements?.humanReadable : nil
  }
}
