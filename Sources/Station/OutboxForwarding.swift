// From the controller's results to the outbox's records.

import BarcodeMessage
import BarcodeTypes
public import Delivery
public import HostText
public import ScanControl
public import ScanLoop
import Synchronization

/// Forwards results to an outbox.
public final class OutboxForwarding: ScanForwarding {
  /// How often a drain looks whether everything is delivered.
  static let lookInterval = Duration.milliseconds(50)

  private let outbox: Outbox
  private let station: String
  private let sinkNames: [String]
  private let format: HostFormat
  private let sinks: [HostSink]
  private let ids = Mutex(ScanIDGenerator())

  /// - Parameters:
  ///   - sinkNames: those that `drain` waits for.
  ///   - format: how hosts want their text.
  ///   - sinks: those whose text may differ from others'.
  public init(
    outbox: Outbox, station: String, sinkNames: [String], format: HostFormat = HostFormat(), sinks: [HostSink] = []
  ) {
    self.outbox = outbox
    self.station = station
    self.sinkNames = sinkNames
    self.format = format
    self.sinks = sinks
  }

  public func accept(_ results: [ScanResult]) async -> [Result<ScanSafety, any Error>] {
    let outcomes = await outbox.append(results.map(makeRecord))
    let atRiskCount = await outbox.inMemoryCount
    return outcomes.map { outcome in
      outcome.map { $0.isDurable ? .stored : .atRisk(count: atRiskCount) }.mapError { $0 }
    }
  }

  public func drain(within limit: Duration) async -> Int {
    let deadline = ContinuousClock.now + limit
    while true {
      var leftCount = 0
      for name in sinkNames { leftCount = max(leftCount, await outbox.undeliveredCount(for: name)) }
      if leftCount == 0 || ContinuousClock.now >= deadline || Task.isCancelled { return leftCount }
      try? await Task.sleep(for: Self.lookInterval)
    }
  }

  /// The record of a result. The wall clock at the capture is the wall clock now less the time since then.
  private func makeRecord(_ result: ScanResult) -> ScanRecord {
    var captured = CaptureTime.now()
    captured.unixMilliseconds -= (captured.bootNanoseconds - result.capturedAt.nanoseconds) / 1_000_000
    captured.bootNanoseconds = result.capturedAt.nanoseconds
    let id = ids.withLock { ids in
      var random = SystemRandomNumberGenerator()
      return ids.next(unixMilliseconds: captured.unixMilliseconds, using: &random)
    }
    let code = result.code
    var record = ScanRecord(
      id: id, station: station, symbology: "\(code.symbology.name)", aimIdentifier: code.aimIdentifier, text: code.text,
      bytes: code.payload, captured: captured)
    record.hri = code.humanReadable
    record.isGS1 = code.isGS1
    let texts = format.texts(of: HostContent(code), for: sinks)
    record.hostText = texts.text
    record.hostTexts = texts.bySink.sorted { $0.key < $1.key }.map { ScanRecord.SinkText(sink: $0.key, text: $0.value) }
    record.isLink = code.mark == .link
    record.part = code.part.map {
      ScanRecord.Part(id: "\($0.identifier)", position: Int($0.index) + 1, total: $0.count > 0 ? Int($0.count) : nil)
    }
    if let reading = GS1Reading(symbology: code.symbology, isGS1: code.isGS1, text: code.text) { record.take(reading) }
    record.corners = result.corners.points.map { ScanRecord.Corner(x: $0.x.value, y: $0.y.value) }
    record.preview = result.preview?.points.map { ScanRecord.Corner(partX: $0.x.value, partY: $0.y.value) }
    record.frameCount = result.frameCount
    record.lineCount = Int(result.lineCount)
    record.confidence = Int(result.confidence)
    return record
  }
}

extension HostContent {
  fileprivate init(_ code: ScannedCode) {
    self.init(symbology: code.symbology, aimIdentifier: code.aimIdentifier, text: code.text, isGS1: code.isGS1)
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
