// The transitions of each state, as conversations with the machine. Time is an argument, and jitter is off unless it is
// tested.

import Testing
@testable import DeliveryModel

@Suite struct DeliveryMachineTests {
  private struct Conversation {
    var machine: DeliveryMachine
    var random = ConstantRandom()

    init(_ settings: RetrySettings = RetrySettings()) { machine = DeliveryMachine(settings: settings) }

    mutating func says(_ event: DeliveryMachine.Event, at seconds: Double = 0) -> [DeliveryMachine.Action] {
      machine.handle(event, at: .milliseconds(Int(seconds * 1000)), using: &random)
    }
  }

  @Test func `scans are delivered one after the other`() {
    var talk = Conversation()
    #expect(talk.says(.started) == [.take])
    #expect(talk.says(.recordTaken(isSuspect: false)) == [.attempt])
    #expect(talk.says(.attemptEnded(.delivered)) == [.acknowledge, .take])
    #expect(talk.says(.recordTaken(isSuspect: false)) == [.attempt])
    #expect(talk.says(.attemptEnded(.delivered)) == [.acknowledge, .take])
  }

  @Test func `the same scan is tried again after a failure`() {
    var talk = Conversation()
    _ = talk.says(.started)
    _ = talk.says(.recordTaken(isSuspect: false))
    #expect(talk.says(.attemptEnded(.failed), at: 10) == [.wait(until: .milliseconds(10_200))])
    #expect(talk.says(.waitEnded, at: 10.2) == [.attempt])
    #expect(talk.says(.attemptEnded(.delivered), at: 10.3) == [.acknowledge, .take])
  }

  @Test func `a failure after a success begins with the fast phase again`() {
    var talk = Conversation()
    _ = talk.says(.started)
    _ = talk.says(.recordTaken(isSuspect: false))
    for _ in 0..<9 {
      _ = talk.says(.attemptEnded(.failed))
      _ = talk.says(.waitEnded)
    }
    #expect(talk.says(.attemptEnded(.failed)) == [.wait(until: .seconds(16))])
    _ = talk.says(.waitEnded)
    _ = talk.says(.attemptEnded(.delivered))
    _ = talk.says(.recordTaken(isSuspect: false))
    #expect(talk.says(.attemptEnded(.failed)) == [.wait(until: .milliseconds(200))])
  }

  @Test func `a receiver is left alone for as long as it asks`() {
    var talk = Conversation()
    _ = talk.says(.started)
    _ = talk.says(.recordTaken(isSuspect: false))
    #expect(talk.says(.attemptEnded(.retry(after: .seconds(90), trouble)), at: 5) == [.wait(until: .seconds(95))])
  }

  @Test func `no wait exceeds its limit, even if the receiver asks for more`() {
    var talk = Conversation()
    _ = talk.says(.started)
    _ = talk.says(.recordTaken(isSuspect: false))
    #expect(talk.says(.attemptEnded(.retry(after: .seconds(86_400), trouble))) == [.wait(until: .seconds(3600))])
  }

  @Test func `a parked sink keeps its scan and probes`() {
    var talk = Conversation()
    _ = talk.says(.started)
    _ = talk.says(.recordTaken(isSuspect: false))
    #expect(talk.says(.attemptEnded(.parked(trouble, isFinal: false))) == [.wait(until: .seconds(900))])
    #expect(talk.says(.waitEnded, at: 900) == [.attempt])
    #expect(talk.says(.attemptEnded(.parked(trouble, isFinal: false)), at: 900) == [.wait(until: .seconds(1800))])
  }

  @Test func `a permanently parked sink waits to be resumed`() {
    var talk = Conversation()
    _ = talk.says(.started)
    _ = talk.says(.recordTaken(isSuspect: false))
    #expect(talk.says(.attemptEnded(.parked(trouble, isFinal: true))) == [.wait(until: nil)])
    #expect(talk.says(.resumeRequested) == [.attempt])
    #expect(talk.says(.attemptEnded(.delivered)) == [.acknowledge, .take])
  }

  @Test func `resuming ends a wait and begins with the fast phase`() {
    var talk = Conversation()
    _ = talk.says(.started)
    _ = talk.says(.recordTaken(isSuspect: false))
    for _ in 0..<8 {
      _ = talk.says(.attemptEnded(.failed))
      _ = talk.says(.waitEnded)
    }
    _ = talk.says(.attemptEnded(.failed))
    #expect(talk.says(.resumeRequested) == [.attempt])
    #expect(talk.says(.attemptEnded(.failed)) == [.wait(until: .milliseconds(200))])
  }

  @Test func `shutdown is immediate when nothing is under way`() {
    var talk = Conversation()
    _ = talk.says(.started)
    #expect(talk.says(.shutdownRequested) == [.finish])
    #expect(talk.says(.recordTaken(isSuspect: false)) == [])

    talk = Conversation()
    _ = talk.says(.started)
    _ = talk.says(.recordTaken(isSuspect: false))
    _ = talk.says(.attemptEnded(.failed))
    #expect(talk.says(.shutdownRequested) == [.finish])
  }

  @Test func `shutdown lets an attempt end and notes its success`() {
    var talk = Conversation()
    _ = talk.says(.started)
    _ = talk.says(.recordTaken(isSuspect: false))
    #expect(talk.says(.shutdownRequested) == [])
    #expect(talk.says(.attemptEnded(.delivered)) == [.acknowledge, .finish])

    talk = Conversation()
    _ = talk.says(.started)
    _ = talk.says(.recordTaken(isSuspect: false))
    _ = talk.says(.shutdownRequested)
    #expect(talk.says(.attemptEnded(.failed)) == [.finish])
  }

  private static let rejected = DeliveryMachine.Event.attemptEnded(.rejected(after: nil, trouble))

  /// Rejects a scan once less often than it takes for others to overtake it.
  private func rejections(_ talk: inout Conversation, _ count: Int = 10) {
    _ = talk.says(.started)
    _ = talk.says(.recordTaken(isSuspect: false))
    for _ in 1..<count {
      _ = talk.says(Self.rejected)
      _ = talk.says(.waitEnded)
    }
  }

  @Test func `a scan becomes a dead letter when the receiver accepts another one and then rejects it again`() {
    var talk = Conversation()
    rejections(&talk)
    #expect(talk.says(Self.rejected) == [.pass])
    #expect(talk.says(.recordTaken(isSuspect: false)) == [.attempt])
    #expect(talk.says(Self.rejected) == [.pass])
    #expect(talk.says(.recordTaken(isSuspect: false)) == [.attempt])
    #expect(talk.says(.attemptEnded(.delivered)) == [.acknowledge, .putBack, .attempt])
    #expect(talk.says(Self.rejected) == [.bury(rejectionCount: 11, trouble), .take])
  }

  @Test func `a scan that the receiver accepts after another one is delivered`() {
    var talk = Conversation()
    rejections(&talk)
    _ = talk.says(Self.rejected)
    _ = talk.says(.recordTaken(isSuspect: false))
    _ = talk.says(.attemptEnded(.delivered))
    #expect(talk.says(.attemptEnded(.delivered)) == [.acknowledge, .take])
  }

  @Test func `a receiver that goes away while a scan is tried once more proves nothing`() {
    for outcome in [DeliveryOutcome.failed, .parked(trouble, isFinal: false)] {
      var talk = Conversation()
      rejections(&talk)
      _ = talk.says(Self.rejected)
      _ = talk.says(.recordTaken(isSuspect: false))
      _ = talk.says(.attemptEnded(.delivered))
      let actions = talk.says(.attemptEnded(outcome))
      guard actions.count == 1, case .wait = actions[0] else {
        Issue.record("\(actions)")
        continue
      }
      #expect(talk.says(.waitEnded) == [.attempt])
      #expect(talk.says(Self.rejected) == [.pass])
    }
  }

  @Test func `no more than ten scans pass between two waits`() {
    var talk = Conversation()
    rejections(&talk)
    for _ in 1...DeliveryMachine.passedCountMax {
      #expect(talk.says(Self.rejected) == [.pass])
      #expect(talk.says(.recordTaken(isSuspect: false)) == [.attempt])
    }
    #expect(talk.says(Self.rejected).first == .putBack)
    #expect(talk.says(.waitEnded) == [.attempt])
    #expect(talk.says(Self.rejected) == [.pass])
  }

  @Test func `a scan like a dead letter lets others pass immediately`() {
    var talk = Conversation()
    _ = talk.says(.started)
    _ = talk.says(.recordTaken(isSuspect: true))
    #expect(talk.says(Self.rejected) == [.pass])
    #expect(talk.says(.nothingElse) == [.putBack, .wait(until: .milliseconds(200))])
    #expect(talk.says(.resumeRequested) == [.attempt])
    #expect(talk.says(Self.rejected) == [.pass])
  }

  @Test func `irrelevant events are ignored`() {
    var talk = Conversation()
    #expect(talk.says(.waitEnded) == [])
    #expect(talk.says(.attemptEnded(.delivered)) == [])
    _ = talk.says(.started)
    _ = talk.says(.recordTaken(isSuspect: false))
    #expect(talk.says(.recordTaken(isSuspect: false)) == [])
    #expect(talk.says(.resumeRequested) == [])
    #expect(talk.says(.attemptEnded(.delivered)) == [.acknowledge, .take])
  }
}

@Suite struct BackoffTests {
  @Test func `the delay follows its table`() {
    let backoff = Backoff(settings: RetrySettings())
    let table: [Double] = [0.2, 0.2, 0.2, 0.2, 0.2, 1, 2, 4, 8, 16, 32, 60, 60]
    for (index, seconds) in table.enumerated() {
      #expect(backoff.delay(failureCount: index + 1) == .milliseconds(Int(seconds * 1000)))
    }
    #expect(backoff.delay(failureCount: .max) == .seconds(60))
  }

  @Test func `jitter shortens up to its part`() {
    let backoff = Backoff(settings: RetrySettings())
    var least = ConstantRandom(value: 0)
    var most = ConstantRandom(value: .max)
    #expect(backoff.jittered(.seconds(60), using: &least) == .seconds(60))
    let shortest = backoff.jittered(.seconds(60), using: &most)
    #expect(shortest >= .seconds(30) && shortest < .seconds(30.001))
  }

  @Test func `jitter spreads stations`() {
    let backoff = Backoff(settings: RetrySettings())
    var random = SystemRandomNumberGenerator()
    let delays = Set((0..<100).map { _ in backoff.jittered(.seconds(60), using: &random) })
    #expect(delays.count > 90)
  }

  @Test func `no wait is shorter than its delay when the receiver asks for less`() {
    let backoff = Backoff(settings: RetrySettings())
    var random = ConstantRandom()
    #expect(backoff.wait(failureCount: 12, retryAfter: .seconds(1), using: &random) == .seconds(60))
  }

  @Test func `a day of outage costs the attempts in the table`() {
    let backoff = Backoff(settings: RetrySettings())
    var random = SystemRandomNumberGenerator()
    var time = Duration.zero
    var count = 0
    while time < .seconds(86_400) {
      count += 1
      time += backoff.wait(failureCount: count, retryAfter: nil, using: &random)
    }
    #expect((1800...2050).contains(count))
  }
}
