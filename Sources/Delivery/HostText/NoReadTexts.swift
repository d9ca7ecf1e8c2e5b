// Messages for a trigger that found nothing to read, and for a set of codes that was given up.

/// Texts and records for no-reads.
public struct NoReadTexts: Equatable, Sendable {
  /// The text when no symbol was seen; nil if hosts that accept only text get no message.
  public var noSymbol: String?
  /// The text when a symbol was seen that could not be read.
  public var unreadable: String?
  /// The text when a set of codes was given up, with placeholders for its name and its missing parts.
  public var incomplete: String?
  /// Whether sinks that accept records get one.
  public var sendsRecords: Bool

  /// The placeholders for a set's name and for its missing parts.
  public static let setPlace = "{set}"
  public static let missingPlace = "{missing}"

  /// - Parameter incomplete: by default the text for no symbol, a blank, and the missing parts.
  public init(
    noSymbol: String? = nil, unreadable: String? = nil, incomplete: String? = nil, sendsRecords: Bool = true
  ) {
    self.noSymbol = noSymbol
    self.unreadable = unreadable
    self.incomplete = incomplete ?? noSymbol.map { "\($0) \(Self.missingPlace)" }
    self.sendsRecords = sendsRecords
  }

  /// Whether a sink receives a no-read.
  ///
  /// - Parameter text: the no-read's text; nil if it is not configured.
  public func reach(_ sink: HostSink, text: String?) -> Bool { sink.takesRecords ? sendsRecords : text != nil }

  /// The text for a set that was given up.
  public func incomplete(set: String, missing: [String]) -> String? {
    // One placeholder after the other: a set may be called {missing}.
    incomplete?.split(separator: Self.setPlace, omittingEmptySubsequences: false)
      .map { $0.replacing(Self.missingPlace, with: missing.joined(separator: ", ")) }
      .joined(separator: set)
  }
}
