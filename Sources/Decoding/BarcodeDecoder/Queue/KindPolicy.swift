// How much work each kind of candidate is worth: one row per kind. docs/tuning.md has the counts behind the chances.

import BarcodeTypes

/// The work that candidates of a kind may cost.
struct KindPolicy {
  /// The expected work units for the grey values of characters, which only bars have.
  static let charactersCost: Int32 = 40_000

  /// The maximum work units per attempt, by `Attempt`.
  var workMax: [5 of Int] = [160_000, 160_000, 900_000, 300_000, 300_000]
  /// The maximum work units of a glance in a picture that is not small.
  var glanceWorkMax = 160_000
  /// The work units that candidates of the kind may cost without a reading: in a camera frame, which leaves the rest to the
  /// next one, and in a single picture. A page of print or a carpet resembles symbols everywhere.
  var framePatience: Int
  var stillPatience: Int
  /// The factor of patience in the first camera frame if it has few likely candidates of the kind: a stacked symbol is seen in
  /// parts and at several sizes, and a bullseye as several rings, but print as dozens.
  var quietFactor = 1
  /// The maximum factor by which more promising candidates get more patience in a camera frame.
  var sureFactor = 1
  /// The probability above which all candidates get the same patience in a camera frame; nil if patience follows their promise.
  var equalPromise: Int32?
  /// The minimum probability for which a candidate is tried at all if only symbols of other kinds were read.
  var otherKindsPromiseMin: Int32 = 0
  /// The probability from which a candidate gets the full patience of a single picture without readings, before and after
  /// symbols were read. Others get a share in proportion.
  var likelyChance = 0
  var laterLikelyChance = 0
  /// The expected work units of a study, and the probability after a glance that suggests one; nil: half of the earlier one.
  var studyCost: Int32 = 20_000
  var studyPromise: Int32?
  /// The stage that counts the work.
  var stage: DecodeStage
}

extension CandidateKind {
  var policy: KindPolicy {
    switch self {
    case .bars:
      KindPolicy(
        workMax: [80_000, 80_000, 600_000, 300_000, 300_000], glanceWorkMax: 80_000, framePatience: 20_000,
        stillPatience: 600_000, sureFactor: 4, otherKindsPromiseMin: 330, likelyChance: 32, laterLikelyChance: 300,
        stage: .linear)
    // A small stacked symbol promises no more than a false candidate.
    case .rows:
      KindPolicy(
        framePatience: 10_000, stillPatience: 800_000, quietFactor: 4, equalPromise: Int32(Evidence.fewTurns),
        otherKindsPromiseMin: 2, likelyChance: 128, laterLikelyChance: 16, stage: .stacked)
    // Three finder patterns cost little.
    case .finders:
      KindPolicy(
        framePatience: 40_000, stillPatience: 400_000, equalPromise: 0, studyCost: 30_000,
        studyPromise: Int32(Evidence.functionModules), stage: .qr)
    case .finder: KindPolicy(framePatience: 10_000, stillPatience: 60_000, stage: .qr)
    case .bullseye: KindPolicy(framePatience: 15_000, stillPatience: 100_000, quietFactor: 4, stage: .aztec)
    case .cells:
      KindPolicy(
        glanceWorkMax: 40_000, framePatience: 20_000, stillPatience: 250_000, otherKindsPromiseMin: 500,
        likelyChance: 1_200, laterLikelyChance: 150, stage: .dataMatrix)
    case .search: KindPolicy(framePatience: 40_000, stillPatience: 1_000_000, stage: .dataMatrix)
    }
  }
}

extension Candidate {
  /// The search that the candidate represents.
  var search: ExtraSearch { ExtraSearch(Int(index)) }

  /// The kind whose patience it uses: a search for cells uses that of cells.
  var account: CandidateKind {
    guard kind == .search else { return kind }
    switch search {
    case .activeRegions, .wholePicture: return .cells
    case .sharpened, .enlarged, .faintRings: return .search
    }
  }

  /// The stage that counts its work.
  var stage: DecodeStage {
    if kind == .search, case .sharpened = search { return .qr }
    return kind.policy.stage
  }

  /// Whether symbologies of its kind are among those that were read: readings suggest more of their kind, and say nothing of
  /// others.
  func isSuggested(by seen: SymbologySet) -> Bool {
    switch kind {
    case .bars: return seen.hasLinear
    case .rows: return seen.hasStacked
    case .finders, .finder: return seen.hasFinders
    case .bullseye: return seen.hasFinders || seen.contains(.maxicode)
    case .cells: return seen.hasCells
    case .search:
      switch search {
      case .sharpened: return seen.hasFinders || seen.contains(.maxicode)
      case .activeRegions: return seen.hasCells
      case .faintRings: return seen.contains(.maxicode)
      case .wholePicture, .enlarged: return false
      }
    }
  }
}
