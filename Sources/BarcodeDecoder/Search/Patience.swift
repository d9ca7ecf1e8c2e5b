// How long a picture is tried: the work that candidates of a kind may cost without a reading.

import BarcodeTypes

/// The patience with the candidates of a picture: what may still be spent on each kind, given the work since its last reading. It is
/// small because Swift copies it each time the main loop asks it about a candidate.
struct Patience: BitwiseCopyable {
  /// The work units, by `CandidateKind`, that candidates of a kind may cost without a reading: in a camera frame, which
  /// leaves the rest to the next one, and in a single picture. A page of print or a carpet resembles symbols everywhere.
  private static let framePatience: [7 of Int] = [20_000, 10_000, 40_000, 10_000, 15_000, 20_000, 40_000]
  private static let stillPatience: [7 of Int] = [600_000, 800_000, 400_000, 60_000, 100_000, 250_000, 1_000_000]
  /// The number of pixels of a camera frame beyond which patience grows, and the number of further pixels per additional
  /// work unit.
  private static let ordinaryPixelCount = 1_000_000
  private static let framePatientArea = 64
  /// The factor of patience, by `CandidateKind`, in the first camera frame if it has at most `quietCountMax` likely candidates of the
  /// kind: a stacked symbol is seen in parts and at several sizes, and a bullseye as several rings, but print as dozens.
  private static let quietFactors: [7 of Int] = [1, 4, 1, 1, 4, 1, 1]
  private static let quietCountMax = 6
  /// The factor of patience for a small camera frame.
  private static let smallFactor = 4
  /// The number of pixels of a single picture per additional work unit.
  private static let patientArea = 8
  /// The probability, in 65536ths, from which patience grows in proportion to it.
  private static let ordinaryPromise = 3_000
  /// The maximum factor of that growth.
  private static let sureFactor = 4
  /// The maximum number of fruitless work units that earlier readings make up for.
  private static let creditMax = 60_000
  /// The divisor of patience in a single picture for kinds without a reading, if symbols of other kinds were read.
  private static let otherKindsDivisor = 8
  /// The minimum probability, by `CandidateKind`, for which a candidate of such a kind is tried at all.
  private static let otherKindsPromiseMin: [7 of Int32] = [330, 2, 0, 0, 0, 500, 0]
  /// The probability, by `CandidateKind`, from which a candidate gets the full patience of a single picture without
  /// readings, before and after symbols were read. Others get a share in proportion, and at least `unlikelyPatience`.
  private static let likelyChances: [7 of Int] = [32, 128, 0, 0, 0, 1_200, 0]
  private static let laterLikelyChances: [7 of Int] = [300, 16, 0, 0, 0, 150, 0]
  private static let unlikelyPatience = 60_000
  /// The minimum probability for which a candidate is tried harder after other symbols were read.
  private static let studyPromiseMin = 10
  /// That minimum in a sequence of frames.
  private static let likelyPromise = 650
  /// The factor of patience for frames that continue the work of earlier ones and have no reading.
  private static let laterFrameFactor = 3

  /// The work limit of this frame in multiples of the minimum for its size; 1 for a single picture.
  let plenty: Int
  /// Whether the picture is a frame in a sequence, whose next frame is another chance.
  let isSequence: Bool
  /// Whether candidates are tried beyond a glance: from the second frame on, and in the first one if its work limit allows
  /// it.
  let isPatient: Bool

  /// The number of likely candidates that the passes over the picture have found, by kind.
  var likelyCounts: [7 of Int] = .init(repeating: 0)
  /// The work units spent on each kind since its last reading.
  private var fruitless: [7 of Int] = .init(repeating: 0)

  /// Begins a picture. `plenty` is its work limit in multiples of the minimum for its size, and `frameCount` its number in a
  /// sequence of frames, from 1; nil for a single picture.
  init(plenty: Int, frameCount: Int?) {
    self.plenty = plenty
    isSequence = frameCount != nil
    isPatient = plenty > 1 || (frameCount ?? 0) > 1
  }

  /// Notes an attempt that cost `cost` work units and read a symbol or not. A symbol that was read suggests more of its kind.
  mutating func note(_ candidate: Candidate, cost: Int, isRead: Bool) {
    let kind = account(of: candidate)
    fruitless[kind] = isRead ? max(-Patience.creditMax, min(0, fruitless[kind]) - cost) : fruitless[kind] + cost
  }

  /// Whether a candidate that was not read at a glance is tried harder after symbols were read: it must be of their kinds,
  /// likely enough, and not the surroundings of a symbol.
  func isWorthStudy(_ candidate: Candidate, _ scene: borrowing Scene) -> Bool {
    guard scene.results.count > 0 else { return true }
    guard isSeen(candidate, scene) else { return false }
    // The next frame is another chance: in a sequence with symbols, only likely additional symbols are tried.
    if isSequence {
      return candidate.kind != .search && candidate.promise >= Patience.likelyPromise
        && !scene.results.fills(candidate.place)
    }
    return candidate.kind == .search
      || (candidate.promise >= Patience.studyPromiseMin && !scene.results.fills(candidate.place))
  }

  /// Whether a candidate may still be tried, given the fruitless work spent on its kind.
  func isWorth(_ candidate: Candidate, _ scene: borrowing Scene) -> Bool {
    let kind = account(of: candidate)
    let pixelCount = scene.luma.width * scene.luma.height
    guard isSequence else {
      var patience = Patience.stillPatience[kind] + pixelCount / Patience.patientArea
      if !isSeen(candidate, scene) {
        return candidate.promise >= Patience.otherKindsPromiseMin[Int(candidate.kind.rawValue)]
          && fruitless[kind] <= patience / Patience.otherKindsDivisor
      }
      let likely = likelyChance(kind, scene)
      let promise = Int(candidate.promise)
      if promise < likely { patience = max(Patience.unlikelyPatience, patience * promise / likely) }
      return fruitless[kind] <= patience
    }
    let extra = max(0, pixelCount - Patience.ordinaryPixelCount) / Patience.framePatientArea
    var patience = Patience.framePatience[kind] + extra
    patience *= plenty
    if !isPatient, likelyCounts[kind] <= Patience.quietCountMax { patience *= Patience.quietFactors[kind] }
    if scene.isSmall { return fruitless[kind] <= patience * Patience.smallFactor }
    // More certain bars get more patience; for the other kinds, probabilities differ little.
    let worthMax = Patience.ordinaryPromise * (candidate.kind == .bars ? Patience.sureFactor : 1)
    let promise = min(worthMax, Int(candidate.promise))
    let base = patience
    // Three finder patterns cost little, and a small stacked symbol promises no more than a false candidate.
    let isEqual =
      candidate.kind == .finders || (candidate.kind == .rows && candidate.promise > Int32(Evidence.fewTurns))
    if !isEqual { patience = patience * promise / Patience.ordinaryPromise }
    // Without a reading, less likely candidates are tried, too.
    if isPatient, scene.results.count == 0 { patience = max(base, patience) * Patience.laterFrameFactor }
    return fruitless[kind] + Int(candidate.cost) <= patience
  }

  /// The probability from which a candidate gets the full patience of a single picture.
  private func likelyChance(_ kind: Int, _ scene: borrowing Scene) -> Int {
    scene.results.count > 0 ? Patience.laterLikelyChances[kind] : Patience.likelyChances[kind]
  }

  /// Whether a symbol of a candidate's kind was read, or no symbol at all: readings suggest more of their kind, and say
  /// nothing of others.
  private func isSeen(_ candidate: Candidate, _ scene: borrowing Scene) -> Bool {
    let seen = scene.results.symbologies
    if seen.isEmpty { return true }
    switch candidate.kind {
    case .bars: return seen.hasLinear
    case .rows: return seen.contains(.pdf417) || seen.contains(.micropdf417)
    case .finders, .finder: return seen.hasFinders
    case .bullseye: return seen.hasFinders || seen.contains(.maxicode)
    case .cells: return seen.contains(.datamatrix)
    case .search:
      return ExtraSearch.sharpened.contains(Int(candidate.index))
        ? seen.hasFinders || seen.contains(.maxicode)
        : Int(candidate.index) == ExtraSearch.activeRegions && seen.contains(.datamatrix)
    }
  }

  /// The kind whose patience a candidate uses: a search for cells uses that of cells.
  private func account(of candidate: Candidate) -> Int {
    let isSearchForCells =
      candidate.kind == .search
      && (Int(candidate.index) == ExtraSearch.activeRegions || Int(candidate.index) == ExtraSearch.wholePicture)
    return Int((isSearchForCells ? CandidateKind.cells : candidate.kind).rawValue)
  }
}
