// The main loop. It hands the most promising candidate to its reader. A symbol that is read covers its place; a candidate
// that is not read is tried harder later.

import BarcodeTypes

/// The reading of a picture: its candidates, and the readers created so far.
@safe struct SceneReading {
  /// The work units that a symbol adds to a camera frame when it is read; all symbols together add at most three times the
  /// work of the frame.
  private static let earnedWork = 70_000
  /// The work units up to which a candidate counts as having had a whole frame, regardless of its cost.
  private static let wholeFrameSpent = 40_000
  /// The maximum work units per attempt, by `Attempt`: for bars, and for the other kinds.
  private static let barsWorkMax: [4 of Int] = [80_000, 80_000, 600_000, 300_000]
  private static let attemptWorkMax: [4 of Int] = [160_000, 160_000, 900_000, 300_000]
  /// The maximum work units for a glance at cells.
  private static let cellsWorkMax = 40_000
  /// The probability that a search of the whole picture finds a symbol, in 65536ths.
  private static let searchPromise = 2_000
  /// The work units of a search of the whole picture for cells without any edges, in addition to a quarter of its pixels at the size
  /// that is searched. A busy picture costs up to eight times as much, but its cells use up the patience before.
  private static let wholePictureCost = 4_000
  /// The factor of that cost in a single picture, which is searched at several sizes.
  private static let stillWholeFactor = 5
  /// The maximum number of searches of the whole picture per frame.
  private static let frameSearchCount = 3

  private var patience: Patience
  private var queue: CandidateQueue
  /// The memory for the next frame.
  var memory: SequenceMemory? { queue.memory }
  private var lists: CandidateLists
  private var linear: LinearReader?
  private var stacked: StackedReader?
  private var scratch: QRScratch?
  private var qr: QRSymbolReader?
  private var lone: LoneFinderReader?
  private var aztec: AztecSymbolReader?
  private var maxi: MaxiCodeReader?
  private var dataMatrix: DataMatrixReader?
  /// Whether candidates were left for lack of work units.
  private var hasReachedWork = false
  /// Whether candidates were passed over as unpromising.
  private var hasReachedPatience = false

  init(memory: SequenceMemory?, plenty: Int, _ scene: inout Scene) throws(ArenaFull) {
    patience = Patience(plenty: plenty, frameCount: memory?.frameCount)
    queue = try CandidateQueue(memory: memory, arena: &scene.arena)
    lists = try CandidateLists(&scene)
  }

  /// Fills the queue.
  mutating func collect(_ scene: inout Scene) {
    lists.collect(&queue, isPatient: !patience.isSequence || patience.isPatient, &scene)
    patience.likelyCounts = queue.likelyCounts
    if let memory = queue.memory {
      // With the minimum work, the first frame is limited to a glance.
      guard patience.isPatient else { return }
      for step in 0..<SceneReading.frameSearchCount { add(search: (memory.nextSearch + step) % ExtraSearch.count, scene) }
    } else {
      for search in 0..<ExtraSearch.count { add(search: search, scene) }
    }
  }

  private mutating func add(search: Int, _ scene: borrowing Scene) {
    guard isWanted(search, scene) else { return }
    let factor = patience.isSequence ? 1 : SceneReading.stillWholeFactor
    let cost =
      ExtraSearch.sharpened.contains(search)
      ? FinderSearches.cost(ofSharpened: search, scene.luma)
      : search == ExtraSearch.wholePicture
        ? factor * (SceneReading.wholePictureCost + DataMatrixReader.wholePixelCount(scene.luma) / 4) : 4_000
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
    limits.hasReachedWork = hasReachedWork
    limits.hasReachedPatience = hasReachedPatience
    limits.hasReachedCandidates = queue.droppedCount > 0 || lists.isCut
    limits.hasReachedSymbols = scene.results.isFull
    return limits
  }

  /// Tries the next candidate. Returns its stage; nil without a candidate or after the budget is spent.
  mutating func next(_ scene: inout Scene) -> DecodeStage? {
    guard var candidate = queue.next() else { return nil }
    guard !scene.budget.isExhausted else {
      hasReachedWork = true
      return nil
    }
    // The finder patterns of a read symbol are in use; others may belong to a symbol inside it.
    if candidate.kind != .search, candidate.kind != .finders, scene.results.covers(candidate.place.point) {
      return stage(of: candidate)
    }
    let isTriedHarder =
      candidate.attempt >= .study || (candidate.attempt == .look && patience.isSequence && patience.isPatient)
    if isTriedHarder, !patience.isWorthStudy(candidate, scene) { return stage(of: candidate) }
    if !patience.isWorth(candidate, scene) {
      hasReachedPatience = true
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
    scene.budget.beginTask(isBrief ? SceneReading.cellsWorkMax : workMax)
    let again = attempt(candidate, &scene)
    scene.budget.endTask()
    let isRead = scene.results.count > known
    if isRead || !(candidate.kind == .bars && linear?.isDeferred == true) {
      patience.note(candidate, cost: scene.budget.spent - before, isRead: isRead)
    }
    if isRead, patience.isSequence { scene.budget.earn(SceneReading.earnedWork) }
    // A candidate cut short by the budget does not count as tried.
    if candidate.kind == .search {
      queue.memory?.nextSearch = (Int(candidate.index) + 1) % ExtraSearch.count
    } else if !isRead, !scene.budget.isExhausted || before < SceneReading.wholeFrameSpent {
      queue.memory?.note(candidate, next: again, at: Int(candidate.note))
    }
    if let again {
      candidate.advance(to: again)
      // A frame tries more candidates before it tries one harder.
      if again < .study || !patience.isSequence || patience.plenty > 1 { queue.add(candidate) }
    }
    return stage(of: candidate)
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
      guard let scratch = qrScratch(&scene), let finders = lists.finders?.finders.found.all else { return nil }
      if qr == nil { qr = try? QRSymbolReader(scratch, &scene) }
      return qr?.read(candidate, finders, &scene) ?? nil
    case .finder:
      guard let scratch = qrScratch(&scene), let finders = lists.finders?.finders.found.all else { return nil }
      if lone == nil { lone = try? LoneFinderReader(scratch, &scene) }
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

  /// The memory that the readers of the QR family share.
  private mutating func qrScratch(_ scene: inout Scene) -> QRScratch? {
    if scratch == nil { scratch = try? QRScratch(arena: &scene.arena) }
    return scratch
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
      guard var strip = StripeRegion.strip(scene.luma) else { return nil }
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
      scene.results.locate(nil, corners: region.corners(scale: 1 << level), moduleCount: moduleCount)
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
