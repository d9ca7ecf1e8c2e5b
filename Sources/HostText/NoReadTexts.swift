// What hosts get for a trigger that found nothing to read.

/// Texts for no-reads.
public struct NoReadTexts: Equatable, Sendable {
  /// The text where no symbol was seen.
  public var noSymbol: String
  /// The text where a symbol was seen that could not be read.
  public var unreadable: String

  public init(noSymbol: String, unreadable: String) {
    self.noSymbol = noSymbol
    self.unreadable = unreadable
  }
}
