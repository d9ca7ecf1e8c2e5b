// The scans that a delivery loop handles, apart from waiting and sending: the loop and the simulator follow the same rules.

import Logging

/// The state of a sink's delivery.
struct DeliveryRun {
  private(set) var machine: DeliveryMachine
  private var random: any RandomNumberGenerator & Sendable
  /// The current scan or batch. It stays together through retries, and so keeps its id.
  var records: [ScanRecord] = []
  /// Whether the current scans were not tried yet.
  var isFresh = true
  /// The next deliveries that were available when the outbox was last asked.
  var ahead: [[ScanRecord]] = []
  /// Delivered scans that are not noted in the outbox yet.
  var unnoted: [ScanRecord] = []
  /// Rejected scans that let others pass, the first one first.
  private(set) var aside: [ScanRecord] = []
  /// The scan that passed last; the search for the next one continues after it. Nil: from the beginning.
  private var lastPassed: ScanRecord?
  /// Contents rejected since the receiver last accepted a scan, the latest last.
  private var rejected = RecentContents()
  /// Contents that the receiver has rejected while it accepted others, the latest last.
  private var suspects = RecentContents()
  /// Scans of a batch still to be sent one by one, so that the receiver shows which of them it rejects.
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

  /// The number of scans that may be sent together now.
  func countMax(_ batching: BatchSettings) -> Int { singleCount > 0 ? 1 : batching.countMax }

  mutating func take(_ taken: [ScanRecord]) -> DeliveryMachine.Event {
    records = taken
    isFresh = true
    if taken.count > 1, taken.contains(where: isSuspect) { separate() }
    return .recordTaken(isSuspect: records.contains(where: isSuspect))
  }

  private func isSuspect(_ record: ScanRecord) -> Bool { suspects.contains(ScanContent(record)) }

  /// Separates the current batch into single scans.
  private mutating func separate() {
    singleCount = records.count
    records = [records[0]]
    ahead = []
  }

  /// Where to search for a scan that may pass the current one.
  var search: PassingSearch {
    PassingSearch(behind: lastPassed, unlike: Set((aside + records).map(ScanContent.init) + suspects.all))
  }

  /// Sets the current scans aside and takes another scan, if one was found.
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

  /// Notes that the current scans were delivered. If they passed others, the scans rejected before are suspect.
  mutating func delivered() {
    unnoted += records
    singleCount = max(0, singleCount - records.count)
    if !aside.isEmpty { for content in rejected.all { suspects.insert(content) } }
    rejected = RecentContents()
    for record in records { suspects.remove(ScanContent(record)) }
  }

  /// Notes that the current scan became a dead letter.
  mutating func buried() {
    singleCount = max(0, singleCount - records.count)
    for record in records { suspects.insert(ScanContent(record)) }
  }

  /// - Returns: the meaning of an attempt's outcome: after a batch was rejected, its first scan is tried alone.
  mutating func ended(_ outcome: DeliveryOutcome) -> DeliveryMachine.Event {
    guard case .rejected(let after, let problem) = outcome, records.count > 1 else { return .attemptEnded(outcome) }
    separate()
    return .attemptEnded(.retry(after: after, problem))
  }
}

/// The part of a scan that a receiver sees and that another scan of the same label shares.
struct ScanContent: Hashable, Sendable {
  let symbology: String
  let bytes: [UInt8]

  init(_ record: ScanRecord) { (symbology, bytes) = (record.symbology, record.bytes) }
}

/// The contents of recently rejected scans.
struct RecentContents: Sendable {
  /// The latest last.
  private(set) var all: [ScanContent] = []

  /// More than the number of labels that a user handles at a time.
  static let countMax = 64

  func contains(_ content: ScanContent) -> Bool { all.contains(content) }

  mutating func insert(_ content: ScanContent) {
    remove(content)
    if all.count == Self.countMax { all.removeFirst() }
    all.append(content)
  }

  mutating func remove(_ content: ScanContent) { all.removeAll { $0 == content } }
}

/// The search for a scan that may pass those that a receiver rejects: the next one in the queue that resembles none of them.
struct PassingSearch: Sendable {
  /// The scan after which to search; nil: from the beginning.
  let last: ScanRecord?
  let rejected: Set<ScanContent>

  /// The most scans examined per search, because a search blocks the outbox; the next search continues after them.
  static let lookCountMax = 1000

  init(behind last: ScanRecord?, unlike rejected: Set<ScanContent>) { (self.last, self.rejected) = (last, rejected) }

  struct Outcome {
    /// The scan found, if any.
    var scan: ScanRecord?
    /// The scan after which to continue next time; nil: all were examined.
    var last: ScanRecord?
  }
}

/// Logs trouble once when it begins, then at most once per interval, and once when it is over.
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
