// How a decode went, apart from its symbols: its stages, its work and the limits that ended it.

/// The stages of a decode, as reported to an observer.
public enum DecodeStage: Int, Sendable, BitwiseCopyable {
  /// Tile statistics and reduced copies of the picture.
  case tiles
  /// Finding candidates of all kinds, and keeping unchanged symbols of the previous frame.
  case candidates
  /// QR Code, Micro QR Code and rMQR Code.
  case qr
  /// Aztec Code and MaxiCode.
  case aztec
  /// Linear symbologies.
  case linear
  /// PDF417 and MicroPDF417.
  case stacked
  /// Data Matrix.
  case dataMatrix

  public static let count = 7
}

/// The result of a decode, apart from its symbols.
public struct DecodeOutcome: Equatable, Sendable, BitwiseCopyable {
  /// Symbols found; read them from the workspace.
  public var symbolCount: Int
  /// Work units spent. Equal pixels and settings spend the same on every machine.
  public var workUnits: Int
  /// Work units that the decode was allowed, without those earned by symbols. The same limit repeats the decode exactly.
  public var workLimit: Int
  /// The limits that ended the decode before all candidates were tried.
  public var limits: DecodeLimits

  /// Whether all candidates were tried.
  public var isComplete: Bool { limits.isEmpty }
}

/// The limits that a decode has reached.
public struct DecodeLimits: Equatable, Sendable, BitwiseCopyable {
  /// The work units allowed for the picture were spent.
  public var hasReachedWork = false
  /// Candidates were passed over with work units left, because others of their kind had cost much and given no symbol.
  public var hasReachedPatience = false
  /// Room for candidates.
  public var hasReachedCandidates = false
  /// Room for symbols, their payloads or segments.
  public var hasReachedSymbols = false

  public init() {}
  public var isEmpty: Bool { !hasReachedWork && !hasReachedPatience && !hasReachedCandidates && !hasReachedSymbols }
}
