// The finder patterns and rings of a picture: QR Code, Micro QR Code and rMQR Code, Aztec Code and MaxiCode.

import BarcodeTypes

/// The finder patterns and rings of a picture and the readers of their symbols.
@safe struct Finders {
  /// The expected work units of a glance: at three finder patterns; at a single one, most of them for grids that fit no
  /// symbol; and at rings.
  private static let triplesCost: Int32 = 1_000
  private static let finderCost: Int32 = 6_000
  private static let bullseyeCost: Int32 = 4_000
  /// The expected work units of the search for rings in a small picture, enlarged.
  private static let enlargedCost = 4_000

  private var searches: FinderSearches?
  private let triples: QRTriples?
  /// The number of triples per corner so far.
  private let ranks: ScratchArray<Int16>
  /// The number of finder patterns and rings already in the queue.
  private var knownFinderCount = 0
  private var knownBullseyeCount = 0
  /// The number of finder patterns of read symbols when threes were last formed.
  private var knownUsedCount = 0
  /// The memory that the readers of the QR family share, and the readers, created when a picture needs them.
  private var scratch: QRScratch?
  private var triple: TripleFinderSymbologies?
  private var lone: LoneFinderReader?
  private var rings: RingSymbologies?

  init(_ scene: inout Scene) throws(ArenaFull) {
    ranks = try ScratchArray(QRFinderSearch.finderCountMax, arena: &scene.arena)
    triples = try scene.wants(.qr) ? QRTriples(arena: &scene.arena) : nil
  }

  /// Searches the picture as it is.
  mutating func collect(_ queue: inout CandidateQueue, _ scene: inout Scene) {
    guard scene.settings.symbologies.hasFinders || scene.wants(.maxicode) else { return }
    guard var found = try? FinderSearches(&scene) else { return }
    found.searchPlain(frameCount: queue.memory?.frameCount ?? 1, &scene)
    searches = found
    add(&queue, &scene)
  }

  /// The expected work units of a search in a sharpened picture; nil if nothing asks for one.
  func cost(ofSharpened index: Int, _ scene: borrowing Scene) -> Int? {
    searches == nil ? nil : FinderSearches.cost(ofSharpened: index, scene.luma)
  }

  /// The expected work units of a search in an enlarged picture; nil if nothing asks for one.
  func costOfEnlarged(_ scene: borrowing Scene) -> Int? { scene.wants(.aztec) ? Finders.enlargedCost : nil }

  /// Searches a sharpened picture, and adds the new candidates.
  mutating func searchSharpened(_ index: Int, _ queue: inout CandidateQueue, _ scene: inout Scene) {
    guard searches != nil else { return }
    searches?.searchSharpened(index, &scene)
    add(&queue, &scene)
  }

  /// Searches a sharpened copy of a part of the picture, and adds the new candidates; their modules may be restored at once.
  mutating func searchSharpened(in part: PixelRegion, _ queue: inout CandidateQueue, _ scene: inout Scene) {
    guard searches != nil else { return }
    searches?.searchSharpened(in: part, &scene)
    add(&queue, triplesAttempt: .look, &scene)
  }

  /// The expected work units of a search for faint rings; nil if nothing asks for one.
  func cost(ofFaintRings index: Int, _ scene: borrowing Scene) -> Int? {
    searches == nil || !scene.wants(.maxicode) ? nil : FinderSearches.cost(ofFaintRings: index, scene.luma)
  }

  /// Searches for faint rings, and adds the new candidates.
  mutating func searchFaintRings(_ index: Int, _ queue: inout CandidateQueue, _ scene: inout Scene) {
    guard searches != nil else { return }
    searches?.searchFaintRings(index, &scene)
    add(&queue, &scene)
  }

  /// Reads the symbols with rings of a small picture, enlarged.
  mutating func readEnlarged(_ scene: inout Scene) {
    if rings == nil { rings = try? RingSymbologies(&scene) }
    rings?.readEnlarged(&scene)
  }

  // MARK: Candidates

  private mutating func add(_ queue: inout CandidateQueue, triplesAttempt: Attempt = .glance, _ scene: inout Scene) {
    guard let searches else { return }
    let found = searches.finders.found
    addTriples(found.all, count: found.count, triplesAttempt, &queue, &scene)
    if scene.wants(.microqr) || scene.wants(.rmqr) {
      for index in knownFinderCount..<max(knownFinderCount, found.count) {
        let finder = found.all[index]
        queue.offer(
          Candidate(
            kind: .finder, attempt: .glance, level: 0, index: Int16(index),
            place: CandidatePlace(x: finder.center.x >> 8, y: finder.center.y >> 8, reach: finder.module >> 6),
            promise: Int32(Evidence.finder), cost: Finders.finderCost))
      }
    }
    knownFinderCount = found.count
    guard let bullseyes = searches.bullseyes?.found else { return }
    for index in knownBullseyeCount..<max(knownBullseyeCount, bullseyes.count) {
      let bullseye = bullseyes.all[index]
      let module = max(bullseye.moduleX, bullseye.moduleY)
      queue.offer(
        Candidate(
          kind: .bullseye, attempt: .glance, level: 0, index: Int16(index),
          place: CandidatePlace(x: bullseye.center.x >> 8, y: bullseye.center.y >> 8, reach: module >> 5),
          promise: Int32(Evidence.bullseye), cost: Finders.bullseyeCost))
    }
    knownBullseyeCount = bullseyes.count
  }

  /// Adds the threes of finder patterns with a new one among them.
  private mutating func addTriples(
    _ finders: ScratchArray<FinderPattern>, count: Int, _ attempt: Attempt, _ queue: inout CandidateQueue,
    _ scene: inout Scene
  ) {
    var usedCount = 0
    for index in 0..<count where finders[index].isUsed { usedCount += 1 }
    guard count >= 3, count > knownFinderCount || usedCount > knownUsedCount, var triples else { return }
    // The finder patterns in use may have been between others.
    let firstNew = usedCount > knownUsedCount ? 0 : knownFinderCount
    _ = triples.find(finders, count: count, firstNew: firstNew, budget: &scene.budget)
    knownUsedCount = usedCount
    ranks.fill(0, count: count)
    for index in 0..<triples.count {
      // The first triple of a corner is the most promising; the following ones probably consist of parts of several symbols.
      let triple = triples[index]
      let rank = Int(ranks[triple.corner])
      ranks[triple.corner] += 1
      let (right, below) = (finders[triple.right].center, finders[triple.below].center)
      queue.offer(
        Candidate(
          kind: .finders, attempt: attempt, level: 0, index: Int16(triple.corner), second: Int16(triple.right),
          third: Int16(triple.below),
          place: CandidatePlace(
            x: ((right.x + below.x) / 2) >> 8, y: ((right.y + below.y) / 2) >> 8,
            reach: max(abs(right.x - below.x), abs(right.y - below.y)) >> 9),
          promise: Int32(max(1, Evidence.finders(penalty: triple.penalty, rank: rank))), cost: Finders.triplesCost))
    }
  }

  // MARK: Reading

  /// Reads the symbol of three finder patterns. Returns the next attempt worth making, if any.
  mutating func readTriple(_ candidate: Candidate, _ scene: inout Scene) -> Attempt? {
    if scratch == nil { scratch = try? QRScratch(arena: &scene.arena) }
    guard let scratch, let found = searches?.finders.found.all else { return nil }
    if triple == nil { triple = try? TripleFinderSymbologies(scratch, &scene) }
    return triple?.read(candidate, found, &scene) ?? nil
  }

  /// Reads the symbol of a single finder pattern. Returns the next attempt worth making, if any.
  mutating func readLone(_ candidate: Candidate, _ scene: inout Scene) -> Attempt? {
    if scratch == nil { scratch = try? QRScratch(arena: &scene.arena) }
    guard let scratch, let found = searches?.finders.found.all else { return nil }
    if lone == nil { lone = try? LoneFinderReader(scratch, &scene) }
    return lone?.read(candidate, found, &scene) ?? nil
  }

  /// Reads the symbol of rings. A study is worth its cost only if their surroundings have shown a symbol. Returns the next attempt
  /// worth making, if any.
  mutating func readBullseye(_ candidate: Candidate, _ scene: inout Scene) -> Attempt? {
    guard let bullseye = searches?.bullseyes?.found.all[Int(candidate.index)] else { return nil }
    if rings == nil { rings = try? RingSymbologies(&scene) }
    let known = scene.results.count
    let isPromising = rings?.read(bullseye, &scene) == true
    return scene.results.count > known || candidate.attempt == .study || !isPromising ? nil : .study
  }
}
