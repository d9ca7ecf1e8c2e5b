// Scans on a line: a serial port or a connection of TCP. Without an answer from the host a scan counts as delivered when the
// line has taken its last byte, which is all that a line without acknowledgement can promise; with ACK and NAK the host decides.
// Where the host may give commands, its bytes are read all the time: ACK and NAK go to the frame that waits for them, the rest to
// the parser.

public import DeliveryModel
public import Devices
public import Logging
public import ServiceLifecycle

/// A command that waits for its answer.
public struct HostRequest: Sendable {
  /// The sink over whose line it came.
  public let sink: String
  public let command: HostCommand
  /// Whether the answer to `status` also says how the station is: its version, its readings, its sinks and its machine.
  public let wantsHealth: Bool
  /// To be called once; the answer is sent as soon as the line is free, or forgotten when the cable is out.
  public let answer: @Sendable (HostAnswer) -> Void

  package init(
    sink: String, command: HostCommand, wantsHealth: Bool = false, answer: @escaping @Sendable (HostAnswer) -> Void
  ) {
    (self.sink, self.command, self.wantsHealth, self.answer) = (sink, command, wantsHealth, answer)
  }
}

/// A sink that writes frames to a line, and waits for ACK when the host sends one.
///
/// The line is opened when the first scan comes, or at once where it is kept open, and again after each failure, so a cable may
/// be pulled at any time. A frame that was not sent whole, or not acknowledged, is sent again whole; if only the ACK was lost, the
/// host gets it twice.
public actor LineSink: ScanSink {
  public nonisolated let name: String
  private nonisolated let settings: any HostLineSettings
  private let line: any HostLine
  private let onRequest: (@Sendable (HostRequest) -> Bool)?
  private let elapsed: @Sendable () -> Duration
  private let logger: Logger
  private var parser: HostCommandParser
  private var echo = LineEcho()
  private var hasWarnedOfPrefix = false
  /// The host's answer to the frame that is under way.
  private var verdict: UInt8?
  /// The scan whose turn came last, whether any of its frames went out, and how many answers may still come.
  private var lastScan: ScanID?
  private var wasSent = false
  private var openAnswerCount = 0
  /// The digit of that scan, where frames are numbered, and an answer whose digit has not come yet.
  private var number: UInt8?
  private var answerWithoutNumber: UInt8?
  /// Whether a frame is being delivered: only its delivery then reads the line.
  private var isExchanging = false
  private let exchangeEnded = AsyncSignal()
  /// When anything was written last.
  private var lastWritten = Duration.zero
  /// Answers to commands on their way to the line.
  private var answerCount = 0

  /// The most answers that wait; a host that sends more commands hears nothing of them.
  static let answerCountMax = 16
  /// Reads of what a host sent before a frame; one that never falls silent gets the frame all the same.
  static let lateReadCountMax = 16
  /// How long one read for ACK or NAK lasts: by then what another reader got is looked at.
  static let answerSlice = Duration.milliseconds(20)
  /// How long one read between frames lasts; writing cuts it short.
  static let commandSlice = Duration.seconds(1)

  /// - Parameters:
  ///   - port: the port at `settings.device`; the sink is its only user.
  ///   - clock: what waits for answers are measured with.
  ///   - onRequest: takes the host's commands when the settings accept them; false when too many wait.
  public init(
    settings: SerialSettings, port: any SerialPort, logger: Logger = Logger(label: "reticle.serial"),
    clock: any Clock<Duration> = ContinuousClock(),
    onRequest: (@Sendable (HostRequest) -> Bool)? = nil
  ) {
    self.init(settings: settings, line: SerialLine(port: port), logger: logger, clock: clock, onRequest: onRequest)
  }

  /// - Parameter line: the sink is its only user.
  init(
    settings: any HostLineSettings, line: any HostLine, logger: Logger, clock: any Clock<Duration> = ContinuousClock(),
    onRequest: (@Sendable (HostRequest) -> Bool)?
  ) {
    self.settings = settings
    self.line = line
    self.logger = logger
    elapsed = elapsedTime(of: clock)
    self.onRequest = settings.acceptsCommands ? onRequest : nil
    parser = HostCommandParser(prefix: settings.commandPrefix)
    name = settings.name
  }

  public nonisolated var batching: BatchSettings { settings.batching }

  public nonisolated var services: [any Service] {
    settings.isKeptOpen ? [LineListener(description: "the host of \(name)") { await self.listen() }] : []
  }

  public func close() async { await line.close() }

  // MARK: Scans

  public func deliver(_ records: [ScanRecord]) async -> DeliveryOutcome {
    isExchanging = true
    defer {
      isExchanging = false
      exchangeEnded.signal()
    }
    do throws(DeliveryProblem) {
      try await open()
      guard let acknowledgement = settings.acknowledgement else {
        try await write(records.flatMap { LineFrame.bytes($0, settings.framing) })
        return .delivered
      }
      for record in records {
        let outcome = try await deliver(record, acknowledgement)
        guard outcome == .delivered else { return outcome }
      }
      return .delivered
    } catch {
      // The rest of the frame must not precede the next one.
      await shut()
      return .retry(after: nil, error)
    }
  }

  private func open() async throws(DeliveryProblem) {
    guard try await line.open() else { return }
    (verdict, answerWithoutNumber, openAnswerCount, lastWritten) = (nil, nil, 0, elapsed())
    parser.forget()
  }

  private func deliver(
    _ record: ScanRecord, _ acknowledgement: AcknowledgementSettings
  ) async throws(DeliveryProblem) -> DeliveryOutcome {
    if record.id != lastScan {
      if !acknowledgement.isNumbered {
        try await awaitQuiet(acknowledgement)
        // Interrupted: an answer to the scan before would count for this one.
        guard openAnswerCount == 0 else { return .retry(after: nil, unanswered(acknowledgement)) }
      }
      begin(record, acknowledgement)
    }
    return try await exchange(LineFrame.bytes(record, settings.framing, number: number), acknowledgement)
  }

  private func begin(_ record: ScanRecord, _ acknowledgement: AcknowledgementSettings) {
    if acknowledgement.isNumbered { number = ((number ?? UInt8(record.id.low % 10)) + 1) % 10 }
    (lastScan, wasSent) = (record.id, false)
  }

  /// Sends a scan that another host has acknowledged, unless it went out already, and waits for no answer.
  func tell(_ record: ScanRecord) async {
    guard let acknowledgement = settings.acknowledgement, record.id != lastScan || !wasSent else { return }
    do throws(DeliveryProblem) {
      try await open()
      if record.id != lastScan { begin(record, acknowledgement) }
      openAnswerCount += 1
      wasSent = true
      try await write(LineFrame.bytes(record, settings.framing, number: number))
    } catch {
      await shut()
    }
  }

  private func write(_ frame: [UInt8]) async throws(DeliveryProblem) {
    lastWritten = elapsed()
    echo.sent(frame, at: lastWritten)
    try await line.write(frame, within: settings.writeLimit)
  }

  /// Sends a frame until the host answers.
  private func exchange(
    _ frame: [UInt8], _ acknowledgement: AcknowledgementSettings
  ) async throws(DeliveryProblem) -> DeliveryOutcome {
    var refusalCount = 0
    for _ in 0..<max(1, acknowledgement.sendCountMax) {
      verdict = nil
      for _ in 0..<Self.lateReadCountMax {
        let late = try await line.read(within: .zero)
        if late.isEmpty { break }
        take(late)
      }
      // An answer that came too late is still one to this scan.
      if wasSent, verdict == acknowledgement.positive { return .delivered }
      verdict = nil
      openAnswerCount += 1
      wasSent = true
      try await write(frame)
      switch try await awaitVerdict(acknowledgement) {
      case acknowledgement.positive: return .delivered
      case acknowledgement.negative: refusalCount += 1
      default: break
      }
      if Task.isCancelled { break }
    }
    guard refusalCount > 0 else { return .retry(after: nil, unanswered(acknowledgement)) }
    return .rejected(
      after: nil,
      DeliveryProblem("\(line.name): the host refused the scan (NAK) \(refusalCount) times", remedy: Self.remedy))
  }

  private static let remedy =
    "check the cable or the network, and that the host expects this framing and answers with ACK, or switch acknowledgement off"

  private func unanswered(_ acknowledgement: AcknowledgementSettings) -> DeliveryProblem {
    DeliveryProblem(
      "\(line.name): the host did not acknowledge the scan within \(acknowledgement.limit)", remedy: Self.remedy)
  }

  /// Waits, before another scan is sent, for all answers that may still come to the one before, or until the host has been
  /// silent for as long as an answer may be late: none of them must be credited to the scan that follows.
  private func awaitQuiet(_ acknowledgement: AcknowledgementSettings) async throws(DeliveryProblem) {
    let quiet = max(acknowledgement.limit * 2, acknowledgement.lateLimit)
    var quietSince = elapsed()
    while openAnswerCount > 0, !Task.isCancelled {
      let left = quietSince + quiet - elapsed()
      guard left > .zero else { break }
      let before = openAnswerCount
      take(try await line.read(within: min(left, Self.answerSlice)))
      if openAnswerCount < before { quietSince = elapsed() }
    }
    // An interrupted wait was too short.
    if !Task.isCancelled { openAnswerCount = 0 }
  }

  /// ACK or NAK; nil when neither came within the limit.
  private func awaitVerdict(_ acknowledgement: AcknowledgementSettings) async throws(DeliveryProblem) -> UInt8? {
    let deadline = elapsed() + acknowledgement.limit
    while !Task.isCancelled {
      if let verdict { return verdict }
      let left = deadline - elapsed()
      guard left > .zero else { return nil }
      take(try await line.read(within: settings.isKeptOpen ? min(left, Self.answerSlice) : left))
    }
    return nil
  }

  /// Sorts the host's bytes: ACK and NAK, the first of which counts, and commands.
  private func take(_ bytes: [UInt8]) {
    for byte in bytes {
      if let acknowledgement = settings.acknowledgement,
        byte == acknowledgement.positive || byte == acknowledgement.negative
      {
        if acknowledgement.isNumbered { answerWithoutNumber = byte } else { verdict = verdict ?? byte }
        openAnswerCount = max(0, openAnswerCount - 1)
      } else if let answer = answerWithoutNumber {
        answerWithoutNumber = nil
        if let number, byte == UInt8(ascii: "0") + number { verdict = verdict ?? answer }
      } else if onRequest != nil, let line = parser.take(byte) {
        take(line)
      }
    }
  }

  /// A command counts with its prefix, or when nothing was sent that could be coming back.
  private func take(_ line: HostCommandParser.Line) {
    if parser.lastLineHasPrefix || echo.isQuiet(at: elapsed()) { return handle(line) }
    guard let prefix = settings.commandPrefix, case .command = line, !echo.contains(parser.lastLine, at: elapsed()) else {
      return
    }
    answer(.prefixMissing)
    guard !hasWarnedOfPrefix else { return }
    hasWarnedOfPrefix = true
    logger.warning(
      "a host's command without its prefix was passed over, as it may be the echo of a scan",
      metadata: [
        "sink": "\(name)",
        "remedy": "let the host send the byte 0x\(String(prefix, radix: 16)) before each command, or see command_prefix",
      ])
  }

  private func shut() async {
    await line.close()
    parser.forget()
  }

  // MARK: Between frames

  /// Keeps the line open, reads what the host sends between frames, and sends heartbeats, until the task is cancelled or a line
  /// that cannot be opened again has ended; returns at once if the line is not kept open.
  func listen() async {
    guard settings.isKeptOpen else { return }
    let backoff = Backoff(settings: settings.retry)
    var random = SystemRandomNumberGenerator()
    var failureCount = 0
    while !Task.isCancelled {
      if isExchanging {
        await exchangeEnded.wait()
        continue
      }
      do throws(DeliveryProblem) {
        try await open()
        take(try await line.read(within: min(Self.commandSlice, settings.heartbeat?.interval ?? Self.commandSlice)))
        failureCount = 0
        try await beat()
      } catch {
        // If a scan is being delivered, its delivery reports the error.
        if !isExchanging { await shut() }
        guard line.opensAgain else { return }
        failureCount += 1
        try? await Task.sleep(for: backoff.wait(failureCount: failureCount, retryAfter: nil, using: &random))
      }
    }
  }

  /// Sends a heartbeat when it is time.
  private func beat() async throws(DeliveryProblem) {
    guard let heartbeat = settings.heartbeat, elapsed() - lastWritten >= heartbeat.interval else { return }
    lastWritten = elapsed()
    try await line.write(heartbeat.bytes, within: settings.writeLimit)
  }

  private func handle(_ line: HostCommandParser.Line) {
    switch line {
    case .unknown: answer(.unknown)
    case .tooLong: answer(.tooLong)
    case .command(let command):
      let request = HostRequest(sink: name, command: command) { [weak self] answer in
        Task { await self?.answer(answer) }
      }
      if onRequest?(request) != true { answer(.busy(command)) }
    }
  }

  /// Sends an answer, between frames: the port writes one message at a time.
  private func answer(_ answer: HostAnswer) {
    guard answerCount < Self.answerCountMax else { return }
    answerCount += 1
    Task {
      try? await write(answer.bytes)
      answerCount -= 1
    }
  }
}

/// Listens to hosts as a service of the station.
struct LineListener: Service, CustomStringConvertible {
  let description: String
  let listen: @Sendable () async -> Void

  func run() async throws {
    await cancelWhenGracefulShutdown { await listen() }
    // The service must not end before the group does.
    try? await gracefulShutdown()
  }
}

/// The lines that went out lately. Nothing that comes in soon after them is a command by its words alone: a modem, a terminal or
/// a loopback plug may send them back, a label may say `disable`, and a bad line may leave out some of its characters.
struct LineEcho {
  private struct Line {
    let bytes: [UInt8]
    let time: Duration
  }

  private var lines: [Line] = []
  private var lastTime: Duration?

  /// How long an echo may take.
  static let span = Duration.seconds(10)
  /// Lines that are remembered; more than a line of 115200 bits a second carries in that time.
  static let lineCountMax = 4096

  mutating func sent(_ bytes: [UInt8], at time: Duration) {
    lastTime = time
    lines.removeAll { time - $0.time > Self.span }
    for part in bytes.split(whereSeparator: { $0 == 0x0D || $0 == 0x0A }) {
      if lines.count == Self.lineCountMax { lines.removeFirst() }
      let blank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
      let words = part.reversed().drop(while: blank).reversed()
      lines.append(Line(bytes: words.map(HostCommandParser.lowercase), time: time))
    }
  }

  /// Whether nothing was sent that could come back now.
  func isQuiet(at time: Duration) -> Bool { lastTime.map { time - $0 > Self.span } ?? true }

  /// Whether a line is one that was sent, or the end of one.
  ///
  /// - Parameter line: without blanks around it, in lower case.
  func contains(_ line: [UInt8], at time: Duration) -> Bool {
    lines.contains { time - $0.time <= Self.span && $0.bytes.suffix(line.count) == line[...] }
  }
}
