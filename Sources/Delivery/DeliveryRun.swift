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
  /// The scan that passed last, whose place in the queue is where the next one is looked for; nil: from the beginning.
  private var lastPassed: ScanRecord?
  /// What was rejected since the receiver last took anything, the latest last.
  private var rejected = RecentContents()
  /// What the receiver has rejected while it took others, the latest last.
  private var suspects = RecentContents()
  /// Scans of a batch that are to go one by one, so that the receiver says which of them it rejects.
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
    if taken.count > 1, taken.contains(where: isSuspect) { separate() }
    return .recordTaken(isSuspect: records.contains(where: isSuspect))
  }

  private func isSuspect(_ record: ScanRecord) -> Bool { suspects.contains(ScanContent(record)) }

  /// What is in hand goes scan by scan.
  private mutating func separate() {
    singleCount = records.count
    records = [records[0]]
    ahead = []
  }

  /// Where to look for a scan that may pass what is in hand.
  var search: PassingSearch {
    PassingSearch(behind: lastPassed, unlike: Set((aside + records).map(ScanContent.init) + suspects.all))
  }

  /// Sets what is in hand aside and takes another scan, if one was found.
  mutating func pass(_ found: PassingSearch.Outcome) -> DeliveryMachine.Event {
    for record in records { rejected.insert(ScanContent(record)) }
    aside += records
    records = []
    lastPassed = found.last
    return found.scan.map { take([$0]) } ?? .nothingElse
  }

  mutating func putBack() {
    records = Array(aside.prefix(1))
    aside = []
  }

  /// What is in hand was delivered. If it passed others, what was rejected before is suspect.
  mutating func delivered() {
    unnoted += records
    singleCount = max(0, singleCount - records.count)
    if !aside.isEmpty { for content in rejected.all { suspects.insert(content) } }
    rejected = RecentContents()
    for record in records { suspects.remove(ScanContent(record)) }
  }

  /// The scan in hand was rejected for good.
  mutating func buried() {
    singleCount = max(0, singleCount - records.count)
    for record in records { suspects.insert(ScanContent(record)) }
  }

  /// - Returns: what an attempt's outcome means: of a batch that was rejected the first scan is tried by itself.
  mutating func ended(_ outcome: DeliveryOutcome) -> DeliveryMachine.Event {
    guard case .rejected(let after, let problem) = outcome, records.count > 1 else { return .attemptEnded(outcome) }
    separate()
    return .attemptEnded(.retry(after: after, problem))
  }
}

/// What a receiver sees of a scan that another scan of the same label has, too.
struct ScanContent: Hashable, Sendable {
  let symbology: String
  let bytes: [UInt8]

  init(_ record: ScanRecord) { (symbology, bytes) = (record.symbology, record.bytes) }
}

/// The contents of scans that were rejected lately.
struct RecentContents: Sendable {
  /// The latest last.
  private(set) var all: [ScanContent] = []

  /// More than anyone carries labels about.
  static let countMax = 64

  func contains(_ content: ScanContent) -> Bool { all.contains(content) }

  mutating func insert(_ content: ScanContent) {
    remove(content)
    if all.count == Self.countMax { all.removeFirst() }
    all.append(content)
  }

  mutating func remove(_ content: ScanContent) { all.removeAll { $0 == content } }
}

/// The question for a scan that may pass those that a receiver rejects: the next one in the queue that is like none of them.
struct PassingSearch: Sendable {
  /// The scan to look behind; nil: from the beginning.
  let last: ScanRecord?
  let rejected: Set<ScanContent>

  /// Scans that are looked at in one search: it holds up the outbox, and the next one goes on behind them.
  static let lookCountMax = 1000

  init(behind last: ScanRecord?, unlike rejected: Set<ScanContent>) { (self.last, self.rejected) = (last, rejected) }

  struct Outcome {
    /// nil: there was none.
    var scan: ScanRecord?
    /// The scan to look behind next time; nil: all were looked at.
    var last: ScanRecord?
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
