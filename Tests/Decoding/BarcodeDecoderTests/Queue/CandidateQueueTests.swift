import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct CandidateQueueTests {
  private func withArena(_ byteCount: Int, _ body: (inout Arena) -> Void) {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
    defer { memory.deallocate() }
    var arena = Arena(base: memory, byteCount: byteCount)
    body(&arena)
  }

  private func candidate(_ kind: CandidateKind, promise: Int, cost: Int = 1000, index: Int = 0) -> Candidate {
    Candidate(
      kind: kind, attempt: .glance, level: 0, index: Int16(index), place: CandidatePlace(x: 10, y: 10, reach: 5),
      promise: Int32(promise), cost: Int32(cost))
  }

  @Test func `candidates of all kinds are tried in order of promise per cost`() {
    withArena(1 << 20) { arena in
      var queue = try! CandidateQueue(memory: nil, arena: &arena)
      queue.add(candidate(.bars, promise: 500))
      queue.add(candidate(.cells, promise: 900))
      queue.add(candidate(.rows, promise: 900, cost: 100))
      queue.add(candidate(.finder, promise: 100))
      #expect(queue.next()?.kind == .rows)
      #expect(queue.next()?.kind == .cells)
      #expect(queue.next()?.kind == .bars)
      #expect(queue.next()?.kind == .finder)
      #expect(queue.next() == nil)
    }
  }

  @Test func `of equally promising candidates, the first one comes first`() {
    withArena(1 << 20) { arena in
      var queue = try! CandidateQueue(memory: nil, arena: &arena)
      for index in 0..<50 { queue.add(candidate(.bars, promise: 500, index: index)) }
      for index in 0..<50 { #expect(queue.next()?.index == Int16(index)) }
    }
  }

  @Test func `excess candidates of a kind are dropped and counted, and leave room for others`() {
    withArena(1 << 20) { arena in
      var queue = try! CandidateQueue(memory: nil, arena: &arena)
      for _ in 0..<(CandidateQueue.kindCountMax + 7) { queue.add(candidate(.bars, promise: 500)) }
      queue.add(candidate(.cells, promise: 100))
      #expect(queue.droppedCount == 7)
      #expect(queue.count == CandidateQueue.kindCountMax + 1)
    }
  }

  @Test func `taking a candidate makes room`() {
    withArena(1 << 20) { arena in
      var queue = try! CandidateQueue(memory: nil, arena: &arena)
      var generator = SeededGenerator(seed: 5)
      var last = 0
      for round in 0..<20_000 {
        queue.add(candidate(.bars, promise: Int.random(in: 1...60_000, using: &generator)))
        if round % 3 > 0 { last = Int(queue.next()?.promise ?? 0) }
        while queue.count > 900 { _ = queue.next() }
      }
      #expect(last > 0 && queue.droppedCount == 0)
    }
  }

  @Test func `a top list keeps the greatest elements, in order`() {
    withArena(1 << 16) { arena in
      var list = try! TopList(10, arena: &arena)
      var generator = SeededGenerator(seed: 7)
      let ranks = (0..<200).map { _ in Int.random(in: 0...1000, using: &generator) }
      for (value, rank) in ranks.enumerated() { list.insert(rank: rank, value: value) }
      list.sort()
      let best = ranks.indices.sorted { (-ranks[$0], $0) < (-ranks[$1], $1) }.prefix(10)
      #expect((0..<list.count).map { list[$0] } == Array(best))
      #expect(list.droppedCount == 190)
    }
  }
}
