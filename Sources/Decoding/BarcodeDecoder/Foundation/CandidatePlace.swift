// The place of a possible symbol, before it is read.

import BarcodeTypes

/// The place of a candidate, in pixels at full size.
struct CandidatePlace: BitwiseCopyable {
  /// The centre.
  var x: Int32
  var y: Int32
  /// Half the longer side.
  var reach: Int32

  init(x: Int, y: Int, reach: Int) {
    self.x = Int32(truncatingIfNeeded: x)
    self.y = Int32(truncatingIfNeeded: y)
    self.reach = Int32(truncatingIfNeeded: max(1, reach))
  }

  var point: PixelPoint { PixelPoint(x: Fixed16(Int(x)), y: Fixed16(Int(y))) }

  /// Whether another place probably belongs to the same object: its centre is less than half the smaller reach away, and the
  /// reaches differ by less than a factor of 1.5.
  @inline(__always) func isLike(_ other: CandidatePlace) -> Bool {
    let near = min(reach, other.reach)
    return abs(x &- other.x) &* 2 < near && abs(y &- other.y) &* 2 < near && reach &* 2 < other.reach &* 3
      && other.reach &* 2 < reach &* 3
  }
}

/// How thoroughly a candidate is tried, in increasing order.
public enum Attempt: UInt8, Comparable, Sendable, BitwiseCopyable {
  /// The work that a camera frame can afford for everything that resembles a symbol.
  case glance
  /// More of the same work, for candidates that a glance has shown to be likely.
  case look
  /// All methods available for a single picture.
  case study
  /// The grey values of characters, for bars of a single picture that a study has left unread.
  case characters
  /// The methods of `study` for light on dark that a glance cannot detect.
  case inverted

  public static func < (a: Attempt, b: Attempt) -> Bool { a.rawValue < b.rawValue }
}
