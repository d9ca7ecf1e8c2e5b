// The main loop. It hands the most promising candidate to its reader. A symbol that is read covers its place; a candidate
// that is not read is tried harder later.

import BarcodeTypes

/// The reading of a picture: its candidates, and the readers created so far.
@safe struct SceneReading {
  /// The work units, by `CandidateKind`, that candidates of a kind may cost without a reading: in a camera frame, which
  /// leaves the rest to the next one, and in a single picture. A page of print or a carpet resembles symbols everywhere.
  private static let framePatience: [7 of Int] = [20_000, 10_000, 40_000, 10_000, 15_000, 20_000, 40_000]
  private static let stillPatience: [7 of Int] = [600_000, 800_000, 400_000, 60_000, 100_000, 250_000, 1_000_000]
  /// The number of pixels of a camera frame beyond which patience grows, and the number of further pixels per additional
  /// work unit.
  private static let ordinaryPixelCount = 1_000_000
  private static let framePatientArea = 64
  /// The factor of patience for a small camera frame.
  private static let smallFactor = 4
  /// The number of pixels of a single picture per additional work unit.
  private static let patientArea = 8
  /// The probability, in 65536ths, from which patience grows in proportion to it.
  private static let ordinaryPromise = 3_000
  /// The maximum factor of that growth.
  private static let sureFactor = 4
  /// The work units that a symbol adds to a camera frame when it is read; all symbols together add at most three times the
  /// work of the frame.
  private static let earnedWork = 70_000
  /// The maximum number of fruitless work units that earlier readings make up for.
  private static let creditMax = 60_000
  /// The divisor of patience in a single picture for kinds without a reading, if symbols of other kinds were read.
  private static let otherKindsDivisor = 8
  /// The work units up to which a candidate counts as having had a whole frame, regardless of its cost.
  private static let wholeFrameSpent = 40_000
  /// The maximum work units per attempt, by `Attempt`: for bars, and for the other kinds.
  private static let barsWorkMax: [4 of Int] = [80_000, 80_000, 600_000, 300_000]
  private static let attemptWorkMax: [4 of Int] = [160_000, 160_000, 900_000, 300_000]
  /// The maximum work units for a glance at cells.
  private static let cellsWorkMax = 40_000
  /// The probability, by `CandidateKind`, from which a candidate gets the full patience of a single picture without
  /// readings. Others get a share in proportion, and at least `unlikelyPatience`. An eighth of the probability is enough if
  /// a symbol of the same kind was read.
  private static let likelyChances: [7 of Int] = [32, 128, 0, 0, 0, 1_200, 0]
  private static let seenLikelyDivisor = 8
  private static let unlikelyPatience = 60_000
  /// The probability that a search of the whole picture finds a symbol, in 65536ths.
  private static let searchPromise = 2_000
  /// The work units of a search of the whole picture for cells, in addition to those for its pixels: it tries the sizes of
  /// all finder patterns.
  private static let wholePictureCost = 40_000
  /// The minimum probability for which a candidate is tried harder after other symbols were read.
  private static let studyPromiseMin = 100
  /// That minimum in a sequence of frames.
  private static let likelyPromise = 650
  /// The maximum number of searches of the whole picture per frame.
  private static let frameSearchCount = 3
  /// The factor of patience for frames that continue the work of earlier ones and have no reading.
  private static let laterFrameFactor = 3

  /// The work limit of this frame in multiples of the minimum for its size; 1 for a single picture.
  private let plenty: Int
  private var queue: CandidateQueue
  /// The memory for the next frame.
  var memory: SequenceMemory? { queue.memory }
  private var lists: CandidateLists
  private var linear: LinearReader?
  private var stacked: StackedReader?
  private var qr: QRSymbolReader?
  private var lone: LoneFinderReader?
  private var aztec: AztecSymbolReader?
  private var maxi: MaxiCodeReader?
  private var dataMatrix: DataMatrixReader?
  /// The work units spent on each kind since its last reading.
  private var fruitless: [7 of Int] = .init(repeating: 0)
  /// Whether candidates were left for lack of work units.
  private var isLeft = false

  init(memory: SequenceMemory?, plenty: Int, _ scene: inout Scene) throws(ArenaFull) {
    self.plenty = plenty
    queue = try CandidateQueue(memory: memory, arena: &scene.arena)
    lists = try CandidateLists(&scene)
  }

  /// Whether candidates are tried beyond a glance: from the second frame on, and in the first one if its work limit allows
  /// it.
  private var isPatient: Bool { plenty > 1 || (queue.memory?.frameCount ?? 0) > 1 }

  /// Fills the queue.
  mutating func collect(_ scene: inout Scene) {
    lists.collect(&queue, &scene)
    if let memory = queue.memory {
      // With the minimum work, the first frame is limited to a glance.
      guard isPatient else { return }
      for step in 0..<SceneReading.frameSearchCount { add(search: (memory.nextSearch + step) % ExtraSearch.count, scene) }
    } else {
      for search in 0..<ExtraSearch.count { add(search: search, scene) }
    }
  }

  private mutating func add(search: Int, _ scene: borrowing Scene) {
    guard isWanted(search, scene) else { return }
    let cost =
      ExtraSearch.sharpened.contains(search)
      ? FinderSearches.cost(ofSharpened: search, scene.luma)
      : search == ExtraSearch.wholePicture
        ? SceneReading.wholePictureCost + scene.luma.width * scene.luma.height / 4 : 4_000
    queue.add(
      Candidate(
        kind: .search, attempt: .study, level: 0, index: Int16(search),
        place: CandidatePlace(x: scene.luma.width / 2, y: scene.luma.height / 2, reach: scene.luma.width),
        promise: Int32(SceneReading.searchPromise), cost: Int32(truncatingIfNeeded: cost)))
  }

  private func isWanted(_ search: Int, _ scene: borrowing Scene) -> Bool {
    if ExtraSearch.sharpened.contains(search) { return lists.finders != nil }
    return search == ExtraSearch.enlarged ? scene.wants(.aztec) : scene.wants(.datamatrix)
  }

  /// The limits that were reached.
  func limits(_ scene: borrowing Scene) -> DecodeLimits {
    var limits = DecodeLimits()
    limits.hasReachedWork = isLeft
    limits.hasReachedCandidates = queue.droppedCount > 0 || lists.isCut
    limits.hasReachedSymbols = scene.results.isFull
    return limits
  }

  /// Tries the next candidate. Returns its stage; nil without a candidate or after the budget is spent.
  mutating func next(_ scene: inout Scene) -> DecodeStage? {
    guard var candidate = queue.next() else { return nil }
    guard !scene.budget.isExhausted else {
      isLeft = true
      return nil
    }
    let kind = account(of: candidate)
    // The finder patterns of a read symbol are in use; others may belong to a symbol inside it.
    if candidate.kind != .search, candidate.kind != .finders, scene.results.covers(candidate.place.point) {
      return stage(of: candidate)
    }
    let isTriedHarder = candidate.attempt >= .study || (candidate.attempt == .look && queue.memory != nil && isPatient)
    if isTriedHarder, !isWorthStudy(candidate, scene) { return stage(of: candidate) }
    if !isWorth(candidate, scene) {
      isLeft = true
      return stage(of: candidate)
    }
    scene.attempt = candidate.attempt
    let known = scene.results.count
    let before = scene.budget.spent
    let isBrief = candidate.kind == .cells && candidate.attempt == .glance && !scene.isSmall
    let workMax =
      candidate.kind == .bars
      ? SceneReading.barsWorkMax[Int(candidate.attempt.rawValue)]
      : SceneReading.attemptWorkMax[Int(candidate.attempt.rawValue)]
    scene.budget.beginTask(
      isBrief ? SceneReading.cellsWorkMax : workMax)
    let again = attempt(candidate, &scene)
    scene.budget.endTask()
    let cost = scene.budget.spent - before
    if scene.results.count > known {
      // A symbol that was read suggests more of its kind.
      fruitless[kind] = max(-SceneReading.creditMax, min(0, fruitless[kind]) - cost)
      if queue.memory != nil { scene.budget.earn(SceneReading.earnedWork) }
    } else if !(candidate.kind == .bars && linear?.isDeferred == true) {
      fruitless[kind] += cost
    }
    if queue.memory != nil {
      let isRead = scene.results.count > known
      // A candidate cut short by the budget does not count as tried.
      if candidate.kind == .search {
        queue.memory?.nextSearch = (Int(candidate.index) + 1) % ExtraSearch.count
      } else if !isRead, !scene.budget.isExhausted || before < SceneReading.wholeFrameSpent {
        queue.memory?.note(candidate, next: again, at: Int(candidate.note))
      }
    }
    if let again {
      candidate.advance(to: again)
      // A frame tries more candidates before it tries one harder.
      if again < .study || queue.memory == nil || plenty > 1 { queue.add(candidate) }
    }
    return stage(of: candidate)
  }

  /// Whether a candidate that was not read at a glance is tried harder after symbols were read: it must be of their kinds,
  /// likely enough, and not the surroundings of a symbol.
  private func isWorthStudy(_ candidate: Candidate, _ scene: borrowing Scene) -> Bool {
    guard scene.results.count > 0 else { return true }
    guard isSeen(candidate, scene) else { return false }
    // The next frame is another chance: in a sequence with symbols, only likely additional symbols are tried.
    if queue.memory != nil {
      return candidate.kind != .search && candidate.promise >= SceneReading.likelyPromise
        && !scene.results.fills(candidate.place)
    }
    return candidate.kind == .search
      || (candidate.promise >= SceneReading.studyPromiseMin && !scene.results.fills(candidate.place))
  }

  /// Whether a candidate may still be tried, given the fruitless work spent on its kind.
  private func isWorth(_ candidate: Candidate, _ scene: borrowing Scene) -> Bool {
    let kind = account(of: candidate)
    let pixelCount = scene.luma.width * scene.luma.height
    guard queue.memory != nil else {
      var patience = SceneReading.stillPatience[kind] + pixelCount / SceneReading.patientArea
      if !isSeen(candidate, scene) { return fruitless[kind] <= patience / SceneReading.otherKindsDivisor }
      let likely = likelyChance(kind, scene)
      let promise = Int(candidate.promise)
      if promise < likely { patience = max(SceneReading.unlikelyPatience, patience * promise / likely) }
      return fruitless[kind] <= patience
    }
    let extra = max(0, pixelCount - SceneReading.ordinaryPixelCount) / SceneReading.framePatientArea
    var patience = SceneReading.framePatience[kind] + extra
    patience *= plenty
    if scene.isSmall { return fruitless[kind] <= patience * SceneReading.smallFactor }
    // More certain bars get more patience; for the other kinds, probabilities differ little.
    let worthMax = SceneReading.ordinaryPromise * (candidate.kind == .bars ? SceneReading.sureFactor : 1)
    let promise = min(worthMax, Int(candidate.promise))
    let base = patience
    // Three finder patterns cost little, and a small stacked symbol promises no more than a false candidate.
    let isEqual =
      candidate.kind == .finders || (candidate.kind == .rows && candidate.promise > Int32(Evidence.fewTurns))
    if !isEqual { patience = patience * promise / SceneReading.ordinaryPromise }
    // Without a reading, less likely candidates are tried, too.
    if isPatient, scene.results.count == 0 { patience = max(base, patience) * SceneReading.laterFrameFactor }
    return fruitless[kind] + Int(candidate.cost) <= patience
  }

  /// The probability from which a candidate gets the full patience of a single picture.
  private func likelyChance(_ kind: Int, _ scene: borrowing Scene) -> Int {
    SceneReading.likelyChances[kind] / (scene.results.count > 0 ? SceneReading.seenLikelyDivisor : 1)
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

  private func stage(of candidate: Candidate) -> DecodeStage {
    switch candidate.kind {
    case .bars: .linear
    case .rows: .stacked
    case .finders, .finder: .qr
    case .bullseye: .aztec
    case .cells: .dataMatrix
    case .search: ExtraSearch.sharpened.contains(Int(candidate.index)) ? .qr : .dataMatrix
    }
  }

  /// Hands a candidate to its reader. Returns the next attempt worth making; nil if the candidate was read or is false.
  private mutating func attempt(_ candidate: Candidate, _ scene: inout Scene) -> Attempt? {
    let index = Int(candidate.index)
    let level = Int(candidate.level)
    switch candidate.kind {
    case .bars:
      // For light on dark, half a bar may pass for a whole one if pixels are coarse: the finest level with the bars decides.
      if candidate.attempt == .inverted, lists.showsBars(at: candidate.place, below: level) { return nil }
      return attemptBars(index, level: level, candidate.attempt, &scene)
    case .rows:
      if stacked == nil { stacked = try? StackedReader(&scene) }
      guard let regions = lists.rows[level] else { return nil }
      return stacked?.read(regions, index, level: level, candidate.attempt, &scene) ?? nil
    case .finders:
      if qr == nil { qr = try? QRSymbolReader(&scene) }
      guard let finders = lists.finders?.finders.found.all else { return nil }
      return qr?.read(candidate, finders, &scene) ?? nil
    case .finder:
      if qr == nil { qr = try? QRSymbolReader(&scene) }
      if lone == nil, let qr { lone = try? LoneFinderReader(qr, &scene) }
      guard let finders = lists.finders?.finders.found.all else { return nil }
      return lone?.read(candidate, finders, &scene) ?? nil
    case .bullseye:
      guard let bullseyes = lists.finders?.bullseyes?.found.all else { return nil }
      return attemptBullseye(bullseyes[index], candidate.attempt, &scene)
    case .cells:
      guard lists.begin(candidate.attempt, cells: index) else { return candidate.attempt == .study ? nil : .study }
      if dataMatrix == nil { dataMatrix = try? DataMatrixReader(&scene) }
      let count = dataMatrix?.readRegion(lists.cells[index], in: lists.cellsSurroundings[index], &scene) ?? 1
      return count > 0 || candidate.attempt == .study ? nil : .study
    case .search:
      search(index, &scene)
      return nil
    }
  }

  /// Tries rings as those of Aztec Code or, with light and dark exchanged, of MaxiCode; first as the symbology that would be
  /// dark on light.
  private mutating func attemptBullseye(_ bullseye: FinderPattern, _ attempt: Attempt, _ scene: inout Scene) -> Attempt? {
    let known = scene.results.count
    // A study is worth its cost only if the surroundings of the rings have shown a symbol.
    var isPromising = false
    for turn in 0..<2 where scene.results.count == known {
      if (turn == 0) == bullseye.isInverted {
        guard scene.wants(.maxicode) else { continue }
        if maxi == nil { maxi = try? MaxiCodeReader(&scene) }
        if maxi?.read(bullseye, scene.levels, &scene) == true { isPromising = true }
      } else {
        guard scene.wants(.aztec) else { continue }
        if aztec == nil { aztec = try? AztecSymbolReader(&scene) }
        aztec?.read(bullseye, scene.levels, enlargement: 0, &scene)
        if aztec?.hasMode == true { isPromising = true }
      }
    }
    return scene.results.count > known || attempt == .study || !isPromising ? nil : .study
  }

  private mutating func attemptBars(_ index: Int, level: Int, _ attempt: Attempt, _ scene: inout Scene) -> Attempt? {
    if linear == nil { linear = try? LinearReader(&scene) }
    if index < 0 {
      guard var strip = LinearReader.strip(scene.luma) else { return nil }
      return linear?.read(&strip, level: 0, attempt, &scene) ?? nil
    }
    guard let regions = lists.bars[level] else { return nil }
    var region = regions[index]
    let again = linear?.read(&region, level: level, attempt, &scene) ?? nil
    // Keeps the directions as a study has refined them; those of a glance are rough.
    if attempt == .study { regions[index] = region }
    if linear?.showsUnreadBars == true, Evidence.isSurelyBars(region) {
      // Elements have 1.6 modules on average: EAN-13 has 59 in 95, Code 128 6 in 11, Code 39 9 in 12 to 15.
      let moduleCount = (region.length >> 16) * region.turnCount * 8 / 5 / max(1, region.lookedLength)
      scene.results.locate(.bars, corners: region.corners(scale: 1 << level), moduleCount: moduleCount)
    }
    return again
  }

  private mutating func search(_ index: Int, _ scene: inout Scene) {
    switch index {
    case ExtraSearch.activeRegions: lists.collectCells(0, isTwoWay: false, .study, &queue, &scene)
    case ExtraSearch.wholePicture:
      if lists.hasStudiedWhole(scene.luma) { return }
      if dataMatrix == nil { dataMatrix = try? DataMatrixReader(&scene) }
      dataMatrix?.readWhole(&scene)
    case ExtraSearch.enlarged:
      if aztec == nil { aztec = try? AztecSymbolReader(&scene) }
      if var reader = aztec {
        readEnlargedAztec(&reader, &scene)
        aztec = reader
      }
    default: lists.searchSharpened(index, &queue, &scene)
    }
  }
}
