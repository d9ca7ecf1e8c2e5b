// The main loop. It hands the most promising candidate to its reader. A symbol that is read covers its place; a candidate
// that is not read is tried harder later.

import BarcodeTypes

/// The reading of a picture: its candidates by kind, the queue in which they wait, and the patience with them.
@safe struct SceneReading {
  /// The steps with a region that stands alone, in order.
  private enum LoneStep { case untried, searched, read }

  /// The work units that a symbol adds to a camera frame when it is read; all symbols together add at most three times the
  /// work of the frame.
  private static let earnedWork = 70_000
  /// The work units up to which a candidate counts as having had a whole frame, regardless of its cost.
  private static let wholeFrameSpent = 40_000
  /// The maximum work units for the other part of a GS1 Composite symbol once a candidate was one part.
  private static let otherPartWorkMax = 160_000
  /// The probability that a search of the whole picture finds a symbol, in 65536ths.
  private static let searchPromise: Int32 = 2_000
  /// The maximum number of searches of the whole picture per frame.
  private static let frameSearchCount = 3

  private var patience: Patience
  private var queue: CandidateQueue
  private var stripes: Stripes
  private var finders: Finders
  private var cells: Cells
  /// The last step taken with a region that stands alone.
  private var loneStep = LoneStep.untried
  /// Whether a finder pattern or rings led to modules that look like those of a symbol.
  private var hasSeenFinderSymbol = false
  /// Whether candidates were left for lack of work units.
  private var hasReachedWork = false
  /// Whether candidates were passed over as unpromising.
  private var hasReachedPatience = false

  /// The regions that later frames may add to.
  var regions: PatchRegions { queue.regions }

  /// The memory for the next frame.
  var memory: SequenceMemory? { queue.memory }

  init(memory: SequenceMemory?, plenty: Int, _ scene: inout Scene) throws(ArenaFull) {
    patience = Patience(plenty: plenty, frameCount: memory?.frameCount)
    queue = try CandidateQueue(memory: memory, arena: &scene.arena)
    finders = try Finders(&scene)
    stripes = try Stripes(&scene)
    cells = try Cells(&scene)
  }

  /// Fills the queue.
  mutating func collect(_ scene: inout Scene) {
    finders.collect(&queue, &scene)
    stripes.collect(&queue, &scene)
    cells.collect(&queue, isPatient: !patience.isSequence || patience.isPatient, &scene)
    patience.likelyCounts = queue.likelyCounts
    guard let memory = queue.memory else {
      for index in 0..<ExtraSearch.count { addSearch(index, scene) }
      return
    }
    // With the minimum work, the first frame is limited to a glance.
    guard patience.isPatient else { return }
    for step in 0..<SceneReading.frameSearchCount { addSearch((memory.nextSearch + step) % ExtraSearch.frameCount, scene) }
  }

  private mutating func addSearch(_ index: Int, _ scene: borrowing Scene) {
    let wanted =
      switch ExtraSearch(index) {
      case .sharpened(let turn): finders.cost(ofSharpened: turn, scene)
      case .activeRegions: cells.costOfActiveRegions(scene)
      case .wholePicture: cells.costOfWholePicture(isSequence: patience.isSequence, scene)
      case .enlarged: finders.costOfEnlarged(scene)
      case .faintRings(let turn): finders.cost(ofFaintRings: turn, scene)
      }
    guard let cost = wanted else { return }
    queue.add(
      Candidate(
        kind: .search, attempt: .study, level: 0, index: Int16(index),
        place: CandidatePlace(x: scene.luma.width / 2, y: scene.luma.height / 2, reach: scene.luma.width),
        promise: SceneReading.searchPromise, cost: Int32(truncatingIfNeeded: cost)))
  }

  /// The limits that were reached.
  func limits(_ scene: borrowing Scene) -> DecodeLimits {
    var limits = DecodeLimits()
    limits.hasReachedWork = hasReachedWork
    limits.hasReachedPatience = hasReachedPatience
    limits.hasReachedCandidates = queue.droppedCount > 0 || stripes.isCut || cells.isCut
    limits.hasReachedSymbols = scene.results.isFull
    return limits
  }

  /// Tries the next candidate; nil without one or after the budget is spent.
  mutating func next(_ scene: inout Scene) -> CandidateTrial? {
    while queue.count == 0, tryLoneRegion(&scene) {}
    guard let candidate = queue.next() else { return nil }
    guard !scene.budget.isExhausted else {
      hasReachedWork = true
      return nil
    }
    var trial = CandidateTrial(candidate)
    if isWorth(candidate, scene) { attempt(candidate, &trial, &scene) }
    return trial
  }

  /// Takes the next step with a region that stands alone in a camera frame without symbols: a search for finder patterns that blur
  /// hides, and then for symbols without any, unless a finder pattern led to a symbol's modules. Later frames search sharpened copies
  /// of the whole picture. Returns whether there was a step to take.
  private mutating func tryLoneRegion(_ scene: inout Scene) -> Bool {
    guard patience.isSequence, !patience.isPatient, loneStep != .read, scene.results.count == 0, !scene.budget.isExhausted,
      let region = cells.loneRegion
    else { return false }
    if loneStep == .untried {
      loneStep = .searched
      finders.searchSharpened(in: region, &queue, &scene)
    } else {
      loneStep = .read
      if !hasSeenFinderSymbol { cells.readBlurred(region, &scene) }
    }
    return true
  }

  private mutating func isWorth(_ candidate: Candidate, _ scene: borrowing Scene) -> Bool {
    // The finder patterns of a read symbol are in use; others may belong to a symbol inside it.
    if candidate.kind != .search, candidate.kind != .finders,
      scene.results.covers(candidate.place.point, ofBars: candidate.kind == .bars)
    {
      return false
    }
    let isTriedHarder =
      candidate.attempt >= .study || (candidate.attempt == .look && patience.isSequence && patience.isPatient)
    if isTriedHarder, !patience.isWorthStudy(candidate, scene) { return false }
    if !patience.isWorth(candidate, scene) {
      hasReachedPatience = true
      return false
    }
    return true
  }

  /// Tries a candidate and notes what it cost. One that was not read waits for its next attempt.
  private mutating func attempt(_ candidate: Candidate, _ trial: inout CandidateTrial, _ scene: inout Scene) {
    scene.attempt = candidate.attempt
    scene.progress = ReadingProgress()
    let refusedCount = scene.results.refusedCount
    let known = scene.results.count
    let before = scene.budget.spent
    let sharedBefore = scene.budget.shared
    let policy = candidate.kind.policy
    let isBrief = candidate.attempt == .glance && !scene.isSmall
    scene.budget.beginTask(isBrief ? policy.glanceWorkMax : policy.workMax[Int(candidate.attempt.rawValue)])
    let again = read(candidate, &scene)
    scene.budget.endTask()
    let isRead = scene.results.count > known
    if candidate.kind.hasFinders, scene.progress.hasReached(.codewords) { hasSeenFinderSymbol = true }
    if scene.results.refusedCount > refusedCount { scene.progress.reach(.message) }
    trial.note(scene.progress, isRead: isRead, workUnits: scene.budget.spent - before)
    if isRead, candidate.kind == .bars || candidate.kind == .rows {
      // A single picture has no next frame.
      if !patience.isSequence { scene.attempt = .study }
      scene.budget.beginTask(SceneReading.otherPartWorkMax)
      stripes.readOtherParts(from: known, &scene)
      scene.budget.endTask()
    }
    if isRead || !(candidate.kind == .bars && stripes.hasDeferred) {
      // A camera frame has no patience to share: several readers of the same places would each cost as much as one.
      let shared = patience.isSequence ? 0 : scene.budget.shared - sharedBefore
      patience.note(candidate, cost: scene.budget.spent - before - shared, isRead: isRead)
    }
    if isRead, patience.isSequence { scene.budget.earn(SceneReading.earnedWork) }
    // A candidate cut short by the budget does not count as tried.
    if candidate.kind == .search {
      queue.memory?.nextSearch = (Int(candidate.index) + 1) % ExtraSearch.frameCount
    } else if !isRead, !scene.budget.isExhausted || before < SceneReading.wholeFrameSpent {
      queue.memory?.note(candidate, next: again, at: Int(candidate.note))
    }
    guard let again else { return }
    var next = candidate
    next.advance(to: again)
    // A frame tries more candidates before it tries one harder.
    if again < .study || !patience.isSequence || patience.plenty > 1 { queue.add(next) }
  }

  /// Hands a candidate to its reader. Returns the next attempt worth making; nil if the candidate was read or is false.
  private mutating func read(_ candidate: Candidate, _ scene: inout Scene) -> Attempt? {
    switch candidate.kind {
    case .bars: return stripes.readBars(candidate, &scene)
    case .rows: return stripes.readRows(candidate, &scene)
    case .finders: return finders.readTriple(candidate, &scene)
    case .finder: return finders.readLone(candidate, &scene)
    case .bullseye: return finders.readBullseye(candidate, &scene)
    case .cells: return cells.read(candidate, &scene)
    case .search:
      search(candidate.search, &scene)
      return nil
    }
  }

  private mutating func search(_ search: ExtraSearch, _ scene: inout Scene) {
    switch search {
    case .sharpened(let turn): finders.searchSharpened(turn, &queue, &scene)
    case .activeRegions: cells.searchActiveRegions(&queue, &scene)
    case .wholePicture: cells.readWholePicture(&scene)
    case .enlarged: finders.readEnlarged(&scene)
    case .faintRings(let turn): finders.searchFaintRings(turn, &queue, &scene)
    }
  }
}
