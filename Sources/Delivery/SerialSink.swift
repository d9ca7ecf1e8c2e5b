// Scans on a serial line. Without an answer from the host a scan counts as delivered when the driver has sent its last
// byte, which is all that a line without acknowledgement can promise; with ACK and NAK the host decides.

public import Devices

/// A sink that writes frames to a serial port, and waits for ACK when the host sends one.
///
/// The port is opened when the first scan comes and again after each failure, so a cable may be pulled at any time. A frame
/// that was not sent whole, or not acknowledged, is sent again whole; if only the ACK was lost, the host gets it twice.
public actor SerialSink: ScanSink {
  public nonisolated let name: String
  private let settings: SerialSettings
  private let port: any SerialPort

  /// - Parameter port: the port at `settings.device`; the sink is its only user.
  public init(settings: SerialSettings, port: any SerialPort) {
    self.settings = settings
    self.port = port
    name = settings.name
  }

  public func close() async { await port.close() }

  public func deliver(_ record: ScanRecord) async -> DeliveryOutcome {
    let frame = SerialFrame.bytes(record, settings.framing)
    do throws(SerialPortFailure) {
      try await port.open()
      guard let acknowledgement = settings.acknowledgement else {
        try await port.write(frame, within: settings.writeLimit)
        return .delivered
      }
      return try await deliver(frame, acknowledgement)
    } catch {
      // What is left of the frame must not come out before the next one.
      await port.close()
      return .retry(after: nil, DeliveryProblem(error.description, remedy: error.remedy))
    }
  }

  private func deliver(
    _ frame: [UInt8], _ acknowledgement: AcknowledgementSettings
  ) async throws(SerialPortFailure) -> DeliveryOutcome {
    var refusalCount = 0
    for _ in 0..<max(1, acknowledgement.sendCountMax) {
      // An answer to an earlier frame that came too late would be taken for one to this.
      while try await !port.read(within: .zero).isEmpty {}
      try await port.write(frame, within: settings.writeLimit)
      switch try await answer(acknowledgement) {
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
    return .retry(after: nil, DeliveryProblem(summary, remedy: remedy))
  }

  /// The first byte that is ACK or NAK; nil when neither came within the limit.
  private func answer(_ acknowledgement: AcknowledgementSettings) async throws(SerialPortFailure) -> UInt8? {
    let deadline = ContinuousClock.now + acknowledgement.limit
    while !Task.isCancelled {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { return nil }
      for byte in try await port.read(within: left)
      where byte == acknowledgement.positive || byte == acknowledgement.negative {
        return byte
      }
    }
    return nil
  }
}
