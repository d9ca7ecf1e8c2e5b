// A possible symbol: its place, its kind and the evidence for it.

/// The kind of a candidate, which determines its reader.
public enum CandidateKind: UInt8, Sendable, BitwiseCopyable {
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

  /// Whether candidates of the kind are finder patterns or rings.
  var hasFinders: Bool { self == .finders || self == .finder || self == .bullseye }
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
    // Bars that nothing could read are as likely a symbol as before.
    if next == .characters { return cost = KindPolicy.charactersCost }
    guard next == .look else {
      promise = max(1, promise / 2)
      cost = max(cost, 2_000) &* 10
      return
    }
    cost = kind.policy.studyCost
    if let studyPromise = kind.policy.studyPromise { promise = studyPromise }
  }

  /// Promise per cost.
  var worth: Int { Int(promise) << 10 / Int(max(1, cost)) }
}
