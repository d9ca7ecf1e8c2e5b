// Turns the controller's results into the outbox's records.

import BarcodeMessage
import BarcodeTypes
public import DeliveryModel
public import HostText
public import Logging
import Metrics
public import Outbox
public import ScanControl
public import ScanLoop
import Sinks
public import StationConfiguration
public import StationGrading
public import StationPictures
import Synchronization

/// Forwards results to an outbox.
public final class OutboxForwarding: ScanForwarding {
  /// How often a drain checks whether everything is delivered.
  static let lookInterval = Duration.milliseconds(50)

  private let outbox: Outbox
  private let station: String
  private let sinkNames: [String]
  private let format: HostFormat
  private let sinks: [HostSink]
  private let ruleMemory: RuleMemory?
  private let noReads: NoReadTexts
  private let pictures: PictureArchive?
  private let grading: PrintGrading?
  private let logger: Logger
  private let desk: SetDesk
  private let comparing: Mutex<Comparing?>
  /// Counters for mismatches (true) and matches (false).
  private let comparisons: [Bool: Counter]
  private let ids = Mutex(ScanIDGenerator())

  /// - Parameters:
  ///   - sinkNames: the sinks that `drain` waits for.
  ///   - format: the configured text format for hosts.
  ///   - sinks: the sinks whose text may differ from others'.
  ///   - ruleMemory: records which rules match.
  ///   - noReads: texts and records of no-reads.
  ///   - pictures: takes pictures; nil: none are kept.
  ///   - grading: grades scans; nil: none are graded.
  ///   - earlier: the previous configuration's forwarding; its unchanged sets and comparisons continue.
  public init(
    outbox: Outbox, station: String, sinkNames: [String], format: HostFormat = HostFormat(), sinks: [HostSink] = [],
    ruleMemory: RuleMemory? = nil, noReads: NoReadTexts = NoReadTexts(),
    pictures: PictureArchive? = nil, grading: PrintGrading? = nil, after earlier: OutboxForwarding? = nil,
    logger: Logger = Logger(label: "reticle.rules")
  ) {
    self.ruleMemory = ruleMemory
    desk = SetDesk(format.sets, after: earlier?.desk)
    let compared = earlier?.comparing.withLock { $0 }
    comparing = Mutex(format.comparison.map { Comparing($0, after: compared) })
    comparisons = [false: "match", true: "mismatch"].mapValues {
      Counter(label: "reticle_comparisons_total", dimensions: [("result", $0)])
    }
    self.logger = logger
    self.outbox = outbox
    self.station = station
    self.sinkNames = sinkNames
    self.format = format
    self.sinks = sinks
    self.noReads = noReads
    self.pictures = pictures
    self.grading = grading
  }

  public var incomplete: AsyncStream<IncompleteScans> { desk.incomplete }

  public func accept(_ results: [ScanResult]) async -> [Result<ScanSafety, any Error>] {
    // Outcomes decided at once; nil for results that go to the outbox.
    var settled: [ScanSafety?] = []
    var records: [(record: ScanRecord, verdict: Verdict?)] = []
    for scan in results.map(prepare) {
      if let rule = scan.dropper {
        settled.append(.dropped(rule: rule))
        continue
      }
      switch desk.take(scan) {
      case .none:
        settled.append(nil)
        records.append(compared(scan.record, nil))
      case .waiting(let missing): settled.append(.waiting(missing: missing))
      case .whole(let record, let verdict):
        settled.append(nil)
        records.append(compared(record, verdict))
      }
    }
    var outcomes = zip(records, records.isEmpty ? [] : await outbox.append(records.map(\.record))).map { ($0.verdict, $1) }[
      ...]
    let atRiskCount = records.isEmpty ? 0 : await outbox.inMemoryCount
    return settled.map { safety in
      if let safety { return .success(safety) }
      guard let (verdict, outcome) = outcomes.popFirst() else {
        preconditionFailure("an outbox that answers for fewer scans")
      }
      return outcome.map { receipt in
        guard receipt.isDurable else { return .atRisk(count: atRiskCount) }
        return verdict == .mismatch ? .mismatched : .stored
      }.mapError { $0 }
    }
  }

  public func reportNoRead(_ cause: NoRead) async -> Result<ScanSafety, any Error>? {
    let (recordCause, text): (ScanRecord.NoRead, String?) =
      switch cause {
      case .noSymbol: (.noSymbol, noReads.noSymbol)
      case .unreadable: (.unreadable, noReads.unreadable)
      }
    let now = CaptureTime.now()
    var record = ScanRecord(id: makeID(now), station: station, noRead: recordCause, text: text ?? "", captured: now)
    record.picture = pictures?.takeNoRead(id: record.id, at: now)
    return await append(record, text)
  }

  public func reportIncomplete(_ scans: IncompleteScans) async -> Result<ScanSafety, any Error>? {
    let text = noReads.incomplete(set: scans.set, missing: scans.missing)
    let now = CaptureTime.now()
    var record = ScanRecord(
      id: makeID(now), station: station, incompleteSet: scans.set, missing: scans.missing, text: text ?? "",
      captured: now)
    record.picture = pictures?.takeNoRead(id: record.id, at: now)
    return await append(record, text)
  }

  /// A record that tests a sink: with the flag `test`, for this sink alone.
  public func testRecord(text: String, sink: String) -> ScanRecord {
    let now = CaptureTime.now()
    var record = ScanRecord(
      id: makeID(now), station: station, symbology: "\(Symbology.code128.name)", aimIdentifier: "]C0", text: text,
      bytes: Array(text.utf8), captured: now)
    record.corners = [ScanRecord.Corner](repeating: ScanRecord.Corner(x: 0, y: 0), count: 4)
    record.flags = ["test"]
    record.sinks = [sink]
    return record
  }

  /// Writes a record other than a scan for the sinks that receive it. Text-only sinks receive it only if it has a text.
  private func append(_ record: ScanRecord, _ text: String?) async -> Result<ScanSafety, any Error>? {
    let listeners = sinks.filter { noReads.reach($0, text: text) }.map(\.name)
    guard !listeners.isEmpty else { return nil }
    var record = record
    if listeners.count < sinks.count { record.sinks = listeners }
    let atRiskCount = await outbox.inMemoryCount
    return await outbox.append([record]).first.map { outcome in
      outcome.map { $0.isDurable ? .stored : .atRisk(count: atRiskCount + 1) }.mapError { $0 }
    }
  }

  /// Compares a scan, then flags and counts it by the verdict.
  private func compared(_ record: ScanRecord, _ ownVerdict: Verdict?) -> (record: ScanRecord, verdict: Verdict?) {
    var record = record
    let verdict = ownVerdict ?? comparing.withLock { $0?.take(record.hostText ?? record.text, flags: record.flags) }
    guard let verdict else { return (record, nil) }
    record.flags += verdict.flags
    comparisons[verdict == .mismatch]?.increment()
    if verdict == .mismatch { logger.warning("a scan does not match", metadata: ["symbology": "\(record.symbology)"]) }
    return (record, verdict)
  }

  public func keepSets() { desk.keep() }

  public func abandonSets() -> [IncompleteScans] { desk.giveUpAll() }

  public func drain(within limit: Duration) async -> Int {
    let deadline = ContinuousClock.now + limit
    while true {
      var leftCount = 0
      for name in sinkNames { leftCount = max(leftCount, await outbox.undeliveredCount(for: name)) }
      if leftCount == 0 || ContinuousClock.now >= deadline || Task.isCancelled { return leftCount }
      try? await Task.sleep(for: Self.lookInterval)
    }
  }

  /// The texts for hosts, and the rules' other effects on a scan.
  private func texts(of content: HostContent, captured: CaptureTime) -> HostTexts {
    let moment = LocalTime.moment(unixMilliseconds: captured.unixMilliseconds)
    let texts = format.texts(of: content, for: sinks, at: moment)
    ruleMemory?.matched(texts.matchedRules, unixSeconds: captured.unixMilliseconds / 1000)
    if texts.isOverBudget {
      logger.warning(
        "the rules would take too long for a scan; it is sent without them",
        metadata: [
          "symbology": "\(content.symbology.name)", "remedy": "give rules with expressions a length, or fewer of .*",
        ])
    }
    return texts
  }

  private func makeID(_ captured: CaptureTime) -> ScanID {
    ids.withLock { ids in
      var random = SystemRandomNumberGenerator()
      return ids.next(unixMilliseconds: captured.unixMilliseconds, using: &random)
    }
  }

  /// Makes the record of a result. The wall time of capture is the current wall time minus the time since capture.
  private func prepare(_ result: ScanResult) -> PreparedScan {
    var captured = CaptureTime.now()
    captured.unixMilliseconds -= (captured.bootNanoseconds - result.capturedAt.nanoseconds) / 1_000_000
    captured.bootNanoseconds = result.capturedAt.nanoseconds
    let code = result.code
    var record = ScanRecord(
      id: makeID(captured), station: station, symbology: "\(code.symbology.name)", aimIdentifier: code.aimIdentifier,
      text: code.text,
      bytes: code.isConcealed ? Array(code.text.utf8) : code.payload, captured: captured)
    record.hri = code.humanReadable
    record.isGS1 = code.isGS1
    record.isLink = code.mark == .link
    record.part = code.part.map {
      ScanRecord.Part(id: "\($0.identifier)", position: Int($0.index) + 1, total: $0.count > 0 ? Int($0.count) : nil)
    }
    let reading = GS1Reading(symbology: code.symbology, isGS1: code.isGS1, text: code.text)
    if let reading { record.take(reading) }
    let year = LocalTime.moment(unixMilliseconds: captured.unixMilliseconds).year
    let fields = MessageField.fields(of: code.text, currentYear: year)
    record.fields = fields.map(ScanRecord.Field.init)
    record.setID = result.set?.description
    var content = HostContent(code, reading?.elements ?? [], fields)
    content.setID = record.setID
    let texts = self.texts(of: content, captured: captured)
    record.take(texts)
    record.corners = result.corners.points.map { ScanRecord.Corner(x: $0.x.value, y: $0.y.value) }
    record.preview = result.preview?.points.map { ScanRecord.Corner(partX: $0.x.value, partY: $0.y.value) }
    record.frameCount = result.frameCount
    record.lineCount = Int(result.lineCount)
    record.confidence = Int(result.confidence)
    if texts.dropper == nil {
      record.picture = pictures?.takeScan(result, id: record.id)
      grading?.take(result, sinks: texts.sinks ?? sinkNames)
    }
    return PreparedScan(result: result, record: record, dropper: texts.dropper)
  }
}

extension ScanRecord {
  /// Applies the effects of choices and rules to the record.
  public mutating func take(_ texts: HostTexts) {
    hostText = texts.text
    hostTexts = texts.bySink.sorted { $0.key < $1.key }.map { SinkText(sink: $0.key, text: $0.value) }
    sinks = texts.sinks
    flags = texts.flags
  }
}

extension HostContent {
  fileprivate init(_ code: ScannedCode, _ elements: [GS1Element], _ fields: [MessageField]) {
    self.init(
      symbology: code.symbology, aimIdentifier: code.aimIdentifier, text: code.text, isGS1: code.isGS1, elements: elements,
      fields: fields)
  }
}

extension ScannedCode {
  /// The AIM symbology identifier (ISO/IEC 15424), such as `]E0`.
  fileprivate var aimIdentifier: String {
    "]" + String(Unicode.Scalar(symbology.aimCodeCharacter)) + String(Unicode.Scalar(aimModifier))
  }
}

extension Quad {
  fileprivate var points: [PixelPoint] { [topLeft, topRight, bottomRight, bottomLeft] }
}

extension Fixed16 {
  fileprivate var value: Double { Double(bits) / 65536 }
}
