// How long a picture is tried: the work that candidates of a kind may cost without a reading.

import BarcodeTypes

/// The patience with the candidates of a picture: what may still be spent on each kind, given the work since its last reading. It is
/// small because Swift copies it each time the main loop asks it about a candidate.
struct Patience: BitwiseCopyable {
  /// The number of pixels of a camera frame beyond which patience grows, and the number of further pixels per additional
  /// work unit.
  private static let ordinaryPixelCount = 1_000_000
  private static let framePatientArea = 64
  /// The number of likely candidates of a kind up to which a camera frame is quiet.
  private static let quietCountMax = 6
  /// The factor of patience for a small camera frame.
  private static let smallFactor = 4
  /// The number of pixels of a single picture per additional work unit.
  private static let patientArea = 8
  /// The probability, in 65536ths, from which patience grows in proportion to it.
  private static let ordinaryPromise = 3_000
  /// The maximum number of fruitless work units that earlier readings make up for.
  private static let creditMax = 60_000
  /// The divisor of patience in a single picture for kinds without a reading, if symbols of other kinds were read.
  private static let otherKindsDivisor = 8
  /// The least patience with an unlikely candidate of a single picture.
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
  /// The work units spent on each kind since its last reading, and on the grey values of characters, which have a patience of their
  /// own: they come after everything else.
  private var fruitless: [8 of Int] = .init(repeating: 0)

  /// Begins a picture. `plenty` is its work limit in multiples of the minimum for its size, and `frameCount` its number in a
  /// sequence of frames, from 1; nil for a single picture.
  init(plenty: Int, frameCount: Int?) {
    self.plenty = plenty
    isSequence = frameCount != nil
    isPatient = plenty > 1 || (frameCount ?? 0) > 1
  }

  /// The place in `fruitless` of the work on a candidate.
  private static func index(_ candidate: Candidate) -> Int {
    candidate.attempt == .characters ? CandidateKind.count : Int(candidate.account.rawValue)
  }

  /// Notes an attempt that cost `cost` work units and read a symbol or not. A symbol that was read suggests more of its kind.
  mutating func note(_ candidate: Candidate, cost: Int, isRead: Bool) {
    let kind = Patience.index(candidate)
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
    isSequence ? isWorthInFrame(candidate, scene) : isWorthInStill(candidate, scene)
  }

  private func isWorthInStill(_ candidate: Candidate, _ scene: borrowing Scene) -> Bool {
    let account = candidate.account
    let spent = fruitless[Patience.index(candidate)]
    var patience = account.policy.stillPatience + scene.luma.width * scene.luma.height / Patience.patientArea
    if !isSeen(candidate, scene) {
      return candidate.promise >= candidate.kind.policy.otherKindsPromiseMin
        && spent <= patience / Patience.otherKindsDivisor
    }
    let likely = scene.results.count > 0 ? account.policy.laterLikelyChance : account.policy.likelyChance
    let promise = Int(candidate.promise)
    if promise < likely { patience = max(Patience.unlikelyPatience, patience * promise / likely) }
    return spent <= patience
  }

  private func isWorthInFrame(_ candidate: Candidate, _ scene: borrowing Scene) -> Bool {
    let account = candidate.account
    let spent = fruitless[Int(account.rawValue)]
    let extra = max(0, scene.luma.width * scene.luma.height - Patience.ordinaryPixelCount) / Patience.framePatientArea
    var patience = (account.policy.framePatience + extra) * plenty
    if !isPatient, likelyCounts[Int(account.rawValue)] <= Patience.quietCountMax { patience *= account.policy.quietFactor }
    if scene.isSmall { return spent <= patience * Patience.smallFactor }
    // More certain bars get more patience; for the other kinds, probabilities differ little.
    let policy = candidate.kind.policy
    let base = patience
    if candidate.promise <= policy.equalPromise ?? Int32.max {
      patience =
        patience * min(Patience.ordinaryPromise * policy.sureFactor, Int(candidate.promise)) / Patience.ordinaryPromise
    }
    // Without a reading, less likely candidates are tried, too.
    if isPatient, scene.results.count == 0 { patience = max(base, patience) * Patience.laterFrameFactor }
    return spent + Int(candidate.cost) <= patience
  }

  /// Whether a symbol of a candidate's kind was read, or no symbol at all.
  private func isSeen(_ candidate: Candidate, _ scene: borrowing Scene) -> Bool {
    scene.results.symbologies.isEmpty || candidate.isSuggested(by: scene.results.symbologies)
  }
}
