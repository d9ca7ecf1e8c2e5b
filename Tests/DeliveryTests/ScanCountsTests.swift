// The figures of what waits, against counting again; and what it costs to ask.

import FoundationEssentials
import Testing

@testable import Delivery

@Suite(.timeLimit(.minutes(2))) struct ScanCountsTests {
  @Test func figuresAreThoseOfCountingAgainWhateverHappens() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var counts = ScanCounts()
      var there: Set<Int64> = []
      var last: Int64 = 0
      for _ in 0..<60 {
        let place = Int64.random(in: 0...(last + 2), using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
          let new = (1...5).map { last + Int64($0) }.filter { _ in Bool.random(using: &random) }
          there.formUnion(new)
          last = max(last, new.last ?? 0)
          counts.inserted(new)
        case 2:
          there = there.filter { $0 > place }
          counts.deleted(through: place)
        case 3:
          let gone = there.filter { $0 > place && Bool.random(using: &random) }
          there.subtract(gone)
          counts.deleted(gone.count, after: place)
        default:
          let count = counts.count(after: place) { after, through in there.count { $0 > after && $0 <= through } }
          #expect(count == there.count { $0 > place })
        }
      }
    }
  }

  /// A sink that is far behind and one that is not, in turns: what is between them is counted once.
  @Test func onlyWhatIsNewIsLookedAt() {
    var counts = ScanCounts()
    var lookedAt: Int64 = 0
    for sequence in stride(from: Int64(100_000), to: 101_000, by: 10) {
      for place in [0, sequence] {
        _ = counts.count(after: place) { after, through in
          lookedAt += min(through, 101_000) - after
          return Int(min(through, 101_000) - after)
        }
      }
    }
    #expect(lookedAt < 101_000 * 2 + 1000, "\(lookedAt)")
  }

  @Test func theOutboxKnowsWhatWaitsThroughLimitsAndRequests() async throws {
    let folder = try TemporaryFolder()
    var settings = OutboxSettings()
    settings.path = folder.file("outbox.sqlite")
    settings.synchronous = .normal
    settings.undeliveredCountMax = 120
    settings.whenFull = .discardOldest
    settings.undeliveredAgeMax = .seconds(3600)
    settings.deliveredCountKept = 10
    let now: Int64 = 1_800_000_000_000
    let outbox = await Outbox(
      settings: settings, sinks: ["a", "b"], wallMilliseconds: { now }, logger: quiet)
    var scans = ScanMaker()
    for _ in 0..<300 {
      switch Int.random(in: 0..<10) {
      case 0...5:
        let age = Int64.random(in: 0..<20) == 0 ? Int64(7_200_000) : 0
        _ = try await outbox.append(scans.next(unixMilliseconds: now - age))
      case 6, 7:
        let sink = Bool.random() ? "a" : "b"
        if await outbox.undeliveredCount(for: sink) > 0, let record = await outbox.nextRecord(for: sink) {
          await outbox.acknowledge(record, by: sink)
        }
      case 8: await outbox.maintain()
      default: await outbox.perform(OutboxRequest(.redeliver, sink: "b", sequence: Int64.random(in: 1...200)))
      }
      for sink in ["a", "b"] {
        let position = await outbox.positions[sink] ?? 0
        #expect(await outbox.undeliveredCount(for: sink) == outbox.records(after: position, limit: 1000).count)
      }
    }
    await outbox.close()
  }
}
