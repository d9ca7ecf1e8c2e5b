// The answer of a trigger that found nothing to read, and of a set of codes that was given up.

/// Texts and records for no-reads.
public struct NoReadTexts: Equatable, Sendable {
  /// The text where no symbol was seen; nil where hosts that take text alone hear nothing.
  public var noSymbol: String?
  /// The text where a symbol was seen that could not be read.
  public var unreadable: String?
  /// The text where a set of codes was given up, with the places for its name and its missing parts.
  public var incomplete: String?
  /// Whether sinks that take records get one.
  public var sendsRecords: Bool

  /// The places of a set's name, and of its missing parts.
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

  /// Whether a sink hears of a no-read.
  ///
  /// - Parameter text: of the no-read; nil where there is none.
  public func reach(_ sink: HostSink, text: String?) -> Bool { sink.takesRecords ? sendsRecords : text != nil }

  /// The text for a set that was given up.
  public func incomplete(set: String, missing: [String]) -> String? {
    // One after the other: a set may be called {missing}.
    incomplete?.split(separator: Self.setPlace, omittingEmptySubsequences: false)
      .map { $0.replacing(Self.missingPlace, with: missing.joined(separator: ", ")) }
      .joined(separator: set)
  }
}
