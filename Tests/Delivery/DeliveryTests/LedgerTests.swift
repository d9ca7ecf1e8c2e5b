// Tests of the outbox's ledger without an outbox: it keeps its invariants, and finds each one that is broken.

import Testing
@testable import DeliveryModel

@Suite struct LedgerTests {
  private let sinks = [OutboxSink("a", target: "webhook https://a"), OutboxSink("b", target: "serial /dev/b")]
  private var scans = ScanMaker()

  /// A ledger of a new store with sinks `a` and `b`.
  private func opened() -> Ledger {
    var ledger = Ledger()
    ledger.turn(to: ScanID(high: 1, low: 1), [], last: 0, reserved: 0, sinks: sinks)
    ledger.adopt(Dictionary(uniqueKeysWithValues: sinks.map { ($0.name, SinkState($0, done: NumberSet())) }))
    return ledger
  }

  private mutating func scan(_ sequence: Int64 = 0) -> ScanRecord {
    var scan = scans.next()
    scan.sequence = sequence
    return scan
  }

  @Test mutating func `a scan that is written, held, settled and delivered breaks no invariant`() {
    var ledger = opened()
    var earlier = ledger
    func check() {
      #expect(ledger.checkInvariants(since: earlier, memoryCountMax: 10) == nil)
      earlier = ledger
    }
    let first = scan(1)
    ledger.write([first], memoryCountMax: 10)
    check()
    let second = scan()
    ledger.burn(1)
    ledger.hold(second)
    check()
    #expect(ledger.undeliveredCount(forAll: ["a", "b"]) == 2 && ledger.inMemoryCount(forAll: ["a", "b"]) == 1)
    let numbers = [second.id: Int64(3)]
    ledger.assign(numbers, ledger.states(with: numbers, sinks: ["a", "b"]).states, last: 3)
    check()
    #expect(ledger.undeliveredCount(for: "a") == 2, "a scan that was not read back yet counts once")
    ledger.settle()
    check()
    #expect(ledger.held.isEmpty && ledger.recent[3]?.id == second.id && ledger.lastNumber == 3)
    for sink in ["a", "b"] { ledger.acknowledge([first, second], by: sink) }
    check()
    #expect(ledger.unfinished.isEmpty && ledger.states["a"]?.done == NumberSet(1...3))
  }

  @Test func `a dead letter whose scan an older copy of the file lacks is dropped`() {
    var state = SinkState(sinks[0], done: NumberSet(1...2))
    state.dead.insert(3...4)
    var ledger = Ledger()
    ledger.turn(to: ScanID(high: 1, low: 1), [state], last: 3, reserved: 100, sinks: sinks)
    #expect(ledger.states["a"]?.dead == NumberSet(3...3) && ledger.undeliveredCount(for: "a") == 0)
    #expect(ledger.checkInvariants(memoryCountMax: 10) == nil && ledger.lastNumber == 100)
  }

  @Test mutating func `a scan in memory twice, or with a number, is found`() {
    var twice = opened()
    let once = scan()
    twice.hold(once)
    twice.hold(once)
    #expect(twice.checkInvariants(memoryCountMax: 10) == "a scan is in memory twice")
    var numbered = opened()
    numbered.hold(scan(1))
    #expect(numbered.checkInvariants(memoryCountMax: 10) == "a scan that the file does not have has a number")
  }

  @Test mutating func `numbers that go back, or name two scans, are found`() {
    var ledger = opened()
    let earlier = ledger
    ledger.burn(2)
    #expect(earlier.checkInvariants(since: ledger, memoryCountMax: 10) == "numbers went back from 2 to 0")
    let (one, other) = (scan(), scan())
    var shared = ledger
    shared.assign([one.id: 2, other.id: 2], ledger.states, last: 2)
    #expect(shared.checkInvariants(memoryCountMax: 10) == "a number names two scans")
    shared = ledger
    shared.write([scan(3)], memoryCountMax: 10)
    shared.assign([one.id: 3], ledger.states, last: 3)
    #expect(shared.checkInvariants(memoryCountMax: 10) == "a number names two scans, one of them remembered")
    ledger.write([scan(9)], memoryCountMax: 10)
    #expect(ledger.checkInvariants(memoryCountMax: 10) == "number 9 is in use, and the last one is 3")
  }

  @Test func `a sink that is done with what no scan has, or buried what it is done with, is found`() {
    let ledger = opened()
    var state = SinkState(sinks[0], done: NumberSet(1...4))
    var ahead = ledger
    ahead.replace(state)
    #expect(ahead.checkInvariants(memoryCountMax: 10) == "a is done with 4, and the last number is 0")
    ahead.burn(4)
    #expect(ahead.checkInvariants(memoryCountMax: 10) == nil)
    state.dead.insert(4)
    ahead.replace(state)
    #expect(ahead.checkInvariants(memoryCountMax: 10) == "a dead letter of a counts as done")
    var misplaced = ledger
    misplaced.adopt(["b": SinkState(sinks[0], done: NumberSet())])
    #expect(misplaced.checkInvariants(memoryCountMax: 10) == "the state of a is kept under the name b")
    var graveyard = ledger
    graveyard.burn(Ledger.deadLetterCountMax + 1)
    state = SinkState(sinks[0], done: NumberSet())
    state.dead.insert(1...Int64(Ledger.deadLetterCountMax + 1))
    graveyard.replace(state)
    #expect(graveyard.checkInvariants(memoryCountMax: 10) == "a has 1001 dead letters")
  }

  @Test mutating func `more scans in memory than the limit are found`() {
    var ledger = opened()
    for _ in 0..<3 { ledger.hold(scan()) }
    #expect(ledger.checkInvariants(memoryCountMax: 3) == nil)
    #expect(ledger.checkInvariants(memoryCountMax: 2) == "3 scans are in memory")
    var remembering = opened()
    remembering.write((1...103).map { scan($0) }, memoryCountMax: 200)
    #expect(remembering.checkInvariants(memoryCountMax: 1) == "103 of the newest scans are remembered")
  }
}
