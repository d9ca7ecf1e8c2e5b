// Comparison of scans with a reference, so that a wrong carton on the line is noticed at once.

/// The comparison as configured.
public struct Comparison: Equatable, Sendable {
  /// The flag of the scans to compare; nil: all scans.
  public var flag: String?
  /// The text that they must have; nil: that of the first scan.
  public var reference: String?
  /// Matches after which the record is flagged and counting restarts; nil: no such count.
  public var countMax: Int?

  /// The flags of compared scans' records.
  public static let matchFlag = "match"
  public static let mismatchFlag = "mismatch"
  /// The flag of the scan that completes the count.
  public static let fullFlag = "full"

  /// All flags that comparing sets.
  public static let ownFlags = [matchFlag, mismatchFlag, fullFlag]

  public init() {}
}

/// The verdict on a compared scan.
public enum Verdict: Equatable, Sendable {
  case match
  /// A match, the last of the count.
  case full
  case mismatch

  /// The flags of the record.
  public var flags: [String] {
    switch self {
    case .match: [Comparison.matchFlag]
    case .full: [Comparison.matchFlag, Comparison.fullFlag]
    case .mismatch: [Comparison.mismatchFlag]
    }
  }
}

/// Compares scans.
public struct Comparing: Sendable {
  private let comparison: Comparison
  private var reference: String?
  /// Matches since the count was last completed.
  private var matchCount = 0

  /// - Parameter earlier: the previous comparison; it continues if its settings have not changed.
  public init(_ comparison: Comparison, after earlier: Comparing? = nil) {
    self.comparison = comparison
    let unchanged = earlier.flatMap { $0.comparison == comparison ? $0 : nil }
    reference = unchanged?.reference ?? comparison.reference
    matchCount = unchanged?.matchCount ?? 0
  }

  /// Compares the text of a scan; nil if the scan is not to be compared.
  public mutating func take(_ text: String, flags: [String]) -> Verdict? {
    if let flag = comparison.flag, !flags.contains(flag) { return nil }
    guard text == reference ?? text else { return .mismatch }
    reference = text
    matchCount += 1
    guard matchCount == comparison.countMax else { return .match }
    matchCount = 0
    return .full
  }
}
