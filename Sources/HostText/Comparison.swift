// Match codes: each scan is compared with a reference, so that a wrong carton on the line is seen at once.

/// What scans are compared with.
public struct Comparison: Equatable, Sendable {
  /// The flag of the scans that are compared; nil: all are.
  public var flag: String?
  /// The text that they must have; nil: that of the first one.
  public var reference: String?
  /// Matches after which the record is flagged and counting begins anew; nil: they are not counted so.
  public var countMax: Int?

  /// The flags that the records of compared scans have.
  public static let matchFlag = "match"
  public static let mismatchFlag = "mismatch"
  /// The flag of the scan that makes the count full.
  public static let fullFlag = "full"

  /// All of these.
  public static let ownFlags = [matchFlag, mismatchFlag, fullFlag]

  public init() {}
}

/// What came of comparing a scan.
public enum Verdict: Equatable, Sendable {
  case match
  /// It is the last of the count.
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
  /// Matches since the last full count.
  private var matchCount = 0

  /// - Parameter earlier: what was compared before; it goes on if nothing about it has changed.
  public init(_ comparison: Comparison, after earlier: Comparing? = nil) {
    self.comparison = comparison
    let unchanged = earlier.flatMap { $0.comparison == comparison ? $0 : nil }
    reference = unchanged?.reference ?? comparison.reference
    matchCount = unchanged?.matchCount ?? 0
  }

  /// Compares the text of a scan; nil if it is none of those that are compared.
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
