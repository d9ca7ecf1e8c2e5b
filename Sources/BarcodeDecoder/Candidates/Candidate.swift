// A possible symbol: its place, its kind and the evidence for it.

import BarcodeTypes

/// The kind of a candidate, which determines its reader.
enum CandidateKind: UInt8 {
  /// Stripes: a linear symbol.
  case bars
  /// Rows of stripes: a stacked symbol.
  case rows
  /// Three finder patterns: QR Code.
  case finders
  /// One finder pattern: rMQR Code or Micro QR Code.
  case finder
  /// Rings: Aztec Code, MaxiCode.
  case bullseye
  /// Gradients in two directions: Data Matrix.
  case cells
  /// A search without a place, which may find more candidates: in a filtered picture, or without the help of tiles.
  case search

  static let count = 7
}

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

/// A possible symbol that has not been read yet.
struct Candidate: BitwiseCopyable {
  var kind: CandidateKind
  var attempt: Attempt
  /// The pyramid level on which it was detected.
  var level: Int8
  /// Its index in the list of its kind; for three finder patterns, the one at the corner, and `second` and `third` are the
  /// others.
  var index: Int16
  var second: Int16 = 0
  var third: Int16 = 0
  var place: CandidatePlace
  /// The probability that it is a symbol, in 65536ths.
  var promise: Int32
  /// The expected work of trying it, in work units.
  var cost: Int32

  /// The index of its note in the sequence memory; -1 without a note.
  var note: Int16 = -1

  /// Prepares the next attempt. A candidate that was not read at once costs more and is less likely a symbol, unless it now
  /// resembles one more.
  mutating func advance(to next: Attempt) {
    attempt = next
    guard next == .look else {
      promise = max(1, promise / 2)
      cost = max(cost, 2_000) &* 10
      return
    }
    cost = kind == .finders ? 30_000 : 20_000
    if kind == .finders { promise = Int32(Evidence.functionModules) }
  }

  /// Promise per cost.
  var worth: Int { Int(promise) << 10 / Int(max(1, cost)) }
}
