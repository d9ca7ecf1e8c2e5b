// All candidates of a picture in one queue: the one with the most promise per cost comes first, whatever its kind.

/// Candidates in order of what they are worth.
@safe struct CandidateQueue {
  /// The most candidates of one kind that wait at a time.
  static let kindCountMax = 1024
  static let countMax = CandidateKind.count * kindCountMax

  private let candidates: ScratchArray<Candidate>
  /// A heap of worths, each with the place of its candidate; the greatest first, of equals the one that came first.
  private let heap: ScratchArray<SIMD2<Int64>>
  /// Places of candidates that are free.
  private let free: ScratchArray<Int16>
  private var freeCount: Int
  private var arrivals: Int64 = 0
  private var counts: [7 of Int] = .init(repeating: 0)
  private(set) var count = 0
  /// Candidates for which there was no room.
  private(set) var droppedCount = 0

  /// What is known of candidates from the frame before; nil for a single picture.
  var memory: SequenceMemory?

  init(memory: SequenceMemory?, arena: inout Arena) throws(ArenaFull) {
    candidates = try ScratchArray(CandidateQueue.countMax, arena: &arena)
    heap = try ScratchArray(CandidateQueue.countMax, arena: &arena)
    free = try ScratchArray(CandidateQueue.countMax, arena: &arena)
    freeCount = 0
    self.memory = memory
  }

  /// Adds a candidate that a pass has found: as far on as it was tried in the frame before.
  mutating func offer(_ found: Candidate) {
    var candidate = found
    if let known = memory?.recall(candidate) {
      candidate.note = Int16(truncatingIfNeeded: known.note)
      if known.next > candidate.attempt { candidate.advance(to: known.next) }
      candidate.promise = max(1, candidate.promise >> Int32(min(8, 2 * known.rounds)))
    }
    add(candidate)
  }

  /// Adds a candidate, or counts it as dropped where there are too many of its kind.
  mutating func add(_ candidate: Candidate) {
    let kind = Int(candidate.kind.rawValue)
    guard counts[kind] < CandidateQueue.kindCountMax else {
      droppedCount += 1
      return
    }
    counts[kind] += 1
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

  /// Takes the candidate that is worth the most.
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
