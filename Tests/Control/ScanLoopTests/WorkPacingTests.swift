import Testing

@testable import ScanLoop

@Suite struct WorkPacingTests {
  private static let interval: Int64 = 66_000_000

  /// Runs frames at 15 per second on a processor that takes `unitTime` nanoseconds per work unit.
  private func run(
    _ pacing: inout WorkPacing, frames: ClosedRange<UInt64>, unitTime: Int64, everyNth nth: UInt64 = 1
  ) {
    for sequence in frames where sequence % nth == 0 {
      pacing.note(
        units: 20_000, nanoseconds: 20_000 * unitTime, sequence: sequence, moment: Int64(sequence) * Self.interval)
    }
  }

  @Test func `a frame is given the work for which its share of the time is enough`() {
    var pacing = WorkPacing(share: 60)
    #expect(pacing.limit == nil)
    run(&pacing, frames: 1...1, unitTime: 100)
    #expect(pacing.limit == nil, "one frame tells no interval")
    run(&pacing, frames: 2...2, unitTime: 100)
    #expect(pacing.limit == 66_000_000 * 60 / 100 / 100)
  }

  @Test func `a processor that becomes slower is given less at once, and one that recovers gets more slowly`() {
    var pacing = WorkPacing(share: 60)
    run(&pacing, frames: 1...10, unitTime: 100)
    let most = pacing.limit ?? 0
    run(&pacing, frames: 11...14, unitTime: 800)
    #expect((pacing.limit ?? 0) <= most / 7)
    run(&pacing, frames: 15...18, unitTime: 100)
    #expect((pacing.limit ?? 0) < most / 3)
    run(&pacing, frames: 19...120, unitTime: 100)
    #expect((pacing.limit ?? 0) > most * 9 / 10)
  }

  @Test func `frames that were dropped do not give the others more time`() {
    var pacing = WorkPacing(share: 60)
    run(&pacing, frames: 1...12, unitTime: 100, everyNth: 4)
    #expect(pacing.limit == 66_000_000 * 60 / 100 / 100)
  }

  @Test func `almost free frames, stopped clocks and restarted sequence numbers are ignored`() {
    var pacing = WorkPacing(share: 60)
    run(&pacing, frames: 1...3, unitTime: 100)
    let known = pacing.limit
    pacing.note(units: 10, nanoseconds: 1_000_000, sequence: 4, moment: 4 * Self.interval)
    pacing.note(units: 20_000, nanoseconds: 0, sequence: 4, moment: 4 * Self.interval)
    run(&pacing, frames: 1...1, unitTime: 100)
    #expect(pacing.limit == known)
    pacing.note(units: 20_000, nanoseconds: 2_000_000, sequence: .max, moment: .max)
    #expect((pacing.limit ?? 0) > 0)
  }
}
