// A sink's delivery, step by step: the rules are the station's; waiting and sending are simulated.

import Logging
@testable import DeliveryModel
@testable import Outbox

/// A delivery loop without tasks: it performs the actions of `DeliveryLoop` one at a time.
struct SimulatedLoop {
  let name: String
  private var run: DeliveryRun
  private var actions: [DeliveryMachine.Action] = []
  private var waitsUntil: Duration?
  private var isWaiting = false
  private var random: SeededRandom
  private let batching: BatchSettings
  private let unnotedCountMax: Int

  init(name: String, random: SeededRandom, isOrdered: Bool) {
    var random = random
    var settings = RetrySettings()
    settings.rejectionCountMax = isOrdered ? nil : Int.random(in: 1...4, using: &random)
    var batching = BatchSettings()
    if random.happens(30) { batching.countMax = 4 }
    self.init(
      name: name, random: random, retry: settings, batching: batching, unnotedCountMax: random.happens(50) ? 8 : 1)
  }

  init(
    name: String, random: SeededRandom, retry: RetrySettings, batching: BatchSettings, unnotedCountMax: Int = 1
  ) {
    self.name = name
    self.batching = batching
    self.unnotedCountMax = unnotedCountMax
    run = DeliveryRun(
      settings: retry, random: random,
      log: TroubleLog(logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }, interval: .seconds(60)))
    self.random = random
    actions = run.handle(.started, at: .zero)
  }

  mutating func resume(_ now: Duration) {
    guard isWaiting else { return }
    isWaiting = false
    actions += run.handle(.resumeRequested, at: now)
  }

  /// - Returns: false if there is nothing to do at the moment.
  mutating func step(_ core: OutboxCore, _ receiver: Receiver, at now: Duration) -> Bool {
    if isWaiting {
      guard let waitsUntil, now >= waitsUntil else { return false }
      isWaiting = false
      actions += run.handle(.waitEnded, at: now)
    }
    guard let action = actions.first else { return false }
    let event: DeliveryMachine.Event?
    switch action {
    case .take:
      let taken: [ScanRecord]
      if run.ahead.isEmpty {
        core.rewound.remove(name)
        taken = core.next(run.countMax(batching), for: name)
      } else {
        taken = run.ahead.removeFirst()
      }
      guard !taken.isEmpty else { return false }
      event = run.take(taken)
    case .attempt:
      if !run.isFresh { run.records = core.stillWanted(run.records, by: name) }
      run.isFresh = false
      event = run.records.isEmpty ? .attemptEnded(.delivered) : run.ended(receiver.answer(run.records))
    case .acknowledge:
      run.delivered()
      if run.ahead.isEmpty {
        noteAll(core)
        if run.aside.isEmpty, run.singleCount == 0 {
          core.rewound.remove(name)
          let next = core.next(batching.countMax > 1 ? batching.countMax : unnotedCountMax, for: name)
          run.ahead = batching.countMax > 1 ? (next.isEmpty ? [] : [next]) : next.map { [$0] }
        }
      }
      event = nil
    case .pass:
      noteAll(core)
      event = run.pass(core.nextPassing(run.search, for: name))
    case .putBack:
      run.putBack()
      event = nil
    case .bury(let rejectionCount, let problem):
      noteAll(core)
      run.buried()
      for scan in run.records { _ = core.bury(scan, by: name, tryCount: rejectionCount, problem: problem.summary) }
      event = nil
    case .wait(let until):
      noteAll(core)
      isWaiting = true
      waitsUntil = until
      event = nil
    case .finish: return false
    }
    actions.removeFirst()
    if let event { actions += run.handle(event, at: now) }
    return true
  }

  private mutating func noteAll(_ core: OutboxCore) {
    core.acknowledge(run.unnoted, by: name)
    run.unnoted = []
    run.ahead = []
  }
}
