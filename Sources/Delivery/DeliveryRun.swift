// What a delivery loop has in hand, apart from waiting and sending: the loop and the simulator go by the same rules.

import Logging

/// The state of one sink's delivery.
struct DeliveryRun {
  private(set) var machine: DeliveryMachine
  private var random: any RandomNumberGenerator & Sendable
  /// What is in hand: one scan, or a batch. Stays together through retries, so that its id does.
  var records: [ScanRecord] = []
  /// Whether what is in hand was not tried yet.
  var isFresh = true
  /// The next deliveries, as far as they were there when the outbox was asked last.
  var ahead: [[ScanRecord]] = []
  /// What was delivered and is not noted in the outbox yet.
  var unnoted: [ScanRecord] = []
  /// What was rejected and lets others pass, the first first.
  private(set) var aside: [ScanRecord] = []
  /// Scans of a rejected batch that are to go one by one, so that the receiver says which of them it rejects.
  private(set) var singleCount = 0
  var log: TroubleLog

  init(settings: RetrySettings, random: any RandomNumberGenerator & Sendable, log: TroubleLog) {
    machine = DeliveryMachine(settings: settings)
    self.random = random
    self.log = log
  }

  mutating func handle(_ event: DeliveryMachine.Event, at now: Duration) -> [DeliveryMachine.Action] {
    machine.handle(event, at: now, using: &random)
  }

  /// How many scans may go together now.
  func countMax(_ batching: BatchSettings) -> Int { singleCount > 0 ? 1 : batching.countMax }

  mutating func take(_ taken: [ScanRecord]) -> DeliveryMachine.Event {
    records = taken
    isFresh = true
    return .recordTaken(taken.last?.sequence ?? 0)
  }

  /// Sets what is in hand aside and takes another scan, if there is one.
  mutating func pass(_ other: ScanRecord?) -> DeliveryMachine.Event {
    aside += records
    records = []
    return other.map { take([$0]) } ?? .nothingElse
  }

  mutating func putBack() {
    records = Array(aside.prefix(1))
    aside = []
  }

  /// The first scan that was set aside.
  mutating func takeAside() -> ScanRecord? {
    defer { aside = [] }
    return aside.first
  }

  /// What is in hand was delivered.
  mutating func delivered() {
    unnoted += records
    singleCount = max(0, singleCount - records.count)
  }

  /// - Returns: what an attempt's outcome means: of a batch that was rejected the first scan is tried by itself.
  mutating func ended(_ outcome: DeliveryOutcome) -> DeliveryMachine.Event {
    guard case .rejected(let after, let problem) = outcome, records.count > 1 else { return .attemptEnded(outcome) }
    singleCount = records.count
    records = [records[0]]
    ahead = []
    return .attemptEnded(.retry(after: after, problem))
  }
}

/// Says trouble once when it begins, then at most once an interval, and once when it is over.
struct TroubleLog {
  let logger: Logger
  let interval: Duration
  private var problem: DeliveryProblem?
  private var since = Duration.zero
  private var lastLine = Duration.zero
  private var failureCount = 0

  init(logger: Logger, interval: Duration) {
    self.logger = logger
    self.interval = interval
  }

  mutating func failed(_ new: DeliveryProblem, isParked: Bool, at now: Duration) {
    if problem == nil {
      since = now
      failureCount = 0
    }
    failureCount += 1
    guard problem != new || now - lastLine >= interval else { return }
    problem = new
    lastLine = now
    let metadata: Logger.Metadata = [
      "problem": "\(new.summary)", "remedy": "\(new.remedy)", "failures": "\(failureCount)",
    ]
    if isParked {
      logger.error("delivery is parked, scans are kept", metadata: metadata)
    } else {
      logger.warning("delivery failed and will be tried again, scans are kept", metadata: metadata)
    }
  }

  mutating func delivered(at now: Duration) {
    guard problem != nil else { return }
    problem = nil
    logger.notice(
      "delivery works again",
      metadata: ["failures": "\(failureCount)", "seconds": "\(Int((now - since).seconds.rounded()))"])
  }
}
