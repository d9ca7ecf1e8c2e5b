// The attempts at a candidate, from the cheapest to the most thorough.

/// How thoroughly a candidate is tried, in increasing order.
enum Attempt: UInt8, Comparable {
  /// The work that a camera frame can afford for everything that resembles a symbol.
  case glance
  /// More of the same work, for candidates that a glance has shown to be likely.
  case look
  /// All methods available for a single picture.
  case study
  /// The methods of `study` for light on dark that a glance cannot detect.
  case inverted

  static func < (a: Attempt, b: Attempt) -> Bool { a.rawValue < b.rawValue }
}
