// What hosts get for a trigger that found nothing to read, and for a set of codes that was given up.

/// Texts for no-reads.
public struct NoReadTexts: Equatable, Sendable {
  /// The text where no symbol was seen.
  public var noSymbol: String
  /// The text where a symbol was seen that could not be read.
  public var unreadable: String
  /// The text where a set of codes was given up, with the places for its name and its missing parts.
  public var incomplete: String

  /// What stands for the name of the set, and for its missing parts.
  public static let setPlace = "{set}"
  public static let missingPlace = "{missing}"

  /// - Parameter incomplete: by default the text for no symbol, a blank, and the missing parts.
  public init(noSymbol: String, unreadable: String, incomplete: String? = nil) {
    self.noSymbol = noSymbol
    self.unreadable = unreadable
    self.incomplete = incomplete ?? "\(noSymbol) \(Self.missingPlace)"
  }

  /// The text for a set that was given up.
  public func incomplete(set: String, missing: [String]) -> String {
    // One after the other: a set may be called {missing}.
    incomplete.split(separator: Self.setPlace, omittingEmptySubsequences: false)
      .map { $0.replacing(Self.missingPlace, with: missing.joined(separator: ", ")) }
      .joined(separator: set)
  }
}
