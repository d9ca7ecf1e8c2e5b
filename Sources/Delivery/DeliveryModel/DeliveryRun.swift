// The scans that a delivery loop handles, apart from waiting and sending: the loop and the simulator follow the same rules.

package import Logging

/// The state of a sink's delivery.
package struct DeliveryRun {
  package private(set) var machine: DeliveryMachine
  private var random: any RandomNumberGenerator & Sendable
  /// The current scan or batch. It stays together through retries, and so keeps its id.
  package var records: [ScanRecord] = []
  /// Whether the current scans were not tried yet.
  package var isFresh = true
  /// The next deliveries that were available when the outbox was last asked.
  package var ahead: [[ScanRecord]] = []
  /// Delivered scans that are not noted in the outbox yet.
  package var unnoted: [ScanRecord] = []
  /// Rejected scans that let others pass, the first one first.
  package private(set) var aside: [ScanRecord] = []
  /// The scan that passed last; the search for the next one continues after it. Nil: from the beginning.
  private var lastPassed: ScanRecord?
  /// Contents rejected since the receiver last accepted a scan, the latest last.
  private var rejected = RecentContents()
  /// Contents that the receiver has rejected while it accepted others, the latest last.
  private var suspects = RecentContents()
  /// Scans of a batch still to be sent one by one, so that the receiver shows which of them it rejects.
  package private(set) var singleCount = 0
  package var log: TroubleLog

  package init(settings: RetrySettings, random: any RandomNumberGenerator & Sendable, log: TroubleLog) {
    machine = DeliveryMachine(settings: settings)
    self.random = random
    self.log = log
  }

  package mutating func handle(_ event: DeliveryMachine.Event, at now: Duration) -> [DeliveryMachine.Action] {
    machine.handle(event, at: now, using: &random)
  }

  /// The number of scans that may be sent together now.
  package func countMax(_ batching: BatchSettings) -> Int { singleCount > 0 ? 1 : batching.countMax }

  package mutating func take(_ taken: [ScanRecord]) -> DeliveryMachine.Event {
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
  package var search: PassingSearch {
    PassingSearch(behind: lastPassed, unlike: Set((aside + records).map(ScanContent.init) + suspects.all))
  }

  /// Sets the current scans aside and takes another scan, if one was found.
  package mutating func pass(_ found: PassingSearch.Outcome) -> DeliveryMachine.Event {
    for record in records { rejected.insert(ScanContent(record)) }
    aside += records
    records = []
    lastPassed = found.last
    return found.scan.map { take([$0]) } ?? .nothingElse
  }

  package mutating func putBack() {
    records = Array(aside.prefix(1))
    aside = []
  }

  /// Notes that the current scans were delivered. If they passed others, the scans rejected before are suspect.
  package mutating func delivered() {
    unnoted += records
    singleCount = max(0, singleCount - records.count)
    if !aside.isEmpty { for content in rejected.all { suspects.insert(content) } }
    rejected = RecentContents()
    for record in records { suspects.remove(ScanContent(record)) }
  }

  /// Notes that the current scan became a dead letter.
  package mutating func buried() {
    singleCount = max(0, singleCount - records.count)
    for record in records { suspects.insert(ScanContent(record)) }
  }

  /// - Returns: the meaning of an attempt's outcome: after a batch was rejected, its first scan is tried alone.
  package mutating func ended(_ outcome: DeliveryOutcome) -> DeliveryMachine.Event {
    guard case .rejected(let after, let problem) = outcome, records.count > 1 else { return .attemptEnded(outcome) }
    separate()
    return .attemptEnded(.retry(after: after, problem))
  }
}

/// The part of a scan that a receiver sees and that another scan of the same label shares.
package struct ScanContent: Hashable, Sendable {
  package let symbology: String
  package let bytes: [UInt8]

  package init(_ record: ScanRecord) { (symbology, bytes) = (record.symbology, record.bytes) }
}

/// The contents of recently rejected scans.
package struct RecentContents: Sendable {
  /// The latest last.
  package private(set) var all: [ScanContent] = []

  /// More than the number of labels that a user handles at a time.
  package static let countMax = 64

  package func contains(_ content: ScanContent) -> Bool { all.contains(content) }

  package mutating func insert(_ content: ScanContent) {
    remove(content)
    if all.count == Self.countMax { all.removeFirst() }
    all.append(content)
  }

  package mutating func remove(_ content: ScanContent) { all.removeAll { $0 == content } }
}

/// The search for a scan that may pass those that a receiver rejects: the next one in the queue that resembles none of them.
package struct PassingSearch: Sendable {
  /// The scan after which to search; nil: from the beginning.
  package let last: ScanRecord?
  package let rejected: Set<ScanContent>

  /// The most scans examined per search, because a search blocks the outbox; the next search continues after them.
  package static let lookCountMax = 1000

  package init(behind last: ScanRecord?, unlike rejected: Set<ScanContent>) { (self.last, self.rejected) = (last, rejected) }

  package struct Outcome {
    /// The scan found, if any.
    package var scan: ScanRecord?
    /// The scan after which to continue next time; nil: all were examined.
    package var last: ScanRecord?

    package init(scan: ScanRecord? = nil, last: ScanRecord? = nil) { (self.scan, self.last) = (scan, last) }
  }
}

/// Logs trouble once when it begins, then at most once per interval, and once when it is over.
package struct TroubleLog {
  package let logger: Logger
  package let interval: Duration
  private var problem: DeliveryProblem?
  private var since = Duration.zero
  private var lastLine = Duration.zero
  private var failureCount = 0

  package init(logger: Logger, interval: Duration) {
    self.logger = logger
    self.interval = interval
  }

  package mutating func failed(_ new: DeliveryProblem, isParked: Bool, at now: Duration) {
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

  package mutating func delivered(at now: Duration) {
    guard problem != nil else { return }
    problem = nil
    logger.notice(
      "delivery works again",
      metadata: ["failures": "\(failureCount)", "seconds": "\(Int((now - since).seconds.rounded()))"])
  }
}
