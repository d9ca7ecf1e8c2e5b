// One queue for all candidates of a picture: the one with the highest promise per cost comes first, regardless of its kind.

/// Candidates in order of promise per cost.
@safe struct CandidateQueue {
  /// The maximum number of waiting candidates per kind.
  static let kindCountMax = 1024
  static let countMax = CandidateKind.count * kindCountMax

  private let candidates: ScratchArray<Candidate>
  /// A heap of keys, each with the slot of its candidate: the highest promise per cost first, and of equal ones the
  /// earliest.
  private let heap: ScratchArray<SIMD2<Int64>>
  /// Free slots in `candidates`.
  private let free: ScratchArray<Int16>
  private var freeCount: Int
  private var arrivals: Int64 = 0
  private var counts: [7 of Int] = .init(repeating: 0)
  private(set) var count = 0
  /// The number of likely candidates added so far, by kind.
  private(set) var likelyCounts: [7 of Int] = .init(repeating: 0)
  /// The number of candidates dropped for lack of room.
  private(set) var droppedCount = 0

  /// The candidates of the previous frame; nil for a single picture.
  var memory: SequenceMemory?
  /// The regions that later frames may add to.
  private(set) var regions = PatchRegions()

  init(memory: SequenceMemory?, arena: inout Arena) throws(ArenaFull) {
    candidates = try ScratchArray(CandidateQueue.countMax, arena: &arena)
    heap = try ScratchArray(CandidateQueue.countMax, arena: &arena)
    free = try ScratchArray(CandidateQueue.countMax, arena: &arena)
    freeCount = 0
    self.memory = memory
  }

  /// Keeps a region at full size for the evidence over frames, which begins with the second frame.
  mutating func note(_ region: @autoclosure () -> PatchRegion, level: Int) {
    guard level <= 1, let memory, memory.frameCount > 1 else { return }
    regions.add(region())
  }

  /// Adds a candidate found by a pass, at the attempt that it had reached in the previous frame.
  mutating func offer(_ found: Candidate) {
    var candidate = found
    if let known = memory?.recall(candidate) {
      candidate.note = Int16(truncatingIfNeeded: known.note)
      if known.next > candidate.attempt { candidate.advance(to: known.next) }
      candidate.promise = max(1, candidate.promise >> Int32(min(8, 2 * known.rounds)))
    }
    add(candidate)
  }

  /// Adds a candidate, or counts it as dropped if too many of its kind are waiting.
  mutating func add(_ candidate: Candidate) {
    let kind = Int(candidate.kind.rawValue)
    guard counts[kind] < CandidateQueue.kindCountMax else {
      droppedCount += 1
      return
    }
    counts[kind] += 1
    if candidate.promise > Evidence.unlikely { likelyCounts[kind] += 1 }
    var slot = count
    if freeCount > 0 {
      freeCount -= 1
      slot = Int(free[freeCount])
    }
    candidates[slot] = candidate
    arrivals += 1
    let key = SIMD2(Int64(candidate.worth) << 32 | (0xFFFF_FFFF - arrivals), Int64(slot))
    var place = count
    count += 1
    while place > 0, heap[(place - 1) / 2].x < key.x {
      heap[place] = heap[(place - 1) / 2]
      place = (place - 1) / 2
    }
    heap[place] = key
  }

  /// Removes and returns the first candidate.
  mutating func next() -> Candidate? {
    guard count > 0 else { return nil }
    let slot = Int(heap[0].y)
    let candidate = candidates[slot]
    counts[Int(candidate.kind.rawValue)] -= 1
    count -= 1
    free[freeCount] = Int16(truncatingIfNeeded: slot)
    freeCount += 1
    let key = heap[count]
    var place = 0
    while 2 * place + 1 < count {
      var child = 2 * place + 1
      if child + 1 < count, heap[child + 1].x > heap[child].x { child += 1 }
      if heap[child].x <= key.x { break }
      heap[place] = heap[child]
      place = child
    }
    if count > 0 { heap[place] = key }
    return candidate
  }
}
