// Scans on a serial line. Without an answer from the host a scan counts as delivered when the driver has sent its last
// byte, which is all that a line without acknowledgement can promise; with ACK and NAK the host decides. Where the host may
// give commands, its bytes are read all the time: ACK and NAK go to the frame that waits for them, the rest to the parser.

public import Devices
public import ServiceLifecycle

/// A command that waits for its answer.
public struct HostRequest: Sendable {
  /// The sink over whose line it came.
  public let sink: String
  public let command: HostCommand
  /// To be called once; the answer is sent as soon as the line is free, or forgotten when the cable is out.
  public let answer: @Sendable (HostAnswer) -> Void
}

/// A sink that writes frames to a serial port, and waits for ACK when the host sends one.
///
/// The port is opened when the first scan comes and again after each failure, so a cable may be pulled at any time. A frame
/// that was not sent whole, or not acknowledged, is sent again whole; if only the ACK was lost, the host gets it twice.
public actor SerialSink: ScanSink {
  public nonisolated let name: String
  private let settings: SerialSettings
  private let port: any SerialPort
  private let onRequest: (@Sendable (HostRequest) -> Bool)?
  private var parser = HostCommandParser()
  private var echo = SerialEcho()
  /// The host's answer to the frame that is under way.
  private var verdict: UInt8?
  /// The scan that was sent last, and how many answers to it may still come.
  private var lastScan: ScanID?
  private var openAnswerCount = 0
  /// Whether a frame is on its way: its deliverer reads the line then, and nobody else.
  private var isExchanging = false
  private let exchangeEnded = Bell()
  /// Answers to commands on their way to the line.
  private var answerCount = 0

  /// The most answers that wait; a host that sends more commands hears nothing of them.
  static let answerCountMax = 16
  /// Reads of what a host sent before a frame; one that never falls silent gets the frame all the same.
  static let lateReadCountMax = 16
  /// How long one read for ACK or NAK lasts: by then what another reader got is looked at.
  static let answerSlice = Duration.milliseconds(20)
  /// How long one read for commands lasts; writing cuts it short.
  static let commandSlice = Duration.seconds(1)
  /// How long to wait before a port that failed is opened again for commands.
  static let reopenInterval = Duration.seconds(1)

  /// - Parameters:
  ///   - port: the port at `settings.device`; the sink is its only user.
  ///   - onRequest: takes the host's commands when the settings accept them; false when too many wait.
  public init(
    settings: SerialSettings, port: any SerialPort, onRequest: (@Sendable (HostRequest) -> Bool)? = nil
  ) {
    self.settings = settings
    self.port = port
    self.onRequest = settings.acceptsCommands ? onRequest : nil
    name = settings.name
  }

  public func close() async { await port.close() }

  // MARK: Scans

  public func deliver(_ records: [ScanRecord]) async -> DeliveryOutcome {
    isExchanging = true
    defer {
      isExchanging = false
      exchangeEnded.ring()
    }
    for record in records {
      let outcome = await deliverFrame(SerialFrame.bytes(record, settings.framing), of: record.id)
      guard outcome == .delivered else { return outcome }
    }
    return .delivered
  }

  private func deliverFrame(_ frame: [UInt8], of scan: ScanID) async -> DeliveryOutcome {
    do throws(SerialPortFailure) {
      try await port.open()
      echo.sent(frame, at: .now)
      guard let acknowledgement = settings.acknowledgement else {
        try await port.write(frame, within: settings.writeLimit)
        return .delivered
      }
      if scan != lastScan { try await awaitQuiet(acknowledgement) }
      lastScan = scan
      return try await deliver(frame, acknowledgement)
    } catch {
      // What is left of the frame must not come out before the next one.
      await shut()
      return .retry(after: nil, DeliveryProblem(error.description, remedy: error.remedy))
    }
  }

  private func deliver(
    _ frame: [UInt8], _ acknowledgement: AcknowledgementSettings
  ) async throws(SerialPortFailure) -> DeliveryOutcome {
    var refusalCount = 0
    for _ in 0..<max(1, acknowledgement.sendCountMax) {
      verdict = nil
      for _ in 0..<Self.lateReadCountMax {
        let late = try await port.read(within: .zero)
        if late.isEmpty { break }
        take(late)
      }
      // An answer that came too late is still one to this scan.
      if verdict == acknowledgement.positive { return .delivered }
      verdict = nil
      openAnswerCount += 1
      try await port.write(frame, within: settings.writeLimit)
      switch try await awaitVerdict(acknowledgement) {
      case acknowledgement.positive: return .delivered
      case acknowledgement.negative: refusalCount += 1
      default: break
      }
      if Task.isCancelled { break }
    }
    let summary =
      refusalCount > 0
      ? "\(port.name): the host refused the scan (NAK) \(refusalCount) times"
      : "\(port.name): the host did not acknowledge the scan within \(acknowledgement.limit)"
    let remedy = "check the cable and that the host expects this framing and answers with ACK, or switch acknowledgement off"
    let problem = DeliveryProblem(summary, remedy: remedy)
    return refusalCount > 0 ? .rejected(after: nil, problem) : .retry(after: nil, problem)
  }

  /// Waits, before another scan is sent, for all answers that may still come to the one before, or until the host has been
  /// silent for twice the time that it has for an answer: none of them must be credited to the scan that follows.
  private func awaitQuiet(_ acknowledgement: AcknowledgementSettings) async throws(SerialPortFailure) {
    var quietSince = ContinuousClock.now
    while openAnswerCount > 0, !Task.isCancelled {
      let left = acknowledgement.limit * 2 - quietSince.duration(to: .now)
      guard left > .zero else { break }
      let before = openAnswerCount
      take(try await port.read(within: min(left, Self.answerSlice)))
      if openAnswerCount < before { quietSince = .now }
    }
    openAnswerCount = 0
  }

  /// ACK or NAK; nil when neither came within the limit.
  private func awaitVerdict(_ acknowledgement: AcknowledgementSettings) async throws(SerialPortFailure) -> UInt8? {
    let deadline = ContinuousClock.now + acknowledgement.limit
    while !Task.isCancelled {
      if let verdict { return verdict }
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { return nil }
      take(try await port.read(within: onRequest == nil ? left : min(left, Self.answerSlice)))
    }
    return nil
  }

  /// Sorts the host's bytes: ACK and NAK, the first of which counts, and commands.
  private func take(_ bytes: [UInt8]) {
    for byte in bytes {
      if let acknowledgement = settings.acknowledgement,
        byte == acknowledgement.positive || byte == acknowledgement.negative
      {
        verdict = verdict ?? byte
        openAnswerCount = max(0, openAnswerCount - 1)
      } else if onRequest != nil, let line = parser.take(byte), !isEcho(line) {
        handle(line)
      }
    }
  }

  private func isEcho(_ line: HostCommandParser.Line) -> Bool {
    let isCommand = if case .command = line { true } else { false }
    return echo.contains(parser.lastLine, isCommand: isCommand, at: .now)
  }

  private func shut() async {
    await port.close()
    parser.forget()
  }

  // MARK: Commands

  /// Reads the host's commands until the task is cancelled; returns at once if the host may give none.
  ///
  /// The port is kept open for it, and opened again when the cable comes back.
  public func listen() async {
    guard onRequest != nil else { return }
    while !Task.isCancelled {
      if isExchanging {
        await exchangeEnded.heard()
        continue
      }
      do throws(SerialPortFailure) {
        try await port.open()
        take(try await port.read(within: Self.commandSlice))
      } catch {
        // A scan that is on its way tells what is wrong; without one nobody needs to know.
        if !isExchanging { await shut() }
        try? await Task.sleep(for: Self.reopenInterval)
      }
    }
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
    echo.sent(answer.bytes, at: .now)
    Task {
      try? await port.write(answer.bytes, within: settings.writeLimit)
      answerCount -= 1
    }
  }
}

/// Listens to the host of a serial sink as a service of the station.
public struct SerialListener: Service, CustomStringConvertible {
  private let sink: SerialSink

  public init(_ sink: SerialSink) { self.sink = sink }

  public var description: String { "commands from \(sink.name)" }

  public func run() async throws {
    await cancelWhenGracefulShutdown { await sink.listen() }
    // The service must not end before the group does.
    try? await gracefulShutdown()
  }
}
