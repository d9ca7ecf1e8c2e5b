// What might be a symbol: a place, a kind, and what is known of its chances.

import BarcodeTypes

/// What a candidate may be, which decides who reads it.
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
  /// No place, but a search that may find more candidates: in a filtered picture, or without the help of tiles.
  case search

  static let count = 7
}

/// How thoroughly a candidate is tried: each time more than the time before.
enum Attempt: UInt8, Comparable {
  /// What a camera frame can afford for everything that looks like a symbol.
  case glance
  /// More of the same, for what a glance has shown to be likely.
  case look
  /// All that helps a single picture.
  case study
  /// The same for light on dark, where that is not seen at a glance.
  case inverted

  static func < (a: Attempt, b: Attempt) -> Bool { a.rawValue < b.rawValue }
}

/// Where a candidate lies, in pixels at full size.
struct CandidatePlace: BitwiseCopyable {
  /// The centre.
  var x: Int32
  var y: Int32
  /// Half of its longer side.
  var reach: Int32

  init(x: Int, y: Int, reach: Int) {
    self.x = Int32(truncatingIfNeeded: x)
    self.y = Int32(truncatingIfNeeded: y)
    self.reach = Int32(truncatingIfNeeded: max(1, reach))
  }

  var point: PixelPoint { PixelPoint(x: Fixed16(Int(x)), y: Fixed16(Int(y))) }

  /// Whether another place is likely the same thing: its centre is less than half as far away as it reaches, and its size is
  /// within two thirds.
  @inline(__always) func isLike(_ other: CandidatePlace) -> Bool {
    let near = min(reach, other.reach)
    return abs(x &- other.x) &* 2 < near && abs(y &- other.y) &* 2 < near && reach &* 2 < other.reach &* 3
      && other.reach &* 2 < reach &* 3
  }
}

/// Something that may be a symbol, and has not been read.
struct Candidate: BitwiseCopyable {
  var kind: CandidateKind
  var attempt: Attempt
  /// The level of the picture on which it was seen.
  var level: Int8
  /// What it is among those of its kind: a list's index; for three finder patterns all of theirs.
  var index: Int16
  var second: Int16 = 0
  var third: Int16 = 0
  var place: CandidatePlace
  /// The chance that it is a symbol, in 65536ths.
  var promise: Int32
  /// What trying it is likely to cost, in work units.
  var cost: Int32

  /// Where the memory of the sequence has noted it; -1 if it has not.
  var note: Int16 = -1

  /// Prepares the next attempt: what was not read at once is dearer, and less likely a symbol if it does not look more like one.
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
